{#- The seconds from one timestamp to another. -#}
{% macro rm_seconds_between(begin, end) %}
{{ return(adapter.dispatch('rm_seconds_between', 'rankmetrics_sql')(begin, end)) }}
{% endmacro %}

{% macro default__rm_seconds_between(begin, end) %}
{{ return('DATEDIFF(MICROSECOND, ' ~ begin ~ ', ' ~ end ~ ') / 1e6') }}
{% endmacro %}

{% macro duckdb__rm_seconds_between(begin, end) %}
{{ return('EPOCH(' ~ end ~ ') - EPOCH(' ~ begin ~ ')') }}
{% endmacro %}

{% macro postgres__rm_seconds_between(begin, end) %}
{{ return('EXTRACT(EPOCH FROM ' ~ end ~ ') - EXTRACT(EPOCH FROM ' ~ begin ~ ')') }}
{% endmacro %}

{% macro redshift__rm_seconds_between(begin, end) %}
{{ return('DATEDIFF(MICROSECOND, ' ~ begin ~ ', ' ~ end ~ ') / 1e6') }}
{% endmacro %}

{% macro bigquery__rm_seconds_between(begin, end) %}
{{ return('TIMESTAMP_DIFF(' ~ end ~ ', ' ~ begin ~ ', MICROSECOND) / 1e6') }}
{% endmacro %}

{% macro spark__rm_seconds_between(begin, end) %}
{{ return('CAST(' ~ end ~ ' AS DOUBLE) - CAST(' ~ begin ~ ' AS DOUBLE)') }}
{% endmacro %}

{% macro clickhouse__rm_seconds_between(begin, end) %}
{{ return("dateDiff('microsecond', " ~ begin ~ ', ' ~ end ~ ') / 1e6') }}
{% endmacro %}

{% macro trino__rm_seconds_between(begin, end) %}
{{ return('TO_UNIXTIME(' ~ end ~ ') - TO_UNIXTIME(' ~ begin ~ ')') }}
{% endmacro %}

{#- Days as doubles, which are exact to a twentieth of a millisecond. -#}
{% macro sqlite__rm_seconds_between(begin, end) %}
{{ return('ROUND((JULIANDAY(' ~ end ~ ') - JULIANDAY(' ~ begin ~ ')) * 86400, 3)') }}
{% endmacro %}

{% macro mysql__rm_seconds_between(begin, end) %}
{{ return('TIMESTAMPDIFF(MICROSECOND, ' ~ begin ~ ', ' ~ end ~ ') / 1e6') }}
{% endmacro %}

{% macro datafusion__rm_seconds_between(begin, end) %}
{{ return("DATE_PART('epoch', " ~ end ~ ") - DATE_PART('epoch', " ~ begin ~ ')') }}
{% endmacro %}
