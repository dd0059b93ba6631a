{#-
The last period of a stored table, one row per period (and group), must not drop against the mean of the n periods
before. Periods are those of the whole table: a group that is absent from the last one has no value there, which is an
error.
-#}

{% test metric_stable(
    model, columns=none, n_periods=7, error_drop=none, warn_drop=none, relative=false, error_z=none, warn_z=none,
    better='higher', min_periods=1, min_queries=none, by=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = [
    'columns', 'n_periods', 'error_drop', 'warn_drop', 'relative', 'error_z', 'warn_z', 'better', 'min_periods',
    'min_queries', 'by',
] -%}
{%- set limits = {'error_drop': error_drop, 'warn_drop': warn_drop, 'error_z': error_z, 'warn_z': warn_z} -%}
{%- do rankmetrics_sql.rm_refuse_others('metric_stable', kwargs, own) -%}
{%- set usual = {'value': column_name or 'value', 'period': 'period', 'n_queries': none} -%}
{%- set named = rankmetrics_sql.rm_test_columns(model, 'run', usual, columns) -%}
{%- set choices = {
    'n_periods': n_periods, 'relative': relative, 'better': better, 'min_periods': min_periods,
    'min_queries': min_queries,
} -%}
{{ return(adapter.dispatch('test_metric_stable', 'rankmetrics_sql')(
    model, named, limits, choices, rankmetrics_sql.rm_checked_by(by)
)) }}
{% endtest %}

{% macro default__test_metric_stable(model, columns, limits, choices, by) %}
{%- set test = 'metric_stable' -%}
{%- do rankmetrics_sql.rm_test_require(test, limits) -%}
{%- if choices.better not in ['higher', 'lower'] -%}
    {%- do rankmetrics_sql.rm_test_fail(test, 'better cannot be '
        ~ rankmetrics_sql.rm_written_value(choices.better) ~ '. Valid: higher, lower.') -%}
{%- endif -%}
{%- if choices.min_queries is not none and columns.n_queries is none -%}
    {%- do rankmetrics_sql.rm_test_fail(test, 'min_queries needs the column with the number of queries. Name it: '
        ~ "columns={'n_queries': ...}.") -%}
{%- endif -%}
{%- set groups = rankmetrics_sql.rm_test_groups(by) -%}
{%- set label = columns.value | replace('"', '') | replace('`', '') -%}
{%- set named = rankmetrics_sql.rm_test_named(groups, label) -%}
{%- set rise = 'm.value - m.baseline_value' -%}
{%- set drop = 'm.baseline_value - m.value' if choices.better == 'higher' else rise -%}
{%- set means = groups + ['last_period', 'value', 'baseline_value'] -%}
{%- set counts = rankmetrics_sql.rm_columns_from('m', ['n_periods', 'n_repeated']) -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(named + rankmetrics_sql.rm_columns_from('m', means)) }},
        {{ rankmetrics_sql.rm_test_share(drop, 'm.baseline_value') if choices.relative else drop }} AS metric_drop,
        ({{ drop }}) / NULLIF(d.standard_deviation, 0) AS drop_in_deviations,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('d', ['standard_deviation']) + counts) }},
        {%- for name, limit in limits.items() %}
        {{ rankmetrics_sql.rm_test_number(test, name, limit) }} AS {{ name }},
        {%- endfor %}
        m.n_queries,
        {{ rankmetrics_sql.rm_test_number(test, 'min_queries', choices.min_queries) }} AS min_queries
    FROM rankmetrics_test_expected AS e
    LEFT JOIN rankmetrics_test_means AS m ON m.column_label = e.metric
    LEFT JOIN rankmetrics_test_spread AS d ON d.column_label = e.metric AND
        {{- ' ' ~ rankmetrics_sql.rm_same_or_null('d', 'm', groups) }}
{%- endset -%}
{%- set shown = named | map(attribute='name') | list + means
    + ['metric_drop', 'drop_in_deviations', 'standard_deviation', 'n_periods', 'n_repeated'] + limits | list
    + ['n_queries', 'min_queries'] -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    shown,
    unusable=rankmetrics_sql.rm_test_lacking('value') ~ ' OR n_repeated > 0',
    settled='n_periods < ' ~ rankmetrics_sql.rm_test_number(test, 'min_periods', choices.min_periods),
    error=rankmetrics_sql.rm_test_dropped('error', limits),
    warn=rankmetrics_sql.rm_test_dropped('warn', limits),
    demoted=rankmetrics_sql.rm_test_too_few(choices.min_queries)
) -%}
{{ return(rankmetrics_sql.rm_test_query([
    rankmetrics_sql.rm_test_source(model),
    rankmetrics_sql.rm_test_periods(columns, groups),
    rankmetrics_sql.rm_test_means(label, groups, choices.n_periods),
    rankmetrics_sql.rm_test_spread(groups, choices.n_periods),
    rankmetrics_sql.rm_test_expected([label]),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_values', values,
        'the last value with its drop and its limits'
    ),
    levels,
], shown + ['severity_level'])) }}
{% endmacro %}

{#- A level is reached when the drop exceeds what is given for it: a drop, a number of standard deviations, or both. -#}
{% macro rm_test_dropped(level, limits) %}
{%- set floor = rankmetrics_sql.rm_test_floor() -%}
{%- set conditions = [] -%}
{%- if limits[level ~ '_drop'] is not none -%}
    {%- do conditions.append('metric_drop > ' ~ level ~ '_drop + ' ~ floor) -%}
{%- endif -%}
{%- if limits[level ~ '_z'] is not none -%}
    {%- set beyond = 'drop_in_deviations > ' ~ level ~ '_z OR standard_deviation = 0' -%}
    {%- do conditions.append('metric_drop > ' ~ floor ~ ' AND (' ~ beyond ~ ')') -%}
{%- endif -%}
{{ return(conditions | join(' AND ') if conditions else '1 = 0') }}
{% endmacro %}

{#- Each row with how many periods ago it was; the last period is 1. -#}
{% macro rm_test_periods(columns, groups) %}
{%- set value = rankmetrics_sql.rm_as_double('s.' ~ columns.value) -%}
{%- set unknown = rankmetrics_sql.rm_as_double('NULL') -%}
{%- set n_queries = unknown if columns.n_queries is none else 's.' ~ columns.n_queries -%}
{%- set periods %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', groups)
            + [{'name': 'period_value', 'sql': value}]) }},
        {{ n_queries }} AS period_queries,
        MAX(s.{{ columns.period }}) OVER () AS last_of_all,
        DENSE_RANK() OVER (ORDER BY s.{{ columns.period }} DESC NULLS LAST) AS periods_ago
    FROM rankmetrics_test_source AS s
    WHERE s.{{ columns.period }} IS NOT NULL
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_test_periods', periods,
    'each row with its age in periods, 1 for the last'
)) }}
{% endmacro %}

{% macro rm_test_means(label, groups, n_periods) %}
{%- set means %}
    SELECT
        {{ rankmetrics_sql.rm_lines([{'name': 'column_label', 'sql': rankmetrics_sql.rm_string(label)}] + groups) }},
        MAX(last_of_all) AS last_period,
        MAX(CASE WHEN periods_ago = 1 THEN period_value END) AS value,
        AVG(CASE WHEN periods_ago > 1 THEN period_value END) AS baseline_value,
        COUNT(CASE WHEN periods_ago > 1 THEN period_value END) AS n_periods,
        COUNT(*) - COUNT(DISTINCT periods_ago) AS n_repeated,
        MAX(CASE WHEN periods_ago = 1 THEN period_queries END) AS n_queries
    FROM rankmetrics_test_periods
    WHERE periods_ago <= {{ n_periods }} + 1
    {%- if groups %}
    GROUP BY {{ groups | join(', ') }}
    {%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_test_means', means,
    'the value of the last period beside the mean of those before it'
)) }}
{% endmacro %}

{#- The sample standard deviation of the periods before the last, around their mean. -#}
{% macro rm_test_spread(groups, n_periods) %}
{%- set keys = ['column_label'] + groups -%}
{%- set spread %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('m', keys)) }},
        CASE
            WHEN COUNT(*) > 1 THEN SQRT(
                SUM((p.period_value - m.baseline_value) * (p.period_value - m.baseline_value))
                / CAST(COUNT(*) - 1 AS {{ rankmetrics_sql.rm_double_type() }})
            )
        END AS standard_deviation
    FROM rankmetrics_test_means AS m
    INNER JOIN rankmetrics_test_periods AS p ON {{ rankmetrics_sql.rm_same_or_null('p', 'm', groups) }}
    WHERE p.periods_ago > 1 AND p.periods_ago <= {{ n_periods }} + 1 AND p.period_value IS NOT NULL
    GROUP BY {{ rankmetrics_sql.rm_qualified('m', keys) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_test_spread', spread,
    'the standard deviation of the periods before the last'
)) }}
{% endmacro %}
