{#-
title   = "Inverse propensity score"
group   = "propensity"
summary = """\
    Mean reward of the logged rows of all queries together, each weighted by the chance of its action under the target \
    policy over that under the policy that was logged: what the target policy would have earned. The grade is the \
    reward, any number; k counts the first k slots only."""
formula = "Σ w g / n over the rows with a reward,  w = min(target / propensity, clip)"
aliases = ["ipw", "inverse_propensity_score"]
aggregate = "parts"
source  = """\
    Horvitz & Thompson 1952; Strehl, Langford, Li & Kakade 2010, NIPS; Open Bandit Pipeline: \
    InverseProbabilityWeighting"""
parameters = ["k", "clip"]
needs   = ["propensity", "target"]
[needs_when]
"k=none" = ["shared_places"]

[params.k]
help = "look at the first k slots only"

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
target  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 2]
propensity = [0.5, 0.5, 0.25]
target  = [1, 0, 0.5]
value   = "(1 * 2 + 0 + 2 * 2) / 3"
[[example]]
ranking = [1, 1]
propensity = [0.5, 0.125]
target  = [0.5, 1]
clip    = 4
value   = "(1 + 4) / 2"
[[example]]
ranking = [1, 1]
propensity = [0.5, 0.5]
target  = [1, 1]
k       = 1
value   = "2"
-#}
{% macro metric_ips(k=none, clip=none) %}
{%- set parts = rankmetrics_sql.metric_ips_parts(k=k, clip=clip) -%}
{{ return(rankmetrics_sql.rm_over_weights(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_ips_parts(k=none, clip=none) %}
{%- set rewards = rankmetrics_sql.rm_sum_of_rows('relevance * ' ~ rankmetrics_sql.rm_row_weight(clip), k) -%}
{{ return(rankmetrics_sql.rm_weighted_parts(rewards, rankmetrics_sql.rm_sum_of_rows('1', k))) }}
{% endmacro %}

{% macro metric_ips_total(sums, n, k=none, clip=none) %}
{{ return(rankmetrics_sql.rm_weighted_total(sums)) }}
{% endmacro %}
