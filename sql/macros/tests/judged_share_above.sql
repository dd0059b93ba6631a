{#- Enough of the first k items must be judged, or the other metrics are about the judgments that are missing. -#}

{% test judged_share_above(
    model, k=10, error_below=none, warn_below=none, min_queries=none, qrels=none, options={}, profile=none,
    group_by=none, query_column='query_id', item_column='item_id', score_column='', position_column=none,
    relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none,
    qrels_query_column=none, qrels_item_column=none, query_list=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- set arguments = rankmetrics_sql.rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list
) -%}
{%- set limits = {'error_below': error_below, 'warn_below': warn_below, 'min_queries': min_queries} -%}
{{ return(adapter.dispatch('test_judged_share_above', 'rankmetrics_sql')(model, k, limits, arguments)) }}
{% endtest %}

{% macro default__test_judged_share_above(model, k, limits, arguments) %}
{%- set metric = 'judged' if k is none else 'judged@' ~ k -%}
{{ return(rankmetrics_sql.rm_test_above('judged_share_above', model, [metric], limits, arguments)) }}
{% endmacro %}
