{#-
Values of all queries together, made of parts, as means: the delta method. Where such a value is T of the sums S of the
parts over n queries, that of a query with the parts p is taken as T + n * SUM(dT/dS * (p - S / n)): of a ratio of sums,
R + (p1 - R * p2) / (S2 / n). The mean of these is T, and its error that of T, so that what follows takes them like any
other values.
-#}

{#- Whether the error of a metric follows from its parts: its total says how it changes with each sum. -#}
{% macro rm_is_linear(metric) %}
{%- if metric.aggregate != 'parts' -%}{{ return(false) }}{%- endif -%}
{%- set total = rankmetrics_sql.rm_metric_total(metric, ['1', '1', '1', '1'], '1') -%}
{{ return(total is mapping) }}
{% endmacro %}

{#- The total that a metric makes of its sums, with or without its derivatives. -#}
{% macro rm_total_of_parts(metric, sums, n) %}
{%- set total = rankmetrics_sql.rm_metric_total(metric, sums, n) -%}
{{ return(total.sql if total is mapping else total) }}
{% endmacro %}

{#- linear: the values v, and linear_value what they are as terms of a mean, each over the rows with the same keys. -#}
{% macro rm_linear(plan, stage, names, keys) %}
{%- if rankmetrics_sql.rm_is_predicted(plan) -%}
    {{ return(rankmetrics_sql.rm_powered(plan, stage, names, keys)) }}
{%- endif -%}
{%- if not rankmetrics_sql.rm_part_names(plan) -%}{{ return({'stage': stage, 'ctes': []}) }}{%- endif -%}
{%- set over = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('v', keys) | join(', ') ~ ')' -%}
{%- set counted = rankmetrics_sql.rm_has_parts(plan, 'v', '') -%}
{%- set linear %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names) }},
        {{ rankmetrics_sql.rm_linear_value(plan, '', 'value', 'n_terms') }} AS linear_value
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(
                rankmetrics_sql.rm_columns_from('v', names) + rankmetrics_sql.rm_sums_of_parts(plan, '', counted, over),
                12
            ) }},
            {{ rankmetrics_sql.rm_as_double('COUNT(CASE WHEN ' ~ counted ~ ' THEN 1 END) ' ~ over) }} AS n_terms
        FROM {{ stage }} AS v
    ) AS summed
{%- endset -%}
{{ return({'stage': plan.stages.linear, 'ctes': [rankmetrics_sql.rm_cte(
    plan.stages.linear, linear,
    'the values, where a ratio of sums is split into one term of a mean per query'
)]}) }}
{% endmacro %}

{#- linear: the same of pairs, whose sums are those of the queries that are known of both. -#}
{% macro rm_linear_pairs(plan, names) %}
{%- if rankmetrics_sql.rm_is_predicted(plan) -%}{{ return(rankmetrics_sql.rm_powered_pairs(plan, names)) }}{%- endif -%}
{%- set stage = plan.stages.pairs -%}
{%- if not rankmetrics_sql.rm_part_names(plan) -%}{{ return({'stage': stage, 'ctes': []}) }}{%- endif -%}
{%- set over = rankmetrics_sql.rm_over_effect(plan, 'v') -%}
{%- set counted = rankmetrics_sql.rm_has_parts(plan, 'v', 'baseline_') ~ ' AND '
    ~ rankmetrics_sql.rm_has_parts(plan, 'v', 'candidate_') -%}
{%- set own = [
    {'name': 'baseline_own', 'sql': 'v.baseline_value'}, {'name': 'candidate_own', 'sql': 'v.candidate_value'},
    {'name': 'has_changed', 'sql': rankmetrics_sql.rm_has_changed(plan)},
] -%}
{%- set linear %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names + ['has_changed']) }},
        {{ rankmetrics_sql.rm_linear_value(plan, 'baseline_', 'baseline_own', 'n_terms') }} AS baseline_value,
        {{ rankmetrics_sql.rm_linear_value(plan, 'candidate_', 'candidate_own', 'n_terms') }} AS candidate_value
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(
                rankmetrics_sql.rm_columns_from('v', names) + own
                + rankmetrics_sql.rm_sums_of_parts(plan, 'baseline_', counted, over)
                + rankmetrics_sql.rm_sums_of_parts(plan, 'candidate_', counted, over), 12
            ) }},
            {{ rankmetrics_sql.rm_as_double('COUNT(CASE WHEN ' ~ counted ~ ' THEN 1 END) ' ~ over) }} AS n_terms
        FROM {{ stage }} AS v
    ) AS summed
{%- endset -%}
{{ return({'stage': plan.stages.linear, 'ctes': [rankmetrics_sql.rm_cte(
    plan.stages.linear, linear,
    'the pairs, where a ratio of sums is split into one term of a mean per query'
)]}) }}
{% endmacro %}

{#-
Whether the two values of a query differ, 1 or 0; of a value of all queries together whether its parts do: as terms of a
mean those of a query that did not change differ, too.
-#}
{% macro rm_has_changed(plan) %}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- set unequal = [] -%}
    {%- for part in rankmetrics_sql.rm_parts(plan, metric) -%}
        {%- set own = 'COALESCE(v.baseline_part_' ~ loop.index ~ ', 0)' -%}
        {%- set moved = '(COALESCE(v.candidate_part_' ~ loop.index ~ ', 0) - ' ~ own ~ ')' -%}
        {%- do unequal.append(rankmetrics_sql.rm_beyond_rounding(moved, own) ~ ' <> 0') -%}
    {%- endfor -%}
    {%- set condition = unequal | join(' OR ') if unequal else 'v.candidate_value <> v.baseline_value' -%}
    {%- do expressions.append('CASE WHEN ' ~ condition ~ ' THEN 1 ELSE 0 END') -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('v', expressions)) }}
{% endmacro %}

{#- Whether a query has something to add: a value of its own, or parts, which it may have without one. -#}
{% macro rm_has_parts(plan, alias, prefix) %}
{%- set last = rankmetrics_sql.rm_part_names(plan) | last -%}
{{ return('COALESCE(' ~ alias ~ '.' ~ prefix ~ 'value, ' ~ alias ~ '.' ~ prefix ~ last ~ ') IS NOT NULL') }}
{% endmacro %}

{#- Of each part that of the row, where it counts, and the sum. -#}
{% macro rm_sums_of_parts(plan, prefix, counted, over) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_part_names(plan) -%}
    {%- set own = 'CASE WHEN ' ~ counted ~ ' THEN COALESCE(v.' ~ prefix ~ name ~ ', 0) END' -%}
    {%- do columns.append({'name': prefix ~ 'own_' ~ name, 'sql': own}) -%}
    {%- set sum = rankmetrics_sql.rm_aggregated('sum', own) ~ ' ' ~ over -%}
    {%- do columns.append({'name': prefix ~ 'sum_' ~ name, 'sql': sum}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The value as the term of a mean; that of parts whose total does not say how it changes is the total itself. -#}
{% macro rm_linear_value(plan, prefix, value, n) %}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- set sums = [] -%}
    {%- set owns = [] -%}
    {%- for part in rankmetrics_sql.rm_parts(plan, metric) -%}
        {%- do sums.append(prefix ~ 'sum_part_' ~ loop.index) -%}
        {%- do owns.append(prefix ~ 'own_part_' ~ loop.index) -%}
    {%- endfor -%}
    {%- if not sums -%}
        {%- do expressions.append(value) -%}
    {%- else -%}
        {%- set total = rankmetrics_sql.rm_metric_total(metric, sums, n) -%}
        {%- set terms = [] -%}
        {%- for slope in (total.slopes if total is mapping else []) -%}
            {%- set own = owns[loop.index0] -%}
            {%- do terms.append('(' ~ slope ~ ') * (' ~ own ~ ' - ' ~ sums[loop.index0] ~ ' / ' ~ n ~ ')') -%}
        {%- endfor -%}
        {%- set sql = rankmetrics_sql.rm_total_of_parts(metric, sums, n) -%}
        {%- if terms -%}
            {%- set moved = terms | join('\n            + ') -%}
            {%- set sql = sql ~ '\n        + COALESCE(' ~ n ~ ' * (\n            ' ~ moved ~ '\n        ), 0)' -%}
        {%- endif -%}
        {%- do expressions.append(rankmetrics_sql.rm_case(['WHEN ' ~ owns[-1] ~ ' IS NOT NULL THEN ' ~ sql], '', 0)) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('summed', expressions) | indent(4)) }}
{% endmacro %}

{#- The total that is a ratio of two sums, 0 over 0 unless sql says another, with how it changes with each of them. -#}
{% macro rm_ratio_total(sums, sql=none) %}
{%- set below = 'NULLIF(' ~ sums[1] ~ ', 0)' -%}
{{ return({
    'sql': rankmetrics_sql.rm_ratio_of_sums(sums[0], sums[1]) if sql is none else sql,
    'slopes': ['1 / ' ~ below, '-' ~ sums[0] ~ ' / ' ~ below ~ ' / ' ~ below],
}) }}
{% endmacro %}
