{#-
Metrics must not drop against a baseline, query by query: the same query in both, so that a filter of the tested
relation filters the baseline too. A drop is in the metric's own direction: where lower is better, a rise is the drop.
With a margin, an error is what the test against it says is worse by more, corrected over all margins; of fewer than six
queries that differ it says nothing. With fail_unless_shown, an error is what it does not say is no worse by more.
-#}

{% test metric_not_worse_than(
    model, metrics, baseline=none, error_drop=none, warn_drop=none, relative=false, z=none, min_queries=none,
    qrels=none, options={}, profile=none, columns=none, by=none, query_list=none, items=none, empty_lists=false,
    margin=none, confidence_level=none, fail_unless_shown=false, predicted_qrels=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = [
    'metrics', 'baseline', 'error_drop', 'warn_drop', 'relative', 'z', 'min_queries', 'qrels', 'options', 'profile',
    'columns', 'by', 'query_list', 'items', 'empty_lists', 'margin', 'confidence_level', 'fail_unless_shown',
    'predicted_qrels',
] -%}
{%- set chosen = rankmetrics_sql.rm_test_confidence(options, confidence_level) -%}
{%- set allowed = 0 if margin is none and confidence_level is not none else margin -%}
{%- set arguments = rankmetrics_sql.rm_arguments('metric_not_worse_than', {
    'qrels': qrels, 'options': chosen, 'profile': profile, 'columns': columns, 'by': by, 'query_list': query_list,
    'items': items, 'empty_lists': empty_lists, 'limits': allowed, 'relative_limits': relative,
    'predicted_qrels': predicted_qrels,
    'shown': [] if rankmetrics_sql.rm_or_null(allowed) is none else ['pvalue'],
}, kwargs, ['run_id'], own) -%}
{%- if rankmetrics_sql.rm_or_null(baseline) is none -%}
    {%- do rankmetrics_sql.rm_test_fail('metric_not_worse_than', "it needs the relation to compare with: baseline: "
        ~ "ref('results_before').") -%}
{%- endif -%}
{%- if arguments.run_id is not none -%}
    {%- do rankmetrics_sql.rm_test_fail('metric_not_worse_than', 'two relations are compared, not runs of one.') -%}
{%- endif -%}
{%- set choices = rankmetrics_sql.rm_project_choices(chosen, profile).options -%}
{%- if choices.unjudged == 'bounds' and rankmetrics_sql.rm_or_null(allowed) is none -%}
    {%- do rankmetrics_sql.rm_test_fail('metric_not_worse_than', 'unjudged=bounds needs margin, because a verdict '
        ~ 'says whether unjudged items decide: margin: 0.') -%}
{%- endif -%}
{%- if choices.unjudged == 'bounds' and relative and rankmetrics_sql.rm_or_null(allowed) is not none -%}
    {%- do rankmetrics_sql.rm_test_fail('metric_not_worse_than', 'unjudged=bounds gives the range of a difference, and '
        ~ 'relative also needs that of the baseline; leave relative out.') -%}
{%- endif -%}
{%- do rankmetrics_sql.rm_test_strictness('metric_not_worse_than', fail_unless_shown, allowed) -%}
{%- set limits = {
    'error_drop': error_drop, 'warn_drop': warn_drop, 'relative': relative, 'z': z, 'min_queries': min_queries,
    'margin': allowed, 'fail_unless_shown': fail_unless_shown,
} -%}
{{ return(adapter.dispatch('test_metric_not_worse_than', 'rankmetrics_sql')(
    model, metrics, baseline, limits, arguments
)) }}
{% endtest %}

{% macro default__test_metric_not_worse_than(model, metrics, baseline, limits, arguments) %}
{%- set test = 'metric_not_worse_than' -%}
{%- set is_tested = rankmetrics_sql.rm_or_null(limits.margin) is not none -%}
{%- set has_limits = limits.error_drop is not none or limits.warn_drop is not none or is_tested -%}
{%- set error_drop = limits.error_drop if has_limits else 0 -%}
{%- set asked = rankmetrics_sql.rm_test_metrics(metrics, arguments, true) -%}
{%- set labels = asked | map(attribute='label') | list -%}
{%- set groups = rankmetrics_sql.rm_test_groups(arguments.by) -%}
{%- set margins = rankmetrics_sql.rm_test_margin(test, limits, labels) if is_tested -%}
{%- set compared = rankmetrics_sql.rm_statement('compare', model, metrics, arguments, baseline) -%}
{%- set judged = rankmetrics_sql.rm_test_judged_items('rankmetrics_test_judged', model, metrics, arguments) -%}
{%- set before = rankmetrics_sql.rm_test_judged_items(
    'rankmetrics_test_judged_before', baseline, metrics, arguments
) -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('e', ['metric'])
            + rankmetrics_sql.rm_columns_from('t', groups)) }},
        t.candidate AS value,
        t.baseline AS baseline_value,
        {{ rankmetrics_sql.rm_test_drop(asked, limits.relative) }} AS metric_drop,
        {{ rankmetrics_sql.rm_test_limit(test, 'error_drop', error_drop, labels, 'e.metric') }} AS error_drop,
        {{ rankmetrics_sql.rm_test_limit(test, 'warn_drop', limits.warn_drop, labels, 'e.metric') }} AS warn_drop,
        t.standard_error{{ ' / NULLIF(ABS(t.baseline), 0)' if limits.relative else '' }} AS standard_error,
        {{ rankmetrics_sql.rm_test_number(test, 'z', limits.z) }} AS z,
        COALESCE(t.n_queries, 0) AS n_queries,
        b.n_baseline_rows,
        {{ rankmetrics_sql.rm_test_n_judged(metrics, arguments, judged | length > 0) }} AS n_judged,
        {{ rankmetrics_sql.rm_test_n_judged(metrics, arguments, before | length > 0, 'p') }} AS n_baseline_judged,
        {{ rankmetrics_sql.rm_test_number(test, 'min_queries', limits.min_queries) }} AS min_queries
{%- if is_tested %},
        {{ margins }} AS margin,
        t.pvalue_adj,
        t.verdict,
        t.reason AS reason_of_verdict
{%- endif %}
    FROM rankmetrics_test_expected AS e
    CROSS JOIN rankmetrics_test_baseline AS b
    {%- if judged %}
    CROSS JOIN rankmetrics_test_judged AS j
    CROSS JOIN rankmetrics_test_judged_before AS p
    {%- endif %}
    LEFT JOIN rankmetrics_test_result AS t ON t.metric = e.metric
{%- endset -%}
{%- set columns = ['metric'] + groups + [
    'value', 'baseline_value', 'metric_drop', 'error_drop', 'warn_drop', 'standard_error', 'z', 'n_queries',
    'n_baseline_rows', 'n_judged', 'n_baseline_judged', 'min_queries',
] + (['margin', 'pvalue_adj', 'verdict', 'reason_of_verdict'] if is_tested else []) -%}
{%- set floor = rankmetrics_sql.rm_test_floor() -%}
{%- set is_clear = 'standard_error IS NULL OR metric_drop > z * standard_error + ' ~ floor -%}
{%- set clear = '' if limits.z is none else ' AND (' ~ is_clear ~ ')' -%}
{%- set verdicts = "<> 'not worse'" if limits.fail_unless_shown else "IN ('worse', 'no test')" -%}
{%- set worse = ' OR margin IS NOT NULL AND verdict ' ~ verdicts -%}
{%- set lacking = rankmetrics_sql.rm_test_lacking('value') -%}
{%- set unsure = ['n_queries < min_queries'] if limits.min_queries is not none else [] -%}
{%- if limits.z is not none -%}{%- do unsure.append('standard_error IS NULL') -%}{%- endif -%}
{%- set reasons = {
    'the baseline has no rows': 'n_baseline_rows = 0',
    'no retrieved item is judged': 'n_judged = 0',
    'no item that the baseline retrieved is judged': 'n_baseline_judged = 0',
    'no value': lacking ~ ' OR ' ~ rankmetrics_sql.rm_test_lacking('baseline_value'),
} -%}
{%- if is_tested and limits.relative -%}
    {%- do reasons.update({'the baseline is not above 0, so it has no share': 'margin > 0 AND baseline_value <= 0'}) -%}
{%- endif -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    columns,
    unusable=reasons.values() | join(' OR '),
    error='metric_drop > error_drop + ' ~ floor ~ clear ~ (worse if is_tested else ''),
    warn='metric_drop > warn_drop + ' ~ floor ~ clear,
    demoted=unsure | join(' OR ') if unsure else none,
    reasons=reasons,
    reason='reason_of_verdict' if is_tested else 'NULL'
) -%}
{{ return(rankmetrics_sql.rm_test_query([
    rankmetrics_sql.rm_cte('rankmetrics_test_result', compared | indent(4), 'the comparison with the baseline'),
    rankmetrics_sql.rm_test_expected(labels),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_baseline', 'SELECT COUNT(*) AS n_baseline_rows FROM ' ~ baseline,
        'the number of rows of the baseline, which must not be 0'
    ),
] + judged + before + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_values', values,
        'each metric with its drop and its limits'
    ),
    levels,
], columns | reject('eq', 'reason_of_verdict') | list + ['reason', 'severity_level'])) }}
{% endmacro %}

{#- The loss of the candidate, as a share of the baseline if the test asks for one. -#}
{% macro rm_test_drop(asked, relative) %}
{%- set lower = [] -%}
{%- for metric in asked if metric.better == 'lower' -%}
    {%- do lower.append(rankmetrics_sql.rm_string(metric.label)) -%}
{%- endfor -%}
{%- set drop = '-t.effect_size' -%}
{%- if lower -%}
    {%- set drop = 'CASE WHEN e.metric IN (' ~ lower | join(', ') ~ ') THEN t.effect_size ELSE -t.effect_size END' -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_test_share(drop, 't.baseline') if relative else drop) }}
{% endmacro %}

{#- The options of the comparison with this confidence level. -#}
{% macro rm_test_confidence(options, confidence_level) %}
{%- set chosen = {} -%}
{%- do chosen.update(rankmetrics_sql.rm_given_options(options)) -%}
{%- if rankmetrics_sql.rm_or_null(confidence_level) is not none -%}
    {%- do chosen.update({'confidence_level': confidence_level}) -%}
{%- endif -%}
{{ return(chosen) }}
{% endmacro %}

{#-
One for all metrics, or a mapping with one for some of them: by how much a metric may be worse, so at least 0, in its
own units, or as a share of the baseline's value.
-#}
{% macro rm_test_margin(test, limits, labels) %}
{%- set margins = limits.margin.values() | list if limits.margin is mapping else [limits.margin] -%}
{%- for value in margins if value is number -%}
    {%- if value < 0 -%}
        {%- do rankmetrics_sql.rm_test_fail(
            test, 'margin is at least 0, by how much a metric may be worse; not '
                ~ rankmetrics_sql.rm_written_value(value) ~ '.'
        ) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_test_limit(test, 'margin', limits.margin, labels, 'e.metric')) }}
{% endmacro %}

{#- Whether an error is what is not shown to be no worse; only of a margin can that be shown. -#}
{% macro rm_test_strictness(test, fail_unless_shown, margin) %}
{%- if fail_unless_shown is not boolean -%}
    {%- do rankmetrics_sql.rm_test_fail(test, 'fail_unless_shown is true or false, not '
        ~ rankmetrics_sql.rm_written_value(fail_unless_shown) ~ '.') -%}
{%- elif fail_unless_shown and rankmetrics_sql.rm_or_null(margin) is none -%}
    {%- do rankmetrics_sql.rm_test_fail(
        test, 'fail_unless_shown needs margin, by how much a metric may be worse: margin: 0.01.'
    ) -%}
{%- endif -%}
{% endmacro %}
