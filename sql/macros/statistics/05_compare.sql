{#- compare: candidates against a baseline, query by query. -#}

{#-
Pairs each query of a candidate with the same query of the baseline, which a window finds: no join. Values that differ
by the rounding of their sums only are the same value.
-#}
{% macro rm_pairs(plan) %}
{%- set baseline = rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set keys = ['run_id'] + plan.query_keys + plan.group_names -%}
{%- set over = 'OVER (PARTITION BY ' ~ plan.query_keys | join(', ') ~ ')' -%}
{%- set beside = keys | list -%}
{%- for metric in plan.metrics -%}
    {%- set of_baseline = 'MAX(CASE WHEN run_id = ' ~ baseline ~ ' THEN ' ~ metric.column ~ ' END) ' ~ over -%}
    {%- do beside.extend([metric.column, {'name': metric.column ~ '_baseline', 'sql': of_baseline}]) -%}
{%- endfor -%}
{%- set baselines %}
    SELECT
        {{ rankmetrics_sql.rm_lines(beside) }}
    FROM {{ plan.stages.per_query }}
{%- endset -%}
{%- set metric = ['metric_number', 'metric'] -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_kept('m', metric)) }},
        {{ rankmetrics_sql.rm_pick(plan, '_baseline') | indent(4) }} AS baseline_value,
        {{ rankmetrics_sql.rm_pick(plan, '') | indent(4) }} AS own_value
    FROM {{ plan.stages.baselines }}
    CROSS JOIN {{ plan.stages.metrics }} AS m
    WHERE run_id <> {{ baseline }}
{%- endset -%}
{%- set size = 'CASE WHEN ABS(baseline_value) > 1 THEN ABS(baseline_value) ELSE 1 END' -%}
{%- set rounding = rankmetrics_sql.rm_number('1e-12') ~ ' * ' ~ size -%}
{%- set pairs %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + metric) }},
        baseline_value,
        CASE
            WHEN ABS(own_value - baseline_value) <= {{ rounding }} THEN baseline_value
            ELSE own_value
        END AS candidate_value
    FROM {{ plan.stages.own_values }}
    WHERE baseline_value IS NOT NULL AND own_value IS NOT NULL
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_metric_names(plan),
    rankmetrics_sql.rm_cte(plan.stages.baselines, baselines),
    rankmetrics_sql.rm_cte(plan.stages.own_values, values),
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
{%- set named = rankmetrics_sql.rm_kept('p', ['run_id']) -%}
{%- for group in plan.groups -%}
    {%- do named.append({'name': group.label, 'sql': 'p.' ~ group.name}) -%}
{%- endfor -%}
{%- set order = rankmetrics_sql.rm_ascending(rankmetrics_sql.rm_qualified('p', plan.query_keys)) -%}
{%- set deviation = 'p.difference - p.mean_difference' -%}
{%- set squares = '(' ~ deviation ~ ') * (' ~ deviation ~ ')' -%}
{%- set baseline = rankmetrics_sql.rm_compared(plan, 'p.baseline_value', order) -%}
{%- set candidate = rankmetrics_sql.rm_compared(plan, 'p.candidate_value', order) -%}
{%- set difference = rankmetrics_sql.rm_compared(plan, 'p.difference', order) -%}
{%- if plan.metrics | rejectattr('aggregate', 'in', ['mean', 'sum']) | list -%}
    {%- set difference = candidate ~ ' - ' ~ baseline -%}
{%- endif -%}
{%- set groups = rankmetrics_sql.rm_qualified('p', plan.group_names) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(named + rankmetrics_sql.rm_kept('p', ['metric']), 4) }},
    {{ baseline }} AS baseline,
    {{ candidate }} AS candidate,
    {{ difference }} AS difference,
    SUM(CASE WHEN p.difference > 0 THEN 1 ELSE 0 END) AS n_higher,
    SUM(CASE WHEN p.difference = 0 THEN 1 ELSE 0 END) AS n_ties,
    SUM(CASE WHEN p.difference < 0 THEN 1 ELSE 0 END) AS n_lower,
    CASE
        WHEN COUNT(*) > 1 THEN SQRT(
            {{ rankmetrics_sql.rm_aggregated('sum', squares, order) }}
            / {{ rankmetrics_sql.rm_as_double('COUNT(*) - 1') }}
            / {{ rankmetrics_sql.rm_as_double('COUNT(*)') }}
        ){{ rankmetrics_sql.rm_scale(plan) }}
    END AS standard_error,
    COUNT(*) AS n_queries
FROM {{ plan.stages.differences }} AS p
GROUP BY {{ keys | join(', ') }}
ORDER BY {{ rankmetrics_sql.rm_ascending(['p.run_id'], groups, ['p.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- A column of the pairs over the queries of a group, for each metric as it is brought together. -#}
{% macro rm_compared(plan, column, order) %}
{%- set mean = rankmetrics_sql.rm_aggregated('mean', column, order) -%}
{%- set branches = [] -%}
{%- for metric in plan.metrics -%}
    {%- if metric.aggregate != 'mean' -%}
        {%- set value = rankmetrics_sql.rm_aggregated(metric.aggregate, column, order) -%}
        {%- do branches.append('WHEN ' ~ loop.index ~ ' THEN ' ~ value) -%}
    {%- endif -%}
{%- endfor -%}
{%- if not branches -%}{{ return(mean) }}{%- endif -%}
{{ return('CASE p.metric_number ' ~ branches | join(' ') ~ ' ELSE ' ~ mean ~ ' END') }}
{% endmacro %}

{#- What the standard error is multiplied by: a sum is so many times its mean; other aggregates have none. -#}
{% macro rm_scale(plan) %}
{%- set branches = [] -%}
{%- for metric in plan.metrics -%}
    {%- if metric.aggregate != 'mean' -%}
        {%- set scale = 'COUNT(*)' if metric.aggregate == 'sum' else 'NULL' -%}
        {%- do branches.append('WHEN ' ~ loop.index ~ ' THEN ' ~ scale) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(' * CASE p.metric_number ' ~ branches | join(' ') ~ ' ELSE 1 END' if branches else '') }}
{% endmacro %}
