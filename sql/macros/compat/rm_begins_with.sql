{#- Whether a text begins with another one; every text begins with an empty one. -#}
{% macro rm_begins_with(text, begin) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine in ['duckdb', 'postgres', 'bigquery', 'trino', 'datafusion'] -%}
    {{ return('STARTS_WITH(' ~ text ~ ', ' ~ begin ~ ')') }}
{%- elif engine in ['snowflake', 'spark'] -%}
    {{ return('STARTSWITH(' ~ text ~ ', ' ~ begin ~ ')') }}
{%- elif engine == 'clickhouse' -%}
    {{ return('startsWith(' ~ text ~ ', ' ~ begin ~ ')') }}
{%- elif engine == 'sqlite' -%}
    {{ return('SUBSTR(' ~ text ~ ', 1, LENGTH(' ~ begin ~ ')) = ' ~ begin) }}
{%- elif engine == 'mysql' -%}
    {{ return('LEFT(' ~ text ~ ', CHAR_LENGTH(' ~ begin ~ ')) = ' ~ begin) }}
{%- endif -%}
{{ return('LEFT(' ~ text ~ ', LEN(' ~ begin ~ ')) = ' ~ begin) }}
{% endmacro %}
