{#- Metrics must not be below a value, one for all of them or one for each; over all queries, or in every group. -#}

{% test metric_above(
    model, metrics, error_below=none, warn_below=none, min_queries=none, qrels=none, options={}, profile=none,
    columns=none, by=none, query_list=none, items=none, empty_lists=false, predicted_qrels=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = [
    'metrics', 'error_below', 'warn_below', 'min_queries', 'qrels', 'options', 'profile', 'columns', 'by',
    'query_list', 'items', 'empty_lists', 'predicted_qrels',
] -%}
{%- set arguments = rankmetrics_sql.rm_arguments('metric_above', {
    'qrels': qrels, 'options': options, 'profile': profile, 'columns': columns, 'by': by, 'query_list': query_list,
    'items': items, 'empty_lists': empty_lists, 'predicted_qrels': predicted_qrels,
}, kwargs, own=own) -%}
{%- set limits = {'error_below': error_below, 'warn_below': warn_below, 'min_queries': min_queries} -%}
{{ return(adapter.dispatch('test_metric_above', 'rankmetrics_sql')(model, metrics, limits, arguments)) }}
{% endtest %}

{% macro default__test_metric_above(model, metrics, limits, arguments) %}
{{ return(rankmetrics_sql.rm_test_above('metric_above', model, metrics, limits, arguments)) }}
{% endmacro %}

{% macro rm_test_above(test, model, metrics, limits, arguments) %}
{%- do rankmetrics_sql.rm_test_require(test, {'error_below': limits.error_below, 'warn_below': limits.warn_below}) -%}
{%- set labels = rankmetrics_sql.rm_test_metrics(metrics, arguments) | map(attribute='label') | list -%}
{%- set groups = (['run_id'] if arguments.run_id is not none else [])
    + rankmetrics_sql.rm_test_groups(arguments.by) -%}
{%- set summary = rankmetrics_sql.rm_statement('summary', model, metrics, arguments) -%}
{%- set judged = rankmetrics_sql.rm_test_judged_items('rankmetrics_test_judged', model, metrics, arguments) -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('e', ['metric'])
            + rankmetrics_sql.rm_columns_from('t', groups)) }},
        t.value,
        {{ rankmetrics_sql.rm_test_limit(test, 'error_below', limits.error_below, labels, 'e.metric') }} AS error_below,
        {{ rankmetrics_sql.rm_test_limit(test, 'warn_below', limits.warn_below, labels, 'e.metric') }} AS warn_below,
        COALESCE(t.n_queries, 0) AS n_queries,
        {{ rankmetrics_sql.rm_test_n_judged(metrics, arguments, judged | length > 0) }} AS n_judged,
        {{ rankmetrics_sql.rm_test_number(test, 'min_queries', limits.min_queries) }} AS min_queries
    FROM rankmetrics_test_expected AS e
    LEFT JOIN rankmetrics_test_result AS t ON t.metric = e.metric
    {%- if judged %}
    {{ 'CROSS JOIN rankmetrics_test_judged AS j' if arguments.run_id is none
        else 'LEFT JOIN rankmetrics_test_judged AS j ON j.run_id = t.run_id' }}
    {%- endif %}
{%- endset -%}
{%- set columns = ['metric'] + groups
    + ['value', 'error_below', 'warn_below', 'n_queries', 'n_judged', 'min_queries'] -%}
{%- set floor = rankmetrics_sql.rm_test_floor() -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    columns,
    unusable='n_judged = 0 OR ' ~ rankmetrics_sql.rm_test_lacking('value'),
    error='value < error_below - ' ~ floor,
    warn='value < warn_below - ' ~ floor,
    demoted=rankmetrics_sql.rm_test_too_few(limits.min_queries),
    reasons={
        'no retrieved item is judged': 'n_judged = 0',
        'no value': rankmetrics_sql.rm_test_lacking('value'),
    }
) -%}
{{ return(rankmetrics_sql.rm_test_query([
    rankmetrics_sql.rm_cte('rankmetrics_test_result', summary | indent(4), 'the summary of the metrics'),
    rankmetrics_sql.rm_test_expected(labels),
] + judged + [
    rankmetrics_sql.rm_cte('rankmetrics_test_values', values, 'each metric with its limits'),
    levels,
], columns + ['reason', 'severity_level'])) }}
{% endmacro %}
