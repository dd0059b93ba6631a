{#- What was shown: the impressions of a log, counted from position 1, and the items of each request. -#}

{#- impressions: the rows of the log under our names, below the table that they come from. -#}
{% macro rm_named_impressions(log, hint=none) %}
{%- set item = {'name': 'item_id', 'sql': rankmetrics_sql.rm_nullable(log.item)} -%}
{%- set optional = {'shown_at': log.time, 'user_id': log.user} -%}
{%- if log.position_base == 'auto' -%}{%- do optional.update({'application': log.application}) -%}{%- endif -%}
{%- set columns = log.key_columns + [item, {'name': 'place', 'sql': log.position}]
    + rankmetrics_sql.rm_there(optional) + log.context + rankmetrics_sql.rm_there({'propensity': log.propensity})
    + rankmetrics_sql.rm_columns_of_typing(log) -%}
{%- set source = rankmetrics_sql.rm_read_log(
    log.impressions, 'rankmetrics_impressions_source', 'the log of impressions as given', hint
) -%}
{%- set named %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ source.name }} AS s
{%- endset -%}
{{ return(log.before + source.stages + [
    rankmetrics_sql.rm_cte('rankmetrics_impressions', named, 'the impressions, with their columns renamed', hint),
]) }}
{% endmacro %}

{#- Those of some columns that there are, {name: sql or none}. -#}
{% macro rm_there(columns) %}
{%- set found = [] -%}
{%- for name, sql in columns.items() if sql is not none -%}
    {%- do found.append({'name': name, 'sql': sql}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#-
bases: the lowest position, of each application if one is known; where it is not given. A position 0 says that it is 0;
a negative one, such as -1 where nothing is known, is no position.
-#}
{% macro rm_bases(log) %}
{%- if log.position_base != 'auto' -%}{{ return([]) }}{%- endif -%}
{%- set bases %}
    SELECT{{ ' application,' if log.application else '' }} MIN(CASE WHEN place = 0 THEN 0 ELSE 1 END) AS base
    FROM rankmetrics_impressions
{%- if log.application %}
    GROUP BY application
{%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_bases', bases,
    'whether positions are counted from 0 or from 1, for each application' if log.application
        else 'whether positions are counted from 0 or from 1'
)]) }}
{% endmacro %}

{#- The base, and what brings it to the impressions i. -#}
{% macro rm_base(log) %}
{{ return('b.base' if log.position_base == 'auto' else log.position_base) }}
{% endmacro %}

{% macro rm_with_base(log) %}
{%- if log.position_base != 'auto' -%}{{ return('') }}{%- endif -%}
{%- if not log.application -%}{{ return('\n    CROSS JOIN rankmetrics_bases AS b') }}{%- endif -%}
{{ return('\n    INNER JOIN rankmetrics_bases AS b ON b.application = i.application') }}
{% endmacro %}

{#- What is known of an impression beside its place. -#}
{% macro rm_handed_names(log) %}
{%- set others = rankmetrics_sql.rm_there({'shown_at': log.time, 'user_id': log.user}) + log.context -%}
{{ return(others | map(attribute='name') | list) }}
{% endmacro %}

{#- impression_rows: the same with those that are set aside, and the reason. -#}
{% macro rm_impression_rows(log) %}
{%- set base = rankmetrics_sql.rm_base(log) -%}
{%- set kept = rankmetrics_sql.rm_names_of_impressions(log) -%}
{%- set has_arms = rankmetrics_sql.rm_of_role(log, ['arm']) -%}
{%- set collapses = rankmetrics_sql.rm_collapses(log) -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('i', kept)) }},
        i.place - {{ base }} + 1 AS position,
        CASE
            WHEN {{ rankmetrics_sql.rm_any_unknown(rankmetrics_sql.rm_qualified('i', log.names)) }} THEN 'no request'
            WHEN i.item_id IS NULL THEN 'no item'
            WHEN i.place IS NULL THEN 'no position'
            WHEN i.place < 0 THEN 'negative position'
            WHEN i.place < {{ base }} THEN 'position below the base'
{%- if collapses %}
            WHEN y.is_typed = 1 THEN 'typed further'
{%- endif %}
{%- if has_arms %}
            WHEN d.has_two_arms = 1 THEN 'request of two arms'
{%- endif %}
        END AS reason
    FROM rankmetrics_impressions AS i
    {{- rankmetrics_sql.rm_with_base(log) }}
{%- if collapses %}
    LEFT JOIN rankmetrics_typed AS y ON {{ rankmetrics_sql.rm_same('y', 'i', log.names) }}
{%- endif %}
{%- if has_arms %}
    LEFT JOIN rankmetrics_disagreeing AS d ON {{ rankmetrics_sql.rm_same('d', 'i', log.names) }}
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_impression_rows', rows,
    'each impression with its position from 1 on, and the reason if it is set aside'
)) }}
{% endmacro %}

{% macro rm_names_of_impressions(log) %}
{%- set own = ['propensity'] if log.propensity is not none else [] -%}
{{ return(log.names + ['item_id'] + rankmetrics_sql.rm_handed_names(log) + own) }}
{% endmacro %}

{#- usable: the impressions that are not set aside, with their positions. -#}
{% macro rm_usable_impressions(log) %}
{%- set base = rankmetrics_sql.rm_base(log) -%}
{%- set kept = rankmetrics_sql.rm_names_of_impressions(log) -%}
{%- set columns = rankmetrics_sql.rm_columns_from('i', kept)
    + [{'name': 'position', 'sql': 'i.place - ' ~ base ~ ' + 1'}] -%}
{%- set known = rankmetrics_sql.rm_qualified('i', log.names + ['item_id']) -%}
{%- set usable %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM rankmetrics_impressions AS i
    {{- rankmetrics_sql.rm_with_base(log) }}
    WHERE {{ rankmetrics_sql.rm_all_known(known) }} AND i.place >= {{ base }}
        {{- rankmetrics_sql.rm_not_typed(log, rankmetrics_sql.rm_qualified('i', log.names)) }}
{%- endset -%}
{%- set hint = none if log.before
    else rankmetrics_sql.rm_hint_of_table(log.impressions.select or log.impressions.relation) -%}
{{ return(rankmetrics_sql.rm_named_impressions(log, hint) + rankmetrics_sql.rm_bases(log)
    + rankmetrics_sql.rm_typed(log) + [rankmetrics_sql.rm_cte(
    'rankmetrics_usable', usable,
    'the impressions that are not set aside, with their positions from 1 on', hint
)]) }}
{% endmacro %}

{#-
usable: the impressions that are not set aside. shown_items: each item of a request once, where it stood highest, with
the propensity that it had there.
-#}
{% macro rm_shown_items(log) %}
{%- set others = rankmetrics_sql.rm_handed_names(log) -%}
{%- set grouped = log.names + ['item_id'] -%}
{%- set kept = rankmetrics_sql.rm_names_of_impressions(log) -%}
{%- set placed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kept) }},
        position,
        ROW_NUMBER() OVER (
            PARTITION BY {{ grouped | join(', ') }} ORDER BY position ASC, propensity ASC
        ) AS place_number
    FROM rankmetrics_usable
{%- endset -%}
{%- set columns = rankmetrics_sql.rm_columns_from('i', grouped)
    + rankmetrics_sql.rm_each('MIN(i.', ['position'] + others)
    + ([{'name': 'propensity', 'sql': 'MIN(CASE WHEN i.place_number = 1 THEN i.propensity END)'}]
        if log.propensity is not none else []) -%}
{%- set shown %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ 'rankmetrics_usable' if log.propensity is none else 'rankmetrics_placed' }} AS i
    {{- rankmetrics_sql.rm_of_one_arm(log, '\n    WHERE') }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('i', grouped) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_usable_impressions(log)
    + rankmetrics_sql.rm_disagreeing(log, 'FROM rankmetrics_usable AS i') + ([rankmetrics_sql.rm_cte(
    'rankmetrics_placed', placed,
    'the impressions of each item in a request, numbered from its highest position'
)] if log.propensity is not none else []) + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_shown_items', shown,
        'the items of each request, each once, at its highest position'
    ),
]) }}
{% endmacro %}
