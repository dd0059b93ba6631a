{#-
Segment's tables product_list_viewed and product_clicked (RudderStack and PostHog have the same): from_events for lists
that were viewed. A view is a request; a click, which names no list, is about the last view of its product by that
visitor before it.

viewed      one row per view, with the list products of structures {product_id, position ...}
clicked     one row per click, with product_id
mapping     how products is kept: 'struct', or 'json', as a type or as text
within      the seconds that a click may come after the view
propensity  how likely people look at a position: {position: propensity}, as propensities() estimates it
others      as for from_events
-#}
{% macro from_segment(
    viewed, clicked, columns=none, within=1800, position_base='auto', requests='all', mapping='struct', context=[],
    half_life=none, propensity=none, where=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_segment_log(
    viewed, clicked, columns, position_base, requests, mapping, context, within, half_life, propensity, where
))) }}
{% endmacro %}

{#- As quality_of_events. -#}
{% macro quality_of_segment(
    viewed, clicked, columns=none, within=1800, position_base='auto', requests='all', mapping='struct', context=[],
    half_life=none, where=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_segment_log(
    viewed, clicked, columns, position_base, requests, mapping, context, within, half_life, where=where
))) }}
{% endmacro %}

{% macro rm_segment_log(
    viewed, clicked, columns, position_base, requests, mapping, context=[], within=none, half_life=none,
    propensity=none, where=none
) %}
{%- set own = rankmetrics_sql.rm_source_columns({'user': 'anonymous_id'}, columns) -%}
{%- set products = rankmetrics_sql.rm_records('s.products', mapping) -%}
{%- set position = rankmetrics_sql.rm_field(products, 'position') -%}
{%- set place = 'CAST(' ~ position ~ ' AS ' ~ rankmetrics_sql.rm_integer_type() ~ ')' -%}
{%- set visitor = {'name': 'visitor', 'sql': rankmetrics_sql.rm_over_row(own.user)} -%}
{%- set moment = {'name': 'moment', 'sql': 's.' ~ rankmetrics_sql.rm_quoted('timestamp')} -%}
{%- set shown -%}
SELECT
        {{ rankmetrics_sql.rm_lines([
            {'name': 'view_id', 'sql': 's.id'},
            {'name': 'product_id', 'sql': rankmetrics_sql.rm_field(products, 'product_id')},
            {'name': 'place', 'sql': place}, moment, visitor,
        ] + rankmetrics_sql.rm_context(context)) }}
    FROM rankmetrics_viewed AS s
    {{ products.join }}
{%- endset -%}
{%- set clicks -%}
SELECT
        {{ rankmetrics_sql.rm_lines([{'name': 'product_id', 'sql': 's.product_id'}, moment, visitor]) }}
    FROM rankmetrics_clicked AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_log(
    viewed, clicked, {
        'request': 'view_id', 'item': 'product_id', 'position': 'place', 'type': "'click'", 'time': 'moment',
        'user': 'visitor',
    },
    attribution='user', within=within, position_base=position_base, requests=requests, half_life=half_life,
    context=context, propensity=propensity,
    before=[
        rankmetrics_sql.rm_cte(
            'rankmetrics_viewed', 'SELECT * FROM ' ~ viewed ~ rankmetrics_sql.rm_where_clause(where, requests),
            'the events of lists that were viewed'
        ),
        rankmetrics_sql.rm_cte(
            'rankmetrics_clicked', 'SELECT * FROM ' ~ clicked,
            'the events of products that were clicked'
        ),
    ],
    impressions_select=shown, events_select=clicks
)) }}
{% endmacro %}
