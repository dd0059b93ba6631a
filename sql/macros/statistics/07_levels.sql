{#-
Intervals at the level of a correction. Of Bonferroni and Holm each of the m intervals of a family is at 1 - alpha / m,
so that all of them hold together (Dunn 1961). Of Benjamini & Hochberg, with R effects that are significant, they are at
1 - alpha R / m: of the intervals of those, alpha at most are wrong, on average (false coverage rate, Benjamini &
Yekutieli 2005); where none is, at 1 - alpha / m. Of Benjamini & Yekutieli alpha is divided by 1 + 1 / 2 + ... + 1 / m.
Relations, of which each has a row per effect and scale, as measured has:
    apart              how far each estimate is from what is tested, in errors
    looked_at          the probability beyond that
    tested             the p-values
    counted, adjusted  their places and corrections
    levelled           the probability beyond each end of an interval, tail
and from there on as without a correction, with that probability.
-#}

{% macro rm_is_levelled(plan) %}
{{ return(plan.level == 'compare' and plan.options.interval_level == 'corrected') }}
{% endmacro %}

{% macro rm_levelled_effects(plan, measured) %}
{%- set student = rankmetrics_sql.rm_student_of(plan) -%}
{%- set carried = ['in_logarithms'] + rankmetrics_sql.rm_effect_facts(plan)
    + rankmetrics_sql.rm_distribution_names() -%}
{%- set found = carried + ['pvalue'] -%}
{%- set planned = rankmetrics_sql.rm_planned_level(plan) | map(attribute='name') | list -%}
{{ return([
    rankmetrics_sql.rm_places(plan.stages.places),
    rankmetrics_sql.rm_cte(plan.stages.measured, measured, 'each estimate with its error and degrees of freedom'),
    rankmetrics_sql.rm_cte(
        plan.stages.apart, rankmetrics_sql.rm_apart(plan, student),
        'with its distance from what is tested, in errors'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.looked_at, rankmetrics_sql.rm_look(student, plan.stages.apart, ['distance']),
        'with the probability beyond that distance'
    ),
    rankmetrics_sql.rm_cte(plan.stages.tested, rankmetrics_sql.rm_tested(plan, carried), 'with its p-value'),
    rankmetrics_sql.rm_cte(
        plan.stages.counted, rankmetrics_sql.rm_counted(plan, plan.stages.tested, found),
        'each with its place among the p-values of its family'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.adjusted, rankmetrics_sql.rm_adjusted(plan, found + ['n_tests', 'place']),
        'each with the p-value that this place makes of it'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.levelled, rankmetrics_sql.rm_levelled(plan, found + ['corrected'] + planned),
        'with the probability that its family leaves beyond each end of an interval'
    ),
] + rankmetrics_sql.rm_points_of_levels(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.bounded, rankmetrics_sql.rm_bounded(plan), 'intervals and p-values, a row for each effect'
    ),
] + rankmetrics_sql.rm_sample_sizes(plan, plan.stages.bounded, rankmetrics_sql.rm_kept_facts(plan))) }}
{% endmacro %}

{#- From the levelled on. -#}
{% macro rm_points_of_levels(plan) %}
{%- set said = rankmetrics_sql.rm_effect_facts(plan) + ['pvalue', 'corrected', 'tail']
    + (rankmetrics_sql.rm_planned_level(plan)
    + rankmetrics_sql.rm_guess_facts('degrees', 'tail')) | map(attribute='name') | list -%}
{%- set student = rankmetrics_sql.rm_student(
    rankmetrics_sql.rm_tested_keys(plan), said, 'tail', plan.options.power, 'distance', source=plan.stages.levelled
) -%}
{{ return(rankmetrics_sql.rm_points(student)) }}
{% endmacro %}

{% macro rm_apart(plan, student) %}
{%- set kinds = student.row_keys + ['in_logarithms'] + student.said -%}
{%- set apart %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + ['always', 'estimate', 'error', 'degrees']) }},
        {{ student.distance }} AS distance,
        {{ rankmetrics_sql.rm_student_height('degrees') }} AS height
    FROM {{ plan.stages.measured }} AS s
{%- endset -%}
{{ return(apart) }}
{% endmacro %}

{% macro rm_tested(plan, carried) %}
{%- set tested %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('s', rankmetrics_sql.rm_effect_keys(plan) + carried)) }},
        {{ rankmetrics_sql.rm_own_pvalue(plan) }} AS pvalue
    FROM {{ plan.stages.looked_at }} AS s
{%- endset -%}
{{ return(tested) }}
{% endmacro %}

{#- A family without a p-value has no intervals; what is computed of its rows must not fail. -#}
{% macro rm_levelled(plan, known) %}
{%- set names = rankmetrics_sql.rm_effect_keys(plan) + known -%}
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
        {{ rankmetrics_sql.rm_lines(names + ['tail'] + rankmetrics_sql.rm_guess_facts('degrees', 'tail')) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(names, 12) }},
            {{ tail }} AS tail
        FROM {{ plan.stages.adjusted }}
    ) AS shared
{%- endset -%}
{{ return(levelled) }}
{% endmacro %}
