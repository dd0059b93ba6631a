{#-
A table that compare made must have a verdict for all its runs and metrics, and for those that are wanted. With a
misspelt baseline, or arms that are compared as pairs, a model builds with the reason in a row.
-#}

{% test comparison_is_complete(model, columns=none, runs=[], metrics=[], column_name=none) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('comparison_is_complete', kwargs, ['columns', 'runs', 'metrics']) -%}
{%- set usual = {'run_id': 'run', 'metric': 'metric', 'verdict': column_name or 'verdict'} -%}
{{ return(adapter.dispatch('test_comparison_is_complete', 'rankmetrics_sql')(
    model, {'run': rankmetrics_sql.rm_as_list(runs), 'metric': rankmetrics_sql.rm_as_list(metrics)},
    rankmetrics_sql.rm_source_columns(usual, columns)
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
{%- set without_verdict %}
    SELECT
        COALESCE(verdict, 'no verdict') AS problem,
        run,
        metric,
        1 AS n_rows
    FROM rankmetrics_test_source
    WHERE COALESCE(verdict, 'no verdict') IN ('no verdict', 'no baseline', 'no common query', 'no test')
{%- endset -%}
{%- set lacking = [rankmetrics_sql.rm_test_lacking_rows('no rows', unknown, unknown, '1 = 1')] -%}
{%- for column, names in wanted.items() -%}
    {%- for name in names -%}
        {%- set text = rankmetrics_sql.rm_string(name) -%}
        {%- do lacking.append(rankmetrics_sql.rm_test_lacking_rows(
            'no row of this ' ~ column, text if column == 'run' else unknown, text if column == 'metric' else unknown,
            column ~ ' = ' ~ text
        )) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_test_problems(
    [rankmetrics_sql.rm_cte('rankmetrics_test_source', source, 'the comparison')], ['run', 'metric'],
    [without_verdict | trim] + lacking, [], [], []
)) }}
{% endmacro %}

{#- A problem that there is where no row has what the condition says. -#}
{% macro rm_test_lacking_rows(problem, run, metric, condition) %}
{%- set select -%}
    SELECT
        '{{ problem }}' AS problem,
        {{ run }} AS run,
        {{ metric }} AS metric,
        0 AS n_rows
    FROM rankmetrics_test_source
    HAVING COUNT(CASE WHEN {{ condition }} THEN 1 END) = 0
{%- endset -%}
{{ return(select | trim) }}
{% endmacro %}
