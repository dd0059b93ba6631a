{#-
title   = "Propensity-weighted recall"
group   = "propensity"
summary = """\
    Share of the weight of a query's clicks that lies within the first k, a click weighing one over the propensity of \
    its item: self-normalised by its definition."""
formula = "Σ_{r ≤ k} w_r / Σ w over the clicks, retrieved or not,  w = 1 / max(propensity, floor)"
aliases = ["weighted_recall", "ips_recall"]
range   = [0, 1]
divides_by_judgments = true
reads_order = "cutoff"
source  = "Yang, Cui, Xuan, Wang, Belongie & Estrin 2018, RecSys: self-normalised inverse propensity scoring"
parameters = ["k", "floor"]
options = ["rel", "no_relevant"]
needs   = ["propensity"]
[needs_when]
"k=none" = ["shared_places"]

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
value   = "0"
[[example]]
ranking = [1, 0]
propensity = [0.5, 1]
value   = "1"
[[example]]
ranking = [1, 0, 1]
missed  = [1]
propensity = [1, 1, 0.5, 0.25]
k       = 2                # the click at rank 3 is one too far
value   = "1 / (1 + 2 + 4)"
[[example]]
ranking = [1]
missed  = [1]
propensity = [1, 0.125]
floor   = 0.5
value   = "1 / (1 + 2)"
[[example]]
ranking = [1, 3]
missed  = [3]
propensity = [0.5, 0.25, 0.5]
rel     = 3
value   = "4 / (4 + 2)"
-#}
{% macro metric_ips_r(k=none, floor=0, rel=1, no_relevant=0) %}
{%- set found = rankmetrics_sql.rm_sum_of_clicks('1', floor, rankmetrics_sql.rm_is_hit(rel, k)) -%}
{%- set weight = 'MAX(' ~ rankmetrics_sql.rm_click_weight(rel, floor) ~ ')' -%}
{{ return(rankmetrics_sql.rm_over_weights(found, weight)) }}
{% endmacro %}

{% macro metric_ips_r_relation(pass, k=none, floor=0, rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_click_weight_relation(pass, rel, floor)) }}
{% endmacro %}
