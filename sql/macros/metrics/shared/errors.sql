{#- Errors of predictions: of a rated item with a prediction both score and relevance are known, of no other row. -#}

{#- What the mean of an error over the items of all queries is made of. -#}
{% macro rm_error_parts(error) %}
{{ return([
    {'name': 'errors', 'sql': 'COALESCE(SUM(' ~ error ~ '), 0)'},
    {'name': 'pairs', 'sql': 'COUNT(score - relevance)'},
]) }}
{% endmacro %}

{#- One part of all queries over another; nothing where there is nothing to divide by. -#}
{% macro rm_error_total(sums) %}
{{ return(rankmetrics_sql.rm_ratio_total(sums, sums[0] ~ ' / NULLIF(' ~ sums[1] ~ ', 0)')) }}
{% endmacro %}
