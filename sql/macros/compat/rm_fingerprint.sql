{#- One value per distinct row of columns, for counting distinct rows; a false match is possible, and checked for. -#}
{% macro rm_fingerprint(columns) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {{ return('HASH(' ~ columns | join(', ') ~ ')') }}
{%- endif -%}
{#- Each part is preceded by its length, so that no two rows have the same text. -#}
{%- set parts = [] -%}
{%- for column in columns -%}
    {%- set text = rankmetrics_sql.rm_text(column) -%}
    {%- do parts.append('CAST(LENGTH(' ~ text ~ ') AS ' ~ rankmetrics_sql.rm_text_type() ~ ") || ':' || " ~ text) -%}
{%- endfor -%}
{{ return(parts | join(' || ')) }}
{% endmacro %}
