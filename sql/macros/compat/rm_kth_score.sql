{#-
The k-th greatest value of a group, or the k-th least; NULL where there are fewer. None where no aggregate of the engine
finds it without a sort.
-#}
{% macro rm_kth_score(value, k, descending=true) %}
{{ return(adapter.dispatch('rm_kth_score', 'rankmetrics_sql')(value, k, descending)) }}
{% endmacro %}

{% macro default__rm_kth_score(value, k, descending) %}
{{ return(none) }}
{% endmacro %}

{#- Not by an index in brackets: SQLMesh writes that anew, and takes one from it. -#}
{% macro duckdb__rm_kth_score(value, k, descending) %}
{{ return('LIST_EXTRACT(' ~ ('MAX(' if descending else 'MIN(') ~ value ~ ', ' ~ k ~ '), ' ~ k ~ ')') }}
{% endmacro %}
