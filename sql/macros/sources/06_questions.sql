{#- What is asked of a log beside its rows: how much of it is used, what is in it, and whether its parts agree. -#}

{#-
What became of the rows of both tables: used, or set aside for the first reason that applies. What was repeated is what
the rows have more than the groups that they make. Where position_base=auto finds that positions begin at 0, requests
with nothing there are counted too: Python refuses a log where many are such, which no statement can do by itself.
-#}
{% macro rm_events_quality(log) %}
{%- set inputs = [
    ['impressions', 'rankmetrics_impression_rows', 'repeated impression', log.names + ['item_id']],
    ['events', 'rankmetrics_action_rows', 'repeated action', log.names + ['item_id', 'action']],
] -%}
{%- set ctes = rankmetrics_sql.rm_shown_items(log) + [rankmetrics_sql.rm_impression_rows(log)]
    + rankmetrics_sql.rm_credited(log) -%}
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
        'whether each row of the ' ~ name ~ ' is used, or why it is set aside'
    )) -%}
    {%- do found.append({'name': name, 'stage': 'rankmetrics_' ~ name ~ '_reasons'}) -%}
{%- endfor -%}
{%- if log.position_base != 'auto' -%}
    {{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ rankmetrics_sql.rm_select_quality(found)) }}
{%- endif -%}
{%- set later %}
    SELECT 'nothing at position 0' AS reason
    FROM rankmetrics_began
    WHERE first_place > 0
{%- endset -%}
{%- do found.append({'name': 'requests', 'stage': 'rankmetrics_requests_reasons'}) -%}
{{ return(rankmetrics_sql.rm_with(ctes + [rankmetrics_sql.rm_began(log), rankmetrics_sql.rm_cte(
    'rankmetrics_requests_reasons', later,
    'the requests that have nothing at position 0, though their positions are found to begin there'
)]) ~ '\n\n' ~ rankmetrics_sql.rm_select_quality(found)) }}
{% endmacro %}

{#-
What was found out on the way: the lowest position by application, where position_base=auto looks for it, and how many
events there are of each type.
-#}
{% macro rm_select_facts(log) %}
{%- set counted = log.position_base == 'auto' -%}
{%- set ctes = (rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_bases(log) if counted else log.before)
    + rankmetrics_sql.rm_named_actions(log) -%}
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

{#-
The requests whose table says something else of them than their impressions: the request, and of each column that is in
both, both values where they differ.
-#}
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
{%- set ctes = rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_logged(log) -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- The ids under our names as one side of a log has them: what was shown, or what was done. -#}
{% macro rm_select_ids(log, side) %}
{%- set shown = side == 'shown' -%}
{%- set ctes = rankmetrics_sql.rm_named_impressions(log) if shown
    else log.before + rankmetrics_sql.rm_named_actions(log) -%}
{%- set by_user = log.attribution == 'user' -%}
{%- set keys = (log.names if shown or not by_user else []) + (['user_id'] if by_user else []) -%}
{%- set stage = 'rankmetrics_impressions' if shown else 'rankmetrics_actions' -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\nSELECT ' ~ (keys + ['item_id']) | join(', ') ~ '\nFROM ' ~ stage) }}
{% endmacro %}

{#-
How many different ids the graded actions have, how many the impressions, and how many both, each with the first id.
Several names are one id, of which the first column is named. A form is what text is compared as, '{}' the column.
-#}
{% macro rm_select_common_ids(log, names, form=none) %}
{%- set ids = [] -%}
{%- for name in names -%}
    {%- set text = 'CAST(' ~ name ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')' -%}
    {%- do ids.append({'name': 'id_' ~ loop.index, 'sql': text if form is none else form.replace('{}', text)}) -%}
{%- endfor -%}
{%- set keys = ids | map(attribute='name') | list -%}
{%- set ctes = rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_named_actions(log) -%}
{%- set sides = [
    ['shown', 'rankmetrics_impressions', names],
    ['done', 'rankmetrics_actions', names + ['grade']],
] -%}
{%- for side, stage, known in sides -%}
    {%- set ids_of_side %}
    {{ rankmetrics_sql.rm_select(ids, begin='SELECT DISTINCT') }}
    FROM {{ stage }}
    WHERE {{ rankmetrics_sql.rm_all_known(known) }}
    {%- endset -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(
        'rankmetrics_ids_' ~ side, ids_of_side, 'the ids of what was ' ~ side
    )) -%}
{%- endfor -%}
{%- set select -%}
SELECT 'both' AS side, COUNT(*) AS n_ids, MIN(a.id_1) AS first_id
FROM rankmetrics_ids_done AS a
INNER JOIN rankmetrics_ids_shown AS i ON {{ rankmetrics_sql.rm_same('i', 'a', keys) }}
UNION ALL
SELECT 'done' AS side, COUNT(*) AS n_ids, MIN(id_1) AS first_id
FROM rankmetrics_ids_done
UNION ALL
SELECT 'shown' AS side, COUNT(*) AS n_ids, MIN(id_1) AS first_id
FROM rankmetrics_ids_shown
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
Of each name, how many ids of graded actions nothing shown has, though something shown has one that differs in case or
in zeros in front only; and the first of them with that one. A name without any has no row.
-#}
{% macro rm_select_alike_ids(log, names) %}
{%- set ctes = rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_named_actions(log) -%}
{%- set selects = [] -%}
{%- for name in names -%}
    {%- set alike = "LOWER(LTRIM(i.id, '0')) = LOWER(LTRIM(a.id, '0'))" -%}
    {%- set select -%}
SELECT *
FROM (
    SELECT
        {{ rankmetrics_sql.rm_string(name) }} AS name, COUNT(*) OVER () AS n_ids, a.id AS done_id, MIN(i.id) AS shown_id
    FROM (SELECT DISTINCT {{ name }} AS id FROM rankmetrics_actions WHERE grade IS NOT NULL) AS a
    INNER JOIN (SELECT DISTINCT {{ name }} AS id FROM rankmetrics_impressions) AS i ON {{ alike }}
    GROUP BY a.id
    HAVING COUNT(CASE WHEN i.id = a.id THEN 1 END) = 0
    ORDER BY a.id
    LIMIT 1
) AS alike_{{ loop.index }}
    {%- endset -%}
    {%- do selects.append(select) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ selects | join('\nUNION ALL\n')) }}
{% endmacro %}

{#- How many requests with impressions the table of all requests lacks, and the first of their ids. -#}
{% macro rm_select_unlisted(log) %}
{%- set keys = log.names | join(', ') -%}
{%- set select -%}
SELECT COUNT(*) AS n_requests, MIN({{ log.names[0] }}) AS first_id
FROM (SELECT DISTINCT {{ keys }} FROM rankmetrics_impressions WHERE {{ rankmetrics_sql.rm_all_known(log.names) }}) AS i
WHERE NOT EXISTS (SELECT 1 FROM rankmetrics_logged AS q WHERE {{ rankmetrics_sql.rm_same('q', 'i', log.names) }})
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_logged(log) -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
began: the requests of the applications whose positions are found to begin at 0, each with its first position. Where
many have nothing at 0, positions of two kinds are in one log.
-#}
{% macro rm_began(log) %}
{%- set keys = rankmetrics_sql.rm_qualified('i', log.names) -%}
{%- set application = ['i.application'] if log.application else [] -%}
{%- set began %}
    {{ rankmetrics_sql.rm_select(application + [{'name': 'first_place', 'sql': 'MIN(i.place)'}]) }}
    FROM rankmetrics_impressions AS i
    {{- rankmetrics_sql.rm_with_base(log) }}
    WHERE {{ rankmetrics_sql.rm_all_known(keys + ['i.item_id']) }} AND i.place >= 0 AND b.base = 0
    GROUP BY {{ (application + keys) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_began', began,
    'the requests where positions are found to begin at 0, each with its first position'
)) }}
{% endmacro %}

{#-
Of each application whose positions are found to begin at 0, or of all rows: how many requests there are, and how many
have nothing at position 0; empty where position_base says it.
-#}
{% macro rm_select_beginnings(log) %}
{%- if log.position_base != 'auto' -%}{{ return('') }}{%- endif -%}
{%- set select -%}
SELECT
    {{ 'application' if log.application else "''" }} AS application,
    COUNT(*) AS n_requests,
    COUNT(CASE WHEN first_place > 0 THEN 1 END) AS n_later
FROM rankmetrics_began
{%- if log.application %}
GROUP BY application
ORDER BY application ASC
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_bases(log) + [rankmetrics_sql.rm_began(log)]
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- Whether an impression stands at position 0; empty where position_base says where positions begin. -#}
{% macro rm_select_zero_place(log) %}
{%- if log.position_base != 'auto' -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_with(rankmetrics_sql.rm_named_impressions(log))
    ~ '\n\nSELECT MAX(CASE WHEN place = 0 THEN 1 ELSE 0 END) AS is_there\nFROM rankmetrics_impressions') }}
{% endmacro %}

{#- How many impressions stand between two places. -#}
{% macro rm_count_split_places(log) %}
{%- set select = 'SELECT COUNT(*) AS n_rows\nFROM rankmetrics_impressions\nWHERE place <> FLOOR(place)' -%}
{{ return(rankmetrics_sql.rm_with(rankmetrics_sql.rm_named_impressions(log)) ~ '\n\n' ~ select) }}
{% endmacro %}
