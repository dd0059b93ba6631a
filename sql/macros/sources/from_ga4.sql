{#-
Google Analytics 4's export: from_events for lists that were viewed. A view_item_list event is a request; an action is
about the last view of its item in that list by that visitor before it. Rows of the last 72 hours may still change.

events     the export: one row per event, with the list items of structures
grades     {event_name: grade}; a click is a select_item
within     the seconds that an action may come after the view
others     as for from_events
-#}
{% macro from_ga4(
    events, grades={'select_item': 1}, grade='highest', within=1800, position_base='auto', requests='all', context=[]
) %}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_ga4_log(
    events, grades, grade, within, position_base, requests, context
))) }}
{% endmacro %}

{#- As quality_of_events: each item of an event is a row; impressions are those of view_item_list. -#}
{% macro quality_of_ga4(
    events, grades={'select_item': 1}, grade='highest', within=1800, position_base='auto', requests='all', context=[]
) %}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_ga4_log(
    events, grades, grade, within, position_base, requests, context
))) }}
{% endmacro %}

{% macro rm_ga4_log(events, grades, grade, within, position_base, requests, context) %}
{%- set log = rankmetrics_sql.rm_log(
    events, events, ['visitor', 'moment', 'list_id'], 'item_id', 'place', 'event_name', 'moment', 'who', none, none,
    none, none, none, grades, grade, 'user', within, position_base, requests, context
) -%}
{%- set items = rankmetrics_sql.rm_elements('s.items') -%}
{%- set list -%}
COALESCE({{ rankmetrics_sql.rm_field(items.element, 'item_list_id') }},
            {{ rankmetrics_sql.rm_field(items.element, 'item_list_name') }}, '')
{%- endset -%}
{%- set place = rankmetrics_sql.rm_field(items.element, 'item_list_index') -%}
{%- set columns = [
    {'name': 'event_name', 'sql': 's.event_name'},
    {'name': 'visitor', 'sql': 's.user_pseudo_id'},
    {'name': 'who', 'sql': 's.user_pseudo_id || ' ~ "':' || " ~ list},
    {'name': 'list_id', 'sql': list},
    {'name': 'moment', 'sql': rankmetrics_sql.rm_moment_of_microseconds('s.event_timestamp')},
    {'name': 'item_id', 'sql': rankmetrics_sql.rm_field(items.element, 'item_id')},
    {'name': 'place', 'sql': 'CAST(' ~ place ~ ' AS INTEGER)'},
] + log.context -%}
{%- set of_items -%}
SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_export AS s
    {{ items.join }}
{%- endset -%}
{%- do log.update({
    'before': [
        rankmetrics_sql.rm_cte('rankmetrics_export', 'SELECT * FROM ' ~ events),
        rankmetrics_sql.rm_cte('rankmetrics_items', of_items),
    ],
    'impressions_select': "SELECT * FROM rankmetrics_items\n    WHERE event_name = 'view_item_list'",
    'events_select': "SELECT * FROM rankmetrics_items\n    WHERE event_name <> 'view_item_list'",
}) -%}
{{ return(log) }}
{% endmacro %}
