{#- From judged and queries to what the user sees. -#}

{#-
rows: what the metrics of a query are added up from: its judged items, and one more row with what is known of the query.
They are stacked, not joined: whatever a planner believes of their number, it can do no more than read them once.
-#}
{% macro rm_rows(plan) %}
{%- set names = plan.judged_names -%}
{%- set items = plan.row_keys + names -%}
{%- set facts = plan.row_keys | list -%}
{%- for name in names -%}{%- do facts.append('NULL AS ' ~ name) -%}{%- endfor -%}
{%- for name in plan.fact_names -%}
    {%- do items.append(rankmetrics_sql.rm_unknown(name)) -%}
    {%- do facts.append(name) -%}
{%- endfor -%}
{%- for name in plan.group_names -%}
    {%- do items.append('NULL AS ' ~ name) -%}
    {%- do facts.append(name) -%}
{%- endfor -%}
{%- if plan.queries_marked -%}
    {%- do items.append('0 AS is_query') -%}
    {%- do facts.append('1 AS is_query') -%}
{%- endif -%}
{%- set stacked %}
    SELECT
        {{ rankmetrics_sql.rm_lines(items) }}
    FROM rankmetrics_judged{{ plan.suffix }}
    UNION ALL
    SELECT
        {{ rankmetrics_sql.rm_lines(facts) }}
    FROM {{ plan.queries_name }}
{%- endset -%}
{%- if not plan.facts_on_rows -%}{{ return([rankmetrics_sql.rm_cte('rankmetrics_rows' ~ plan.suffix, stacked)]) }}{%- endif -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_stacked' ~ plan.suffix, stacked),
    rankmetrics_sql.rm_cte('rankmetrics_rows' ~ plan.suffix, rankmetrics_sql.rm_rows_with_facts(plan)),
]) }}
{% endmacro %}

{#- For what compares a row with a fact of its query, such as its rank with the number of relevant items. -#}
{% macro rm_rows_with_facts(plan) %}
{%- set query = ' OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('s', plan.row_keys) | join(', ') ~ ')' -%}
{%- set columns = rankmetrics_sql.rm_qualified('s', plan.row_keys + plan.judged_names) -%}
{%- for name in plan.fact_names + plan.group_names + (['is_query'] if plan.queries_marked else []) -%}
    {%- do columns.append('MAX(s.' ~ name ~ ')' ~ query ~ ' AS ' ~ name) -%}
{%- endfor -%}
{%- if plan.level == 'judged' -%}{%- do columns.append('COUNT(s.rnk)' ~ query ~ ' AS n_listed') -%}{%- endif -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_stacked{{ plan.suffix }} AS s
{%- endset -%}
{{ return(rows) }}
{% endmacro %}

{#- A row whose run or query has no name belongs to none. -#}
{% macro rm_of_a_query(plan) %}
{%- set conditions = [] -%}
{%- for key in plan.row_keys -%}{%- do conditions.append(key ~ ' IS NOT NULL') -%}{%- endfor -%}
{{ return(conditions | join(' AND ')) }}
{% endmacro %}

{#- per_query: one row per scored query, one double column per metric. -#}
{% macro rm_per_query(plan) %}
{%- if plan.level in ['points', 'judged'] -%}{{ return([]) }}{%- endif -%}
{%- set columns = plan.row_keys | list -%}
{%- for name in plan.group_names -%}{%- do columns.append('MAX(' ~ name ~ ') AS ' ~ name) -%}{%- endfor -%}
{%- for metric in plan.metrics -%}
    {%- set expression = metric.expression if metric.expression is defined else rankmetrics_sql.rm_metric_expression(metric) -%}
    {%- set expression = expression | trim -%}
    {%- do columns.append(rankmetrics_sql.rm_metric_value(metric, expression) | trim | indent(8) ~ ' AS ' ~ metric.column) -%}
    {%- for part in rankmetrics_sql.rm_parts(metric) -%}
        {%- do columns.append(rankmetrics_sql.rm_metric_value(metric, part.sql) ~ ' AS ' ~ metric.column ~ '_' ~ part.name) -%}
    {%- endfor -%}
{%- endfor -%}
{%- if plan.check != 'none' -%}
    {%- do columns.append('SUM(CASE WHEN n_copies > 1 OR is_undefined > 0 THEN 1 ELSE 0 END) AS n_faults') -%}
{%- endif -%}
{%- if plan.ties_counted -%}
    {%- set cuts = [] -%}
    {%- for k in plan.cutoffs -%}{%- do cuts.append('(n_above < ' ~ k ~ ' AND n_through > ' ~ k ~ ')') -%}{%- endfor -%}
    {%- do columns.append('MAX(CASE WHEN ' ~ cuts | join(' OR ') ~ ' THEN 1 ELSE 0 END) AS n_ties_cut') -%}
{%- endif -%}
{%- set per_query %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_rows{{ plan.suffix }}
    WHERE {{ rankmetrics_sql.rm_of_a_query(plan) }}
    GROUP BY {{ plan.row_keys | join(', ') }}
    {%- if plan.queries_marked %}
    HAVING MAX(is_query) = 1
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_per_query' ~ plan.suffix, per_query)]) }}
{% endmacro %}

{#- The value of a metric as a double, whatever its expression; a query without relevant items may have another. -#}
{% macro rm_metric_value(metric, expression) %}
{%- set otherwise = metric.params.no_relevant if metric.params.no_relevant is defined else 0 -%}
{%- if otherwise != 0 or rankmetrics_sql.rm_is_guarded(metric) -%}
    {%- set not_a_number = "CAST('NaN' AS " ~ rankmetrics_sql.rm_double_type() ~ ')' -%}
    {%- set otherwise = otherwise if otherwise in [0, 1] else not_a_number if otherwise == 'error' else 'NULL' -%}
    {%- set expression = 'CASE WHEN MAX(' ~ rankmetrics_sql.rm_n_relevant(metric.params.rel) ~ ') > 0 THEN ' ~ expression ~ ' ELSE ' ~ otherwise ~ ' END' -%}
{%- endif -%}
{{ return('CAST(' ~ expression ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ')') }}
{% endmacro %}

{#- The columns of one pass beside keys and groups: metrics, their parts, faults. -#}
{% macro rm_value_columns(pass) %}
{%- set columns = pass.metrics | map(attribute='column') | list -%}
{%- for metric in pass.metrics -%}
    {%- for part in rankmetrics_sql.rm_parts(metric) -%}{%- do columns.append(metric.column ~ '_' ~ part.name) -%}{%- endfor -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_parts(metric) %}
{{ return(rankmetrics_sql.rm_metric_parts(metric) if metric.has_parts else []) }}
{% endmacro %}

{#- Several passes side by side again: a row per query, with a mark of the passes that score it. -#}
{% macro rm_stacked(plan) %}
{%- if plan.passes | length == 1 or plan.level == 'judged' -%}{{ return([]) }}{%- endif -%}
{%- set keys = plan.row_keys + plan.group_names -%}
{%- set selects = [] -%}
{%- for pass in plan.passes -%}
    {%- set columns = keys | list -%}
    {%- for other in plan.passes -%}
        {%- for name in rankmetrics_sql.rm_value_columns(other) -%}
            {%- do columns.append(name if other.suffix == pass.suffix else rankmetrics_sql.rm_unknown(name)) -%}
        {%- endfor -%}
        {%- do columns.append(('1' if other.suffix == pass.suffix else '0') ~ ' AS is_scored' ~ other.suffix) -%}
    {%- endfor -%}
    {%- for name in plan.fault_names -%}
        {%- do columns.append(name if name == 'n_faults' or pass.ties_counted else '0 AS ' ~ name) -%}
    {%- endfor -%}
    {%- do selects.append('SELECT\n        ' ~ rankmetrics_sql.rm_lines(columns) ~ '\n    FROM rankmetrics_per_query' ~ pass.suffix) -%}
{%- endfor -%}
{%- set columns = keys | list -%}
{%- for pass in plan.passes -%}
    {%- for name in rankmetrics_sql.rm_value_columns(pass) + ['is_scored' ~ pass.suffix] -%}{%- do columns.append('MAX(' ~ name ~ ') AS ' ~ name) -%}{%- endfor -%}
{%- endfor -%}
{%- for name in plan.fault_names -%}{%- do columns.append('MAX(' ~ name ~ ') AS ' ~ name) -%}{%- endfor -%}
{%- set merged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_passes
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_passes', selects | join('\n    UNION ALL\n    ')),
    rankmetrics_sql.rm_cte('rankmetrics_per_query', merged),
]) }}
{% endmacro %}

{#- The group columns under the user's names. -#}
{% macro rm_named_groups(plan) %}
{%- set columns = [] -%}
{%- for group in plan.groups -%}{%- do columns.append(group.name ~ ' AS ' ~ group.label) -%}{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The query columns under the user's names. -#}
{% macro rm_named_queries(plan) %}
{%- set columns = [] -%}
{%- for key in plan.query_keys -%}
    {%- set label = plan.query_labels[loop.index0] -%}
    {%- do columns.append(key if key == label else key ~ ' AS ' ~ label) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_select_per_query(plan) %}
{%- set columns = (['run_id'] if plan.multi else []) + rankmetrics_sql.rm_named_queries(plan) + rankmetrics_sql.rm_named_groups(plan) -%}
{%- for metric in plan.metrics -%}{%- do columns.append(metric.column) -%}{%- endfor -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns + plan.fault_names, 4) }}
FROM rankmetrics_per_query
ORDER BY {{ rankmetrics_sql.rm_ascending(plan.row_keys) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The rows that metrics aggregate: of each query its truth, of each judged item of its list the columns in use. -#}
{% macro rm_select_judged(plan) %}
{%- if plan.passes | length > 1 -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: metrics: the rows of judged are of one ranking; ask for metrics with the same options.') }}
{%- endif -%}
{%- set pass = plan.passes[0] -%}
{%- set columns = (['run_id'] if plan.multi else []) + rankmetrics_sql.rm_named_queries(plan) + rankmetrics_sql.rm_named_groups(plan) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns + pass.fact_names + pass.judged_names, 4) }}
FROM rankmetrics_rows
WHERE {{ rankmetrics_sql.rm_of_a_query(plan) }} AND (rnk IS NOT NULL OR n_listed = 0){{ ' AND is_query = 1' if pass.queries_marked }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- totals: one row per run and group; each metric brought together over its queries as it declares. -#}
{% macro rm_totals(plan) %}
{%- set keys = (['run_id'] if plan.multi else []) + plan.group_names -%}
{%- set columns = keys | list -%}
{%- set medians = [] -%}
{%- set ctes = [] -%}
{%- for metric in plan.metrics -%}
    {%- if metric.aggregate == 'median' -%}
        {%- set name = 'rankmetrics_median_' ~ loop.index -%}
        {%- do ctes.extend(rankmetrics_sql.rm_typical(name, 'rankmetrics_per_query', keys, metric.column, 'median')) -%}
        {%- do medians.append(name) -%}
        {%- do columns.append('MAX(' ~ name ~ '.typical) AS ' ~ metric.column ~ '_total') -%}
    {%- else -%}
        {%- do columns.append(rankmetrics_sql.rm_total(plan, metric) ~ ' AS ' ~ metric.column ~ '_total') -%}
    {%- endif -%}
{%- endfor -%}
{%- for count in rankmetrics_sql.rm_query_counts(plan) -%}{%- do columns.append(count.sql ~ ' AS ' ~ count.name) -%}{%- endfor -%}
{%- for name in plan.fault_names -%}{%- do columns.append('SUM(' ~ name ~ ') AS ' ~ name) -%}{%- endfor -%}
{%- set qualified = rankmetrics_sql.rm_qualified('v', keys) if medians else keys -%}
{%- set totals %}
    SELECT
        {{ rankmetrics_sql.rm_lines(qualified + columns[keys | length:] + ['COUNT(*) AS n_queries']) }}
    FROM rankmetrics_per_query
    {%- if medians %} AS v{% endif %}
    {%- for name in medians %}
    {{ 'LEFT JOIN ' ~ name ~ ' ON ' ~ rankmetrics_sql.rm_same_or_null(name, 'v', keys) }}
    {%- endfor %}
    {%- if keys %}
    GROUP BY {{ qualified | join(', ') }}
    {%- endif %}
{%- endset -%}
{{ return(ctes + [rankmetrics_sql.rm_cte('rankmetrics_totals', totals), rankmetrics_sql.rm_metric_names(plan)]) }}
{% endmacro %}

{#- One metric over the queries of a group. The geometric mean takes 0.00001 for anything less (trec_eval). -#}
{% macro rm_total(plan, metric) %}
{%- if metric.aggregate == 'parts' -%}{{ return(rankmetrics_sql.rm_metric_total(metric)) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_aggregated(metric.aggregate, metric.column, rankmetrics_sql.rm_ascending(plan.query_keys))) }}
{% endmacro %}

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

{#- How many queries each metric is about, where that is not how many there are. -#}
{% macro rm_query_counts(plan) %}
{%- set counts = [] -%}
{%- set universes = [] -%}
{%- for pass in plan.passes -%}
    {%- set universe = [pass.options.queries, pass.options.universe_rel, pass.truth_suffix] -%}
    {%- if universe not in universes -%}{%- do universes.append(universe) -%}{%- endif -%}
{%- endfor -%}
{%- for pass in plan.passes -%}
    {%- if universes | length > 1 -%}{%- do counts.append({'name': 'n_scored' ~ pass.suffix, 'sql': 'SUM(is_scored' ~ pass.suffix ~ ')', 'metrics': pass.metrics | rejectattr('skips') | list}) -%}{%- endif -%}
    {%- for metric in pass.metrics if metric.skips -%}
        {%- do counts.append({'name': metric.column ~ '_queries', 'sql': 'COUNT(' ~ metric.column ~ ')', 'metrics': [metric]}) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(counts) }}
{% endmacro %}

{#- metrics: their names as typed, numbered, to turn columns into rows. -#}
{% macro rm_metric_names(plan) %}
{%- set rows = [] -%}
{%- for metric in plan.metrics -%}
    {%- set x = ', CAST(' ~ metric.x ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ') AS x' if metric.x is not none else '' -%}
    {%- do rows.append('SELECT ' ~ loop.index ~ ' AS metric_number, ' ~ rankmetrics_sql.rm_string(metric.label) ~ ' AS metric' ~ x) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_metrics', rows | join('\n    UNION ALL '))) }}
{% endmacro %}

{#- A CASE that picks the column of each numbered metric. -#}
{% macro rm_pick(plan, suffix) %}
{%- set branches = [] -%}
{%- for metric in plan.metrics -%}
    {%- do branches.append('WHEN ' ~ loop.index ~ ' THEN ' ~ metric.column ~ suffix) -%}
{%- endfor -%}
{{ return('CASE m.metric_number\n        ' ~ branches | join('\n        ') ~ '\n    END') }}
{% endmacro %}

{% macro rm_pick_queries(plan) %}
{%- set branches = [] -%}
{%- for count in rankmetrics_sql.rm_query_counts(plan) -%}
    {%- for metric in count.metrics -%}{%- do branches.append('WHEN ' ~ (plan.metrics.index(metric) + 1) ~ ' THEN ' ~ count.name) -%}{%- endfor -%}
{%- endfor -%}
{%- if not branches -%}{{ return('n_queries') }}{%- endif -%}
{{ return('CASE m.metric_number ' ~ branches | join(' ') ~ ' ELSE n_queries END AS n_queries') }}
{% endmacro %}

{% macro rm_select_summary(plan) %}
{%- set keys = ['run_id'] if plan.multi else [] -%}
{%- set columns = keys + rankmetrics_sql.rm_named_groups(plan) + ['m.metric', rankmetrics_sql.rm_pick(plan, '_total') ~ ' AS metric_value', rankmetrics_sql.rm_pick_queries(plan)] -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns + plan.fault_names, 4) }}
FROM rankmetrics_totals
CROSS JOIN rankmetrics_metrics AS m
ORDER BY {{ rankmetrics_sql.rm_ascending(keys, plan.group_names, ['m.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#-
Pairs each query of a candidate with the same query of the baseline, which a window finds: no join. Values that differ
by the rounding of their sums only are the same value.
-#}
{% macro rm_pairs(plan) %}
{%- set is_baseline = 'run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set beside = ['run_id'] + plan.query_keys + plan.group_names -%}
{%- for metric in plan.metrics -%}
    {%- do beside.extend([
        metric.column,
        'MAX(CASE WHEN ' ~ is_baseline ~ ' THEN ' ~ metric.column ~ ' END) OVER (PARTITION BY ' ~ plan.query_keys | join(', ') ~ ') AS ' ~ metric.column ~ '_baseline',
    ]) -%}
{%- endfor -%}
{%- set baselines %}
    SELECT
        {{ rankmetrics_sql.rm_lines(beside) }}
    FROM rankmetrics_per_query
{%- endset -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['run_id'] + plan.query_keys + plan.group_names + ['m.metric_number', 'm.metric']) }},
        {{ rankmetrics_sql.rm_pick(plan, '_baseline') | indent(4) }} AS baseline_value,
        {{ rankmetrics_sql.rm_pick(plan, '') | indent(4) }} AS own_value
    FROM rankmetrics_baselines
    CROSS JOIN rankmetrics_metrics AS m
    WHERE run_id <> {{ rankmetrics_sql.rm_string(plan.baseline) }}
{%- endset -%}
{%- set keys = ['run_id'] + plan.query_keys + plan.group_names + ['metric_number', 'metric'] -%}
{%- set least = rankmetrics_sql.rm_number('1e-12') ~ ' * CASE WHEN ABS(baseline_value) > 1 THEN ABS(baseline_value) ELSE 1 END' -%}
{%- set pairs %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        baseline_value,
        CASE
            WHEN ABS(own_value - baseline_value) <= {{ least }} THEN baseline_value
            ELSE own_value
        END AS candidate_value
    FROM rankmetrics_values
    WHERE baseline_value IS NOT NULL AND own_value IS NOT NULL
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_metric_names(plan),
    rankmetrics_sql.rm_cte('rankmetrics_baselines', baselines),
    rankmetrics_sql.rm_cte('rankmetrics_values', values),
    rankmetrics_sql.rm_cte('rankmetrics_pairs', pairs),
]) }}
{% endmacro %}

{#- The mean difference first, so that its spread is summed around it without cancellation. -#}
{% macro rm_means(plan) %}
{%- set groups = ['run_id'] + plan.group_names + ['metric_number'] -%}
{%- set columns = ['run_id'] + plan.query_keys + plan.group_names + ['metric_number', 'metric', 'baseline_value', 'candidate_value'] -%}
{%- set differences %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        candidate_value - baseline_value AS difference,
        AVG(candidate_value - baseline_value) OVER (PARTITION BY {{ groups | join(', ') }}) AS mean_difference
    FROM rankmetrics_pairs
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_differences', differences)]) }}
{% endmacro %}

{#- A column of the pairs over the queries of a group, for each metric as it is brought together. -#}
{% macro rm_compared(plan, column) %}
{%- set order = rankmetrics_sql.rm_ascending(rankmetrics_sql.rm_qualified('p', plan.query_keys)) -%}
{%- set mean = rankmetrics_sql.rm_aggregated('mean', column, order) -%}
{%- set branches = [] -%}
{%- for metric in plan.metrics if metric.aggregate != 'mean' -%}
    {%- do branches.append('WHEN ' ~ (plan.metrics.index(metric) + 1) ~ ' THEN ' ~ rankmetrics_sql.rm_aggregated(metric.aggregate, column, order)) -%}
{%- endfor -%}
{%- if not branches -%}{{ return(mean) }}{%- endif -%}
{{ return('CASE p.metric_number ' ~ branches | join(' ') ~ ' ELSE ' ~ mean ~ ' END') }}
{% endmacro %}

{#- What the standard error is multiplied by: a sum is so many times its mean; other aggregates have none. -#}
{% macro rm_scale(plan) %}
{%- set branches = [] -%}
{%- for metric in plan.metrics if metric.aggregate != 'mean' -%}
    {%- do branches.append('WHEN ' ~ (plan.metrics.index(metric) + 1) ~ ' THEN ' ~ ('COUNT(*)' if metric.aggregate == 'sum' else 'NULL')) -%}
{%- endfor -%}
{{ return(' * CASE p.metric_number ' ~ branches | join(' ') ~ ' ELSE 1 END' if branches else '') }}
{% endmacro %}

{% macro rm_select_compare(plan) %}
{%- set keys = rankmetrics_sql.rm_qualified('p', ['run_id'] + plan.group_names) -%}
{%- set named = ['p.run_id'] -%}
{%- for group in plan.groups -%}{%- do named.append('p.' ~ group.name ~ ' AS ' ~ group.label) -%}{%- endfor -%}
{%- set order = rankmetrics_sql.rm_ascending(rankmetrics_sql.rm_qualified('p', plan.query_keys)) -%}
{%- set scale = rankmetrics_sql.rm_scale(plan) -%}
{%- set baseline = rankmetrics_sql.rm_compared(plan, 'p.baseline_value') -%}
{%- set candidate = rankmetrics_sql.rm_compared(plan, 'p.candidate_value') -%}
{%- set others = plan.metrics | rejectattr('aggregate', 'in', ['mean', 'sum']) | list | length > 0 -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(named + ['p.metric'], 4) }},
    {{ baseline }} AS baseline,
    {{ candidate }} AS candidate,
    {{ candidate ~ ' - ' ~ baseline if others else rankmetrics_sql.rm_compared(plan, 'p.difference') }} AS difference,
    SUM(CASE WHEN p.difference > 0 THEN 1 ELSE 0 END) AS n_higher,
    SUM(CASE WHEN p.difference = 0 THEN 1 ELSE 0 END) AS n_ties,
    SUM(CASE WHEN p.difference < 0 THEN 1 ELSE 0 END) AS n_lower,
    CASE
        WHEN COUNT(*) > 1 THEN SQRT(
            {{ rankmetrics_sql.rm_aggregated('sum', '(p.difference - p.mean_difference) * (p.difference - p.mean_difference)', order) }}
            / CAST(COUNT(*) - 1 AS {{ rankmetrics_sql.rm_double_type() }})
            / CAST(COUNT(*) AS {{ rankmetrics_sql.rm_double_type() }})
        ){{ scale }}
    END AS standard_error,
    COUNT(*) AS n_queries
FROM rankmetrics_differences AS p
GROUP BY {{ (keys + ['p.metric_number', 'p.metric']) | join(', ') }}
ORDER BY {{ rankmetrics_sql.rm_ascending(['p.run_id'], rankmetrics_sql.rm_qualified('p', plan.group_names), ['p.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
