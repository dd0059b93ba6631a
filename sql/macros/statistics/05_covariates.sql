{#-
Effects of arms adjusted by a covariate, a number x of each query that was known before the arms differed (CUPED; Deng,
Xu, Kohavi & Walker 2013): y - theta (x - mean of x), theta = cov(y, x) / var(x) over the queries of both arms, as
tea-tasting and GrowthBook have it. Of a ratio of sums y are its terms of a mean (02_linear.sql). By weights w both
means are weighted, and so are the products in theta, by w^2: as of the ratios SUM(w y) / SUM(w) and SUM(w x) / SUM(w).
Other metrics are not adjusted: their theta is 0, as where all covariates are alike.
Each arm of several has a theta of its own beside the baseline, so that all of it is made of sums of an arm.
-#}

{#- The covariate of a row with a value. What is none, NULL or no number to square, counts as 0 (GrowthBook). -#}
{% macro rm_covariate(covariate, value) %}
{%- set most = rankmetrics_sql.rm_number('1e100') -%}
{{ return('CASE WHEN ' ~ value ~ ' IS NOT NULL THEN CASE WHEN ABS(' ~ covariate ~ ') <= ' ~ most ~ ' THEN '
    ~ covariate ~ ' ELSE 0 END END') }}
{% endmacro %}

{#- It beside its mean in the arm, of the rows with a value. -#}
{% macro rm_centred_covariate(plan, value, over_effect) %}
{%- if not plan.covariate_names -%}{{ return([]) }}{%- endif -%}
{%- set covariate = rankmetrics_sql.rm_covariate('covariate', value) -%}
{{ return(rankmetrics_sql.rm_named({
    'covariate_value': covariate,
    'mean_covariate': rankmetrics_sql.rm_mean_over(plan, covariate, over_effect),
})) }}
{% endmacro %}

{#- The sums of arms that theta and what it adjusts are made of, from the influences of rows p on both means. -#}
{% macro rm_covariate_sums(plan) %}
{%- if not plan.covariate_names -%}{{ return([]) }}{%- endif -%}
{%- set value = rankmetrics_sql.rm_influence_in_arm(plan, 'value') -%}
{%- set covariate = rankmetrics_sql.rm_influence_in_arm(plan, 'covariate') -%}
{%- set order = 'p.value ASC, p.covariate_value' ~ (' ASC, p.weight' if plan.weight_names else '') -%}
{%- set terms = {
    'covariate_squares': covariate ~ ' * ' ~ covariate, 'covariate_products': value ~ ' * ' ~ covariate,
} -%}
{%- if plan.weight_names -%}
    {%- do terms.update({'weighed_values': 'p.weight * ' ~ value, 'weighed_covariates': 'p.weight * ' ~ covariate}) -%}
{%- endif -%}
{%- if plan.weight_names and not plan.cluster_names -%}
    {%- for name in ['covariate_squares', 'covariate_products'] -%}
        {%- do terms.update({'error_' ~ name: rankmetrics_sql.rm_square_of_share(plan, terms[name])}) -%}
    {%- endfor -%}
{%- endif -%}
{%- set sums = {'covariate_mean': 'MAX(p.mean_covariate)'} -%}
{%- for name, term in terms.items() -%}
    {%- do sums.update({name: rankmetrics_sql.rm_aggregated('sum', term, order)}) -%}
{%- endfor -%}
{%- if plan.cluster_names -%}
    {%- set product = 'p.in_cluster * p.covariate_in_cluster / p.n_in_cluster / NULLIF(1 - p.share_of_cluster, 0)' -%}
    {%- set of_clusters = 'p.in_cluster ASC, p.covariate_in_cluster ASC, p.n_in_cluster ASC, p.share_of_cluster' -%}
    {%- do sums.update({'in_cluster_products': rankmetrics_sql.rm_aggregated('sum', product, of_clusters)}) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_named(sums)) }}
{% endmacro %}

{#-
regressed: theta of each arm beside the baseline; adjusted_arms: what it makes of their means and spreads, and as
plain_NAME what they were. As all stages that an option adds: {stage, ctes}.
-#}
{% macro rm_adjusted_arms(plan, names) %}
{%- if not plan.covariate_names -%}{{ return({'stage': plan.stages.beside_baseline, 'ctes': []}) }}{%- endif -%}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set adjusted = rankmetrics_sql.rm_adjusted_sums(plan) -%}
{%- set plain = [] -%}
{%- for name in adjusted -%}{%- do plain.append({'name': 'plain_' ~ name, 'sql': name}) -%}{%- endfor -%}
{%- set others = names | reject('in', adjusted) | list -%}
{%- set slope = rankmetrics_sql.rm_theta(plan) -%}
{%- set theta = rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': slope, 'linear': slope}, other='0') -%}
{%- set regressed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + others + plain) }},
        {{ theta }} AS theta
    FROM {{ plan.stages.beside_baseline }} AS s
{%- endset -%}
{%- set kept = rankmetrics_sql.rm_each('MAX(r.', others + plain | map(attribute='name') | list) -%}
{%- set adjusted_columns = [] -%}
{%- for name, sql in adjusted.items() -%}
    {%- do adjusted_columns.append({'name': name, 'sql': 'MAX(' ~ sql ~ ')'}) -%}
{%- endfor -%}
{#- A MAX of one row: a planner that put this into what follows would write each out many times. -#}
{%- set adjusted_arms %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('r', keys) + kept + adjusted_columns) }}
    FROM {{ plan.stages.regressed }} AS r
    GROUP BY {{ rankmetrics_sql.rm_qualified('r', keys) | join(', ') }}
{%- endset -%}
{{ return({
    'stage': plan.stages.adjusted_arms,
    'ctes': [
        rankmetrics_sql.rm_cte(
            plan.stages.regressed, regressed,
            'with the slope of the values on the covariate, over the queries of both arms'
        ),
        rankmetrics_sql.rm_cte(
            plan.stages.adjusted_arms, adjusted_arms,
            'with the means and spreads after adjusting for the covariate'
        ),
    ],
}) }}
{% endmacro %}

{#- cov(y, x) / var(x) of both arms as one: what is within them, and what is between their means. -#}
{% macro rm_theta(plan) %}
{%- set apart = '(s.covariate_mean - s.baseline_covariate_mean)' -%}
{%- set between = rankmetrics_sql.rm_between_arms(plan, apart, '(s.candidate - s.baseline)', 'weighed_values') -%}
{%- set products = '(s.covariate_products + s.baseline_covariate_products + ' ~ between ~ ')' -%}
{%- set between = rankmetrics_sql.rm_between_arms(plan, apart, apart, 'weighed_covariates') -%}
{%- set squares = '(s.covariate_squares + s.baseline_covariate_squares + ' ~ between ~ ')' -%}
{%- set size = '(ABS(s.covariate_mean) + ABS(s.baseline_covariate_mean))' -%}
{%- set n = 'weight_squares' if plan.weight_names else 'n' -%}
{%- set rounding = '(s.' ~ n ~ ' + s.baseline_' ~ n ~ ') * POWER(' ~ rankmetrics_sql.rm_number('1e-12') ~ ' * ' ~ size
    ~ ', 2)' -%}
{{ return('CASE WHEN ' ~ squares ~ ' > ' ~ rounding ~ ' THEN ' ~ products ~ ' / ' ~ squares ~ ' ELSE 0 END') }}
{% endmacro %}

{#-
Products of the deviations from the means of both arms as one, less those from the means of each arm. covariates and
others say how far these means are apart. Weighted squares of deviations in an arm do not add up to those around
another mean by themselves, since weighted deviations add up to 0 and their products with the weights do not.
-#}
{% macro rm_between_arms(plan, covariates, others, weighed) %}
{%- if not plan.weight_names -%}
    {{ return('s.n * s.baseline_n / NULLIF(s.n + s.baseline_n, 0) * ' ~ covariates ~ ' * ' ~ others) }}
{%- endif -%}
{%- set total = ' / NULLIF(s.sum_of_weights + s.baseline_sum_of_weights, 0)' -%}
{%- set moved = 's.baseline_sum_of_weights' ~ total -%}
{%- set moved_baseline = 's.sum_of_weights' ~ total -%}
{%- set terms = [] -%}
{%- for before, distance, sign in [['s.', moved, ''], ['s.baseline_', moved_baseline, '-']] -%}
    {%- do terms.append(sign ~ distance ~ ' * (' ~ covariates ~ ' * ' ~ before ~ weighed ~ ' + ' ~ others ~ ' * '
        ~ before ~ 'weighed_covariates)') -%}
    {%- do terms.append('POWER(' ~ distance ~ ', 2) * ' ~ covariates ~ ' * ' ~ others ~ ' * ' ~ before
        ~ 'weight_squares') -%}
{%- endfor -%}
{{ return(terms | join(' + ') | replace('+ -', '- ')) }}
{% endmacro %}

{#- The sums r of an arm that are adjusted, by their names. -#}
{% macro rm_adjusted_sums(plan) %}
{%- set n = 'sum_of_weights' if plan.weight_names else 'n' -%}
{%- set apart = '(r.covariate_mean - r.baseline_covariate_mean) / (r.' ~ n ~ ' + r.baseline_' ~ n ~ ')' -%}
{%- set adjusted = {
    'candidate': 'r.plain_candidate - r.theta * r.baseline_' ~ n ~ ' * ' ~ apart,
    'baseline': 'r.plain_baseline + r.theta * r.' ~ n ~ ' * ' ~ apart,
} -%}
{%- set of_shares = 'error_' if plan.weight_names and not plan.cluster_names else '' -%}
{%- for before in ['', 'baseline_'] -%}
    {%- set degrees = '' if plan.weight_names else ' / NULLIF(r.' ~ before ~ 'n - 1, 0)' -%}
    {%- do adjusted.update({before ~ 'variance': rankmetrics_sql.rm_adjusted_squares(
        before ~ 'variance', before ~ of_shares ~ 'covariate_products', before ~ of_shares ~ 'covariate_squares',
        degrees
    )}) -%}
    {%- if plan.cluster_names -%}
        {%- do adjusted.update({before ~ 'in_cluster_squares': rankmetrics_sql.rm_adjusted_squares(
            before ~ 'in_cluster_squares', before ~ 'in_cluster_products', before ~ 'covariate_in_cluster_squares'
        )}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if plan.cluster_names -%}
    {%- set mixed = '(r.shared_with_covariate - r.theta * r.shared_covariates)' -%}
    {%- do adjusted.update({'shared_products': 'r.plain_shared_products - r.theta * ' ~ mixed}) -%}
{%- endif -%}
{{ return(adjusted) }}
{% endmacro %}

{#- Squares of y - theta x; what rounding leaves where the covariate says all of it is nothing. -#}
{% macro rm_adjusted_squares(squares, products, covariates, divided='') %}
{%- set plain = 'r.plain_' ~ squares -%}
{%- set left = plain ~ ' - r.theta * (2 * r.' ~ products ~ ' - r.theta * r.' ~ covariates ~ ')' ~ divided -%}
{%- set tiny = rankmetrics_sql.rm_number('1e-12') ~ ' * ' ~ plain -%}
{{ return('CASE WHEN ' ~ left ~ ' <= ' ~ tiny ~ ' THEN 0 ELSE ' ~ left ~ ' END') }}
{% endmacro %}

{#- What an adjustment does, from the variances of both arms with and without it. -#}
{% macro rm_facts_of_covariate(plan, variance, plain) %}
{%- if not rankmetrics_sql.rm_is_adjusted(plan) -%}{{ return([]) }}{%- endif -%}
{%- set share = 'CASE WHEN ' ~ plain ~ ' > 0 THEN 1 - (' ~ variance ~ ') / (' ~ plain ~ ') END' -%}
{{ return(['plain_baseline', 'plain_candidate'] + rankmetrics_sql.rm_named({
    'variance_reduction': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': share, 'linear': share}),
})) }}
{% endmacro %}

{#- Their names. -#}
{% macro rm_covariate_facts(plan) %}
{{ return(
    ['plain_baseline', 'plain_candidate', 'variance_reduction'] if rankmetrics_sql.rm_is_adjusted(plan) else []
) }}
{% endmacro %}

{#- Both means of an effect p, as they were measured. -#}
{% macro rm_measured_means(plan) %}
{%- if not rankmetrics_sql.rm_is_adjusted(plan) -%}
    {{ return(rankmetrics_sql.rm_columns_from('p', ['baseline', 'candidate'])) }}
{%- endif -%}
{{ return([{'name': 'baseline', 'sql': 'p.plain_baseline'}, {'name': 'candidate', 'sql': 'p.plain_candidate'}]) }}
{% endmacro %}
