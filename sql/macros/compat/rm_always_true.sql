{#-
A condition that holds for every row of the run r, for engines whose optimizer needs one.
DuckDB expects a join with a filter to be selective; without any it would hash the whole run
rather than the few judged items, which takes twice as long.
-#}
{% macro rm_always_true(column) %}
{{ return(adapter.dispatch('rm_always_true', 'rankmetrics_sql')(column)) }}
{% endmacro %}

{% macro default__rm_always_true(column) %}
{{ return('') }}
{% endmacro %}

{% macro duckdb__rm_always_true(column) %}
{{ return('WHERE ' ~ column ~ ' IS NULL OR ' ~ column ~ ' = ' ~ column) }}
{% endmacro %}
