{#-
A table that compare made must have a verdict for all its runs and metrics, and for those that are wanted. With a
misspelt baseline, or arms that are compared as pairs, a model builds with the reason in a row.
-#}

{% test comparison_is_complete(model, runs=[], metrics=[], columns=none, column_name=none) %}
{{ config(fail_calc='count(*)') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('comparison_is_complete', kwargs, ['runs', 'metrics', 'columns']) -%}
{%- set usual = {'run_id': 'run', 'metric': 'metric', 'verdict': 'verdict'} -%}
{{ return(adapter.dispatch('test_comparison_is_complete', 'rankmetrics_sql')(
    model, {'run': rankmetrics_sql.rm_as_list(runs), 'metric': rankmetrics_sql.rm_as_list(metrics)},
    rankmetrics_sql.rm_source_columns(usual, columns, {'verdict': column_name})
)) }}
{% endtest %}

{% macro default__test_comparison_is_complete(model, wanted, columns) %}
{%- set source %}
    SELECT
        {{ columns.run_id }} AS run,
        {{ columns.metric }} AS metric,
        {{ columns.verdict }} AS verdict
    FROM {{ model }}
{%- endset -%}
{%- set unknown = 'CAST(NULL AS ' ~ rankmetrics_sql.rm_text_type() ~ ')' -%}
{%- set problems -%}
    SELECT
        COALESCE(verdict, 'no verdict') AS problem,
        run,
        metric
    FROM rankmetrics_test_source
    WHERE COALESCE(verdict, 'no verdict') IN ('no verdict', 'no baseline', 'no common query', 'no test')
    UNION ALL
    SELECT
        'no rows' AS problem,
        {{ unknown }} AS run,
        {{ unknown }} AS metric
    FROM rankmetrics_test_source
    HAVING COUNT(*) = 0
    {%- for column, names in wanted.items() %}
    {%- for name in names %}
    UNION ALL
    SELECT
        'no row of this {{ column }}' AS problem,
        {{ rankmetrics_sql.rm_string(name) if column == 'run' else unknown }} AS run,
        {{ rankmetrics_sql.rm_string(name) if column == 'metric' else unknown }} AS metric
    FROM rankmetrics_test_source
    HAVING COUNT(CASE WHEN {{ column }} = {{ rankmetrics_sql.rm_string(name) }} THEN 1 END) = 0
    {%- endfor %}
    {%- endfor %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with([
    rankmetrics_sql.rm_cte('rankmetrics_test_source', source, 'the comparison'),
    rankmetrics_sql.rm_cte('rankmetrics_test_problems', '\n    ' ~ problems, 'what lacks a verdict, or is lacking'),
]) ~ '\n\nSELECT\n    problem,\n    run,\n    metric\nFROM rankmetrics_test_problems'
    ~ (' WHERE 1 = 0' if flags.EMPTY is defined and flags.EMPTY else '')) }}
{% endmacro %}
