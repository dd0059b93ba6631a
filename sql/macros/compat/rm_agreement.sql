{#-
What a group of rows says in some columns: whether two rows differ in one of them, of which one may say nothing, and
what is said where none do. DuckDB takes half the time to compare hashes of texts; no equal rows differ in them.
-#}
{% macro rm_disagree(columns) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {%- set hash = 'HASH(' ~ columns | join(', ') ~ ')' -%}
    {{ return('MIN(' ~ hash ~ ') <> MAX(' ~ hash ~ ')') }}
{%- endif -%}
{%- set conditions = [] -%}
{%- for column in columns -%}
    {%- do conditions.append('MIN(' ~ column ~ ') <> MAX(' ~ column ~ ')') -%}
    {%- do conditions.append('COUNT(' ~ column ~ ') > 0 AND COUNT(' ~ column ~ ') < COUNT(*)') -%}
{%- endfor -%}
{{ return(conditions | join(' OR ')) }}
{% endmacro %}

{% macro rm_agreed(column) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {{ return('ANY_VALUE(' ~ column ~ ')') }}
{%- endif -%}
{{ return('MIN(' ~ column ~ ')') }}
{% endmacro %}
