{#- Values that no metric could work with, and queries of which rows say different things. -#}

{#- The positions of a query that two items share. -#}
{% macro rm_check_positions(input) %}
{{ return(rankmetrics_sql.rm_check_groups_of(
    input, rankmetrics_sql.rm_list_keys(input) + ['given_position'], ['COUNT(*) AS n_rows'], 'COUNT(*) > 1'
)) }}
{% endmacro %}

{#- The grades of a query that two of its items have. -#}
{% macro rm_check_equal_grades(input) %}
{{ return(rankmetrics_sql.rm_check_groups_of(
    input, rankmetrics_sql.rm_list_keys(input) + ['relevance'], ['COUNT(*) AS n_rows'], 'COUNT(*) > 1'
)) }}
{% endmacro %}

{#-
The queries whose number of relevant items contradicts itself or the rows present, or is more than can be counted.
-#}
{% macro rm_check_n_relevant(input, rel) %}
{%- set given = 'r.n_relevant_given' -%}
{%- set hit = 'r.relevance >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{%- set relevant = 'SUM(CASE WHEN ' ~ hit ~ ' THEN 1 ELSE 0 END)' -%}
{%- set condition -%}
COUNT({{ given }}) < COUNT(*) OR MIN({{ given }}) <> MAX({{ given }}) OR MAX({{ given }}) < {{ relevant }}
    OR MAX({{ given }}) <> FLOOR(MAX({{ given }}))
    OR MAX({{ given }}) > {{ relevant }} + 100000
{%- endset -%}
{{ return(rankmetrics_sql.rm_check_groups_of(
    input,
    rankmetrics_sql.rm_list_keys(input),
    ['MIN(' ~ given ~ ') AS lowest', 'MAX(' ~ given ~ ') AS highest', relevant ~ ' AS n_present'],
    condition
)) }}
{% endmacro %}

{#-
The rows of a labelled table whose label is not what the judgments say; an item without gain may be absent there.
-#}
{% macro rm_check_labels(labelled, qrels) %}
{%- set names = rankmetrics_sql.rm_query_keys(labelled.columns.query_id) + ['item_id'] -%}
{%- set ids = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_id_keys(labelled)) | join(', ') -%}
{%- set select -%}
SELECT {{ ids }}, r.relevance AS label, q.relevance AS grade
FROM rankmetrics_rows_1 AS r
LEFT JOIN rankmetrics_rows_2 AS q ON {{ rankmetrics_sql.rm_same('r', 'q', names) }}
WHERE r.relevance <> q.relevance OR (r.relevance > 0 AND q.relevance IS NULL)
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(labelled, '_1') + rankmetrics_sql.rm_checked_rows(qrels, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#- The items of a catalogue that are of two popularities. -#}
{% macro rm_check_popularity(items) %}
{{ return(rankmetrics_sql.rm_check_groups_of(
    items,
    ['item_id'],
    ['MIN(r.popularity) AS lowest', 'MAX(r.popularity) AS highest'],
    'MIN(r.popularity) <> MAX(r.popularity)'
)) }}
{% endmacro %}

{#- The queries that have two values in a column that the result is to be grouped by. -#}
{% macro rm_check_groups(inputs, column, of_queries) %}
{%- set keys = rankmetrics_sql.rm_query_keys(inputs[0].columns.query_id) if of_queries
    else rankmetrics_sql.rm_list_keys(inputs[0]) -%}
{%- set ctes, selects = [], [] -%}
{%- for input in inputs -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(input, '_' ~ loop.index, {'group_1': column}, true)) -%}
    {%- do selects.append('SELECT ' ~ (keys + ['group_1']) | join(', ') ~ ' FROM rankmetrics_rows_' ~ loop.index) -%}
{%- endfor -%}
{%- set select -%}
SELECT {{ keys | join(', ') }}, MIN(group_1) AS lowest, MAX(group_1) AS highest
FROM (
    {{ selects | join('\n    UNION ALL ') }}
) AS r
GROUP BY {{ keys | join(', ') }}
HAVING MIN(group_1) <> MAX(group_1)
ORDER BY {{ keys | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#-
One row, by so many rows of the run: how many these are, of how many lists another column and the score both tell items
apart, and of how many of these the item that the column has first is the last by score and the last the first.
-#}
{% macro rm_check_turned(input, place, n_rows) %}
{%- set keys = rankmetrics_sql.rm_list_keys(input) -%}
{%- set columns = rankmetrics_sql.rm_id_columns(input, rankmetrics_sql.rm_query_keys(input.columns.query_id)) + [
    {'name': 'score', 'sql': rankmetrics_sql.rm_as_double('s.' ~ input.columns.score)},
    {'name': 'place', 'sql': place},
] -%}
{%- set list = rankmetrics_sql.rm_qualified('r', keys) | join(', ') -%}
{%- set is_ordered = 'first_place < last_place AND lowest < highest' -%}
{%- set select -%}
SELECT
    SUM(n_rows) AS n_rows,
    COUNT(CASE WHEN {{ is_ordered }} THEN 1 END) AS n_ordered,
    COUNT(CASE WHEN {{ is_ordered }} AND score_of_first = lowest AND score_of_last = highest THEN 1 END) AS n_reversed
FROM (
    SELECT
        COUNT(*) AS n_rows,
        MIN(i.score) AS lowest,
        MAX(i.score) AS highest,
        MIN(i.place) AS first_place,
        MAX(i.place) AS last_place,
        MAX(CASE WHEN i.place = i.first_place THEN i.score END) AS score_of_first,
        MIN(CASE WHEN i.place = i.last_place THEN i.score END) AS score_of_last
    FROM (
        SELECT
            {{ list }}, r.score, r.place,
            MIN(r.place) OVER (PARTITION BY {{ list }}) AS first_place,
            MAX(r.place) OVER (PARTITION BY {{ list }}) AS last_place
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(columns, 16) }}
            FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
            LIMIT {{ n_rows }}
        ) AS r
    ) AS i
    GROUP BY {{ rankmetrics_sql.rm_qualified('i', keys) | join(', ') }}
) AS lists
{%- endset -%}
{{ return(select) }}
{% endmacro %}
