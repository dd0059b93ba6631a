{#- totals: one row per run and group; each metric brought together over its queries as it declares. -#}

{% macro rm_totals(plan, counts) %}
{%- set keys = (['run_id'] if plan.multi else []) + plan.group_names -%}
{%- set columns = [] -%}
{%- set medians = [] -%}
{%- set ctes = [] -%}
{%- for metric in plan.metrics -%}
    {%- if metric.aggregate == 'median' -%}
        {%- set median = plan.stages.median ~ '_' ~ loop.index -%}
        {%- do ctes.extend(
            rankmetrics_sql.rm_typical(median, plan.stages.per_query, keys, metric.column, 'median')
        ) -%}
        {%- do medians.append(median) -%}
        {%- set total = 'MAX(' ~ median ~ '.typical)' -%}
    {%- elif metric.aggregate == 'parts' -%}
        {%- set total = rankmetrics_sql.rm_metric_total(metric) -%}
    {%- else -%}
        {%- set order = rankmetrics_sql.rm_ascending(plan.query_keys) -%}
        {%- set total = rankmetrics_sql.rm_aggregated(metric.aggregate, metric.column, order) -%}
    {%- endif -%}
    {%- do columns.append({'name': metric.column ~ '_total', 'sql': total}) -%}
{%- endfor -%}
{%- do columns.extend(counts + rankmetrics_sql.rm_each('SUM(', plan.fault_names)) -%}
{%- do columns.append({'name': 'n_queries', 'sql': 'COUNT(*)'}) -%}
{%- set kept = rankmetrics_sql.rm_kept('v', keys) if medians else keys -%}
{%- set totals %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kept + columns) }}
    FROM {{ plan.stages.per_query }}
    {%- if medians %} AS v{% endif %}
    {%- for median in medians %}
    {{ 'LEFT JOIN ' ~ median ~ ' ON ' ~ rankmetrics_sql.rm_same_or_null(median, 'v', keys) }}
    {%- endfor %}
    {%- if keys %}
    GROUP BY {{ (rankmetrics_sql.rm_qualified('v', keys) if medians else keys) | join(', ') }}
    {%- endif %}
{%- endset -%}
{{ return(ctes + [rankmetrics_sql.rm_cte(plan.stages.totals, totals), rankmetrics_sql.rm_metric_names(plan)]) }}
{% endmacro %}

{#- A column over the queries of a group. The geometric mean takes 0.00001 for anything less (trec_eval). -#}
{% macro rm_aggregated(aggregate, column, order) %}
{%- if aggregate == 'geometric' -%}
    {%- set least = rankmetrics_sql.rm_number('1e-5') -%}
    {%- set logarithm = 'LN(CASE WHEN ' ~ column ~ ' < ' ~ least ~ ' THEN ' ~ least ~ ' ELSE ' ~ column ~ ' END)' -%}
    {{ return('EXP(AVG(' ~ rankmetrics_sql.rm_in_order(logarithm, order) ~ '))') }}
{%- elif aggregate in ['mean', 'sum'] -%}
    {{ return(('AVG(' if aggregate == 'mean' else 'SUM(') ~ rankmetrics_sql.rm_in_order(column, order) ~ ')') }}
{%- endif -%}
{{ return(aggregate | upper ~ '(' ~ column ~ ')') }}
{% endmacro %}

{#- How many queries each metric is about, where that is not how many there are: columns, each with its metrics. -#}
{% macro rm_query_counts(plan, passes) %}
{%- set universes = [] -%}
{%- for pass in passes -%}
    {%- set universe = [pass.options.queries, pass.universe_rel, pass.truth_suffix] -%}
    {%- if universe not in universes -%}{%- do universes.append(universe) -%}{%- endif -%}
{%- endfor -%}
{%- set counts = [] -%}
{%- for pass in passes -%}
    {%- if universes | length > 1 -%}
        {%- do counts.append({
            'name': 'n_scored' ~ pass.suffix,
            'sql': 'SUM(is_scored' ~ pass.suffix ~ ')',
            'metrics': pass.metrics | rejectattr('skips') | list,
        }) -%}
    {%- endif -%}
    {%- for metric in pass.metrics if metric.skips -%}
        {%- do counts.append({
            'name': metric.column ~ '_queries',
            'sql': 'COUNT(' ~ metric.column ~ ')',
            'metrics': [metric],
        }) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(counts) }}
{% endmacro %}

{#- metrics: their names as typed, numbered, to turn columns into rows. -#}
{% macro rm_metric_names(plan) %}
{%- set rows = [] -%}
{%- for metric in plan.metrics -%}
    {%- set x = '' if metric.x is none else ', ' ~ rankmetrics_sql.rm_as_double(metric.x) ~ ' AS x' -%}
    {%- set label = rankmetrics_sql.rm_string(metric.label) -%}
    {%- do rows.append('SELECT ' ~ loop.index ~ ' AS metric_number, ' ~ label ~ ' AS metric' ~ x) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_cte(plan.stages.metrics, rows | join('\n    UNION ALL '))) }}
{% endmacro %}

{#- A CASE that picks the column of each numbered metric. -#}
{% macro rm_pick(plan, suffix) %}
{%- set branches = [] -%}
{%- for metric in plan.metrics -%}
    {%- do branches.append('WHEN ' ~ loop.index ~ ' THEN ' ~ metric.column ~ suffix) -%}
{%- endfor -%}
{{ return('CASE m.metric_number\n        ' ~ branches | join('\n        ') ~ '\n    END') }}
{% endmacro %}

{#- The column with the number of queries of each metric. -#}
{% macro rm_pick_queries(plan, counts) %}
{%- set branches = [] -%}
{%- for count in counts -%}
    {%- for metric in count.metrics -%}
        {%- do branches.append('WHEN ' ~ (plan.metrics.index(metric) + 1) ~ ' THEN ' ~ count.name) -%}
    {%- endfor -%}
{%- endfor -%}
{%- if not branches -%}{{ return('n_queries') }}{%- endif -%}
{{ return({'name': 'n_queries', 'sql': 'CASE m.metric_number ' ~ branches | join(' ') ~ ' ELSE n_queries END'}) }}
{% endmacro %}
