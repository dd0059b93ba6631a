{#- Questions about the user's relations: what makes a number wrong, or mean less than it seems. -#}

{#- The names of the columns that together name a list: the run where a table holds several, and the query. -#}
{% macro rm_list_keys(input) %}
{{ return((['run_id'] if input.columns.run_id else []) + rankmetrics_sql.rm_query_keys(input.columns.query_id)) }}
{% endmacro %}

{#- Those that together name a row of it: an item, or an item and the subtopic that it is judged for. -#}
{% macro rm_id_keys(input) %}
{{ return(rankmetrics_sql.rm_list_keys(input) + ['item_id'] + (['subtopic'] if input.columns.subtopic else [])) }}
{% endmacro %}

{#-
The stage that questions read: the rows of a relation under our names, ids and numbers as in the statement; those of
empty lists, which have no item, where every row is asked for.
-#}
{% macro rm_checked_rows(input, number='', groups={}, every=false) %}
{%- set columns = rankmetrics_sql.rm_id_columns(input, rankmetrics_sql.rm_query_keys(input.columns.query_id)) -%}
{%- set names = {
    'score': 'score', 'position': 'given_position', 'relevance': 'relevance', 'n_relevant': 'n_relevant_given',
    'weight': 'weight', 'covariate': 'covariate',
    'propensity': 'propensity', 'target': 'target',
    'popularity': 'popularity',
} -%}
{%- for meaning, name in names.items() if input.columns.get(meaning) -%}
    {%- set number_of_row = rankmetrics_sql.rm_as_double('s.' ~ input.columns[meaning]) -%}
    {%- do columns.append({'name': name, 'sql': number_of_row}) -%}
{%- endfor -%}
{%- for name, column in groups.items() -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_key(input, column)}) -%}
{%- endfor -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_rows_source{{ number }} AS s
    {%- if input.optional_ids and not every %}
    WHERE s.{{ input.columns.item_id }} IS NOT NULL
    {%- endif %}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        'rankmetrics_rows_source' ~ number, rankmetrics_sql.rm_source(input),
        'the rows as they were given', 'inlined'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_rows' ~ number, rows, 'the rows under our names', 'inlined'),
]) }}
{% endmacro %}

{#- A question: stages and what is selected from them. -#}
{% macro rm_question(ctes, select) %}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- One row: number of rows, lacking ids, rows without a usable value; and distinct ids, where they are counted. -#}
{% macro rm_check_counts(input, value, distinct=true) %}
{%- set ids = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_id_keys(input)) -%}
{%- set lacking = [] -%}
{%- for column in ids -%}{%- do lacking.append('COUNT(*) - COUNT(' ~ column ~ ')') -%}{%- endfor -%}
{%- set number = 'r.' ~ ('given_position' if value == 'position' else value) -%}
{%- set select -%}
SELECT
    COUNT(*) AS n_rows,
    {{ lacking | join(' + ') }} AS n_lacking_ids,
    COUNT(CASE WHEN {{ rankmetrics_sql.rm_unusable(number) }} THEN 1 END) AS n_unusable,
    {{ 'MAX(r.relevance)' if input.columns.relevance else 'NULL' }} AS highest_grade
    {%- if distinct %},
    COUNT(DISTINCT {{ rankmetrics_sql.rm_fingerprint(ids) }}) AS n_distinct
    {%- endif %}
FROM rankmetrics_rows AS r
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
{% endmacro %}

{#- The condition for one of so many lists, chosen by the hash of their names. -#}
{% macro rm_of_share(list_keys, share, alias='r') %}
{%- set list = rankmetrics_sql.rm_fingerprint(rankmetrics_sql.rm_qualified(alias, list_keys)) -%}
{{ return(list ~ ' % ' ~ share ~ ' = 0') }}
{% endmacro %}

{#-
One row, of a share of the lists: how many there are, their rows, distinct ids, rows that are judged, and lists with
equal scores on both sides of a cutoff.
-#}
{% macro rm_check_share(input, qrels, share, cutoffs, score) %}
{%- set keys = rankmetrics_sql.rm_query_keys(input.columns.query_id) -%}
{%- set list_keys = rankmetrics_sql.rm_list_keys(input) -%}
{%- set list = rankmetrics_sql.rm_qualified('r', list_keys) -%}
{%- set item = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_id_keys(input)) -%}
{%- set same_share = rankmetrics_sql.rm_of_share(keys, share, 'q') if list_keys == keys else none -%}
{%- set columns = rankmetrics_sql.rm_qualified('r', keys + ['item_id']) + [
    {'name': 'list', 'sql': rankmetrics_sql.rm_fingerprint(list)},
    {'name': 'item', 'sql': rankmetrics_sql.rm_fingerprint(item)},
] + ([{'name': 'score', 'sql': score}] if cutoffs else []) -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_rows_1 AS r
    WHERE {{ rankmetrics_sql.rm_of_share(list_keys, share) }}
{%- endset -%}
{%- set select -%}
SELECT
    COUNT(DISTINCT list) AS n_lists,
    COUNT(*) AS n_rows,
    COUNT(DISTINCT item) AS n_distinct,
    {{ rankmetrics_sql.rm_count_judged(keys, same_share) if qrels else 0 }} AS n_judged,
    {{ rankmetrics_sql.rm_count_cut(cutoffs) if cutoffs else 0 }} AS n_cut
FROM rankmetrics_share
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(input, '_1')
    + (rankmetrics_sql.rm_checked_rows(qrels, '_2') if qrels else [])
    + [rankmetrics_sql.rm_cte(
        'rankmetrics_share', rows,
        'the rows of a share of the lists, with the hashes of their list and of their item', 'materialized'
    )] -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#-
One row: how many lists have equal positions, and how many others have positions that are not 1, 2, 3 ... Where lists
are short, those that are in order are told by the sum of the powers of 2 of their positions, and not looked at again:
n powers of 2 add up to 2^(n+1) - 2 only if they are the first n. A DISTINCT of all rows takes several times as long.
-#}
{% macro rm_check_places(input, are_short) %}
{%- set keys = rankmetrics_sql.rm_list_keys(input) -%}
{%- set names = rankmetrics_sql.rm_qualified('r', keys) | join(', ') -%}
{%- set two = rankmetrics_sql.rm_as_double(2) -%}
{%- set place = 'r.given_position' -%}
{%- set whole = place ~ ' BETWEEN 1 AND 50 AND ' ~ place ~ ' = FLOOR(' ~ place ~ ')' -%}
{%- set powers = 'SUM(CASE WHEN ' ~ whole ~ ' THEN POWER(' ~ two ~ ', ' ~ place ~ ') ELSE 0 END)' -%}
{%- set lists %}
    SELECT {{ names }}
    FROM rankmetrics_rows AS r
    GROUP BY {{ names }}
    HAVING COUNT(*) > 50 OR {{ powers }} <> POWER({{ two }}, COUNT(*) + 1) - 2
{%- endset -%}
{%- set select -%}
SELECT
    COUNT(CASE WHEN n_places <> n_rows THEN 1 END) AS n_equal,
    COUNT(CASE WHEN n_places = n_rows AND last_place <> n_rows THEN 1 END) AS n_gaps
FROM (
    SELECT
        COUNT(*) AS n_rows,
        COUNT(DISTINCT {{ place }}) AS n_places,
        MAX({{ place }}) AS last_place
    FROM rankmetrics_rows AS r
    {%- if are_short %}
    INNER JOIN rankmetrics_doubtful AS d ON {{ rankmetrics_sql.rm_same('d', 'r', keys) }}
    {%- endif %}
    GROUP BY {{ names }}
) AS lists
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(
    rankmetrics_sql.rm_checked_rows(input)
        + ([rankmetrics_sql.rm_cte(
            'rankmetrics_doubtful', lists,
            'the lists whose positions may not be 1, 2, 3 and so on'
        )] if are_short else []),
    select
)) }}
{% endmacro %}

{#- One row: the most rows that a query has. -#}
{% macro rm_check_most_rows(input) %}
{%- set keys = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_query_keys(input.columns.query_id)) -%}
{%- set select -%}
SELECT MAX(n_rows)
FROM (
    SELECT COUNT(*) AS n_rows
    FROM rankmetrics_rows AS r
    GROUP BY {{ rankmetrics_sql.rm_fingerprint(keys) }}
) AS queries
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
{% endmacro %}

{#-
One row: how many pairs of a row of the run and a judgment of its query there are, nearly, and both numbers of rows.
Queries are counted by the remainder of a hash; pairs of different queries that share one, one in as many as there are
remainders, are taken off again.
-#}
{% macro rm_check_pairs(run, qrels) %}
{%- set n_remainders = 65536 -%}
{%- set keys = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_query_keys(run.columns.query_id)) -%}
{%- set remainder = rankmetrics_sql.rm_fingerprint(keys) ~ ' % ' ~ n_remainders -%}
{%- set select -%}
SELECT
    SUM(CAST(n_items AS DOUBLE) * n_judged)
        - CAST(SUM(n_items) AS DOUBLE) * SUM(n_judged) / {{ n_remainders }} AS n_pairs,
    SUM(n_items) AS n_items,
    SUM(n_judged) AS n_judged
FROM (
    SELECT SUM(is_item) AS n_items, SUM(is_judgment) AS n_judged
    FROM (
        SELECT {{ remainder }} AS remainder, 1 AS is_item, 0 AS is_judgment FROM rankmetrics_rows_1 AS r
        UNION ALL
        SELECT {{ remainder }} AS remainder, 0 AS is_item, 1 AS is_judgment FROM rankmetrics_rows_2 AS r
    ) AS sides
    GROUP BY remainder
) AS remainders
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(run, '_1') + rankmetrics_sql.rm_checked_rows(qrels, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#- How many rows of the share are judged, by judgments that may be of the same share only. -#}
{% macro rm_count_judged(keys, same_share) %}
{%- set same = rankmetrics_sql.rm_same('q', 'h', keys + ['item_id'])
    ~ (' WHERE ' ~ same_share if same_share is not none else '') -%}
{{ return('(SELECT COUNT(*) FROM rankmetrics_share AS h INNER JOIN rankmetrics_rows_2 AS q ON ' ~ same ~ ')') }}
{% endmacro %}

{#- How many lists of the share have the same score at a cutoff and after it. -#}
{% macro rm_count_cut(cutoffs) %}
{%- set conditions = [] -%}
{%- for k in cutoffs -%}
    {%- do conditions.append('LIST_EXTRACT(best, ' ~ k ~ ') = LIST_EXTRACT(best, ' ~ (k + 1) ~ ')') -%}
{%- endfor -%}
{%- set best = 'SELECT MAX(score, ' ~ (cutoffs | max + 1) ~ ') AS best FROM rankmetrics_share GROUP BY list' -%}
{{ return('(SELECT COUNT(*) FROM (' ~ best ~ ') AS lists WHERE ' ~ conditions | join(' OR ') ~ ')') }}
{% endmacro %}

{#-
One row: of how many lists a judged item has the score of an item whose grade is another, or that is not judged, where
fewer than so many items are above them; wherever they are, if depth is none.
-#}
{% macro rm_check_tied(run, qrels, depth, score) %}
{%- set keys = rankmetrics_sql.rm_query_keys(run.columns.query_id) -%}
{%- set list_keys = rankmetrics_sql.rm_list_keys(run) -%}
{%- set list = rankmetrics_sql.rm_qualified('r', list_keys) | join(', ') -%}
{%- set grade = 'r.relevance' if qrels is none else 'q.relevance' -%}
{%- set judged -%}
    SELECT {{ (keys + ['item_id']) | join(', ') }}, MAX(relevance) AS relevance
        FROM rankmetrics_rows_2
        GROUP BY {{ (keys + ['item_id']) | join(', ') }}
{%- endset -%}
{%- set groups %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_qualified('r', list_keys) + [
            {'name': 'score', 'sql': score},
            {'name': 'n_items', 'sql': 'COUNT(*)'},
            {'name': 'n_judged', 'sql': 'COUNT(' ~ grade ~ ')'},
            {'name': 'n_grades', 'sql': 'COUNT(DISTINCT ' ~ grade ~ ')'},
        ]) }}
    FROM rankmetrics_rows_1 AS r
    {%- if qrels is not none %}
    LEFT JOIN (
        {{ judged | trim }}
    ) AS q ON {{ rankmetrics_sql.rm_same('q', 'r', keys + ['item_id']) }}
    {%- endif %}
    GROUP BY {{ list }}, {{ score }}
{%- endset -%}
{%- set above %}
    SELECT
        {{ rankmetrics_sql.rm_lines(list_keys + ['n_items', 'n_judged', 'n_grades']) }},
        SUM(n_items) OVER (
            PARTITION BY {{ list_keys | join(', ') }}
            ORDER BY score DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) - n_items AS n_above
    FROM rankmetrics_scores
{%- endset -%}
{%- set select -%}
SELECT COUNT(*) AS n_lists
FROM (
    SELECT {{ list_keys | join(', ') }}
    FROM rankmetrics_above
    WHERE n_judged > 0 AND (n_grades > 1 OR n_judged < n_items)
    {%- if depth is not none %} AND n_above < {{ depth }}{% endif %}
    GROUP BY {{ list_keys | join(', ') }}
) AS lists
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(
    rankmetrics_sql.rm_checked_rows(run, '_1')
        + ([] if qrels is none else rankmetrics_sql.rm_checked_rows(qrels, '_2')) + [
            rankmetrics_sql.rm_cte('rankmetrics_scores', groups, 'the items of equal scores in each list'),
            rankmetrics_sql.rm_cte('rankmetrics_above', above, 'how many items are above them'),
        ],
    select
)) }}
{% endmacro %}

{% macro rm_unusable(number) %}
{{ return(number ~ ' IS NULL OR ' ~ rankmetrics_sql.rm_is_nan(number)) }}
{% endmacro %}

{#- The groups of rows that agree in some columns and that a condition on the group holds for. -#}
{% macro rm_check_groups_of(input, keys, columns, condition, share=1) %}
{%- set names = rankmetrics_sql.rm_qualified('r', keys) | join(', ') -%}
{%- set select -%}
SELECT {{ (rankmetrics_sql.rm_qualified('r', keys) + columns) | join(', ') }}
FROM rankmetrics_rows AS r
{%- if share > 1 %}
WHERE {{ rankmetrics_sql.rm_of_share(rankmetrics_sql.rm_list_keys(input), share) }}
{%- endif %}
GROUP BY {{ names }}
HAVING {{ condition }}
ORDER BY {{ names }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
{% endmacro %}

{#- The ids that stand in more than one row, in one of so many lists. -#}
{% macro rm_check_duplicates(input, share=1) %}
{{ return(rankmetrics_sql.rm_check_groups_of(
    input, rankmetrics_sql.rm_id_keys(input), ['COUNT(*) AS n_rows'], 'COUNT(*) > 1', share
)) }}
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

{#- One row: of how many lists, or of how many queries, a condition on their rows holds. -#}
{% macro rm_check_count(input, keys, condition) %}
{%- set names = rankmetrics_sql.rm_qualified('r', keys) | join(', ') -%}
{%- set select -%}
SELECT COUNT(*) AS n_groups
FROM (
    SELECT {{ names }}
    FROM rankmetrics_rows AS r
    GROUP BY {{ names }}
    HAVING {{ condition }}
) AS g
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
{% endmacro %}

{#- The first ids in a relation, by bytes. -#}
{% macro rm_check_ids(input, keys) %}
{%- set names = rankmetrics_sql.rm_qualified('r', keys) | join(', ') -%}
{%- set select = 'SELECT ' ~ names ~ '\nFROM rankmetrics_rows AS r\nGROUP BY ' ~ names ~ '\nORDER BY ' ~ names -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
{% endmacro %}

{#- One row: aggregates over all rows. -#}
{% macro rm_check_totals(input, totals) %}
{%- set select = 'SELECT ' ~ totals | join(', ') ~ '\nFROM rankmetrics_rows AS r' -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
{% endmacro %}

{#- The rows that a condition holds for, as they stand in the user's relation s: their ids and one more column. -#}
{% macro rm_check_rows(input, value, condition) %}
{%- set columns = [] -%}
{%- set ids = [input.columns.run_id] + input.columns.query_id + [input.columns.item_id, input.columns.subtopic] -%}
{%- for column in ids if column -%}{%- do columns.append(rankmetrics_sql.rm_key(input, column)) -%}{%- endfor -%}
{%- set of_items = value in [input.columns.score, input.columns.position, input.columns.relevance] -%}
{%- set has_item = 's.' ~ input.columns.item_id ~ ' IS NOT NULL' -%}
{%- set select -%}
SELECT {{ (columns + ['s.' ~ value]) | join(', ') }}
FROM {{ rankmetrics_sql.rm_computed(input) }} AS s
WHERE {{ has_item ~ ' AND (' ~ condition ~ ')' if input.optional_ids and of_items else condition }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

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

{#- How many of the first k places have an item, in the lists of the queries of another relation. -#}
{% macro rm_check_filled(run, others, k) %}
{%- set lists = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_list_keys(run)) | join(', ') -%}
{%- set names = rankmetrics_sql.rm_query_keys(run.columns.query_id) -%}
{%- set select -%}
SELECT SUM({{ rankmetrics_sql.rm_lesser('n_items', k) }}) AS n_places
FROM (
    SELECT {{ lists }}, COUNT(*) AS n_items
    FROM rankmetrics_rows_1 AS r
    INNER JOIN (SELECT DISTINCT {{ names | join(', ') }} FROM rankmetrics_rows_2) AS q ON
        {{- ' ' ~ rankmetrics_sql.rm_same('q', 'r', names) }}
    GROUP BY {{ lists }}
) AS lists
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(run, '_1') + rankmetrics_sql.rm_checked_rows(others, '_2') -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
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

{#-
A row for each arm, and group, whether the arms have as many units as their shares say or not: the test
sample_ratio_is_even of what they were asked, of which severity 2 is a mismatch. A unit is a query, or the cluster that
it is of; the others say which queries count. Runs and others are records {input, columns}: of the groups the columns
that are theirs, by name. keys are the names of those that are the unit, none for the query; groups of the others.
-#}
{% macro rm_check_sample_ratio(runs, others, keys, groups, shares) %}
{%- set of_query = rankmetrics_sql.rm_query_keys(runs[0].input.columns.query_id) -%}
{%- set ctes, arms, joins, found = [], [], [], {} -%}
{%- for side in runs + others -%}
    {%- set number = '_' ~ loop.index -%}
    {%- set names = rankmetrics_sql.rm_qualified('r', of_query) -%}
    {%- set own = names + rankmetrics_sql.rm_each('MAX(r.', side.columns.keys() | list) -%}
    {%- set is_run = loop.index <= runs | length -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(side.input, number, side.columns, true)) -%}
    {%- if is_run -%}
        {%- set arm = 'r.run_id' if side.input.columns.run_id else rankmetrics_sql.rm_string(side.input.name) -%}
        {%- set names = names + (['r.run_id'] if side.input.columns.run_id else []) -%}
        {%- do arms.append('SELECT ' ~ rankmetrics_sql.rm_lines(own + [{'name': 'arm', 'sql': arm}], 12)
            ~ ' FROM rankmetrics_rows' ~ number ~ ' AS r GROUP BY ' ~ names | join(', ')) -%}
    {%- else -%}
        {%- do joins.append('INNER JOIN (SELECT ' ~ rankmetrics_sql.rm_lines(own, 12) ~ ' FROM rankmetrics_rows'
            ~ number ~ ' AS r GROUP BY ' ~ names | join(', ') ~ ') AS o' ~ number ~ ' ON '
            ~ rankmetrics_sql.rm_same('o' ~ number, 'a', of_query)) -%}
    {%- endif -%}
    {%- for name in side.columns -%}
        {%- do found.update({name: ('a' if is_run else 'o' ~ number) ~ '.' ~ name}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set unit = [] -%}
{%- for key in keys or of_query -%}{%- do unit.append(found.get(key, 'a.' ~ key)) -%}{%- endfor -%}
{%- set columns = unit + ['a.arm'] -%}
{%- for group in groups -%}{%- do columns.append(found[group]) -%}{%- endfor -%}
{%- set units %}
    SELECT DISTINCT {{ columns | join(', ') }}
    FROM (
        {{ arms | join('\n        UNION ALL ') }}
    ) AS a
    {{ joins | join('\n    ') }}
    WHERE {{ rankmetrics_sql.rm_all_known(unit + ['a.arm']) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_sample_ratio(
    'sample_ratio_is_even',
    ctes + [rankmetrics_sql.rm_cte('rankmetrics_test_queries', units, 'the units of each arm')],
    keys or of_query,
    groups,
    shares,
    {'error_below': rankmetrics_sql.rm_sample_ratio_level(), 'warn_below': 2}
)) }}
{% endmacro %}
