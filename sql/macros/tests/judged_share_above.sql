{#- Enough of the first k items must be judged, or the other metrics are about the judgments that are missing. -#}

{% test judged_share_above(model, k=10, error_below=none, warn_below=none, min_queries=none, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none, column_name=none) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- set inputs = rankmetrics_sql.rm_with_nulls({'qrels': qrels, 'options': options, 'profile': profile, 'group_by': group_by, 'query_column': query_column, 'item_column': item_column, 'score_column': score_column, 'position_column': position_column, 'relevance_column': relevance_column, 'run_column': run_column, 'n_relevant_column': n_relevant_column, 'subtopic_column': subtopic_column, 'qrels_query_column': qrels_query_column, 'qrels_item_column': qrels_item_column, 'queries': queries}) -%}
{{ return(adapter.dispatch('test_judged_share_above', 'rankmetrics_sql')(model, k, error_below, warn_below, min_queries, inputs)) }}
{% endtest %}

{% macro default__test_judged_share_above(model, k, error_below, warn_below, min_queries, inputs) %}
{{ return(rankmetrics_sql.rm_test_above('judged_share_above', model, ['judged' if k is none else 'judged@' ~ k], error_below, warn_below, min_queries, inputs)) }}
{% endmacro %}
