{#-
What makes judgments wrong: ids that are NULL, an item judged twice, grades that are no number or not of the scale.
-#}

{% test qrels_are_valid(
    model, grades=none, min_grade=none, max_grade=none, columns=none, warn_on=[], ignore=[], column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('qrels_are_valid', kwargs, [
    'grades', 'min_grade', 'max_grade', 'columns', 'warn_on', 'ignore',
]) -%}
{%- set usual = {'query_id': 'query_id', 'item_id': 'item_id', 'relevance': 'relevance', 'subtopic': none} -%}
{%- set named = rankmetrics_sql.rm_test_columns(model, 'qrels', usual, columns) -%}
{%- set scale = {'grades': grades, 'min_grade': min_grade, 'max_grade': max_grade} -%}
{{ return(adapter.dispatch('test_qrels_are_valid', 'rankmetrics_sql')(model, named, scale, warn_on, ignore)) }}
{% endtest %}

{% macro default__test_qrels_are_valid(model, columns, scale, warn_on, ignore) %}
{%- set known = ['no_rows', 'null_id', 'duplicate', 'null_grade', 'nan_grade', 'grade_out_of_scale'] -%}
{%- set sought = rankmetrics_sql.rm_test_sought('qrels_are_valid', known, warn_on, ignore) -%}
{%- set keys = rankmetrics_sql.rm_as_list(columns.query_id) + [columns.item_id]
    + ([columns.subtopic] if columns.subtopic is not none else []) -%}
{%- set grade = rankmetrics_sql.rm_as_double('s.' ~ columns.relevance) -%}
{%- set conditions = {
    'null_id': rankmetrics_sql.rm_qualified('s', keys) | join(' IS NULL OR ') ~ ' IS NULL',
    'null_grade': grade ~ ' IS NULL',
    'nan_grade': rankmetrics_sql.rm_is_nan(grade),
} -%}
{%- set outside = rankmetrics_sql.rm_test_outside(grade, scale) -%}
{%- if outside -%}{%- do conditions.update({'grade_out_of_scale': outside | join(' OR ')}) -%}{%- endif -%}
{%- set wanted = rankmetrics_sql.rm_test_wanted(conditions, sought) -%}
{%- set selects = rankmetrics_sql.rm_test_faulty_rows('rankmetrics_test_source', keys, grade, wanted) -%}
{%- do selects.extend(rankmetrics_sql.rm_test_duplicates(keys, sought)) -%}
{%- do selects.extend(rankmetrics_sql.rm_test_no_rows(keys, sought)) -%}
{{ return(rankmetrics_sql.rm_test_problems([rankmetrics_sql.rm_test_source(model)], keys, selects, sought, warn_on)) }}
{% endmacro %}

{#- Conditions that hold for a grade outside the scale: a list of grades, a lowest, a highest. -#}
{% macro rm_test_outside(grade, scale) %}
{%- set test = 'qrels_are_valid' -%}
{%- set outside = [] -%}
{%- if scale.grades is not none -%}
    {%- set allowed = [] -%}
    {%- for value in scale.grades -%}
        {%- do allowed.append(rankmetrics_sql.rm_test_number(test, 'grades', value)) -%}
    {%- endfor -%}
    {%- do outside.append(grade ~ ' NOT IN (' ~ allowed | join(', ') ~ ')') -%}
{%- endif -%}
{%- for name, beyond in {'min_grade': ' < ', 'max_grade': ' > '}.items() if scale[name] is not none -%}
    {%- do outside.append(grade ~ beyond ~ rankmetrics_sql.rm_test_number(test, name, scale[name])) -%}
{%- endfor -%}
{{ return(outside) }}
{% endmacro %}
