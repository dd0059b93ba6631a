{#- The moment that so many microseconds after 1970 are. -#}
{% macro rm_moment_of_microseconds(number) %}
{{ return(adapter.dispatch('rm_moment_of_microseconds', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{% macro default__rm_moment_of_microseconds(number) %}
{{ return('TIMESTAMP_MICROS(' ~ number ~ ')') }}
{% endmacro %}

{% macro duckdb__rm_moment_of_microseconds(number) %}
{{ return('MAKE_TIMESTAMP(' ~ number ~ ')') }}
{% endmacro %}

{% macro postgres__rm_moment_of_microseconds(number) %}
{{ return('TO_TIMESTAMP(' ~ number ~ ' / 1e6)') }}
{% endmacro %}

{% macro redshift__rm_moment_of_microseconds(number) %}
{{ return("TIMESTAMP 'epoch' + " ~ number ~ " / 1e6 * INTERVAL '1 second'") }}
{% endmacro %}

{% macro snowflake__rm_moment_of_microseconds(number) %}
{{ return('TO_TIMESTAMP(' ~ number ~ ', 6)') }}
{% endmacro %}

{% macro clickhouse__rm_moment_of_microseconds(number) %}
{{ return('fromUnixTimestamp64Micro(' ~ number ~ ')') }}
{% endmacro %}

{#- A number of seconds would be rounded to milliseconds. -#}
{% macro trino__rm_moment_of_microseconds(number) %}
{{ return('FROM_UNIXTIME_NANOS(' ~ number ~ ' * 1000)') }}
{% endmacro %}

{#- Text, of milliseconds. -#}
{% macro sqlite__rm_moment_of_microseconds(number) %}
{{ return("STRFTIME('%Y-%m-%d %H:%M:%f', " ~ number ~ " / 1e6, 'unixepoch')") }}
{% endmacro %}

{% macro mysql__rm_moment_of_microseconds(number) %}
{{ return("TIMESTAMPADD(MICROSECOND, " ~ number ~ ", TIMESTAMP '1970-01-01 00:00:00')") }}
{% endmacro %}

{% macro datafusion__rm_moment_of_microseconds(number) %}
{{ return('TO_TIMESTAMP_MICROS(' ~ number ~ ')') }}
{% endmacro %}
