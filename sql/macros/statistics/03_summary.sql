{#- summary: a row per metric, run and group; in a curve, a row per point. -#}

{#- The last stages and the SELECT, over the values. -#}
{% macro rm_summary(plan) %}
{%- set ctes = rankmetrics_sql.rm_broken_down(plan) + rankmetrics_sql.rm_numbered(plan)
    + rankmetrics_sql.rm_centred(plan, rankmetrics_sql.rm_sized_values(plan)) -%}
{%- set alias = 'v' if rankmetrics_sql.rm_summary_keys(plan) else 'm' -%}
{%- if rankmetrics_sql.rm_is_summed_at_once(plan) -%}
    {%- set is_row = alias == 'm' and not rankmetrics_sql.rm_numbers_metrics(plan) -%}
    {%- set order = '' if is_row else '\nORDER BY ' ~ rankmetrics_sql.rm_summary_order(plan, 'v', alias) -%}
    {%- set select = rankmetrics_sql.rm_summed_to_a_row(plan) if is_row
        else rankmetrics_sql.rm_summed(plan, rankmetrics_sql.rm_summary_names(plan, 'v')) -%}
    {{ return({'ctes': ctes, 'select': select ~ order}) }}
{%- endif -%}
{%- set of_lists = plan.metrics | selectattr('of_lists') | list | length > 0 -%}
{%- set has_intervals = rankmetrics_sql.rm_has_intervals(plan) -%}
{%- set keys = rankmetrics_sql.rm_columns_from('v', rankmetrics_sql.rm_summary_keys(plan))
    + rankmetrics_sql.rm_columns_from(alias, ['metric_number']) -%}
{%- set others = rankmetrics_sql.rm_spread(plan) + rankmetrics_sql.rm_left_out(plan) -%}
{%- set summed = rankmetrics_sql.rm_summed(plan, keys, others) | indent(4) -%}
{%- set rows = plan.stages.together if of_lists else plan.stages.summed -%}
{%- set arranged = rankmetrics_sql.rm_arranged(plan, plan.stages.critical_values if has_intervals else rows) -%}
{{ return({
    'ctes': ctes + [rankmetrics_sql.rm_cte(plan.stages.summed, summed, 'the summary, before it is put in order')]
        + (rankmetrics_sql.rm_together(plan) if of_lists else [])
        + (rankmetrics_sql.rm_bounded_values(plan, rows) if has_intervals else []) + arranged.ctes,
    'select': rankmetrics_sql.rm_select_summed(plan, arranged.stage),
}) }}
{% endmacro %}

{#- Whether the values are added up by the last SELECT; else something is made of the sums. -#}
{% macro rm_is_summed_at_once(plan) %}
{%- set of_lists = plan.metrics | selectattr('of_lists') | list | length > 0 -%}
{{ return(
    plan.min_queries is none and plan.group_order is none and not of_lists
    and not rankmetrics_sql.rm_has_intervals(plan)
) }}
{% endmacro %}

{#- The values of one metric added up to one row, without runs and groups; there is one without a query, too. -#}
{% macro rm_summed_to_a_row(plan) %}
{%- set columns = rankmetrics_sql.rm_numbered_metric(plan, 0)[1:] + rankmetrics_sql.rm_sums(plan, 'v')
    + rankmetrics_sql.rm_each('SUM(v.', plan.fault_names) -%}
{{ return(
    rankmetrics_sql.rm_select(columns, 0) ~ '\nFROM ' ~ rankmetrics_sql.rm_summed_values(plan) ~ ' AS v'
) }}
{% endmacro %}

{#- together: the summary, with the values that all lists have together in the rows of their metrics. -#}
{% macro rm_together(plan) %}
{%- set keys = rankmetrics_sql.rm_summary_keys(plan) + ['metric_number'] -%}
{%- set others = ['n_queries'] + rankmetrics_sql.rm_queries_left_out(plan) + plan.fault_names
    + (rankmetrics_sql.rm_spread(plan) + rankmetrics_sql.rm_left_out(plan)) | map(attribute='name') | list -%}
{%- set together %}
    {{ rankmetrics_sql.rm_select(keys + rankmetrics_sql.rm_each('MAX(', ['metric', 'value'] + others)) }}
    FROM (
        {{ rankmetrics_sql.rm_select(keys + ['metric', 'value'] + others, 8) }}
        FROM {{ plan.stages.summed }}
        UNION ALL
        SELECT
            {{ rankmetrics_sql.rm_lines(
                keys + rankmetrics_sql.rm_nulls(['metric']) + ['value'] + rankmetrics_sql.rm_nulls(others), 12
            ) }}
        FROM {{ plan.stages.of_lists }}
    ) AS t
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    plan.stages.together, together,
    'the summary, with the metrics that have one value over all lists'
)]) }}
{% endmacro %}

{#-
The values added up, between columns that say of what and others. Without runs and groups there is a row for each metric
even where there is no query.
-#}
{% macro rm_summed(plan, keys, others=[]) %}
{%- set grouped_by = rankmetrics_sql.rm_summary_keys(plan) -%}
{%- set named = rankmetrics_sql.rm_named_by(plan) -%}
{%- set m = 'v' if grouped_by else 'm' -%}
{%- set columns = rankmetrics_sql.rm_columns_from(m, [named]) + rankmetrics_sql.rm_sums(plan, m)
    + rankmetrics_sql.rm_each('SUM(v.', plan.fault_names) + others -%}
{%- set grouped = rankmetrics_sql.rm_qualified('v', grouped_by)
    + rankmetrics_sql.rm_qualified(m, ['metric_number', named]) -%}
{%- set values = rankmetrics_sql.rm_summed_values(plan) ~ ' AS v' -%}
{%- set select -%}
{{ rankmetrics_sql.rm_select(keys + columns, 0) }}
{%- if grouped_by %}
FROM {{ values }}
{%- else %}
FROM {{ plan.stages.metrics }} AS m
LEFT JOIN {{ values }} ON v.metric_number = m.metric_number
{%- endif %}
GROUP BY {{ grouped | join(', ') }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The sums and counts over the values v of each metric, m. -#}
{% macro rm_sums(plan, m) %}
{%- if plan.level == 'sums' -%}{{ return(rankmetrics_sql.rm_additive_sums(plan, m)) }}{%- endif -%}
{%- set by_metric = 'CASE WHEN v.metric_number = m.metric_number THEN 1 END' -%}
{%- set all_queries = 'COUNT(' ~ ('*' if m == 'v' else by_metric) ~ ')' -%}
{%- set totals = [] -%}
{%- set counts = [] -%}
{%- set left_out = [] -%}
{%- for metric in plan.metrics -%}
    {%- set known = all_queries if metric.of_lists else 'COUNT(v.value)' -%}
    {%- do totals.append(rankmetrics_sql.rm_total(plan, metric)) -%}
    {%- do counts.append(known) -%}
    {%- do left_out.append(
        all_queries ~ ' - ' ~ known if rankmetrics_sql.rm_may_leave_out(plan, metric) else '0'
    ) -%}
{%- endfor -%}
{%- set n_queries = rankmetrics_sql.rm_count_of_terms(plan, 'v', 'v.value') if rankmetrics_sql.rm_is_predicted(plan)
    else rankmetrics_sql.rm_by_metric(m, counts) -%}
{%- set columns = [
    {'name': rankmetrics_sql.rm_summed_name(plan), 'sql': rankmetrics_sql.rm_by_metric(m, totals)},
    {'name': 'n_queries', 'sql': n_queries},
] -%}
{%- for name in rankmetrics_sql.rm_queries_left_out(plan) -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_by_metric(m, left_out)}) -%}
{%- endfor -%}
{%- for name in rankmetrics_sql.rm_weight_sums(plan) -%}
    {%- set sum = 'COALESCE(' ~ rankmetrics_sql.rm_sum_of_weights() ~ ', 0)' -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_as_double(sum)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#-
Whether a scored query may have no value of a metric, so that the mean is not of it: a list without items, rows that
name two groups. A query that is skipped is not scored, nor is one with two items at a position.
-#}
{% macro rm_may_leave_out(plan, metric) %}
{{ return(not metric.of_lists and not metric.skips and (
    metric.lacks_values
    or 'null' in metric.params.values() | list
    or plan.mixed_names | length > 0 and not plan.groups_checked
)) }}
{% endmacro %}

{#- The column of a summary that counts them, where there may be some. -#}
{% macro rm_queries_left_out(plan) %}
{%- if plan.level != 'summary' -%}{{ return([]) }}{%- endif -%}
{%- for metric in plan.metrics if rankmetrics_sql.rm_may_leave_out(plan, metric) -%}
    {{ return(['n_left_out']) }}
{%- endfor -%}
{{ return([]) }}
{% endmacro %}

{#- The columns of weights in a result. -#}
{% macro rm_weight_sums(plan) %}
{{ return(['sum_of_weights'] if plan.weight_names else []) }}
{% endmacro %}

{#- The weights of the queries that have a value; one without a weight weighs nothing. -#}
{% macro rm_sum_of_weights(value='v.value', weight='v.weight') %}
{%- set known = 'CASE WHEN ' ~ value ~ ' IS NOT NULL THEN ' ~ weight ~ ' END' -%}
{{ return(rankmetrics_sql.rm_aggregated('sum', known, weight)) }}
{% endmacro %}

{#-
What adds up over groups, days and runs, by the names of GrowthBook: of each its mean, main_sum / users, and its
variance follow. The geometric mean is that of logarithms. A weighted mean is a ratio: of the values by their weights,
main, over the weights, denominator. Those of a covariate, by which a mean is adjusted, are GrowthBook's too.
-#}
{% macro rm_additive_sums(plan, m) %}
{%- set sums = {'main_sum': [], 'main_sum_squares': []} -%}
{%- if plan.weight_names -%}
    {%- do sums.update({'denominator_sum': [], 'denominator_sum_squares': [], 'main_denominator_sum_product': []}) -%}
{%- endif -%}
{%- if plan.covariate_names -%}
    {%- do sums.update({'covariate_sum': [], 'covariate_sum_squares': [], 'main_covariate_sum_product': []}) -%}
{%- endif -%}
{%- set covariate = rankmetrics_sql.rm_covariate('v.covariate', 'v.value') -%}
{%- for metric in plan.metrics -%}
    {%- set value = rankmetrics_sql.rm_logarithm('v.value') if metric.aggregate == 'geometric' else 'v.value' -%}
    {%- set weighed = plan.weight_names and metric.aggregate in ['mean', 'geometric'] -%}
    {%- set main = 'v.weight * ' ~ value if weighed else value -%}
    {%- set terms = {
        'main_sum': main,
        'main_sum_squares': main ~ ' * ' ~ main,
        'denominator_sum': 'CASE WHEN v.value IS NOT NULL THEN v.weight END',
        'denominator_sum_squares': 'CASE WHEN v.value IS NOT NULL THEN v.weight * v.weight END',
        'main_denominator_sum_product': main ~ ' * v.weight',
        'covariate_sum': covariate,
        'covariate_sum_squares': covariate ~ ' * ' ~ covariate,
        'main_covariate_sum_product': main ~ ' * ' ~ covariate,
    } -%}
    {%- set order = (['v.value'] + rankmetrics_sql.rm_qualified('v', plan.weight_names + plan.covariate_names))
        | join(' ASC, ') -%}
    {%- for name, expressions in sums.items() -%}
        {%- do expressions.append(rankmetrics_sql.rm_aggregated('sum', terms[name], order)) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set columns = [{'name': 'users', 'sql': 'COUNT(v.value)'}] -%}
{%- for name, expressions in sums.items() -%}
    {%- set sum = 'COALESCE(' ~ rankmetrics_sql.rm_by_metric(m, expressions) ~ ', 0)' -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_as_double(sum)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_summed_name(plan) %}
{{ return('value' if rankmetrics_sql.rm_named_by(plan) == 'metric' else 'y') }}
{% endmacro %}

{#- Groups with enough queries are shown, and totals without groups. -#}
{% macro rm_is_large(plan, n_queries, alias) %}
{%- set conditions = [n_queries ~ ' >= ' ~ rankmetrics_sql.rm_number(plan.min_queries)] -%}
{%- for breakdown in plan.breakdowns if not breakdown.group_names -%}
    {%- do conditions.append(alias ~ '.breakdown_number = ' ~ (plan.breakdowns.index(breakdown) + 1)) -%}
{%- endfor -%}
{{ return(conditions | join(' OR ')) }}
{% endmacro %}

{#- How many rows are not, on each that is, for an evaluation to warn of. -#}
{% macro rm_left_out(plan) %}
{%- if plan.check == 'none' or plan.min_queries is none -%}{{ return([]) }}{%- endif -%}
{%- set is_large = rankmetrics_sql.rm_is_large(plan, rankmetrics_sql.rm_sums(plan, 'v')[1].sql, 'v') -%}
{{ return([{'name': 'n_groups_left_out', 'sql': 'SUM(CASE WHEN ' ~ is_large ~ ' THEN 0 ELSE 1 END) OVER ()'}]) }}
{% endmacro %}

{% macro rm_select_summed(plan, summed) %}
{%- set names = [rankmetrics_sql.rm_named_by(plan), rankmetrics_sql.rm_summed_name(plan), 'n_queries']
    + rankmetrics_sql.rm_queries_left_out(plan) + rankmetrics_sql.rm_weight_sums(plan) -%}
{%- set left_out = rankmetrics_sql.rm_left_out(plan) | map(attribute='name') | list -%}
{%- set columns = rankmetrics_sql.rm_summary_names(plan, 'g') + rankmetrics_sql.rm_columns_from('g', names)
    + rankmetrics_sql.rm_predicted_facts(plan) + rankmetrics_sql.rm_interval_columns(plan)
    + rankmetrics_sql.rm_reason_of_values(plan) + rankmetrics_sql.rm_faults_of_rows(plan)
    + rankmetrics_sql.rm_columns_from(
        'g', left_out + rankmetrics_sql.rm_counted_groups(plan) + rankmetrics_sql.rm_tail_names(plan)
            + rankmetrics_sql.rm_hidden_predictions(plan)
    ) -%}
{%- set select -%}
{{ rankmetrics_sql.rm_select(columns, 0) }}
FROM {{ summed }} AS g
{%- if plan.group_order is not none %}
{%- if plan.group_order.limit is not none %}
WHERE g.group_place <= {{ plan.group_order.limit }}
{%- endif %}
{%- elif plan.min_queries is not none %}
WHERE {{ rankmetrics_sql.rm_is_large(plan, 'g.n_queries', 'g') }}
{%- endif %}
ORDER BY {{ rankmetrics_sql.rm_summary_order(plan, 'g', 'g') }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The columns that say what values are added up to one. -#}
{% macro rm_summary_keys(plan) %}
{{ return((['run_id'] if plan.multi else []) + rankmetrics_sql.rm_breakdown_keys(plan) + plan.group_names) }}
{% endmacro %}

{#- The same under the names of the result. -#}
{% macro rm_summary_names(plan, alias) %}
{%- set named = rankmetrics_sql.rm_named_keys(plan, false, alias) -%}
{%- set first = 1 if plan.multi else 0 -%}
{%- set breakdown = rankmetrics_sql.rm_columns_from(alias, rankmetrics_sql.rm_breakdown_keys(plan)[1:]) -%}
{{ return(named[:first] + breakdown + named[first:]) }}
{% endmacro %}

{% macro rm_summary_order(plan, alias, m) %}
{%- set keys = (['run_id'] if plan.multi else []) + rankmetrics_sql.rm_breakdown_keys(plan)[:1] -%}
{{ return(rankmetrics_sql.rm_ascending(
    rankmetrics_sql.rm_qualified(alias, keys),
    rankmetrics_sql.rm_qualified(alias, [] if plan.group_order is not none else plan.group_names),
    ([] if plan.group_order is none else [alias ~ '.group_place']) + [m ~ '.metric_number']
)) }}
{% endmacro %}

{#- The stage whose values are added up. -#}
{% macro rm_summed_values(plan) %}
{%- if rankmetrics_sql.rm_has_intervals(plan) -%}
    {{ return(plan.stages.clustered if plan.cluster_names else plan.stages.centred) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_sized_values(plan)) }}
{% endmacro %}

{#- The values, with their places by size where a median is looked for. -#}
{% macro rm_sized_values(plan) %}
{%- if rankmetrics_sql.rm_has_medians(plan) -%}{{ return(plan.stages.numbered) }}{%- endif -%}
{{ return(plan.stages.broken_down if plan.breakdowns else plan.stages.query_values) }}
{% endmacro %}
