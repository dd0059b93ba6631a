{#-
Intervals at the level of a correction. Of Bonferroni and Holm each of the m intervals of a family is at 1 - alpha / m,
so that all of them hold together (Dunn 1961). Of Benjamini & Hochberg, with R effects that are significant, they are at
1 - alpha R / m: of the intervals of those, alpha at most are wrong, on average (false coverage rate, Benjamini &
Yekutieli 2005); where none is, at 1 - alpha / m. Of Benjamini & Yekutieli alpha is divided by 1 + 1 / 2 + ... + 1 / m.
Relations, each with a row for each effect:
    measured           as without a correction
    first_look         the probability beyond the distance of each effect from what is tested
    tested             the p-values
    counted, adjusted  their places and corrections
    levelled           the probability beyond each end of an interval, tail
and from there on as without a correction, with that probability.
-#}

{% macro rm_is_levelled(plan) %}
{{ return(plan.level == 'compare' and plan.options.interval_level == 'corrected' and 'interval' in plan.shown) }}
{% endmacro %}

{% macro rm_levelled_effects(plan) %}
{%- set points = rankmetrics_sql.rm_points_of_effects(plan, 'tail') -%}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set read = rankmetrics_sql.rm_effect_facts(plan) + rankmetrics_sql.rm_scale_names(plan) -%}
{%- set degrees = points | map(attribute='degrees') | unique | list -%}
{%- set found = rankmetrics_sql.rm_found(plan) -%}
{%- set student = rankmetrics_sql.rm_student(
    keys, read + degrees + ['join_key'], [], rankmetrics_sql.rm_distance(plan),
    rankmetrics_sql.rm_degrees_of_test(plan),
    rankmetrics_sql.rm_gain_distance(plan)
) -%}
{%- set has_tail = student.distance is not none -%}
{%- set looks = [rankmetrics_sql.rm_cte(
    student.stages.first_look, rankmetrics_sql.rm_look(student, student.stages.measured),
    'with the probability beyond its distance from the tested value'
)] if has_tail else [] -%}
{%- set measured = rankmetrics_sql.rm_measured(plan, student) -%}
{%- set tested = rankmetrics_sql.rm_corrected(
    student, student.stages.first_look if has_tail else student.stages.measured, found
) -%}
{%- set names = read + degrees + ['join_key'] + found | map(attribute='name') | list -%}
{%- set planned = rankmetrics_sql.rm_planned_level(plan) | map(attribute='name') | list -%}
{%- set known = read + found | map(attribute='name') | list + ['corrected'] + planned
    + rankmetrics_sql.rm_if_bounded(plan, ['claim_level']) -%}
{%- set guesses = rankmetrics_sql.rm_guess_facts(points, 'tail') -%}
{%- set student = rankmetrics_sql.rm_student(
    keys, known + ['tail'] + guesses | map(attribute='name') | list, points
) -%}
{{ return([rankmetrics_sql.rm_quadrature_nodes(plan.stages.quadrature_nodes)] + measured + looks + [
    rankmetrics_sql.rm_cte(plan.stages.tested, tested, 'with its p-value'),
] + rankmetrics_sql.rm_corrections(plan, names, plan.stages.tested) + [
    rankmetrics_sql.rm_cte(
        plan.stages.levelled, rankmetrics_sql.rm_levelled(plan, student, known, guesses),
        'with the probability that its family leaves beyond each end of an interval'
    ),
] + rankmetrics_sql.rm_points(student, plan.stages.levelled)
    + rankmetrics_sql.rm_sample_sizes(
        plan, plan.stages.second_point,
        rankmetrics_sql.rm_found_facts(plan) + ['corrected'] + rankmetrics_sql.rm_if_bounded(plan, ['claim_level'])
    )) }}
{% endmacro %}

{#- A family without a p-value has no intervals; what is computed of its rows must not fail. -#}
{% macro rm_levelled(plan, student, known, guesses) %}
{%- set names = rankmetrics_sql.rm_effect_keys(plan) + known + rankmetrics_sql.rm_heights(student).keys() | list
    + ['join_key'] -%}
{%- set chance = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{%- set tail = rankmetrics_sql.rm_number(rankmetrics_sql.rm_beyond_interval(plan))
    ~ ' / CASE WHEN n_tests > 1 THEN n_tests ELSE 1 END' -%}
{%- set over = rankmetrics_sql.rm_over_family(plan) -%}
{%- set rejected = 'SUM(CASE WHEN corrected <= ' ~ chance ~ ' THEN 1 ELSE 0 END) ' ~ over -%}
{%- if plan.options.correction in ['bh', 'by'] -%}
    {%- set tail = tail ~ ' * CASE WHEN ' ~ rejected ~ ' > 1 THEN ' ~ rejected ~ ' ELSE 1 END' -%}
{%- endif -%}
{%- if plan.options.correction == 'by' -%}
    {%- set tail = tail ~ ' / COALESCE(' ~ rankmetrics_sql.rm_harmonic(plan) ~ ', 1)' -%}
{%- endif -%}
{%- set levelled %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names + ['tail'] + guesses) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(names + rankmetrics_sql.rm_height_columns(student), 12) }},
            {{ tail }} AS tail
        FROM {{ plan.stages.adjusted }}
    ) AS shared
{%- endset -%}
{{ return(levelled) }}
{% endmacro %}
