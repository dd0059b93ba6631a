{#- The value at a path in a JSON column, as text; the path is a list of names. -#}
{% macro rm_json_text(column, path) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {#- A structure or a map can be read as JSON too. -#}
    {{ return('(CAST(' ~ column ~ " AS JSON) ->> '$." ~ path | join('.') ~ "')") }}
{%- elif engine == 'postgres' -%}
    {%- set names = [] -%}
    {%- for name in path -%}{%- do names.append(rankmetrics_sql.rm_string(name)) -%}{%- endfor -%}
    {%- set inside = ['CAST(' ~ column ~ ' AS JSONB)'] + names[:-1] -%}
    {{ return('(' ~ inside | join(' -> ') ~ ' ->> ' ~ names[-1] ~ ')') }}
{%- elif engine == 'redshift' -%}
    {{ return('CAST(' ~ column ~ '.' ~ path | join('.') ~ ' AS VARCHAR(65535))') }}
{%- elif engine == 'snowflake' -%}
    {{ return(column ~ ':' ~ path | join('.') ~ '::VARCHAR') }}
{%- elif engine in ['bigquery', 'mysql'] -%}
    {#- JSON_UNQUOTE would make a text of a null. -#}
    {{ return('JSON_VALUE(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{%- elif engine == 'spark' -%}
    {{ return('GET_JSON_OBJECT(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{%- elif engine == 'clickhouse' -%}
    {#- What is not there is an empty text to the function. -#}
    {%- set names = [] -%}
    {%- for name in path -%}{%- do names.append(rankmetrics_sql.rm_string(name)) -%}{%- endfor -%}
    {{ return("nullIf(JSONExtractString(" ~ column ~ ', ' ~ names | join(', ') ~ "), '')") }}
{%- elif engine == 'sqlite' -%}
    {{ return('JSON_EXTRACT(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{%- endif -%}
{{ return('JSON_EXTRACT_SCALAR(' ~ column ~ ", '$." ~ path | join('.') ~ "')") }}
{% endmacro %}
