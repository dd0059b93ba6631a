{#- Whether the recursive part of a CTE may have window functions, which look at all rows of a step at once. -#}
{% macro rm_recurses_with_windows() %}
{{ return(adapter.dispatch('rm_recurses_with_windows', 'rankmetrics_sql')()) }}
{% endmacro %}

{#-
Snowflake, BigQuery, Redshift, MySQL and SQLite refuse them there, SQL Server takes one row at a time, Trino 10 steps.
-#}
{% macro default__rm_recurses_with_windows() %}
{{ return(false) }}
{% endmacro %}

{% macro duckdb__rm_recurses_with_windows() %}
{{ return(true) }}
{% endmacro %}

{% macro postgres__rm_recurses_with_windows() %}
{{ return(true) }}
{% endmacro %}

{#- dbt falls back from Redshift to PostgreSQL. -#}
{% macro redshift__rm_recurses_with_windows() %}
{{ return(false) }}
{% endmacro %}
