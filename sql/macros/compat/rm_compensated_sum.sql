{#-
A sum of so many terms, for each of a thousand replicates, that sorting them would cost too much: where the engine can,
with what rounding takes away added again (Kahan), so that the last digit hardly depends on the order.
-#}
{% macro rm_compensated_sum(term) %}
{{ return(adapter.dispatch('rm_compensated_sum', 'rankmetrics_sql')(term)) }}
{% endmacro %}

{% macro default__rm_compensated_sum(term) %}
{{ return('SUM(' ~ term ~ ')') }}
{% endmacro %}

{% macro duckdb__rm_compensated_sum(term) %}
{{ return('FSUM(' ~ term ~ ')') }}
{% endmacro %}
