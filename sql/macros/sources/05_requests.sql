{#- The table of all requests of a log, which knows those that showed nothing, and says more of the others. -#}

{#- logged: the requests of their table, each once, with what it says of them. -#}
{% macro rm_logged(log) %}
{%- if log.requests != 'logged' -%}{{ return([]) }}{%- endif -%}
{%- if log.queries is none -%}{%- do rankmetrics_sql.rm_refuse_queries() -%}{%- endif -%}
{%- set columns = log.queries_keys | list -%}
{%- for column in log.queries_context -%}
    {%- set known = 'MIN(' ~ rankmetrics_sql.rm_nullable(column.sql) ~ ')' -%}
    {%- do columns.append({'name': column.name, 'sql': known}) -%}
{%- endfor -%}
{%- set keys = log.queries_keys | map(attribute='sql') | list -%}
{%- set logged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_logged_source AS s
    WHERE {{ rankmetrics_sql.rm_all_known(keys) }}{{ rankmetrics_sql.rm_not_typed(log, keys) }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_logged_source(log)] + rankmetrics_sql.rm_typed(log) + [
    rankmetrics_sql.rm_cte('rankmetrics_logged', logged, 'the requests in that table, with its columns for each'),
]) }}
{% endmacro %}

{% macro rm_logged_source(log) %}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_logged_source', 'SELECT * FROM ' ~ log.queries, 'the table of all requests as given'
)) }}
{% endmacro %}

{#-
two_values: of each column of the queries that is a group, the requests with two values of it, in their table or in the
impressions, with both.
-#}
{% macro rm_two_values(log) %}
{%- set of_rows = log.context | map(attribute='name') | list -%}
{%- set stages = [] -%}
{%- for column in log.queries_context if column.role == 'group' -%}
    {%- set keys = log.queries_keys | map(attribute='sql') | list -%}
    {%- set two %}
    SELECT {{ log.names | join(', ') }}, MIN(named) AS lowest, MAX(named) AS highest
    FROM (
        {{ rankmetrics_sql.rm_select(log.queries_keys + [{'name': 'named', 'sql': column.sql}], 8) }}
        FROM rankmetrics_logged_source AS s
        WHERE {{ rankmetrics_sql.rm_all_known(keys) }}{{ rankmetrics_sql.rm_not_typed(log, keys) }}
    {%- if column.name in of_rows %}
        UNION ALL
        SELECT {{ log.names | join(', ') }}, {{ column.name }} AS named
        FROM rankmetrics_usable
    {%- endif %}
    ) AS both_tables
    GROUP BY {{ log.names | join(', ') }}
    HAVING MIN(named) <> MAX(named)
    {%- endset -%}
    {%- do stages.append(rankmetrics_sql.rm_cte(
        'rankmetrics_two_values_' ~ loop.index, two, 'the requests with two values of ' ~ column.name
    )) -%}
{%- endfor -%}
{{ return(stages) }}
{% endmacro %}

{#- A row without an item for each of the two values of such a request. -#}
{% macro rm_rows_of_two_values(log) %}
{%- set rows = [] -%}
{%- for column in log.queries_context if column.role == 'group' -%}
    {%- set stage = 'rankmetrics_two_values_' ~ loop.index -%}
    {%- for value in ['lowest', 'highest'] -%}
        {%- set columns = rankmetrics_sql.rm_columns_from('t', log.names) + rankmetrics_sql.rm_nulls(['item_id'])
            + [{'name': 'position', 'sql': '0'}, {'name': 'relevance', 'sql': '0'}] -%}
        {%- for name in rankmetrics_sql.rm_handed_on(log) | map(attribute='name') -%}
            {%- do columns.append({'name': name, 'sql': 't.' ~ value if name == column.name else 'NULL'}) -%}
        {%- endfor -%}
        {%- do columns.extend(rankmetrics_sql.rm_handed_numbers(log)) -%}
        {%- do rows.append('\nUNION ALL\n' ~ rankmetrics_sql.rm_select(columns, 0) ~ '\nFROM ' ~ stage ~ ' AS t') -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(rows | join) }}
{% endmacro %}

{#- What is handed on: what the table of requests says of a request, else what its impressions say. -#}
{% macro rm_handed_on(log) %}
{%- set of_queries = log.queries_context | map(attribute='name') | list -%}
{%- set of_rows = log.context | map(attribute='name') | list -%}
{%- set columns = [] -%}
{%- for name in (of_rows + of_queries) | unique -%}
    {%- set both = 'COALESCE(q.' ~ name ~ ', i.' ~ name ~ ')' -%}
    {%- set own = both if name in of_rows and name in of_queries else ('i.' if name in of_rows else 'q.') ~ name -%}
    {%- do columns.append({'name': name, 'sql': own}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- A row without an item for each request of the table that stage, the requests with impressions, lacks. -#}
{% macro rm_unanswered(log, stage) %}
{%- if log.requests != 'logged' -%}{{ return('') }}{%- endif -%}
{%- set of_queries = log.queries_context | map(attribute='name') | list -%}
{%- set columns = rankmetrics_sql.rm_columns_from('q', log.names) + rankmetrics_sql.rm_nulls(['item_id', 'position'])
    + [{'name': 'relevance', 'sql': '0'}] -%}
{%- for name in rankmetrics_sql.rm_handed_on(log) | map(attribute='name') -%}
    {%- set known = name in of_queries -%}
    {%- do columns.extend(rankmetrics_sql.rm_columns_from('q', [name]) if known
        else rankmetrics_sql.rm_nulls([name])) -%}
{%- endfor -%}
{%- do columns.extend(rankmetrics_sql.rm_handed_numbers(log)) -%}
{%- set unanswered %}
UNION ALL
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM rankmetrics_logged AS q
WHERE NOT EXISTS (
    SELECT 1
    FROM {{ stage }} AS i
    WHERE {{ rankmetrics_sql.rm_same('i', 'q', log.names) }}
){{ rankmetrics_sql.rm_of_one_arm(log, alias='q') if stage == 'rankmetrics_shown_items' }}
{%- endset -%}
{{ return(unanswered) }}
{% endmacro %}
