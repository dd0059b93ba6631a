{#- What was done: the events of a log, each credited to a request that showed its item, or set aside. -#}

{#- actions: the events under our names, with their grades, below the table that they come from. -#}
{% macro rm_named_actions(log) %}
{%- set branches = [] -%}
{%- for type, number in log.grades.items() -%}
    {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_string(type) ~ ' THEN ' ~ rankmetrics_sql.rm_number(number)) -%}
{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_there({'user_id': log.event_user}) + log.event_keys
    + [{'name': 'item_id', 'sql': log.event_item}, {'name': 'action', 'sql': log.type}]
    + rankmetrics_sql.rm_there({'done_at': log.event_time, 'dwell': log.dwell, 'currency': log.currency}) -%}
{%- if log.value is not none -%}
    {%- set worth = rankmetrics_sql.rm_null_for_nan(rankmetrics_sql.rm_as_double(log.value)) -%}
    {%- do columns.append({'name': 'amount', 'sql': worth}) -%}
{%- endif -%}
{%- set source = rankmetrics_sql.rm_read_log(log.events, 'rankmetrics_events_source', 'the log of events as given') -%}
{%- set actions %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        {{ rankmetrics_sql.rm_case(branches, log.type, 8) }} AS grade
    FROM {{ source.name }} AS s
{%- endset -%}
{{ return(source.stages + [
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
{%- set keys = rankmetrics_sql.rm_columns_from('i' if by_user else 'a', log.names) -%}
{%- set sql %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_columns_from('a', ['item_id', 'action'])) }},
        {{ rankmetrics_sql.rm_worth(log) }} AS grade,
        {%- if log.types %}
        CASE WHEN {{ rankmetrics_sql.rm_is_of_types(log, 'a.') }} THEN 1 ELSE 0 END AS is_of_types,
        {%- endif %}
        CASE
            {%- for rule in rankmetrics_sql.rm_rules_of_actions(log) %}
            WHEN {{ rule.broken }} THEN '{{ rule.reason }}'
            {%- endfor %}
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
The rules by which an action a is set aside, each {reason, broken, kept}: the condition that it breaks the rule, and the
one by which a join with the items shown i keeps what does not, none where the join itself does.
-#}
{% macro rm_rules_of_actions(log) %}
{%- set by_user = log.attribution == 'user' -%}
{%- set who = rankmetrics_sql.rm_qualified('a', ['user_id'] if by_user else log.names) -%}
{%- set least = rankmetrics_sql.rm_number(log.min_dwell) if log.dwell else '' -%}
{%- set late = rankmetrics_sql.rm_seconds_between('i.shown_at', 'a.done_at') -%}
{%- set longest = rankmetrics_sql.rm_number(log.within) if log.within is not none else '' -%}
{%- set is_timed = log.within is not none or log.half_life is not none -%}
{%- set other = 'a.grade IS NULL' ~ (' AND (a.action IS NULL OR NOT ' ~ rankmetrics_sql.rm_is_of_types(log, 'a.') ~ ')'
    if log.types else '') -%}
{{ return([
    {'reason': 'other action', 'broken': other, 'kept': rankmetrics_sql.rm_is_counted(log, 'a.')},
    {'reason': 'no user' if by_user else 'no request', 'broken': rankmetrics_sql.rm_any_unknown(who), 'kept': none},
    {'reason': 'no item', 'broken': 'a.item_id IS NULL', 'kept': none},
] + ([
    {'reason': 'no time', 'broken': 'a.done_at IS NULL', 'kept': 'a.done_at IS NOT NULL'},
] if log.is_timed else []) + ([
    {'reason': 'stayed too briefly', 'broken': 'a.dwell < ' ~ least,
        'kept': '(a.dwell IS NULL OR a.dwell >= ' ~ least ~ ')'},
] if log.dwell else []) + [
    {'reason': 'not shown', 'broken': 'i.item_id IS NULL', 'kept': none},
] + ([
    {'reason': 'shown at no time', 'broken': 'i.shown_at IS NULL', 'kept': none},
    {'reason': 'before it was shown', 'broken': 'a.done_at < i.shown_at', 'kept': 'a.done_at >= i.shown_at'},
] if is_timed else []) + ([
    {'reason': 'too late', 'broken': late ~ ' > ' ~ longest, 'kept': late ~ ' <= ' ~ longest},
] if log.within is not none else [])) }}
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
    WHERE {{ rankmetrics_sql.rm_is_counted(log) }} AND
        {{- ' ' ~ rankmetrics_sql.rm_all_known(['user_id', 'item_id', 'done_at']) }}
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

{#-
What credits the actions a to the items shown i, and leaves out those that count nothing. Where a request's own actions
meet its items later anyway (see is_joined) there is no join.
-#}
{% macro rm_from_credited(log, is_joined) %}
{%- set conditions = rankmetrics_sql.rm_rules_of_actions(log) | map(attribute='kept') | select | list -%}
{%- set join = '' -%}
{%- if log.attribution == 'user' -%}
    {%- set join = '\n    INNER JOIN rankmetrics_last_shown AS i\n        ON '
        ~ rankmetrics_sql.rm_same('i', 'a', ['user_id', 'item_id', 'done_at']) -%}
{%- elif is_joined -%}
    {%- set join = '\n    INNER JOIN rankmetrics_shown_items AS i ON '
        ~ rankmetrics_sql.rm_same('i', 'a', log.names + ['item_id']) -%}
{%- endif -%}
{%- if log.has_seconds -%}
    {%- set other = 'i' if log.attribution == 'user' else 'a' -%}
    {%- set join = join ~ '\n    INNER JOIN rankmetrics_first_shown AS f ON '
        ~ rankmetrics_sql.rm_same('f', other, log.names) -%}
{%- endif -%}
{{ return('FROM rankmetrics_actions AS a' ~ join ~ '\n    WHERE ' ~ conditions | join(' AND ')) }}
{% endmacro %}

{#- graded: the grade of each item of a request that something was done with, and the numbers of its actions. -#}
{% macro rm_graded(log) %}
{%- set is_sum = log.grade == 'sum' -%}
{%- set is_joined = log.requests == 'clicked' or log.within is not none or log.half_life is not none -%}
{%- set keys = rankmetrics_sql.rm_columns_from('i' if log.attribution == 'user' else 'a', log.names)
    + rankmetrics_sql.rm_columns_from('a', ['item_id'] + (['action'] if is_sum else [])) -%}
{%- set numbers = rankmetrics_sql.rm_numbers_of_types(log) -%}
{%- set grade = [{'name': 'grade', 'sql': 'MAX(' ~ rankmetrics_sql.rm_worth(log) ~ ')'}] -%}
{%- set graded %}
    {{ rankmetrics_sql.rm_select(keys + grade + numbers) }}
    {{ rankmetrics_sql.rm_from_credited(log, is_joined) }}
    GROUP BY {{ keys | map(attribute='sql') | join(', ') }}
{%- endset -%}
{%- if is_sum -%}
    {%- set names = (log.names + ['item_id']) | join(', ') -%}
    {%- set graded %}
    SELECT
        {{ names }},
        SUM(grade) AS grade
        {%- for number in numbers %},
        {{ number.again }} AS {{ number.name }}
        {%- endfor %}
    FROM (
        {{ graded | trim | indent(4) }}
    ) AS each_once
    GROUP BY {{ names }}
    {%- endset -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_first_shown(log) + [rankmetrics_sql.rm_cte(
    'rankmetrics_graded', graded,
    'the grade of each item with an action in a request' ~ (', and how many there are of each type' if numbers else '')
)]) }}
{% endmacro %}

{#- What an action a is worth. -#}
{% macro rm_worth(log) %}
{%- if log.half_life is none -%}{{ return('a.grade') }}{%- endif -%}
{%- set late = rankmetrics_sql.rm_seconds_between('i.shown_at', 'a.done_at') -%}
{%- set halvings = '(' ~ late ~ ') / ' ~ rankmetrics_sql.rm_number(log.half_life) -%}
{{ return('a.grade * ' ~ rankmetrics_sql.rm_power('0.5', halvings)) }}
{% endmacro %}
