{#- Queries and items that two relations have in common. -#}

{#-
One row: queries in both relations, only in the first, only in the second; not every engine has a full join. Where
``graded`` says so, a judgment without a grade is none.
-#}
{% macro rm_check_overlap(first, second, graded=false) %}
{%- set condition = 'r.relevance IS NOT NULL' if graded else none -%}
{%- set sides = [
    rankmetrics_sql.rm_side_queries(first, 1), rankmetrics_sql.rm_side_queries(second, 2, condition),
] -%}
{%- set names = rankmetrics_sql.rm_query_keys(first.columns.query_id) -%}
{%- set select -%}
SELECT
    COUNT(CASE WHEN first_side < last_side THEN 1 END) AS n_both,
    COUNT(CASE WHEN last_side = 1 THEN 1 END) AS n_first_only,
    COUNT(CASE WHEN first_side = 2 THEN 1 END) AS n_second_only
FROM (
    SELECT {{ names | join(', ') }}, MIN(side) AS first_side, MAX(side) AS last_side
    FROM (
        {{ sides | join('\n        UNION ALL\n        ') }}
    ) AS sides
    WHERE {{ names[0] }} IS NOT NULL
    GROUP BY {{ names | join(', ') }}
) AS queries
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(first, '_1') + rankmetrics_sql.rm_checked_rows(second, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#-
One row: the queries that two runs both have results for, and those of each, among the queries that count: those of
every relation of ``among``, a list of {input, condition}.
-#}
{% macro rm_check_shared(first, second, among) %}
{%- set sides = [rankmetrics_sql.rm_side_queries(first, 1), rankmetrics_sql.rm_side_queries(second, 2)] -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(first, '_1') + rankmetrics_sql.rm_checked_rows(second, '_2') -%}
{%- for relation in among -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(relation.input, '_' ~ (loop.index + 2))) -%}
    {%- do sides.append(rankmetrics_sql.rm_side_queries(relation.input, loop.index + 2, relation.condition)) -%}
{%- endfor -%}
{%- set names = rankmetrics_sql.rm_query_keys(first.columns.query_id) -%}
{%- set select -%}
SELECT
    COUNT(CASE WHEN in_first = 1 AND in_second = 1 THEN 1 END) AS n_both,
    COUNT(CASE WHEN in_first = 1 THEN 1 END) AS n_first,
    COUNT(CASE WHEN in_second = 1 THEN 1 END) AS n_second
FROM (
    SELECT
        {{ names | join(', ') }},
        MAX(CASE WHEN side = 1 THEN 1 ELSE 0 END) AS in_first,
        MAX(CASE WHEN side = 2 THEN 1 ELSE 0 END) AS in_second
    FROM (
        {{ sides | join('\n        UNION ALL\n        ') }}
    ) AS sides
    WHERE {{ names[0] }} IS NOT NULL
    GROUP BY {{ names | join(', ') }}
    HAVING COUNT(CASE WHEN side > 2 THEN 1 END) = {{ among | length }}
) AS queries
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#-
The queries of those rows of one of the relations that a condition holds for, marked with its number; each once beyond
the first two, where it is counted. Made distinct once more, by itself, is twice the work of the grouping.
-#}
{% macro rm_side_queries(input, side, condition=none) %}
{%- set names = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_query_keys(input.columns.query_id)) -%}
{%- set where = '' if condition is none else ' WHERE ' ~ condition -%}
{%- set columns = (names + [side ~ ' AS side']) | join(', ') -%}
{%- set select = 'SELECT DISTINCT ' if side > 2 else 'SELECT ' -%}
{{ return(select ~ columns ~ ' FROM rankmetrics_rows_' ~ side ~ ' AS r' ~ where) }}
{% endmacro %}

{#- One row: how many rows of the first relation are judged in the second, or are items of it. -#}
{% macro rm_check_common(first, second) %}
{%- set queries = rankmetrics_sql.rm_query_keys(first.columns.query_id) if second.columns.query_id else [] -%}
{%- set names = queries + ['item_id'] -%}
{%- set select -%}
SELECT COUNT(*) AS n_common
FROM rankmetrics_rows_1 AS a
INNER JOIN rankmetrics_rows_2 AS b ON {{ rankmetrics_sql.rm_same('a', 'b', names) }}
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(first, '_1') + rankmetrics_sql.rm_checked_rows(second, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#- The same for each run of the first relation: its name, and its rows that are judged or are items. -#}
{% macro rm_check_common_of_runs(first, second) %}
{%- set queries = rankmetrics_sql.rm_query_keys(first.columns.query_id) if second.columns.query_id else [] -%}
{%- set names = queries + ['item_id'] -%}
{%- set select -%}
SELECT a.run_id, COUNT(b.item_id) AS n_common
FROM rankmetrics_rows_1 AS a
LEFT JOIN rankmetrics_rows_2 AS b ON {{ rankmetrics_sql.rm_same('a', 'b', names) }}
GROUP BY a.run_id
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(first, '_1') + rankmetrics_sql.rm_checked_rows(second, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}
