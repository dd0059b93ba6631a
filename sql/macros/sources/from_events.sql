{#-
A log of what was shown and of what people did with it: a row per item shown, with its position from 1 and the grade of
the actions that are credited to it, 0 where there are none. Of an item shown twice in a request the lowest position
counts. 02_log.sql says what the arguments mean; columns maps request, item, position, type, time, user, application,
dwell and propensity to what the user calls them, or to SQL over the row. A column is the same in the events where there
is no 'events.item' and the like, and in the queries where there is no 'queries.request'. request_column and the like
are aliases; propensity_column may be {position: propensity}, too.
-#}
{% macro from_events(
    impressions, events, request_column=none, item_column=none, position_column=none, type_column=none,
    time_column=none, user_column=none, application_column=none, event_request_column=none, event_item_column=none,
    event_time_column=none, event_user_column=none, grades={'click': 1}, grade='highest', attribution='request',
    within=none, position_base='auto', requests='all', half_life=none, dwell_column=none, min_dwell=none, context=[],
    propensity_column=none, queries=none, query_column=none, queries_context=[], columns=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('from_events', kwargs, rankmetrics_sql.rm_log_arguments()
    + ['queries', 'queries_context']) -%}
{%- set own = rankmetrics_sql.rm_event_columns(columns, {
    'request': request_column, 'item_id': item_column, 'position': position_column, 'type': type_column,
    'time': time_column, 'user': user_column, 'application': application_column, 'dwell': dwell_column,
    'events.request': event_request_column, 'events.item_id': event_item_column, 'events.time': event_time_column,
    'events.user': event_user_column, 'propensity': propensity_column, 'queries.request': query_column,
}) -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_log(
    impressions, events, own.request, own.item_id, own.position, own.type, grades, grade, attribution, position_base,
    requests, own.time, own.user, own.application, own['events.request'], own['events.item_id'], own['events.time'],
    own['events.user'], within, half_life, own.dwell, min_dwell, context, own.propensity, queries,
    own['queries.request'], queries_context
))) }}
{% endmacro %}

{#- What both macros of a log take beside the aliases of columns, for messages. -#}
{% macro rm_log_arguments() %}
{{ return([
    'impressions', 'events', 'columns', 'context', 'grades', 'grade', 'attribution', 'within', 'position_base',
    'requests', 'half_life', 'min_dwell',
]) }}
{% endmacro %}

{#- Of both inputs, how many rows are used, and how many are set aside for which reason: the first that applies. -#}
{% macro quality_of_events(
    impressions, events, request_column=none, item_column=none, position_column=none, type_column=none,
    time_column=none, user_column=none, application_column=none, event_request_column=none, event_item_column=none,
    event_time_column=none, event_user_column=none, grades={'click': 1}, grade='highest', attribution='request',
    within=none, position_base='auto', requests='all', half_life=none, dwell_column=none, min_dwell=none, context=[],
    columns=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('quality_of_events', kwargs, rankmetrics_sql.rm_log_arguments()) -%}
{%- set own = rankmetrics_sql.rm_event_columns(columns, {
    'request': request_column, 'item_id': item_column, 'position': position_column, 'type': type_column,
    'time': time_column, 'user': user_column, 'application': application_column, 'dwell': dwell_column,
    'events.request': event_request_column, 'events.item_id': event_item_column, 'events.time': event_time_column,
    'events.user': event_user_column,
}) -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_log(
    impressions, events, own.request, own.item_id, own.position, own.type, grades, grade, attribution, position_base,
    requests, own.time, own.user, own.application, own['events.request'], own['events.item_id'], own['events.time'],
    own['events.user'], within, half_life, own.dwell, min_dwell, context
))) }}
{% endmacro %}

{#- The columns of a log by what they mean; the same in the events, and in the queries, where these have no own one. -#}
{% macro rm_event_columns(columns, named) %}
{{ return(rankmetrics_sql.rm_source_columns({
    'request': 'request_id', 'item_id': 'item_id', 'position': 'position', 'type': 'event_type', 'time': none,
    'user': none, 'application': none, 'dwell': none, 'propensity': none, 'events.request': none,
    'events.item_id': none, 'events.time': none, 'events.user': none, 'queries.request': none,
}, columns, named)) }}
{% endmacro %}

{#- The rows: what was shown, with the grades of its actions; and one without an item for what showed nothing. -#}
{% macro rm_events_select(log) %}
{%- set names = log.names + ['item_id'] -%}
{%- set handed_on = rankmetrics_sql.rm_handed_on(log) -%}
{%- set columns = rankmetrics_sql.rm_columns_from('i', names + ['position']) + [
    {'name': 'relevance', 'sql': 'COALESCE(a.grade, 0)'},
] + handed_on + rankmetrics_sql.rm_columns_from('i', ['propensity'] if log.propensity is not none else []) -%}
{%- if log.propensities -%}
    {%- set branches = [] -%}
    {%- for position, p in log.propensities.items() -%}
        {%- do branches.append('WHEN ' ~ position ~ ' THEN ' ~ rankmetrics_sql.rm_number(p)) -%}
    {%- endfor -%}
    {%- do columns.append({'name': 'propensity', 'sql': rankmetrics_sql.rm_case(branches, 'i.position', 4)}) -%}
{%- endif -%}
{%- set select -%}
{{ rankmetrics_sql.rm_select(columns, 0) }}
FROM rankmetrics_shown_items AS i
LEFT JOIN rankmetrics_graded AS a ON {{ rankmetrics_sql.rm_same('a', 'i', names) }}
{%- if log.queries_context %}
LEFT JOIN rankmetrics_logged AS q ON {{ rankmetrics_sql.rm_same('q', 'i', log.names) }}
{%- endif %}
{%- if log.requests == 'clicked' %}
WHERE EXISTS (
    SELECT 1
    FROM rankmetrics_graded AS g
    WHERE {{ rankmetrics_sql.rm_same('g', 'i', log.names) }}
)
{%- endif %}
{{- rankmetrics_sql.rm_last_groups(log, 'rankmetrics_graded') }}
{{- rankmetrics_sql.rm_unanswered(log, 'rankmetrics_shown_items') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_shown_items(log) + rankmetrics_sql.rm_named_actions(log)
    + (rankmetrics_sql.rm_last_shown(log) if log.attribution == 'user' else []) + [rankmetrics_sql.rm_graded(log)]
    + rankmetrics_sql.rm_logged(log)
) ~ '\n\n' ~ select) }}
{% endmacro %}
