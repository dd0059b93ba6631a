{#- Columns of a relation in a select list, each under its own name. -#}
{% macro rm_columns_from(alias, names) %}
{{ return(adapter.dispatch('rm_columns_from', 'rankmetrics_sql')(alias, names)) }}
{% endmacro %}

{% macro default__rm_columns_from(alias, names) %}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- do columns.append({'name': name, 'sql': alias ~ '.' ~ name, 'kept': true}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- ClickHouse calls a column of a join by its relation too, unless it is given a name. -#}
{% macro clickhouse__rm_columns_from(alias, names) %}
{{ return(rankmetrics_sql.rm_each(alias ~ '.', names, '')) }}
{% endmacro %}
