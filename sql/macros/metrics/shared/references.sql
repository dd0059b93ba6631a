{#- What the metrics of two rankings share: the judgments are the other one, and a grade is 1 over a rank. -#}

{#- The rank of an item in the other ranking. -#}
{% macro rm_reference_rank() %}
{{ return('FLOOR(1 / NULLIF(relevance, 0) + ' ~ rankmetrics_sql.rm_number(0.5) ~ ')') }}
{% endmacro %}
