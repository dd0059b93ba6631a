{#-
Effects of means by the weights of queries: SUM(w d) / SUM(w) of pairs with the differences d, of arms the difference of
both means. Such a mean is a ratio of sums, whose error is that of the delta method, SQRT(n / (n - 1) SUM((w e)^2)) /
SUM(w) over the n queries that have a weight, e how far each is from the mean. A query without a weight weighs nothing.
-#}

{#- How far a row p is from a mean, times what it weighs. -#}
{% macro rm_weighed(plan, deviation) %}
{{ return('p.weight * ' ~ deviation if plan.weight_names else deviation) }}
{% endmacro %}

{#- The mean of a value over a window, by the weights where there are some. -#}
{% macro rm_mean_over(plan, value, over) %}
{%- if not plan.weight_names -%}{{ return(rankmetrics_sql.rm_aggregated('mean', value) ~ ' ' ~ over) }}{%- endif -%}
{%- set own = '(' ~ value ~ ')' if ' ' in value else value -%}
{%- set known = 'CASE WHEN ' ~ own ~ ' IS NOT NULL THEN weight END' -%}
{%- set weights = rankmetrics_sql.rm_aggregated('sum', known, 'weight') ~ ' ' ~ over -%}
{%- set weighed = rankmetrics_sql.rm_aggregated('sum', 'weight * ' ~ own, own ~ ' ASC, weight') -%}
{{ return(weighed ~ ' ' ~ over ~ ' / NULLIF(' ~ weights ~ ', 0)') }}
{% endmacro %}

{#- A value of the rows p, where it has a weight. -#}
{% macro rm_of_weight(plan, value) %}
{{ return('CASE WHEN p.weight IS NOT NULL THEN ' ~ value ~ ' END' if plan.weight_names else value) }}
{% endmacro %}

{#- Sums over the rows p that have a value: of weights, of weighted deviations, and of rows that count. -#}
{% macro rm_sums_of_weights(plan, value, deviation, differs) %}
{%- if not plan.weight_names -%}{{ return([]) }}{%- endif -%}
{%- set known = 'CASE WHEN ' ~ value ~ ' IS NOT NULL THEN p.weight' -%}
{%- set order = value ~ ' ASC, p.weight' -%}
{{ return(rankmetrics_sql.rm_named({
    'sum_of_weights': rankmetrics_sql.rm_aggregated('sum', known ~ ' END', 'p.weight'),
    'weight_squares': rankmetrics_sql.rm_aggregated('sum', known ~ ' * p.weight END', 'p.weight'),
    'weighed_squares': rankmetrics_sql.rm_aggregated(
        'sum', 'p.weight * ' ~ deviation ~ ' * ' ~ deviation, order
    ),
    'n_weighing': 'SUM(CASE WHEN ' ~ value ~ ' IS NOT NULL AND p.weight > 0 THEN 1 ELSE 0 END)',
    'n_differing': 'SUM(CASE WHEN ' ~ differs ~ ' AND p.weight > 0 THEN 1 ELSE 0 END)',
    'n_unweighted': 'COUNT(CASE WHEN p.weight IS NULL THEN ' ~ value ~ ' END)',
})) }}
{% endmacro %}

{#- The columns of weights in an effect. -#}
{% macro rm_weight_facts(plan) %}
{{ return(['n_unweighted'] if plan.weight_names else []) }}
{% endmacro %}

{#- The divisor that makes a mean of the sum of values, of the arm whose names have the prefix. -#}
{% macro rm_divisor(plan, before='') %}
{{ return('NULLIF(' ~ before ~ 'sum_of_weights, 0)' if plan.weight_names else before ~ 'n') }}
{% endmacro %}

{#- How far the values of both arms spread, as the values of queries do that weigh as much. -#}
{% macro rm_weighed_deviation_of_arms() %}
{%- set variances = [] -%}
{%- for before in ['', 'baseline_'] -%}
    {%- do variances.append('CASE WHEN ' ~ before ~ 'n > 1 THEN ' ~ before ~ 'weighed_squares / NULLIF(' ~ before
        ~ 'sum_of_weights, 0) * ' ~ before ~ 'n / (' ~ before ~ 'n - 1) END') -%}
{%- endfor -%}
{{ return('SQRT((' ~ variances | join(' + ') ~ ') / 2)') }}
{% endmacro %}
