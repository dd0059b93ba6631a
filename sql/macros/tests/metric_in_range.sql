{#- A column of a stored table with one row per query must lie in a range: its mean, or every value. -#}

{% test metric_in_range(
    model, column_name=none, min_value=none, max_value=none, warn_min_value=none, warn_max_value=none,
    every_query=false, min_queries=none, by=none, columns=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = [
    'column_name', 'min_value', 'max_value', 'warn_min_value', 'warn_max_value', 'every_query', 'min_queries', 'by',
    'columns',
] -%}
{%- set limits = {
    'min_value': min_value, 'max_value': max_value, 'warn_min_value': warn_min_value, 'warn_max_value': warn_max_value,
} -%}
{%- do rankmetrics_sql.rm_refuse_others('metric_in_range', kwargs, own) -%}
{%- set named = rankmetrics_sql.rm_test_columns(model, 'run', {'query_id': 'query_id'}, columns) -%}
{{ return(adapter.dispatch('test_metric_in_range', 'rankmetrics_sql')(
    model, column_name, limits, every_query, min_queries, rankmetrics_sql.rm_checked_by(by), named.query_id
)) }}
{% endtest %}

{% macro default__test_metric_in_range(model, column_name, limits, every_query, min_queries, by, query) %}
{%- set test = 'metric_in_range' -%}
{%- do rankmetrics_sql.rm_test_require(test, limits) -%}
{%- do rankmetrics_sql.rm_test_require(test, {'column_name': column_name}) -%}
{%- set groups = rankmetrics_sql.rm_test_groups(by) -%}
{%- set label = column_name | replace('"', '') | replace('`', '') -%}
{%- set keys = groups | list -%}
{%- for key in (rankmetrics_sql.rm_as_list(query) if every_query else []) -%}
    {%- if key not in keys -%}{%- do keys.append(key) -%}{%- endif -%}
{%- endfor -%}
{%- set value = rankmetrics_sql.rm_as_double('s.' ~ column_name) -%}
{%- set about = [{'name': 'column_label', 'sql': rankmetrics_sql.rm_string(label)}] -%}
{%- set result %}
    SELECT
        {{ rankmetrics_sql.rm_lines(about + rankmetrics_sql.rm_columns_from('s', keys)) }},
        {{ value if every_query else 'AVG(' ~ value ~ ')' }} AS value,
        {{ 'COUNT(*) OVER ()' if every_query else 'COUNT(s.' ~ column_name ~ ')' }} AS n_queries
    FROM rankmetrics_test_source AS s
    {%- if groups and not every_query %}
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', groups) | join(', ') }}
    {%- endif %}
{%- endset -%}
{%- set named = rankmetrics_sql.rm_test_named(keys, label) -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(named + rankmetrics_sql.rm_columns_from('t', keys)) }},
        t.value,
        {%- for name, limit in limits.items() %}
        {{ rankmetrics_sql.rm_test_number(test, name, limit) }} AS {{ name }},
        {%- endfor %}
        COALESCE(t.n_queries, 0) AS n_queries,
        {{ rankmetrics_sql.rm_test_number(test, 'min_queries', min_queries) }} AS min_queries
    FROM rankmetrics_test_expected AS e
    LEFT JOIN rankmetrics_test_result AS t ON t.column_label = e.metric
{%- endset -%}
{%- set columns = named | map(attribute='name') | list + keys + ['value'] + limits | list
    + ['n_queries', 'min_queries'] -%}
{%- set floor = rankmetrics_sql.rm_test_floor() -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    columns,
    unusable=rankmetrics_sql.rm_test_lacking('value'),
    error='value < min_value - ' ~ floor ~ ' OR value > max_value + ' ~ floor,
    warn='value < warn_min_value - ' ~ floor ~ ' OR value > warn_max_value + ' ~ floor,
    demoted=rankmetrics_sql.rm_test_too_few(min_queries)
) -%}
{{ return(rankmetrics_sql.rm_test_query([
    rankmetrics_sql.rm_test_source(model),
    rankmetrics_sql.rm_cte('rankmetrics_test_result', result, 'the values that are tested, a row for each group'),
    rankmetrics_sql.rm_test_expected([label]),
    rankmetrics_sql.rm_cte('rankmetrics_test_values', values, 'each value with its limits'),
    levels,
], columns + ['severity_level'])) }}
{% endmacro %}
