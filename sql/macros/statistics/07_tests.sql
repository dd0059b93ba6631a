{#- What the distribution of t says of effects: intervals, p-values, and their correction for how many are asked. -#}

{#-
One relation after the other, each a row per effect, or two where in_logarithms tells the effect itself from the
logarithm of candidate / baseline, whose interval is the relative one (or of relative_interval=linear the relative
effect, candidate / baseline - 1):
    measured                   estimate, error, degrees
    guessed                    with a first guess of the point that the confidence level asks for
    first_look, first_point    a correction of it by the probability beyond
    second_look, second_point  another; and the probability beyond the estimate's distance from 0 in errors
    bounded                    intervals and p-values, one row per effect again
    counted                    with its place among the p-values of its family
    adjusted                   with the p-value that its place makes of it
    planned, tried, needed     where a power was asked for, how many queries it takes (07_sample_sizes.sql)
Where intervals are at the level of a correction (07_levels.sql) p-values come first, and bounded last.
What is joined has one partner for all rows, and stands on the right of a LEFT JOIN: so no planner reads the effects,
and all that they are made of, once for each place.
-#}
{% macro rm_tested_effects(plan) %}
{%- set measured = rankmetrics_sql.rm_measured(plan) -%}
{%- if rankmetrics_sql.rm_is_levelled(plan) -%}
    {{ return(rankmetrics_sql.rm_levelled_effects(plan, measured)) }}
{%- endif -%}
{%- set student = rankmetrics_sql.rm_student_of(plan) -%}
{%- set names = rankmetrics_sql.rm_bounded_names(plan) -%}
{%- set points = rankmetrics_sql.rm_sequential_points(plan, measured) if plan.options.sequential is not none
    else rankmetrics_sql.rm_with_points(student, measured, ['beyond_distance']) -%}
{{ return(points + [
    rankmetrics_sql.rm_cte(
        plan.stages.bounded, rankmetrics_sql.rm_bounded(plan),
        'intervals and p-values, a row for each effect'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.counted, rankmetrics_sql.rm_counted(plan, plan.stages.bounded, names),
        'each with its place among the p-values of its family'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.adjusted, rankmetrics_sql.rm_adjusted(plan, names),
        'each with the p-value that this place makes of it'
    ),
] + rankmetrics_sql.rm_sample_sizes(plan, plan.stages.adjusted, rankmetrics_sql.rm_kept_facts(plan))) }}
{% endmacro %}

{#-
Whose intervals are looked for.
    stages    the names of the relations that lead to them
    row_keys  what the rows are told apart by
    said      what else they say
    beyond    the probability beyond each end of an interval: a number, or a column of theirs
    power     how often an effect should be found, whose point is looked for too where in_logarithms is 2; or none
    distance  of an estimate from what is tested, in errors
    source    the relation that has the rows with the height of the density at 0 already; none for measured
    normal    whether the probability beyond that is of the normal distribution
-#}
{% macro rm_student(row_keys, said, beyond, power=none, distance=none, normal=false, source=none) %}
{%- set usual = 'CASE WHEN error > 0 THEN ABS(estimate) / error END' -%}
{{ return({
    'stages': rankmetrics_sql.rm_plan_stages(),
    'row_keys': row_keys,
    'said': said,
    'beyond': beyond,
    'power': power,
    'distance': usual if distance is none else distance,
    'source': source,
    'normal': normal,
}) }}
{% endmacro %}

{#- The same of a plan: its effects, or the values of its summary. -#}
{% macro rm_student_of(plan) %}
{%- set row_keys = rankmetrics_sql.rm_tested_keys(plan) -%}
{%- set said = rankmetrics_sql.rm_tested_facts(plan) -%}
{%- set beyond = rankmetrics_sql.rm_beyond_interval(plan) -%}
{%- if not rankmetrics_sql.rm_is_comparison(plan.level) -%}
    {{ return(rankmetrics_sql.rm_student(row_keys, said, beyond)) }}
{%- endif -%}
{%- set normal = rankmetrics_sql.rm_is_rank_test(plan) -%}
{%- set away = rankmetrics_sql.rm_away(plan) -%}
{%- set distance = 'ABS(score)' if normal else 'CASE WHEN error > 0 THEN ABS(' ~ away ~ ') / error END' -%}
{{ return(rankmetrics_sql.rm_student(row_keys, said, beyond, plan.options.power, distance, normal)) }}
{% endmacro %}

{#- From the measured to second_point; beyond names what else is looked at there. -#}
{% macro rm_with_points(student, measured, beyond=[]) %}
{{ return([
    rankmetrics_sql.rm_places(student.stages.places),
    rankmetrics_sql.rm_cte(student.stages.measured, measured, 'each estimate with its error and degrees of freedom'),
] + rankmetrics_sql.rm_points(student, beyond)) }}
{% endmacro %}

{% macro rm_points(student, beyond=[]) %}
{%- set guessed = rankmetrics_sql.rm_guessed(student) -%}
{%- set first_look = rankmetrics_sql.rm_look(student, student.stages.guessed, ['point']) -%}
{%- set first_point = rankmetrics_sql.rm_point(student, student.stages.first_look, is_first=true) -%}
{%- set seen = ['point'] + (['distance'] if beyond else []) -%}
{%- set second_look = rankmetrics_sql.rm_look(student, student.stages.first_point, seen) -%}
{%- set second_point = rankmetrics_sql.rm_point(student, student.stages.second_look, beyond) -%}
{{ return([
    rankmetrics_sql.rm_cte(
        student.stages.guessed, guessed,
        'with a first guess of how many errors wide the interval is'
    ),
    rankmetrics_sql.rm_cte(student.stages.first_look, first_look, 'with the probability beyond that guess'),
    rankmetrics_sql.rm_cte(student.stages.first_point, first_point, 'with the guess corrected by it, once'),
    rankmetrics_sql.rm_cte(student.stages.second_look, second_look, 'with the probability beyond the corrected one'),
    rankmetrics_sql.rm_cte(
        student.stages.second_point, second_point,
        'with that corrected too, which is how many errors wide the interval is'
    ),
]) }}
{% endmacro %}

{#- What the rows are told apart by whose intervals are looked for: effects, or values of a summary. -#}
{% macro rm_tested_keys(plan) %}
{%- if rankmetrics_sql.rm_is_comparison(plan.level) -%}{{ return(rankmetrics_sql.rm_effect_keys(plan)) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_summary_keys(plan) + ['metric_number']) }}
{% endmacro %}

{#- The same for windows, without a name beside its number. -#}
{% macro rm_numbered_keys(plan) %}
{%- set keys = rankmetrics_sql.rm_tested_keys(plan) -%}
{{ return(keys | reject('in', ['metric', 'breakdown']) | list) }}
{% endmacro %}

{#- And what else they say. -#}
{% macro rm_tested_facts(plan) %}
{{ return(rankmetrics_sql.rm_effect_facts(plan) if rankmetrics_sql.rm_is_comparison(plan.level)
    else rankmetrics_sql.rm_summary_facts(plan)) }}
{% endmacro %}

{#- What is said of an effect beside its estimate. -#}
{% macro rm_effect_facts(plan) %}
{{ return([
    'baseline', 'candidate', 'effect_size', 'standard_error', 'deviation', 'n_higher', 'n_ties', 'n_lower', 'n_units',
    'n_queries', 'n_left_out',
] + plan.count_names + rankmetrics_sql.rm_rank_test_names(plan) + rankmetrics_sql.rm_resampled_names(plan)
    + rankmetrics_sql.rm_covariate_facts(plan) + rankmetrics_sql.rm_weight_facts(plan)) }}
{% endmacro %}

{#- The probability that lies beyond each end of an interval. -#}
{% macro rm_beyond_interval(plan) %}
{%- set beyond = 1 - plan.options.confidence_level -%}
{%- set is_open = rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.alternative != 'two_sided' -%}
{{ return((beyond if is_open else beyond / 2) | round(15)) }}
{% endmacro %}

{#-
Differences that are equal and not 0 do not say how far they spread, however many there are: their error is not known.
A MAX of one row, here and below: a planner that put one stage into the next would write each out many times.
-#}
{% macro rm_measured(plan) %}
{%- set kinds = rankmetrics_sql.rm_kept('e', rankmetrics_sql.rm_effect_keys(plan))
    + rankmetrics_sql.rm_kept('k', ['in_logarithms']) -%}
{%- set logarithm = 'CASE WHEN e.candidate > 0 AND e.baseline > 0 THEN LN(e.candidate / e.baseline) END' -%}
{%- if rankmetrics_sql.rm_is_linear_ratio(plan) -%}
    {%- set logarithm = 'e.candidate / NULLIF(e.baseline, 0) - 1' -%}
{%- endif -%}
{%- set known = rankmetrics_sql.rm_each('MAX(e.', rankmetrics_sql.rm_effect_facts(plan) + ['always']) -%}
{%- set has_power = rankmetrics_sql.rm_has_power(plan) -%}
{%- set own = 'CASE WHEN k.in_logarithms <> 1 THEN' if has_power else 'CASE k.in_logarithms WHEN 0 THEN' -%}
{%- set scales = [] -%}
{%- for scale in [0, 1, 2] if scale < 2 or has_power -%}
    {%- do scales.append('SELECT 1 AS always, ' ~ scale ~ ' AS in_logarithms') -%}
{%- endfor -%}
{%- set measured %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + known) }},
        MAX({{ own }} e.effect_size ELSE {{ logarithm }} END) AS estimate,
        MAX(CASE
            WHEN e.standard_error > 0 OR e.effect_size = 0
                THEN {{ own }} e.standard_error ELSE e.relative_error END
        END) AS error,
        MAX({{ own }} e.degrees ELSE e.relative_degrees END) AS degrees
    FROM {{ plan.stages.effects }} AS e
    LEFT JOIN ({{ scales | join(' UNION ALL ') }}) AS k
        ON k.always = e.always
    GROUP BY {{ rankmetrics_sql.rm_qualified('e', rankmetrics_sql.rm_effect_keys(plan)) | join(', ') }}, k.in_logarithms
{%- endset -%}
{{ return(measured) }}
{% endmacro %}

{% macro rm_guessed(student) %}
{%- set kinds = student.row_keys + ['in_logarithms'] + student.said -%}
{%- set guess = rankmetrics_sql.rm_student_guess('degrees', student.beyond) if student.beyond is number
    else rankmetrics_sql.rm_guess_of_rows('degrees', student.beyond) -%}
{%- if student.power is not none -%}
    {%- set of_power = rankmetrics_sql.rm_student_guess('degrees', (1 - student.power) | round(15)) -%}
    {%- set guess = 'CASE in_logarithms WHEN 2 THEN ' ~ of_power ~ ' ELSE ' ~ guess ~ ' END' -%}
{%- endif -%}
{%- set height = rankmetrics_sql.rm_student_height('degrees') -%}
{%- set columns = [{'name': 'distance', 'sql': student.distance}, {'name': 'height', 'sql': height}]
    if student.source is none else ['distance', 'height'] -%}
{%- set guessed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + ['always', 'estimate', 'error', 'degrees']) }},
        {{ rankmetrics_sql.rm_lines(columns) }},
        {{ guess }} AS point
    FROM {{ student.stages.measured if student.source is none else student.source }} AS s
{%- endset -%}
{{ return(guessed) }}
{% endmacro %}

{#-
How far an effect is from what is tested: from no difference, or from one worse by the margin (non-inferiority), or by
what a condition allows for each metric. Of equivalence how far inside the nearer end of the margin, which is that of
the two one-sided tests with the larger p-value.
-#}
{% macro rm_away(plan, estimate='s.estimate') %}
{%- if plan.limits is not none -%}
    {%- set moved = [] -%}
    {%- for metric in plan.metrics -%}
        {%- set limit = plan.limits[metric.label] | default(none) -%}
        {%- set sign = ' - ' if metric.better == 'lower' else ' + ' -%}
        {%- do moved.append(
            rankmetrics_sql.rm_as_double('NULL') if limit is none
            else estimate if not limit else '(' ~ estimate ~ sign ~ rankmetrics_sql.rm_number(limit) ~ ')'
        ) -%}
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

{#- What the probability beyond a point is computed from. -#}
{% macro rm_distribution_names() %}
{{ return(['always', 'estimate', 'error', 'degrees', 'distance', 'height']) }}
{% endmacro %}

{#- Of each of some points the probability beyond it. -#}
{% macro rm_look(student, stage, points) %}
{%- set kinds = student.row_keys + ['in_logarithms'] -%}
{%- set known = student.said + rankmetrics_sql.rm_distribution_names() + (['point'] if 'point' in points else []) -%}
{%- set columns = rankmetrics_sql.rm_kept('s', kinds) + rankmetrics_sql.rm_each('MAX(s.', known) -%}
{%- for point in points -%}
    {%- set tail = rankmetrics_sql.rm_normal_beyond('s.distance') if point == 'distance' and student.normal
        else rankmetrics_sql.rm_student_tail('s.' ~ point) -%}
    {%- do columns.append({'name': 'beyond_' ~ point, 'sql': tail}) -%}
{%- endfor -%}
{%- set look %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ stage }} AS s
    LEFT JOIN {{ student.stages.places }} AS n ON n.always = s.always
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', kinds) | join(', ') }}
{%- endset -%}
{{ return(look) }}
{% endmacro %}

{#- The point as the probability beyond it corrects it, for the first time or again. -#}
{% macro rm_point(student, stage, others=[], is_first=false) %}
{%- set kinds = student.row_keys + ['in_logarithms'] -%}
{%- set known = student.said + rankmetrics_sql.rm_distribution_names() + others -%}
{%- set beyond = rankmetrics_sql.rm_number(student.beyond) if student.beyond is number else student.beyond -%}
{%- set corrected = rankmetrics_sql.rm_student_corrected(
    beyond, is_first and student.beyond is number and student.beyond < 0.005
) -%}
{%- if student.power is not none -%}
    {%- set of_power = rankmetrics_sql.rm_number((1 - student.power) | round(15)) -%}
    {%- if is_first and student.beyond is number and (student.beyond < 0.005 or student.power > 0.995) -%}
        {%- set power = rankmetrics_sql.rm_student_corrected(of_power, student.power > 0.995) -%}
        {%- set corrected = 'CASE in_logarithms WHEN 2 THEN ' ~ power ~ ' ELSE ' ~ corrected ~ ' END' -%}
    {%- else -%}
        {%- set both = 'CASE in_logarithms WHEN 2 THEN ' ~ of_power ~ ' ELSE ' ~ beyond ~ ' END' -%}
        {%- set corrected = rankmetrics_sql.rm_student_corrected(both) -%}
    {%- endif -%}
{%- endif -%}
{%- set point %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + known) }},
        {{ corrected }} AS point
    FROM {{ stage }}
{%- endset -%}
{{ return(point) }}
{% endmacro %}

{#- Whether the interval of a relative effect is of the ratio itself, and not of its logarithm. -#}
{% macro rm_is_linear_ratio(plan) %}
{{ return(plan.options.relative_interval == 'linear') }}
{% endmacro %}

{#- The ends that an interval has: where one side is tested, the other is open. -#}
{% macro rm_known_ends(alternative) %}
{{ return({'greater': ['lower'], 'less': ['upper']}[alternative] | default(['lower', 'upper'])) }}
{% endmacro %}

{#- The ends of both intervals that an alternative has; another end, or one that no double holds, is not known. -#}
{% macro rm_interval_ends(plan) %}
{%- set is_linear = rankmetrics_sql.rm_is_linear_ratio(plan) -%}
{%- set known = rankmetrics_sql.rm_known_ends(plan.options.alternative) -%}
{%- set columns = [] -%}
{%- for end, sign in {'lower': '-', 'upper': '+'}.items() -%}
    {%- set effect = 's.estimate ' ~ sign ~ ' s.error * s.point' -%}
    {%- set is_relative = 's.in_logarithms = 1 AND ' ~ effect ~ ' < 700' -%}
    {%- set ends = {
        'effect_' ~ end: 'MAX(CASE s.in_logarithms WHEN 0 THEN ' ~ effect ~ ' END)',
        'relative_' ~ end: 'MAX(CASE WHEN ' ~ is_relative ~ ' THEN ' ~ rankmetrics_sql.rm_exp(effect) ~ ' - 1 END)',
    } -%}
    {%- if is_linear -%}
        {%- do ends.update({'relative_' ~ end: 'MAX(CASE s.in_logarithms WHEN 1 THEN ' ~ effect ~ ' END)'}) -%}
    {%- endif -%}
    {%- do columns.extend(
        rankmetrics_sql.rm_named(ends) if end in known else rankmetrics_sql.rm_unknown(ends.keys() | list)
    ) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The same ends where they are quantiles of replicates. -#}
{% macro rm_drawn_ends(alternative) %}
{%- set known = rankmetrics_sql.rm_known_ends(alternative) -%}
{%- set columns = [] -%}
{%- for end in ['lower', 'upper'] -%}
    {%- set own = 'MAX(CASE WHEN s.in_logarithms = 0 AND s.error IS NOT NULL THEN s.' -%}
    {%- set ends = {
        'effect_' ~ end: own ~ 'drawn_' ~ end ~ ' END)',
        'relative_' ~ end: own ~ 'relative_drawn_' ~ end ~ ' END) - 1',
    } -%}
    {%- do columns.extend(
        rankmetrics_sql.rm_named(ends) if end in known else rankmetrics_sql.rm_unknown(ends.keys() | list)
    ) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_bounded(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set columns = rankmetrics_sql.rm_kept('s', keys)
    + rankmetrics_sql.rm_each('MAX(s.', rankmetrics_sql.rm_effect_facts(plan))
    + (rankmetrics_sql.rm_drawn_ends(plan.options.alternative) if plan.options.test == 'bootstrap'
    else rankmetrics_sql.rm_interval_ends(plan)) + rankmetrics_sql.rm_detectable(plan) -%}
{%- set own = 'MAX(CASE WHEN s.in_logarithms = 0 AND ' -%}
{%- set statistic = own ~ 's.error > 0 THEN ' ~ rankmetrics_sql.rm_away(plan) ~ ' / s.error END)' -%}
{%- set statistic = 'MAX(s.rank_statistic)' if rankmetrics_sql.rm_is_rank_test(plan) else statistic -%}
{%- set carried = ['pvalue', 'corrected'] + rankmetrics_sql.rm_planned_level(plan) | map(attribute='name') | list -%}
{%- set pvalues = rankmetrics_sql.rm_each('MAX(s.', carried) if rankmetrics_sql.rm_is_levelled(plan)
    else [{'name': 'pvalue', 'sql': 'MAX(' ~ rankmetrics_sql.rm_own_pvalue(plan) ~ ')'}] -%}
{%- set bounded %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        {{ statistic }} AS statistic,
        {{ rankmetrics_sql.rm_lines(pvalues) }}
    FROM {{ plan.stages.second_point }} AS s
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', keys) | join(', ') }}
{%- endset -%}
{{ return(bounded) }}
{% endmacro %}

{#- The p-value of an effect s, by its test; of its logarithm there is none. -#}
{% macro rm_own_pvalue(plan) %}
{%- set is_rank_test = rankmetrics_sql.rm_is_rank_test(plan) -%}
{%- set pvalue = rankmetrics_sql.rm_rank_pvalue(plan) if is_rank_test
    else rankmetrics_sql.rm_pvalue(plan.options.alternative, rankmetrics_sql.rm_away(plan)) -%}
{%- if plan.options.test == 'bootstrap' and plan.options.design == 'paired' -%}
    {%- set pvalue = rankmetrics_sql.rm_bootstrapped_pvalue(plan) -%}
{%- elif rankmetrics_sql.rm_is_resampled(plan) -%}
    {%- set pvalue = 's.drawn_pvalue' -%}
{%- endif -%}
{%- set has_pairs = 's.n_queries > 0' ~ (' AND s.effect_size IS NOT NULL' if plan.reads_scores else '') -%}
{%- set is_exact = is_rank_test or plan.options.test == 'randomisation' -%}
{%- set is_known = has_pairs if is_exact else 's.error IS NOT NULL' -%}
{{ return('CASE WHEN s.in_logarithms = 0 AND ' ~ is_known ~ ' THEN ' ~ pvalue ~ ' END') }}
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

{#- Without any spread a difference is certain, and no difference is none. -#}
{% macro rm_pvalue(alternative, away='s.estimate') %}
{%- set certain = away ~ ' ' ~ {'two_sided': '<>', 'less': '<'}[alternative] | default('>') ~ ' 0' -%}
{%- set beyond = 's.beyond_distance' -%}
{%- set usual = '2 * ' ~ beyond -%}
{%- if alternative != 'two_sided' -%}
    {%- set usual = 'CASE WHEN ' ~ certain ~ ' THEN ' ~ beyond ~ ' ELSE 1 - ' ~ beyond ~ ' END' -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN s.error = 0 THEN CASE WHEN ' ~ certain ~ ' THEN 0 ELSE 1 END',
    'WHEN ' ~ away ~ ' = 0 THEN ' ~ ('1' if alternative == 'two_sided' else rankmetrics_sql.rm_number(0.5)),
    'ELSE ' ~ usual,
], '', 8)) }}
{% endmacro %}

{#- A window over the tests that p-values are corrected within, in an order if one is said. -#}
{% macro rm_over_family(plan, order='') %}
{%- set columns = {'all': [], 'metric': ['metric_number'], 'group': rankmetrics_sql.rm_groups_of_pairs(plan)}[
    plan.options.family
] -%}
{%- set family = 'PARTITION BY ' ~ columns | join(', ') if columns else '' -%}
{{ return('OVER (' ~ (family ~ ' ' ~ order) | trim ~ ')') }}
{% endmacro %}

{% macro rm_bounded_names(plan) %}
{{ return(rankmetrics_sql.rm_effect_facts(plan)
    + ['effect_lower', 'effect_upper', 'relative_lower', 'relative_upper', 'statistic', 'pvalue']
    + rankmetrics_sql.rm_detectable(plan) | map(attribute='name') | list) }}
{% endmacro %}

{#- What the last stage has beside the keys of an effect, without the number of queries that it takes to find it. -#}
{% macro rm_kept_facts(plan) %}
{{ return(rankmetrics_sql.rm_effect_facts(plan)
    + ['effect_lower', 'effect_upper', 'relative_lower', 'relative_upper', 'statistic', 'pvalue', 'corrected']
    + rankmetrics_sql.rm_power_names(plan)[:1]) }}
{% endmacro %}

{#- The rows of a stage with the place of their p-values; names are those of its columns beside the keys. -#}
{% macro rm_counted(plan, stage, names) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set known_first = 'ORDER BY CASE WHEN pvalue IS NULL THEN 1 ELSE 0 END ASC, ' -%}
{%- set order = rankmetrics_sql.rm_ascending(['pvalue'], ['run_id'] + plan.group_names, ['metric_number']) -%}
{%- set place = 'ROW_NUMBER() ' ~ rankmetrics_sql.rm_over_family(plan, known_first ~ order) -%}
{%- set n_tests = 'COUNT(pvalue) ' ~ rankmetrics_sql.rm_over_family(plan) -%}
{%- set counted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + names) }},
        {{ rankmetrics_sql.rm_as_double(n_tests) }} AS n_tests,
        {{ rankmetrics_sql.rm_as_double(place) }} AS place
    FROM {{ stage }}
{%- endset -%}
{{ return(counted) }}
{% endmacro %}

{#- Holm 1979, Bonferroni, Benjamini & Hochberg 1995, Benjamini & Yekutieli 2001. -#}
{% macro rm_adjusted(plan, names) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set so_far = ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set from_least = rankmetrics_sql.rm_over_family(plan, 'ORDER BY place ASC' ~ so_far) -%}
{%- set from_greatest = rankmetrics_sql.rm_over_family(plan, 'ORDER BY place DESC' ~ so_far) -%}
{%- set step_up = 'MIN(pvalue * n_tests / place) ' ~ from_greatest -%}
{%- set harmonic = rankmetrics_sql.rm_harmonic(plan) -%}
{%- set corrected = {
    'none': 'pvalue',
    'bonferroni': 'pvalue * n_tests',
    'holm': 'MAX(pvalue * (n_tests - place + 1)) ' ~ from_least,
    'bh': step_up,
    'by': step_up ~ ' * ' ~ harmonic,
}[plan.options.correction] -%}
{%- set adjusted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + names) }},
        {{ rankmetrics_sql.rm_lines([
            {'name': 'corrected', 'sql': 'CASE WHEN pvalue IS NOT NULL THEN ' ~ corrected ~ ' END'},
        ] + rankmetrics_sql.rm_planned_level(plan)) }}
    FROM {{ plan.stages.counted }}
{%- endset -%}
{{ return(adjusted) }}
{% endmacro %}

{#- 1 + 1 / 2 + 1 / 3 ... of as many as the tests of a family. -#}
{% macro rm_harmonic(plan) %}
{%- set shares = 'CASE WHEN pvalue IS NOT NULL THEN 1 / place END' -%}
{{ return(rankmetrics_sql.rm_aggregated('sum', shares, 'place') ~ ' ' ~ rankmetrics_sql.rm_over_family(plan)) }}
{% endmacro %}

{% macro rm_select_compare(plan) %}
{%- set sequential = rankmetrics_sql.rm_is_sequential(plan) -%}
{%- set chance = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{%- set baseline = rankmetrics_sql.rm_baseline_column(plan) -%}
{%- set keys = rankmetrics_sql.rm_named_keys(plan, with_query=false, alias='p')[1:] -%}
{%- set groups = keys | reject('in', baseline) | list -%}
{%- set counts = ['n_queries', 'n_higher', 'n_ties', 'n_lower', 'n_left_out', 'n_units'] + plan.count_names
    + (['variance_reduction'] if plan.covariate_names else []) -%}
{%- set found = {
    'effect_size_ci_lower': 'p.effect_lower',
    'effect_size_ci_upper': 'p.effect_upper',
    'rel_effect_size': 'p.candidate / NULLIF(p.baseline, 0) - 1',
    'rel_effect_size_ci_lower': 'p.relative_lower',
    'rel_effect_size_ci_upper': 'p.relative_upper',
} -%}
{%- set tested = {
    'pvalue_adj': 'CASE WHEN p.corrected > 1 THEN 1 ELSE p.corrected END',
    'significant': 'CASE WHEN p.corrected <= ' ~ chance ~ ' THEN 1 WHEN p.corrected > ' ~ chance ~ ' THEN 0 END',
    'verdict': rankmetrics_sql.rm_verdict(plan),
    'std_effect_size': 'p.effect_size / NULLIF(p.deviation, 0)',
} -%}
{%- set superiority = [{'name': 'prob_superiority', 'sql': rankmetrics_sql.rm_superiority(plan)}] -%}
{%- set asked = {
    'confidence_level': rankmetrics_sql.rm_number(plan.options.confidence_level),
    'alternative': rankmetrics_sql.rm_string(plan.options.alternative),
    'correction': rankmetrics_sql.rm_string(plan.options.correction),
    'margin': rankmetrics_sql.rm_as_double(plan.options.margin),
} -%}
{%- set last = plan.stages.needed if rankmetrics_sql.rm_has_sample_sizes(plan)
    else plan.stages.bounded if rankmetrics_sql.rm_is_levelled(plan) else plan.stages.adjusted -%}
{%- set select -%}
SELECT
    p.run_id AS run,
    {{ rankmetrics_sql.rm_lines(baseline + groups, 4) }},
    {{ rankmetrics_sql.rm_lines(
        rankmetrics_sql.rm_kept('p', ['metric']) + rankmetrics_sql.rm_measured_means(plan)
        + rankmetrics_sql.rm_kept('p', ['effect_size']), 4
    ) }},
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_named(found), 4) }},
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('p', ['standard_error']), 4) }},
    {{ rankmetrics_sql.rm_string('sequential' if sequential else plan.options.test) }} AS test,
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('p', ['statistic', 'pvalue']), 4) }},
    {{ rankmetrics_sql.rm_lines(
        rankmetrics_sql.rm_named(tested) + superiority + rankmetrics_sql.rm_kept('p', counts)
            + rankmetrics_sql.rm_power_columns(plan) + rankmetrics_sql.rm_method(plan)
            + rankmetrics_sql.rm_named(asked) + rankmetrics_sql.rm_all_faults(plan), 4
    ) }}
FROM {{ last }} AS p
ORDER BY {{ rankmetrics_sql.rm_ascending(
    ['p.run_id'], rankmetrics_sql.rm_qualified('p', plan.group_names), ['p.metric_number']
) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- How probable a better value is than a worse one, in the direction of the metric; half of what is equal counts. -#}
{% macro rm_superiority(plan) %}
{%- set half = rankmetrics_sql.rm_number(0.5) -%}
{%- set is_ranked = plan.options.test == 'mann_whitney' -%}
{%- if plan.options.design != 'paired' and not is_ranked -%}
    {{ return(rankmetrics_sql.rm_as_double('NULL')) }}
{%- endif -%}
{%- set of_pairs = ' + p.n_ties * ' ~ half ~ ') / p.n_queries' -%}
{%- set by_direction = {
    'higher': 'p.superiority' if is_ranked else '(p.n_higher' ~ of_pairs,
    'lower': '1 - p.superiority' if is_ranked else '(p.n_lower' ~ of_pairs,
} -%}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}{%- do expressions.append(by_direction[metric.better]) -%}{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('p', expressions)) }}
{% endmacro %}

{#- How many faults the rows behind all values have, baseline or not, on each row: nothing is handed on but effects. -#}
{% macro rm_all_faults(plan) %}
{%- set columns = [] -%}
{%- for name in plan.fault_names -%}
    {%- set sum = '(SELECT SUM(v.' ~ name ~ ') FROM ' ~ plan.stages.query_values ~ ' AS v)' -%}
    {%- do columns.append({'name': name, 'sql': 'p.n_unweighted' if name == 'n_unweighted' else sum}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
