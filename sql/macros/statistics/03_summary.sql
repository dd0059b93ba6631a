{#- summary: a row per metric, run and group. -#}

{% macro rm_select_summary(plan, counts) %}
{%- set run = ['run_id'] if plan.multi else [] -%}
{%- set columns = rankmetrics_sql.rm_named_keys(plan, false) + rankmetrics_sql.rm_kept('m', ['metric'])
    + [{'name': 'metric_value', 'sql': rankmetrics_sql.rm_pick(plan, '_total')}]
    + [rankmetrics_sql.rm_pick_queries(plan, counts)] -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns + plan.fault_names, 4) }}
FROM {{ plan.stages.totals }}
CROSS JOIN {{ plan.stages.metrics }} AS m
ORDER BY {{ rankmetrics_sql.rm_ascending(run, plan.group_names, ['m.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
