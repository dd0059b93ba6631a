{#- Questions about the user's relations: what makes a number wrong, or mean less than it seems. -#}

{#- The columns that together name a list: the run where a table holds several, and the query. -#}
{% macro rm_list_columns(input) %}
{%- set columns = [] -%}
{%- for column in ([input.columns.run_id] if input.columns.run_id else []) + input.columns.query_id -%}
    {%- do columns.append(rankmetrics_sql.rm_key(input, column)) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The columns that together name a row of it: an item, or an item and the subtopic that it is judged for. -#}
{% macro rm_id_columns(input) %}
{%- set subtopic = [rankmetrics_sql.rm_key(input, input.columns.subtopic)] if input.columns.subtopic else [] -%}
{{ return(rankmetrics_sql.rm_list_columns(input) + [rankmetrics_sql.rm_key(input, input.columns.item_id)] + subtopic) }}
{% endmacro %}

{#- One row: number of rows, lacking ids, rows without a usable value, distinct ids. -#}
{% macro rm_check_counts(input, value) %}
{%- set ids = rankmetrics_sql.rm_id_columns(input) -%}
{%- set lacking = [] -%}
{%- for column in ids -%}{%- do lacking.append('COUNT(*) - COUNT(' ~ column ~ ')') -%}{%- endfor -%}
{%- set select -%}
SELECT
    COUNT(*) AS n_rows,
    {{ lacking | join(' + ') }} AS n_lacking_ids,
    COUNT(CASE WHEN {{ rankmetrics_sql.rm_unusable(value) }} THEN 1 END) AS n_unusable,
    COUNT(DISTINCT {{ rankmetrics_sql.rm_fingerprint(ids) }}) AS n_distinct
FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{% macro rm_unusable(value) %}
{%- set number = rankmetrics_sql.rm_as_double('s.' ~ value) -%}
{{ return(number ~ ' IS NULL OR ' ~ rankmetrics_sql.rm_is_nan(number)) }}
{% endmacro %}

{#- The ids that stand in more than one row. -#}
{% macro rm_check_duplicates(input) %}
{%- set ids = rankmetrics_sql.rm_id_columns(input) | join(', ') -%}
{%- set select -%}
SELECT {{ ids }}, COUNT(*) AS n_rows
FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
GROUP BY {{ ids }}
HAVING COUNT(*) > 1
ORDER BY {{ ids }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The rows that a condition holds for, with their ids and one more column. -#}
{% macro rm_check_rows(input, value, condition) %}
{%- set columns = rankmetrics_sql.rm_id_columns(input) + ['s.' ~ value] -%}
{%- set select -%}
SELECT {{ columns | join(', ') }}
FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
WHERE {{ condition }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#-
One row: queries in both relations, only in the first, only in the second; not every engine has a full join. Where
``graded`` says so, a judgment without a grade is none.
-#}
{% macro rm_check_overlap(first, second, graded=false) %}
{%- set condition = 's.' ~ second.columns.relevance ~ ' IS NOT NULL' if graded else none -%}
{%- set sides = [
    rankmetrics_sql.rm_side_queries(first, 1), rankmetrics_sql.rm_side_queries(second, 2, condition),
] -%}
{%- set names = [] -%}
{%- for column in first.columns.query_id -%}{%- do names.append('q' ~ loop.index) -%}{%- endfor -%}
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
    WHERE q1 IS NOT NULL
    GROUP BY {{ names | join(', ') }}
) AS queries
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The queries of a relation, of those rows that a condition holds for, marked with a number. -#}
{% macro rm_side_queries(input, side, condition=none) %}
{%- set columns = [] -%}
{%- for column in input.columns.query_id -%}
    {%- do columns.append(rankmetrics_sql.rm_id(input, column) ~ ' AS q' ~ loop.index) -%}
{%- endfor -%}
{%- set where = '' if condition is none else ' WHERE ' ~ condition -%}
{%- do columns.append(side ~ ' AS side') -%}
{%- set relation = rankmetrics_sql.rm_computed(input) -%}
{{ return('SELECT DISTINCT ' ~ columns | join(', ') ~ ' FROM ' ~ relation ~ ' AS s' ~ where) }}
{% endmacro %}

{#-
One row: the queries that two runs both have results for, and those of each, among the queries that count: those of
every relation of ``among``, a list of {input, condition}.
-#}
{% macro rm_check_shared(first, second, among) %}
{%- set sides = [rankmetrics_sql.rm_side_queries(first, 1), rankmetrics_sql.rm_side_queries(second, 2)] -%}
{%- for relation in among -%}
    {%- do sides.append(rankmetrics_sql.rm_side_queries(relation.input, loop.index + 2, relation.condition)) -%}
{%- endfor -%}
{%- set names = [] -%}
{%- for column in first.columns.query_id -%}{%- do names.append('q' ~ loop.index) -%}{%- endfor -%}
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
    WHERE q1 IS NOT NULL
    GROUP BY {{ names | join(', ') }}
    HAVING COUNT(CASE WHEN side > 2 THEN 1 END) = {{ among | length }}
) AS queries
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- One row: how many rows of the first relation are judged in the second. -#}
{% macro rm_check_common(first, second) %}
{%- set sides = [] -%}
{%- set names = [] -%}
{%- for input in [first, second] -%}
    {%- set columns = [] -%}
    {%- for column in input.columns.query_id + [input.columns.item_id] -%}
        {%- do columns.append(rankmetrics_sql.rm_id(input, column) ~ ' AS id' ~ loop.index) -%}
    {%- endfor -%}
    {%- do sides.append('SELECT ' ~ columns | join(', ') ~ ' FROM ' ~ rankmetrics_sql.rm_computed(input) ~ ' AS s') -%}
{%- endfor -%}
{%- for column in first.columns.query_id + [first.columns.item_id] -%}
    {%- do names.append('id' ~ loop.index) -%}
{%- endfor -%}
{%- set select -%}
SELECT COUNT(*) AS n_common
FROM ({{ sides[0] }}) AS a
INNER JOIN ({{ sides[1] }}) AS b ON {{ rankmetrics_sql.rm_same('a', 'b', names) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#-
The rows of a labelled table whose label is not what the judgments say; an item without gain may be absent there.
-#}
{% macro rm_check_labels(labelled, qrels) %}
{%- set label = rankmetrics_sql.rm_as_double('s.' ~ labelled.columns.relevance) -%}
{%- set grade = rankmetrics_sql.rm_as_double('q.' ~ qrels.columns.relevance) -%}
{%- set matches = [] -%}
{%- for column in labelled.columns.query_id + [labelled.columns.item_id] -%}
    {%- set other = (qrels.columns.query_id + [qrels.columns.item_id])[loop.index0] -%}
    {%- set same = rankmetrics_sql.rm_key(labelled, column) ~ ' = ' ~ rankmetrics_sql.rm_key(qrels, other, 'q') -%}
    {%- do matches.append(same) -%}
{%- endfor -%}
{%- set select -%}
SELECT {{ rankmetrics_sql.rm_id_columns(labelled) | join(', ') }}, {{ label }} AS label, {{ grade }} AS grade
FROM {{ rankmetrics_sql.rm_computed(labelled) }} AS s
LEFT JOIN {{ rankmetrics_sql.rm_computed(qrels) }} AS q ON {{ matches | join(' AND ') }}
WHERE {{ label }} <> {{ grade }} OR ({{ label }} > 0 AND {{ grade }} IS NULL)
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The queries that have two values in a column that the result is to be grouped by. -#}
{% macro rm_check_groups(input, column) %}
{%- set value = rankmetrics_sql.rm_key(input, column) -%}
{%- set keys = rankmetrics_sql.rm_list_columns(input) | join(', ') -%}
{%- set select -%}
SELECT {{ keys }}, MIN({{ value }}) AS lowest, MAX({{ value }}) AS highest
FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
GROUP BY {{ keys }}
HAVING MIN({{ value }}) <> MAX({{ value }})
ORDER BY {{ keys }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The positions of a query that two items share. -#}
{% macro rm_check_positions(input) %}
{%- set columns = (rankmetrics_sql.rm_list_columns(input) + ['s.' ~ input.columns.position]) | join(', ') -%}
{%- set select -%}
SELECT {{ columns }}, COUNT(*) AS n_rows
FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
GROUP BY {{ columns }}
HAVING COUNT(*) > 1
ORDER BY {{ columns }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#-
The queries whose number of relevant items contradicts itself or the rows present, or is more than can be counted.
-#}
{% macro rm_check_n_relevant(input, rel) %}
{%- set keys = rankmetrics_sql.rm_list_columns(input) | join(', ') -%}
{%- set given = rankmetrics_sql.rm_as_double('s.' ~ input.columns.n_relevant) -%}
{%- set grade = rankmetrics_sql.rm_as_double('s.' ~ input.columns.relevance) -%}
{%- set hit = grade ~ ' >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{%- set relevant = 'SUM(CASE WHEN ' ~ hit ~ ' THEN 1 ELSE 0 END)' -%}
{%- set select -%}
SELECT {{ keys }}, MIN({{ given }}) AS lowest, MAX({{ given }}) AS highest, {{ relevant }} AS n_present
FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
GROUP BY {{ keys }}
HAVING COUNT({{ given }}) < COUNT(*) OR MIN({{ given }}) <> MAX({{ given }}) OR MAX({{ given }}) < {{ relevant }}
    OR MAX({{ given }}) <> FLOOR(MAX({{ given }}))
    OR MAX({{ given }}) > {{ relevant }} + 100000
ORDER BY {{ keys }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
