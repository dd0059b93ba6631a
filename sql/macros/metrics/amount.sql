{#-
title   = "Amount"
group   = "click"
summary = """\
    Sum of the values, such as revenue, of the actions of a type on the items within the first k of a request, \
    averaged over requests. A request without such an action is 0; refunds, values below 0, are subtracted."""
formula = "Σ over the first k items of the values of their actions of the type"
aliases = ["revenue", "revenue_per_request", "revenue_per_search", "amount_per_request"]
reads_grades = false
reads_order = "cutoff"
source  = "Kohavi, Tang & Xu 2020, Trustworthy Online Controlled Experiments: revenue; here per request, not per user"
parameters = ["k", "type"]
needs   = ["action_values"]
[needs_when]
"k=none" = ["shared_places"]

[params.type]
default = "purchase"
help    = "the type of action whose values are added; upper and lower case differ"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 0]
action_values = [0, 20, 5]
value   = "20 + 5"
[[example]]
ranking = [1, 0]
action_values = [30, -10]        # returned
value   = "30 - 10"
[[example]]
ranking = [1, 0, 0]
action_values = [0, 20, 5]
k       = 2
value   = "20"
[[example]]
ranking = [1, 0]
type    = "renewal"
action_values = [0, 9.5]
value   = "9.5"
-#}
{% macro metric_amount(k=none, type='purchase') %}
{{ return(rankmetrics_sql.rm_sum_of_actions('amount', type, k)) }}
{% endmacro %}
