{#-
The first day of the day, week or month that a time is in: a date, for a moment, a date, or a time of UTC that says no
zone. None where the engine is not known to have it.
-#}
{% macro rm_period(time, period, zone) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {%- set local = 'TO_TIMESTAMP(EPOCH(' ~ time ~ ')) AT TIME ZONE ' ~ rankmetrics_sql.rm_string(zone) -%}
    {{ return("CAST(DATE_TRUNC('" ~ period ~ "', " ~ local ~ ') AS DATE)') }}
{%- elif engine == 'postgres' -%}
    {%- set local = 'TO_TIMESTAMP(EXTRACT(EPOCH FROM ' ~ time ~ ')) AT TIME ZONE ' ~ rankmetrics_sql.rm_string(zone) -%}
    {{ return("CAST(DATE_TRUNC('" ~ period ~ "', " ~ local ~ ') AS DATE)') }}
{%- elif engine == 'redshift' -%}
    {#- Its TO_TIMESTAMP takes text only. -#}
    {%- set moment = "TIMESTAMP 'epoch' + EXTRACT(EPOCH FROM " ~ time ~ ") * INTERVAL '1 second'" -%}
    {%- set local = "CONVERT_TIMEZONE('UTC', " ~ rankmetrics_sql.rm_string(zone) ~ ', ' ~ moment ~ ')' -%}
    {{ return("CAST(DATE_TRUNC('" ~ period ~ "', " ~ local ~ ') AS DATE)') }}
{%- elif engine == 'snowflake' -%}
    {#- What day a week begins with is a setting of the session, unless the days are numbered as ISO does. -#}
    {%- set moment = 'TO_TIMESTAMP_NTZ(DATE_PART(EPOCH_SECOND, ' ~ time ~ '))' -%}
    {%- set local = "CONVERT_TIMEZONE('UTC', " ~ rankmetrics_sql.rm_string(zone) ~ ', ' ~ moment ~ ')' -%}
    {%- set day = 'CAST(' ~ local ~ ' AS DATE)' -%}
    {{ return({
        'day': day,
        'week': 'DATEADD(DAY, 1 - DAYOFWEEKISO(' ~ day ~ '), ' ~ day ~ ')',
        'month': "DATE_TRUNC('MONTH', " ~ day ~ ')',
    }[period]) }}
{%- elif engine == 'bigquery' -%}
    {%- set day = 'DATE(CAST(' ~ time ~ ' AS TIMESTAMP), ' ~ rankmetrics_sql.rm_string(zone) ~ ')' -%}
    {%- set unit = {'day': none, 'week': 'WEEK(MONDAY)', 'month': 'MONTH'}[period] -%}
    {{ return(day if unit is none else 'DATE_TRUNC(' ~ day ~ ', ' ~ unit ~ ')') }}
{%- elif engine == 'spark' -%}
    {#- Whatever makes a date of a moment there looks at the zone of the session, where an hour may come twice. -#}
    {%- set zone = rankmetrics_sql.rm_string(zone) -%}
    {%- set local_seconds = 'UNIX_SECONDS(FROM_UTC_TIMESTAMP(' ~ time ~ ', ' ~ zone ~ '))' -%}
    {%- set of_moment = 'DATE_FROM_UNIX_DATE(CAST(FLOOR(' ~ local_seconds ~ ' / 86400) AS INT))' -%}
    {%- set of_others = "CAST(CONVERT_TIMEZONE('UTC', " ~ zone ~ ', CAST(' ~ time ~ ' AS TIMESTAMP_NTZ)) AS DATE)' -%}
    {%- set day = 'CASE WHEN TYPEOF(' ~ time ~ ") = 'timestamp' THEN " ~ of_moment ~ ' ELSE ' ~ of_others ~ ' END' -%}
    {{ return(day if period == 'day' else 'TRUNC(' ~ day ~ ", '" ~ period ~ "')") }}
{%- elif engine == 'trino' -%}
    {#- A moment of fractions would be rounded to the next day. -#}
    {%- set local = 'FROM_UNIXTIME(FLOOR(TO_UNIXTIME(' ~ time ~ ')), ' ~ rankmetrics_sql.rm_string(zone) ~ ')' -%}
    {{ return("DATE_TRUNC('" ~ period ~ "', CAST(" ~ local ~ ' AS DATE))') }}
{%- elif engine == 'clickhouse' -%}
    {%- set day = 'toDate(' ~ time ~ ', ' ~ rankmetrics_sql.rm_string(zone) ~ ')' -%}
    {{ return({'day': day, 'week': 'toMonday(' ~ day ~ ')', 'month': 'toStartOfMonth(' ~ day ~ ')'}[period]) }}
{%- elif engine == 'mysql' -%}
    {#- CONVERT_TZ knows zones only where their tables were filled, and is NULL elsewhere. -#}
    {%- set days = {
        'day': none, 'week': 'WEEKDAY(' ~ time ~ ')', 'month': '(DAYOFMONTH(' ~ time ~ ') - 1)',
    }[period] -%}
    {{ return('DATE(' ~ time ~ ')' ~ ('' if days is none else ' - INTERVAL ' ~ days ~ ' DAY')) }}
{%- elif engine == 'sqlite' -%}
    {%- set change = {'day': '', 'week': ", 'weekday 0', '-6 days'", 'month': ", 'start of month'"}[period] -%}
    {{ return('DATE(' ~ time ~ change ~ ')') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}
