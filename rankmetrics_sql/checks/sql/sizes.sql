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
