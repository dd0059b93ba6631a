{% macro rm_log2(number) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {{ return('LOG2(' ~ number ~ ')') }}
{%- elif engine == 'postgres' -%}
    {#- LN of a whole number is a double. -#}
    {{ return('(LN(' ~ number ~ ') / LN(2))') }}
{%- endif -%}
{#- LOG2 of a double is missing or of another type in several engines. -#}
{{ return('(LN(' ~ number ~ ') / LN(CAST(2 AS ' ~ rankmetrics_sql.rm_double_type() ~ ')))') }}
{% endmacro %}
