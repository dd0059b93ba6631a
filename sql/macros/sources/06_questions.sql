{#- What is asked of a log beside its rows: how much of it is used. Python asks more (rankmetrics_sql/sources/sql). -#}

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
    {#- Each action of a type is counted, whatever grades make of it. -#}
    {%- set counts_each = name == 'events' and log.types -%}
    {%- set again = 'nth > 1 AND is_of_types = 0' if counts_each else 'nth > 1' -%}
    {%- set numbered %}
    SELECT
        CASE WHEN reason IS NOT NULL THEN reason WHEN {{ again }} THEN '{{ repeated }}' ELSE 'used' END AS reason
    FROM (
        SELECT
            reason,
            {%- if counts_each %}
            is_of_types,
            {%- endif %}
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
