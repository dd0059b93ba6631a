{#- Whether the recursive part of a CTE may have window functions, which look at all rows of a step at once. -#}
{% macro rm_recurses_with_windows() %}
{%- if rankmetrics_sql.rm_engine() in ['duckdb', 'postgres'] -%}
    {{ return(true) }}
{%- endif -%}
{#-
Snowflake, BigQuery, Redshift, MySQL and SQLite refuse them there, SQL Server takes one row at a time, Trino 10 steps.
-#}
{{ return(false) }}
{% endmacro %}
