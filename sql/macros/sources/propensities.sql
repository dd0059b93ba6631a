{#- How likely people look at each position, by what they clicked there. -#}

{#-
The propensity of each position, that of the first being 1: how likely people look at it. Where the same item was shown
for the same query at several positions, what differs is the position (Agarwal et al. 2019, WSDM). NULL where no pair
says anything, and with adjacent_chain below such a position.

columns       what the user calls item, position, relevance, and query: what was asked for, or a list of columns; it is
              no request, which shows an item once
method        'adjacent_chain': each position against the one above; 'pivot_one': each against the first
n_pairs       in the result: how many queries and items were shown at both
-#}
{% macro propensities(relation, columns=none, method='adjacent_chain', rel=1) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_columns_of_clicks(columns) -%}
{%- if method not in ['adjacent_chain', 'pivot_one'] -%}
    {%- do rankmetrics_sql.rm_raise('method is one of adjacent_chain, pivot_one, not '
        ~ rankmetrics_sql.rm_written_value(method) ~ '.') -%}
{%- endif -%}
{%- set chained = method == 'adjacent_chain' -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.query_id) | map(attribute='name') | list + ['item_id'] -%}
{%- set pair = 'PARTITION BY ' ~ keys | join(', ') -%}
{%- set above = pair ~ ' ORDER BY place ASC ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING' -%}
{%- set rate = 'rate' if chained else 'CASE WHEN place = 1 THEN rate END' -%}
{%- set beside %}
    SELECT
        place,
        rate,
        MAX({{ rate }}) OVER ({{ above if chained else pair }}) AS rate_beside,
        {{ 'MAX(place) OVER (' ~ above ~ ')' if chained else '1' }} AS place_beside
    FROM rankmetrics_rates
{%- endset -%}
{%- set ratios %}
    SELECT
        place,
        SUM(rate) / NULLIF(SUM(rate_beside), 0) AS ratio,
        COUNT(*) AS n_pairs
    FROM rankmetrics_with_reference_rates
    WHERE place > 1 AND place_beside = {{ 'place - 1' if chained else '1' }} AND rate_beside IS NOT NULL
    GROUP BY place
{%- endset -%}
{%- set down = 'ORDER BY place ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set known = 'CASE WHEN ratio > 0 THEN ratio END' -%}
{%- set product = rankmetrics_sql.rm_exp('SUM(LN(' ~ known ~ ')) OVER (' ~ down ~ ')') -%}
{%- set whole = 'COUNT(' ~ known ~ ') OVER (' ~ down ~ ') = place - 1' -%}
{%- set select -%}
SELECT
    place AS position,
    {{ rankmetrics_sql.rm_as_double('1') }} AS propensity,
    COUNT(*) AS n_pairs
FROM rankmetrics_rates
WHERE place = 1
GROUP BY place
UNION ALL
SELECT
    place AS position,
    {{ 'CASE WHEN ' ~ whole ~ ' THEN ' ~ product ~ ' END' if chained else 'ratio' }} AS propensity,
    n_pairs
FROM rankmetrics_ratios
ORDER BY position ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_click_rates(relation, own, rel) + [
        rankmetrics_sql.rm_cte(
            'rankmetrics_with_reference_rates', beside,
            'each click rate beside that of the same query and item one position higher' if chained
                else 'each click rate beside that of the same query and item at position 1'
        ),
        rankmetrics_sql.rm_cte(
            'rankmetrics_ratios', ratios,
            'the ratio of the click rates at each position to those one position higher' if chained
                else 'the ratio of the click rates at each position to those at position 1'
        ),
    ]
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- What the user calls what they read. -#}
{% macro rm_columns_of_clicks(columns) %}
{{ return(rankmetrics_sql.rm_source_columns({
    'query_id': 'query', 'item_id': 'item_id', 'position': 'position', 'relevance': 'relevance',
}, columns)) }}
{% endmacro %}

{#- rates: of each query and item at each position, the share of its impressions there that were clicked. -#}
{% macro rm_click_rates(relation, own, rel) %}
{%- set item = rankmetrics_sql.rm_over_row(own.item_id) -%}
{%- set place = rankmetrics_sql.rm_over_row(own.position) -%}
{%- set columns = rankmetrics_sql.rm_source_keys(own.query_id)
    + [{'name': 'item_id', 'sql': item}, {'name': 'place', 'sql': place}] -%}
{%- set rates %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        AVG({{ rankmetrics_sql.rm_was_clicked(own.relevance, rel) }}) AS rate
    FROM rankmetrics_impressions AS s
    WHERE {{ rankmetrics_sql.rm_all_known(columns | map(attribute='sql')) }}
    GROUP BY {{ columns | map(attribute='sql') | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_impressions(relation) + [rankmetrics_sql.rm_cte(
    'rankmetrics_rates', rates,
    'the share of the impressions that were clicked, by query, item and position'
)]) }}
{% endmacro %}
