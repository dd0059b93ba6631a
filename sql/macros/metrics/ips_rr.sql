{#-
title   = "Propensity-weighted reciprocal rank"
group   = "propensity"
summary = """\
    Reciprocal rank of the first click, which counts one over the propensity of its item. Self-normalised, that is \
    over the weights of the first clicks of all queries, it is the weighted MRR of Wang et al."""
formula = "w_1 / r_1,  r_1 ≤ k the rank of the first click, w = 1 / max(propensity, floor)"
aliases = ["weighted_rr", "ips_mrr", "weighted_mrr"]
source  = "Wang, Bendersky, Metzler & Najork 2016, SIGIR: MRR weighted by the inverse of the selection bias"
parameters = ["k", "floor", "self_normalised"]
options = ["rel", "no_relevant"]
needs   = ["propensity", "relevant_so_far"]
aggregate_when = { "self_normalised=true" = "parts" }

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
value   = "0"
[[example]]
ranking = [0, 1]
propensity = [1, 0.5]
k       = 2                # the boundary case
value   = "1/2 / 0.5"
[[example]]
ranking = [0, 1, 1]
propensity = [1, 0.5, 0.25]
k       = 1
value   = "0"
[[example]]
ranking = [0, 1, 1]        # the first click counts
propensity = [1, 0.125, 0.5]
floor   = 0.25
value   = "1/2 / 0.25"
[[example]]
ranking = [0, 1]           # of a single query the weight is its own
propensity = [1, 0.125]
self_normalised = "true"
value   = "1/2"
[[example]]
ranking = [1, 3]
propensity = [0.5, 0.25]
rel     = 3
value   = "1/2 / 0.25"
-#}
{% macro metric_ips_rr(k=none, floor=0, self_normalised='false', rel=1, no_relevant=0) %}
{%- set parts = rankmetrics_sql.metric_ips_rr_parts(k=k, floor=floor, rel=rel) -%}
{%- if self_normalised == 'true' -%}
    {{ return(rankmetrics_sql.rm_over_weights(parts[0].sql, parts[1].sql)) }}
{%- endif -%}
{{ return(parts[0].sql) }}
{% endmacro %}

{% macro metric_ips_rr_parts(k=none, floor=0, self_normalised='false', rel=1, no_relevant=0) %}
{%- set first = rankmetrics_sql.rm_is_hit(rel) ~ ' AND ' ~ rankmetrics_sql.rm_relevant_so_far(rel) ~ ' = 1' -%}
{%- set within = first if k is none else first ~ ' AND ' ~ rankmetrics_sql.rm_within(k) -%}
{{ return(rankmetrics_sql.rm_weighted_parts(
    rankmetrics_sql.rm_sum_of_clicks('1 / rnk', floor, within), rankmetrics_sql.rm_sum_of_clicks('1', floor, first)
)) }}
{% endmacro %}

{% macro metric_ips_rr_total(sums, n, k=none, floor=0, self_normalised='false', rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_weighted_total(sums)) }}
{% endmacro %}
