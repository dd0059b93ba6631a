{#- Arms: each has queries of its own, and its variance too (Welch 1947); clusters may be of both (05_shared.sql). -#}
{% macro rm_unpaired_effects(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set over_effect = rankmetrics_sql.rm_over_effect(plan) -%}
{%- set values = rankmetrics_sql.rm_unit_names(plan) + plan.cluster_names + plan.strata_names
    + plan.weight_names + rankmetrics_sql.rm_term_names(plan) + plan.basis_names + ['value'] -%}
{%- set numbered = rankmetrics_sql.rm_effect_number(plan) -%}
{%- set names = keys + rankmetrics_sql.rm_unit_names(plan) + plan.cluster_names + plan.strata_names
    + plan.basis_names -%}
{%- set linear = rankmetrics_sql.rm_linear(
    plan, plan.stages.query_values, names + plan.covariate_names + ['value'],
    ['run_id'] + plan.group_names + ['metric_number']
) -%}
{%- set as_terms = rankmetrics_sql.rm_columns_from('l', names + rankmetrics_sql.rm_term_names(plan))
    + [{'name': 'value', 'sql': 'l.linear_value'}] -%}
{%- set value = 'l.linear_value' if linear.ctes else 'value' -%}
{%- set covariate = rankmetrics_sql.rm_centred_covariate(plan, value, over_effect) -%}
{%- set logarithms = rankmetrics_sql.rm_logarithms_of_arms(plan, linear.stage if not linear.ctes else 'l', value) -%}
{%- set mean = rankmetrics_sql.rm_mean_over(plan, logarithms[0].sql if logarithms else value, over_effect) -%}
{%- set share = rankmetrics_sql.rm_share_of_weight(
    plan, logarithms[0].sql if logarithms else value, over_effect
) -%}
{%- set beside = numbered + covariate + logarithms + share -%}
{%- set centred %}
    SELECT
        {{ rankmetrics_sql.rm_lines((as_terms if linear.ctes else keys + values) + beside) }},
        {{ mean }} AS mean_value
    FROM {{ linear.stage }}{{ ' AS l' if linear.ctes }}
{%- endset -%}
{%- set influence = rankmetrics_sql.rm_influence_in_arm(plan, 'value') -%}
{%- set order = 'p.value ASC, p.weight' if plan.weight_names else 'p.value' -%}
{%- set square = rankmetrics_sql.rm_square_of_share(plan, influence ~ ' * ' ~ influence) -%}
{%- set squares = rankmetrics_sql.rm_aggregated('sum', square, order) -%}
{%- set weighing = rankmetrics_sql.rm_of_weight(plan, 'p.value') -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(' ~ weighing ~ ')') -%}
{%- set known = keys + values + beside | map(attribute='name') | list + ['mean_value'] -%}
{%- set clustered = rankmetrics_sql.rm_clustered(
    plan, plan.stages.differences, known, rankmetrics_sql.rm_influences_of_arms(plan),
    weight='p.weight' if plan.weight_names else '1'
) -%}
{%- set shared = rankmetrics_sql.rm_shared_clusters(plan, clustered.stage, known + clustered.names) -%}
{%- set placed = rankmetrics_sql.rm_placed_values(plan, shared.stage, known + clustered.names) -%}
{%- set numbers = rankmetrics_sql.rm_each('MAX(p.', ['effect_number']) if numbered else [] -%}
{%- set others = rankmetrics_sql.rm_cluster_sums(plan, 'p', clustered.names)
    + rankmetrics_sql.rm_rank_sums(plan) + rankmetrics_sql.rm_covariate_sums(plan)
    + rankmetrics_sql.rm_sums_of_weights(
        plan, 'p.value', rankmetrics_sql.rm_deviation_in_arm(plan), 'p.value IS NOT NULL'
    ) + rankmetrics_sql.rm_basis_sums(plan, plan.basis_names, 'p.value')
    + rankmetrics_sql.rm_prediction_sums(plan) + rankmetrics_sql.rm_largest_square(plan, square, 'p') -%}
{%- set n_values = rankmetrics_sql.rm_count_of_terms(plan, 'p', 'p.value') -%}
{%- set of_arm = numbers + rankmetrics_sql.rm_shared_sums(plan) -%}
{%- set spread = squares if plan.weight_names
    else 'CASE WHEN COUNT(p.value) > 1 THEN ' ~ squares ~ ' / (' ~ n ~ ' - 1) END' -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('p', keys + plan.strata_names)) }},
        {{ rankmetrics_sql.rm_by_own_aggregate(plan, 'p', 'value', 'mean_value') | indent(4) }} AS candidate,
        {{ spread }} AS spread,
        {{ n }} AS n,
        {{ n_values }} AS n_values,
        {{ rankmetrics_sql.rm_lines([{'name': 'n_without', 'sql': 'COUNT(*) - ' ~ n_values}] + others + of_arm) }}
    FROM {{ placed.stage }} AS p
    GROUP BY {{ rankmetrics_sql.rm_qualified('p', keys + plan.strata_names) | join(', ') }}
{%- endset -%}
{%- set variance = rankmetrics_sql.rm_beyond_rounding(
    'spread', 'candidate', 'weight_squares' if plan.weight_names else '1'
) -%}
{%- set of_baselines = [{'name': 'variance', 'sql': variance}] -%}
{%- set of_baseline = {
    'baseline': 'candidate', 'baseline_variance': variance, 'baseline_n': 'n', 'baseline_values': 'n_values',
    'baseline_without': 'n_without',
} -%}
{%- for column in others -%}{%- do of_baseline.update({'baseline_' ~ column.name: column.name}) -%}{%- endfor -%}
{%- set each_question = plan.group_names + ['metric_number'] + plan.strata_names -%}
{%- for name, own in of_baseline.items() -%}
    {%- do of_baselines.append({'name': name, 'sql': rankmetrics_sql.rm_of_baseline(plan, own, each_question)}) -%}
{%- endfor -%}
{%- set beside_baseline %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            keys + plan.strata_names + ['candidate', 'n', 'n_values', 'n_without']
            + (others + of_arm) | map(attribute='name') | list + of_baselines
            + rankmetrics_sql.rm_counts_of_baseline(plan)
        ) }}
    FROM {{ plan.stages.sums }}
{%- endset -%}
{%- set names_of_others = others | map(attribute='name') | list -%}
{%- if plan.strata_names -%}
    {%- for column in others -%}{%- do names_of_others.append('baseline_' ~ column.name) -%}{%- endfor -%}
    {%- set adjusted = rankmetrics_sql.rm_stratified_arms(plan, names_of_others) -%}
{%- else -%}
    {%- set adjusted = rankmetrics_sql.rm_adjusted_arms(plan, ['candidate', 'n', 'n_values', 'n_without']
        + names_of_others + (of_arm + of_baselines) | map(attribute='name') | list) -%}
{%- endif -%}
{%- set variances = rankmetrics_sql.rm_variances_of_arms(plan) -%}
{%- set plain = rankmetrics_sql.rm_variances_of_arms(plan, 'plain_') -%}
{%- set own = variances[0] -%}
{%- set of_baseline = variances[1] -%}
{%- set own_relative = own ~ ' / NULLIF(s.candidate * s.candidate, 0)' -%}
{%- set relative_of_baseline = of_baseline ~ ' / NULLIF(s.baseline * s.baseline, 0)' -%}
{%- set divided = ' / NULLIF(s.candidate * s.baseline, 0)' -%}
{%- if rankmetrics_sql.rm_is_linear_ratio(plan) -%}
    {%- set own_relative = own ~ ' / NULLIF(s.baseline * s.baseline, 0)' -%}
    {%- set relative_of_baseline = of_baseline
        ~ ' * POWER(s.candidate / NULLIF(s.baseline, 0), 2) / NULLIF(s.baseline * s.baseline, 0)' -%}
    {%- set divided = ' * s.candidate / NULLIF(POWER(s.baseline, 3), 0)' -%}
{%- endif -%}
{%- set own_relative = '(' ~ rankmetrics_sql.rm_or_in_logarithms(plan, 's', own_relative, own) ~ ')' -%}
{%- set relative_of_baseline = '('
    ~ rankmetrics_sql.rm_or_in_logarithms(plan, 's', relative_of_baseline, of_baseline) ~ ')' -%}
{%- set error = 'SQRT(' ~ rankmetrics_sql.rm_variance_of_difference(
    plan, '(' ~ own ~ ')', '(' ~ of_baseline ~ ')'
) ~ ')' -%}
{%- set relative_error = 'SQRT(' ~ rankmetrics_sql.rm_variance_of_difference(
    plan, own_relative, relative_of_baseline, divided
) ~ ')' -%}
{%- if plan.options.test == 'bootstrap' -%}
    {%- set drawn = rankmetrics_sql.rm_beyond_rounding('z.drawn_error', 's.baseline') -%}
    {%- set error = 'CASE WHEN s.n > 1 AND s.baseline_n > 1 THEN ' ~ drawn ~ ' END' -%}
{%- endif -%}
{%- set deviation = 'SQRT((variance + baseline_variance) / 2)' if not rankmetrics_sql.rm_is_adjusted(plan)
    else 'SQRT((plain_variance + plain_baseline_variance) / 2)' -%}
{%- set deviation = rankmetrics_sql.rm_weighed_deviation_of_arms() if plan.weight_names else deviation -%}
{%- if rankmetrics_sql.rm_is_predicted(plan) -%}
    {%- set deviation = 'SQRT((POWER(human_deviation, 2) + POWER(baseline_human_deviation, 2)) / 2)' -%}
{%- endif -%}
{%- set slope = ' * ' ~ rankmetrics_sql.rm_logarithmic_mean('LN(s.candidate / s.baseline)') -%}
{%- set found = {
    'effect_size': rankmetrics_sql.rm_beyond_rounding('(s.candidate - s.baseline)', 's.baseline'),
    'standard_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {
        'mean': error, 'linear': error, 'logarithmic': error ~ slope,
    }),
    'degrees': rankmetrics_sql.rm_welch(plan, '(' ~ own ~ ')', '(' ~ of_baseline ~ ')'),
    'deviation': rankmetrics_sql.rm_by_aggregate(plan, 's', {
        'mean': deviation, 'linear': deviation, 'logarithmic': deviation ~ slope,
    }),
    'relative_error': rankmetrics_sql.rm_by_aggregate(
        plan, 's', {'mean': relative_error, 'linear': relative_error, 'logarithmic': relative_error}
    ),
    'relative_degrees': rankmetrics_sql.rm_welch(plan, own_relative, relative_of_baseline),
} -%}
{%- do found.update(rankmetrics_sql.rm_test_of_arms(plan, own, of_baseline)) -%}
{%- set of_pairs = rankmetrics_sql.rm_unknown(['n_higher', 'n_ties', 'n_lower']) + rankmetrics_sql.rm_of_finite_values(
    plan, rankmetrics_sql.rm_rank_test_of_arms(plan) + rankmetrics_sql.rm_drawn_facts_of_arms(plan),
    rankmetrics_sql.rm_are_finite()
) + rankmetrics_sql.rm_n_clusters(
    plan, 's.cluster_count + s.baseline_cluster_count - s.n_in_baseline',
    'CASE WHEN s.largest_share > s.baseline_largest_share THEN s.largest_share ELSE s.baseline_largest_share END'
)
    + rankmetrics_sql.rm_facts_of_strata(plan) + rankmetrics_sql.rm_facts_of_covariate(
        plan, rankmetrics_sql.rm_variance_of_difference(plan, own, of_baseline),
        rankmetrics_sql.rm_variance_of_difference(plan, plain[0], plain[1], before='plain_')
    )
    + rankmetrics_sql.rm_facts_of_arm_predictions(plan) + rankmetrics_sql.rm_named(
        {'n_unweighted': 's.n_unweighted + s.baseline_n_unweighted'} if plan.weight_names else {}
    ) + rankmetrics_sql.rm_judged_shares(plan) + rankmetrics_sql.rm_largest_spread(plan) -%}
{%- set own_units = 'human_units' if rankmetrics_sql.rm_is_predicted(plan)
    else 'n_effective' if plan.weight_names else 'cluster_count' if plan.cluster_names else 'n_values' -%}
{%- set units_of_baseline = 'baseline_' ~ (own_units if own_units != 'n_values' else 'values') -%}
{#- ClickHouse cannot join by a constant of what is joined itself. -#}
{%- set join_key = 'CASE WHEN n_values > 0 THEN 1 END' if numbered else 1 -%}
{%- set n_queries = 'n_values + baseline_values' -%}
{%- set n_left_out = 'n_without + baseline_without' -%}
{%- if plan.strata_names -%}
    {%- set n_queries = rankmetrics_sql.rm_as_integer(n_queries) -%}
    {%- set n_left_out = rankmetrics_sql.rm_as_integer('n_without + n_outside_strata') -%}
{%- endif -%}
{%- set effects %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_of_finite_values(
            plan, ['baseline', 'candidate'] + rankmetrics_sql.rm_named(found), rankmetrics_sql.rm_are_finite()
        ) + of_pairs) }},
        {{ n_queries }} AS n_queries,
        {{ rankmetrics_sql.rm_as_integer(rankmetrics_sql.rm_lesser(own_units, units_of_baseline)) }} AS n_units,
        {{ n_left_out }} AS n_left_out,
        {{ join_key }} AS join_key
    FROM {{ adjusted.stage }} AS s
    {%- if numbered %}
    LEFT JOIN {{ plan.stages.resampled }} AS z ON z.effect_number = s.effect_number
    {%- endif %}
    WHERE {{ rankmetrics_sql.rm_has_effect(plan) }}{{ rankmetrics_sql.rm_and_many(plan) }}
{%- endset -%}
{%- set in_strata = ', in each stratum' if plan.strata_names else '' -%}
{{ return(linear.ctes + [
    rankmetrics_sql.rm_cte(plan.stages.differences, centred, 'each value beside the mean of its arm'),
] + clustered.ctes + shared.ctes + placed.ctes + rankmetrics_sql.rm_resampling(plan) + [
    rankmetrics_sql.rm_cte(plan.stages.sums, sums, 'the mean, spread and number of values of each arm' ~ in_strata),
    rankmetrics_sql.rm_cte(
        plan.stages.beside_baseline, beside_baseline, 'each arm beside the baseline of its group' ~ in_strata
    ),
] + adjusted.ctes + [
    rankmetrics_sql.rm_cte(
        plan.stages.effects, effects,
        'the effects, a row for each arm, group and metric, with their errors'
    ),
]) }}
{% endmacro %}

{#-
The influence of a row p on the mean of its arm, of the values or of the covariates: how far it is from that mean, times
what it weighs. Errors, and what clusters add up to, are made of influences alone, whatever a metric is.
-#}
{% macro rm_influence_in_arm(plan, of) %}
{{ return(rankmetrics_sql.rm_weighed(
    plan, rankmetrics_sql.rm_deviation_in_arm(plan) if of == 'value' else '(p.covariate_value - p.mean_covariate)'
)) }}
{% endmacro %}

{#- The influences that clusters add up, by the names of their sums. -#}
{% macro rm_influences_of_arms(plan) %}
{%- set influences = {'in_cluster': rankmetrics_sql.rm_influence_in_arm(plan, 'value')} -%}
{%- if plan.covariate_names -%}
    {%- do influences.update({'covariate_in_cluster': rankmetrics_sql.rm_influence_in_arm(plan, 'covariate')}) -%}
{%- endif -%}
{{ return(influences) }}
{% endmacro %}

{#- How far a value p is from the mean of its arm, on the scale that it is compared on. -#}
{% macro rm_deviation_in_arm(plan) %}
{{ return('(p.' ~ ('own_value' if rankmetrics_sql.rm_has_logarithms(plan) else 'value') ~ ' - p.mean_value)') }}
{% endmacro %}

{#- The values of arms on that scale, where it is another one. -#}
{% macro rm_logarithms_of_arms(plan, alias, value) %}
{%- if not rankmetrics_sql.rm_has_logarithms(plan) -%}{{ return([]) }}{%- endif -%}
{{ return([{'name': 'own_value', 'sql': rankmetrics_sql.rm_or_in_logarithms(
    plan, alias, value, rankmetrics_sql.rm_logarithm(value)
)}]) }}
{% endmacro %}

{#- The variances of the means of an arm and of the baseline; plain_ are those without an adjustment. -#}
{% macro rm_variances_of_arms(plan, before='') %}
{%- if not rankmetrics_sql.rm_has_shares(plan) -%}
    {{ return([before ~ 'variance / n', before ~ 'baseline_variance / baseline_n']) }}
{%- endif -%}
{%- set squares = 'in_cluster_squares' if plan.cluster_names else 'variance' -%}
{%- set own = rankmetrics_sql.rm_cluster_error(plan, before ~ squares) -%}
{%- set of_baseline = rankmetrics_sql.rm_cluster_error(plan, before ~ 'baseline_' ~ squares, 'baseline_') -%}
{{ return([
    'POWER(' ~ own ~ ' / ' ~ rankmetrics_sql.rm_divisor(plan) ~ ', 2)',
    'POWER(' ~ of_baseline ~ ' / ' ~ rankmetrics_sql.rm_divisor(plan, 'baseline_') ~ ', 2)',
]) }}
{% endmacro %}

{#- Degrees of freedom of the sum of two variances of means. -#}
{% macro rm_welch(plan, own, of_baseline) %}
{%- set sum = '(' ~ own ~ ' + ' ~ of_baseline ~ ')' -%}
{%- set degrees = [rankmetrics_sql.rm_human_degrees(''), rankmetrics_sql.rm_human_degrees('', 'baseline_')]
    if rankmetrics_sql.rm_is_predicted(plan)
    else ['cluster_degrees', 'baseline_cluster_degrees'] if rankmetrics_sql.rm_has_shares(plan)
    else ['degrees_of_arm', 'baseline_degrees_of_arm'] if plan.strata_names else ['(n - 1)', '(baseline_n - 1)'] -%}
{%- set parts = own ~ ' * ' ~ own ~ ' / ' ~ degrees[0] ~ ' + ' ~ of_baseline ~ ' * ' ~ of_baseline ~ ' / '
    ~ degrees[1] ~ rankmetrics_sql.rm_shared_degrees(plan, own, of_baseline) -%}
{%- set several = [rankmetrics_sql.rm_are_several(plan), rankmetrics_sql.rm_are_several(plan, 'baseline_')] -%}
{%- set condition = several | join(' AND ') ~ ' AND ' ~ sum ~ ' > 0' -%}
{{ return('CASE WHEN ' ~ condition ~ ' THEN ' ~ sum ~ ' * ' ~ sum ~ ' / (' ~ parts ~ ') END') }}
{% endmacro %}
