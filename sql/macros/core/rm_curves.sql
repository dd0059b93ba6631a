{#- Curves as long tables, one row per point: a metric along one of its parameters, or the points of each list. -#}

{#- The points of a metric along a parameter: its columns turned into rows, beside the value of the parameter. -#}
{% macro rm_select_curve(plan) %}
{%- set per_query = plan.level == 'curve_per_query' -%}
{%- set columns = ['run_id'] if plan.multi else [] -%}
{%- set sorted = plan.row_keys | list if per_query else columns | list -%}
{%- if per_query -%}{%- do columns.extend(rankmetrics_sql.rm_named_queries(plan)) -%}{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_named_groups(plan) + ['m.x', rankmetrics_sql.rm_pick(plan, '' if per_query else '_total') ~ ' AS y']) -%}
{%- if not per_query -%}{%- do columns.append(rankmetrics_sql.rm_pick_queries(plan)) -%}{%- endif -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns + plan.fault_names, 4) }}
FROM {{ 'rankmetrics_per_query' if per_query else 'rankmetrics_totals' }}
CROSS JOIN rankmetrics_metrics AS m
ORDER BY {{ rankmetrics_sql.rm_ascending(sorted, plan.group_names, ['m.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The points that each list has of its own: what the metric's macro says of the judged rows, as {x, y, condition}. -#}
{% macro rm_select_points(plan) %}
{%- set pass = plan.passes[0] -%}
{%- set points = rankmetrics_sql.rm_metric_points(pass.metrics[0], plan.row_keys) -%}
{%- set columns = (['run_id'] if plan.multi else []) + rankmetrics_sql.rm_named_queries(plan) + rankmetrics_sql.rm_named_groups(plan) -%}
{%- do columns.extend([points.x ~ ' AS x', points.y ~ ' AS y']) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM rankmetrics_rows
WHERE {{ rankmetrics_sql.rm_of_a_query(plan) }} AND {{ points.condition }}{{ ' AND is_query = 1' if pass.queries_marked }}
ORDER BY {{ rankmetrics_sql.rm_ascending(plan.row_keys, [], ['rnk']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
