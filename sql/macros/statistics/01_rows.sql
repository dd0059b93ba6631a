{#- Results with a row per query, or per item of a query, under the user's names. -#}

{#- The columns that say what a row is about: run, query, groups. -#}
{% macro rm_named_keys(plan, with_query=true, alias='') %}
{%- set dot = alias ~ '.' if alias else '' -%}
{%- set keys = (['run_id'] if plan.multi else []) + (plan.query_keys if with_query else []) -%}
{%- set labels = (['run_id'] if plan.multi else []) + (plan.query_labels if with_query else []) -%}
{#- A column of the query that is a group too, such as the judge, stands there once. -#}
{%- for group in plan.groups if not (with_query and group.label in plan.query_labels) -%}
    {%- do keys.append(group.name) -%}
    {%- do labels.append(group.label) -%}
{%- endfor -%}
{%- set columns = [] -%}
{%- for key in keys -%}
    {%- set label = labels[loop.index0] -%}
    {%- if key != label -%}
        {%- do columns.append({'name': label, 'sql': dot ~ key}) -%}
    {%- else -%}
        {%- do columns.extend(rankmetrics_sql.rm_columns_from(alias, [key]) if alias else [key]) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- Of one ranking or several, whose values stand side by side; of values that were stored there is none. -#}
{% macro rm_select_per_query(plan, passes=[]) %}
{%- set columns = rankmetrics_sql.rm_named_keys(plan) + plan.metrics | map(attribute='column') | list
    + rankmetrics_sql.rm_predicted_columns(plan, plan.metrics) -%}
{%- set select -%}
{%- if rankmetrics_sql.rm_ends_with_rows(plan) -%}
{{ rankmetrics_sql.rm_values_of_queries(
    passes[0], 0, [] if plan.at_once else rankmetrics_sql.rm_facts(passes[0]).marks
) }}
{%- else -%}
{{ rankmetrics_sql.rm_select(columns + plan.fault_names, 0) }}
FROM {{ passes[0].stages.per_query if passes | length == 1 else plan.stages.per_query }}
{%- endif %}
ORDER BY {{ rankmetrics_sql.rm_ascending(plan.result_keys) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- Several passes side by side again: a row per query that one of them scores. -#}
{% macro rm_side_by_side(plan, passes) %}
{%- if passes | length == 1 -%}{{ return([]) }}{%- endif -%}
{%- set keys = plan.row_keys + plan.group_names -%}
{%- set names = plan.metrics | map(attribute='column') | list
    + rankmetrics_sql.rm_predicted_columns(plan, plan.metrics) -%}
{%- set selects = [] -%}
{%- for pass in passes -%}
    {%- set own = pass.metrics | map(attribute='column') | list
        + rankmetrics_sql.rm_predicted_columns(plan, pass.metrics) -%}
    {%- set columns = keys | list -%}
    {%- for name in names -%}
        {%- do columns.extend([name] if name in own else rankmetrics_sql.rm_unknown([name])) -%}
    {%- endfor -%}
    {%- set lines = rankmetrics_sql.rm_lines(columns + plan.fault_names) -%}
    {%- do selects.append('SELECT\n        ' ~ lines ~ '\n    FROM ' ~ pass.stages.per_query) -%}
{%- endfor -%}
{%- set merged %}
    {{ rankmetrics_sql.rm_select(keys + rankmetrics_sql.rm_each('MAX(', names + plan.fault_names)) }}
    FROM {{ plan.stages.passes }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        plan.stages.passes, selects | join('\n    UNION ALL\n    '),
        'the values of each ranking, stacked'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.per_query, merged,
        'the values of all rankings side by side, one row per query'
    ),
]) }}
{% endmacro %}

{#- The rows that metrics aggregate: of each query its truth, of each judged item of its list the columns in use. -#}
{% macro rm_select_judged(plan, passes) %}
{%- if passes | length > 1 -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: metrics: the rows of judged are of one ranking; ask for metrics with the same options.'
    ) }}
{%- endif -%}
{%- set pass = passes[0] -%}
{%- set names = rankmetrics_sql.rm_facts(pass).names
    + rankmetrics_sql.rm_judged_columns(pass) | map(attribute='name') | list -%}
{%- set of_a_query = rankmetrics_sql.rm_of_a_query(plan) -%}
{%- set select -%}
{{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_named_keys(plan) + names, 0) }}
FROM {{ pass.stages.rows }}
WHERE {{ of_a_query }} AND (rnk IS NOT NULL OR n_listed = 0){{ ' AND is_query = 1' if pass.marks_queries }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
