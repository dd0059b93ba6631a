{#- The moment that so many microseconds after 1970 are. -#}
{% macro rm_moment_of_microseconds(number) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {{ return('MAKE_TIMESTAMP(' ~ number ~ ')') }}
{%- elif engine == 'postgres' -%}
    {{ return('TO_TIMESTAMP(' ~ number ~ ' / 1e6)') }}
{%- elif engine == 'redshift' -%}
    {{ return("TIMESTAMP 'epoch' + " ~ number ~ " / 1e6 * INTERVAL '1 second'") }}
{%- elif engine == 'snowflake' -%}
    {{ return('TO_TIMESTAMP(' ~ number ~ ', 6)') }}
{%- elif engine == 'trino' -%}
    {#- A number of seconds would be rounded to milliseconds. -#}
    {{ return('FROM_UNIXTIME_NANOS(' ~ number ~ ' * 1000)') }}
{%- elif engine == 'clickhouse' -%}
    {{ return('fromUnixTimestamp64Micro(' ~ number ~ ')') }}
{%- elif engine == 'mysql' -%}
    {{ return("TIMESTAMPADD(MICROSECOND, " ~ number ~ ", TIMESTAMP '1970-01-01 00:00:00')") }}
{%- elif engine == 'sqlite' -%}
    {#- Text, of milliseconds. -#}
    {{ return("STRFTIME('%Y-%m-%d %H:%M:%f', " ~ number ~ " / 1e6, 'unixepoch')") }}
{%- elif engine == 'datafusion' -%}
    {{ return('TO_TIMESTAMP_MICROS(' ~ number ~ ')') }}
{%- endif -%}
{{ return('TIMESTAMP_MICROS(' ~ number ~ ')') }}
{% endmacro %}
