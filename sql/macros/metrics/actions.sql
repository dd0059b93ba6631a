{#-
title   = "Actions"
group   = "click"
summary = """\
    Number of actions of a type, such as clicks, on the items within the first k of a request, averaged over requests. \
    Each action counts, also a repeated one; clicks counts each item once."""
formula = "Σ over the first k items of their actions of the type"
aliases = ["actions_per_request"]
reads_grades = false
reads_order = "cutoff"
source  = "Common in search analytics: actions per search"
parameters = ["k", "type"]
needs   = ["action_counts"]
[needs_when]
"k=none" = ["shared_places"]

[params.type]
default = "click"
help    = "the type of action; upper and lower case differ"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 1]
action_counts = [2, 0, 1]  # clicked twice
value   = "2 + 1"
[[example]]
ranking = [1, 0, 1]
type    = "add_to_cart"
action_counts = [2, 0, 1]
k       = 2
value   = "2"
-#}
{% macro metric_actions(k=none, type='click') %}
{{ return(rankmetrics_sql.rm_sum_of_actions('actions', type, k)) }}
{% endmacro %}
