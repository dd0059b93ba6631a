{#- The means first, so that what is spread around them is summed without cancellation. -#}
{% macro rm_paired_effects(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set over_effect = rankmetrics_sql.rm_over_effect(plan) -%}
{%- set values = rankmetrics_sql.rm_unit_names(plan) + plan.cluster_names + plan.weight_names
    + (rankmetrics_sql.rm_term_names(plan) | reject('equalto', 'has_changed') | list)
    + rankmetrics_sql.rm_basis_of_pairs(plan) + ['of_baseline', 'baseline_value', 'candidate_value'] -%}
{%- set numbered = rankmetrics_sql.rm_effect_number(plan) -%}
{%- set linear = rankmetrics_sql.rm_linear_pairs(plan, keys + rankmetrics_sql.rm_unit_names(plan)
    + plan.cluster_names + rankmetrics_sql.rm_basis_of_pairs(plan) + ['of_baseline']) -%}
{%- set changes = ['has_changed'] if linear.ctes else [] -%}
{%- set difference = rankmetrics_sql.rm_difference(plan, linear.stage) -%}
{%- set differences %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + values + numbered + changes) }},
        {{ difference | indent(4) }} AS difference,
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_means_of_pairs(plan, difference, over_effect)
            + rankmetrics_sql.rm_share_of_weight(plan, difference, over_effect)
        ) }}
    FROM {{ linear.stage }}
{%- endset -%}
{%- set plain_deviation = '(p.difference - p.mean_difference)' -%}
{%- set deviation = rankmetrics_sql.rm_weighed(plan, plain_deviation) -%}
{%- set of_candidate = 'p.candidate_value / NULLIF(p.mean_candidate, 0)' -%}
{%- set relative = '(' ~ of_candidate ~ ' - p.baseline_value / NULLIF(p.mean_baseline, 0))' -%}
{%- if rankmetrics_sql.rm_is_linear_ratio(plan) -%}
    {%- set relative = '((p.candidate_value - p.mean_candidate / NULLIF(p.mean_baseline, 0) * p.baseline_value)'
        ~ ' / NULLIF(p.mean_baseline, 0))' -%}
{%- endif -%}
{%- set relative = rankmetrics_sql.rm_weighed(plan, relative) -%}
{%- set relative = rankmetrics_sql.rm_or_in_logarithms(plan, 'p', relative, deviation) -%}
{%- set deviations = {'in_cluster': deviation, 'relative_in_cluster': relative} -%}
{%- set weights = ' ASC, p.weight' if plan.weight_names else '' -%}
{%- set of_test = [] -%}
{%- if rankmetrics_sql.rm_is_relative(plan) -%}
    {%- set tested = rankmetrics_sql.rm_weighed(plan, rankmetrics_sql.rm_deviation_of_test(plan)) -%}
    {%- do deviations.update({'tested_in_cluster': tested}) -%}
    {%- do of_test.append({'name': 'tested_squares', 'sql': rankmetrics_sql.rm_aggregated(
        'sum', rankmetrics_sql.rm_square_of_share(plan, tested ~ ' * ' ~ tested),
        'p.difference ASC, p.baseline_value' ~ weights
    )}) -%}
{%- endif -%}
{%- set squares = rankmetrics_sql.rm_aggregated(
    'sum', rankmetrics_sql.rm_square_of_share(plan, deviation ~ ' * ' ~ deviation), 'p.difference' ~ weights
) -%}
{%- set relative_squares = rankmetrics_sql.rm_aggregated(
    'sum', rankmetrics_sql.rm_square_of_share(plan, relative ~ ' * ' ~ relative),
    'p.baseline_value ASC, p.candidate_value' ~ weights
) -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(' ~ rankmetrics_sql.rm_of_weight(plan, 'p.difference') ~ ')') -%}
{%- set known = keys + values + numbered | map(attribute='name') | list + changes
    + ['difference', 'mean_difference', 'mean_baseline', 'mean_candidate'] -%}
{%- set differs = 'p.difference IS NOT NULL AND p.has_changed = 1' if changes else 'p.difference <> 0' -%}
{%- set clustered = rankmetrics_sql.rm_clustered(
    plan, plan.stages.differences, known, deviations,
    differs ~ (' AND p.weight > 0' if plan.weight_names else ''), 'p.weight' if plan.weight_names else '1'
) -%}
{%- set placed = rankmetrics_sql.rm_placed_differences(plan, clustered.stage, known + clustered.names) -%}
{%- set changed = 'CASE WHEN p.difference IS NOT NULL THEN p.has_changed ELSE 0 END' -%}
{%- set others = rankmetrics_sql.rm_cluster_sums(plan, 'p', clustered.names) + rankmetrics_sql.rm_rank_sums(plan)
    + (rankmetrics_sql.rm_each('MAX(p.', ['effect_number']) if numbered else [])
    + (rankmetrics_sql.rm_named({'n_changed': 'SUM(' ~ changed ~ ')'}) if changes else [])
    + rankmetrics_sql.rm_sums_of_weights(plan, 'p.difference', plain_deviation, differs)
    + rankmetrics_sql.rm_basis_sums(plan, rankmetrics_sql.rm_basis_of_pairs(plan), 'p.difference')
    + rankmetrics_sql.rm_prediction_sums(plan) + rankmetrics_sql.rm_tails_of_pairs(plan) + of_test -%}
{%- set changed_by = 'p.human_difference' if rankmetrics_sql.rm_is_predicted(plan) else 'p.difference' -%}
{%- set baseline = rankmetrics_sql.rm_by_own_aggregate(plan, 'p', 'baseline_value', 'mean_baseline') -%}
{%- set candidate = rankmetrics_sql.rm_by_own_aggregate(plan, 'p', 'candidate_value', 'mean_candidate') -%}
{%- set mean_difference = rankmetrics_sql.rm_by_own_aggregate(
    plan, 'p', 'difference', 'mean_difference', of_logarithms='mean'
) -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('p', keys)) }},
        {{ baseline | indent(4) }} AS baseline,
        {{ candidate | indent(4) }} AS candidate,
        {{ mean_difference | indent(4) }} AS mean_difference,
        {{ squares }} AS squares,
        {{ relative_squares }} AS relative_squares,
        {{ n }} AS n,
        SUM(CASE WHEN {{ changed_by }} > 0 THEN 1 ELSE 0 END) AS n_higher,
        SUM(CASE WHEN {{ changed_by }} = 0 THEN 1 ELSE 0 END) AS n_ties,
        SUM(CASE WHEN {{ changed_by }} < 0 THEN 1 ELSE 0 END) AS n_lower,
        {{ rankmetrics_sql.rm_count_of_terms(plan, 'p', 'p.difference') }} AS n_queries,
        COUNT(*) AS n_rows,
        {{ rankmetrics_sql.rm_lines([{'name': 'n_rows_of_both', 'sql': 'COUNT(p.of_baseline)'}] + others) }}
    FROM {{ placed.stage }} AS p
    GROUP BY {{ rankmetrics_sql.rm_qualified('p', keys) | join(', ') }}
{%- endset -%}
{%- set rounded = {'mean_difference': rankmetrics_sql.rm_beyond_rounding('s.mean_difference', 's.baseline')} -%}
{%- set sums_of_squares = ['squares', 'relative_squares'] + of_test | map(attribute='name') | list -%}
{%- for name in deviations if plan.cluster_names -%}{%- do sums_of_squares.append(name ~ '_squares') -%}{%- endfor -%}
{%- for name in sums_of_squares -%}
    {%- set size = '' if name.startswith('relative') else 's.baseline' -%}
    {%- do rounded.update({name: rankmetrics_sql.rm_beyond_rounding(
        's.' ~ name, size, 's.weight_squares' if plan.weight_names else 's.n'
    )}) -%}
{%- endfor -%}
{#- If a mean is not finite, n is NULL, and so is everything computed from it. -#}
{%- set counted = [{'name': 'n', 'sql': 'CASE WHEN ' ~ rankmetrics_sql.rm_are_finite() ~ ' THEN s.n END'}]
    if rankmetrics_sql.rm_may_be_infinite(plan) else ['n'] -%}
{%- set n_rows_of_baseline = rankmetrics_sql.rm_of_baseline(plan, 'n_rows', plan.group_names + ['metric_number']) -%}
{%- set beside_baseline %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            keys + ['baseline', 'candidate'] + counted + ['n_higher', 'n_ties', 'n_lower', 'n_queries', 'n_rows',
            'n_rows_of_both'] + others | map(attribute='name') | reject('in', rounded) | list
            + rankmetrics_sql.rm_named(rounded)
        ) }},
        COALESCE({{ n_rows_of_baseline }}, 0) AS n_rows_of_baseline
    FROM {{ plan.stages.sums }} AS s
{%- endset -%}
{%- set variance = 'CASE WHEN n > 1 THEN squares / (n - 1) END' -%}
{%- set error = 'CASE WHEN n > 1 THEN SQRT(squares / (n - 1) / n) END' -%}
{%- set error_of_sum = 'CASE WHEN n > 1 THEN SQRT(squares / (n - 1) * n) END' -%}
{%- set relative_error = 'CASE WHEN n > 1 THEN SQRT(relative_squares / (n - 1) / n) END' -%}
{%- if plan.weight_names -%}
    {%- set variance = 'CASE WHEN n > 1 THEN weighed_squares / NULLIF(sum_of_weights, 0) * n / (n - 1) END' -%}
{%- endif -%}
{%- set deviation = 'SQRT(' ~ variance ~ ')' -%}
{%- set degrees = 'CASE WHEN n > 1 THEN n - 1 END' -%}
{%- if rankmetrics_sql.rm_is_predicted(plan) -%}
    {%- set deviation = 'human_deviation' -%}
{%- endif -%}
{%- if rankmetrics_sql.rm_has_shares(plan) -%}
    {%- set own_squares = 'in_cluster_squares' if plan.cluster_names else 'squares' -%}
    {%- set error_of_sum = rankmetrics_sql.rm_cluster_error(plan, own_squares) -%}
    {%- set divisor = rankmetrics_sql.rm_divisor(plan) -%}
    {%- set error = error_of_sum ~ ' / ' ~ divisor -%}
    {%- set relative_error = rankmetrics_sql.rm_cluster_error(plan, 'relative_' ~ own_squares) ~ ' / ' ~ divisor -%}
    {%- set degrees = 'CASE WHEN ' ~ rankmetrics_sql.rm_are_several(plan) ~ ' THEN cluster_degrees END' -%}
{%- endif -%}
{%- if rankmetrics_sql.rm_is_predicted(plan) -%}
    {%- set degrees = rankmetrics_sql.rm_human_degrees('s') -%}
    {%- set error = 'CASE WHEN s.human_degrees > 0 THEN ' ~ error ~ ' END' -%}
    {%- set relative_error = 'CASE WHEN s.human_degrees > 0 THEN ' ~ relative_error ~ ' END' -%}
{%- endif -%}
{%- if plan.options.test == 'bootstrap' -%}
    {%- set error = rankmetrics_sql.rm_beyond_rounding('z.drawn_error', 's.baseline') -%}
    {%- set error_of_sum = '(' ~ error ~ ') * n' -%}
{%- endif -%}
{#- Counts are sums whatever the weights of queries are, and weights say nothing of their errors. -#}
{%- set unknown = rankmetrics_sql.rm_as_double('NULL') -%}
{%- set of_counts = [unknown, unknown, unknown] if plan.weight_names
    else [error_of_sum, deviation ~ ' * n', relative_error] -%}
{%- set slope = ' * ' ~ rankmetrics_sql.rm_logarithmic_mean('mean_difference') -%}
{%- set found = rankmetrics_sql.rm_error_of_tested_pairs(plan) -%}
{%- do found.update({
    'effect_size': rankmetrics_sql.rm_by_aggregate(
        plan, 's', {
            'mean': 'mean_difference', 'sum': 'mean_difference', 'linear': 'mean_difference',
            'logarithmic': 'mean_difference' ~ slope,
        }, other='s.candidate - s.baseline'
    ),
    'standard_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {
        'mean': error, 'sum': of_counts[0], 'linear': error, 'logarithmic': '(' ~ error ~ ')' ~ slope,
    }),
    'degrees': degrees,
    'deviation': rankmetrics_sql.rm_by_aggregate(plan, 's', {
        'mean': deviation, 'sum': of_counts[1], 'linear': deviation, 'logarithmic': deviation ~ slope,
    }),
    'relative_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {
        'mean': relative_error, 'sum': of_counts[2], 'linear': relative_error, 'logarithmic': relative_error,
    }),
}) -%}
{#- ClickHouse cannot join by a constant of what is joined itself. -#}
{%- set join_key = 'CASE WHEN s.n_queries > 0 THEN 1 END' if numbered else 1 -%}
{#- What is computed where n > 1 is NULL where n is. -#}
{%- set of_n = ['deviation'] + ([] if rankmetrics_sql.rm_has_shares(plan)
    else ['degrees', 'relative_error'] + ([] if plan.options.test == 'bootstrap' else ['standard_error'])) -%}
{%- set joined = plan.stages.resampled if rankmetrics_sql.rm_is_resampled(plan) else plan.stages.exact -%}
{%- set effects %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            keys + rankmetrics_sql.rm_of_finite_values(
                plan, ['baseline', 'candidate'] + rankmetrics_sql.rm_named(found)
                    + rankmetrics_sql.rm_counted_pairs(plan) + rankmetrics_sql.rm_rank_test_of_pairs(plan)
                    + rankmetrics_sql.rm_exact_facts(plan) + rankmetrics_sql.rm_drawn_facts(plan),
                's.n IS NOT NULL', of_n
            )
            + ['n_queries'] + rankmetrics_sql.rm_n_clusters(plan, 's.cluster_count', 's.largest_share')
            + rankmetrics_sql.rm_weight_facts(plan) + rankmetrics_sql.rm_facts_of_pair_predictions(plan)
            + rankmetrics_sql.rm_judged_shares(plan) + rankmetrics_sql.rm_largest_spread(plan)
        ) }},
        {{ rankmetrics_sql.rm_units_that_differ(plan) | indent(4) }} AS n_units,
        {%- if rankmetrics_sql.rm_is_bounded(plan) %}
        {{ rankmetrics_sql.rm_units_of_pairs(plan, false) | indent(4) }} AS n_that_changed,
        {%- endif %}
        {{ join_key }} AS join_key,
        n_rows + n_rows_of_baseline - n_rows_of_both - n_queries AS n_left_out
    FROM {{ plan.stages.beside_baseline }} AS s
    {%- if numbered %}
    LEFT JOIN {{ joined }} AS z ON z.effect_number = s.effect_number
    {%- endif %}
    WHERE {{ rankmetrics_sql.rm_has_effect(plan) }}{{ rankmetrics_sql.rm_and_many(plan) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_pairs(plan) + linear.ctes + [
    rankmetrics_sql.rm_cte(
        plan.stages.differences, differences,
        'the difference of each pair of values, beside the means of its effect'
    ),
] + clustered.ctes + placed.ctes + rankmetrics_sql.rm_resampling(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.sums, sums,
        'the means, sums of squares and counts of each effect'
    ),
] + rankmetrics_sql.rm_exact_ranks(plan, placed.stage) + [
    rankmetrics_sql.rm_cte(
        plan.stages.beside_baseline, beside_baseline,
        'each effect beside the row count of the baseline, with differences below 1e-12 (relative) set to 0'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.effects, effects,
        'the effects, a row for each candidate, group and metric, with their errors'
    ),
]) }}
{% endmacro %}

{#- The means of an effect on each of its rows. -#}
{% macro rm_means_of_pairs(plan, difference, over_effect) %}
{%- set values = {
    'mean_difference': difference,
    'mean_baseline': 'baseline_value',
    'mean_candidate': 'candidate_value',
} -%}
{%- set means = {} -%}
{%- for name, value in values.items() -%}
    {%- do means.update({name: rankmetrics_sql.rm_mean_over(plan, value, over_effect)}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_named(means)) }}
{% endmacro %}

{#- How many queries rise and fall; a value of all queries together is not made of theirs. -#}
{% macro rm_counted_pairs(plan) %}
{%- set names = ['n_higher', 'n_ties', 'n_lower'] -%}
{%- set of_parts = plan.metrics | selectattr('aggregate', 'equalto', 'parts') | list -%}
{%- if not of_parts -%}{{ return(names) }}{%- endif -%}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- set own = rankmetrics_sql.rm_as_double('s.' ~ name) -%}
    {%- set unknown = rankmetrics_sql.rm_as_double('NULL') -%}
    {%- set sql = rankmetrics_sql.rm_by_aggregate(plan, 's', {'linear': unknown, 'parts': unknown}, other=own) -%}
    {%- do columns.append({'name': name, 'sql': sql}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
