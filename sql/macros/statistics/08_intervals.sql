{#-
Intervals of the values of a summary, by Student's t: one relation after the other, as of effects.
    centred    the values of queries as they are, or their logarithms where the mean is geometric, beside their mean
    summed     with how far they spread around it, summed without cancellation
    measured   estimate, error, degrees
and the points as of effects. By weights each query is a cluster (05_weights.sql).
-#}

{% macro rm_has_intervals(plan) %}
{{ return(plan.level == 'summary' and (plan.options.interval is not none or rankmetrics_sql.rm_is_predicted(plan))) }}
{% endmacro %}

{#- The values of queries on the scale of their interval. -#}
{% macro rm_on_own_scale(plan) %}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- do expressions.append(
        rankmetrics_sql.rm_logarithm('v.value') if metric.aggregate == 'geometric'
        else 'v.linear_value' if metric.aggregate == 'parts' or rankmetrics_sql.rm_is_predicted(plan) else 'v.value'
    ) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('v', expressions)) }}
{% endmacro %}

{% macro rm_centred(plan, values) %}
{%- if not rankmetrics_sql.rm_has_intervals(plan) -%}{{ return([]) }}{%- endif -%}
{%- set names = rankmetrics_sql.rm_breakdown_keys(plan) + rankmetrics_sql.rm_value_names(plan)
    + (['value_number', 'n_values'] if rankmetrics_sql.rm_has_medians(plan) else []) -%}
{%- set keys = rankmetrics_sql.rm_summary_keys(plan) + ['metric_number'] -%}
{%- set linear = rankmetrics_sql.rm_linear(plan, values, names, keys) -%}
{%- set over = 'OVER (PARTITION BY ' ~ keys | join(', ') ~ ')' -%}
{%- set mean = rankmetrics_sql.rm_mean_over(plan, 'own_value', over) -%}
{%- set share = rankmetrics_sql.rm_share_of_weight(plan, 'own_value', over) -%}
{%- set numbered = rankmetrics_sql.rm_effect_number(plan) -%}
{%- set deviations = {'in_cluster': rankmetrics_sql.rm_deviation(plan, 'p')} -%}
{%- set given = rankmetrics_sql.rm_columns_from('v', names) -%}
{%- if rankmetrics_sql.rm_is_predicted(plan) -%}
    {%- set names = names + rankmetrics_sql.rm_term_names(plan) -%}
    {%- set given = rankmetrics_sql.rm_columns_from('v', names | reject('equalto', 'value') | list)
        + [{'name': 'value', 'sql': 'v.linear_value'}] -%}
{%- endif -%}
{%- set clustered = rankmetrics_sql.rm_clustered(
    plan, plan.stages.centred, names + numbered | map(attribute='name') | list + ['own_value', 'own_mean'], deviations,
    weight='p.weight' if plan.weight_names else '1'
) -%}
{%- set centred %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names + ['own_value'] + numbered) }},
        {{ rankmetrics_sql.rm_lines([{'name': 'own_mean', 'sql': mean}] + share) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(given, 12) }},
            {{ rankmetrics_sql.rm_on_own_scale(plan) | indent(8) }} AS own_value
        FROM {{ linear.stage }} AS v
    ) AS scaled
{%- endset -%}
{{ return(linear.ctes + [rankmetrics_sql.rm_cte(
    plan.stages.centred, centred,
    'each value beside the mean of its summary row, to measure the spread'
)] + clustered.ctes) }}
{% endmacro %}

{#- How far a value is from the mean, times what it weighs. -#}
{% macro rm_deviation(plan, alias) %}
{%- set deviation = '(' ~ alias ~ '.own_value - ' ~ alias ~ '.own_mean)' -%}
{{ return(alias ~ '.weight * ' ~ deviation if plan.weight_names
    else rankmetrics_sql.rm_stretched(plan, alias, deviation)) }}
{% endmacro %}

{#- Sums over the values v of a row, for its interval. -#}
{% macro rm_spread(plan) %}
{%- if not rankmetrics_sql.rm_has_intervals(plan) -%}{{ return([]) }}{%- endif -%}
{%- set deviation = rankmetrics_sql.rm_deviation(plan, 'v') -%}
{%- set square = rankmetrics_sql.rm_square_of_share(plan, deviation ~ ' * ' ~ deviation, 'v') -%}
{%- set order = 'v.own_value ASC, v.weight' if plan.weight_names else 'v.own_value' -%}
{%- set known = 'v.own_value' if rankmetrics_sql.rm_part_names(plan) else 'v.value' -%}
{%- set counted = 'CASE WHEN v.weight IS NOT NULL THEN v.value END' if plan.weight_names else known -%}
{{ return([
    {'name': 'own_mean', 'sql': 'MAX(v.own_mean)'},
    {'name': 'squares', 'sql': rankmetrics_sql.rm_aggregated('sum', square, order)},
    {'name': 'n_spread', 'sql': rankmetrics_sql.rm_as_double('COUNT(' ~ counted ~ ')')},
] + rankmetrics_sql.rm_cluster_sums(plan, 'v', ['in_cluster']) + rankmetrics_sql.rm_sums_of_shares(plan, 'v')
    + rankmetrics_sql.rm_largest_square(plan, square, 'v') + rankmetrics_sql.rm_prediction_sums(plan, 'v')
    + (rankmetrics_sql.rm_each('MAX(v.', ['effect_number']) if rankmetrics_sql.rm_is_resampled(plan) else [])) }}
{% endmacro %}

{#- The columns of a row beside its keys. -#}
{% macro rm_summary_facts(plan) %}
{{ return([rankmetrics_sql.rm_named_by(plan), rankmetrics_sql.rm_summed_name(plan), 'n_queries']
    + rankmetrics_sql.rm_queries_left_out(plan) + rankmetrics_sql.rm_weight_sums(plan)
    + (['cluster_count'] if plan.cluster_names else [])
    + (['largest_share'] if rankmetrics_sql.rm_has_shares(plan) else [])
    + rankmetrics_sql.rm_prediction_sum_names(plan)
    + rankmetrics_sql.rm_resampled_names(plan) + plan.fault_names
    + rankmetrics_sql.rm_left_out(plan) | map(attribute='name') | list) }}
{% endmacro %}

{#- The rows of a summary with the points that their intervals reach to. -#}
{% macro rm_bounded_values(plan, summed) %}
{%- set few = 'CASE WHEN g.n_spread > 1 THEN ' -%}
{%- set variance = 'g.squares / (g.n_spread - 1)' -%}
{%- set of_mean = few ~ 'SQRT(' ~ variance ~ ' / g.n_spread) END' -%}
{%- set of_sum = few ~ 'SQRT(' ~ variance ~ ' * g.n_spread) END' -%}
{%- set degrees = few ~ 'g.n_spread - 1 END' -%}
{%- if rankmetrics_sql.rm_has_shares(plan) -%}
    {%- set squares = 'g.in_cluster_squares' if plan.cluster_names else 'g.squares' -%}
    {%- set of_sum = rankmetrics_sql.rm_cluster_error(plan, squares, 'g.', 'n_spread') -%}
    {%- set of_mean = of_sum ~ ' / ' ~ ('NULLIF(g.sum_of_weights, 0)' if plan.weight_names else 'g.n_spread') -%}
    {%- set of_sum = rankmetrics_sql.rm_as_double('NULL') if plan.weight_names else of_sum -%}
    {%- set several = rankmetrics_sql.rm_are_several(plan, 'g.', 'n_spread') -%}
    {%- set degrees = 'CASE WHEN ' ~ several ~ ' THEN g.cluster_degrees END' -%}
{%- endif -%}
{%- if rankmetrics_sql.rm_is_predicted(plan) -%}
    {%- set of_mean = 'CASE WHEN g.human_degrees > 0 THEN ' ~ of_mean ~ ' END' -%}
    {%- set degrees = rankmetrics_sql.rm_human_degrees('g') -%}
{%- endif -%}
{%- set known = {
    'estimate': rankmetrics_sql.rm_by_aggregate(plan, 'g', {'sum': 'g.value'}, other='g.own_mean'),
    'error': rankmetrics_sql.rm_by_aggregate(plan, 'g', {
        'mean': of_mean, 'linear': of_mean, 'geometric': of_mean, 'sum': of_sum,
    }),
    'degrees': degrees,
} -%}
{%- if rankmetrics_sql.rm_has_tails(plan) -%}
    {%- set squares = 'g.in_cluster_squares' if plan.cluster_names else 'g.squares' -%}
    {%- set least = ' > POWER(' ~ rankmetrics_sql.rm_number('1e-9') ~ ' * g.value, 2)' -%}
    {%- set share = 'CASE WHEN ' ~ squares ~ least ~ ' THEN g.largest_square / ' ~ squares ~ ' END' -%}
    {%- do known.update({'largest_spread': rankmetrics_sql.rm_by_aggregate(
        plan, 'g', {'mean': share, 'sum': share, 'linear': share}
    )}) -%}
{%- endif -%}
{%- do known.update(rankmetrics_sql.rm_bias_of_values(plan)) -%}
{%- do known.update({
    'in_logarithms': rankmetrics_sql.rm_by_aggregate(plan, 'g', {'geometric': '1'}, other='0'),
}) -%}
{%- set drawn = rankmetrics_sql.rm_resampled_names(plan) -%}
{%- set rows = rankmetrics_sql.rm_tested_keys(plan)
    + rankmetrics_sql.rm_summary_facts(plan) | reject('in', drawn) | list -%}
{%- set measured %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_columns_from('g', rows) + rankmetrics_sql.rm_drawn_ends_of_values(plan)
        ) }},
        {{ 'CASE WHEN g.n_queries >= 0 THEN 1 END' if drawn else 1 }} AS join_key,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_named(known)) }}
    FROM {{ summed }} AS g
    {%- if drawn %}
    LEFT JOIN {{ plan.stages.resampled }} AS z ON z.effect_number = g.effect_number
    {%- endif %}
{%- endset -%}
{%- set student = rankmetrics_sql.rm_student(
    rankmetrics_sql.rm_tested_keys(plan),
    rankmetrics_sql.rm_summary_facts(plan) + rankmetrics_sql.rm_tail_names(plan)
        + ['in_logarithms', 'estimate', 'error'] + rankmetrics_sql.rm_bias_names(plan),
    [rankmetrics_sql.rm_point('point', rankmetrics_sql.rm_beyond_interval(plan))] + rankmetrics_sql.rm_bias_points(plan)
    if not drawn else []
) -%}
{{ return(rankmetrics_sql.rm_resampling(plan) + rankmetrics_sql.rm_with_points(student, measured)) }}
{% endmacro %}

{#- An interval, and the error that it is made of, of the rows g; an end that no double holds is not known. -#}
{% macro rm_interval_columns(plan) %}
{%- if not rankmetrics_sql.rm_has_intervals(plan) -%}{{ return([]) }}{%- endif -%}
{%- set drawn = plan.options.interval == 'bootstrap' -%}
{%- set error = '(' ~ rankmetrics_sql.rm_beyond_rounding('g.drawn_error', 'g.value') ~ ')' if drawn else 'g.error' -%}
{%- set ends = {'standard_error': 'CASE g.in_logarithms WHEN 0 THEN ' ~ error ~ ' ELSE ' ~ error ~ ' * g.value END'} -%}
{%- for name, sign in {'ci_lower': '-', 'ci_upper': '+'}.items() -%}
    {%- set end = name | replace('ci', 'g.drawn') if drawn else 'g.estimate ' ~ sign ~ ' g.error * g.point' -%}
    {%- set grown = 'WHEN ' ~ end ~ ' < 700 THEN ' ~ rankmetrics_sql.rm_exp(end) -%}
    {%- do ends.update({name: 'CASE WHEN g.in_logarithms = 0 THEN ' ~ end ~ ' ' ~ grown ~ ' END'}) -%}
{%- endfor -%}
{%- if plan.reads_scores -%}
    {%- for name in ends -%}
        {%- set known = 'CASE WHEN ' ~ rankmetrics_sql.rm_is_finite('g.value') ~ ' THEN ' ~ ends[name] ~ ' END' -%}
        {%- do ends.update({name: known}) -%}
    {%- endfor -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_named(ends)
    + rankmetrics_sql.rm_n_clusters(plan, 'g.cluster_count', 'g.largest_share')) }}
{% endmacro %}

{#- The columns of values g from draws: scaled to all queries for a sum, and NULL without an error. -#}
{% macro rm_drawn_ends_of_values(plan) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_resampled_names(plan) -%}
    {%- set own = 'CASE WHEN g.n_spread > 1 THEN z.' ~ name ~ ' END' -%}
    {%- set known = {'mean': own, 'geometric': own} -%}
    {%- if not plan.weight_names -%}{%- do known.update({'sum': own ~ ' * g.n_spread'}) -%}{%- endif -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_by_aggregate(plan, 'g', known)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
