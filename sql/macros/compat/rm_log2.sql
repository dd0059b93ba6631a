{% macro rm_log2(number) %}
{{ return(adapter.dispatch('rm_log2', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{#- LOG2 of a double is missing or of another type in several engines. -#}
{% macro default__rm_log2(number) %}
{{ return('(LN(' ~ number ~ ') / LN(CAST(2 AS ' ~ rankmetrics_sql.rm_double_type() ~ ')))') }}
{% endmacro %}

{#- LN of a whole number is a double. -#}
{% macro postgres__rm_log2(number) %}
{{ return('(LN(' ~ number ~ ') / LN(2))') }}
{% endmacro %}

{#- Redshift's adapter would take PostgreSQL's. -#}
{% macro redshift__rm_log2(number) %}
{{ return(rankmetrics_sql.default__rm_log2(number)) }}
{% endmacro %}

{% macro duckdb__rm_log2(number) %}
{{ return('LOG2(' ~ number ~ ')') }}
{% endmacro %}
