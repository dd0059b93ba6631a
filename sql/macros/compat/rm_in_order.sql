{#-
A column as it is added up over queries: in one order, where the engine's threads would bring them in any, so that the
last digit stays.
-#}
{% macro rm_in_order(column, order) %}
{{ return(adapter.dispatch('rm_in_order', 'rankmetrics_sql')(column, order)) }}
{% endmacro %}

{#- Engines that add up in an order of their own, or have no ORDER BY in an aggregate. -#}
{% macro default__rm_in_order(column, order) %}
{{ return(column) }}
{% endmacro %}

{% macro duckdb__rm_in_order(column, order) %}
{{ return(column ~ ' ORDER BY ' ~ rankmetrics_sql.rm_ascending([order])) }}
{% endmacro %}
