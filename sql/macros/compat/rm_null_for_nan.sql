{#- A number, or NULL where it is NaN, so that both are ordered alike; the number itself where no double is NaN. -#}
{% macro rm_null_for_nan(number) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine in ['duckdb', 'snowflake', 'spark'] -%}
    {#- NaN equals itself here. -#}
    {{ return('NULLIF(' ~ number ~ ", CAST('NaN' AS DOUBLE))") }}
{%- elif engine in ['postgres', 'redshift'] -%}
    {{ return('NULLIF(' ~ number ~ ", CAST('NaN' AS DOUBLE PRECISION))") }}
{%- elif engine in ['bigquery', 'trino', 'clickhouse', 'vertica'] -%}
    {#- And here nothing equals it. -#}
    {{ return('CASE WHEN ' ~ number ~ ' = ' ~ number ~ ' THEN ' ~ number ~ ' END') }}
{%- endif -%}
{{ return(number) }}
{% endmacro %}
