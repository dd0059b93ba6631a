{#-
Segment's tables product_list_viewed and product_clicked (RudderStack and PostHog have the same): from_events for lists
that were viewed. A view is a request; a click, which names no list, is about the last view of its product by that
visitor before it.

viewed      one row per view, with the list products of structures {product_id, position ...}
clicked     one row per click, with product_id
ordered     order_completed, one row per order, with such a list products: purchases, each worth price times quantity
types       as for from_events: click and, with ordered, purchase
mapping     how products is kept: 'struct', or 'json', as a type or as text
within      the seconds that a click may come after the view
columns     {'user': ..., 'currency': ..., 'text': ...}: who saw and acted; the currency of orders; for collapse, the
            search text of a view, which Segment's own lacks
propensity  how likely people look at a position: {position: propensity}, as propensities() estimates it
others      as for from_events
-#}
{% macro from_segment(
    viewed, clicked, columns=none, within=1800, position_base='auto', requests='all', mapping='struct', context=[],
    half_life=none, propensity=none, where=none, ordered=none, types=[], amounts=true, seconds=true,
    collapse=none, collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_select(rankmetrics_sql.rm_segment_log(
    viewed, clicked, columns, position_base, requests, mapping, context, within, half_life, propensity, where,
    ordered, types, amounts, seconds, collapse, collapse_within
))) }}
{% endmacro %}

{#- As quality_of_events. -#}
{% macro quality_of_segment(
    viewed, clicked, columns=none, within=1800, position_base='auto', requests='all', mapping='struct', context=[],
    half_life=none, where=none, ordered=none, types=[], collapse=none, collapse_within=10
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_events_quality(rankmetrics_sql.rm_segment_log(
    viewed, clicked, columns, position_base, requests, mapping, context, within, half_life, where=where,
    ordered=ordered, types=types, amounts=false, collapse=collapse, collapse_within=collapse_within
))) }}
{% endmacro %}

{% macro rm_segment_log(
    viewed, clicked, columns, position_base, requests, mapping, context=[], within=none, half_life=none,
    propensity=none, where=none, ordered=none, types=[], amounts=true, seconds=true, collapse=none, collapse_within=10
) %}
{%- set own = rankmetrics_sql.rm_source_columns({'user': 'anonymous_id', 'currency': none, 'text': none}, columns) -%}
{%- set reads_text = collapse is not none and own.text is not none -%}
{%- set is_worth = types and amounts and ordered is not none -%}
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
        ] + ([{'name': 'search_text', 'sql': rankmetrics_sql.rm_over_row(own.text)}] if reads_text else [])
            + rankmetrics_sql.rm_context(context)) }}
    FROM rankmetrics_viewed AS s
    {{ products.join }}
{%- endset -%}
{%- set of_clicks = [] if ordered is none else [{'name': 'action', 'sql': "'click'"}]
    + (rankmetrics_sql.rm_unknown(['worth']) if is_worth else [])
    + rankmetrics_sql.rm_nulls(['currency'] if own.currency is not none else []) -%}
{%- set worth = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_field(products, 'price')) ~ ' * COALESCE('
    ~ rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_field(products, 'quantity')) ~ ', 1)' -%}
{%- set of_orders = [
    {'name': 'product_id', 'sql': rankmetrics_sql.rm_field(products, 'product_id')}, moment, visitor,
    {'name': 'action', 'sql': "'purchase'"},
] + rankmetrics_sql.rm_there({
    'worth': worth if is_worth else none, 'currency': rankmetrics_sql.rm_optional_column(own.currency),
}) -%}
{%- set clicks -%}
SELECT
        {{ rankmetrics_sql.rm_lines([{'name': 'product_id', 'sql': 's.product_id'}, moment, visitor] + of_clicks) }}
    FROM rankmetrics_clicked AS s
{%- if ordered is not none %}
    UNION ALL
    SELECT
        {{ rankmetrics_sql.rm_lines(of_orders) }}
    FROM rankmetrics_ordered AS s
    {{ products.join }}
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_log(
    viewed, clicked, {
        'request': 'view_id', 'item': 'product_id', 'position': 'place',
        'type': "'click'" if ordered is none else 'action', 'time': 'moment', 'user': 'visitor',
        'value': 'worth' if is_worth else none, 'currency': none if own.currency is none else 'currency',
        'text': 'search_text' if reads_text else none,
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
    ] + ([rankmetrics_sql.rm_cte(
        'rankmetrics_ordered', 'SELECT * FROM ' ~ ordered,
        'the events of completed orders'
    )] if ordered is not none else []),
    impressions_select=shown, events_select=clicks, types=types, amounts=amounts, seconds=seconds, collapse=collapse,
    collapse_within=collapse_within
)) }}
{% endmacro %}
