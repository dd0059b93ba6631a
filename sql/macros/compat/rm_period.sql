{#-
The first day of the day, week or month that a time is in: a date, for a moment, a date, or a time of UTC that says no
zone. None where the engine is not known to have it.
-#}
{% macro rm_period(time, period, zone) %}
{{ return(adapter.dispatch('rm_period', 'rankmetrics_sql')(time, period, zone)) }}
{% endmacro %}

{#- Whether a zone may be another than UTC. -#}
{% macro rm_has_zones() %}
{{ return('/' in (rankmetrics_sql.rm_period('t', 'day', '/') or '')) }}
{% endmacro %}

{% macro default__rm_period(time, period, zone) %}
{{ return(none) }}
{% endmacro %}

{% macro duckdb__rm_period(time, period, zone) %}
{%- set local = 'TO_TIMESTAMP(EPOCH(' ~ time ~ ')) AT TIME ZONE ' ~ rankmetrics_sql.rm_string(zone) -%}
{{ return("CAST(DATE_TRUNC('" ~ period ~ "', " ~ local ~ ') AS DATE)') }}
{% endmacro %}

{% macro postgres__rm_period(time, period, zone) %}
{%- set local = 'TO_TIMESTAMP(EXTRACT(EPOCH FROM ' ~ time ~ ')) AT TIME ZONE ' ~ rankmetrics_sql.rm_string(zone) -%}
{{ return("CAST(DATE_TRUNC('" ~ period ~ "', " ~ local ~ ') AS DATE)') }}
{% endmacro %}

{#- Its TO_TIMESTAMP takes text only. -#}
{% macro redshift__rm_period(time, period, zone) %}
{{ return(none) }}
{% endmacro %}

{% macro sqlite__rm_period(time, period, zone) %}
{%- set change = {'day': '', 'week': ", 'weekday 0', '-6 days'", 'month': ", 'start of month'"}[period] -%}
{{ return('DATE(' ~ time ~ change ~ ')') }}
{% endmacro %}

{% macro clickhouse__rm_period(time, period, zone) %}
{%- set day = 'toDate(' ~ time ~ ', ' ~ rankmetrics_sql.rm_string(zone) ~ ')' -%}
{{ return({'day': day, 'week': 'toMonday(' ~ day ~ ')', 'month': 'toStartOfMonth(' ~ day ~ ')'}[period]) }}
{% endmacro %}

{% macro bigquery__rm_period(time, period, zone) %}
{%- set day = 'DATE(CAST(' ~ time ~ ' AS TIMESTAMP), ' ~ rankmetrics_sql.rm_string(zone) ~ ')' -%}
{%- set unit = {'day': none, 'week': 'WEEK(MONDAY)', 'month': 'MONTH'}[period] -%}
{{ return(day if unit is none else 'DATE_TRUNC(' ~ day ~ ', ' ~ unit ~ ')') }}
{% endmacro %}
