{#-
An id as it is joined and grouped: equal where its bytes are. ``collated`` says that the column is known to be text of
which others can be equal; a column of unknown type cannot be given a collation, except in SQLite.
-#}
{% macro rm_compared_by_bytes(column, collated) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {{ return('CAST(' ~ column ~ ' AS VARCHAR) COLLATE "binary"' if collated else column) }}
{%- elif engine == 'sqlite' -%}
    {#- Here any value takes a collation, and a number is none the worse for it. -#}
    {{ return(column ~ ' COLLATE BINARY') }}
{%- endif -%}
{{ return(column) }}
{% endmacro %}
