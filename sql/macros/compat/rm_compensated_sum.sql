{#-
A sum of so many terms, for each of a thousand replicates, that sorting them would cost too much: where the engine can,
with what rounding takes away added again (Kahan), so that the last digit hardly depends on the order.
-#}
{% macro rm_compensated_sum(term) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {{ return('FSUM(' ~ term ~ ')') }}
{%- endif -%}
{{ return('SUM(' ~ term ~ ')') }}
{% endmacro %}
