{#-
The order of the groups of a summary by one of its values, and how many groups it keeps: of each set of groups that it
is broken down by. All runs have the groups of the first in its order, so that their rows can be read side by side.
-#}

{#- The rows of a summary with the places of their groups: the stages, and the last of them. -#}
{% macro rm_arranged(plan, rows) %}
{%- if plan.group_order is none -%}{{ return({'ctes': [], 'stage': rows}) }}{%- endif -%}
{%- set places %}
    SELECT
        g.*,
        DENSE_RANK() OVER (
            {{ rankmetrics_sql.rm_order_of_groups(plan) | indent(12) }}
        ) AS group_place
    FROM {{ plan.stages.beside_order_values }} AS g
{%- endset -%}
{%- set counted = rankmetrics_sql.rm_with_counted_groups(plan) -%}
{{ return({
    'ctes': [
        rankmetrics_sql.rm_cte(
            plan.stages.beside_order_values, rankmetrics_sql.rm_beside_order_values(plan, rows),
            'the summary, with the value that each group is ordered by'
        ),
        rankmetrics_sql.rm_cte(plan.stages.group_places, places, 'the same, with the place of each group'),
    ] + counted,
    'stage': (counted | last).name if counted else plan.stages.group_places,
}) }}
{% endmacro %}

{#- Each row beside the value of its group; one without a query has none, and is among the last. -#}
{% macro rm_beside_order_values(plan, rows) %}
{%- set number, name = plan.group_order.metric_number, plan.runs[0].name -%}
{%- set conditions = [] -%}
{%- if number is not none -%}{%- do conditions.append('g.metric_number = ' ~ number) -%}{%- endif -%}
{%- if plan.multi -%}
    {%- do conditions.append(
        'g.run_number = 1' if name is none else 'g.run_id = ' ~ rankmetrics_sql.rm_string(name)
    ) -%}
{%- endif -%}
{%- set value = 'NULLIF(g.n_queries, 0)' if number is none else 'g.value' -%}
{%- set value = 'CASE WHEN ' ~ conditions | join(' AND ') ~ ' THEN ' ~ value ~ ' END' if conditions else value -%}
{%- set keys = rankmetrics_sql.rm_breakdown_keys(plan)[:1] + plan.group_names -%}
{%- set beside %}
    SELECT
        g.*,
        MAX({{ value }}) OVER (
            PARTITION BY {{ rankmetrics_sql.rm_qualified('g', keys) | join(', ') }}
        ) AS order_value
{%- if plan.multi and name is none %}
    FROM (
        SELECT
            r.*,
            DENSE_RANK() OVER (ORDER BY {{ rankmetrics_sql.rm_ascending(['r.run_id']) }}) AS run_number
        FROM {{ rows }} AS r
    ) AS g
{%- else %}
    FROM {{ rows }} AS g
{%- endif %}
{%- if plan.min_queries is not none %}
    WHERE {{ rankmetrics_sql.rm_is_large(plan, 'g.n_queries', 'g') }}
{%- endif %}
{%- endset -%}
{{ return(beside) }}
{% endmacro %}

{#- What a window numbers the groups g by, within each set of them: those without a value last. -#}
{% macro rm_order_of_groups(plan) %}
{%- set sets = rankmetrics_sql.rm_qualified('g', rankmetrics_sql.rm_breakdown_keys(plan)[:1]) -%}
{%- set order = [
    'CASE WHEN g.order_value IS NULL THEN 1 ELSE 0 END ASC',
    'g.order_value ' ~ ('DESC NULLS LAST' if plan.group_order.descending else 'ASC'),
    rankmetrics_sql.rm_ascending([], rankmetrics_sql.rm_qualified('g', plan.group_names)),
] -%}
{%- set partition = 'PARTITION BY ' ~ sets | join(', ') ~ '\n' if sets else '' -%}
{{ return(partition ~ 'ORDER BY\n    ' ~ order | join(',\n    ')) }}
{% endmacro %}

{#- The column with the number of groups, of each set, for an evaluation to say how many are not shown. -#}
{% macro rm_counted_groups(plan) %}
{%- set limit = none if plan.group_order is none else plan.group_order.limit -%}
{{ return([] if plan.check == 'none' or limit is none else ['n_groups_in_order']) }}
{% endmacro %}

{#- counted_groups: the rows with that column, and with the faults of all groups together. -#}
{% macro rm_with_counted_groups(plan) %}
{%- if not rankmetrics_sql.rm_counted_groups(plan) -%}{{ return([]) }}{%- endif -%}
{%- set sets = rankmetrics_sql.rm_breakdown_keys(plan)[:1] -%}
{%- set of_metric = (['run_id'] if plan.multi else []) + sets + ['metric_number'] -%}
{%- set over = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('g', of_metric) | join(', ') ~ ')' -%}
{%- set partition = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('g', sets) | join(', ') if sets else '' -%}
{%- set columns = [{'name': 'n_groups_in_order', 'sql': 'MAX(g.group_place) OVER (' ~ partition ~ ')'}] -%}
{%- if plan.fault_names -%}
    {%- do columns.append({'name': 'first_place', 'sql': 'MIN(g.group_place) ' ~ over}) -%}
{%- endif -%}
{%- for name in plan.fault_names -%}
    {%- do columns.append({'name': 'all_' ~ name, 'sql': 'SUM(g.' ~ name ~ ') ' ~ over}) -%}
{%- endfor -%}
{%- set counted %}
    SELECT
        g.*,
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ plan.stages.group_places }} AS g
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    plan.stages.counted_groups, counted, 'the same, with what groups that are not kept add to warnings'
)]) }}
{% endmacro %}

{#- The faults of the rows g; where groups are left out, the first row of each metric has those of all groups. -#}
{% macro rm_faults_of_rows(plan) %}
{%- if not rankmetrics_sql.rm_counted_groups(plan) -%}
    {{ return(rankmetrics_sql.rm_columns_from('g', plan.fault_names)) }}
{%- endif -%}
{%- set columns = [] -%}
{%- for name in plan.fault_names -%}
    {%- do columns.append({
        'name': name, 'sql': 'CASE WHEN g.group_place = g.first_place THEN g.all_' ~ name ~ ' ELSE 0 END',
    }) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
