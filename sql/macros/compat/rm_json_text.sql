{#- The value at a path in a JSON column, as text; the path is a list of names. -#}
{% macro rm_json_text(column, path) %}
{{ return(adapter.dispatch('rm_json_text', 'rankmetrics_sql')(column, path)) }}
{% endmacro %}

{% macro default__rm_json_text(column, path) %}
{{ return('JSON_EXTRACT_SCALAR(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{% endmacro %}

{#- A structure or a map can be read as JSON too. -#}
{% macro duckdb__rm_json_text(column, path) %}
{{ return('(CAST(' ~ column ~ " AS JSON) ->> '$." ~ path | join('.') ~ "')") }}
{% endmacro %}

{% macro postgres__rm_json_text(column, path) %}
{%- set names = [] -%}
{%- for name in path -%}{%- do names.append(rankmetrics_sql.rm_string(name)) -%}{%- endfor -%}
{%- set inside = ['CAST(' ~ column ~ ' AS JSONB)'] + names[:-1] -%}
{{ return('(' ~ inside | join(' -> ') ~ ' ->> ' ~ names[-1] ~ ')') }}
{% endmacro %}

{% macro redshift__rm_json_text(column, path) %}
{{ return('CAST(' ~ column ~ '.' ~ path | join('.') ~ ' AS VARCHAR(65535))') }}
{% endmacro %}

{% macro snowflake__rm_json_text(column, path) %}
{{ return(column ~ ':' ~ path | join('.') ~ '::VARCHAR') }}
{% endmacro %}

{% macro bigquery__rm_json_text(column, path) %}
{{ return('JSON_VALUE(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{% endmacro %}

{% macro spark__rm_json_text(column, path) %}
{{ return('GET_JSON_OBJECT(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{% endmacro %}

{#- What is not there is an empty text to the function. -#}
{% macro clickhouse__rm_json_text(column, path) %}
{%- set names = [] -%}
{%- for name in path -%}{%- do names.append(rankmetrics_sql.rm_string(name)) -%}{%- endfor -%}
{{ return("nullIf(JSONExtractString(" ~ column ~ ', ' ~ names | join(', ') ~ "), '')") }}
{% endmacro %}

{% macro sqlite__rm_json_text(column, path) %}
{{ return('JSON_EXTRACT(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{% endmacro %}

{#- JSON_UNQUOTE would make a text of a null. -#}
{% macro mysql__rm_json_text(column, path) %}
{{ return('JSON_VALUE(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{% endmacro %}
