{#-
Effects of arms adjusted by a covariate, a number x of each query that was known before the arms differed (CUPED; Deng,
Xu, Kohavi & Walker 2013): y - theta (x - mean of x), theta = cov(y, x) / var(x) over the queries of both arms, as
tea-tasting and GrowthBook have it. Only means are: theta is 0 of other metrics, and where all covariates are alike.
Each arm of several has a theta of its own beside the baseline, so that all of it is made of sums of an arm.
-#}

{#- The covariate of a row with a value. What is none, NULL or no number to square, counts as 0 (GrowthBook). -#}
{% macro rm_covariate(alias='') %}
{%- set dot = alias ~ '.' if alias else '' -%}
{%- set covariate = dot ~ 'covariate' -%}
{%- set most = rankmetrics_sql.rm_number('1e100') -%}
{{ return('CASE WHEN ' ~ dot ~ 'value IS NOT NULL THEN CASE WHEN ABS(' ~ covariate ~ ') <= ' ~ most ~ ' THEN '
    ~ covariate ~ ' ELSE 0 END END') }}
{% endmacro %}

{#- It beside its mean in the arm. -#}
{% macro rm_centred_covariate(plan, over_effect) %}
{%- if not plan.covariate_names -%}{{ return([]) }}{%- endif -%}
{%- set covariate = rankmetrics_sql.rm_covariate() -%}
{{ return(rankmetrics_sql.rm_named({
    'covariate_value': covariate,
    'mean_covariate': rankmetrics_sql.rm_aggregated('mean', covariate) ~ ' ' ~ over_effect,
})) }}
{% endmacro %}

{#- The deviations of a row p from the means of its arm that clusters add up, by their names. -#}
{% macro rm_deviations_of_arms(plan) %}
{%- set deviation = rankmetrics_sql.rm_weighed(plan, rankmetrics_sql.rm_deviation_in_arm(plan)) -%}
{%- set deviations = {'in_cluster': deviation} -%}
{%- if plan.covariate_names -%}
    {%- do deviations.update({'covariate_in_cluster': '(p.covariate_value - p.mean_covariate)'}) -%}
{%- endif -%}
{{ return(deviations) }}
{% endmacro %}

{#- Sums over the covariates of an arm: mean, squares, and products with the values. -#}
{% macro rm_covariate_sums(plan) %}
{%- if not plan.covariate_names -%}{{ return([]) }}{%- endif -%}
{%- set deviation = '(p.covariate_value - p.mean_covariate)' -%}
{%- set order = 'p.value ASC, p.covariate_value' -%}
{%- set product = rankmetrics_sql.rm_deviation_in_arm(plan) ~ ' * ' ~ deviation -%}
{%- set sums = {
    'covariate_mean': rankmetrics_sql.rm_aggregated('mean', 'p.covariate_value', order),
    'covariate_squares': rankmetrics_sql.rm_aggregated('sum', deviation ~ ' * ' ~ deviation, order),
    'covariate_products': rankmetrics_sql.rm_aggregated('sum', product, order),
} -%}
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
{%- set theta = rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': rankmetrics_sql.rm_theta()}, other='0') -%}
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
{% macro rm_theta() %}
{%- set apart = '(s.covariate_mean - s.baseline_covariate_mean)' -%}
{%- set between = 's.n * s.baseline_n / NULLIF(s.n + s.baseline_n, 0) * ' ~ apart -%}
{%- set products = '(s.covariate_products + s.baseline_covariate_products + ' ~ between
    ~ ' * (s.candidate - s.baseline))' -%}
{%- set squares = '(s.covariate_squares + s.baseline_covariate_squares + ' ~ between ~ ' * ' ~ apart ~ ')' -%}
{%- set size = '(ABS(s.covariate_mean) + ABS(s.baseline_covariate_mean))' -%}
{%- set rounding = '(s.n + s.baseline_n) * POWER(' ~ rankmetrics_sql.rm_number('1e-12') ~ ' * ' ~ size ~ ', 2)' -%}
{{ return('CASE WHEN ' ~ squares ~ ' > ' ~ rounding ~ ' THEN ' ~ products ~ ' / ' ~ squares ~ ' ELSE 0 END') }}
{% endmacro %}

{#- The sums r of an arm that are adjusted, by their names. -#}
{% macro rm_adjusted_sums(plan) %}
{%- set apart = '(r.covariate_mean - r.baseline_covariate_mean) / (r.n + r.baseline_n)' -%}
{%- set adjusted = {
    'candidate': 'r.plain_candidate - r.theta * r.baseline_n * ' ~ apart,
    'baseline': 'r.plain_baseline + r.theta * r.n * ' ~ apart,
} -%}
{%- for before in ['', 'baseline_'] -%}
    {%- set degrees = 'NULLIF(r.' ~ before ~ 'n - 1, 0)' -%}
    {%- do adjusted.update({before ~ 'variance': rankmetrics_sql.rm_adjusted_squares(
        before ~ 'variance', before ~ 'covariate_products', before ~ 'covariate_squares', ' / ' ~ degrees
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

{#- The columns of the covariate, from the variances of both arms with and without it. -#}
{% macro rm_facts_of_covariate(plan, variance, plain) %}
{%- if not plan.covariate_names -%}{{ return([]) }}{%- endif -%}
{%- set share = 'CASE WHEN ' ~ plain ~ ' > 0 THEN 1 - (' ~ variance ~ ') / (' ~ plain ~ ') END' -%}
{{ return(['plain_baseline', 'plain_candidate'] + rankmetrics_sql.rm_named({
    'variance_reduction': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': share}),
})) }}
{% endmacro %}

{#- Their names. -#}
{% macro rm_covariate_facts(plan) %}
{{ return(['plain_baseline', 'plain_candidate', 'variance_reduction'] if plan.covariate_names else []) }}
{% endmacro %}

{#- Both means of an effect p, as they were measured. -#}
{% macro rm_measured_means(plan) %}
{%- if not plan.covariate_names -%}
    {{ return(rankmetrics_sql.rm_columns_from('p', ['baseline', 'candidate'])) }}
{%- endif -%}
{{ return([{'name': 'baseline', 'sql': 'p.plain_baseline'}, {'name': 'candidate', 'sql': 'p.plain_candidate'}]) }}
{% endmacro %}
