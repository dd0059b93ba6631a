{#- summary: a row per metric, run and group; or, of a curve, per point of it. -#}

{#- Without runs and groups there is a row for each metric even where there is no query. -#}
{% macro rm_select_summary(plan) %}
{%- set keys = (['run_id'] if plan.multi else []) + plan.group_names -%}
{%- set named = rankmetrics_sql.rm_named_by(plan) -%}
{%- set m = 'v' if keys else 'm' -%}
{%- set all_queries = 'COUNT(*)' if keys else 'COUNT(CASE WHEN v.metric_number = m.metric_number THEN 1 END)' -%}
{%- set totals = [] -%}
{%- set counts = [] -%}
{%- for metric in plan.metrics -%}
    {%- do totals.append(rankmetrics_sql.rm_total(plan, metric)) -%}
    {%- do counts.append('COUNT(v.value)' if metric.skips else all_queries) -%}
{%- endfor -%}
{%- set value = 'value' if named == 'metric' else 'y' -%}
{%- set columns = rankmetrics_sql.rm_named_keys(plan, false, 'v') + rankmetrics_sql.rm_kept(m, [named])
    + [{'name': value, 'sql': rankmetrics_sql.rm_by_metric(m, totals)}]
    + [{'name': 'n_queries', 'sql': rankmetrics_sql.rm_by_metric(m, counts)}]
    + rankmetrics_sql.rm_each('SUM(v.', plan.fault_names) -%}
{%- set grouped = rankmetrics_sql.rm_qualified('v', keys)
    + rankmetrics_sql.rm_qualified(m, ['metric_number', named]) -%}
{%- set run = ['v.run_id'] if plan.multi else [] -%}
{%- set groups = rankmetrics_sql.rm_qualified('v', plan.group_names) -%}
{%- set ranked = rankmetrics_sql.rm_has_medians(plan) -%}
{%- set values = (plan.stages.numbered if ranked else plan.stages.query_values) ~ ' AS v' -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
{%- if keys %}
FROM {{ values }}
{%- else %}
FROM {{ plan.stages.metrics }} AS m
LEFT JOIN {{ values }} ON v.metric_number = m.metric_number
{%- endif %}
GROUP BY {{ grouped | join(', ') }}
ORDER BY {{ rankmetrics_sql.rm_ascending(run, groups, [m ~ '.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The values of a metric, v, brought together over the queries as it declares. -#}
{% macro rm_total(plan, metric) %}
{%- if metric.aggregate == 'median' -%}
    {{ return('AVG(CASE WHEN 2 * v.value_number BETWEEN v.n_values AND v.n_values + 2 THEN v.value END)') }}
{%- elif metric.aggregate == 'parts' -%}
    {%- set parts = [] -%}
    {%- for part in rankmetrics_sql.rm_parts(plan, metric) -%}
        {%- do parts.append('v.part_' ~ loop.index) -%}
    {%- endfor -%}
    {{ return(rankmetrics_sql.rm_metric_total(metric, 'v.value', parts)) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_aggregated(metric.aggregate, 'v.value')) }}
{% endmacro %}

{#-
A column over the queries of a group, added up from its least value on, or in another order. The geometric mean takes
0.00001 for anything less (trec_eval).
-#}
{% macro rm_aggregated(aggregate, column, order=none) %}
{%- set order = column if order is none else order -%}
{%- if aggregate == 'geometric' -%}
    {%- set least = rankmetrics_sql.rm_number('1e-5') -%}
    {%- set logarithm = 'LN(CASE WHEN ' ~ column ~ ' < ' ~ least ~ ' THEN ' ~ least ~ ' ELSE ' ~ column ~ ' END)' -%}
    {{ return('EXP(AVG(' ~ rankmetrics_sql.rm_in_order(logarithm, order) ~ '))') }}
{%- elif aggregate in ['mean', 'sum'] -%}
    {{ return(('AVG(' if aggregate == 'mean' else 'SUM(') ~ rankmetrics_sql.rm_in_order(column, order) ~ ')') }}
{%- endif -%}
{{ return(aggregate | upper ~ '(' ~ column ~ ')') }}
{% endmacro %}

{% macro rm_has_medians(plan) %}
{{ return('median' in plan.metrics | map(attribute='aggregate') | list) }}
{% endmacro %}

{#- numbered: the values by their size, to find those in the middle; not every engine has a median. -#}
{% macro rm_numbered(plan) %}
{%- if not rankmetrics_sql.rm_has_medians(plan) -%}{{ return([]) }}{%- endif -%}
{%- set keys = (['run_id'] if plan.multi else []) + plan.group_names + ['metric_number'] -%}
{%- set numbered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_value_names(plan)) }},
        ROW_NUMBER() OVER (PARTITION BY {{ keys | join(', ') }} ORDER BY value DESC NULLS LAST) AS value_number,
        COUNT(value) OVER (PARTITION BY {{ keys | join(', ') }}) AS n_values
    FROM {{ plan.stages.query_values }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(plan.stages.numbered, numbered)]) }}
{% endmacro %}
