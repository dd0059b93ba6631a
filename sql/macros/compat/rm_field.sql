{#- A field of a structure that is an element of a list, see rm_elements. -#}
{% macro rm_field(element, name) %}
{{ return(adapter.dispatch('rm_field', 'rankmetrics_sql')(element, name)) }}
{% endmacro %}

{% macro default__rm_field(element, name) %}
{{ return(element ~ '.' ~ name) }}
{% endmacro %}

{#- A structure is a VARIANT here. -#}
{% macro snowflake__rm_field(element, name) %}
{{ return('u.value:' ~ name ~ '::VARCHAR') }}
{% endmacro %}

{#- And a SUPER here. -#}
{% macro redshift__rm_field(element, name) %}
{{ return('CAST(element.' ~ name ~ ' AS VARCHAR(65535))') }}
{% endmacro %}

{#- And JSON in these. -#}
{% macro sqlite__rm_field(element, name) %}
{{ return('JSON_EXTRACT(' ~ element ~ ", '$." ~ name ~ "')") }}
{% endmacro %}

{% macro mysql__rm_field(element, name) %}
{{ return('JSON_UNQUOTE(JSON_EXTRACT(' ~ element ~ ", '$." ~ name ~ "'))") }}
{% endmacro %}

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

{% macro trino__rm_moment_of_microseconds(number) %}
{{ return('FROM_UNIXTIME(' ~ number ~ ' / 1e6)') }}
{% endmacro %}
