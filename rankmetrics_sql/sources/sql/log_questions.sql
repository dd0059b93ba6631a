{#- What Python asks of a log before it reads its rows: what is in it, and whether its parts agree. -#}

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
    {{- rankmetrics_sql.rm_not_typed(log, rankmetrics_sql.rm_qualified('i', log.names)) }}
{%- endset -%}
{%- set ctes = rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_logged(log) -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
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

{#- How many searches have a user and a time, by which they could collapse, and how many of these a text. -#}
{% macro rm_select_texts(log) %}
{{ return(rankmetrics_sql.rm_with(rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_typed(log))
    ~ '\n\nSELECT COUNT(*) AS n_searches, COUNT(typed_text) AS n_texts\nFROM rankmetrics_searches') }}
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

{#- The impressions that are not set aside for what they lack. -#}
{% macro rm_from_usable(log) %}
{%- set known = rankmetrics_sql.rm_qualified('i', log.names + ['item_id']) -%}
{{ return('FROM rankmetrics_impressions AS i' ~ rankmetrics_sql.rm_with_base(log) ~ '\n    WHERE '
    ~ rankmetrics_sql.rm_all_known(known) ~ ' AND i.place >= ' ~ rankmetrics_sql.rm_base(log)) }}
{% endmacro %}

{#- The requests whose impressions name two arms, with both. -#}
{% macro rm_select_two_arms(log) %}
{%- set arm = rankmetrics_sql.rm_of_role(log, ['arm'])[0] -%}
{%- set keys = rankmetrics_sql.rm_qualified('i', log.names) | join(', ') -%}
{%- set select -%}
SELECT {{ keys }}, MIN(i.{{ arm }}) AS lowest, MAX(i.{{ arm }}) AS highest
{{ rankmetrics_sql.rm_from_usable(log) }}
GROUP BY {{ keys }}
HAVING {{ rankmetrics_sql.rm_name_two([arm], 'i.') }}
ORDER BY {{ keys }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_named_impressions(log) + rankmetrics_sql.rm_bases(log)
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- Of two positions at which items were shown for the same query: what was clicked at the one, and what was not. -#}
{% macro rm_pairs_of_positions(relation, columns=none, rel=1) %}
{%- set own = rankmetrics_sql.rm_columns_of_clicks(columns) -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.query_id) | map(attribute='name') | list + ['item_id'] -%}
{%- set select -%}
SELECT
    a.place AS place,
    b.place AS place_beside,
    SUM(a.rate) AS clicked,
    SUM(1 - a.rate) AS not_clicked
FROM rankmetrics_rates AS a
INNER JOIN rankmetrics_rates AS b ON {{ rankmetrics_sql.rm_same('a', 'b', keys) }}
WHERE a.place <> b.place
GROUP BY a.place, b.place
ORDER BY place ASC, place_beside ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(rankmetrics_sql.rm_click_rates(relation, own, rel)) ~ '\n\n' ~ select) }}
{% endmacro %}

{#-
The lowest and the highest of the currencies of the amounts that count, the same unless amounts of two would be added.
-#}
{% macro rm_select_currencies(log) %}
{%- set select -%}
SELECT MIN(a.currency) AS lowest, MAX(a.currency) AS highest
{{ rankmetrics_sql.rm_from_credited(log, true) }}
    AND {{ rankmetrics_sql.rm_is_of_types(log, 'a.') }} AND a.amount IS NOT NULL
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_shown_items(log) + rankmetrics_sql.rm_named_actions(log)
    + (rankmetrics_sql.rm_last_shown(log) if log.attribution == 'user' else []) + rankmetrics_sql.rm_first_shown(log)
) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- How many values would fall together with others if their texts had no outer spaces and no upper case. -#}
{% macro rm_select_alike_values(relation, by, texts) %}
{%- set forms = [] -%}
{%- for column in by -%}
    {%- do forms.append({
        'name': 'form_' ~ loop.index,
        'sql': rankmetrics_sql.rm_normalised(column, 'trim, lower' if column in texts else none),
    }) -%}
{%- endfor -%}
{%- set names = forms | map(attribute='name') | join(', ') -%}
{%- set select -%}
SELECT COALESCE(SUM(n_values - 1), 0) AS n_alike
FROM (
    SELECT {{ names }}, COUNT(*) AS n_values
    FROM (
        {{ rankmetrics_sql.rm_select(forms, 8) }}
        FROM (SELECT DISTINCT {{ by | join(', ') }} FROM {{ relation }}) AS given
    ) AS as_compared
    GROUP BY {{ names }}
) AS forms
{%- endset -%}
{{ return(select) }}
{% endmacro %}
