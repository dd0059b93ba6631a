{#-
A log of what was shown and of what people did with it: a row per item shown, with its position from 1 and the grade of
the actions that are credited to it, 0 where there are none. Of an item shown twice in a request the lowest position
counts.

impressions          one row per item shown
events               one row per action
request_column       what names a request, in both; event_request_column where it is another in the events
item_column          likewise; so are time_column and user_column, which only some rules need
position_column      of the impressions
type_column          what kind of action an event is
grades               {type: grade}; actions of other types do not count
grade                'highest' of the item's actions, or their 'sum'; the same action twice counts once
attribution          'request': an action is about the impression of its own request. 'user': about the last impression
                     of that item to its user before it; the events need no request then
within               the seconds that an action may come after the impression, or none
half_life            the seconds after which an action is worth half its grade, or none: the grade is multiplied by
                     2^(-t / half_life), t seconds after the impression
dwell_column         of the events, how many seconds the visitor stayed; with min_dwell, an action after which that is
                     known and less does not count
position_base        the lowest position, 0 or 1; 'auto': 0 where there is a position 0, by application_column if given
requests             'all' that have an impression; 'clicked': those with a credited action; 'logged': all, and those of
                     queries that have none, each a row without an item
context              more columns of the impressions to hand on
propensity_column    how likely it was that the item was looked at, a column of the impressions, or {position:
                     propensity}; the rows have it as propensity
queries              one row per request, for requests='logged'; query_column names a request there, queries_context are
                     columns of it to hand on, which say more of a request than its impressions do
-#}
{% macro from_events(
    impressions, events, request_column='request_id', item_column='item_id', position_column='position',
    type_column='event_type', time_column=none, user_column=none, application_column=none, event_request_column=none,
    event_item_column=none, event_time_column=none, event_user_column=none, grades={'click': 1}, grade='highest',
    attribution='request', within=none, position_base='auto', requests='all', half_life=none, dwell_column=none,
    min_dwell=none, context=[], propensity_column=none, queries=none, query_column=none, queries_context=[]
) %}
{%- if queries is not none and requests != 'logged' -%}{{ rankmetrics_sql.rm_refuse_queries() }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_with_queries(rankmetrics_sql.rm_log(
    impressions, events, request_column, item_column, position_column, type_column, time_column, user_column,
    application_column, event_request_column, event_item_column, event_time_column, event_user_column, grades, grade,
    attribution, within, position_base, requests, context, half_life, dwell_column, min_dwell, propensity_column
), queries, request_column if query_column is none else query_column, queries_context))) }}
{% endmacro %}

{#-
The requests whose table says something else of them than their impressions: the request, and of each column that is in
both, both values where they differ.
-#}
{% macro rm_conflicts_of_events(
    impressions, events, request_column='request_id', item_column='item_id', position_column='position',
    type_column='event_type', time_column=none, user_column=none, application_column=none, event_request_column=none,
    event_item_column=none, event_time_column=none, event_user_column=none, grades={'click': 1}, grade='highest',
    attribution='request', within=none, position_base='auto', requests='all', half_life=none, dwell_column=none,
    min_dwell=none, context=[], propensity_column=none, queries=none, query_column=none, queries_context=[]
) %}
{{ return(rankmetrics_sql.rm_select_conflicts(rankmetrics_sql.rm_with_queries(rankmetrics_sql.rm_log(
    impressions, events, request_column, item_column, position_column, type_column, time_column, user_column,
    application_column, event_request_column, event_item_column, event_time_column, event_user_column, grades, grade,
    attribution, within, position_base, requests, context, half_life, dwell_column, min_dwell, propensity_column
), queries, request_column if query_column is none else query_column, queries_context))) }}
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
    impressions, events, request_column, item_column, position_column, type_column, time_column, user_column,
    application_column, event_request_column, event_item_column, event_time_column, event_user_column, grades, grade,
    attribution, within, position_base, requests, context, half_life, dwell_column, min_dwell
))) }}
{% endmacro %}

{#- All that a statement over a log is made of: one literal. -#}
{% macro rm_log(
    impressions, events, request_column, item_column, position_column, type_column, time_column, user_column,
    application_column, event_request_column, event_item_column, event_time_column, event_user_column, grades, grade,
    attribution, within, position_base, requests, context, half_life=none, dwell_column=none, min_dwell=none,
    propensity_column=none
) %}
{%- do rankmetrics_sql.rm_check_log(
    grades, grade, attribution, within, position_base, requests, time_column, user_column, half_life, dwell_column,
    min_dwell
) -%}
{%- set keys = rankmetrics_sql.rm_source_keys(request_column) -%}
{%- set own = request_column if event_request_column is none else event_request_column -%}
{%- set asked = [] -%}
{%- for key in rankmetrics_sql.rm_as_list(own) -%}
    {%- do asked.append({'name': keys[loop.index0].name, 'sql': rankmetrics_sql.rm_over_row(key)}) -%}
{%- endfor -%}
{%- set item = item_column if event_item_column is none else event_item_column -%}
{%- set time = time_column if event_time_column is none else event_time_column -%}
{%- set user = user_column if event_user_column is none else event_user_column -%}
{%- set by_user = attribution == 'user' -%}
{%- set is_timed = by_user or within is not none or half_life is not none -%}
{{ return({
    'before': [],
    'impressions_select': 'SELECT * FROM ' ~ impressions,
    'events_select': 'SELECT * FROM ' ~ events,
    'key_columns': keys,
    'names': keys | map(attribute='name') | list,
    'item': rankmetrics_sql.rm_over_row(item_column),
    'position': rankmetrics_sql.rm_over_row(position_column),
    'time': rankmetrics_sql.rm_over_row(time_column) if is_timed else none,
    'user': rankmetrics_sql.rm_over_row(user_column) if by_user else none,
    'application': none if application_column is none else rankmetrics_sql.rm_known_text(application_column),
    'event_keys': [] if by_user else asked,
    'event_item': rankmetrics_sql.rm_over_row(item),
    'event_time': rankmetrics_sql.rm_over_row(time) if is_timed else none,
    'event_user': rankmetrics_sql.rm_over_row(user) if by_user else none,
    'type': rankmetrics_sql.rm_over_row(type_column),
    'grades': grades,
    'sums': grade == 'sum',
    'by_user': by_user,
    'within': within,
    'half_life': half_life,
    'dwell': none if dwell_column is none else rankmetrics_sql.rm_over_row(dwell_column),
    'min_dwell': min_dwell,
    'position_base': position_base,
    'clicked': requests == 'clicked',
    'logged': requests == 'logged',
    'queries': none,
    'queries_keys': [],
    'queries_context': [],
    'context': rankmetrics_sql.rm_context(context),
    'propensity': none if propensity_column is none or propensity_column is mapping
        else rankmetrics_sql.rm_over_row(propensity_column),
    'propensities': rankmetrics_sql.rm_checked_propensities(propensity_column) if propensity_column is mapping else {},
}) }}
{% endmacro %}

{% macro rm_check_log(
    grades, grade, attribution, within, position_base, requests, time_column, user_column, half_life=none,
    dwell_column=none, min_dwell=none
) %}
{%- set known = [
    ['grade', grade, ['highest', 'sum']], ['attribution', attribution, ['request', 'user']],
    ['position_base', position_base, ['auto', 0, 1]], ['requests', requests, ['all', 'clicked', 'logged']],
] -%}
{%- for name, value, values in known if value not in values -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: ' ~ name ~ ' is one of ' ~ values | join(', ') ~ ', not ' ~ value ~ '.'
    ) }}
{%- endfor -%}
{%- if grades is not mapping or not grades -%}
    {{ exceptions.raise_compiler_error(
        "rankmetrics_sql: grades maps types of events to grades, as {'click': 1}, not " ~ grades ~ '.'
    ) }}
{%- endif -%}
{%- for type, number in grades.items() if number is not number or number is boolean or number <= 0 -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: grades: ' ~ type ~ ' has ' ~ number ~ ', which is no number above 0.'
    ) }}
{%- endfor -%}
{%- for name, value in [['within', within], ['half_life', half_life], ['min_dwell', min_dwell]] if value is not none -%}
    {%- if value is not number or value is boolean or value < 0 or (name == 'half_life' and value == 0) -%}
        {{ exceptions.raise_compiler_error(
            'rankmetrics_sql: ' ~ name ~ ' is a number of seconds, not ' ~ value ~ '.'
        ) }}
    {%- endif -%}
{%- endfor -%}
{%- if (dwell_column is none) != (min_dwell is none) -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: min_dwell and the column of the dwell time go together.'
    ) }}
{%- endif -%}
{%- if time_column is none and (within is not none or half_life is not none or attribution == 'user') -%}
    {%- set rule = 'within' if within is not none else 'half_life' if half_life is not none else 'attribution=user' -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ rule ~ ' needs the column of the time.') }}
{%- endif -%}
{%- if attribution == 'user' and user_column is none -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: attribution=user needs the column of the user.') }}
{%- endif -%}
{% endmacro %}

{#- Propensities by position, the first of which is 1. -#}
{% macro rm_checked_propensities(propensities) %}
{%- for position in propensities if position is not integer or position is boolean -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: propensity: ' ~ position ~ ' is no position: 1, 2, 3 ...'
    ) }}
{%- endfor -%}
{%- for position, p in propensities.items() if p is not number or p is boolean or p <= 0 or p > 1 -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: propensity: position ' ~ position ~ ' has ' ~ p
        ~ ', which is no number above 0 and at most 1.'
    ) }}
{%- endfor -%}
{{ return(propensities) }}
{% endmacro %}

{#- Those of a schema, which has no column of them. -#}
{% macro rm_by_position(propensity) %}
{%- if propensity is not none and propensity is not mapping -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: propensity: {position: propensity} is wanted, not ' ~ propensity
        ~ '; from_events reads a column.'
    ) }}
{%- endif -%}
{{ return(propensity) }}
{% endmacro %}

{#-
The log with the table of its requests: what names one there, and the columns that say more of it than impressions do.
-#}
{% macro rm_with_queries(log, queries, query_column, context) %}
{%- set keys = [] -%}
{%- for key in rankmetrics_sql.rm_as_list(query_column) -%}
    {%- do keys.append({'name': log.names[loop.index0], 'sql': rankmetrics_sql.rm_over_row(key)}) -%}
{%- endfor -%}
{%- do log.update({
    'queries': queries, 'queries_keys': keys,
    'queries_context': rankmetrics_sql.rm_context(context) if log.logged else [],
}) -%}
{{ return(log) }}
{% endmacro %}

{% macro rm_refuse_queries() %}
{{ exceptions.raise_compiler_error(
    'rankmetrics_sql: requests=logged and queries, the table of all requests, go together.'
) }}
{% endmacro %}

{#- logged: the requests of their table, each once, with what it says of them. -#}
{% macro rm_logged(log) %}
{%- if not log.logged -%}{{ return([]) }}{%- endif -%}
{%- if log.queries is none -%}{{ rankmetrics_sql.rm_refuse_queries() }}{%- endif -%}
{%- set columns = log.queries_keys | list -%}
{%- for column in log.queries_context -%}
    {%- set known = 'MIN(' ~ rankmetrics_sql.rm_nullable(column.sql) ~ ')' -%}
    {%- do columns.append({'name': column.name, 'sql': known}) -%}
{%- endfor -%}
{%- set keys = log.queries_keys | map(attribute='sql') | list -%}
{%- set logged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_logged_source AS s
    WHERE {{ rankmetrics_sql.rm_all_known(keys) }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        'rankmetrics_logged_source', 'SELECT * FROM ' ~ log.queries,
        'the table of all requests as it was given'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_logged', logged, 'the requests that it knows, with what it says of each'),
]) }}
{% endmacro %}

{#- What is handed on: what the table of requests says of a request, else what its impressions say. -#}
{% macro rm_handed_on(log) %}
{%- set of_queries = log.queries_context | map(attribute='name') | list -%}
{%- set of_rows = log.context | map(attribute='name') | list -%}
{%- set columns = [] -%}
{%- for name in (of_rows + of_queries) | unique -%}
    {%- set both = 'COALESCE(q.' ~ name ~ ', i.' ~ name ~ ')' -%}
    {%- set own = both if name in of_rows and name in of_queries else ('i.' if name in of_rows else 'q.') ~ name -%}
    {%- do columns.append({'name': name, 'sql': own}) -%}
{%- endfor -%}
{{ return(columns) }}
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
{%- if log.clicked %}
WHERE EXISTS (
    SELECT 1
    FROM rankmetrics_graded AS g
    WHERE {{ rankmetrics_sql.rm_same('g', 'i', log.names) }}
)
{%- endif %}
{%- if log.logged %}
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

{% macro rm_select_conflicts(log) %}
{%- set of_rows = log.context | map(attribute='name') | list -%}
{%- set conditions, values = [], [] -%}
{%- for column in log.queries_context if column.name in of_rows -%}
    {%- set differ = 'q.' ~ column.name ~ ' <> i.' ~ column.name -%}
    {%- do conditions.append(differ) -%}
    {%- do values.append('MIN(CASE WHEN ' ~ differ ~ ' THEN ' ~ 'q.' ~ column.name ~ ' END) AS value_' ~ loop.index) -%}
    {%- do values.append('MIN(CASE WHEN ' ~ differ ~ ' THEN ' ~ 'i.' ~ column.name ~ ' END) AS other_' ~ loop.index) -%}
{%- endfor -%}
{%- set keys = rankmetrics_sql.rm_qualified('q', log.names) | join(', ') -%}
{%- set select -%}
SELECT {{ keys }}, {{ values | join(', ') }}
FROM rankmetrics_impressions AS i
INNER JOIN rankmetrics_logged AS q ON {{ rankmetrics_sql.rm_same('q', 'i', log.names) }}
WHERE {{ conditions | join(' OR ') }}
GROUP BY {{ keys }}
ORDER BY {{ keys }}
{%- endset -%}
{%- set impressions = rankmetrics_sql.rm_shown_items(log)[:log.before | length + 2] -%}
{{ return(rankmetrics_sql.rm_with(impressions + rankmetrics_sql.rm_logged(log)) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
What was found out on the way: the lowest position by application, where position_base=auto looks for it, and how many
events there are of each type.
-#}
{% macro rm_facts_of_events(
    impressions, events, request_column='request_id', item_column='item_id', position_column='position',
    type_column='event_type', time_column=none, user_column=none, application_column=none, event_request_column=none,
    event_item_column=none, event_time_column=none, event_user_column=none, grades={'click': 1}, grade='highest',
    attribution='request', within=none, position_base='auto', requests='all', half_life=none, dwell_column=none,
    min_dwell=none, context=[]
) %}
{{ return(rankmetrics_sql.rm_select_facts(rankmetrics_sql.rm_log(
    impressions, events, request_column, item_column, position_column, type_column, time_column, user_column,
    application_column, event_request_column, event_item_column, event_time_column, event_user_column, grades, grade,
    attribution, within, position_base, requests, context, half_life, dwell_column, min_dwell
))) }}
{% endmacro %}

{% macro rm_select_facts(log) %}
{%- set counted = log.position_base == 'auto' -%}
{%- set ctes = (rankmetrics_sql.rm_shown_items(log)[:log.before | length + 3] if counted else log.before)
    + rankmetrics_sql.rm_credited(log)[:2] -%}
{%- set text = rankmetrics_sql.rm_text_type() -%}
{%- set application = 'application' if log.application else "''" -%}
{%- set bases -%}
SELECT 'base' AS fact, CAST({{ application }} AS {{ text }}) AS name, base AS number
FROM rankmetrics_bases
UNION ALL
{% endset -%}
{%- set types -%}
SELECT 'type' AS fact, CAST(action AS {{ text }}) AS name, COUNT(*) AS number
FROM rankmetrics_actions
GROUP BY action
ORDER BY fact ASC, name ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ (bases if counted else '') ~ types) }}
{% endmacro %}

{#- The ids under our names as one side of a log has them: what was shown, or what was done. -#}
{% macro rm_select_ids(log, side) %}
{%- set shown = side == 'shown' -%}
{%- set ctes = rankmetrics_sql.rm_shown_items(log)[:log.before | length + 2] if shown
    else log.before + rankmetrics_sql.rm_credited(log)[:2] -%}
{%- set keys = (log.names if shown or not log.by_user else []) + (['user_id'] if log.by_user else []) -%}
{%- set stage = 'rankmetrics_impressions' if shown else 'rankmetrics_actions' -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\nSELECT ' ~ (keys + ['item_id']) | join(', ') ~ '\nFROM ' ~ stage) }}
{% endmacro %}

{#-
impressions: the rows of the log, with the reason why one is set aside. shown_items: each item of a request once, where
it stood highest, with the propensity that it had there.
-#}
{% macro rm_shown_items(log) %}
{%- set counted = log.position_base == 'auto' -%}
{%- set of_application = [{'name': 'application', 'sql': log.application}] if counted and log.application else [] -%}
{%- set when = ([{'name': 'shown_at', 'sql': log.time}] if log.time else [])
    + ([{'name': 'user_id', 'sql': log.user}] if log.user else []) -%}
{%- set item = {'name': 'item_id', 'sql': rankmetrics_sql.rm_nullable(log.item)} -%}
{%- set columns = log.key_columns + [item, {'name': 'place', 'sql': log.position}] + when + of_application
    + log.context + ([{'name': 'propensity', 'sql': log.propensity}] if log.propensity is not none else []) -%}
{%- set logged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_impressions_source AS s
{%- endset -%}
{%- set bases %}
    SELECT{{ ' application,' if of_application else '' }} CASE WHEN MIN(place) <= 0 THEN 0 ELSE 1 END AS base
    FROM rankmetrics_impressions
{%- if of_application %}
    GROUP BY application
{%- endif %}
{%- endset -%}
{%- set base = 'b.base' if counted else log.position_base -%}
{%- set others = when | map(attribute='name') | list + log.context | map(attribute='name') | list -%}
{%- set kept = log.names + ['item_id'] + others + (['propensity'] if log.propensity is not none else []) -%}
{%- set judged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('i', kept)) }},
        i.place - {{ base }} + 1 AS position,
        CASE
            WHEN {{ rankmetrics_sql.rm_any_unknown(rankmetrics_sql.rm_qualified('i', log.names)) }} THEN 'no request'
            WHEN i.item_id IS NULL THEN 'no item'
            WHEN i.place IS NULL THEN 'no position'
            WHEN i.place < {{ base }} THEN 'position below the base'
        END AS reason
    FROM rankmetrics_impressions AS i
{%- if of_application %}
    INNER JOIN rankmetrics_bases AS b ON b.application = i.application
{%- elif counted %}
    CROSS JOIN rankmetrics_bases AS b
{%- endif %}
{%- endset -%}
{%- set grouped = log.names + ['item_id'] -%}
{%- set shown %}
    SELECT
        {{ rankmetrics_sql.rm_lines(grouped + rankmetrics_sql.rm_each('MIN(', ['position'] + others)) }}
        {%- if log.propensity is not none %},
        MIN(CASE WHEN place_number = 1 THEN propensity END) AS propensity
        {%- endif %}
    FROM {{ 'rankmetrics_impression_rows' if log.propensity is none else 'rankmetrics_placed' }}
    WHERE reason IS NULL
    GROUP BY {{ grouped | join(', ') }}
{%- endset -%}
{%- set placed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kept) }},
        position,
        reason,
        ROW_NUMBER() OVER (
            PARTITION BY {{ (grouped + ['reason']) | join(', ') }} ORDER BY position ASC, propensity ASC
        ) AS place_number
    FROM rankmetrics_impression_rows
{%- endset -%}
{{ return(log.before + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_impressions_source', log.impressions_select,
        'the log of the impressions as it was given'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_impressions', logged, 'the impressions under our names'),
] + ([rankmetrics_sql.rm_cte(
    'rankmetrics_bases', bases,
    'whether positions are counted from 0 or from 1, for each application' if of_application
        else 'whether positions are counted from 0 or from 1'
)] if counted else []) + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_impression_rows', judged,
        'each impression with its position from 1 on, and the reason where it is set aside'
    ),
] + ([rankmetrics_sql.rm_cte(
    'rankmetrics_placed', placed,
    'the impressions of each item in a request, the one that stood highest first'
)] if log.propensity is not none else []) + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_shown_items', shown,
        'the items of each request, each once, where it stood highest'
    ),
]) }}
{% endmacro %}

{#- actions: the events under our names, with their grades. action_rows: with what was shown, or why not. -#}
{% macro rm_credited(log) %}
{%- set branches = [] -%}
{%- for type, number in log.grades.items() -%}
    {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_string(type) ~ ' THEN ' ~ rankmetrics_sql.rm_number(number)) -%}
{%- endfor -%}
{%- set when = [{'name': 'done_at', 'sql': log.event_time}] if log.event_time else [] -%}
{%- set stay = [{'name': 'dwell', 'sql': log.dwell}] if log.dwell else [] -%}
{%- set who = [{'name': 'user_id', 'sql': log.event_user}] if log.by_user else log.event_keys -%}
{%- set actions %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            who + [{'name': 'item_id', 'sql': log.event_item}, {'name': 'action', 'sql': log.type}] + when + stay
        ) }},
        {{ rankmetrics_sql.rm_case(branches, log.type, 8) }} AS grade
    FROM rankmetrics_events_source AS s
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_events_source', log.events_select, 'the log of the events as it was given'),
    rankmetrics_sql.rm_cte('rankmetrics_actions', actions, 'the events under our names, with the grade of each action'),
] + (rankmetrics_sql.rm_last_shown(log) if log.by_user else []) + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_action_rows', rankmetrics_sql.rm_action_rows(log),
        'each event with the request that it is credited to, and the reason where it is set aside'
    ),
]) }}
{% endmacro %}

{% macro rm_action_rows(log) %}
{%- set who = ['user_id'] if log.by_user else log.names -%}
{%- set lacks = 'no user' if log.by_user else 'no request' -%}
{%- set late = rankmetrics_sql.rm_seconds_between('i.shown_at', 'a.done_at') -%}
{%- set keys = rankmetrics_sql.rm_kept('i' if log.by_user else 'a', log.names) -%}
{%- set grade -%}
    {%- if log.half_life is none -%}
a.grade
    {%- else -%}
a.grade * {{ rankmetrics_sql.rm_power('0.5', '(' ~ late ~ ') / ' ~ rankmetrics_sql.rm_number(log.half_life)) }}
    {%- endif -%}
{%- endset -%}
{%- set sql %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_kept('a', ['item_id', 'action'])) }},
        {{ grade }} AS grade,
        CASE
            WHEN a.grade IS NULL THEN 'other action'
            WHEN {{ rankmetrics_sql.rm_any_unknown(rankmetrics_sql.rm_qualified('a', who)) }} THEN '{{ lacks }}'
            WHEN a.item_id IS NULL THEN 'no item'
{%- if log.time %}
            WHEN a.done_at IS NULL THEN 'no time'
{%- endif %}
{%- if log.dwell %}
            WHEN a.dwell < {{ rankmetrics_sql.rm_number(log.min_dwell) }} THEN 'stayed too briefly'
{%- endif %}
            WHEN i.item_id IS NULL THEN 'not shown'
{%- if log.within is not none or log.half_life is not none %}
            WHEN i.shown_at IS NULL THEN 'shown at no time'
            WHEN a.done_at < i.shown_at THEN 'before it was shown'
{%- endif %}
{%- if log.within is not none %}
            WHEN {{ late }} > {{ rankmetrics_sql.rm_number(log.within) }} THEN 'too late'
{%- endif %}
        END AS reason
    FROM rankmetrics_actions AS a
{%- if log.by_user %}
    LEFT JOIN rankmetrics_last_shown AS i
        ON {{ rankmetrics_sql.rm_same('i', 'a', ['user_id', 'item_id', 'done_at']) }}
{%- else %}
    LEFT JOIN rankmetrics_shown_items AS i ON {{ rankmetrics_sql.rm_same('i', 'a', log.names + ['item_id']) }}
{%- endif %}
{%- endset -%}
{{ return(sql) }}
{% endmacro %}

{#-
last_shown: for each moment at which a user did something with an item, the last impression of it to that user until
then. Found by one sort of impressions and actions together; of impressions at one moment the first request counts.
-#}
{% macro rm_last_shown(log) %}
{%- set names = log.names -%}
{%- set same = ['user_id', 'item_id'] -%}
{%- set both %}
    SELECT user_id, item_id, shown_at AS moment, 0 AS is_action
    FROM rankmetrics_shown_items
    WHERE {{ rankmetrics_sql.rm_all_known(['user_id', 'shown_at']) }}
    UNION ALL
    SELECT DISTINCT user_id, item_id, done_at AS moment, 1 AS is_action
    FROM rankmetrics_actions
    WHERE {{ rankmetrics_sql.rm_all_known(['grade', 'user_id', 'item_id', 'done_at']) }}
{%- endset -%}
{%- set latest %}
    SELECT
        user_id,
        item_id,
        moment,
        is_action,
        MAX(CASE WHEN is_action = 0 THEN moment END) OVER (
            PARTITION BY user_id, item_id
            ORDER BY moment ASC, is_action ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS shown_at
    FROM rankmetrics_moments
{%- endset -%}
{%- set last %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_each('MIN(i.', names)) }},
        l.user_id AS user_id,
        l.item_id AS item_id,
        l.moment AS done_at,
        l.shown_at AS shown_at
    FROM rankmetrics_latest AS l
    INNER JOIN rankmetrics_shown_items AS i ON {{ rankmetrics_sql.rm_same('i', 'l', same + ['shown_at']) }}
    WHERE l.is_action = 1
    GROUP BY l.user_id, l.item_id, l.moment, l.shown_at
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        'rankmetrics_moments', both,
        'the moments at which a user was shown an item, and those at which the user did something with it'
    ),
    rankmetrics_sql.rm_cte(
        'rankmetrics_latest', latest,
        'each moment with the last one until then at which the item was shown'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_last_shown', last, 'each action with the request that showed the item last'),
]) }}
{% endmacro %}

{#- graded: the grade of each item of a request that something was done with. -#}
{% macro rm_graded(log) %}
{%- set names = log.names + ['item_id'] -%}
{%- set once %}
    SELECT {{ (names + ['action']) | join(', ') }}, MAX(grade) AS grade
    FROM rankmetrics_action_rows
    WHERE reason IS NULL
    GROUP BY {{ (names + ['action']) | join(', ') }}
{%- endset -%}
{%- set graded %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names) }},
        {{ 'SUM' if log.sums else 'MAX' }}(grade) AS grade
    FROM {% if log.sums %}(
{{ once | trim | indent(8, true) }}
    ) AS each_once{% else %}rankmetrics_action_rows{% endif %}
{%- if not log.sums %}
    WHERE reason IS NULL
{%- endif %}
    GROUP BY {{ names | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_graded', graded,
    'the grade of each item of a request that something was done with'
)) }}
{% endmacro %}

{#- What was repeated is what the rows have more than the groups that they make. -#}
{% macro rm_events_quality(log) %}
{%- set inputs = [
    ['impressions', 'rankmetrics_impression_rows', 'repeated impression', log.names + ['item_id']],
    ['events', 'rankmetrics_action_rows', 'repeated action', log.names + ['item_id', 'action']],
] -%}
{%- set ctes = rankmetrics_sql.rm_shown_items(log) + rankmetrics_sql.rm_credited(log) -%}
{%- set found = [] -%}
{%- for name, rows, repeated, key in inputs -%}
    {%- set numbered %}
    SELECT
        CASE WHEN reason IS NOT NULL THEN reason WHEN nth > 1 THEN '{{ repeated }}' ELSE 'used' END AS reason
    FROM (
        SELECT
            reason,
            ROW_NUMBER() OVER (PARTITION BY reason, {{ key | join(', ') }} ORDER BY item_id ASC) AS nth
        FROM {{ rows }}
    ) AS numbered
    {%- endset -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(
        'rankmetrics_' ~ name ~ '_reasons', numbered,
        'what became of each of the ' ~ name ~ ', or why it is set aside'
    )) -%}
    {%- do found.append({'name': name, 'stage': 'rankmetrics_' ~ name ~ '_reasons'}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ rankmetrics_sql.rm_select_quality(found)) }}
{% endmacro %}
