{#-
Lists of items in columns of arrays, one row per query: a row per item with its place from 1. Of an item that a list
names twice the first place counts, and what is NULL is no item.

relation      one row per query with the list
columns       what the user calls items, the list, best item first, and query, or a list of columns
context       more columns to hand on
empty_lists   whether there is a row without an item for each list, so that empty ones are known, and what is handed on
-#}
{% macro from_lists(relation, columns=none, context=[], empty_lists=false) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_list_columns('items', columns) -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.query_id) -%}
{%- set others = rankmetrics_sql.rm_context(context) -%}
{%- set items = rankmetrics_sql.rm_items_of_lists(own['items'], keys, others, 'place', 'MIN(place)', 'position') -%}
{%- set select -%}
{{ items.select }}
{%- if empty_lists %}
UNION ALL
{{ rankmetrics_sql.rm_lists_without_items(keys, others, rankmetrics_sql.rm_nulls(['position'])) }}
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with([rankmetrics_sql.rm_lists_given(relation)] + items.stages) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
Lists of relevant items as judgments: grade 1 for each. An empty list is that of a judged query without a relevant item,
which a row without an item stands for. A NULL says nothing.
-#}
{% macro judgments_from_lists(relation, columns=none, context=[]) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_list_columns('relevant', columns) -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.query_id) -%}
{%- set others = rankmetrics_sql.rm_context(context) -%}
{%- set items = rankmetrics_sql.rm_items_of_lists(own.relevant, keys, others, '1', '1', 'relevance') -%}
{%- set list = rankmetrics_sql.rm_over_row(own.relevant) -%}
{%- set select -%}
{{ items.select }}
UNION ALL
{{ rankmetrics_sql.rm_lists_without_items(
    keys, others, [{'name': 'relevance', 'sql': '0'}], rankmetrics_sql.rm_is_empty(list)
) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with([rankmetrics_sql.rm_lists_given(relation)] + items.stages) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- How many items of the lists are used, and how many are not and why; a list that is NULL is a row of its own. -#}
{% macro quality_of_lists(relation, columns=none) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_source_columns({'query_id': 'query_id', 'items': none, 'relevant': none}, columns) -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.query_id) -%}
{%- set ctes = [rankmetrics_sql.rm_lists_given(relation)] -%}
{%- set inputs = [] -%}
{%- for name, column in [['items', own['items']], ['relevant', own.relevant]] if column is not none -%}
    {%- set stage = 'rankmetrics_' ~ name -%}
    {%- do ctes.append(rankmetrics_sql.rm_list_elements(column, keys, stage ~ '_elements')) -%}
    {%- do ctes.append(rankmetrics_sql.rm_list_reasons(column, keys, stage)) -%}
    {%- do inputs.append({'name': name, 'stage': stage}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ rankmetrics_sql.rm_select_quality(inputs)) }}
{% endmacro %}

{#-
A row without an item for each list, or for each of which a condition holds. They are grouped: PostgreSQL takes a NULL
below DISTINCT for text.
-#}
{% macro rm_lists_without_items(keys, others, more, condition=none, stage='rankmetrics_lists') %}
{%- set known = rankmetrics_sql.rm_all_known(keys | map(attribute='sql')) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(keys + others + rankmetrics_sql.rm_nulls(['item_id']) + more, 4) }}
FROM {{ stage }} AS s
WHERE {{ condition ~ ' AND ' if condition is not none }}{{ known }}
GROUP BY {{ (keys + others) | map(attribute='sql') | join(', ') }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- Nothing but the user's relation, which may bring a name of its own. -#}
{% macro rm_lists_given(relation) %}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_lists', 'SELECT * FROM ' ~ relation, 'the lists as given',
    rankmetrics_sql.rm_hint_of_table(relation)
)) }}
{% endmacro %}

{#-
The items of the lists, each once for a query and what else is handed on: the stages, and the select over them. Beside
the item it has a column of this name, of the first element or of all elements that name the item. Engines that can look
for an item in its list need not group those of short lists, of which a query has one.
-#}
{% macro rm_items_of_lists(column, keys, others, of_first, of_all, name) %}
{%- set list = rankmetrics_sql.rm_over_row(column) -%}
{%- set found = rankmetrics_sql.rm_first_elements(list) -%}
{%- set grouped = (keys + others) | map(attribute='name') | list + ['item_id'] -%}
{%- set known = rankmetrics_sql.rm_all_known(keys | map(attribute='name') | list + ['item_id']) -%}
{%- set all %}
SELECT
    {{ rankmetrics_sql.rm_lines(grouped, 4) }},
    {{ of_all }} AS {{ name }}
FROM rankmetrics_elements
WHERE {{ known }}
GROUP BY {{ grouped | join(', ') }}
{%- endset -%}
{%- if found is none -%}
    {{ return({
        'stages': [rankmetrics_sql.rm_list_elements(column, keys + others)],
        'select': all | trim,
    }) }}
{%- endif -%}
{%- set first %}
SELECT
    {{ rankmetrics_sql.rm_lines(grouped, 4) }},
    {{ of_first }} AS {{ name }}
FROM rankmetrics_short_lists
WHERE {{ known }} AND place = first_place
UNION ALL
{%- endset -%}
{%- set regrouped %}
    {{ rankmetrics_sql.rm_select(keys) }}
    FROM rankmetrics_lists AS s
    WHERE {{ rankmetrics_sql.rm_all_known(keys | map(attribute='sql')) }}
    GROUP BY {{ (keys + others) | map(attribute='sql') | join(', ') }}
    HAVING COUNT(*) > 1 OR MAX({{ found.length }}) > {{ found.longest }}
{%- endset -%}
{%- set given = keys | map(attribute='sql') | join(', ') -%}
{%- set query = given if keys | length == 1 else '(' ~ given ~ ')' -%}
{%- set among = ' IN (SELECT ' ~ keys | map(attribute='name') | join(', ') ~ ' FROM rankmetrics_regrouped)' -%}
{{ return({
    'stages': [
        rankmetrics_sql.rm_cte(
            'rankmetrics_regrouped', regrouped,
            'the queries with several lists, or with one of more than ' ~ found.longest ~ ' items'
        ),
        rankmetrics_sql.rm_list_elements(
            column, keys + others, condition=query ~ among,
            about='a row for each element of their lists, with its place'
        ),
        rankmetrics_sql.rm_list_elements(
            column, keys + others + [{'name': 'first_place', 'sql': found.first_place}], 'rankmetrics_short_lists',
            query ~ ' NOT' ~ among,
            'a row for each element of the other lists, with its place and the first of its item'
        ),
    ],
    'select': first | trim ~ all,
}) }}
{% endmacro %}

{#- elements: one row per element of the lists, or of those that a condition chooses. -#}
{% macro rm_list_elements(
    column, columns, stage='rankmetrics_elements', condition=none,
    about='a row for each element of each list, with its place'
) %}
{%- set elements = rankmetrics_sql.rm_elements(rankmetrics_sql.rm_over_row(column)) -%}
{%- set own = [
    {'name': 'item_id', 'sql': rankmetrics_sql.rm_nullable(elements.element)}, {'name': 'place', 'sql': elements.place},
] -%}
{%- set sql %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns + own) }}
    FROM rankmetrics_lists AS s
    {%- if elements.join is not none %}
    {{ elements.join }}
    {%- endif %}
    {%- if condition is not none %}
    WHERE {{ condition }}
    {%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(stage, sql, about)) }}
{% endmacro %}

{#- Each element with what became of it, and each list that is NULL. -#}
{% macro rm_list_reasons(column, keys, stage) %}
{%- set names = keys | map(attribute='name') | list -%}
{%- set list = rankmetrics_sql.rm_over_row(column) -%}
{%- set sql %}
    SELECT
        CASE
            WHEN {{ rankmetrics_sql.rm_any_unknown(names) }} THEN 'no query'
            WHEN item_id IS NULL THEN 'no item'
            WHEN nth > 1 THEN 'repeated item'
            ELSE 'used'
        END AS reason
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(names + ['item_id'], 12) }},
            ROW_NUMBER() OVER (PARTITION BY {{ (names + ['item_id']) | join(', ') }} ORDER BY place ASC) AS nth
        FROM {{ stage }}_elements
    ) AS numbered
    UNION ALL
    SELECT 'no list' AS reason
    FROM rankmetrics_lists AS s
    WHERE {{ list }} IS NULL
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(stage, sql, 'whether each element is used, or why it is set aside')) }}
{% endmacro %}

{#- The columns of a source of lists: what names a query, and the list. -#}
{% macro rm_list_columns(list, columns) %}
{%- set own = rankmetrics_sql.rm_source_columns({'query_id': 'query_id', list: none}, columns) -%}
{%- if own[list] is none -%}
    {%- do rankmetrics_sql.rm_raise("which column has the lists? Name it: columns={'" ~ list ~ "': ...}.") -%}
{%- endif -%}
{{ return(own) }}
{% endmacro %}
