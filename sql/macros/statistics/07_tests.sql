{#- Tests by Student's t: intervals, p-values, and their correction for several tests. -#}

{#-
One relation after the other, each with a row for each effect:
    measured                   with the errors, also of the logarithm of candidate / baseline, whose interval is the
                               relative one (or of relative_interval=linear of candidate / baseline - 1), and with
                               guesses of the points of the interval
    tail_probabilities         on the way to these, and to the p-value (07_points.sql)
    critical_values            with the points and the p-value
    pvalue_ranks               with its place among the p-values of its family
    adjusted                   with the p-value that its place makes of it
    planned, tried, needed     where a power was asked for, how many queries it takes (07_sample_sizes.sql)
Where intervals are at the level of a correction (07_levels.sql) p-values come first, and points last. Stages that
nothing asks for are left out: those of the interval where it is drawn, those of the p-value where that is.
-#}
{% macro rm_tested_effects(plan) %}
{%- if not plan.shown -%}{{ return([]) }}{%- endif -%}
{%- if rankmetrics_sql.rm_is_levelled(plan) -%}{{ return(rankmetrics_sql.rm_levelled_effects(plan)) }}{%- endif -%}
{%- set points = rankmetrics_sql.rm_sequential_points(plan) if plan.options.sequential is not none
    else rankmetrics_sql.rm_points_and_pvalues(plan) -%}
{%- set names = rankmetrics_sql.rm_found_facts(plan) -%}
{%- set units = rankmetrics_sql.rm_units_names() if rankmetrics_sql.rm_has_sample_sizes(plan) else [] -%}
{{ return(points + rankmetrics_sql.rm_corrections(plan, names + units)
    + rankmetrics_sql.rm_sample_sizes(
        plan, plan.stages.adjusted, names + ['corrected'] + rankmetrics_sql.rm_if_bounded(plan, ['claim_level'])
    )) }}
{% endmacro %}

{#- The stages from measured on, up to the points of intervals and the p-values; what is drawn needs no look. -#}
{% macro rm_points_and_pvalues(plan) %}
{%- set student = rankmetrics_sql.rm_student_of(plan) -%}
{%- set measured = rankmetrics_sql.rm_measured(plan, student) -%}
{%- set found = rankmetrics_sql.rm_found(plan) -%}
{%- if not student.points and student.distance is none -%}
    {{ return(measured + rankmetrics_sql.rm_critical_values(student, plan.stages.measured, found)) }}
{%- endif -%}
{{ return([rankmetrics_sql.rm_quadrature_nodes(plan.stages.quadrature_nodes)] + measured
    + rankmetrics_sql.rm_tail_probabilities(student, plan.stages.measured, found)) }}
{% endmacro %}

{#- Whether intervals are asked for, and not drawn. -#}
{% macro rm_has_student_ends(plan) %}
{{ return('interval' in plan.shown and plan.options.test != 'bootstrap') }}
{% endmacro %}

{#- The points that the intervals of effects reach to, and the point of a power. -#}
{% macro rm_points_of_effects(plan, beyond) %}
{%- set points = [] -%}
{%- if rankmetrics_sql.rm_has_student_ends(plan) or rankmetrics_sql.rm_has_sample_sizes(plan) -%}
    {%- do points.append(rankmetrics_sql.rm_point('point', beyond)) -%}
{%- endif -%}
{%- if rankmetrics_sql.rm_has_student_ends(plan) and plan.options.design != 'paired' -%}
    {%- do points.append(rankmetrics_sql.rm_point('relative_point', beyond, 'relative_degrees', 'relative_height')) -%}
{%- endif -%}
{%- do points.extend(rankmetrics_sql.rm_bias_points(plan)) -%}
{%- if rankmetrics_sql.rm_has_sample_sizes(plan) -%}
    {%- do points.append(rankmetrics_sql.rm_point('power_point', (1 - plan.options.power) | round(15))) -%}
{%- endif -%}
{{ return(points) }}
{% endmacro %}

{#- How far an effect s is from what is tested, in errors; none where its p-value is drawn. -#}
{% macro rm_distance(plan) %}
{%- if rankmetrics_sql.rm_is_resampled(plan) -%}{{ return(none) }}{%- endif -%}
{%- if rankmetrics_sql.rm_is_rank_test(plan) -%}{{ return('ABS(s.score)') }}{%- endif -%}
{%- set error = 's.tested_error' if rankmetrics_sql.rm_is_relative(plan) else 's.standard_error' -%}
{{ return('CASE WHEN ' ~ error ~ ' > 0 THEN ABS(' ~ rankmetrics_sql.rm_distance_from_null(plan) ~ ') / ' ~ error
    ~ ' END') }}
{% endmacro %}

{% macro rm_student_of(plan) %}
{{ return(rankmetrics_sql.rm_student(
    rankmetrics_sql.rm_effect_keys(plan),
    rankmetrics_sql.rm_effect_facts(plan) + rankmetrics_sql.rm_scale_names(plan),
    rankmetrics_sql.rm_points_of_effects(plan, rankmetrics_sql.rm_beyond_interval(plan)),
    rankmetrics_sql.rm_distance(plan), rankmetrics_sql.rm_degrees_of_test(plan),
    rankmetrics_sql.rm_gain_distance(plan)
)) }}
{% endmacro %}

{#- The degrees of freedom of the p-value; none of a normal distribution. -#}
{% macro rm_degrees_of_test(plan) %}
{%- if plan.options.test == 'brunner_munzel' -%}{{ return('rank_degrees') }}{%- endif -%}
{%- if rankmetrics_sql.rm_is_rank_test(plan) -%}{{ return(none) }}{%- endif -%}
{%- set is_scaled = rankmetrics_sql.rm_is_relative(plan) and plan.options.design != 'paired' -%}
{{ return('tested_degrees' if is_scaled else 'degrees') }}
{% endmacro %}

{#- The columns that intervals need beside the effect and the points, and tests of groups. -#}
{% macro rm_scale_names(plan) %}
{{ return(['error'] + (['relative_estimate', 'relative_error'] if rankmetrics_sql.rm_has_student_ends(plan) else [])
    + rankmetrics_sql.rm_if_relative(plan, ['error_of_test'])
    + rankmetrics_sql.rm_if_bounded(plan, ['rare']) + rankmetrics_sql.rm_degrees_of_groups(plan)) }}
{% endmacro %}

{#- The columns that tell apart the rows with intervals: effects, or values of a summary. -#}
{% macro rm_tested_keys(plan) %}
{%- if rankmetrics_sql.rm_is_comparison(plan.level) -%}{{ return(rankmetrics_sql.rm_effect_keys(plan)) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_summary_keys(plan) + ['metric_number']) }}
{% endmacro %}

{#- The same for windows, without a name beside its number. -#}
{% macro rm_numbered_keys(plan) %}
{%- set keys = rankmetrics_sql.rm_tested_keys(plan) -%}
{{ return(keys | reject('in', ['metric', 'breakdown']) | list) }}
{% endmacro %}

{#- The columns of an effect, its means and counts. -#}
{% macro rm_effect_facts(plan) %}
{{ return([
    'baseline', 'candidate', 'effect_size', 'standard_error', 'deviation', 'n_higher', 'n_ties', 'n_lower', 'n_units',
    'n_queries', 'n_left_out',
] + plan.count_names + rankmetrics_sql.rm_rank_test_names(plan) + rankmetrics_sql.rm_resampled_names(plan)
    + rankmetrics_sql.rm_covariate_facts(plan) + rankmetrics_sql.rm_weight_facts(plan)
    + rankmetrics_sql.rm_strata_facts(plan) + rankmetrics_sql.rm_effect_prediction_names(plan)
    + rankmetrics_sql.rm_judged_share_names(plan) + rankmetrics_sql.rm_if_bounded(plan, ['n_that_changed'])
    + rankmetrics_sql.rm_if_relative(plan, ['tested_error']) + rankmetrics_sql.rm_tail_names(plan)) }}
{% endmacro %}

{#- Degrees of freedom of effects by groups, for whoever asks whether these differ; of plain pairs they are n - 1. -#}
{% macro rm_degrees_of_groups(plan) %}
{%- set is_plain = plan.options.design == 'paired' and not plan.cluster_names and not plan.weight_names -%}
{{ return([] if is_plain or not plan.group_names or plan.shown | length < 2 else ['effect_degrees']) }}
{% endmacro %}

{#- The probability that lies beyond each end of an interval. -#}
{% macro rm_beyond_interval(plan) %}
{%- set beyond = 1 - plan.options.confidence_level -%}
{%- set is_open = rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.alternative != 'two_sided' -%}
{{ return((beyond if is_open else beyond / 2) | round(15)) }}
{% endmacro %}

{#-
Differences that are equal and not 0 do not say how far they spread, however many there are: their error is not known.
There are several rows of an effect for the counts of changes (07_rare_changes.sql). Those of arms are grouped though
each is one: PostgreSQL would write the variances and degrees of freedom out for each use, and compile for minutes.
-#}
{% macro rm_measured(plan, student) %}
{%- set logarithm = 'CASE WHEN s.candidate > 0 AND s.baseline > 0 THEN LN(s.candidate / s.baseline) END' -%}
{%- if rankmetrics_sql.rm_is_linear_ratio(plan) -%}
    {%- set logarithm = 's.candidate / NULLIF(s.baseline, 0) - 1' -%}
{%- endif -%}
{%- set spreads = 'CASE WHEN s.standard_error > 0 OR s.effect_size = 0 THEN s.' -%}
{%- set scales = {
    'error': spreads ~ 'standard_error END',
    'error_of_test': spreads ~ 'tested_error END',
    'relative_estimate': logarithm,
    'relative_error': spreads ~ 'relative_error END',
    'rare': rankmetrics_sql.rm_aggregated('sum', 's.chance'),
    'effect_degrees': 's.degrees',
} -%}
{%- set is_grouped = rankmetrics_sql.rm_is_bounded(plan) or plan.options.design != 'paired' -%}
{%- set why = '' if rankmetrics_sql.rm_is_bounded(plan) or not is_grouped
    else ' (grouped, so that planners do not repeat them)' -%}
{%- set begin, end = ('MAX(', ')') if is_grouped else ('', '') -%}
{%- set measures = [] -%}
{%- for name in rankmetrics_sql.rm_scale_names(plan) -%}
    {%- do measures.append({'name': name, 'sql': scales[name] if name == 'rare' else begin ~ scales[name] ~ end}) -%}
{%- endfor -%}
{%- for guess in rankmetrics_sql.rm_guesses(student) -%}
    {%- do measures.append({'name': guess.name, 'sql': begin ~ guess.sql ~ end}) -%}
{%- endfor -%}
{%- set kept = student.said | reject('in', scales) | list + rankmetrics_sql.rm_read_by_looks(student) -%}
{%- set columns = rankmetrics_sql.rm_columns_from('s', rankmetrics_sql.rm_effect_keys(plan))
    + (rankmetrics_sql.rm_each('MAX(s.', kept) if is_grouped else rankmetrics_sql.rm_columns_from('s', kept)) -%}
{%- set rare = rankmetrics_sql.rm_rare_changes(plan) -%}
{%- set measured %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns + measures) }}
    FROM {{ rare.stage }} AS s
    {%- if is_grouped %}
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', rankmetrics_sql.rm_effect_keys(plan)) | join(', ') }}
    {%- endif %}
{%- endset -%}
{{ return(rare.ctes + [rankmetrics_sql.rm_cte(plan.stages.measured, measured,
    ('each effect with its errors, and a first guess of the half-width of its interval in these' if student.points
    else 'each effect with its errors') ~ why
)]) }}
{% endmacro %}

{#- The statistic and the p-value of an effect s, and what a number of queries is searched from. -#}
{% macro rm_found(plan) %}
{%- set error = rankmetrics_sql.rm_error_of_test(plan) -%}
{%- set statistic = 'CASE WHEN ' ~ error ~ ' > 0 THEN ' ~ rankmetrics_sql.rm_distance_from_null(plan) ~ ' / ' ~ error
    ~ ' END' -%}
{%- set statistic = 'rank_statistic' if rankmetrics_sql.rm_is_rank_test(plan) else statistic -%}
{{ return([{'name': 'statistic', 'sql': statistic}, {'name': 'pvalue', 'sql': rankmetrics_sql.rm_own_pvalue(plan)}]
    + rankmetrics_sql.rm_unbounded(plan)
    + (rankmetrics_sql.rm_units_facts(plan) if rankmetrics_sql.rm_has_sample_sizes(plan) else [])) }}
{% endmacro %}

{#- The columns of a tested effect beside its keys, without the ones for a sample size. -#}
{% macro rm_found_facts(plan) %}
{%- set sequential = [{'name': 'point'}] if rankmetrics_sql.rm_is_sequential(plan) else none -%}
{%- set points = sequential or rankmetrics_sql.rm_points_of_effects(plan, 0) -%}
{{ return(rankmetrics_sql.rm_effect_facts(plan) + rankmetrics_sql.rm_scale_names(plan)
    + points | map(attribute='name') | list + ['statistic', 'pvalue']
    + rankmetrics_sql.rm_if_bounded(plan, ['rare_chance'])) }}
{% endmacro %}

{#-
How far an effect is from what is tested: from no difference, or from one worse by the margin (non-inferiority), or by
what a condition allows for each metric, or better by what it asks for. Of equivalence how far inside the nearer end of
the margin, which is that of the two one-sided tests with the larger p-value.
-#}
{% macro rm_distance_from_null(plan, estimate='s.effect_size') %}
{%- if plan.limits is not none -%}
    {%- set moved = [] -%}
    {%- for metric in plan.metrics -%}
        {%- do moved.append(rankmetrics_sql.rm_distance_from_null_of(plan, metric, estimate)) -%}
    {%- endfor -%}
    {{ return(rankmetrics_sql.rm_by_metric(estimate.split('.')[0], moved)) }}
{%- endif -%}
{%- if not plan.options.margin -%}{{ return(estimate) }}{%- endif -%}
{%- if plan.options.alternative == 'equivalence' -%}
    {{ return('(' ~ rankmetrics_sql.rm_number(plan.options.margin) ~ ' - ABS(' ~ estimate ~ '))') }}
{%- endif -%}
{%- set sign = {'greater': ' + ', 'less': ' - '}[plan.options.alternative] -%}
{{ return('(' ~ estimate ~ sign ~ rankmetrics_sql.rm_number(plan.options.margin) ~ ')') }}
{% endmacro %}

{#- The same of one metric, from what a condition says of it. -#}
{% macro rm_distance_from_null_of(plan, metric, estimate) %}
{%- set limit = rankmetrics_sql.rm_limit_of(plan, metric) -%}
{%- if limit is none -%}{{ return(rankmetrics_sql.rm_as_double('NULL')) }}{%- endif -%}
{%- if not limit -%}{{ return(estimate) }}{%- endif -%}
{%- set moved = estimate ~ (' + ' if (metric.better != 'lower') == (limit > 0) else ' - ')
    ~ rankmetrics_sql.rm_number(limit | abs) -%}
{%- if metric.label not in plan.relative_limits -%}{{ return('(' ~ moved ~ ')') }}{%- endif -%}
{%- set baseline = estimate.split('.')[0] ~ '.baseline' -%}
{{ return('(' ~ rankmetrics_sql.rm_beyond_rounding('(' ~ moved ~ ' * ' ~ baseline ~ ')', baseline) ~ ')') }}
{% endmacro %}

{#- Whether a relative effect has the interval of the ratio itself, not of its logarithm. -#}
{% macro rm_is_linear_ratio(plan) %}
{{ return(plan.options.relative_interval == 'linear') }}
{% endmacro %}

{#- The ends that an interval has: where one side is tested, the other is open. -#}
{% macro rm_known_ends(alternative) %}
{{ return({'greater': ['lower'], 'less': ['upper']}[alternative] | default(['lower', 'upper'])) }}
{% endmacro %}

{#- The ends of both intervals of an effect p; one that is open, or that no double holds, is not known. -#}
{% macro rm_interval_ends(plan) %}
{%- set known = rankmetrics_sql.rm_known_ends(plan.options.alternative) -%}
{%- set relative_point = 'p.point' if plan.options.design == 'paired' or rankmetrics_sql.rm_is_sequential(plan)
    else 'p.relative_point' -%}
{%- set ends = {} -%}
{%- for end, sign in {'lower': ' - ', 'upper': ' + '}.items() -%}
    {%- set relative = 'p.relative_estimate' ~ sign ~ 'p.relative_error * ' ~ relative_point -%}
    {%- set found = {
        'effect': 'p.effect_size' ~ sign ~ 'p.error * p.point',
        'relative': relative if rankmetrics_sql.rm_is_linear_ratio(plan)
            else 'CASE WHEN ' ~ relative ~ ' < 700 THEN ' ~ rankmetrics_sql.rm_exp(relative) ~ ' - 1 END',
    } if plan.options.test != 'bootstrap' else {
        'effect': 'CASE WHEN p.error IS NOT NULL THEN '
            ~ rankmetrics_sql.rm_beyond_rounding('p.drawn_' ~ end, 'p.baseline') ~ ' END',
        'relative': 'CASE WHEN p.error IS NOT NULL THEN p.relative_drawn_' ~ end ~ ' END - 1',
    } -%}
    {%- for name, sql in found.items() -%}
        {%- do ends.update({name ~ '_' ~ end: sql if end in known else rankmetrics_sql.rm_as_double('NULL')}) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(ends) }}
{% endmacro %}

{#- The p-value of an effect s, by its test. -#}
{% macro rm_own_pvalue(plan) %}
{%- set is_rank_test = rankmetrics_sql.rm_is_rank_test(plan) -%}
{%- set pvalue = rankmetrics_sql.rm_rank_pvalue(plan) if is_rank_test
    else rankmetrics_sql.rm_of_gains(plan, rankmetrics_sql.rm_pvalue(
        plan.options.alternative, rankmetrics_sql.rm_distance_from_null(plan),
        's.' ~ rankmetrics_sql.rm_error_of_test(plan)
    )) -%}
{%- if plan.options.test == 'bootstrap' and plan.options.design == 'paired' -%}
    {%- set pvalue = rankmetrics_sql.rm_bootstrapped_pvalue(plan) -%}
{%- elif rankmetrics_sql.rm_is_resampled(plan) -%}
    {%- set pvalue = 's.drawn_pvalue' -%}
{%- endif -%}
{%- set may_be_unknown = rankmetrics_sql.rm_may_be_infinite(plan) -%}
{%- set has_pairs = 's.n_queries > 0' ~ (' AND s.effect_size IS NOT NULL' if may_be_unknown else '') -%}
{%- set is_exact = is_rank_test or plan.options.test == 'randomisation' -%}
{%- set is_known = has_pairs if is_exact else 's.' ~ rankmetrics_sql.rm_error_of_test(plan) ~ ' IS NOT NULL' -%}
{%- if rankmetrics_sql.rm_is_relative(plan) -%}
    {%- set is_known = is_known ~ ' AND ' ~ rankmetrics_sql.rm_has_share_of_baseline(plan) -%}
{%- endif -%}
{%- if plan.limits is not none and plan.limits | length < plan.metrics | length // plan.n_ends -%}
    {#- A metric without a limit is not tested, so that it counts in no correction. -#}
    {%- set is_known = is_known ~ ' AND ' ~ rankmetrics_sql.rm_distance_from_null(plan) ~ ' IS NOT NULL' -%}
{%- endif -%}
{{ return('CASE WHEN ' ~ is_known ~ ' THEN ' ~ pvalue ~ ' END') }}
{% endmacro %}

{#-
What is drawn of n differences cannot know more than their signs do: 2^(1 - n), or 2^-n of one side. Beyond 40 no number
of replicates gets there.
-#}
{% macro rm_bootstrapped_pvalue(plan) %}
{%- set units = 's.n_clusters' if plan.cluster_names else 's.n_higher + s.n_lower' -%}
{%- set sides = 2 if plan.options.alternative == 'two_sided' else 1 -%}
{%- set least = sides ~ ' / POWER(' ~ rankmetrics_sql.rm_as_double(2) ~ ', ' ~ units ~ ')' -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN CASE WHEN ' ~ units ~ ' BETWEEN 1 AND 40 THEN ' ~ least ~ ' END > s.drawn_pvalue THEN ' ~ least,
    'ELSE s.drawn_pvalue',
], '', 8)) }}
{% endmacro %}

{#-
The p-value of both sides, which is that of one, twice, where a gain is asked for: 1 where an effect is on the other
side. So it stands in one family with those of losses, at half of their level.
-#}
{% macro rm_of_gains(plan, pvalue) %}
{%- set inside = [] -%}
{%- set gains = [] -%}
{%- for metric in plan.metrics -%}
    {%- set gain = rankmetrics_sql.rm_gain_of(plan, metric) -%}
    {%- do gains.extend([gain] if gain else []) -%}
    {%- set sign = '-' if metric.better == 'lower' else '' -%}
    {%- do inside.append(sign ~ rankmetrics_sql.rm_distance_from_null_of(plan, metric, 's.effect_size') if gain
        else rankmetrics_sql.rm_as_double('1')) -%}
{%- endfor -%}
{%- if not gains -%}{{ return(pvalue) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN ' ~ rankmetrics_sql.rm_by_metric('s', inside) ~ ' <= 0 THEN 1',
    'ELSE ' ~ pvalue,
], '', 8)) }}
{% endmacro %}

{#- Without any spread a difference is certain, and no difference is none. -#}
{% macro rm_pvalue(alternative, away, error='s.error') %}
{%- set certain = away ~ ' ' ~ {'two_sided': '<>', 'less': '<'}[alternative] | default('>') ~ ' 0' -%}
{%- set beyond = 's.beyond_distance' -%}
{%- set usual = '2 * ' ~ beyond -%}
{%- if alternative != 'two_sided' -%}
    {%- set usual = 'CASE WHEN ' ~ certain ~ ' THEN ' ~ beyond ~ ' ELSE 1 - ' ~ beyond ~ ' END' -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN ' ~ error ~ ' = 0 THEN CASE WHEN ' ~ certain ~ ' THEN 0 ELSE 1 END',
    'WHEN ' ~ away ~ ' = 0 THEN ' ~ ('1' if alternative == 'two_sided' else rankmetrics_sql.rm_number(0.5)),
    'ELSE ' ~ usual,
], '', 8)) }}
{% endmacro %}
