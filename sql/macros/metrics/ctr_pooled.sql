{#-
title     = "Click-through rate, pooled"
group     = "click"
summary   = """\
    Clicked items over shown items within the first k of all requests together, so that long lists weigh more; ctr is \
    the mean over requests. 0 where nothing is shown."""
formula   = "Σ_q h_k / Σ_q (items shown with rank ≤ k)"
aliases   = ["pooled_ctr"]
range     = [0, 1]
aggregate = "parts"
reads_order = "cutoff"
source    = """\
    Google Ads: clicks divided by impressions; a click is a grade of rel or more, and an item without a grade was \
    shown and not clicked"""
parameters = ["k", "type"]
options   = ["rel", "ties"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]
"k!=none" = ["n_shown"]
"type!=none" = ["action_counts"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1]
value   = "1"
[[example]]
ranking = [0, 1, 1]
k       = 2
value   = "1/2"
[[example]]
ranking = [1, "?", 0]
value   = "1/3"
[[example]]
ranking = [1, 0]
k       = 5
value   = "1/2"
[[example]]
ranking = [1, 3]
rel     = 3
value   = "1/2"
[[example]]
ranking = [1, 0, 0]
type    = "add_to_cart"    # the click alone does not count
action_counts = [0, 2, 0]
value   = "1/3"
-#}
{% macro metric_ctr_pooled(k=none, type=none, rel=1, ties=none) %}
{{ return(rankmetrics_sql.metric_ctr(k=k, type=type, rel=rel, ties=ties)) }}
{% endmacro %}

{% macro metric_ctr_pooled_parts(k=none, type=none, rel=1, ties=none) %}
{%- set shown = 'MAX(n_retrieved)' if k is none else 'MAX(' ~ rankmetrics_sql.rm_n_shown(k) ~ ')' -%}
{{ return([
    {'name': 'clicks', 'sql': rankmetrics_sql.rm_clicked_items(rel, k, ties, type)},
    {'name': 'shown', 'sql': 'COALESCE(' ~ shown ~ ', 0)'},
]) }}
{% endmacro %}
