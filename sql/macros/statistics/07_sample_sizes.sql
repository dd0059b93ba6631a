{#-
How many queries it takes to find an effect as large as the one seen: the smallest whole n with
n >= (t_level + t_power)^2 * variance / effect^2, whose two points of Student's t have the degrees of freedom that n
queries leave. It is found by search. An iteration, whose points have the degrees of the n before, oscillates.

With a tail beyond each point from 0.00025 to 0.05 and a power up to 0.95 that is at most one off the smallest n of the
noncentral t, from 5 queries on or 3 in each arm; at most two off with a tail from 0.0001 on or a power up to 0.99; and
where the tail is longer it is at most three more. Beyond these bounds the number is not known.

What is counted up are whole clusters where there are any, and whole queries of the smaller arm where there are arms:
    rankmetrics_planned  the normal point of the level, a row for each effect
    rankmetrics_tried    a row for each number that may be the smallest
    rankmetrics_needed   the smallest, a row for each effect again
-#}
{% macro rm_has_sample_sizes(plan) %}
{{ return(rankmetrics_sql.rm_has_power(plan) and not rankmetrics_sql.rm_is_rank_test(plan)) }}
{% endmacro %}

{#- The columns of effects s from which a search starts. An effect towards the side not tested is never found. -#}
{% macro rm_units_facts(plan) %}
{%- set away = rankmetrics_sql.rm_distance_from_null(plan) -%}
{%- set towards = {'two_sided': 'ABS(' ~ away ~ ')', 'less': '-' ~ away}[plan.options.alternative] | default(away) -%}
{%- set is_seen = towards ~ ' * ' ~ rankmetrics_sql.rm_number('1e4') ~ ' > error' -%}
{%- set n = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_units_of_effects(plan)) -%}
{{ return(rankmetrics_sql.rm_named({
    'units_per_square': 'CASE WHEN ' ~ is_seen ~ ' THEN ' ~ n ~ ' * POWER(error / ' ~ away ~ ', 2) END',
    'degrees_per_unit': '(degrees + ' ~ rankmetrics_sql.rm_lost_degrees(plan) ~ ') / ' ~ n,
    'queries_per_unit': rankmetrics_sql.rm_as_double('n_queries') ~ ' / ' ~ n,
})) }}
{% endmacro %}

{#- What is counted: whole clusters, queries of the smaller arm, or queries. -#}
{% macro rm_units_of_effects(plan) %}
{{ return('n_units' if plan.options.design == 'unpaired' else 'n_clusters' if plan.cluster_names else 'n_queries') }}
{% endmacro %}

{#- How many degrees of freedom the means take. -#}
{% macro rm_lost_degrees(plan) %}
{{ return(2 if plan.options.design == 'unpaired' else 1) }}
{% endmacro %}

{#-
A half less the probability that the test of one effect has beyond each point, of the rows counted: that of the first
step of Holm, Bonferroni, Benjamini & Hochberg or Benjamini & Yekutieli, where an effect is found whatever the others
are. An interval's is another one, which knows what was found.
-#}
{% macro rm_planned_level(plan) %}
{%- if not rankmetrics_sql.rm_has_sample_sizes(plan) -%}{{ return([]) }}{%- endif -%}
{%- set tail = rankmetrics_sql.rm_number(rankmetrics_sql.rm_beyond_interval(plan)) -%}
{%- if plan.options.correction != 'none' -%}
    {%- set tail = tail ~ ' / CASE WHEN n_tests > 1 THEN n_tests ELSE 1 END' -%}
{%- endif -%}
{%- if plan.options.correction == 'by' -%}
    {%- set tail = tail ~ ' / COALESCE(' ~ rankmetrics_sql.rm_harmonic(plan) ~ ', 1)' -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_named({'planned': rankmetrics_sql.rm_number(0.5) ~ ' - ' ~ tail})) }}
{% endmacro %}

{#- The relations from a stage on that has a row for each effect; names are those of its columns that are kept. -#}
{% macro rm_sample_sizes(plan, stage, names) %}
{%- if not rankmetrics_sql.rm_has_sample_sizes(plan) -%}{{ return([]) }}{%- endif -%}
{{ return([
    rankmetrics_sql.rm_cte(
        plan.stages.planned, rankmetrics_sql.rm_planned_points(plan, stage, names),
        'with the normal quantile for the level of the test in its family'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.tried, rankmetrics_sql.rm_tried_numbers(plan, names),
        'with the candidates for the smallest number of queries'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.needed, rankmetrics_sql.rm_fewest_units(plan, names),
        'with the smallest number of queries that reaches the power'
    ),
]) }}
{% endmacro %}

{#- The names of these columns. -#}
{% macro rm_units_names() %}
{{ return(['units_per_square', 'degrees_per_unit', 'queries_per_unit']) }}
{% endmacro %}

{#- Whether a test is planned at another level than that of its interval, which may have that of the correction. -#}
{% macro rm_is_planned_apart(plan) %}
{{ return(not (plan.options.correction == 'none' or rankmetrics_sql.rm_is_levelled(plan)
    or rankmetrics_sql.rm_is_one_test(plan))) }}
{% endmacro %}

{#-
The point of Student's t at that level, of the rows p: that of the interval, times what the level makes of points with
these degrees of freedom.
-#}
{% macro rm_planned_point(plan) %}
{{ return('p.point * p.level_ratio' if rankmetrics_sql.rm_is_planned_apart(plan) else 'p.point') }}
{% endmacro %}

{#- As everywhere, a MAX of one row keeps planners from writing its expression out for each use. -#}
{% macro rm_planned_points(plan, stage, names) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set known = names + rankmetrics_sql.rm_units_names() -%}
{%- set read = rankmetrics_sql.rm_normal_arguments('planned') -%}
{%- set is_good = 'planned < ' ~ rankmetrics_sql.rm_number(0.499900000001) -%}
{%- set planned %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_columns_from('s', keys) + rankmetrics_sql.rm_each('MAX(s.', known)
        ) }},
        MAX(CASE WHEN s.n_queries > 0 THEN 1 END) AS join_key,
        MAX(CASE WHEN {{ is_good }} THEN {{ rankmetrics_sql.rm_normal_inverse('planned') }} END) AS level_point
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(keys + known + ['planned'] + read, 12) }}
        FROM {{ stage }}
    ) AS s
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', keys) | join(', ') }}
{%- endset -%}
{{ return(planned) }}
{% endmacro %}

{#-
Normal points give too small a number, by at most 8 units that each add a degree of freedom and at most 15 that add half
of one. Where a unit adds less, as one of very uneven clusters does, some are stepped over. One unit below four degrees
of freedom is tried too: if that is enough, the number is below what the formula is good for.
-#}
{% macro rm_tried_numbers(plan, names) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set known = keys + names + rankmetrics_sql.rm_units_names() -%}
{%- set lost = rankmetrics_sql.rm_lost_degrees(plan) -%}
{%- set point = rankmetrics_sql.rm_normal_point((1 - plan.options.power) | round(15), 60) -%}
{%- set steps = [] -%}
{%- for step in range(18) -%}{%- do steps.append('SELECT 1 AS join_key, ' ~ step ~ ' AS step') -%}{%- endfor -%}
{%- set by_normal = 'CEIL(POWER(level_point + ' ~ rankmetrics_sql.rm_number(point) ~ ', 2) * units_per_square)' -%}
{%- set least = 'CEIL(' ~ rankmetrics_sql.rm_number(lost + 3.999999) ~ ' / degrees_per_unit) - 1' -%}
{%- set stride = 'CASE WHEN degrees_per_unit < ' ~ rankmetrics_sql.rm_number(0.5)
    ~ ' THEN CEIL(1 / (2 * degrees_per_unit)) ELSE 1 END' -%}
{%- set degrees = 'units * degrees_per_unit - ' ~ lost -%}
{%- set own = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_units_of_effects(plan)) ~ ' * degrees_per_unit - '
    ~ lost -%}
{%- set usual = rankmetrics_sql.rm_normal_point(rankmetrics_sql.rm_beyond_interval(plan), 60) -%}
{%- set tried %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known + ['units', 'degrees']) }},
        {%- if rankmetrics_sql.rm_is_planned_apart(plan) %}
        {{ rankmetrics_sql.rm_student_exponent('level_square', 'own_degrees') }} AS own_exponent,
        {{ rankmetrics_sql.rm_student_exponent(usual * usual, 'own_degrees') }} AS usual_exponent,
        {%- endif %}
        {{ rankmetrics_sql.rm_student_exponent('level_square', 'degrees') }} AS level_exponent,
        {{ rankmetrics_sql.rm_student_exponent(point * point, 'degrees') }} AS power_exponent
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(known + ['units'], 12) }},
            POWER(level_point, 2) AS level_square,
            CASE WHEN {{ degrees }} > {{ rankmetrics_sql.rm_number(1.999999) }} THEN {{ degrees }} END AS degrees
            {%- if rankmetrics_sql.rm_is_planned_apart(plan) %},
            CASE WHEN {{ own }} > {{ rankmetrics_sql.rm_number(1.999999) }} THEN {{ own }} END AS own_degrees
            {%- endif %}
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('d', known + ['level_point']), 16) }},
                CASE WHEN by_normal > least THEN by_normal ELSE least END + n.step * d.stride AS units
            FROM (
                SELECT
                    {{ rankmetrics_sql.rm_lines(known + ['level_point', 'join_key'], 20) }},
                    {{ by_normal }} AS by_normal,
                    {{ least }} AS least,
                    {{ stride }} AS stride
                FROM {{ plan.stages.planned }}
            ) AS d
            LEFT JOIN ({{ steps | join(' UNION ALL ') }}) AS n ON n.join_key = d.join_key
        ) AS from_normal
    ) AS of_units
{%- endset -%}
{{ return(tried) }}
{% endmacro %}

{% macro rm_fewest_units(plan, names) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set known = names + ['degrees_per_unit', 'queries_per_unit'] -%}
{%- set of_level = rankmetrics_sql.rm_student_root('s.level_exponent') -%}
{%- set of_power = rankmetrics_sql.rm_student_root('s.power_exponent') -%}
{%- set asked = 's.units_per_square * s.degrees * POWER(' ~ of_level ~ ' + ' ~ of_power ~ ', 2)' -%}
{%- set ratio = rankmetrics_sql.rm_student_root('s.own_exponent') ~ ' / '
    ~ rankmetrics_sql.rm_student_root('s.usual_exponent') -%}
{%- set needed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_columns_from('s', keys) + rankmetrics_sql.rm_each('MAX(s.', known)
        ) }},
        {%- if rankmetrics_sql.rm_is_planned_apart(plan) %}
        MAX({{ ratio }}) AS level_ratio,
        {%- endif %}
        MIN(CASE WHEN s.units >= {{ asked }} THEN s.units END) AS units_needed
    FROM {{ plan.stages.tried }} AS s
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', keys) | join(', ') }}
{%- endset -%}
{{ return(needed) }}
{% endmacro %}

{#- The whole queries of so many units p, where the formula is good. -#}
{% macro rm_queries_needed(plan) %}
{%- set number = rankmetrics_sql.rm_bigint_type() -%}
{%- if plan.options.power > 0.99 -%}{{ return('CAST(NULL AS ' ~ number ~ ')') }}{%- endif -%}
{%- set least = rankmetrics_sql.rm_number(rankmetrics_sql.rm_lost_degrees(plan) + 3.99999) -%}
{%- set queries = 'CEIL(p.units_needed * p.queries_per_unit - ' ~ rankmetrics_sql.rm_number('1e-6') ~ ')' -%}
{%- set is_good = 'p.units_needed * p.degrees_per_unit > ' ~ least
    ~ (' AND p.units_needed > 2' if plan.options.design == 'unpaired' else '') -%}
{{ return('CASE WHEN ' ~ is_good ~ ' THEN CAST(' ~ queries ~ ' AS ' ~ number
    ~ ') END') }}
{% endmacro %}

{#-
The point of Student's t, squared, divided by its degrees of freedom and as the exponent of EXP(exponent) - 1; y is the
square of the normal point beyond which the same probability lies, a number or a column. Hill's expansion (1970), for 2
degrees of freedom or more: the point's relative error is below 0.00003 with 4 of them and a probability from 0.005 on,
and below 0.0006 down to a probability of 0.0001.
-#}
{% macro rm_student_exponent(y, degrees) %}
{%- set a = '(' ~ degrees ~ ' - ' ~ rankmetrics_sql.rm_number(0.5) ~ ')' -%}
{%- set b = '(48 * POWER(' ~ a ~ ', 2))' -%}
{%- if y is number -%}
    {%- set square = rankmetrics_sql.rm_number(y) -%}
    {%- set first = rankmetrics_sql.rm_number(y + 3) -%}
    {%- set above = rankmetrics_sql.rm_number((((4 * y + 63) * y + 360) * y + 945) / 10) -%}
    {%- set below = rankmetrics_sql.rm_number(0.8 * y * y + 100) -%}
{%- else -%}
    {%- set square = y -%}
    {%- set first = '(' ~ y ~ ' + 3)' -%}
    {%- set above = rankmetrics_sql.rm_polynomial(y, [945, 360, 63, 4]) ~ ' / 10' -%}
    {%- set below = rankmetrics_sql.rm_number(0.8) ~ ' * POWER(' ~ y ~ ', 2) + 100' -%}
{%- endif -%}
{%- set shrunk = '1 - (' ~ first ~ ' - ' ~ above ~ ' / (' ~ b ~ ' + ' ~ below ~ ')) / ' ~ b -%}
{{ return(square ~ ' * POWER(' ~ shrunk ~ ', 2) / ' ~ a) }}
{% endmacro %}

{#-
SQRT(EXP(exponent) - 1), also of an exponent so small that a double of its EXP is 1. One that is NULL must match no
branch: PostgreSQL's EXP of it is near 0, as GREATEST ignores it there, and a negative number has no root.
-#}
{% macro rm_student_root(exponent) %}
{%- set series = exponent ~ ' * (1 + ' ~ exponent ~ ' / 2 * (1 + ' ~ exponent ~ ' / 3))' -%}
{%- set least = rankmetrics_sql.rm_number('1e-4') -%}
{%- set usual = ' WHEN ' ~ exponent ~ ' >= ' ~ least ~ ' THEN EXP(' ~ exponent ~ ') - 1 END)' -%}
{{ return('SQRT(CASE WHEN ' ~ exponent ~ ' < ' ~ least ~ ' THEN ' ~ series ~ usual) }}
{% endmacro %}
