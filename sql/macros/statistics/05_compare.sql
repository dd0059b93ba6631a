{#- compare: candidates against a baseline, query by query. -#}

{#-
Pairs each query of a candidate with the same query of the baseline, which a window finds: no join. Values that differ
by the rounding of their sums only are the same value.
-#}
{% macro rm_pairs(plan) %}
{%- set baseline = rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set keys = ['run_id'] + plan.query_keys + plan.group_names + ['metric_number', 'metric'] -%}
{%- set same_query = 'PARTITION BY ' ~ (plan.query_keys + ['metric_number']) | join(', ') -%}
{%- set beside %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        value AS own_value,
        MAX(CASE WHEN run_id = {{ baseline }} THEN value END) OVER ({{ same_query }}) AS baseline_value
    FROM {{ plan.stages.query_values }}
{%- endset -%}
{%- set size = 'CASE WHEN ABS(baseline_value) > 1 THEN ABS(baseline_value) ELSE 1 END' -%}
{%- set rounding = rankmetrics_sql.rm_number('1e-12') ~ ' * ' ~ size -%}
{%- set pairs %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        baseline_value,
        CASE
            WHEN ABS(own_value - baseline_value) <= {{ rounding }} THEN baseline_value
            ELSE own_value
        END AS candidate_value
    FROM {{ plan.stages.beside }}
    WHERE run_id <> {{ baseline }} AND baseline_value IS NOT NULL AND own_value IS NOT NULL
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(plan.stages.beside, beside),
    rankmetrics_sql.rm_cte(plan.stages.pairs, pairs),
]) }}
{% endmacro %}

{#- The mean difference first, so that its spread is summed around it without cancellation. -#}
{% macro rm_differences(plan) %}
{%- set groups = ['run_id'] + plan.group_names + ['metric_number'] -%}
{%- set columns = ['run_id'] + plan.query_keys + plan.group_names
    + ['metric_number', 'metric', 'baseline_value', 'candidate_value'] -%}
{%- set differences %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        candidate_value - baseline_value AS difference,
        AVG(candidate_value - baseline_value) OVER (PARTITION BY {{ groups | join(', ') }}) AS mean_difference
    FROM {{ plan.stages.pairs }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(plan.stages.differences, differences)]) }}
{% endmacro %}

{% macro rm_select_compare(plan) %}
{%- set keys = rankmetrics_sql.rm_qualified('p', ['run_id'] + plan.group_names + ['metric_number', 'metric']) -%}
{%- set named = rankmetrics_sql.rm_named_keys(plan, false, 'p') + rankmetrics_sql.rm_kept('p', ['metric']) -%}
{%- set deviation = 'p.difference - p.mean_difference' -%}
{%- set squares = '(' ~ deviation ~ ') * (' ~ deviation ~ ')' -%}
{%- set groups = rankmetrics_sql.rm_qualified('p', plan.group_names) -%}
{%- set baselines = [] -%}
{%- set candidates = [] -%}
{%- set differences = [] -%}
{%- set scales = [] -%}
{%- for metric in plan.metrics -%}
    {%- set adds_up = metric.aggregate in ['mean', 'sum'] -%}
    {%- set baseline = rankmetrics_sql.rm_aggregated(metric.aggregate, 'p.baseline_value') -%}
    {%- set candidate = rankmetrics_sql.rm_aggregated(metric.aggregate, 'p.candidate_value') -%}
    {%- set difference = rankmetrics_sql.rm_aggregated(metric.aggregate, 'p.difference') -%}
    {%- do baselines.append(baseline) -%}
    {%- do candidates.append(candidate) -%}
    {%- do differences.append(difference if adds_up else candidate ~ ' - ' ~ baseline) -%}
    {%- do scales.append({'mean': '1', 'sum': 'COUNT(*)'}[metric.aggregate] if adds_up else 'NULL') -%}
{%- endfor -%}
{%- set scale = rankmetrics_sql.rm_by_metric('p', scales) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(named, 4) }},
    {{ rankmetrics_sql.rm_by_metric('p', baselines) }} AS baseline,
    {{ rankmetrics_sql.rm_by_metric('p', candidates) }} AS candidate,
    {{ rankmetrics_sql.rm_by_metric('p', differences) }} AS difference,
    SUM(CASE WHEN p.difference > 0 THEN 1 ELSE 0 END) AS n_higher,
    SUM(CASE WHEN p.difference = 0 THEN 1 ELSE 0 END) AS n_ties,
    SUM(CASE WHEN p.difference < 0 THEN 1 ELSE 0 END) AS n_lower,
    CASE
        WHEN COUNT(*) > 1 THEN SQRT(
            {{ rankmetrics_sql.rm_aggregated('sum', squares, 'p.difference') }}
            / {{ rankmetrics_sql.rm_as_double('COUNT(*) - 1') }}
            / {{ rankmetrics_sql.rm_as_double('COUNT(*)') }}
        ){{ '' if scale == '1' else ' * ' ~ scale | indent(4) }}
    END AS standard_error,
    COUNT(*) AS n_queries
FROM {{ plan.stages.differences }} AS p
GROUP BY {{ keys | join(', ') }}
ORDER BY {{ rankmetrics_sql.rm_ascending(['p.run_id'], groups, ['p.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
