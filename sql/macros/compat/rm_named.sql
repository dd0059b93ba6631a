{#- The columns of a SELECT, where a.b is called b. -#}
{% macro rm_named(columns) %}
{{ return(adapter.dispatch('rm_named', 'rankmetrics_sql')(columns)) }}
{% endmacro %}

{% macro default__rm_named(columns) %}
{{ return(columns) }}
{% endmacro %}

{#- ClickHouse calls a column of a join by its relation too, unless it is given a name. -#}
{% macro clickhouse__rm_named(columns) %}
{%- set named = [] -%}
{%- for column in columns -%}
    {%- set parts = column.split('.') -%}
    {%- set bare = parts | length == 2 and ' ' not in column and '(' not in column -%}
    {%- do named.append(column ~ ' AS ' ~ parts[1] if bare else column) -%}
{%- endfor -%}
{{ return(named) }}
{% endmacro %}
