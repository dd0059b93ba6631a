{#- Enough of the first k items must be judged, or the other metrics are about the judgments that are missing. -#}

{% test judged_share_above(
    model, k=10, error_below=none, warn_below=none, min_queries=none, qrels=none, options={}, profile=none,
    columns=none, by=none, query_list=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = [
    'k', 'error_below', 'warn_below', 'min_queries', 'qrels', 'options', 'profile', 'columns', 'by', 'query_list',
] -%}
{%- set arguments = rankmetrics_sql.rm_arguments('judged_share_above', {
    'qrels': qrels, 'options': options, 'profile': profile, 'columns': columns, 'by': by, 'query_list': query_list,
}, kwargs, own=own) -%}
{%- set limits = {'error_below': error_below, 'warn_below': warn_below, 'min_queries': min_queries} -%}
{{ return(adapter.dispatch('test_judged_share_above', 'rankmetrics_sql')(model, k, limits, arguments)) }}
{% endtest %}

{% macro default__test_judged_share_above(model, k, limits, arguments) %}
{%- set metric = 'judged' if k is none else 'judged@' ~ k -%}
{{ return(rankmetrics_sql.rm_test_above('judged_share_above', model, [metric], limits, arguments)) }}
{% endmacro %}
