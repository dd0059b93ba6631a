{#-
Snowplow's table snowplow_ecommerce_product_interactions: from_events for lists that were viewed and what followed. A
view of a list is a request; an action is about the last view of its product by that visitor before it.

interactions     one row per product of an event
grades           {ecommerce_action_type: grade}; a click is a list_click
within           the seconds that an action may come after the view
columns          {'user': ..., 'value': ..., 'text': ...}: who saw it and acted; what an action is worth, its price
                 times its quantity unless named; for collapse, the search text of a view, which Snowplow's own lacks
types            as for from_events; click and purchase are also list_click and transaction
propensity       how likely people look at a position: {position: propensity}, as propensities() estimates it
others           as for from_events
-#}
{% macro from_snowplow(
    interactions, columns=none, grades={'list_click': 1}, grade='highest', within=1800, position_base='auto',
    requests='all', context=[], half_life=none, propensity=none, where=none, types=[], amounts=true, seconds=true,
    collapse=none, collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_snowplow_log(
    interactions, columns, grades, grade, position_base, requests, context, within, half_life, propensity, where,
    types, amounts, seconds, collapse, collapse_within
))) }}
{% endmacro %}

{#- As quality_of_events: impressions are views of lists, events all other interactions. -#}
{% macro quality_of_snowplow(
    interactions, columns=none, grades={'list_click': 1}, grade='highest', within=1800, position_base='auto',
    requests='all', context=[], half_life=none, where=none, types=[], collapse=none, collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_snowplow_log(
    interactions, columns, grades, grade, position_base, requests, context, within, half_life, where=where,
    types=types, collapse=collapse, collapse_within=collapse_within
))) }}
{% endmacro %}

{% macro rm_snowplow_log(
    interactions, columns, grades, grade, position_base, requests, context=[], within=none, half_life=none,
    propensity=none, where=none, types=[], amounts=true, seconds=true, collapse=none, collapse_within=10
) %}
{%- set own = rankmetrics_sql.rm_source_columns({
    'user': 'domain_userid', 'value': none, 'currency': none, 'text': none,
}, columns) -%}
{%- set worth = rankmetrics_sql.rm_as_double('s.product_price') ~ ' * COALESCE('
    ~ rankmetrics_sql.rm_as_double('s.product_quantity') ~ ', 1)' -%}
{%- set rows = 'SELECT * FROM ' ~ interactions ~ '\n    WHERE ' -%}
{{ return(rankmetrics_sql.rm_log(
    interactions, interactions, {
        'request': 'event_id', 'item': 'product_id', 'position': 'product_list_position',
        'type': 'ecommerce_action_type', 'time': 'derived_tstamp', 'user': own.user, 'application': 'app_id',
        'value': own.value or worth, 'currency': own.currency, 'text': own.text,
    },
    grades, grade, 'user', within, position_base, requests, half_life, context=context, propensity=propensity,
    impressions_select=rows ~ "ecommerce_action_type = 'list_view'"
        ~ rankmetrics_sql.rm_where_clause(where, requests, ' AND (', ')'),
    events_select=rows ~ rankmetrics_sql.rm_of_actions('snowplow'), types=types, amounts=amounts, seconds=seconds,
    aliases=rankmetrics_sql.rm_aliases_of_types('snowplow'), collapse=collapse, collapse_within=collapse_within
)) }}
{% endmacro %}
