{% macro rm_log2(number) %}
{{ return(adapter.dispatch('rm_log2', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{#- LOG2 of a double is missing or of another type in several engines. -#}
{% macro default__rm_log2(number) %}
{{ return('(LN(' ~ number ~ ') / LN(CAST(2 AS ' ~ rankmetrics_sql.rm_double_type() ~ ')))') }}
{% endmacro %}

{% macro duckdb__rm_log2(number) %}
{{ return('LOG2(' ~ number ~ ')') }}
{% endmacro %}
