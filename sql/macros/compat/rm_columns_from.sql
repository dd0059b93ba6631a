{#- Columns of a relation in a select list, each under its own name. -#}
{% macro rm_columns_from(alias, names) %}
{%- if rankmetrics_sql.rm_engine() == 'clickhouse' -%}
    {#- ClickHouse calls a column of a join by its relation too, unless it is given a name. -#}
    {{ return(rankmetrics_sql.rm_each(alias ~ '.', names, '')) }}
{%- endif -%}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- do columns.append({'name': name, 'sql': alias ~ '.' ~ name, 'kept': true}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
