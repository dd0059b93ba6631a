{#-
A condition that holds for every row of the run r joined with the judgments q, for engines whose optimizer needs one.
DuckDB expects a join with a filter to be selective; without any it would hash the whole run, rather than the few judged
items, to join them once more. It names both sides, so that neither seems the smaller before they are joined.
-#}
{% macro rm_always_true(column) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {{ return('WHERE ' ~ column ~ ' IS NULL OR q.relevance IS NULL OR ' ~ column ~ ' = ' ~ column) }}
{%- endif -%}
{{ return('') }}
{% endmacro %}
