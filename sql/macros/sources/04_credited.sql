{#- What was done: the events of a log, each credited to a request that showed its item, or set aside. -#}

{#- actions: the events under our names, with their grades, below the table that they come from. -#}
{% macro rm_named_actions(log) %}
{%- set branches = [] -%}
{%- for type, number in log.grades.items() -%}
    {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_string(type) ~ ' THEN ' ~ rankmetrics_sql.rm_number(number)) -%}
{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_there({'user_id': log.event_user}) + log.event_keys
    + [{'name': 'item_id', 'sql': log.event_item}, {'name': 'action', 'sql': log.type}]
    + rankmetrics_sql.rm_there({'done_at': log.event_time, 'dwell': log.dwell}) -%}
{%- set actions %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        {{ rankmetrics_sql.rm_case(branches, log.type, 8) }} AS grade
    FROM rankmetrics_events_source AS s
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_events_source', log.events_select, 'the log of events as given'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_actions', actions, 'the events, with their columns renamed and the grade of each action'
    ),
]) }}
{% endmacro %}

{#- action_rows: the actions with the request that each is credited to, or the reason why one is set aside. -#}
{% macro rm_credited(log) %}
{%- set by_user = log.attribution == 'user' -%}
{{ return(rankmetrics_sql.rm_named_actions(log) + (rankmetrics_sql.rm_last_shown(log) if by_user else []) + [
    rankmetrics_sql.rm_credited_actions(log),
]) }}
{% endmacro %}

{% macro rm_credited_actions(log) %}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_action_rows', rankmetrics_sql.rm_action_rows(log),
    'each event with the request that it is credited to, and the reason if it is set aside'
)) }}
{% endmacro %}

{% macro rm_action_rows(log) %}
{%- set by_user = log.attribution == 'user' -%}
{%- set who = ['user_id'] if by_user else log.names -%}
{%- set lacks = 'no user' if by_user else 'no request' -%}
{%- set late = rankmetrics_sql.rm_seconds_between('i.shown_at', 'a.done_at') -%}
{%- set keys = rankmetrics_sql.rm_columns_from('i' if by_user else 'a', log.names) -%}
{%- set grade -%}
    {%- if log.half_life is none -%}
a.grade
    {%- else -%}
a.grade * {{ rankmetrics_sql.rm_power('0.5', '(' ~ late ~ ') / ' ~ rankmetrics_sql.rm_number(log.half_life)) }}
    {%- endif -%}
{%- endset -%}
{%- set sql %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_columns_from('a', ['item_id', 'action'])) }},
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
{%- if by_user %}
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
        'the times when a user was shown an item, and when the user acted on it'
    ),
    rankmetrics_sql.rm_cte(
        'rankmetrics_latest', latest,
        'each of those times with the last time until then when the item was shown'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_last_shown', last, 'each action with the request that showed the item last'),
]) }}
{% endmacro %}

{#- graded: the grade of each item of a request that something was done with. -#}
{% macro rm_graded(log) %}
{%- set names = log.names + ['item_id'] -%}
{%- set is_sum = log.grade == 'sum' -%}
{%- set once %}
    SELECT {{ (names + ['action']) | join(', ') }}, MAX(grade) AS grade
    FROM rankmetrics_action_rows
    WHERE reason IS NULL
    GROUP BY {{ (names + ['action']) | join(', ') }}
{%- endset -%}
{%- set graded %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names) }},
        {{ 'SUM' if is_sum else 'MAX' }}(grade) AS grade
    FROM {% if is_sum %}(
{{ once | trim | indent(8, true) }}
    ) AS each_once{% else %}rankmetrics_action_rows{% endif %}
{%- if not is_sum %}
    WHERE reason IS NULL
{%- endif %}
    GROUP BY {{ names | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_graded', graded,
    'the grade of each item with an action in a request'
)) }}
{% endmacro %}
