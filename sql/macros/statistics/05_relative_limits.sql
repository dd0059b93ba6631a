{#-
Limits that are a share p of the baseline's value: what is tested is the candidate less (1 - p) times the baseline where
higher is better, and less (1 + p) times it where lower is. That is linear in the values of queries, so that its error
is one of differences whose baseline is so many times as large, of pairs and arms alike. The error of the effect itself
stays beside it. Of a baseline that is not above 0 a share says nothing: there is no test.
-#}

{% macro rm_is_relative(plan) %}
{{ return(plan.relative_limits | length > 0) }}
{% endmacro %}

{#- Of each metric the share of the baseline that is added to an effect for its test, with its sign, or 0. -#}
{% macro rm_added_shares(plan) %}
{%- set shares = [] -%}
{%- for metric in plan.metrics -%}
    {%- set limit = plan.limits[metric.label] if metric.label in plan.relative_limits else 0 -%}
    {%- do shares.append(-limit if metric.better == 'lower' else limit) -%}
{%- endfor -%}
{{ return(shares) }}
{% endmacro %}

{#- The column with the error of what is tested. -#}
{% macro rm_error_of_test(plan) %}
{{ return('error_of_test' if rankmetrics_sql.rm_is_relative(plan) else 'error') }}
{% endmacro %}

{#- Names of columns, where some limit is a share. -#}
{% macro rm_if_relative(plan, names) %}
{{ return(names if rankmetrics_sql.rm_is_relative(plan) else []) }}
{% endmacro %}

{#- What is tested of a pair p, less its mean: of the difference, and so much of the baseline. -#}
{% macro rm_deviation_of_test(plan) %}
{%- set own = [] -%}
{%- for share in rankmetrics_sql.rm_added_shares(plan) -%}
    {%- set more = ' + ' ~ rankmetrics_sql.rm_number(share) ~ ' * (p.baseline_value - p.mean_baseline)' -%}
    {%- do own.append('(p.difference - p.mean_difference' ~ (more if share else '') ~ ')') -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('p', own)) }}
{% endmacro %}

{#- The error of that. -#}
{% macro rm_error_of_tested_pairs(plan) %}
{%- if not rankmetrics_sql.rm_is_relative(plan) -%}{{ return({}) }}{%- endif -%}
{%- set error = 'CASE WHEN n > 1 THEN SQRT(tested_squares / (n - 1) / n) END' -%}
{%- set error_of_sum = 'CASE WHEN n > 1 THEN SQRT(tested_squares / (n - 1) * n) END' -%}
{%- if rankmetrics_sql.rm_has_shares(plan) -%}
    {%- set error_of_sum = rankmetrics_sql.rm_cluster_error(
        plan, 'tested_in_cluster_squares' if plan.cluster_names else 'tested_squares'
    ) -%}
    {%- set error = error_of_sum ~ ' / ' ~ rankmetrics_sql.rm_divisor(plan) -%}
{%- endif -%}
{%- set of_counts = rankmetrics_sql.rm_as_double('NULL') if plan.weight_names else error_of_sum -%}
{{ return({'tested_error': rankmetrics_sql.rm_by_aggregate(
    plan, 's', {'mean': error, 'sum': of_counts, 'linear': error}
)}) }}
{% endmacro %}

{#- How many times the baseline of an effect s is subtracted. -#}
{% macro rm_times_subtracted(plan) %}
{%- set times = [] -%}
{%- for share in rankmetrics_sql.rm_added_shares(plan) -%}
    {%- do times.append(rankmetrics_sql.rm_number((1 - share) | round(15))) -%}
{%- endfor -%}
{{ return('(' ~ rankmetrics_sql.rm_by_metric('s', times) ~ ')') }}
{% endmacro %}

{#- The error and the degrees of freedom of what is tested of arms s with these variances. -#}
{% macro rm_test_of_arms(plan, own, of_baseline) %}
{%- if not rankmetrics_sql.rm_is_relative(plan) -%}{{ return({}) }}{%- endif -%}
{%- set times = rankmetrics_sql.rm_times_subtracted(plan) -%}
{%- set scaled = '((' ~ of_baseline ~ ') * POWER(' ~ times ~ ', 2))' -%}
{%- set error = 'SQRT(' ~ rankmetrics_sql.rm_variance_of_difference(
    plan, '(' ~ own ~ ')', scaled, ' * ' ~ times
) ~ ')' -%}
{{ return({
    'tested_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': error, 'linear': error}),
    'tested_degrees': rankmetrics_sql.rm_welch(plan, '(' ~ own ~ ')', scaled),
}) }}
{% endmacro %}

{#- Whether an effect s has a baseline that a share can be of. -#}
{% macro rm_has_share_of_baseline(plan) %}
{%- set conditions = [] -%}
{%- for share in rankmetrics_sql.rm_added_shares(plan) -%}
    {%- do conditions.append('s.baseline' if share else '1') -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('s', conditions) ~ ' > 0') }}
{% endmacro %}
