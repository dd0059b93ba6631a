{#-
title   = "First click position"
group   = "click"
summary = "Rank of the highest clicked item within the first k, averaged over the requests that have one."
formula = "min r over the ranks r ≤ k of the clicked items"
aliases = ["highest_click_position"]
better  = "lower"
reads_order = "first"
source  = "Radlinski, Kurup & Joachims 2008, CIKM: max reciprocal rank is one over it; first in the list, not in time"
parameters = ["k", "no_click"]
options = ["rel"]
needs   = ["shared_places"]

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = [0, "?", 1, 2]
value   = "3"
[[example]]
ranking = [0, 1, 1]
k       = 2
value   = "2"
[[example]]
ranking = [0, 0, 1]
k       = 2                # one too far
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
{% macro metric_first_click_position(k=none, no_click='null', rel=1) %}
{{ return('MIN(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN rnk END)') }}
{% endmacro %}
