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
    interactions, grades={'list_click': 1}, grade='highest', within=1800, user_column=none,
    position_base='auto', requests='all', context=[], half_life=none, propensity=none, columns=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_source_columns({'user': 'domain_userid'}, columns, {'user': user_column}) -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_snowplow_log(
    interactions, grades, grade, own.user, position_base, requests, context, within, half_life, propensity
))) }}
{% endmacro %}

{#- As quality_of_events: impressions are views of lists, events all other interactions. -#}
{% macro quality_of_snowplow(
    interactions, grades={'list_click': 1}, grade='highest', within=1800, user_column=none,
    position_base='auto', requests='all', context=[], half_life=none, columns=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_source_columns({'user': 'domain_userid'}, columns, {'user': user_column}) -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_snowplow_log(
    interactions, grades, grade, own.user, position_base, requests, context, within, half_life
))) }}
{% endmacro %}

{% macro rm_snowplow_log(
    interactions, grades, grade, user_column, position_base, requests, context=[], within=none, half_life=none,
    propensity=none
) %}
{%- set rows = 'SELECT * FROM ' ~ interactions ~ '\n    WHERE ' -%}
{%- set type = 'ecommerce_action_type' -%}
{{ return(rankmetrics_sql.rm_log(
    interactions, interactions, 'event_id', 'product_id', 'product_list_position', type, grades, grade, 'user',
    position_base, requests, time_column='derived_tstamp', user_column=user_column, application_column='app_id',
    within=within, half_life=half_life, context=context,
    propensity_column=rankmetrics_sql.rm_by_position(propensity),
    impressions_select=rows ~ type ~ " = 'list_view'",
    events_select=rows ~ type ~ " <> 'list_view' OR " ~ type ~ ' IS NULL'
)) }}
{% endmacro %}
