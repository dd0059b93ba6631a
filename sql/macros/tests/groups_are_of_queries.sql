{#-
Each query must have one value of each group: metrics by group would count it in one of them alone, so that it has no
value there. A row whose group is NULL names none, unless all rows of the query do, which is a group too.
-#}

{% test groups_are_of_queries(
    model, by, columns=none, warn_on=[], ignore=[], column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('groups_are_of_queries', kwargs, ['by', 'columns', 'warn_on', 'ignore']) -%}
{%- set named = rankmetrics_sql.rm_test_columns(model, 'run', {'query_id': 'query_id', 'run_id': none}, columns) -%}
{{ return(adapter.dispatch('test_groups_are_of_queries', 'rankmetrics_sql')(model, by, named, warn_on, ignore)) }}
{% endtest %}

{% macro default__test_groups_are_of_queries(model, by, columns, warn_on, ignore) %}
{%- set test = 'groups_are_of_queries' -%}
{%- set known = ['two_values', 'null_beside_value'] -%}
{%- set sought = rankmetrics_sql.rm_test_sought(test, known, warn_on, ignore) -%}
{%- set groups = rankmetrics_sql.rm_group_list(by) -%}
{%- if not groups -%}{%- do rankmetrics_sql.rm_test_fail(test, 'by: name at least one column.') -%}{%- endif -%}
{%- set keys = ([columns.run_id] if columns.run_id is not none else [])
    + rankmetrics_sql.rm_as_list(columns.query_id) -%}
{%- set selects = [] -%}
{%- for group in groups -%}
    {%- set conditions = rankmetrics_sql.rm_test_wanted({
        'two_values': 'MIN(s.' ~ group ~ ') <> MAX(s.' ~ group ~ ')',
        'null_beside_value': 'COUNT(s.' ~ group ~ ') BETWEEN 1 AND COUNT(*) - 1',
    }, sought) -%}
    {%- for problem, condition in conditions.items() -%}
        {%- do selects.append(rankmetrics_sql.rm_test_groups_of(problem, keys, group, condition)) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set ctes = [rankmetrics_sql.rm_test_source(model)] -%}
{%- set found = ['group_column', 'first_value', 'last_value'] -%}
{{ return(rankmetrics_sql.rm_test_problems(ctes, keys, selects, sought, warn_on, found)) }}
{% endmacro %}

{#- The queries whose rows have a problem in one group: its lowest and highest value, and how many rows they are. -#}
{% macro rm_test_groups_of(problem, keys, group, condition) %}
{%- set names = rankmetrics_sql.rm_qualified('s', keys) -%}
{%- set type = rankmetrics_sql.rm_text_type() -%}
{%- set select -%}
    SELECT
        {{ rankmetrics_sql.rm_string(problem) }} AS problem,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', keys)) }},
        {{ rankmetrics_sql.rm_string(group) }} AS group_column,
        CAST(MIN(s.{{ group }}) AS {{ type }}) AS first_value,
        CAST(MAX(s.{{ group }}) AS {{ type }}) AS last_value,
        COUNT(*) AS n_rows
    FROM rankmetrics_test_source AS s
    WHERE {{ names | join(' IS NOT NULL AND ') }} IS NOT NULL
    GROUP BY {{ names | join(', ') }}
    HAVING {{ condition }}
{%- endset -%}
{{ return(select | trim) }}
{% endmacro %}
