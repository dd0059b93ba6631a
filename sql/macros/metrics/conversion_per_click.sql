{#-
title     = "Conversion per click"
group     = "click"
summary   = """\
    Requests with an action of a type, such as a purchase, over the number of clicked items, of all requests \
    together, within the first k. 0 where nothing is clicked."""
formula   = "Σ_q (1 if an item has an action of the type, else 0) / Σ_q (clicked items)"
aliases   = ["click_conversion_rate"]
aggregate = "parts"
reads_order = "cutoff"
source    = """\
    Google Ads: conversion rate; here the delta method gives its errors, as Deng, Knoblich & Lu 2018, KDD"""
parameters = ["k", "type", "click"]
options   = ["rel"]
needs     = ["action_counts"]
[needs_when]
"k=none" = ["shared_places"]
"click!=none" = ["click_counts"]

[params.type]
default = "purchase"
help    = "the type of action that converts; upper and lower case differ"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 1]
action_counts = [1, 0, 2]        # a request converts once
value   = "1 / 2"
[[example]]
ranking = [1, 0, 1]
action_counts = [0, 0, 1]
k       = 2
value   = "0"
[[example]]
ranking = [1, 3]
rel     = 3
action_counts = [1, 1]
value   = "1"
[[example]]
ranking = [1, 1]
type    = "add_to_cart"
action_counts = [0, 1]
value   = "1 / 2"
[[example]]
ranking = [3, 1]
click   = "click"
click_counts = [0, 2]           # of one item
action_counts = [1, 0]
value   = "1"
-#}
{% macro metric_conversion_per_click(k=none, type='purchase', click=none, rel=1) %}
{%- set parts = rankmetrics_sql.metric_conversion_per_click_parts(k=k, type=type, click=click, rel=rel) -%}
{{ return(rankmetrics_sql.rm_ratio(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_conversion_per_click_parts(k=none, type='purchase', click=none, rel=1) %}
{{ return([
    {'name': 'conversions', 'sql': rankmetrics_sql.rm_has_action(type, k)},
    {'name': 'clicks', 'sql': rankmetrics_sql.rm_clicked_items(rel, k, type=click)},
]) }}
{% endmacro %}
