{#-
Snowplow's table snowplow_ecommerce_product_interactions: from_events for lists that were viewed and what followed. A
view of a list is a request; an action is about the last view of its product by that visitor before it.

interactions     one row per product of an event
grades           {ecommerce_action_type: grade}; a click is a list_click
within           the seconds that an action may come after the view
user_column      who saw it and acted
propensity       how likely people look at a position: {position: propensity}, as propensities() estimates it
others           as for from_events
-#}
{% macro from_snowplow(
    interactions, grades={'list_click': 1}, grade='highest', within=1800, user_column='domain_userid',
    position_base='auto', requests='all', context=[], half_life=none, propensity=none
) %}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_snowplow_log(
    interactions, grades, grade, within, user_column, position_base, requests, context, half_life, propensity
))) }}
{% endmacro %}

{#- As quality_of_events: impressions are views of lists, events all other interactions. -#}
{% macro quality_of_snowplow(
    interactions, grades={'list_click': 1}, grade='highest', within=1800, user_column='domain_userid',
    position_base='auto', requests='all', context=[], half_life=none
) %}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_snowplow_log(
    interactions, grades, grade, within, user_column, position_base, requests, context, half_life
))) }}
{% endmacro %}

{% macro rm_facts_of_snowplow(
    interactions, grades={'list_click': 1}, grade='highest', within=1800, user_column='domain_userid',
    position_base='auto', requests='all', context=[], half_life=none
) %}
{{ return(rankmetrics_sql.rm_select_facts(rankmetrics_sql.rm_snowplow_log(
    interactions, grades, grade, within, user_column, position_base, requests, context, half_life
))) }}
{% endmacro %}

{% macro rm_snowplow_log(
    interactions, grades, grade, within, user_column, position_base, requests, context, half_life, propensity=none
) %}
{%- set log = rankmetrics_sql.rm_log(
    interactions, interactions, 'event_id', 'product_id', 'product_list_position', 'ecommerce_action_type',
    'derived_tstamp', user_column, 'app_id', none, none, none, none, grades, grade, 'user', within, position_base,
    requests, context, half_life, none, none,
    rankmetrics_sql.rm_by_position(propensity)
) -%}
{%- set type = 'ecommerce_action_type' -%}
{%- do log.update({
    'impressions_select': 'SELECT * FROM ' ~ interactions ~ '\n    WHERE ' ~ type ~ " = 'list_view'",
    'events_select': 'SELECT * FROM ' ~ interactions
        ~ '\n    WHERE ' ~ type ~ " <> 'list_view' OR " ~ type ~ ' IS NULL',
}) -%}
{{ return(log) }}
{% endmacro %}
