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

{#- How many rows there are, with those that stand for lists without an item. -#}
{% macro rm_check_all_rows(input) %}
{{ return(rankmetrics_sql.rm_question(
    rankmetrics_sql.rm_checked_rows(input, every=true), 'SELECT COUNT(*) AS n_rows\nFROM rankmetrics_rows'
)) }}
{% endmacro %}
