{#-
title   = "Conversion rate"
group   = "click"
summary = """\
    1 where a request has an action of a type, such as a purchase, on an item within the first k, else 0; the mean is \
    the share of requests that convert. The grades of actions do not matter."""
formula = "1 if an item within the first k has an action of the type, else 0"
aliases = ["conversion_rate"]
range   = [0, 1]
reads_grades = false
reads_order = "any"
source  = "Kohavi, Tang & Xu 2020, Trustworthy Online Controlled Experiments; here per request, not per user"
parameters = ["k", "type"]
needs   = ["action_counts", "shared_places"]

[ambiguous]
cvr = "the share of requests with a purchase (conversion), or purchases per clicked item (conversion_per_click)"

[params.type]
default = "purchase"
help    = "the type of action, such as add_to_cart; upper and lower case differ"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 0]
action_counts = [0, 2, 1]        # bought twice, and once without a click
value   = "1"
[[example]]
ranking = [1, 0, 0]
action_counts = [0, 0, 1]
k       = 2                # the purchase at rank 3 is one too far
value   = "0"
[[example]]
ranking = [1, 0]
type    = "add_to_cart"
action_counts = [0, 0]
value   = "0"
-#}
{% macro metric_conversion(k=none, type='purchase') %}
{{ return(rankmetrics_sql.rm_has_action(type, k)) }}
{% endmacro %}
