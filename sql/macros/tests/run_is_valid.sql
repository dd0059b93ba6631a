{#-
What makes the numbers of a run wrong: ids that are NULL, an item twice in a list, scores that cannot be ordered,
positions that are absent, shared, do not start at 1 or leave gaps; and a run without rows.
-#}

{% test run_is_valid(
    model, columns=none, warn_on=[], ignore=[], column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('run_is_valid', kwargs, ['columns', 'warn_on', 'ignore']) -%}
{%- set usual = {'query_id': 'query_id', 'item_id': 'item_id', 'score': '', 'position': none, 'run_id': none} -%}
{%- set named = rankmetrics_sql.rm_test_columns(model, 'run', usual, columns) -%}
{%- do named.update({'score': rankmetrics_sql.rm_score_column(named.score, named.position, false)}) -%}
{{ return(adapter.dispatch('test_run_is_valid', 'rankmetrics_sql')(model, named, warn_on, ignore)) }}
{% endtest %}

{% macro default__test_run_is_valid(model, columns, warn_on, ignore) %}
{%- set known = [
    'no_rows', 'null_id', 'duplicate', 'null_score', 'nan_score', 'null_position', 'first_position', 'gap',
    'shared_position',
] -%}
{%- set sought = rankmetrics_sql.rm_test_sought('run_is_valid', known, warn_on, ignore) -%}
{%- set lists = ([columns.run_id] if columns.run_id is not none else [])
    + rankmetrics_sql.rm_as_list(columns.query_id) -%}
{%- set keys = lists + [columns.item_id] -%}
{%- set score = none if columns.score is none else rankmetrics_sql.rm_as_double('s.' ~ columns.score) -%}
{%- set position = none if columns.position is none else rankmetrics_sql.rm_as_double('s.' ~ columns.position) -%}
{%- set conditions = {'null_id': rankmetrics_sql.rm_qualified('s', keys) | join(' IS NULL OR ') ~ ' IS NULL'} -%}
{%- if score is not none -%}
    {%- do conditions.update({'null_score': score ~ ' IS NULL', 'nan_score': rankmetrics_sql.rm_is_nan(score)}) -%}
{%- endif -%}
{%- if position is not none -%}
    {%- do conditions.update({'null_position': position ~ ' IS NULL'}) -%}
{%- endif -%}
{%- set ctes = [rankmetrics_sql.rm_test_source(model)] -%}
{%- set place = position if position is not none else rankmetrics_sql.rm_number('NULL') -%}
{%- set found = score if score is not none else place -%}
{%- set wanted = rankmetrics_sql.rm_test_wanted(conditions, sought) -%}
{%- set selects = rankmetrics_sql.rm_test_faulty_rows('rankmetrics_test_source', keys, found, wanted) -%}
{%- do selects.extend(rankmetrics_sql.rm_test_duplicates(keys, sought)) -%}
{%- if position is not none -%}
    {%- set places = rankmetrics_sql.rm_test_wanted({
        'first_position': 's.position_before IS NULL AND s.found_position <> 1',
        'gap': 's.found_position <> s.position_before AND s.found_position <> s.position_before + 1',
        'shared_position': 's.found_position = s.position_before',
    }, sought) -%}
    {%- do ctes.append(rankmetrics_sql.rm_test_positions(keys, lists, position)) -%}
    {%- do selects.extend(
        rankmetrics_sql.rm_test_faulty_rows('rankmetrics_test_positions', keys, 's.found_position', places)
    ) -%}
{%- endif -%}
{%- do selects.extend(rankmetrics_sql.rm_test_no_rows(keys, sought)) -%}
{{ return(rankmetrics_sql.rm_test_problems(ctes, keys, selects, sought, warn_on)) }}
{% endmacro %}

{#- Each row's position and the one before it in its list. -#}
{% macro rm_test_positions(keys, lists, position) %}
{%- set list = rankmetrics_sql.rm_qualified('s', lists) | join(', ') -%}
{%- set positions %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', keys)) }},
        {{ position }} AS found_position,
        LAG({{ position }}) OVER (PARTITION BY {{ list }} ORDER BY {{ position }} ASC NULLS FIRST) AS position_before
    FROM rankmetrics_test_source AS s
    WHERE {{ position }} IS NOT NULL
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_test_positions', positions,
    'the position of each row, and the one before it in its list'
)) }}
{% endmacro %}

{% macro rm_test_wanted(conditions, sought) %}
{%- set wanted = {} -%}
{%- for problem, condition in conditions.items() if problem in sought -%}
    {%- do wanted.update({problem: condition}) -%}
{%- endfor -%}
{{ return(wanted) }}
{% endmacro %}
