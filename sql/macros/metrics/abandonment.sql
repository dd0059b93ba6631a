{#-
title   = "Abandonment"
group   = "click"
summary = "1 where no item within the first k was clicked, or none was shown, else 0: one minus success."
formula = "1 if h_k = 0, else 0"
aliases = ["abandonment_rate"]
range   = [0, 1]
better  = "lower"
reads_order = "any"
source  = "Radlinski, Kurup & Joachims 2008, CIKM: abandonment rate, the share of queries without a click"
parameters = ["k", "type"]
options = ["rel", "ties"]
needs   = ["shared_places"]
[needs_when]
"ties=expected" = ["tied_relevant"]
"type!=none" = ["action_counts"]

[[example]]
ranking = []
missed  = [1]
value   = "1"
[[example]]
ranking = [1, 0]
value   = "0"
[[example]]
ranking = ["?", 0]
value   = "1"
[[example]]
ranking = [0, 1]
k       = 1                # the click at rank 2 is one too far
value   = "1"
[[example]]
ranking = [0, 1]
k       = 2
value   = "0"
[[example]]
ranking = [1, 0]
rel     = 3
value   = "1"
[[example]]
ranking = [1, 0, 0]
type    = "add_to_cart"    # the click alone does not count
action_counts = [0, 2, 0]
value   = "0"
-#}
{% macro metric_abandonment(k=none, type=none, rel=1, ties=none) %}
{{ return('1 - ' ~ (rankmetrics_sql.metric_success(k=k, rel=rel, ties=ties) if type is none
    else rankmetrics_sql.rm_has_action(type, k))) }}
{% endmacro %}
