{#-
title     = "Amount per click"
group     = "click"
summary   = """\
    Sum of the values, such as revenue, of the actions of a type over the number of clicked items, of all requests \
    together, within the first k. 0 where nothing is clicked."""
formula   = "Σ_q (values of the actions of the type) / Σ_q (clicked items)"
aliases   = ["revenue_per_click"]
aggregate = "parts"
reads_order = "cutoff"
source    = """\
    Google Ads: value per click; here the delta method gives its errors, as Deng, Knoblich & Lu 2018, KDD"""
parameters = ["k", "type", "click"]
options   = ["rel"]
needs     = ["action_values"]
[needs_when]
"k=none" = ["shared_places"]
"click!=none" = ["click_counts"]

[params.type]
default = "purchase"
help    = "the type of action whose values are added; upper and lower case differ"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 1]
action_values = [10, 0, 20]
value   = "(10 + 20) / 2"
[[example]]
ranking = [1, 0, 1]
action_values = [10, 0, 20]
k       = 2
value   = "10"
[[example]]
ranking = [1, 3]           # bought, not only clicked
rel     = 3
action_values = [5, 20]
value   = "5 + 20"
[[example]]
ranking = [1, 0]
type    = "renewal"
action_values = [30, 10]
value   = "40"
[[example]]
ranking = [3, 1]           # the first was bought without a click
click   = "click"
click_counts = [0, 2]
action_values = [30, 0]
value   = "30"
-#}
{% macro metric_amount_per_click(k=none, type='purchase', click=none, rel=1) %}
{%- set parts = rankmetrics_sql.metric_amount_per_click_parts(k=k, type=type, click=click, rel=rel) -%}
{{ return(rankmetrics_sql.rm_ratio(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_amount_per_click_parts(k=none, type='purchase', click=none, rel=1) %}
{{ return([
    {'name': 'amount', 'sql': rankmetrics_sql.rm_sum_of_actions('amount', type, k)},
    {'name': 'clicks', 'sql': rankmetrics_sql.rm_clicked_items(rel, k, type=click)},
]) }}
{% endmacro %}
