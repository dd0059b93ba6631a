{#-
Google Analytics 4's export: from_events for lists that were viewed. A view_item_list event is a request; an action is
about the last view of its item in that list by that visitor before it. Rows of the last 72 hours may still change.

events      the export: one row per event, with the list items of structures
grades      {event_name: grade}; a click is a select_item
within      the seconds that an action may come after the view
mapping     how items and event_params are kept: 'struct', or 'json', as a type or as text
propensity  how likely people look at a position: {position: propensity}, as propensities() estimates it
value       the field of an item that has what the action is worth, such as item_revenue_in_usd
types       as for from_events; click is also select_item
columns     {'text': ...}, for collapse, what the export calls the search text; by default the parameter search_term of
            a view_item_list event is it. The views of one list collapse
others      as for from_events
-#}
{% macro from_ga4(
    events, grades={'select_item': 1}, grade='highest', within=1800, position_base='auto', requests='all',
    mapping='struct', context=[], half_life=none, propensity=none, where=none, value='item_revenue', types=[],
    amounts=true, seconds=true, columns=none, collapse=none, collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_ga4_log(
    events, grades, grade, position_base, requests, mapping, context, within, half_life, propensity, where,
    value, types, amounts, seconds, columns, collapse, collapse_within
))) }}
{% endmacro %}

{#- As quality_of_events: each item of an event is a row; impressions are those of view_item_list. -#}
{% macro quality_of_ga4(
    events, grades={'select_item': 1}, grade='highest', within=1800, position_base='auto', requests='all',
    mapping='struct', context=[], half_life=none, where=none, types=[], columns=none, collapse=none,
    collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_ga4_log(
    events, grades, grade, position_base, requests, mapping, context, within, half_life, where=where,
    types=types, amounts=false, columns=columns, collapse=collapse, collapse_within=collapse_within
))) }}
{% endmacro %}

{% macro rm_ga4_log(
    events, grades, grade, position_base, requests, mapping, context=[], within=none, half_life=none, propensity=none,
    where=none, value=none, types=[], amounts=true, seconds=true, columns=none, collapse=none, collapse_within=10
) %}
{%- set own = rankmetrics_sql.rm_source_columns({'text': none}, columns) -%}
{%- set search_text = rankmetrics_sql.rm_optional_column(own.text) if collapse is not none else none -%}
{%- set reads_terms = collapse is not none and search_text is none -%}
{%- set is_worth = types and amounts -%}
{%- set items = rankmetrics_sql.rm_records('s.items', mapping) -%}
{%- set list -%}
COALESCE({{ rankmetrics_sql.rm_ga4_field(items, 'item_list_id') }},
            {{ rankmetrics_sql.rm_ga4_field(items, 'item_list_name') }}, '')
{%- endset -%}
{%- set index = rankmetrics_sql.rm_ga4_field(items, 'item_list_index') -%}
{%- set place = 'CAST(' ~ index ~ ' AS ' ~ rankmetrics_sql.rm_integer_type() ~ ')' -%}
{%- set columns = [
    {'name': 'event_name', 'sql': 's.event_name'},
    {'name': 'visitor', 'sql': 's.user_pseudo_id'},
    {'name': 'who', 'sql': rankmetrics_sql.rm_concatenated(['s.user_pseudo_id', "':'", list])},
    {'name': 'list_id', 'sql': list},
    {'name': 'moment', 'sql': rankmetrics_sql.rm_moment_of_microseconds('s.event_timestamp')},
    {'name': 'item_id', 'sql': rankmetrics_sql.rm_ga4_field(items, 'item_id')},
    {'name': 'place', 'sql': place},
] + ([{'name': 'worth', 'sql': rankmetrics_sql.rm_field(items, value)}] if is_worth else [])
    + rankmetrics_sql.rm_there({'search_text': search_text}) + rankmetrics_sql.rm_context(context) -%}
{%- set of_items -%}
SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_export AS s
    {{ items.join }}
{%- endset -%}
{%- set of_actions = rankmetrics_sql.rm_of_actions('ga4') -%}
{%- set kept = rankmetrics_sql.rm_where_clause(where, requests, '\n    WHERE ' ~ of_actions ~ ' OR (', ')') -%}
{{ return(rankmetrics_sql.rm_log(
    events, events, {
        'request': ['visitor', 'moment', 'list_id'], 'position': 'place', 'type': 'event_name', 'time': 'moment',
        'user': 'who', 'value': 'worth' if is_worth else none, 'text': 'search_text',
    },
    grades, grade, 'user', within, position_base, requests, half_life, context=context, propensity=propensity,
    before=[
        rankmetrics_sql.rm_cte('rankmetrics_export', 'SELECT * FROM ' ~ events ~ kept, 'the events of the export'),
        rankmetrics_sql.rm_cte('rankmetrics_items', of_items, 'a row for each item of each event'),
    ] + ([rankmetrics_sql.rm_ga4_texts(mapping)] if reads_terms else []),
    impressions_select='SELECT * FROM rankmetrics_items' ~ (
        ' AS i\n    LEFT JOIN rankmetrics_texts AS t ON t.searcher = i.visitor AND t.searched_at = i.moment'
        if reads_terms else ''
    ) ~ "\n    WHERE event_name = 'view_item_list'",
    events_select='SELECT * FROM rankmetrics_items\n    WHERE ' ~ of_actions,
    types=types, amounts=amounts, seconds=seconds, aliases=rankmetrics_sql.rm_aliases_of_types('ga4'),
    collapse=collapse, collapse_within=collapse_within
)) }}
{% endmacro %}

{#- texts: what each view of lists was searched for, by visitor and moment; digits alone are a number in the export. -#}
{% macro rm_ga4_texts(mapping) %}
{%- set fields = rankmetrics_sql.rm_records('s.event_params', mapping) -%}
{%- set number = rankmetrics_sql.rm_field(fields, ['value', 'int_value']) -%}
{%- set known -%}
COALESCE({{ rankmetrics_sql.rm_field(fields, ['value', 'string_value']) }}, CAST({{ number }} AS {{
    rankmetrics_sql.rm_text_type() }}))
{%- endset -%}
{%- set is_text = rankmetrics_sql.rm_field(fields, 'key') ~ " = 'search_term'" -%}
{%- set moment = rankmetrics_sql.rm_moment_of_microseconds('s.event_timestamp') -%}
{%- set texts %}
    {{ rankmetrics_sql.rm_select([
        {'name': 'searcher', 'sql': 's.user_pseudo_id'}, {'name': 'searched_at', 'sql': moment},
        {'name': 'search_text', 'sql': 'MIN(CASE WHEN ' ~ is_text ~ ' THEN ' ~ known ~ ' END)'},
    ]) }}
    FROM rankmetrics_export AS s
    {{ fields.join }}
    WHERE s.event_name = 'view_item_list'
    GROUP BY s.user_pseudo_id, s.event_timestamp
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_texts', texts, 'the search text of each view of lists')) }}
{% endmacro %}

{#- A field of an item, which is text that may say that there is none. -#}
{% macro rm_ga4_field(items, name) %}
{{ return('NULLIF(' ~ rankmetrics_sql.rm_field(items, name) ~ ", '(not set)')") }}
{% endmacro %}
