{#-
A column as it is added up over queries: in one order, where the engine's threads would bring them in any, so that the
last digit stays.
-#}
{% macro rm_in_order(column, order) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {{ return(column ~ ' ORDER BY ' ~ rankmetrics_sql.rm_ascending([order])) }}
{%- endif -%}
{#- Engines that add up in an order of their own, or have no ORDER BY in an aggregate. -#}
{{ return(column) }}
{% endmacro %}
