{#-
title   = "Clicks"
group   = "click"
summary = "Number of clicked items within the first k of a request, averaged over requests; num_rel_ret is the sum."
formula = "h_k"
aliases = ["clicks_per_query", "clicks_per_request"]
reads_order = "cutoff"
source  = "Radlinski, Kurup & Joachims 2008, CIKM: clicks per query; here each item counts once"
parameters = ["k", "type"]
options = ["rel", "ties"]
[needs_when]
"k=none" = ["shared_places"]
"type!=none" = ["action_counts"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, "?", 0, 2]
value   = "1 + 1"
[[example]]
ranking = [1, 0, 1]
k       = 2                # the click at rank 3 is one too far
value   = "1"
[[example]]
ranking = [1, 3]
rel     = 3
value   = "1"
[[example]]
ranking = [1, 0, 0]
type    = "add_to_cart"    # the click alone does not count
action_counts = [0, 2, 0]
value   = "1"
-#}
{% macro metric_clicks(k=none, type=none, rel=1, ties=none) %}
{{ return(rankmetrics_sql.rm_clicked_items(rel, k, ties, type)) }}
{% endmacro %}
