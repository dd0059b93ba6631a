{#-
title   = "Click-through rate"
group   = "click"
summary = """\
    Share of the items shown within the first k that were clicked, averaged over requests; ctr_pooled divides all \
    clicks by all impressions, which is another number. 0 where nothing is shown."""
formula = "h_k / (items shown with rank ≤ k)"
aliases = ["click_through_rate", "clickthrough_rate"]
range   = [0, 1]
reads_order = "cutoff"
source  = """\
    Richardson, Dominowska & Ragno 2007, WWW, for one item; here the mean over requests, a click being a grade of rel \
    or more, and an item without a grade shown and not clicked"""
parameters = ["k", "type"]
options = ["rel", "ties"]
differs = { "algolia" = "share of the searches with a click, which is success" }
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
k       = 2                # the click at rank 3 is one too far
value   = "1/2"
[[example]]
ranking = [1, "?", 0]      # without a grade: shown, not clicked
value   = "1/3"
[[example]]
ranking = [1, 0]           # no more than two were shown
k       = 5
value   = "1/2"
[[example]]
ranking = [1, 3]           # bought, not only clicked
rel     = 3
value   = "1/2"
[[example]]
ranking = [1, 0, 0]
type    = "add_to_cart"    # the click alone does not count
action_counts = [0, 2, 0]
value   = "1/3"
[[example]]
ranking = [0, 1, 0, 0, 1]
k       = 4
value   = "1/4"
-#}
{% macro metric_ctr(k=none, type=none, rel=1, ties=none) %}
{%- set parts = rankmetrics_sql.metric_ctr_pooled_parts(k=k, type=type, rel=rel, ties=ties) -%}
{{ return(rankmetrics_sql.rm_ratio(parts[0].sql, parts[1].sql)) }}
{% endmacro %}
