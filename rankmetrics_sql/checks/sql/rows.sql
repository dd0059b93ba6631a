{#- Rows without an id or a value, rows that stand twice, and rows whose order nothing says. -#}

{#-
A row for each of some relations, ``{input, value, distinct}``: its number among them, and of its rows how many there
are, lack ids, lack a usable value; the highest and the lowest grade; and distinct ids, all rows where they are not
counted.
-#}
{% macro rm_check_counts(asked) %}
{%- set ctes, selects = [], [] -%}
{%- for one in asked -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(one.input, '_' ~ loop.index)) -%}
    {%- do selects.append(rankmetrics_sql.rm_counts(one.input, one.value, one.distinct, loop.index)) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_question(ctes, selects | join('\nUNION ALL\n'))) }}
{% endmacro %}

{#- The counts of one of the relations. -#}
{% macro rm_counts(input, value, distinct, input_no) %}
{%- set ids = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_id_keys(input)) -%}
{%- set lacking = [] -%}
{%- for column in ids -%}{%- do lacking.append('COUNT(*) - COUNT(' ~ column ~ ')') -%}{%- endfor -%}
{%- set number = 'r.' ~ ('given_position' if value == 'position' else value) -%}
{%- set no_grade = rankmetrics_sql.rm_as_double('NULL') -%}
{%- set select -%}
SELECT
    {{ input_no }} AS input_no,
    COUNT(*) AS n_rows,
    {{ lacking | join(' + ') }} AS n_lacking_ids,
    COUNT(CASE WHEN {{ rankmetrics_sql.rm_unusable(number) }} THEN 1 END) AS n_unusable,
    {{ 'MAX(r.relevance)' if input.columns.relevance else no_grade }} AS highest_grade,
    {{ 'MIN(r.relevance)' if input.columns.relevance else no_grade }} AS lowest_grade,
    {{ 'COUNT(DISTINCT ' ~ rankmetrics_sql.rm_fingerprint(ids) ~ ')' if distinct else 'COUNT(*)' }} AS n_distinct
FROM rankmetrics_rows_{{ input_no }} AS r
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The ids that stand in more than one row, in one of so many lists. -#}
{% macro rm_check_duplicates(input, share=1) %}
{{ return(rankmetrics_sql.rm_check_groups_of(
    input, rankmetrics_sql.rm_id_keys(input), ['COUNT(*) AS n_rows'], 'COUNT(*) > 1', share
)) }}
{% endmacro %}

{#- One row: how many lists have equal positions, each at least 1 and whole; in DuckDB. -#}
{% macro rm_check_shared_places(input) %}
{%- set names = rankmetrics_sql.rm_qualified('r', rankmetrics_sql.rm_list_keys(input)) | join(', ') -%}
{%- set select -%}
SELECT COUNT(CASE WHEN n_places <> n_rows THEN 1 END) AS n_equal
FROM (
    SELECT COUNT(*) AS n_rows, {{ rankmetrics_sql.rm_distinct_by_bits('r.given_position') }} AS n_places
    FROM rankmetrics_rows AS r
    GROUP BY {{ names }}
) AS lists
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
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

{#- How many rows there are, with those that stand for lists without an item. -#}
{% macro rm_check_all_rows(input) %}
{{ return(rankmetrics_sql.rm_question(
    rankmetrics_sql.rm_checked_rows(input, every=true), 'SELECT COUNT(*) AS n_rows\nFROM rankmetrics_rows'
)) }}
{% endmacro %}
