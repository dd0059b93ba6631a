{#- Enough of the judged queries must have results, and enough of the queries with results must be judged. -#}

{% test queries_overlap(
    model, qrels, error_below=none, warn_below=none, min_queries=none, columns=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = ['qrels', 'error_below', 'warn_below', 'min_queries', 'columns'] -%}
{%- do rankmetrics_sql.rm_refuse_others('queries_overlap', kwargs, own) -%}
{%- set limits = {'error_below': error_below, 'warn_below': warn_below} -%}
{%- set named = rankmetrics_sql.rm_columns(['query_id', 'relevance'], ['run', 'qrels'], columns) -%}
{%- set query = rankmetrics_sql.rm_column_for(named, 'run', 'query_id', 'query_id') -%}
{%- set relevance = rankmetrics_sql.rm_column_for(named, 'qrels', 'relevance', 'relevance') -%}
{%- set qrels_query = rankmetrics_sql.rm_column_for(named, 'qrels', 'query_id', 'query_id') -%}
{%- do rankmetrics_sql.rm_check_columns(model, {'query_id': query}, 'run.') -%}
{%- do rankmetrics_sql.rm_check_columns(qrels, {'query_id': qrels_query, 'relevance': relevance}, 'qrels.') -%}
{{ return(adapter.dispatch('test_queries_overlap', 'rankmetrics_sql')(
    model, qrels, limits, min_queries, query, relevance, qrels_query
)) }}
{% endtest %}

{% macro default__test_queries_overlap(model, qrels, limits, min_queries, query, relevance, qrels_query) %}
{%- set test = 'queries_overlap' -%}
{%- do rankmetrics_sql.rm_test_require(test, limits) -%}
{%- set labels = ['judged_queries_retrieved', 'retrieved_queries_judged'] -%}
{%- set keys = rankmetrics_sql.rm_as_list(query) -%}
{%- set judged_keys = rankmetrics_sql.rm_as_list(qrels_query) -%}
{%- set graded = none if relevance is none else 's.' ~ relevance ~ ' IS NOT NULL' -%}
{%- set values %}
    SELECT
        t.metric,
        t.value,
        {{ rankmetrics_sql.rm_test_limit(test, 'error_below', limits.error_below, labels, 't.metric') }} AS error_below,
        {{ rankmetrics_sql.rm_test_limit(test, 'warn_below', limits.warn_below, labels, 't.metric') }} AS warn_below,
        t.n_queries,
        {{ rankmetrics_sql.rm_test_number(test, 'min_queries', min_queries) }} AS min_queries,
        t.n_missing,
        t.missing_query
    FROM rankmetrics_test_shares AS t
{%- endset -%}
{%- set columns = [
    'metric', 'value', 'error_below', 'warn_below', 'n_queries', 'min_queries', 'n_missing', 'missing_query',
] -%}
{%- set floor = rankmetrics_sql.rm_test_floor() -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    columns,
    unusable='value IS NULL OR n_missing = n_queries',
    error='value < error_below - ' ~ floor,
    warn='value < warn_below - ' ~ floor,
    demoted=rankmetrics_sql.rm_test_too_few(min_queries),
    reasons={'no query': 'value IS NULL', 'no query has both results and judgments': 'n_missing = n_queries'}
) -%}
{{ return(rankmetrics_sql.rm_test_query([
    rankmetrics_sql.rm_test_source(model),
    rankmetrics_sql.rm_cte('rankmetrics_test_qrels_source', 'SELECT * FROM ' ~ qrels, 'the judgments'),
    rankmetrics_sql.rm_test_query_ids('rankmetrics_test_retrieved', 'rankmetrics_test_source', keys),
    rankmetrics_sql.rm_test_query_ids('rankmetrics_test_judged', 'rankmetrics_test_qrels_source', judged_keys, graded),
    rankmetrics_sql.rm_test_shares(labels, keys | length),
    rankmetrics_sql.rm_cte('rankmetrics_test_values', values, 'the shares with their limits'),
    levels,
], columns + ['reason', 'severity_level'])) }}
{% endmacro %}

{% macro rm_test_query_ids(name, source, keys, condition=none) %}
{%- set columns = [] -%}
{%- for key in keys -%}{%- do columns.append({'name': 'key_' ~ loop.index, 'sql': 's.' ~ key}) -%}{%- endfor -%}
{%- set conditions = ([condition] if condition is not none else []) -%}
{%- for key in keys -%}{%- do conditions.append('s.' ~ key ~ ' IS NOT NULL') -%}{%- endfor -%}
{%- set ids %}
    SELECT DISTINCT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ source }} AS s
    WHERE {{ conditions | join(' AND ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(name, ids, 'the queries of ' ~ source)) }}
{% endmacro %}

{#- The share of one side's queries that the other side has, for both sides, and one that it lacks. -#}
{% macro rm_test_shares(labels, n_keys) %}
{%- set names = [] -%}
{%- for number in range(1, n_keys + 1) -%}{%- do names.append('key_' ~ number) -%}{%- endfor -%}
{%- set selects = [] -%}
{%- for label in labels -%}
    {%- set own = 'rankmetrics_test_judged' if loop.first else 'rankmetrics_test_retrieved' -%}
    {%- set other = 'rankmetrics_test_retrieved' if loop.first else 'rankmetrics_test_judged' -%}
    {%- set select -%}
    SELECT
        {{ rankmetrics_sql.rm_string(label) }} AS metric,
        CAST(COUNT(b.key_1) AS {{ rankmetrics_sql.rm_double_type() }}) / NULLIF(COUNT(*), 0) AS value,
        COUNT(*) AS n_queries,
        COUNT(*) - COUNT(b.key_1) AS n_missing,
        CAST(MIN(CASE WHEN b.key_1 IS NULL THEN a.key_1 END) AS {{ rankmetrics_sql.rm_text_type() }}) AS missing_query
    FROM {{ own }} AS a
    LEFT JOIN {{ other }} AS b ON {{ rankmetrics_sql.rm_same('b', 'a', names) }}
    {%- endset -%}
    {%- do selects.append(select | trim) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_test_shares', selects | join('\n    UNION ALL\n    '),
    'the share of the queries of one side that the other side has, for both sides'
)) }}
{% endmacro %}
