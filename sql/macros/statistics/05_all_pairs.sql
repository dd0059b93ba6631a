{#-
Every pair of runs in one statement. A pair is a group by itself, which has the name of its first run, baseline_run: so
all that is made of groups is made of pairs. The rows of that run are those of the baseline within it.
    sides      of each pair both runs
    each_pair  the values of each pair, so that those of a run stand as often as it has partners
-#}
{% macro rm_plan_of_pairs(plan) %}
{%- if not plan.all_pairs -%}{{ return(plan) }}{%- endif -%}
{%- set own = {} -%}
{%- do own.update(plan) -%}
{%- do own.update({
    'groups': [{'name': 'baseline_run', 'label': 'baseline_run'}] + plan.groups,
    'group_names': ['baseline_run'] + plan.group_names,
    'pair_names': ['baseline_run'],
}) -%}
{{ return(own) }}
{% endmacro %}

{#- Where the values of pairs are. -#}
{% macro rm_values_of_pairs(plan) %}
{{ return(plan.stages.each_pair if plan.all_pairs else plan.stages.query_values) }}
{% endmacro %}

{#- The run that a row is compared with: a column, or the only one. -#}
{% macro rm_baseline_column(plan) %}
{%- if plan.all_pairs -%}{{ return(rankmetrics_sql.rm_columns_from('p', plan.pair_names)) }}{%- endif -%}
{{ return([{'name': 'baseline_run', 'sql': rankmetrics_sql.rm_string(plan.baseline)}]) }}
{% endmacro %}

{#- The groups of an effect, without its pair of runs. -#}
{% macro rm_groups_of_pairs(plan) %}
{{ return(plan.group_names | reject('in', plan.pair_names) | list) }}
{% endmacro %}

{#- Stages over the values, of the plan as it was. -#}
{% macro rm_every_pair(plan) %}
{%- if not plan.all_pairs -%}{{ return([]) }}{%- endif -%}
{%- set sides = [] -%}
{%- set runs = plan.names_of_pairs -%}
{%- for first in runs -%}
    {%- set baseline = rankmetrics_sql.rm_string(first) -%}
    {%- for run in runs[loop.index0:] if runs[loop.index0:] | length > 1 -%}
        {%- set side = plan.baseline if run == first else run -%}
        {%- do sides.append(
            'SELECT ' ~ baseline ~ ' AS baseline_run, ' ~ rankmetrics_sql.rm_string(run) ~ ' AS run_name, '
            ~ rankmetrics_sql.rm_string(side) ~ ' AS side'
        ) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set names = rankmetrics_sql.rm_value_names(plan) | reject('equalto', 'run_id') | list -%}
{%- set each_pair %}
    SELECT
        s.side AS run_id,
        s.baseline_run,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', names)) }}
    FROM {{ plan.stages.query_values }} AS v
    INNER JOIN {{ plan.stages.sides }} AS s ON s.run_name = {{ rankmetrics_sql.rm_text_of_name(plan, 'v.run_id') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(plan.stages.sides, sides | join('\n    UNION ALL '), 'both runs of each pair of runs'),
    rankmetrics_sql.rm_cte(plan.stages.each_pair, each_pair, 'the values of each pair of runs'),
]) }}
{% endmacro %}
