{#-
A log of what was shown and of what people did with it: a row per item shown, with its position from 1 and the grade of
the actions that are credited to it, 0 where there are none. Of an item shown twice in a request the lowest position
counts. Columns are names, or SQL over a row; 02_log.sql says what is made of them, and what the rules are.

impressions, events  one row per item shown, and one per action
request_column       what names a request, in both; event_request_column where it is another in the events
item_column          likewise; so are time_column and user_column, which only some rules need
application_column   of the impressions, like position_column and context; type_column and dwell_column of the events
propensity_column    of the impressions, or {position: propensity}
queries              one row per request, for requests='logged'; query_column names a request there, and queries_context
                     are columns of it to hand on
-#}
{% macro from_events(
    impressions, events, request_column='request_id', item_column='item_id', position_column='position',
    type_column='event_type', time_column=none, user_column=none, application_column=none, event_request_column=none,
    event_item_column=none, event_time_column=none, event_user_column=none, grades={'click': 1}, grade='highest',
    attribution='request', within=none, position_base='auto', requests='all', half_life=none, dwell_column=none,
    min_dwell=none, context=[], propensity_column=none, queries=none, query_column=none, queries_context=[]
) %}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_log(
    impressions, events, request_column, item_column, position_column, type_column, grades, grade, attribution,
    position_base, requests, time_column, user_column, application_column, event_request_column, event_item_column,
    event_time_column, event_user_column, within, half_life, dwell_column, min_dwell, context,
    propensity_column, queries, query_column, queries_context
))) }}
{% endmacro %}

{#- Of both inputs, how many rows are used, and how many are set aside for which reason: the first that applies. -#}
{% macro quality_of_events(
    impressions, events, request_column='request_id', item_column='item_id', position_column='position',
    type_column='event_type', time_column=none, user_column=none, application_column=none, event_request_column=none,
    event_item_column=none, event_time_column=none, event_user_column=none, grades={'click': 1}, grade='highest',
    attribution='request', within=none, position_base='auto', requests='all', half_life=none, dwell_column=none,
    min_dwell=none, context=[]
) %}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_log(
    impressions, events, request_column, item_column, position_column, type_column, grades, grade, attribution,
    position_base, requests, time_column, user_column, application_column, event_request_column, event_item_column,
    event_time_column, event_user_column, within, half_life, dwell_column, min_dwell, context
))) }}
{% endmacro %}

{#- The rows: what was shown, with the grades of its actions; and one without an item for what showed nothing. -#}
{% macro rm_events_select(log) %}
{%- set names = log.names + ['item_id'] -%}
{%- set handed_on = rankmetrics_sql.rm_handed_on(log) -%}
{%- set columns = rankmetrics_sql.rm_kept('i', names + ['position']) + [
    {'name': 'relevance', 'sql': 'COALESCE(a.grade, 0)'},
] + handed_on -%}
{%- if log.propensity is not none -%}
    {%- do columns.extend(rankmetrics_sql.rm_kept('i', ['propensity'])) -%}
{%- endif -%}
{%- if log.propensities -%}
    {%- set branches = [] -%}
    {%- for position, p in log.propensities.items() -%}
        {%- do branches.append('WHEN ' ~ position ~ ' THEN ' ~ rankmetrics_sql.rm_number(p)) -%}
    {%- endfor -%}
    {%- set of_position = rankmetrics_sql.rm_case(branches, 'i.position', 4) -%}
    {%- do columns.append({'name': 'propensity', 'sql': of_position}) -%}
{%- endif -%}
{%- set of_queries = log.queries_context | map(attribute='name') | list -%}
{%- set nothing = rankmetrics_sql.rm_kept('q', log.names) + rankmetrics_sql.rm_nulls(['item_id', 'position'])
    + [{'name': 'relevance', 'sql': '0'}] -%}
{%- for column in handed_on -%}
    {%- do nothing.extend(
        rankmetrics_sql.rm_kept('q', [column.name]) if column.name in of_queries
        else rankmetrics_sql.rm_nulls([column.name])
    ) -%}
{%- endfor -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM rankmetrics_shown_items AS i
LEFT JOIN rankmetrics_graded AS a ON {{ rankmetrics_sql.rm_same('a', 'i', names) }}
{%- if of_queries %}
LEFT JOIN rankmetrics_logged AS q ON {{ rankmetrics_sql.rm_same('q', 'i', log.names) }}
{%- endif %}
{%- if log.requests == 'clicked' %}
WHERE EXISTS (
    SELECT 1
    FROM rankmetrics_graded AS g
    WHERE {{ rankmetrics_sql.rm_same('g', 'i', log.names) }}
)
{%- endif %}
{%- if log.requests == 'logged' %}
UNION ALL
SELECT
    {{ rankmetrics_sql.rm_lines(nothing, 4) }}
FROM rankmetrics_logged AS q
WHERE NOT EXISTS (
    SELECT 1
    FROM rankmetrics_shown_items AS i
    WHERE {{ rankmetrics_sql.rm_same('i', 'q', log.names) }}
)
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_shown_items(log) + rankmetrics_sql.rm_credited(log) + [rankmetrics_sql.rm_graded(log)]
    + rankmetrics_sql.rm_logged(log)
) ~ '\n\n' ~ select) }}
{% endmacro %}
