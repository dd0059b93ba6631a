{#-
An id as it is joined and grouped: equal where its bytes are. ``collated`` says that the column is known to be text of
which others can be equal; a column of unknown type cannot be given a collation, except in SQLite.
-#}
{% macro rm_compared_by_bytes(column, collated) %}
{{ return(adapter.dispatch('rm_compared_by_bytes', 'rankmetrics_sql')(column, collated)) }}
{% endmacro %}

{% macro default__rm_compared_by_bytes(column, collated) %}
{{ return(column) }}
{% endmacro %}

{% macro duckdb__rm_compared_by_bytes(column, collated) %}
{{ return('CAST(' ~ column ~ ' AS VARCHAR) COLLATE "binary"' if collated else column) }}
{% endmacro %}

{#- Here any value takes a collation, and a number is none the worse for it. -#}
{% macro sqlite__rm_compared_by_bytes(column, collated) %}
{{ return(column ~ ' COLLATE BINARY') }}
{% endmacro %}
