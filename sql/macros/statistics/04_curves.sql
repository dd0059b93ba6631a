{#- Curves as long tables, one row per point: a metric along one of its parameters, or the points of each list. -#}

{#- The points of a metric along a parameter, query by query. -#}
{% macro rm_select_curve_per_query(plan) %}
{%- set columns = rankmetrics_sql.rm_named_keys(plan) + ['x', {'name': 'y', 'sql': 'value'}] -%}
{%- set select -%}
{{ rankmetrics_sql.rm_select(columns + plan.fault_names, 0) }}
FROM {{ plan.stages.query_values }}
ORDER BY {{ rankmetrics_sql.rm_ascending(plan.result_keys, plan.group_names, ['metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The points that each list has of its own: what the metric's macro says of the judged rows, as {x, y, condition}. -#}
{% macro rm_select_points(pass) %}
{%- set plan = pass.plan -%}
{%- set points = rankmetrics_sql.rm_metric_points(pass.metrics[0], plan.row_keys) -%}
{%- set columns = rankmetrics_sql.rm_named_keys(plan)
    + [{'name': 'x', 'sql': points.x}, {'name': 'y', 'sql': points.y}] -%}
{%- set of_a_query = rankmetrics_sql.rm_of_a_query(plan) -%}
{%- set alone = ' AND most_at_place = 1' if rankmetrics_sql.rm_marks_shared_places(plan) -%}
{%- set select -%}
{{ rankmetrics_sql.rm_select(columns, 0) }}
FROM {{ pass.stages.rows }}
WHERE {{ of_a_query }} AND {{ points.condition }}{{ ' AND is_query = 1' if pass.marks_queries }}{{ alone }}
ORDER BY {{ rankmetrics_sql.rm_ascending(plan.result_keys, [], ['rnk']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
