{#- One value per distinct row of columns, for counting distinct rows; a false match is possible, and checked for. -#}
{% macro rm_fingerprint(columns) %}
{{ return(adapter.dispatch('rm_fingerprint', 'rankmetrics_sql')(columns)) }}
{% endmacro %}

{#- Each part is preceded by its length, so that no two rows have the same text. -#}
{% macro default__rm_fingerprint(columns) %}
{%- set parts = [] -%}
{%- for column in columns -%}
    {%- set text = rankmetrics_sql.rm_text(column) -%}
    {%- do parts.append('CAST(LENGTH(' ~ text ~ ') AS ' ~ rankmetrics_sql.rm_text_type() ~ ") || ':' || " ~ text) -%}
{%- endfor -%}
{{ return(parts | join(' || ')) }}
{% endmacro %}

{% macro duckdb__rm_fingerprint(columns) %}
{{ return('HASH(' ~ columns | join(', ') ~ ')') }}
{% endmacro %}
