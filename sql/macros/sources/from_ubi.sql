{#-
User Behavior Insights 1.3 (OpenSearch, Solr, Elasticsearch): from_events for its two tables. A row per item shown, with
its position and the grade of what was done with it in the same search.

queries, events   ubi_queries and ubi_events
impressions       'events': actions called impression say what was shown. 'hits': the lists of hits of the queries do,
                  where nothing records impressions; the two are never mixed
mapping           how event_attributes is kept: 'struct', 'json', or 'flat' for columns whose names have dots
propensity        how likely people look at a position: {position: propensity}, as propensities() estimates it
has_application   whether events say their application, which the schema leaves open: positions begin where its do
queries_context   for requests='logged', the columns of the queries to hand on, as in from_events
columns           {'value': ...}, what an event is worth; for collapse, 'queries.text', 'queries.user' and
                  'queries.time', what the queries call user_query, client_id and timestamp
grades ...        the rules of from_events; where is over a row of the queries for 'hits'
-#}
{% macro from_ubi(
    queries, events, grades={'click': 1}, grade='highest', within=none, position_base='auto', requests='all',
    impressions='events', mapping='struct', context=[], half_life=none, propensity=none, queries_context=[],
    has_application=true, where=none, columns=none, types=[], amounts=true, seconds=true, collapse=none,
    collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_ubi_log(
    queries, events, grades, grade, position_base, requests, impressions, mapping, has_application, context, within,
    half_life, propensity, queries_context, where, columns, types, amounts, seconds, collapse, collapse_within
))) }}
{% endmacro %}

{#- As quality_of_events: impressions are the actions of that name, events all others. -#}
{% macro quality_of_ubi(
    queries, events, grades={'click': 1}, grade='highest', within=none, position_base='auto', requests='all',
    impressions='events', mapping='struct', context=[], half_life=none, has_application=true,
    where=none, columns=none, types=[], collapse=none, collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_ubi_log(
    queries, events, grades, grade, position_base, requests, impressions, mapping, has_application, context, within,
    half_life, where=where, columns=columns, types=types, collapse=collapse, collapse_within=collapse_within
))) }}
{% endmacro %}

{% macro rm_ubi_log(
    queries, events, grades, grade, position_base, requests, impressions, mapping, has_application=true, context=[],
    within=none, half_life=none, propensity=none, queries_context=[], where=none, columns=none, types=[], amounts=true,
    seconds=true, collapse=none, collapse_within=10
) %}
{%- set own = rankmetrics_sql.rm_source_columns({
    'value': none, 'currency': none, 'queries.user': 'client_id', 'queries.time': 'timestamp',
    'queries.text': 'user_query',
}, columns) -%}
{%- if impressions not in ['events', 'hits'] or mapping not in ['struct', 'json', 'flat'] -%}
    {%- do rankmetrics_sql.rm_raise(
        'impressions is events or hits, and mapping struct, json or flat; not ' ~ impressions ~ ' and ' ~ mapping ~ '.'
    ) -%}
{%- endif -%}
{%- set item = rankmetrics_sql.rm_ubi_attribute(mapping, ['object', 'object_id']) -%}
{%- set ordinal = rankmetrics_sql.rm_ubi_attribute(mapping, ['position', 'ordinal']) -%}
{%- set number = 'CAST(' ~ ordinal ~ ' AS ' ~ rankmetrics_sql.rm_integer_type() ~ ')' -%}
{%- set place = number if mapping == 'json' else ordinal -%}
{%- set by_hits = impressions == 'hits' -%}
{%- set rows = 'SELECT * FROM ' ~ events ~ '\n    WHERE ' -%}
{%- set is_timed = within is not none or half_life is not none or (types and seconds) -%}
{%- set hits = rankmetrics_sql.rm_ubi_hits(context, is_timed) if by_hits else none -%}
{%- set of_queries = rankmetrics_sql.rm_where_clause(where, requests) if by_hits else '' -%}
{{ return(rankmetrics_sql.rm_log(
    queries if by_hits else events, events, {
        'request': 'query_id', 'item': 'item_id' if by_hits else item, 'position': 'place' if by_hits else place,
        'type': 'action_name', 'time': 'timestamp', 'events.item': item,
        'application': 'application' if has_application and not by_hits else none,
        'value': own.value, 'currency': own.currency, 'queries.user': own['queries.user'],
        'queries.time': own['queries.time'], 'queries.text': own['queries.text'],
    },
    grades, grade, 'request', within, 1 if by_hits else position_base, requests, half_life, context=context,
    propensity=propensity, queries=queries if requests == 'logged' else none, queries_context=queries_context,
    before=[rankmetrics_sql.rm_cte(
        'rankmetrics_queries_source', 'SELECT * FROM ' ~ queries ~ of_queries,
        'the queries of UBI as given'
    )] if by_hits or collapse is not none else [],
    impressions_select=hits if by_hits else rows ~ "action_name = 'impression'"
        ~ rankmetrics_sql.rm_where_clause(where, requests, ' AND (', ')'),
    events_select=rows ~ rankmetrics_sql.rm_of_actions('ubi'), types=types, amounts=amounts, seconds=seconds,
    collapse=collapse, collapse_within=collapse_within, searches='rankmetrics_queries_source'
)) }}
{% endmacro %}

{#- Something of event_attributes, as text where it is JSON. -#}
{% macro rm_ubi_attribute(mapping, path) %}
{%- if mapping == 'json' -%}{{ return(rankmetrics_sql.rm_json_text('event_attributes', path)) }}{%- endif -%}
{%- if mapping == 'flat' -%}
    {{ return(rankmetrics_sql.rm_quoted('event_attributes.' ~ path | join('.'))) }}
{%- endif -%}
{{ return('event_attributes.' ~ path | join('.')) }}
{% endmacro %}

{#- The lists of hits as impressions, in their order. -#}
{% macro rm_ubi_hits(context, is_timed) %}
{%- set hits = rankmetrics_sql.rm_elements('s.query_response_hit_ids') -%}
{%- set columns = [
    {'name': 'query_id', 'sql': 's.query_id'}, {'name': 'item_id', 'sql': hits.element},
    {'name': 'place', 'sql': hits.place},
] + ([{'name': 'timestamp', 'sql': 's.timestamp'}] if is_timed else []) + rankmetrics_sql.rm_context(context) -%}
{%- set select -%}
SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_queries_source AS s
    {%- if hits.join is not none %}
    {{ hits.join }}
    {%- endif %}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
