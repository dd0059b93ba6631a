{#- Two sets of judgments side by side. -#}

{#-
How two sets of judgments agree: a row for each pair of grades that an item of a query has in the one and in the other,
with how many such items there are; NULL where it is not judged. All that leaves the database are these counts.
-#}
{% macro rm_check_agreement(one, other) %}
{%- set keys = rankmetrics_sql.rm_query_keys(one.columns.query_id) + ['item_id'] -%}
{%- set known = 'WHERE r.item_id IS NOT NULL AND r.relevance IS NOT NULL' -%}
{%- set nothing = rankmetrics_sql.rm_as_double('NULL') -%}
{%- set own = rankmetrics_sql.rm_qualified('r', keys) -%}
{%- set sides %}
    SELECT
        {{ rankmetrics_sql.rm_lines(own + [
            {'name': 'grade_a', 'sql': 'r.relevance'}, {'name': 'grade_b', 'sql': nothing}
        ]) }}
    FROM rankmetrics_rows_1 AS r
    {{ known }}
    UNION ALL
    SELECT
        {{ rankmetrics_sql.rm_lines(own + [
            {'name': 'grade_a', 'sql': nothing}, {'name': 'grade_b', 'sql': 'r.relevance'}
        ]) }}
    FROM rankmetrics_rows_2 AS r
    {{ known }}
{%- endset -%}
{%- set pairs %}
    SELECT
        MAX(grade_a) AS grade_a,
        MAX(grade_b) AS grade_b
    FROM rankmetrics_sides
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{%- set select -%}
SELECT
    grade_a,
    grade_b,
    COUNT(*) AS n_pairs
FROM rankmetrics_grades
GROUP BY grade_a, grade_b
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(
    rankmetrics_sql.rm_checked_rows(one, '_1') + rankmetrics_sql.rm_checked_rows(other, '_2') + [
        rankmetrics_sql.rm_cte(
            'rankmetrics_sides', sides,
            'the grades that both sides give to the items that both know, one below the other'
        ),
        rankmetrics_sql.rm_cte('rankmetrics_grades', pairs, 'the two grades of each item'),
    ],
    select
)) }}
{% endmacro %}
