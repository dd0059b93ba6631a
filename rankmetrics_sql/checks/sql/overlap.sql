{#- Queries and items that two relations have in common. -#}

{#-
A row for each of the first relations, or with ``by_run`` for each run of the only one, whose name is then the last
column: queries in both that and the second, only in that, only in the second; and the number of the relation. Where
``graded`` says so, a judgment without a grade is none. Those only in the second count only if a third relation has
them, too, where there is one. What was joined has a mark of its own, because ClickHouse's outer joins have no NULL.
-#}
{% macro rm_check_overlap(firsts, second, graded=false, chosen=none, by_run=false) %}
{%- set names = rankmetrics_sql.rm_query_keys(second.columns.query_id) -%}
{%- set keys = (['run_id'] if by_run else []) + names -%}
{%- set name, n_firsts, ctes, lists = names[0], firsts | length, [], [] -%}
{%- set rows_of_second, rows_of_third = 'rankmetrics_rows_' ~ (n_firsts + 1), 'rankmetrics_rows_' ~ (n_firsts + 2) -%}
{%- for first in firsts -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(first, '_' ~ loop.index)) -%}
    {%- set list %}
    SELECT {{ ([loop.index ~ ' AS input_no'] + rankmetrics_sql.rm_qualified('r', keys)) | join(', ') }}
    FROM rankmetrics_rows_{{ loop.index }} AS r
    WHERE r.{{ name }} IS NOT NULL
    GROUP BY {{ rankmetrics_sql.rm_qualified('r', keys) | join(', ') }}
    {%- endset -%}
    {%- do lists.append(list) -%}
{%- endfor -%}
{%- set groups = (['l.input_no'] if n_firsts > 1 else []) + (['l.run_id'] if by_run else []) -%}
{%- set judged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_qualified('r', names)) }},
        1 AS is_judged, {{ 1 if chosen is none else 'SUM(CASE WHEN c.is_chosen = 1 THEN 1 ELSE 0 END)' }} AS n_chosen
    FROM (
        SELECT DISTINCT {{ rankmetrics_sql.rm_qualified('r', names) | join(', ') }}
        FROM {{ rows_of_second }} AS r
        WHERE r.{{ name }} IS NOT NULL{{ ' AND r.relevance IS NOT NULL' if graded }}
    ) AS r
    {%- if chosen is not none %}
    LEFT JOIN (SELECT DISTINCT {{ names | join(', ') }}, 1 AS is_chosen FROM {{ rows_of_third }}) AS c ON
        {{- ' ' ~ rankmetrics_sql.rm_same('r', 'c', names) }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('r', names) | join(', ') }}
    {%- endif %}
{%- endset -%}
{%- set select -%}
SELECT
    COALESCE(SUM(CASE WHEN j.is_judged = 1 THEN 1 ELSE 0 END), 0) AS n_both,
    COALESCE(SUM(CASE WHEN j.is_judged = 1 THEN 0 ELSE 1 END), 0) AS n_first_only,
    COALESCE((SELECT SUM(n_chosen) FROM rankmetrics_judged), 0) - COALESCE(SUM(j.n_chosen), 0) AS n_second_only,
    {{ 'l.input_no' if n_firsts > 1 else '1 AS input_no' }}
    {{- ',\n    l.run_id' if by_run }}
FROM rankmetrics_lists AS l
LEFT JOIN rankmetrics_judged AS j ON {{ rankmetrics_sql.rm_same('l', 'j', names) }}
{%- if groups %}
GROUP BY {{ groups | join(', ') }}
ORDER BY {{ groups | join(', ') }}
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(
    ctes + rankmetrics_sql.rm_checked_rows(second, '_' ~ (n_firsts + 1))
        + (rankmetrics_sql.rm_checked_rows(chosen, '_' ~ (n_firsts + 2)) if chosen is not none else []) + [
            rankmetrics_sql.rm_cte('rankmetrics_lists', lists | join('\n    UNION ALL'), 'the queries of each run'),
            rankmetrics_sql.rm_cte('rankmetrics_judged', judged, 'the judged queries'),
        ],
    select
)) }}
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

{#- One row: how many grades people gave, and a model in the same queries. -#}
{% macro rm_check_grades_of_both(people, model) %}
{%- set names = rankmetrics_sql.rm_query_keys(model.columns.query_id) -%}
{%- set select -%}
SELECT
    (SELECT COUNT(*) FROM rankmetrics_rows_1 AS p WHERE p.relevance IS NOT NULL) AS n_people,
    COUNT(*) AS n_model
FROM rankmetrics_rows_2 AS r
INNER JOIN (
    SELECT DISTINCT {{ rankmetrics_sql.rm_qualified('p', names) | join(', ') }}
    FROM rankmetrics_rows_1 AS p
    WHERE p.relevance IS NOT NULL
) AS q ON {{ rankmetrics_sql.rm_same('r', 'q', names) }}
WHERE r.relevance IS NOT NULL
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(
    rankmetrics_sql.rm_checked_rows(people, '_1') + rankmetrics_sql.rm_checked_rows(model, '_2'), select
)) }}
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
SELECT a.run_id, SUM(CASE WHEN b.is_there = 1 THEN 1 ELSE 0 END) AS n_common
FROM rankmetrics_rows_1 AS a
LEFT JOIN (SELECT {{ names | join(', ') }}, 1 AS is_there FROM rankmetrics_rows_2) AS b ON
    {{- ' ' ~ rankmetrics_sql.rm_same('a', 'b', names) }}
GROUP BY a.run_id
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(first, '_1') + rankmetrics_sql.rm_checked_rows(second, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#-
Ids of the first relation beside others of the second that it does not have, which differ in nothing but leading zeros
and case; for DuckDB. Of one in so many lists, each list beside the judgments of its query alone.
-#}
{% macro rm_check_alike(first, second, name, share=1) %}
{%- set keys = rankmetrics_sql.rm_query_keys(first.columns.query_id) if share > 1 else [] -%}
{%- set names = rankmetrics_sql.rm_qualified('r', keys) + ['r.' ~ name ~ ' AS id'] -%}
{%- set where = ' WHERE ' ~ rankmetrics_sql.rm_of_share(keys, share) if share > 1 else '' -%}
{%- set same = rankmetrics_sql.rm_same('a', 'b', keys) ~ ' AND ' if keys else '' -%}
{%- set select -%}
SELECT MIN(a.id) AS first_id, b.id AS second_id
FROM (SELECT DISTINCT {{ names | join(', ') }} FROM rankmetrics_rows_1 AS r{{ where }}) AS a
INNER JOIN (SELECT DISTINCT {{ names | join(', ') }} FROM rankmetrics_rows_2 AS r{{ where }}) AS b ON
    {{- ' ' ~ same }}LOWER(LTRIM(a.id, '0')) = LOWER(LTRIM(b.id, '0'))
GROUP BY b.id
HAVING COUNT(CASE WHEN a.id = b.id THEN 1 END) = 0
ORDER BY b.id
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(first, '_1') + rankmetrics_sql.rm_checked_rows(second, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}
