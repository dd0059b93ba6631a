{#-
title   = "Mean click position"
group   = "click"
summary = "Mean rank of the clicked items within the first k, averaged over the requests that have one."
formula = "Σ r / h_k over the ranks r ≤ k of the clicked items"
aliases = ["average_click_position", "avg_click_position"]
better  = "lower"
source  = "Algolia's analytics: average click position"
parameters = ["k", "no_click"]
options = ["rel"]
needs   = ["shared_places"]
differs = { "algolia" = "the mean over all clicks, so that requests with more of them weigh more" }

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = [1, 0]
value   = "1"
[[example]]
ranking = [0, 1, "?", 2]
value   = "(2 + 4) / 2"
[[example]]
ranking = [0, 1, 1]
k       = 2                # the click at rank 3 is one too far
value   = "2"
[[example]]
ranking = [0, 1]
k       = 1
value   = "null"
[[example]]
ranking = [0, 1]
no_click = "skip"
value   = "2"
[[example]]
ranking = [1, 3]
rel     = 3
value   = "2"
-#}
{% macro metric_mean_click_position(k=none, no_click='null', rel=1) %}
{{ return('AVG(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN rnk END)') }}
{% endmacro %}
