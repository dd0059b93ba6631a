{#- Sequential intervals, which hold at any time, and the columns of power=. -#}

{% macro rm_is_sequential(plan) %}
{{ return(rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.sequential is not none) }}
{% endmacro %}

{#-
Intervals that hold however often they are looked at, and the p-value at which one would begin to hold 0: asymptotic
confidence sequences (Waudby-Smith et al. 2021), tightest at the number of queries that the option says.
-#}
{% macro rm_sequential_points(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set said = rankmetrics_sql.rm_effect_facts(plan) + rankmetrics_sql.rm_scale_names(plan) -%}
{%- set known = keys + said -%}
{%- set chance = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{%- set tuning = rankmetrics_sql.rm_number(plan.options.sequential) -%}
{%- set units = 'n_clusters' if plan.cluster_names else 'n_queries' -%}
{%- set scaled = units ~ ' * (-2 * LN(' ~ chance ~ ') + LN(1 - 2 * LN(' ~ chance ~ '))) / ' ~ tuning -%}
{%- set raised = {'raised': rankmetrics_sql.rm_distance_from_null(plan, 'tuned.effect_size')} -%}
{%- set tails = {'beyond_distance': 'raised'} -%}
{%- if rankmetrics_sql.rm_gain_distance(plan) is not none -%}
    {%- do raised.update({'raised_by_gain': 'tuned.effect_size'}) -%}
    {%- do tails.update({'beyond_gain': 'raised_by_gain'}) -%}
{%- endif -%}
{%- for name, away in raised.items() -%}
    {%- set error = rankmetrics_sql.rm_error_of_test(plan) if name == 'raised' else 'error' -%}
    {%- set grown = rankmetrics_sql.rm_exp('-POWER(' ~ away ~ ' / ' ~ error ~ ', 2) * x / (x + 1) / 2') -%}
    {%- set branch = 'WHEN ' ~ error ~ ' > 0 THEN ' ~ grown ~ ' * SQRT(x + 1)' -%}
    {%- do raised.update({name: rankmetrics_sql.rm_case([branch], '', 8)}) -%}
{%- endfor -%}
{%- set half = ' * ' ~ rankmetrics_sql.rm_number(0.5) -%}
{%- for name, column in tails.items() -%}
    {%- do tails.update({name: 'CASE WHEN ' ~ column ~ ' > 1 THEN 1 ELSE ' ~ column ~ ' END' ~ half}) -%}
{%- endfor -%}
{%- set points %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known) }},
        SQRT(2 * (x + 1) / x * LN(SQRT(x + 1) / {{ chance }})) AS point,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_as_columns(tails)) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(known + ['x'], 12) }},
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_as_columns(raised)) | indent(4) }}
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(known, 16) }},
                {{ scaled }} AS x
            FROM {{ plan.stages.measured }}
        ) AS tuned
    ) AS tail_probabilities
{%- endset -%}
{%- set student = rankmetrics_sql.rm_student(keys, said + ['point'], []) -%}
{{ return(rankmetrics_sql.rm_measured(plan, rankmetrics_sql.rm_student(keys, said, [])) + [
    rankmetrics_sql.rm_cte(
        plan.stages.tail_probabilities, points,
        'the width, in standard errors, of an interval that holds at any number of queries, and its p-value'
    ),
] + rankmetrics_sql.rm_critical_values(student, plan.stages.tail_probabilities, rankmetrics_sql.rm_found(plan))) }}
{% endmacro %}

{% macro rm_has_power(plan) %}
{{ return(rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.power is not none
    and 'interval' in plan.shown) }}
{% endmacro %}

{#- The columns that power= adds to a result. -#}
{% macro rm_power_names(plan) %}
{{ return(['min_detectable_effect', 'n_queries_needed'] if rankmetrics_sql.rm_has_power(plan) else []) }}
{% endmacro %}

{#-
The effect that would be found with the power asked for, of the rows p, at the level of the correction's first step,
where an effect is found whatever the others are. For ranks no such formula holds, and of fewer than six units that
differ nothing says how far differences spread.
-#}
{% macro rm_power_columns(plan) %}
{%- if not rankmetrics_sql.rm_has_sample_sizes(plan) -%}
    {{ return(rankmetrics_sql.rm_unknown(rankmetrics_sql.rm_power_names(plan))) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_named({
    'min_detectable_effect': 'CASE WHEN p.n_units >= ' ~ rankmetrics_sql.rm_few_units() ~ ' THEN ('
        ~ rankmetrics_sql.rm_planned_point(plan) ~ ' + p.power_point) * p.error END',
    'n_queries_needed': rankmetrics_sql.rm_queries_needed(plan),
})) }}
{% endmacro %}
