{#- A number rounded to 32 bits, as trec_eval 9 reads scores. -#}
{% macro rm_as_float32(number) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'spark' -%}
    {{ return('CAST(' ~ number ~ ' AS FLOAT)') }}
{%- elif engine == 'clickhouse' -%}
    {{ return('CAST(' ~ number ~ ' AS Nullable(Float32))') }}
{%- endif -%}
{{ return('CAST(' ~ number ~ ' AS REAL)') }}
{% endmacro %}

{#- The name of an engine that has no floats but those of 64 bits; none of others. -#}
{% macro rm_engine_without_float32() %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'snowflake' -%}
    {{ return('Snowflake') }}
{%- elif engine == 'bigquery' -%}
    {{ return('BigQuery') }}
{%- elif engine == 'sqlite' -%}
    {{ return('SQLite') }}
{%- elif engine == 'vertica' -%}
    {{ return('Vertica') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}
