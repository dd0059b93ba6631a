{#-
Another run as judgments: an item's relevance is 1 over its rank there, for metrics that compare two rankings (jaccard,
rbo). Equal scores are ordered by the bytes of the items' names, the last first, as trec_eval does.

relation  the run
columns   what the user calls query and item; score, what it is ordered by, the highest first; position, what it is
          ordered by instead, the lowest first
context   more columns to hand on
-#}
{% macro judgments_from_run(relation, columns=none, context=[]) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_source_columns({
    'query_id': 'query_id', 'item_id': 'item_id', 'score': 'score', 'position': none,
}, columns) -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.query_id) -%}
{%- set item = rankmetrics_sql.rm_over_row(own.item_id) -%}
{%- set by_position = own.position is not none -%}
{%- set order = rankmetrics_sql.rm_over_row(own.position if by_position else own.score) -%}
{%- set place -%}
ROW_NUMBER() OVER (
        PARTITION BY {{ keys | map(attribute='sql') | join(', ') }}
        ORDER BY {{ order }} {{ 'ASC NULLS FIRST' if by_position else 'DESC NULLS LAST' }}, {{
            rankmetrics_sql.rm_text(item) }} DESC NULLS LAST
    )
{%- endset -%}
{%- set known = rankmetrics_sql.rm_all_known(keys | map(attribute='sql') | list + [item, order]) -%}
{%- set columns = keys + [
    {'name': 'item_id', 'sql': item},
    {'name': 'relevance', 'sql': '1 / ' ~ rankmetrics_sql.rm_as_double(place)},
] -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns + rankmetrics_sql.rm_context(context), 4) }}
FROM rankmetrics_reference AS s
WHERE {{ known }}
{%- endset -%}
{%- set given = rankmetrics_sql.rm_cte(
    'rankmetrics_reference', 'SELECT * FROM ' ~ relation,
    'the other run as given'
) -%}
{{ return(rankmetrics_sql.rm_with([given]) ~ '\n\n' ~ select) }}
{% endmacro %}
