{#-
Effects of means by the weights of queries: SUM(w d) / SUM(w) of pairs with the differences d, of arms the difference of
both means. Their error is that of clusters (05_clusters.sql), where no other are named of one query each: with e = w
times how far a query is from the mean, and p its share of all weights, SQRT(SUM(e^2 / (1 - p))) / SUM(w) with the
degrees of freedom of Bell & McCaffrey. n - 1 of them reject far too often where few queries have most of the weight.
A query without a weight, or with the weight 0, weighs nothing and counts as nothing.
-#}

{#- Whether errors are those of shares of the whole: of clusters, or of queries by their weights. -#}
{% macro rm_has_shares(plan) %}
{{ return((plan.cluster_names + plan.weight_names) | length > 0) }}
{% endmacro %}

{#- A number of a query as its weight. -#}
{% macro rm_as_weight(sql) %}
{{ return('NULLIF(' ~ sql ~ ', 0)') }}
{% endmacro %}

{#- The weights over a window, of the rows with a value. -#}
{% macro rm_weights_over(value, over) %}
{%- set known = 'CASE WHEN ' ~ value ~ ' IS NOT NULL THEN weight END' -%}
{{ return(rankmetrics_sql.rm_aggregated('sum', known, 'weight') ~ ' ' ~ over) }}
{% endmacro %}

{#- What share of all weights that of a row is, where it is a cluster by itself. -#}
{% macro rm_share_of_weight(plan, value, over) %}
{%- if plan.cluster_names or not plan.weight_names -%}{{ return([]) }}{%- endif -%}
{%- set own = '(' ~ value ~ ')' if ' ' in value else value -%}
{%- set share = 'CASE WHEN ' ~ own ~ ' IS NOT NULL THEN weight END / NULLIF('
    ~ rankmetrics_sql.rm_weights_over(own, over) ~ ', 0)' -%}
{{ return([{'name': 'share_of_weight', 'sql': share}]) }}
{% endmacro %}

{#- A square of such a row p, as it counts in the error. -#}
{% macro rm_square_of_share(plan, square, alias='p') %}
{%- if plan.cluster_names or not plan.weight_names -%}{{ return(square) }}{%- endif -%}
{{ return(square ~ ' / NULLIF(1 - ' ~ alias ~ '.share_of_weight, 0)') }}
{% endmacro %}

{#- What these shares say over all rows; of clusters others say it. -#}
{% macro rm_sums_of_shares(plan, alias='p') %}
{%- if plan.cluster_names or not plan.weight_names -%}{{ return([]) }}{%- endif -%}
{%- set share = alias ~ '.share_of_weight' -%}
{{ return([
    {'name': 'largest_share', 'sql': 'MAX(' ~ share ~ ')'},
    {'name': 'cluster_degrees', 'sql': rankmetrics_sql.rm_degrees_of_shares(share)},
]) }}
{% endmacro %}

{#-
As how many units of equal shares those count that meet a condition, SUM(p)^2 / SUM(p^2), rounded down. Of equal ones it
is their number, whatever rounding does. A cluster counts by the mean weight of its queries, however many these are: its
degrees of freedom know that.
-#}
{% macro rm_effective_units(share, condition, once='1') %}
{%- set sums = [] -%}
{%- for term in [share, share ~ ' * ' ~ share] -%}
    {%- set counted = term if once == '1' else once ~ ' * (' ~ term ~ ')' -%}
    {%- set own = 'CASE WHEN ' ~ condition ~ ' THEN ' ~ counted ~ ' END' -%}
    {%- do sums.append(rankmetrics_sql.rm_aggregated('sum', own, share)) -%}
{%- endfor -%}
{{ return('COALESCE(FLOOR(POWER(' ~ sums[0] ~ ', 2) / NULLIF(' ~ sums[1] ~ ', 0) + '
    ~ rankmetrics_sql.rm_number('1e-9') ~ '), 0)') }}
{% endmacro %}

{#- How far a row p is from a mean, times what it weighs. -#}
{% macro rm_weighed(plan, deviation) %}
{{ return('p.weight * ' ~ deviation if plan.weight_names else rankmetrics_sql.rm_stretched(plan, 'p', deviation)) }}
{% endmacro %}

{#- The mean of a value over a window, by the weights where there are some. -#}
{% macro rm_mean_over(plan, value, over) %}
{%- if not plan.weight_names -%}{{ return(rankmetrics_sql.rm_aggregated('mean', value) ~ ' ' ~ over) }}{%- endif -%}
{%- set own = '(' ~ value ~ ')' if ' ' in value else value -%}
{%- set weights = rankmetrics_sql.rm_weights_over(own, over) -%}
{%- set weighed = rankmetrics_sql.rm_aggregated('sum', 'weight * ' ~ own, own ~ ' ASC, weight') -%}
{{ return(weighed ~ ' ' ~ over ~ ' / NULLIF(' ~ weights ~ ', 0)') }}
{% endmacro %}

{#- A value of the rows p, where it has a weight. -#}
{% macro rm_of_weight(plan, value) %}
{{ return('CASE WHEN p.weight IS NOT NULL THEN ' ~ value ~ ' END' if plan.weight_names else value) }}
{% endmacro %}

{#-
Sums over the rows p that have a value: of weights and of weighted deviations, and as how many units they count, all and
those that differ. Of clusters their own sums say how many.
-#}
{% macro rm_sums_of_weights(plan, value, deviation, differs) %}
{%- if not plan.weight_names -%}{{ return([]) }}{%- endif -%}
{%- set known = 'CASE WHEN ' ~ value ~ ' IS NOT NULL THEN p.weight' -%}
{%- set order = value ~ ' ASC, p.weight' -%}
{%- set units = {
    'n_effective': rankmetrics_sql.rm_effective_units('p.share_of_weight', 'p.share_of_weight IS NOT NULL'),
    'n_differing': rankmetrics_sql.rm_effective_units('p.share_of_weight', differs),
} if not plan.cluster_names else {} -%}
{{ return(rankmetrics_sql.rm_sums_of_shares(plan) + rankmetrics_sql.rm_named(units) + rankmetrics_sql.rm_named({
    'sum_of_weights': rankmetrics_sql.rm_aggregated('sum', known ~ ' END', 'p.weight'),
    'weight_squares': rankmetrics_sql.rm_aggregated('sum', known ~ ' * p.weight END', 'p.weight'),
    'weighed_squares': rankmetrics_sql.rm_aggregated(
        'sum', 'p.weight * ' ~ deviation ~ ' * ' ~ deviation, order
    ),
    'n_unweighted': 'COUNT(CASE WHEN p.weight IS NULL THEN ' ~ value ~ ' END)',
})) }}
{% endmacro %}

{#- The columns of weights in an effect. -#}
{% macro rm_weight_facts(plan) %}
{%- if not plan.weight_names -%}{{ return([]) }}{%- endif -%}
{{ return(['n_unweighted'] + (['n_effective'] if plan.options.design == 'paired' else [])) }}
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
