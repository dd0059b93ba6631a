{#- The value at a path in a JSON column, as text; the path is a list of names, which may have dots. -#}
{% macro rm_json_text(column, path) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- set path_text = rankmetrics_sql.rm_json_path(path) -%}
{%- if engine == 'duckdb' -%}
    {#- A structure or a map can be read as JSON too. -#}
    {{ return('(CAST(' ~ column ~ " AS JSON) ->> '$" ~ path_text ~ "')") }}
{%- elif engine == 'postgres' -%}
    {%- set names = [] -%}
    {%- for name in path -%}{%- do names.append(rankmetrics_sql.rm_string(name)) -%}{%- endfor -%}
    {%- set inside = ['CAST(' ~ column ~ ' AS JSONB)'] + names[:-1] -%}
    {{ return('(' ~ inside | join(' -> ') ~ ' ->> ' ~ names[-1] ~ ')') }}
{%- elif engine == 'redshift' -%}
    {{ return('CAST(' ~ column ~ path_text ~ ' AS VARCHAR(65535))') }}
{%- elif engine == 'snowflake' -%}
    {{ return(column ~ ':' ~ path_text[1:] ~ '::VARCHAR') }}
{%- elif engine in ['bigquery', 'mysql'] -%}
    {#- JSON_UNQUOTE would make a text of a null. -#}
    {{ return('JSON_VALUE(' ~ column ~ ", '$" ~ path_text ~ "')") }}
{%- elif engine == 'spark' -%}
    {%- if '.' in path[0] -%}
        {#- A path would have quotes in a text, which are escaped in two ways. -#}
        {{ return('FROM_JSON(' ~ column ~ ", 'MAP<STRING, STRING>')[" ~ rankmetrics_sql.rm_string(path[0]) ~ ']') }}
    {%- endif -%}
    {{ return('GET_JSON_OBJECT(' ~ column ~ ", '$" ~ path_text ~ "')") }}
{%- elif engine == 'clickhouse' -%}
    {#- What is not there is an empty text to the function. -#}
    {%- set names = [] -%}
    {%- for name in path -%}{%- do names.append(rankmetrics_sql.rm_string(name)) -%}{%- endfor -%}
    {{ return("nullIf(JSONExtractString(" ~ column ~ ', ' ~ names | join(', ') ~ "), '')") }}
{%- elif engine == 'sqlite' -%}
    {{ return('CAST(JSON_EXTRACT(' ~ column ~ ", '$" ~ path_text ~ "') AS TEXT)") }}
{%- endif -%}
{{ return('JSON_EXTRACT_SCALAR(' ~ column ~ ", '$" ~ path_text ~ "')") }}
{% endmacro %}

{#- A path below the root as an engine writes it: names that have dots are quoted. -#}
{% macro rm_json_path(path) %}
{%- set in_brackets = rankmetrics_sql.rm_engine() in ['trino', 'standard'] -%}
{%- set parts = [] -%}
{%- for name in path -%}
    {%- if '.' not in name -%}
        {%- do parts.append('.' ~ name) -%}
    {%- elif in_brackets -%}
        {%- do parts.append('["' ~ name ~ '"]') -%}
    {%- else -%}
        {%- do parts.append('."' ~ name ~ '"') -%}
    {%- endif -%}
{%- endfor -%}
{{ return(parts | join) }}
{% endmacro %}
