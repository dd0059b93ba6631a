{#- What reads a number that a table has for each query: the numbers are the grades of one list, each at a rank. -#}
{% macro rm_metric_of_number(rank) %}
{{ return('grade_at(rank=' ~ rank ~ ')') }}
{% endmacro %}
