{#- Metrics must not be below a value, one for all of them or one for each; over all queries, or in every group. -#}

{% test metric_above(model, metrics, error_below=none, warn_below=none, min_queries=none, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none, column_name=none) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- set inputs = rankmetrics_sql.rm_with_nulls({'qrels': qrels, 'options': options, 'profile': profile, 'group_by': group_by, 'query_column': query_column, 'item_column': item_column, 'score_column': score_column, 'position_column': position_column, 'relevance_column': relevance_column, 'run_column': run_column, 'n_relevant_column': n_relevant_column, 'subtopic_column': subtopic_column, 'qrels_query_column': qrels_query_column, 'qrels_item_column': qrels_item_column, 'queries': queries}) -%}
{{ return(adapter.dispatch('test_metric_above', 'rankmetrics_sql')(model, metrics, error_below, warn_below, min_queries, inputs)) }}
{% endtest %}

{% macro default__test_metric_above(model, metrics, error_below, warn_below, min_queries, inputs) %}
{{ return(rankmetrics_sql.rm_test_above('metric_above', model, metrics, error_below, warn_below, min_queries, inputs)) }}
{% endmacro %}

{% macro rm_test_above(test, model, metrics, error_below, warn_below, min_queries, inputs) %}
{%- do rankmetrics_sql.rm_test_require(test, {'error_below': error_below, 'warn_below': warn_below}) -%}
{%- set labels = rankmetrics_sql.rm_test_metrics(metrics, inputs) | map(attribute='label') | list -%}
{%- set groups = (['run_id'] if inputs.run_column is not none else []) + rankmetrics_sql.rm_test_groups(inputs.group_by) -%}
{%- set summary = rankmetrics_sql.summary(model, metrics, qrels=inputs.qrels, options=inputs.options, profile=inputs.profile, group_by=inputs.group_by, query_column=inputs.query_column, item_column=inputs.item_column, score_column=inputs.score_column, position_column=inputs.position_column, relevance_column=inputs.relevance_column, run_column=inputs.run_column, n_relevant_column=inputs.n_relevant_column, subtopic_column=inputs.subtopic_column, qrels_query_column=inputs.qrels_query_column, qrels_item_column=inputs.qrels_item_column, queries=inputs.queries) -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['e.metric'] + rankmetrics_sql.rm_qualified('t', groups)) }},
        t.metric_value,
        {{ rankmetrics_sql.rm_test_limit(test, 'error_below', error_below, labels, 'e.metric') }} AS error_below,
        {{ rankmetrics_sql.rm_test_limit(test, 'warn_below', warn_below, labels, 'e.metric') }} AS warn_below,
        COALESCE(t.n_queries, 0) AS n_queries,
        {{ rankmetrics_sql.rm_test_number(test, 'min_queries', min_queries) }} AS min_queries
    FROM rankmetrics_test_expected AS e
    LEFT JOIN rankmetrics_test_result AS t ON t.metric = e.metric
{%- endset -%}
{%- set columns = ['metric'] + groups + ['metric_value', 'error_below', 'warn_below', 'n_queries', 'min_queries'] -%}
{%- set floor = rankmetrics_sql.rm_test_floor() -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    columns,
    unusable=rankmetrics_sql.rm_test_lacking('metric_value'),
    error='metric_value < error_below - ' ~ floor,
    warn='metric_value < warn_below - ' ~ floor,
    demoted=rankmetrics_sql.rm_test_too_few(min_queries)
) -%}
{{ return(rankmetrics_sql.rm_test_query([
    rankmetrics_sql.rm_cte('rankmetrics_test_result', summary | indent(4)),
    rankmetrics_sql.rm_test_expected(labels),
    rankmetrics_sql.rm_cte('rankmetrics_test_values', values),
    levels,
], columns + ['severity_level'])) }}
{% endmacro %}
