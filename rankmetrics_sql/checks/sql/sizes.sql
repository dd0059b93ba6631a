{#- How large the inputs are: what decides how they are checked and ranked. -#}

{#- A row for each relation: its number among them, how many rows it has, and roughly how many lists; in DuckDB. -#}
{% macro rm_check_sizes(inputs) %}
{%- set ctes, selects = [], [] -%}
{%- for input in inputs -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(input, '_' ~ loop.index)) -%}
    {%- set list = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_list_keys(input)) -%}
    {%- set n_lists = 'APPROX_COUNT_DISTINCT(' ~ rankmetrics_sql.rm_fingerprint(list) ~ ')' -%}
    {%- do selects.append(
        'SELECT ' ~ loop.index ~ ' AS input_no, COUNT(*) AS n_rows, ' ~ n_lists ~ ' AS n_lists'
        ~ '\nFROM rankmetrics_rows_' ~ loop.index ~ ' AS r'
    ) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_question(ctes, selects | join('\nUNION ALL\n'))) }}
{% endmacro %}

{#-
One row, of a share of the lists: how many there are, their rows, distinct ids, rows that are judged, the judgments of
their queries, and, with ``ties`` as ``rm_tied_lists`` takes them, lists in which equal scores decide a value, of the
queries of every relation of ``among``.
-#}
{% macro rm_check_share(input, qrels, share, ties, among) %}
{%- set keys = rankmetrics_sql.rm_query_keys(input.columns.query_id) -%}
{%- set list_keys = rankmetrics_sql.rm_list_keys(input) -%}
{%- set own_grade = input.columns.relevance and qrels is none -%}
{%- set list = rankmetrics_sql.rm_fingerprint(rankmetrics_sql.rm_qualified('r', list_keys)) -%}
{%- set item = rankmetrics_sql.rm_fingerprint(rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_id_keys(input))) -%}
{%- set columns = rankmetrics_sql.rm_qualified('r', keys + ['item_id'])
    + [{'name': 'list', 'sql': list}, {'name': 'item', 'sql': item}]
    + (['r.score'] if ties else []) + (['r.relevance'] if ties and own_grade else []) -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_rows_1 AS r
    WHERE {{ rankmetrics_sql.rm_of_share(list_keys, share) }}
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_checked_rows(input, '_1') + [rankmetrics_sql.rm_cte(
    'rankmetrics_share', rows, 'the rows of a share of the lists, with the hashes of their list and of their item',
    'materialized'
)] -%}
{%- if qrels is not none -%}
    {%- set of_queries = 'INNER JOIN (SELECT DISTINCT ' ~ keys | join(', ') ~ ' FROM rankmetrics_share) AS s ON '
        ~ rankmetrics_sql.rm_same('s', 'r', keys) -%}
    {%- set of_share = 'WHERE ' ~ rankmetrics_sql.rm_of_share(keys, share) -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(qrels, '_2')) -%}
    {%- do ctes.append(rankmetrics_sql.rm_checked_grades(
        'rankmetrics_rows_2 AS r\n    ' ~ (of_share if list_keys == keys else of_queries), keys, 'materialized'
    )) -%}
{%- endif -%}
{%- set counts = [
    {'name': 'n_lists', 'sql': 'COUNT(DISTINCT list)'},
    {'name': 'n_rows', 'sql': 'COUNT(*)'},
    {'name': 'n_distinct', 'sql': 'COUNT(DISTINCT item)'},
] -%}
{%- if qrels is none -%}
    {%- do counts.extend([{'name': 'n_judged', 'sql': 0}, {'name': 'n_judgments', 'sql': 0}]) -%}
{%- else -%}
    {%- do counts.append({'name': 'n_judged', 'sql': '(SELECT COUNT(*) FROM rankmetrics_share AS h'
        ~ ' INNER JOIN rankmetrics_grades AS q ON ' ~ rankmetrics_sql.rm_same('q', 'h', keys + ['item_id']) ~ ')'}) -%}
    {%- do counts.append({'name': 'n_judgments', 'sql': '(SELECT COUNT(*) FROM rankmetrics_grades)'}) -%}
{%- endif -%}
{%- if ties -%}
    {%- set counted = rankmetrics_sql.rm_counted_queries(among, keys, 'l', 3) -%}
    {%- set of_list = ['list'] + (keys if among else []) -%}
    {%- set lists = rankmetrics_sql.rm_tied_lists(of_list, ties) -%}
    {%- set items = rankmetrics_sql.rm_tied_items(
        'rankmetrics_share', rankmetrics_sql.rm_qualified('r', of_list), keys, ties.score,
        'r.relevance' if own_grade else 'NULL' if qrels is none else none, none
    ) -%}
    {%- do ctes.extend(counted.ctes + [
        rankmetrics_sql.rm_cte('rankmetrics_tied_items', items, 'the items of each list, with their grades'),
    ] + lists.ctes) -%}
    {%- do counts.append({'name': 'n_tied', 'sql': '(SELECT COUNT(DISTINCT l.list) FROM rankmetrics_above AS l'
        ~ counted.joins ~ ' WHERE ' ~ lists.decides ~ ')'}) -%}
{%- else -%}
    {%- do counts.append({'name': 'n_tied', 'sql': 0}) -%}
{%- endif -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(counts) }}
FROM rankmetrics_share
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
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

{#-
How many of the first k places have an item, in the lists of the queries that count: those of every relation of
``among``, a list of {input, condition}. A row for each run, with its name, which is empty for the only one. Lists are
counted before they are joined, which takes half as long.
-#}
{% macro rm_check_filled(run, among, k, is_repeated) %}
{%- set keys = rankmetrics_sql.rm_query_keys(run.columns.query_id) -%}
{%- set lists = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_list_keys(run)) | join(', ') -%}
{%- set n_items = 'COUNT(DISTINCT r.item_id)' if is_repeated else 'COUNT(r.item_id)' -%}
{%- set counted = rankmetrics_sql.rm_counted_queries(among, keys, 'l', 2) -%}
{%- set select -%}
SELECT
    {{ 'l.run_id' if run.columns.run_id else "'' AS run_id" }},
    SUM({{ rankmetrics_sql.rm_lesser('n_items', k) }}) AS n_places
FROM (
    SELECT {{ lists }}, {{ n_items }} AS n_items
    FROM rankmetrics_rows_1 AS r
    GROUP BY {{ lists }}
) AS l
{{- counted.joins }}
{%- if run.columns.run_id %}
GROUP BY l.run_id
{%- else %}
HAVING COUNT(*) > 0
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(run, '_1') + counted.ctes, select)) }}
{% endmacro %}

{#- The joins that leave the rows of the queries that count, and the stages that they read, numbered from ``first``. -#}
{% macro rm_counted_queries(among, keys, alias, first) %}
{%- set ctes, joins = [], [] -%}
{%- for one in among -%}
    {%- set number = loop.index0 + first -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(one.input, '_' ~ number)) -%}
    {%- set where = '' if one.condition is none else ' WHERE ' ~ one.condition -%}
    {%- set names = rankmetrics_sql.rm_qualified('r', keys) | join(', ') -%}
    {%- do joins.append(
        '\nINNER JOIN (SELECT DISTINCT ' ~ names ~ ' FROM rankmetrics_rows_' ~ number ~ ' AS r' ~ where ~ ') AS q'
        ~ number ~ ' ON ' ~ rankmetrics_sql.rm_same('q' ~ number, alias, keys)
    ) -%}
{%- endfor -%}
{{ return({'ctes': ctes, 'joins': joins | join}) }}
{% endmacro %}
