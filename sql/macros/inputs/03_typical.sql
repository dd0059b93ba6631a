{#- Mean and median, and the grades that stand for missing ones. -#}

{#-
Mean or median of a column by keys, as the column typical; the median out of row numbers, which every engine has.
-#}
{% macro rm_typical(name, source, keys, column, how) %}
{%- set grouped = keys | join(', ') -%}
{%- set by = '\n    GROUP BY ' ~ grouped if keys else '' -%}
{%- if how == 'mean' -%}
    {%- set lines = rankmetrics_sql.rm_lines(keys + [{'name': 'typical', 'sql': 'AVG(' ~ column ~ ')'}]) -%}
    {{ return([rankmetrics_sql.rm_cte(
        name, 'SELECT\n        ' ~ lines ~ '\n    FROM ' ~ source ~ by,
        'the mean grade' ~ (' of each query' if keys else '')
    )]) }}
{%- endif -%}
{%- set over = 'PARTITION BY ' ~ grouped if keys else '' -%}
{%- set numbered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + [{'name': 'typical_value', 'sql': column}]) }},
        ROW_NUMBER() OVER ({{ (over ~ ' ORDER BY ' ~ column ~ ' ASC NULLS FIRST') | trim }}) AS value_number,
        COUNT(*) OVER ({{ over }}) AS n_values
    FROM {{ source }}
    WHERE {{ column }} IS NOT NULL
{%- endset -%}
{%- set median %}
    {{ rankmetrics_sql.rm_select(keys + [{'name': 'typical', 'sql': 'AVG(typical_value)'}]) }}
    FROM {{ name }}_numbered
    WHERE 2 * value_number BETWEEN n_values AND n_values + 2
    {%- if keys %}
    GROUP BY {{ grouped }}
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    name ~ '_numbered', numbered,
    'the grades, numbered from the least up'
), rankmetrics_sql.rm_cte(name, median, 'the median grade' ~ (' of each query' if keys else ''))]) }}
{% endmacro %}

{#- A grade, or what stands for a missing one: cast, as in ClickHouse it must be able to be NULL behind a LEFT JOIN. -#}
{% macro rm_grade_or(grade, other) %}
{{ return(rankmetrics_sql.rm_as_double('COALESCE(' ~ grade ~ ', ' ~ other ~ ')')) }}
{% endmacro %}

{#-
A stage out of the one called name_given: a missing grade becomes a number, or the mean or median of the grades that its
query has. others are the columns beside keys and grade.
-#}
{% macro rm_imputed(plan, name, keys, others) %}
{%- set impute = plan.options.impute -%}
{%- set grade = rankmetrics_sql.rm_number(impute) if impute is number else 't.typical' -%}
{%- set columns = rankmetrics_sql.rm_columns_from('g', keys + others)
    + [{'name': 'relevance', 'sql': 'CASE WHEN g.item_id IS NULL THEN g.relevance ELSE '
        ~ rankmetrics_sql.rm_grade_or('g.relevance', grade) ~ ' END'}] -%}
{%- set ctes = [] -%}
{%- if impute is not number -%}
    {%- do ctes.extend(rankmetrics_sql.rm_typical(name ~ '_typical', name ~ '_given', keys, 'relevance', impute)) -%}
{%- endif -%}
{%- set imputed %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ name }}_given AS g
    {%- if impute is not number %}
    LEFT JOIN {{ name }}_typical AS t ON {{ rankmetrics_sql.rm_same('t', 'g', keys) }}
    {%- endif %}
{%- endset -%}
{{ return(ctes + [rankmetrics_sql.rm_cte(name, imputed, 'the same rows, with missing grades filled in')]) }}
{% endmacro %}
