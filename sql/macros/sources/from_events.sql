{#-
A log of what was shown and of what people did with it: a row per item shown, with its position from 1 and the grade of
the actions that are credited to it, 0 where there are none. Of an item shown twice in a request the lowest position
counts. 02_log.sql says what the arguments mean; columns maps request, item, position, type, time, user, application,
dwell and propensity to what the user calls them, or to SQL over the row. A column is the same in the events where there
is no 'events.item' and the like, and in the queries where there is no 'queries.request'. propensity has one for each
position, {position: propensity}, in place of a column. where is a condition over a row of the impressions: others are
not read. types names types of actions that the rows count beside grades, as metrics with type= read them: actions_TYPE;
amount_TYPE with the column value of the events, and seconds_TYPE with the column time, unless amounts or seconds are
false. collapse='typing' makes one request, the last one's, of searches of a user of which each begins with the text of
the one before and comes at most collapse_within seconds later: columns then maps text, user and time.
-#}
{% macro from_events(
    impressions, events, columns=none, grades={'click': 1}, grade='highest', attribution='request', within=none,
    position_base='auto', requests='all', half_life=none, min_dwell=none, context=[], propensity=none,
    queries=none, queries_context=[], where=none, types=[], amounts=true, seconds=true,
    collapse=none, collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_of_log('from_events', kwargs, [
    'propensity', 'queries_context', 'amounts', 'seconds',
]) -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_log(
    impressions, events, columns, grades, grade, attribution, within, position_base, requests, half_life, min_dwell,
    context, propensity, queries, queries_context,
    impressions_select=rankmetrics_sql.rm_rows_where(impressions, where, requests), types=types, seconds=seconds,
    amounts=amounts, collapse=collapse, collapse_within=collapse_within
))) }}
{% endmacro %}

{#- Refuses what neither macro of a log takes; more has what one of them takes beside the rest. -#}
{% macro rm_refuse_of_log(macro, others, more=[]) %}
{%- do rankmetrics_sql.rm_refuse_others(macro, others, [
    'impressions', 'events', 'columns', 'grades', 'grade', 'attribution', 'within', 'position_base', 'requests',
    'half_life', 'min_dwell', 'context', 'where', 'types', 'collapse', 'collapse_within', 'queries',
] + more, rankmetrics_sql.rm_event_columns(none)) -%}
{% endmacro %}

{#- Of both inputs, how many rows are used, and how many are set aside for which reason: the first that applies. -#}
{% macro quality_of_events(
    impressions, events, columns=none, grades={'click': 1}, grade='highest', attribution='request', within=none,
    position_base='auto', requests='all', half_life=none, min_dwell=none, context=[], where=none, types=[],
    collapse=none, collapse_within=10, queries=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_of_log('quality_of_events', kwargs) -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_log(
    impressions, events, columns, grades, grade, attribution, within, position_base, requests, half_life, min_dwell,
    context, impressions_select=rankmetrics_sql.rm_rows_where(impressions, where, requests), types=types,
    queries=queries, collapse=collapse, collapse_within=collapse_within
))) }}
{% endmacro %}

{#- The rows of a relation for which a condition is true, as a statement; none where there is no condition. -#}
{% macro rm_rows_where(relation, where, requests) %}
{%- if where is none -%}{{ return(none) }}{%- endif -%}
{{ return('SELECT * FROM ' ~ relation ~ rankmetrics_sql.rm_where_clause(where, requests)) }}
{% endmacro %}

{#- A condition over impressions behind FROM, or between other words; nothing where there is no condition. -#}
{% macro rm_where_clause(where, requests, before='\n    WHERE ', after='') %}
{%- if where is none -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_checked_where(where, requests) -%}
{{ return(before ~ where ~ after) }}
{% endmacro %}

{#- What is true of the rows of a schema that say what was done, where one table has them beside what was shown. -#}
{% macro rm_of_actions(schema) %}
{{ return({
    'ubi': "action_name <> 'impression' OR action_name IS NULL",
    'snowplow': "ecommerce_action_type <> 'list_view' OR ecommerce_action_type IS NULL",
    'ga4': "event_name <> 'view_item_list'",
}[schema]) }}
{% endmacro %}

{#- Refuses a condition that is none, or that other tables would have to obey, too. -#}
{% macro rm_checked_where(where, requests) %}
{%- do rankmetrics_sql.rm_refuse_expression(where ~ '', 'where') -%}
{%- if requests == 'logged' -%}
    {%- do rankmetrics_sql.rm_raise('where leaves out impressions, and requests=logged would count their requests as'
        ~ ' empty. Pass queries in place of both tables: SELECT * FROM ... WHERE ' ~ where) -%}
{%- endif -%}
{% endmacro %}

{#- The columns of a log by what they mean; the same in the events, and in the queries, where these have no own one. -#}
{% macro rm_event_columns(columns) %}
{{ return(rankmetrics_sql.rm_source_columns({
    'request': 'request_id', 'item_id': 'item_id', 'position': 'position', 'type': 'event_type', 'time': none,
    'user': none, 'application': none, 'dwell': none, 'propensity': none, 'value': none, 'currency': none,
    'events.request': none, 'events.item_id': none, 'events.time': none, 'events.user': none,
    'queries.request': none, 'text': none, 'queries.user': none, 'queries.time': none, 'queries.text': none,
}, columns)) }}
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
{%- do columns.extend(rankmetrics_sql.rm_handed_numbers(log, 'a')) -%}
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
    WHERE {{ 'g.grade IS NOT NULL AND ' if log.types }}{{ rankmetrics_sql.rm_same('g', 'i', log.names) }}
)
{%- endif %}
{{- rankmetrics_sql.rm_last_groups(log, 'rankmetrics_graded') }}
{{- rankmetrics_sql.rm_unanswered(log, 'rankmetrics_shown_items') }}
{{- rankmetrics_sql.rm_rows_of_two_values(log) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_shown_items(log) + rankmetrics_sql.rm_named_actions(log)
    + (rankmetrics_sql.rm_last_shown(log) if log.attribution == 'user' else []) + rankmetrics_sql.rm_graded(log)
    + rankmetrics_sql.rm_logged(log) + rankmetrics_sql.rm_two_values(log)
) ~ '\n\n' ~ select) }}
{% endmacro %}
