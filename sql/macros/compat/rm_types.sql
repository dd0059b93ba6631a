{#- The types and functions whose spelling differs between engines. -#}
{% macro rm_double_type() %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine in ['postgres', 'redshift', 'vertica'] -%}
    {{ return('DOUBLE PRECISION') }}
{%- elif engine == 'bigquery' -%}
    {{ return('FLOAT64') }}
{%- elif engine == 'clickhouse' -%}
    {#- A bare Float64 takes no NULL here, and a row that a join does not find has 0. -#}
    {{ return('Nullable(Float64)') }}
{%- endif -%}
{{ return('DOUBLE') }}
{% endmacro %}

{% macro rm_text_type() %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'redshift' -%}
    {#- A cast to a bare VARCHAR cuts texts off at 256 bytes here. -#}
    {{ return('VARCHAR(65535)') }}
{%- elif engine in ['bigquery', 'spark'] -%}
    {{ return('STRING') }}
{%- elif engine == 'clickhouse' -%}
    {{ return('Nullable(String)') }}
{%- elif engine == 'mysql' -%}
    {{ return('CHAR') }}
{%- elif engine == 'vertica' -%}
    {#- And at 80 bytes here. -#}
    {{ return('VARCHAR(65000)') }}
{%- endif -%}
{{ return('VARCHAR') }}
{% endmacro %}

{% macro rm_integer_type() %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'bigquery' -%}
    {{ return('INT64') }}
{%- elif engine == 'clickhouse' -%}
    {{ return('Nullable(Int64)') }}
{%- elif engine == 'mysql' -%}
    {{ return('SIGNED') }}
{%- endif -%}
{{ return('INTEGER') }}
{% endmacro %}

{#- Whole numbers up to 2 to the 63rd. -#}
{% macro rm_bigint_type() %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'bigquery' -%}
    {{ return('INT64') }}
{%- elif engine == 'clickhouse' -%}
    {{ return('Nullable(Int64)') }}
{%- elif engine == 'mysql' -%}
    {{ return('SIGNED') }}
{%- endif -%}
{{ return('BIGINT') }}
{% endmacro %}

{#- A column that is NULL in the rows that a join does not find. -#}
{% macro rm_nullable(column) %}
{%- if rankmetrics_sql.rm_engine() == 'clickhouse' -%}
    {#- Else it has an empty text there. -#}
    {{ return('toNullable(' ~ column ~ ')') }}
{%- endif -%}
{{ return(column) }}
{% endmacro %}

{#- Texts put together. -#}
{% macro rm_concatenated(texts) %}
{%- if rankmetrics_sql.rm_engine() == 'mysql' -%}
    {#- Where || is OR. -#}
    {{ return('CONCAT(' ~ texts | join(', ') ~ ')') }}
{%- endif -%}
{{ return(texts | join(' || ')) }}
{% endmacro %}
