{#-
The rows of a log that decide what metrics of its actions are worth, where positions stay as they were logged: the items
that something was done with, and a row without an item for each request, at position 0. An item that nothing was done
with has grade 0 and a place of its own, so nothing is lost without it. A request has all its items where that may not
hold: two of its impressions may stand at one place, or they say different things of it. Its own row is at position -1.
-#}
{% macro rm_select_rows_that_count(log) %}
{%- set is_plain = log.within is none and log.half_life is none and log.attribution == 'request' -%}
{%- set others = log.context | map(attribute='name') | list -%}
{%- set known = rankmetrics_sql.rm_usable_impressions(log) + rankmetrics_sql.rm_logged(log)
    + [rankmetrics_sql.rm_requests(log), rankmetrics_sql.rm_all_items(log)]
    + rankmetrics_sql.rm_disagreeing(log, 'FROM rankmetrics_all_items AS i')
    + rankmetrics_sql.rm_named_actions(log) -%}
{%- set stages = rankmetrics_sql.rm_graded_at_once(log) if is_plain else rankmetrics_sql.rm_graded_later(log) -%}
{%- set columns = rankmetrics_sql.rm_each('i.', log.names + ['item_id', 'position', 'relevance'], '')
    + rankmetrics_sql.rm_handed_on(log) -%}
{%- set of_request = rankmetrics_sql.rm_each('i.', log.names, '') + rankmetrics_sql.rm_nulls(['item_id'])
    + [{'name': 'position', 'sql': '0 - i.has_all_items'}, {'name': 'relevance', 'sql': '0'}]
    + rankmetrics_sql.rm_handed_on(log) -%}
{%- set joined -%}
    {%- if log.queries_context %}
LEFT JOIN rankmetrics_logged AS q ON {{ rankmetrics_sql.rm_same('q', 'i', log.names) }}
    {%- endif -%}
{%- endset -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM rankmetrics_judged_items AS i{{ joined }}
{%- if log.requests == 'clicked' %}
WHERE EXISTS (
    SELECT 1
    FROM rankmetrics_judged_items AS g
    WHERE g.relevance > 0 AND {{ rankmetrics_sql.rm_same('g', 'i', log.names) }}
)
{%- else %}
UNION ALL
SELECT
    {{ rankmetrics_sql.rm_lines(of_request, 4) }}
FROM rankmetrics_requests AS i{{ joined }}
{{- rankmetrics_sql.rm_of_one_arm(log, '\nWHERE') }}
{%- endif %}
{{- rankmetrics_sql.rm_last_groups(log, 'rankmetrics_judged_items') }}
{{- rankmetrics_sql.rm_unanswered(log, 'rankmetrics_requests') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(known + stages) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
requests: what its impressions say of each request, and whether all its items have to be looked at. Places that are 62
apart are one bit, so that a longer list may be looked at for nothing.
-#}
{% macro rm_requests(log) %}
{%- set others = log.context | map(attribute='name') | list -%}
{%- set shared = 'COUNT(*) <> ' ~ rankmetrics_sql.rm_number_of_places('i.position') -%}
{%- set doubtful = shared ~ ' OR ' ~ rankmetrics_sql.rm_disagree(rankmetrics_sql.rm_qualified('i', others)) if others
    else shared -%}
{%- set columns = rankmetrics_sql.rm_columns_from('i', log.names) -%}
{%- for name in others -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_agreed('i.' ~ name)}) -%}
{%- endfor -%}
{%- do columns.append({
    'name': 'has_all_items', 'sql': rankmetrics_sql.rm_case(['WHEN ' ~ doubtful ~ ' THEN 1', 'ELSE 0'], indent=8),
}) -%}
{%- set requests %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_usable AS i
    GROUP BY {{ rankmetrics_sql.rm_qualified('i', log.names) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_requests', requests,
    'the requests with their facts, marked where positions may be shared or context may conflict'
)) }}
{% endmacro %}

{#- all_items: the impressions of those requests. -#}
{% macro rm_all_items(log) %}
{%- set columns = log.names + ['item_id', 'position'] + rankmetrics_sql.rm_handed_names(log) -%}
{%- set items %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_each('i.', columns, '')) }}
    FROM rankmetrics_requests AS r
    INNER JOIN rankmetrics_usable AS i ON {{ rankmetrics_sql.rm_same('i', 'r', log.names) }}
    WHERE r.has_all_items = 1
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_all_items', items, 'all impressions of those of the requests')) }}
{% endmacro %}

{#- At most as many as a group has different places. -#}
{% macro rm_number_of_places(position) %}
{%- set bits = rankmetrics_sql.rm_number_of_bits(rankmetrics_sql.rm_modulo(
    'CAST(' ~ position ~ ' AS ' ~ rankmetrics_sql.rm_integer_type() ~ ')', 62
)) -%}
{{ return('COUNT(DISTINCT ' ~ position ~ ')' if bits is none else bits) }}
{% endmacro %}

{#- judged_items: where grades hang on nothing but the action: by one join of actions and impressions. -#}
{% macro rm_graded_at_once(log) %}
{%- set others = log.context | map(attribute='name') | list -%}
{%- set names = log.names + ['item_id'] -%}
{%- set is_sum = log.grade == 'sum' -%}
{%- set of_action = ['action'] if is_sum else [] -%}
{%- set columns = rankmetrics_sql.rm_each('i.', names + ['position'] + others, '') -%}
{%- set credited %}
    {{ rankmetrics_sql.rm_select(columns + rankmetrics_sql.rm_each('a.', of_action + ['grade'], '')) }}
    FROM rankmetrics_actions AS a
    INNER JOIN rankmetrics_usable AS i ON {{ rankmetrics_sql.rm_same('i', 'a', names) }}
    WHERE a.grade IS NOT NULL
    {%- if log.dwell %} AND (a.dwell IS NULL OR a.dwell >= {{ rankmetrics_sql.rm_number(log.min_dwell) }}){% endif %}
    UNION ALL
    {{ rankmetrics_sql.rm_select(
        columns + rankmetrics_sql.rm_nulls(of_action) + [{'name': 'grade', 'sql': '0'}]
    ) }}
    FROM rankmetrics_all_items AS i
{%- endset -%}
{%- set first = rankmetrics_sql.rm_each('MIN(', ['position'] + others) -%}
{%- set each_once %}
    {{ rankmetrics_sql.rm_select(names + of_action + first + rankmetrics_sql.rm_each('MAX(', ['grade'])) }}
    FROM rankmetrics_credited
    GROUP BY {{ (names + of_action) | join(', ') }}
{%- endset -%}
{%- set grade = [{'name': 'relevance', 'sql': ('SUM' if is_sum else 'MAX') ~ '(grade)'}] -%}
{%- set judged %}
    {{ rankmetrics_sql.rm_select(names + first + grade) }}
    FROM {{ 'rankmetrics_each_once' if is_sum else 'rankmetrics_credited' -}}
    {{ ' AS i' if rankmetrics_sql.rm_of_role(log, ['arm']) }}
    {{- rankmetrics_sql.rm_of_one_arm(log, '\n    WHERE') }}
    GROUP BY {{ names | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_credited', credited,
    'the impressions of items with an action, and all of requests with shared positions or conflicting context'
)] + ([rankmetrics_sql.rm_cte(
    'rankmetrics_each_once', each_once, 'the same rows, with each kind of action once per item'
)] if is_sum else []) + [rankmetrics_sql.rm_cte(
    'rankmetrics_judged_items', judged, 'each of those items once, at its highest position, with its grade'
)]) }}
{% endmacro %}

{#-
judged_items: where a grade hangs on when its item was shown, or on who saw it: the items that actions may be about are
looked up first, and then credited as all are.
-#}
{% macro rm_graded_later(log) %}
{%- set by_user = log.attribution == 'user' -%}
{%- set names = log.names + ['item_id'] -%}
{%- set others = rankmetrics_sql.rm_handed_names(log) -%}
{%- set who = (['user_id'] if by_user else log.names) + ['item_id'] -%}
{%- set touched %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_each('i.', names, ''), begin='SELECT DISTINCT') }}
    FROM rankmetrics_actions AS a
    INNER JOIN rankmetrics_usable AS i ON {{ rankmetrics_sql.rm_same('i', 'a', who) }}
    WHERE a.grade IS NOT NULL
    UNION ALL
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_each('i.', names, '')) }}
    FROM rankmetrics_all_items AS i
{%- endset -%}
{%- set first = [] -%}
{%- for name in ['position'] + others -%}
    {%- do first.append({'name': name, 'sql': 'MIN(i.' ~ name ~ ')'}) -%}
{%- endfor -%}
{%- set shown %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_each('i.', names, '') + first) }}
    FROM rankmetrics_touched AS t
    INNER JOIN rankmetrics_usable AS i ON {{ rankmetrics_sql.rm_same('i', 't', names) }}
    {{- rankmetrics_sql.rm_of_one_arm(log, '\n    WHERE') }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('i', names) | join(', ') }}
{%- endset -%}
{%- set columns = rankmetrics_sql.rm_each('i.', names + ['position'] + log.context | map(attribute='name') | list, '')
    + [{'name': 'relevance', 'sql': 'COALESCE(a.grade, 0)'}] -%}
{%- set judged %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM rankmetrics_shown_items AS i
    LEFT JOIN rankmetrics_graded AS a ON {{ rankmetrics_sql.rm_same('a', 'i', names) }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        'rankmetrics_touched', touched,
        'the items that an action may be credited to, and all of requests with shared positions or conflicting context'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_shown_items', shown, 'those items, each once, at its highest position'),
] + (rankmetrics_sql.rm_last_shown(log) if by_user else []) + [
] + rankmetrics_sql.rm_graded(log) + [
    rankmetrics_sql.rm_cte('rankmetrics_judged_items', judged, 'the same items with their grades'),
]) }}
{% endmacro %}
