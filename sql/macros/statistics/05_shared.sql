{#-
Clusters of several arms, such as a user who came to both: the covariance of what such a cluster comes to in each. With
e and p of 05_clusters.sql in an arm and in the baseline, the variance of the difference of means is
    V1 + V0 - 2 * SUM(e1 * e0 / SQRT((1 - p1) * (1 - p0))) / (n1 * n0)
which is CR2 of a regression on the arm: the residuals of the two arms are adjusted apart, because no query is of both.
Its degrees of freedom are those of Bell & McCaffrey (2002) where queries are independent and have a variance by arm:
    (V1 + V0)^2 / (V1^2 / df1 + V0^2 / df0 + 2 * V1 * V0 * K)
    K = SUM(p1 * p0) + SUM(q1 * q0)^2 - SUM(q1^2 * q0^2), q = p / SQRT(1 - p)
the sums over the clusters of both. Without any it is Welch's; where all are of both, and equally large, it is one less
than there are clusters, as of their differences.
-#}

{#- shared_clusters: each value beside what its cluster comes to in the baseline. As all stages that an option adds. -#}
{% macro rm_shared_clusters(plan, stage, known) %}
{%- if not plan.cluster_names -%}{{ return({'stage': stage, 'ctes': []}) }}{%- endif -%}
{%- set keys = plan.group_names + rankmetrics_sql.rm_cluster_keys(plan) + ['metric_number'] -%}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_influences_of_arms(plan).keys() | list + ['share_of_cluster'] -%}
    {%- do columns.append({
        'name': 'baseline_' ~ name, 'sql': rankmetrics_sql.rm_of_baseline(plan, name, keys),
    }) -%}
{%- endfor -%}
{%- set shared %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known + columns) }}
    FROM {{ stage }}
{%- endset -%}
{{ return({'stage': plan.stages.shared_clusters, 'ctes': [rankmetrics_sql.rm_cte(
    plan.stages.shared_clusters, shared,
    'each value with the sums of its cluster in the baseline, if it is there too'
)]}) }}
{% endmacro %}

{#- The sums over clusters that an arm and the baseline share, from the rows p. -#}
{% macro rm_shared_sums(plan) %}
{%- if not plan.cluster_names -%}{{ return([]) }}{%- endif -%}
{%- set own, other = 'p.share_of_cluster', 'p.baseline_share_of_cluster' -%}
{%- set rest = 'SQRT(NULLIF((1 - ' ~ own ~ ') * (1 - ' ~ other ~ '), 0))' -%}
{%- set once = 'CASE WHEN p.in_cluster IS NOT NULL THEN 1 / p.n_in_cluster END' -%}
{%- set is_shared = 'p.in_cluster IS NOT NULL AND ' ~ other ~ ' > 0' -%}
{%- set terms = {
    'shared_products': 'p.in_cluster * p.baseline_in_cluster / ' ~ rest,
    'shared_shares': own ~ ' * ' ~ other,
    'shared_weights': own ~ ' * ' ~ other ~ ' / ' ~ rest,
    'shared_squares': 'POWER(' ~ own ~ ' * ' ~ other ~ ' / ' ~ rest ~ ', 2)',
} -%}
{%- if plan.covariate_names -%}
    {%- do terms.update({
        'shared_with_covariate': '(p.in_cluster * p.baseline_covariate_in_cluster + p.covariate_in_cluster'
            ~ ' * p.baseline_in_cluster) / ' ~ rest,
        'shared_covariates': 'p.covariate_in_cluster * p.baseline_covariate_in_cluster / ' ~ rest,
    }) -%}
{%- endif -%}
{%- set order = ['p.in_cluster', 'p.baseline_in_cluster', own, other] | join(' ASC, ') -%}
{%- set columns = [] -%}
{%- for name, term in terms.items() -%}
    {%- set sum = rankmetrics_sql.rm_aggregated('sum', once ~ ' * ' ~ term, order) -%}
    {%- do columns.append({'name': name, 'sql': 'COALESCE(' ~ sum ~ ', 0)'}) -%}
{%- endfor -%}
{%- set counted = 'CASE WHEN ' ~ is_shared ~ ' THEN 1 / p.n_in_cluster ELSE 0 END' -%}
{{ return(columns + [{'name': 'n_in_baseline', 'sql': 'ROUND(SUM(' ~ counted ~ '))'}]) }}
{% endmacro %}

{#-
The variance of the difference of two means with these variances, of effects s. What rounding leaves where clusters
have the same in both arms is nothing. The covariance is divided by what the means are; plain_ is without an adjustment.
-#}
{% macro rm_variance_of_difference(plan, own, of_baseline, divided='', before='') %}
{%- set sum = own ~ ' + ' ~ of_baseline -%}
{%- if not plan.cluster_names -%}{{ return(sum) }}{%- endif -%}
{%- set means = rankmetrics_sql.rm_divisor(plan) ~ ' * ' ~ rankmetrics_sql.rm_divisor(plan, 'baseline_') -%}
{%- set covariance = before ~ 'shared_products / (' ~ means ~ ')' -%}
{%- if divided -%}
    {%- set covariance = rankmetrics_sql.rm_or_in_logarithms(plan, 's', covariance ~ divided, covariance) -%}
{%- endif -%}
{%- set left = sum ~ ' - 2 * ' ~ covariance -%}
{%- set tiny = rankmetrics_sql.rm_number('1e-12') ~ ' * (' ~ sum ~ ')' -%}
{{ return('CASE WHEN ' ~ left ~ ' <= ' ~ tiny ~ ' THEN 0 ELSE ' ~ left ~ ' END') }}
{% endmacro %}

{#- The term that shared clusters add to the denominator of the degrees of freedom. -#}
{% macro rm_shared_degrees(plan, own, of_baseline) %}
{%- if not plan.cluster_names -%}{{ return('') }}{%- endif -%}
{{ return(' + 2 * ' ~ own ~ ' * ' ~ of_baseline
    ~ ' * (shared_shares + shared_weights * shared_weights - shared_squares)') }}
{% endmacro %}
