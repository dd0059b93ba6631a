{#-
title   = "Last click position"
group   = "click"
summary = "Rank of the lowest clicked item within the first k, averaged over the requests that have one."
formula = "max r over the ranks r ≤ k of the clicked items"
aliases = ["lowest_click_position"]
better  = "lower"
source  = "Chuklin, Serdyukov & de Rijke 2013, SIGIR: MinRR is one over it; last in the list, not in time"
parameters = ["k", "no_click"]
options = ["rel"]
needs   = ["shared_places"]

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = [1, "?", 1, 0]
value   = "3"
[[example]]
ranking = [1, 0, 1]
k       = 2                # the click at rank 3 is one too far
value   = "1"
[[example]]
ranking = [0, 1]
k       = 1
value   = "null"
[[example]]
ranking = [0, 1]
no_click = "skip"
value   = "2"
[[example]]
ranking = [1, 3, 1]
rel     = 3
value   = "2"
-#}
{% macro metric_last_click_position(k=none, no_click='null', rel=1) %}
{{ return('MAX(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN rnk END)') }}
{% endmacro %}
