{#- The seconds from one timestamp to another. -#}
{% macro rm_seconds_between(begin, end) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {{ return('EPOCH(' ~ end ~ ') - EPOCH(' ~ begin ~ ')') }}
{%- elif engine == 'postgres' -%}
    {{ return('EXTRACT(EPOCH FROM ' ~ end ~ ') - EXTRACT(EPOCH FROM ' ~ begin ~ ')') }}
{%- elif engine == 'bigquery' -%}
    {{ return('TIMESTAMP_DIFF(' ~ end ~ ', ' ~ begin ~ ', MICROSECOND) / 1e6') }}
{%- elif engine == 'spark' -%}
    {{ return('CAST(' ~ end ~ ' AS DOUBLE) - CAST(' ~ begin ~ ' AS DOUBLE)') }}
{%- elif engine == 'trino' -%}
    {{ return('TO_UNIXTIME(' ~ end ~ ') - TO_UNIXTIME(' ~ begin ~ ')') }}
{%- elif engine == 'clickhouse' -%}
    {{ return("dateDiff('microsecond', " ~ begin ~ ', ' ~ end ~ ') / 1e6') }}
{%- elif engine == 'mysql' -%}
    {{ return('TIMESTAMPDIFF(MICROSECOND, ' ~ begin ~ ', ' ~ end ~ ') / 1e6') }}
{%- elif engine == 'sqlite' -%}
    {#- Days as doubles, which are exact to a twentieth of a millisecond. -#}
    {{ return('ROUND((JULIANDAY(' ~ end ~ ') - JULIANDAY(' ~ begin ~ ')) * 86400, 3)') }}
{%- elif engine == 'datafusion' -%}
    {{ return("DATE_PART('epoch', " ~ end ~ ") - DATE_PART('epoch', " ~ begin ~ ')') }}
{%- endif -%}
{{ return('DATEDIFF(MICROSECOND, ' ~ begin ~ ', ' ~ end ~ ') / 1e6') }}
{% endmacro %}
