{#-
A log is the arguments of a source of events: one literal, which nothing changes afterwards. Each public macro makes it,
and all stages and statements take it. A column is SQL over a row of its table, or none where no rule asks for it. Its
keys:
    before              stages that the two tables read, of a schema whose tables need some
    impressions         {relation, select}: one row per item shown; select is none where it is the whole relation
    events              the same with one row per action
    key_columns         what names a request in the impressions, {name, sql}: one or more columns
    names               the names of these
    event_keys          the same in the events; empty for attribution='user', which asks for none
    item, event_item    what names an item
    time, event_time    when it was shown, and done; for attribution='user', within and half_life
    user, event_user    who saw it, and did it; for attribution='user'
    position            of the impressions
    application         of the impressions: positions begin where those of its application do
    type                what kind of action an event is
    dwell               of the events, how many seconds the visitor stayed
    value               of the events, what an action is worth, such as revenue
    currency            of the events, of what currency the value is; only rm_select_currencies reads it
    context             more columns of the impressions to hand on, {name, sql, role}. A request has one arm and group:
                        one whose impressions name two arms is left out, one of two groups says both
    propensity          of the impressions, how likely it was that the item was looked at; the rows have it
    propensities        the same by position, {position: propensity}, or empty
    queries             a relation with one row per request, or none; for requests='logged'
    queries_keys        what names a request there, {name, sql}
    queries_context     columns of it to hand on, {name, sql}, which say more of a request than its impressions do
    types               the types whose actions are counted beside grades, see rm_counted_types
    has_seconds         whether the rows say how soon the first action of each type was
    is_timed            whether a rule reads the times
These are rules:
    grades              {type: grade}; actions of other types do not count
    grade               'highest' of the item's actions, or their 'sum'; the same action twice counts once
    attribution         'request': an action is about the impression of its own request. 'user': about the last
                        impression of that item to its user before it
    within              the seconds that an action may come after the impression, or none
    half_life           the seconds after which an action is worth half its grade, or none: the grade is multiplied by
                        2^(-t / half_life), t seconds after the impression
    min_dwell           with dwell: an action after which that is known and less does not count
    position_base       the lowest position, 0 or 1; 'auto': 0 where there is a position 0
    collapse            what makes searches that were typed letter by letter one request, as rm_collapse has it, or none
    searches            of rm_log: the stage of before with a row per search that says it; none: the table of all
                        requests if there is one, else the impressions
    requests            'all' that have an impression; 'clicked': those with a credited action; 'logged': all, and those
                        of queries that have none, each a row without an item
-#}
{% macro rm_log(
    impressions, events, columns=none, grades={'click': 1}, grade='highest', attribution='request', within=none,
    position_base='auto', requests='all', half_life=none, min_dwell=none, context=[], propensity=none,
    queries=none, queries_context=[], before=[], impressions_select=none, events_select=none, types=[], seconds=true,
    amounts=true, aliases={}, collapse=none, collapse_within=10, searches=none
) %}
{%- set own = rankmetrics_sql.rm_event_columns(columns) -%}
{%- if own.propensity is not none and propensity is not none -%}
    {%- do rankmetrics_sql.rm_raise(
        "the propensity is given twice. Pass propensity={1: 1.0, ...} or columns={'propensity': ...}, not both."
    ) -%}
{%- endif -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.request) -%}
{%- set names = keys | map(attribute='name') | list -%}
{%- set by_user = attribution == 'user' -%}
{%- set is_timed = by_user or within is not none or half_life is not none -%}
{%- set counted = rankmetrics_sql.rm_counted_types(types or [], aliases) -%}
{%- set has_seconds = counted and seconds and own.time is not none -%}
{%- set reads_time = is_timed or has_seconds -%}
{{ return(rankmetrics_sql.rm_checked_log({
    'before': before,
    'impressions': {'relation': impressions, 'select': impressions_select},
    'events': {'relation': events, 'select': events_select},
    'key_columns': keys,
    'names': names,
    'event_keys': [] if by_user else rankmetrics_sql.rm_keys_under(names, own['events.request'] or own.request),
    'item': rankmetrics_sql.rm_over_row(own.item_id),
    'event_item': rankmetrics_sql.rm_over_row(own['events.item_id'] or own.item_id),
    'time': rankmetrics_sql.rm_optional_column(own.time) if reads_time else none,
    'event_time': rankmetrics_sql.rm_optional_column(own['events.time'] or own.time) if reads_time else none,
    'user': rankmetrics_sql.rm_optional_column(own.user) if by_user else none,
    'event_user': rankmetrics_sql.rm_optional_column(own['events.user'] or own.user) if by_user else none,
    'position': rankmetrics_sql.rm_over_row(own.position),
    'application': none if own.application is none else rankmetrics_sql.rm_known_text(own.application),
    'type': rankmetrics_sql.rm_over_row(own.type),
    'dwell': rankmetrics_sql.rm_optional_column(own.dwell),
    'value': rankmetrics_sql.rm_optional_column(own.value) if counted and amounts else none,
    'currency': rankmetrics_sql.rm_optional_column(own.currency),
    'types': counted,
    'has_seconds': has_seconds,
    'is_timed': is_timed,
    'context': rankmetrics_sql.rm_context(context),
    'propensity': rankmetrics_sql.rm_optional_column(own.propensity),
    'propensities': rankmetrics_sql.rm_checked_propensities(propensity),
    'queries': queries,
    'queries_keys': rankmetrics_sql.rm_keys_under(names, own['queries.request'] or own.request),
    'queries_context': rankmetrics_sql.rm_context(queries_context) if requests == 'logged' else [],
    'grades': grades,
    'grade': grade,
    'attribution': attribution,
    'within': within,
    'half_life': half_life,
    'min_dwell': min_dwell,
    'position_base': position_base,
    'requests': requests,
    'collapse': rankmetrics_sql.rm_collapse(own, collapse, collapse_within,
        searches or ('rankmetrics_logged_source' if requests == 'logged' else 'rankmetrics_impressions')),
})) }}
{% endmacro %}

{#- What names a request in another table, under the names that its columns have in the impressions. -#}
{% macro rm_keys_under(names, columns) %}
{%- set keys = [] -%}
{%- for column in rankmetrics_sql.rm_as_list(columns) -%}
    {%- do keys.append({'name': names[loop.index0], 'sql': rankmetrics_sql.rm_over_row(column)}) -%}
{%- endfor -%}
{{ return(keys) }}
{% endmacro %}

{#- The log, whose rules are known and have the columns that they need; Python asks it of the arguments alone, too. -#}
{% macro rm_checked_log(rules) %}
{%- if rules.queries is not none and rules.requests != 'logged' -%}
    {%- do rankmetrics_sql.rm_refuse_queries() -%}
{%- endif -%}
{%- set known = {
    'grade': ['highest', 'sum'], 'attribution': ['request', 'user'], 'position_base': ['auto', 0, 1],
    'requests': ['all', 'clicked', 'logged'],
} -%}
{%- for name, values in known.items() if rules[name] not in values -%}
    {%- do rankmetrics_sql.rm_raise(name ~ ' is one of ' ~ values | join(', ') ~ ', not '
        ~ rankmetrics_sql.rm_written_value(rules[name]) ~ '.') -%}
{%- endfor -%}
{%- if rules.grades is not mapping or not rules.grades -%}
    {%- do rankmetrics_sql.rm_raise(
        "grades maps types of events to grades, as {'click': 1}, not " ~ rules.grades ~ '.'
    ) -%}
{%- endif -%}
{%- for type, number in rules.grades.items() if number is not number or number is boolean or number <= 0 -%}
    {%- do rankmetrics_sql.rm_raise('grades: ' ~ type ~ ' has ' ~ number ~ ', which is no number above 0.') -%}
{%- endfor -%}
{%- for name in ['within', 'half_life', 'min_dwell'] if rules[name] is not none -%}
    {%- set value = rankmetrics_sql.rm_as_number_if_any(rules[name]) -%}
    {%- do rules.update({name: value}) -%}
    {%- if value is not number or value is boolean or value < 0 or (name == 'half_life' and value == 0) -%}
        {%- do rankmetrics_sql.rm_raise(name ~ ' is a number of seconds, not '
            ~ rankmetrics_sql.rm_written_value(value) ~ '.') -%}
    {%- endif -%}
{%- endfor -%}
{%- if (rules.dwell is none) != (rules.min_dwell is none) -%}
    {%- do rankmetrics_sql.rm_raise(
        "min_dwell and the column of the dwell time go together. Pass both: min_dwell=5, columns={'dwell': ...}."
    ) -%}
{%- endif -%}
{%- set timed = 'within' if rules.within is not none else 'half_life' if rules.half_life is not none
    else 'attribution=user' if rules.attribution == 'user' else none -%}
{%- if rules.time is none and timed is not none -%}
    {%- do rankmetrics_sql.rm_raise(timed ~ " needs the column of the time. Name it: columns={'time': ...}.") -%}
{%- endif -%}
{%- if rules.attribution == 'user' and rules.user is none -%}
    {%- do rankmetrics_sql.rm_raise(
        "attribution=user needs the column of the user. Name it: columns={'user': ...}."
    ) -%}
{%- endif -%}
{{ return(rules) }}
{% endmacro %}

{% macro rm_refuse_queries() %}
{%- do rankmetrics_sql.rm_raise('requests=logged and queries, the table of all requests, go together.') -%}
{% endmacro %}

{#- Propensities by position, the first of which is 1; empty where there are none. -#}
{% macro rm_checked_propensities(propensities) %}
{%- if propensities is none -%}{{ return({}) }}{%- endif -%}
{%- if propensities is not mapping -%}
    {%- do rankmetrics_sql.rm_raise('propensity takes a number for each position, as {1: 1.0, 2: 0.5}; not '
        ~ rankmetrics_sql.rm_written_value(propensities) ~ '.') -%}
{%- endif -%}
{%- for position in propensities if position is not integer or position is boolean -%}
    {%- do rankmetrics_sql.rm_raise('propensity: ' ~ position ~ ' is no position: 1, 2, 3 ...') -%}
{%- endfor -%}
{%- for position, p in propensities.items() if p is not number or p is boolean or p <= 0 or p > 1 -%}
    {%- do rankmetrics_sql.rm_raise(
        'propensity: position ' ~ position ~ ' has ' ~ p ~ ', which is no number above 0 and at most 1.'
    ) -%}
{%- endfor -%}
{{ return(propensities) }}
{% endmacro %}
