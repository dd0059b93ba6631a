{#-
Effects of arms whose queries are in strata, such as the market or the platform, that were known before the arms
differed (post-stratification; Miratrix, Sekhon & Yu 2013): of the means of each stratum the mean by the shares that
strata have of both arms together, and so of their variances V,
    effect = SUM(share * (m1 - m0)), error^2 = SUM(share^2 * (V1 / n1 + V0 / n0))
Degrees of freedom are Welch's and Satterthwaite's over the variances of all strata. A stratum with fewer than two
queries in an arm has no variance there: its queries are left out, and counted. Ratios of sums are adjusted by their
terms of a mean (02_linear.sql). Each arm of several has shares of its own, those with the baseline.
-#}

{#- Whether effects are other ones than the differences of the means that were measured. -#}
{% macro rm_is_adjusted(plan) %}
{{ return((plan.covariate_names + plan.strata_names) | length > 0) }}
{% endmacro %}

{#-
with_shares: each stratum of an arm beside its share of the queries of both arms, where both have two or more; else its
numbers of queries are NULL, too. adjusted_arms: what they make together. As all stages that an option adds: {stage,
ctes}.
-#}
{% macro rm_stratified_arms(plan, others) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set over = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('r', keys) | join(', ') ~ ')' -%}
{%- set begin = 'CASE WHEN r.n > 1 AND r.baseline_n > 1 THEN ' -%}
{%- set both = begin ~ 'r.n + r.baseline_n END' -%}
{%- set counts = {'share': both ~ ' / SUM(' ~ both ~ ') ' ~ over} -%}
{%- for n, mean in {'n': 'candidate', 'baseline_n': 'baseline'}.items() -%}
    {%- set own = begin ~ 'r.' ~ n ~ ' END' -%}
    {%- do counts.update({
        n: own, 'plain_' ~ mean: 'SUM(' ~ own ~ ' * r.' ~ mean ~ ') ' ~ over ~ ' / SUM(' ~ own ~ ') ' ~ over,
    }) -%}
{%- endfor -%}
{%- set of_stratum = ['candidate', 'n_values', 'n_without', 'variance', 'baseline', 'baseline_variance',
    'values_of_baseline', 'without_of_baseline'] + others -%}
{%- set with_shares %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_columns_from('r', keys + of_stratum) + rankmetrics_sql.rm_named(counts)
        ) }}
    FROM {{ plan.stages.beside_baseline }} AS r
{%- endset -%}
{%- set sums = rankmetrics_sql.rm_sums_of_strata(plan, '', 'candidate') -%}
{%- do sums.update(rankmetrics_sql.rm_sums_of_strata(plan, 'baseline_', 'baseline')) -%}
{%- do sums.update({
    'n_values': 'COALESCE(SUM(s.n), 0)',
    'baseline_values': 'COALESCE(SUM(s.baseline_n), 0)',
    'n_strata': 'COUNT(s.share)',
    'n_outside_strata': 'SUM(s.n_values) + MAX(s.values_of_baseline) - COALESCE(SUM(s.n + s.baseline_n), 0)',
    'n_without': 'SUM(s.n_without) + MAX(s.without_of_baseline)',
}) -%}
{%- for name in others -%}
    {%- do sums.update({name: ('MAX(s.' if name.endswith('largest_square') else 'SUM(s.') ~ name ~ ')'}) -%}
{%- endfor -%}
{%- set adjusted_arms %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', keys) + rankmetrics_sql.rm_named(sums)) }}
    FROM {{ plan.stages.with_shares }} AS s
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', keys) | join(', ') }}
{%- endset -%}
{{ return({
    'stage': plan.stages.adjusted_arms,
    'ctes': [
        rankmetrics_sql.rm_cte(
            plan.stages.with_shares, with_shares,
            'each stratum with its share of the queries of both arms, NULL if an arm has fewer than two there'
        ),
        rankmetrics_sql.rm_cte(
            plan.stages.adjusted_arms, adjusted_arms,
            'the means and spreads of each arm, over its strata by their shares'
        ),
    ],
}) }}
{% endmacro %}

{#- What strata s make of an arm, whose columns begin so: its mean, spread and degrees, and what they were without. -#}
{% macro rm_sums_of_strata(plan, before, mean) %}
{%- set n = 's.' ~ before ~ 'n' -%}
{%- set term = 's.share * s.share * s.' ~ before ~ 'variance / ' ~ n -%}
{%- set within = 'SUM((' ~ n ~ ' - 1) * s.' ~ before ~ 'variance)' -%}
{%- set between = 'SUM(' ~ n ~ ' * POWER(s.' ~ mean ~ ' - s.plain_' ~ mean ~ ', 2))' -%}
{%- set sums = {
    mean: 'SUM(s.share * s.' ~ mean ~ ')',
    before ~ 'n': 'SUM(' ~ n ~ ')',
    before ~ 'variance': 'SUM(' ~ n ~ ') * SUM(' ~ term ~ ')',
    before ~ 'degrees_of_arm':
        'POWER(SUM(' ~ term ~ '), 2) / NULLIF(SUM(POWER(' ~ term ~ ', 2) / (' ~ n ~ ' - 1)), 0)',
    'plain_' ~ mean: 'MAX(s.plain_' ~ mean ~ ')',
    'plain_' ~ before ~ 'variance': '(' ~ within ~ ' + ' ~ between ~ ') / (SUM(' ~ n ~ ') - 1)',
} -%}
{%- if rankmetrics_sql.rm_has_tails(plan) -%}{%- do sums.update({before ~ 'squares_in_strata': within}) -%}{%- endif -%}
{{ return(sums) }}
{% endmacro %}

{#- What the baseline has in all strata, also in those that another arm lacks: queries with a value and without one. -#}
{% macro rm_counts_of_baseline(plan) %}
{%- if not plan.strata_names -%}{{ return([]) }}{%- endif -%}
{%- set keys = plan.group_names + ['metric_number'] -%}
{%- set counts = {} -%}
{%- for name, count in {'values_of_baseline': 'n_values', 'without_of_baseline': 'n_without'}.items() -%}
    {%- set own = 'CASE WHEN run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) ~ ' THEN ' ~ count
        ~ ' ELSE 0 END' -%}
    {%- do counts.update({name: 'SUM(' ~ own ~ ') OVER (PARTITION BY ' ~ keys | join(', ') ~ ')'}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_named(counts)) }}
{% endmacro %}

{#- The columns of strata in an effect: how many there are, and the queries in others. -#}
{% macro rm_facts_of_strata(plan) %}
{%- if not plan.strata_names -%}{{ return([]) }}{%- endif -%}
{{ return([
    {'name': 'n_strata', 'sql': rankmetrics_sql.rm_as_integer('s.n_strata')},
    {'name': 'n_outside_strata', 'sql': rankmetrics_sql.rm_as_integer('s.n_outside_strata')},
]) }}
{% endmacro %}

{#- Their names. -#}
{% macro rm_strata_facts(plan) %}
{{ return(['n_strata', 'n_outside_strata'] if plan.strata_names else []) }}
{% endmacro %}
