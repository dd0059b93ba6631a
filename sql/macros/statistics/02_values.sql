{#-
values: one row per query and metric (and run), of which all other results are made. A query that a ranking does not
score has no row for the metrics that read it.
-#}

{% macro rm_values(plan, passes) %}
{%- set parts = rankmetrics_sql.rm_part_names(plan) -%}
{%- set is_numbered = rankmetrics_sql.rm_numbers_metrics(plan) -%}
{%- set of_metric = rankmetrics_sql.rm_columns_from('m', ['metric_number', rankmetrics_sql.rm_named_by(plan)])
    if is_numbered
    else rankmetrics_sql.rm_numbered_metric(plan, 0) -%}
{%- set ctes = [] -%}
{%- set selects = [] -%}
{%- for pass in passes -%}
    {%- set beside = rankmetrics_sql.rm_with_baseline_values(plan, pass, parts) -%}
    {%- set columns = rankmetrics_sql.rm_columns_from('q', plan.row_keys + plan.group_names)
        + of_metric + [{'name': 'value', 'sql': rankmetrics_sql.rm_picked_value(plan, pass)}]
        + rankmetrics_sql.rm_picked_prediction(plan, pass)
        + rankmetrics_sql.rm_picked_parts(plan, pass, parts) + rankmetrics_sql.rm_picked_ends(plan, pass)
        + beside.columns + rankmetrics_sql.rm_columns_from('q', rankmetrics_sql.rm_facts_of_queries(plan))
        + [{'name': 'lowest_grade', 'sql': rankmetrics_sql.rm_lowest_judged_grade(plan)}] -%}
    {%- set select %}
    {{ rankmetrics_sql.rm_select(columns | selectattr('name', 'in', rankmetrics_sql.rm_value_names(plan)) | list) }}
    FROM {{ beside.stage }} AS q
    {%- if is_numbered %}
    CROSS JOIN {{ plan.stages.metrics }} AS m
    {%- endif %}
    {%- if passes | length > 1 %}
    WHERE {{ rankmetrics_sql.rm_is_one_of(
        'm.metric_number', rankmetrics_sql.rm_numbered_columns(plan, pass) | map(attribute='number') | list
    ) }}
    {%- endif %}
    {%- endset -%}
    {%- do selects.append(select | trim) -%}
    {%- do ctes.extend(beside.ctes) -%}
{%- endfor -%}
{{ return(ctes + rankmetrics_sql.rm_metric_names(plan) + [rankmetrics_sql.rm_cte(
    rankmetrics_sql.rm_stage_of_values(plan), selects | join('\n    UNION ALL\n    '),
    'the values, one row per query and metric'
)] + rankmetrics_sql.rm_capped(plan)) }}
{% endmacro %}

{#-
The columns of the values: whatever is made of them reads no others. A summary that adds them up at once reads no query,
and one that has a row for each metric anyway takes its name from there.
-#}
{% macro rm_value_names(plan) %}
{%- set is_summed = plan.level == 'summary' and rankmetrics_sql.rm_is_summed_at_once(plan) -%}
{%- set is_named = not is_summed or rankmetrics_sql.rm_summary_keys(plan) -%}
{%- set is_numbered = is_named or rankmetrics_sql.rm_numbers_metrics(plan) or rankmetrics_sql.rm_has_medians(plan) -%}
{{ return(
    (plan.result_keys | reject('in', plan.query_keys) | list if is_summed else plan.result_keys) + plan.group_names
    + (['metric_number'] if is_numbered else []) + ([rankmetrics_sql.rm_named_by(plan)] if is_named else [])
    + ['value'] + rankmetrics_sql.rm_prediction_names(plan) + rankmetrics_sql.rm_part_names(plan)
    + rankmetrics_sql.rm_end_names(plan)
    + (rankmetrics_sql.rm_said_of_baseline(plan) | list if rankmetrics_sql.rm_stands_beside(plan) else [])
    + rankmetrics_sql.rm_facts_of_queries(plan) + rankmetrics_sql.rm_stored_basis_names(plan)
) }}
{% endmacro %}

{#- The facts of a query that its values carry, beside its groups. -#}
{% macro rm_facts_of_queries(plan) %}
{{ return(
    plan.cluster_names + plan.strata_names + plan.weight_names + plan.covariate_names + plan.fault_names
    + plan.basis_names
) }}
{% endmacro %}

{% macro rm_select_values(plan) %}
{%- set columns = rankmetrics_sql.rm_lines(rankmetrics_sql.rm_value_names(plan), 4) -%}
{{ return('SELECT\n    ' ~ columns ~ '\nFROM ' ~ plan.stages.query_values) }}
{% endmacro %}

{#- The values that statements of level 'values' left in a table, of all queries or each of some. -#}
{% macro rm_stored_values(plan) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_value_names(plan) -%}
    {%- do columns.extend(
        [{'name': name, 'sql': rankmetrics_sql.rm_as_weight('s.' ~ name)}] if name in plan.weight_names
        else rankmetrics_sql.rm_columns_from('s', [name])
    ) -%}
{%- endfor -%}
{%- set stored %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ plan.stored_values }} AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_metric_names(plan) + [rankmetrics_sql.rm_cte(
    rankmetrics_sql.rm_stage_of_values(plan), stored,
    'the stored values, one row per query and metric'
)] + rankmetrics_sql.rm_capped(plan)) }}
{% endmacro %}

{#- per_query out of the values: a row per query, a column per metric. -#}
{% macro rm_wide_values(plan) %}
{%- set keys = plan.row_keys + plan.group_names -%}
{%- set columns = keys | list -%}
{%- for metric in plan.metrics -%}
    {%- set value = 'MAX(CASE WHEN metric_number = ' ~ loop.index ~ ' THEN value END)' -%}
    {%- do columns.append({'name': metric.column, 'sql': value}) -%}
{%- endfor -%}
{%- set wide %}
    {{ rankmetrics_sql.rm_select(columns + rankmetrics_sql.rm_each('MAX(', plan.fault_names)) }}
    FROM {{ plan.stages.query_values }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    plan.stages.per_query, wide,
    'the metrics of each query'
)]) }}
{% endmacro %}

{#- metrics: their names as typed, or their places on a curve, numbered. -#}
{% macro rm_metric_names(plan) %}
{%- if not rankmetrics_sql.rm_numbers_metrics(plan) -%}{{ return([]) }}{%- endif -%}
{{ return([rankmetrics_sql.rm_metrics_stage(plan)]) }}
{% endmacro %}

{% macro rm_metrics_stage(plan) %}
{%- set rows = [] -%}
{%- for metric in plan.metrics -%}
    {%- do rows.append(rankmetrics_sql.rm_numbered_metric(plan, loop.index0)) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_cte(plan.stages.metrics, rankmetrics_sql.rm_constants(rows), 'the metrics, numbered')) }}
{% endmacro %}

{#-
Whether they are a stage. Of one metric the values say it themselves, unless the stage is to give it a row where there
is no query, or its values are made of all lists together.
-#}
{% macro rm_numbers_metrics(plan) %}
{%- set is_total = plan.level in ['summary', 'sums', 'curve'] and not rankmetrics_sql.rm_summary_keys(plan) -%}
{{ return(
    plan.metrics | length > 1
    or is_total and not rankmetrics_sql.rm_is_summed_at_once(plan)
    or plan.metrics | selectattr('of_lists') | list | length > 0
) }}
{% endmacro %}

{#- The number and the name of a metric as columns. -#}
{% macro rm_numbered_metric(plan, place) %}
{%- set metric = plan.metrics[place] -%}
{%- set named = rankmetrics_sql.rm_named_by(plan) -%}
{%- set x = rankmetrics_sql.rm_string(metric.label) if named == 'metric' else rankmetrics_sql.rm_as_double(metric.x) -%}
{{ return([{'name': 'metric_number', 'sql': place + 1}, {'name': named, 'sql': x}]) }}
{% endmacro %}

{#- The column that tells the values of a query apart: the metric, or the place on a curve. -#}
{% macro rm_named_by(plan) %}
{{ return('x' if plan.level in ['curve', 'curve_per_query'] else 'metric') }}
{% endmacro %}

{#- The columns with what values of all queries together are made of, as many as the metric with the most needs. -#}
{% macro rm_part_names(plan) %}
{%- set names = [] -%}
{%- for metric in plan.metrics -%}
    {%- for part in rankmetrics_sql.rm_parts(plan, metric) -%}
        {%- if loop.index > names | length -%}{%- do names.append('part_' ~ loop.index) -%}{%- endif -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(names) }}
{% endmacro %}

{#- The column of each metric m, {number, sql}; it is no choice where there is one metric in all, or in its branch. -#}
{% macro rm_picked(plan, branches, is_alone=false) %}
{%- if branches and (is_alone or plan.metrics | length == 1) -%}{{ return(branches[0].sql) }}{%- endif -%}
{%- set cases = [] -%}
{%- for branch in branches -%}{%- do cases.append('WHEN ' ~ branch.number ~ ' THEN ' ~ branch.sql) -%}{%- endfor -%}
{{ return(rankmetrics_sql.rm_case(cases, 'm.metric_number', 8)) }}
{% endmacro %}

{#- The column of each metric of one pass, {number, sql}. -#}
{% macro rm_numbered_columns(plan, pass, prefix='') %}
{%- set branches = [] -%}
{%- for metric in plan.metrics if metric in pass.metrics -%}
    {%- set number = plan.metrics.index(metric) + 1 -%}
    {%- do branches.append({'number': number, 'sql': 'q.' ~ prefix ~ metric.column}) -%}
{%- endfor -%}
{{ return(branches) }}
{% endmacro %}

{#- The value of a row of one pass. -#}
{% macro rm_picked_value(plan, pass, prefix='') %}
{%- set branches = rankmetrics_sql.rm_numbered_columns(plan, pass, prefix) -%}
{{ return(rankmetrics_sql.rm_picked(plan, branches, pass.metrics | length == 1)) }}
{% endmacro %}

{#- What it is made of. -#}
{% macro rm_picked_parts(plan, pass, names, prefix='') %}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- set place = loop.index0 -%}
    {%- set branches = [] -%}
    {%- for metric in plan.metrics if metric in pass.metrics -%}
        {%- set parts = rankmetrics_sql.rm_parts(plan, metric) -%}
        {%- if parts | length > place -%}
            {%- set own = 'q.' ~ prefix ~ rankmetrics_sql.rm_part_column(metric, parts[place]) -%}
            {%- do branches.append({'number': plan.metrics.index(metric) + 1, 'sql': own}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set picked = rankmetrics_sql.rm_picked(plan, branches) -%}
    {%- set column = prefix ~ name -%}
    {%- do columns.extend([{'name': column, 'sql': picked}] if branches else rankmetrics_sql.rm_unknown([column])) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#-
One expression out of one for each metric, over rows of a number that the alias has: what most of them say, and what
the others say instead.
-#}
{% macro rm_by_metric(alias, expressions) %}
{%- set numbers = {} -%}
{%- for sql in expressions -%}
    {%- do numbers.update({sql: (numbers[sql] if sql in numbers else []) + [loop.index]}) -%}
{%- endfor -%}
{%- set usual = {'sql': none, 'n_metrics': 0} -%}
{%- for sql, of_metrics in numbers.items() -%}
    {%- if of_metrics | length > usual.n_metrics -%}
        {%- do usual.update({'sql': sql, 'n_metrics': of_metrics | length}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set lines = [] -%}
{%- for sql, of_metrics in numbers.items() if sql != usual.sql -%}
    {%- set condition = rankmetrics_sql.rm_is_one_of(alias ~ '.metric_number', of_metrics) -%}
    {%- do lines.append('WHEN ' ~ condition ~ ' THEN ' ~ sql | indent(8)) -%}
{%- endfor -%}
{%- if not lines -%}{{ return(usual.sql | indent(4)) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_case(lines + ['ELSE ' ~ usual.sql | indent(8)])) }}
{% endmacro %}

{% macro rm_is_one_of(column, numbers) %}
{{ return(column ~ (' = ' ~ numbers[0] if numbers | length == 1 else ' IN (' ~ numbers | join(', ') ~ ')')) }}
{% endmacro %}
