{#-
What a group of rows says in some columns: whether two rows differ in one of them, of which one may say nothing, and
what is said where none do. DuckDB takes half the time to compare hashes of texts; no equal rows differ in them.
-#}
{% macro rm_disagree(columns) %}
{{ return(adapter.dispatch('rm_disagree', 'rankmetrics_sql')(columns)) }}
{% endmacro %}

{% macro default__rm_disagree(columns) %}
{%- set conditions = [] -%}
{%- for column in columns -%}
    {%- do conditions.append('MIN(' ~ column ~ ') <> MAX(' ~ column ~ ')') -%}
    {%- do conditions.append('COUNT(' ~ column ~ ') > 0 AND COUNT(' ~ column ~ ') < COUNT(*)') -%}
{%- endfor -%}
{{ return(conditions | join(' OR ')) }}
{% endmacro %}

{% macro duckdb__rm_disagree(columns) %}
{%- set hash = 'HASH(' ~ columns | join(', ') ~ ')' -%}
{{ return('MIN(' ~ hash ~ ') <> MAX(' ~ hash ~ ')') }}
{% endmacro %}

{% macro rm_agreed(column) %}
{{ return(adapter.dispatch('rm_agreed', 'rankmetrics_sql')(column)) }}
{% endmacro %}

{% macro default__rm_agreed(column) %}
{{ return('MIN(' ~ column ~ ')') }}
{% endmacro %}

{% macro duckdb__rm_agreed(column) %}
{{ return('ANY_VALUE(' ~ column ~ ')') }}
{% endmacro %}
