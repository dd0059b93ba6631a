{#- What every check begins with: the rows of the user's relations under our names, and conditions on them. -#}

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
    {%- set column = input.columns[meaning] -%}
    {%- set is_exact = meaning in ['score', 'position'] and column in input.exact -%}
    {%- set number = 's.' ~ column if is_exact else rankmetrics_sql.rm_as_double('s.' ~ column) -%}
    {%- set number = rankmetrics_sql.rm_null_for_nan(number) if meaning in ['weight', 'covariate'] else number -%}
    {%- do columns.append({'name': name, 'sql': number}) -%}
{%- endfor -%}
{%- for name, column in groups.items() -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_group_key(input, column)}) -%}
{%- endfor -%}
{%- set stage = 'rankmetrics_rows_source' ~ number -%}
{%- set source = rankmetrics_sql.rm_read(input, stage, 'the rows as they were given', 'inlined') -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ source.name }} AS s
    {%- if input.optional_ids and not every %}
    WHERE s.{{ input.columns.item_id }} IS NOT NULL
    {%- endif %}
{%- endset -%}
{{ return(source.stages + [
    rankmetrics_sql.rm_cte('rankmetrics_rows' ~ number, rows, 'the rows under our names', 'inlined'),
]) }}
{% endmacro %}

{#- What stands behind FROM for a user's relation: expressions over its row are computed in brackets. -#}
{% macro rm_computed(input) %}
{%- if not input.expressions -%}{{ return(input.relation) }}{%- endif -%}
{{ return('(\n' ~ rankmetrics_sql.rm_source(input) ~ '\n)') }}
{% endmacro %}

{#- A question: stages and what is selected from them. -#}
{% macro rm_question(ctes, select) %}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- The condition for one of so many lists, chosen by the hash of their names. -#}
{% macro rm_of_share(list_keys, share, alias='r') %}
{%- set list = rankmetrics_sql.rm_fingerprint(rankmetrics_sql.rm_qualified(alias, list_keys)) -%}
{{ return(list ~ ' % ' ~ share ~ ' = 0') }}
{% endmacro %}

{% macro rm_unusable(number) %}
{{ return(number ~ ' IS NULL OR ' ~ rankmetrics_sql.rm_is_nan(number)) }}
{% endmacro %}

{#- One row: aggregates over all rows. -#}
{% macro rm_check_totals(input, totals) %}
{%- set select = 'SELECT ' ~ totals | join(', ') ~ '\nFROM rankmetrics_rows AS r' -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input), select)) }}
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
