{#-
title   = "Mean reciprocal rank of clicks"
group   = "click"
summary = """\
    Mean of one over the rank of each clicked item within the first k, averaged over the requests that have one; rr \
    looks at the first click only."""
formula = "Σ (1 / r) / h_k over the ranks r ≤ k of the clicked items"
aliases = ["mean_reciprocal_rank_of_clicks"]
range   = [0, 1]
source  = "Chuklin, Serdyukov & de Rijke 2013, SIGIR: MeanRR"
parameters = ["k", "no_click"]
options = ["rel"]
needs   = ["shared_places"]
[params.no_click]
values  = ["null", "skip", 0]

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = [1, 0]
value   = "1"
[[example]]
ranking = [0, 1, "?", 2]
value   = "(1/2 + 1/4) / 2"
[[example]]
ranking = [0, 1, 1]
k       = 2                # the click at rank 3 is one too far
value   = "1/2"
[[example]]
ranking = [0, 1]
k       = 1
value   = "null"
[[example]]
ranking = [0, 1]
k       = 1
no_click = 0
value   = "0"
[[example]]
ranking = [0, 1]
no_click = "skip"
value   = "1/2"
[[example]]
ranking = [1, 3]
rel     = 3
value   = "1/2"
-#}
{% macro metric_mrr_clicks(k=none, no_click='null', rel=1) %}
{%- set mean = 'AVG(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN 1 / rnk END)' -%}
{{ return('COALESCE(' ~ mean ~ ', 0)' if no_click == 0 else mean) }}
{% endmacro %}
