{#- What else a comparison can be asked: intervals that hold at any time, and what a number of queries can tell. -#}

{% macro rm_is_sequential(plan) %}
{{ return(rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.sequential is not none) }}
{% endmacro %}

{#-
Intervals that hold however often they are looked at, and the p-value at which one would begin to hold 0: asymptotic
confidence sequences (Waudby-Smith et al. 2021), tightest at the number of queries that the option says.
-#}
{% macro rm_sequential_points(plan, measured) %}
{%- set kinds = rankmetrics_sql.rm_tested_keys(plan) + ['in_logarithms'] + rankmetrics_sql.rm_tested_facts(plan) -%}
{%- set chance = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{%- set tuning = rankmetrics_sql.rm_number(plan.options.sequential) -%}
{%- set units = 'n_clusters' if plan.cluster_names else 'n_queries' -%}
{%- set scaled = units ~ ' * (-2 * LN(' ~ chance ~ ') + LN(1 - 2 * LN(' ~ chance ~ '))) / ' ~ tuning -%}
{%- set distance = rankmetrics_sql.rm_away(plan, 'tuned.estimate') ~ ' / error' -%}
{%- set away = rankmetrics_sql.rm_case([
    'WHEN error > 0 THEN ' ~ rankmetrics_sql.rm_exp('-POWER(' ~ distance ~ ', 2) * x / (x + 1) / 2') ~ ' * SQRT(x + 1)',
], '', 8) -%}
{%- set points %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + ['estimate', 'error']) }},
        SQRT(2 * (x + 1) / x * LN(SQRT(x + 1) / {{ chance }})) AS point,
        CASE WHEN raised > 1 THEN 1 ELSE raised END * {{ rankmetrics_sql.rm_number(0.5) }} AS beyond_distance
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(kinds + ['estimate', 'error', 'x'], 12) }},
            {{ away | indent(4) }} AS raised
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(kinds + ['estimate', 'error'], 16) }},
                {{ scaled }} AS x
            FROM {{ plan.stages.measured }}
        ) AS tuned
    ) AS looked_at
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        plan.stages.measured, measured,
        'each effect, and the logarithm of its ratio, with its error'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.second_point, points,
        'how many errors wide an interval is that holds at any number of queries, and how probable its p-value is'
    ),
]) }}
{% endmacro %}

{% macro rm_has_power(plan) %}
{{ return(rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.power is not none) }}
{% endmacro %}

{#- What power= adds to a result. -#}
{% macro rm_power_names(plan) %}
{{ return(['min_detectable_effect', 'n_queries_needed'] if rankmetrics_sql.rm_has_power(plan) else []) }}
{% endmacro %}

{#- The same of the rows p of the last stage. -#}
{% macro rm_power_columns(plan) %}
{%- set columns = rankmetrics_sql.rm_kept('p', rankmetrics_sql.rm_power_names(plan)) -%}
{%- if not rankmetrics_sql.rm_has_sample_sizes(plan) -%}{{ return(columns) }}{%- endif -%}
{{ return(columns[:1] + rankmetrics_sql.rm_named({'n_queries_needed': rankmetrics_sql.rm_queries_needed(plan)})) }}
{% endmacro %}

{#-
The effect that would be found with the power asked for, and what the number of queries that finds this one is searched
from: of tests of means. No such formula holds for ranks.
-#}
{% macro rm_detectable(plan) %}
{%- if not rankmetrics_sql.rm_has_sample_sizes(plan) -%}
    {{ return(rankmetrics_sql.rm_unknown(rankmetrics_sql.rm_power_names(plan))) }}
{%- endif -%}
{%- set of_power = 'MAX(CASE s.in_logarithms WHEN 2 THEN s.point END)' -%}
{%- set points = 'MAX(CASE s.in_logarithms WHEN 0 THEN s.point END) + ' ~ of_power -%}
{%- set error = 'MAX(CASE s.in_logarithms WHEN 0 THEN s.error END)' -%}
{{ return(rankmetrics_sql.rm_named({'min_detectable_effect': '(' ~ points ~ ') * ' ~ error})
    + rankmetrics_sql.rm_units_facts(plan)) }}
{% endmacro %}
