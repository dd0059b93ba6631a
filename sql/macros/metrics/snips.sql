{#-
title   = "Self-normalised inverse propensity score"
group   = "propensity"
summary = """\
    The same sum of weighted rewards as ips over the sum of the weights instead of the number of rows, of all queries \
    together: a mean of the rewards, so never beyond them. 0 where nothing weighs."""
formula = "Σ w g / Σ w over the rows with a reward,  w = min(target / propensity, clip)"
aliases = ["snipw", "self_normalised_ips", "self_normalized_ips"]
aggregate = "parts"
source  = """\
    Swaminathan & Joachims 2015, NIPS; Open Bandit Pipeline: SelfNormalizedInverseProbabilityWeighting"""
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
target  = [1, 0.25, 0.5]
value   = "(1 * 2 + 2 * 2) / (2 + 0.5 + 2)"
[[example]]
ranking = [1, 0]
propensity = [0.5, 0.125]
target  = [0.5, 1]
clip    = 4
value   = "1 / (1 + 4)"
[[example]]
ranking = [3, 1]
propensity = [0.5, 0.5]
target  = [1, 1]
k       = 1
value   = "3"
[[example]]
ranking = [1]
propensity = [0.5]
target  = [0]
value   = "0"
-#}
{% macro metric_snips(k=none, clip=none) %}
{%- set parts = rankmetrics_sql.metric_snips_parts(k=k, clip=clip) -%}
{{ return(rankmetrics_sql.rm_over_weights(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_snips_parts(k=none, clip=none) %}
{%- set rewards = rankmetrics_sql.rm_sum_of_rows('relevance * ' ~ rankmetrics_sql.rm_row_weight(clip), k) -%}
{%- set weights = rankmetrics_sql.rm_sum_of_rows(rankmetrics_sql.rm_row_weight(clip), k) -%}
{{ return(rankmetrics_sql.rm_weighted_parts(rewards, weights)) }}
{% endmacro %}

{% macro metric_snips_total(sums, n, k=none, clip=none) %}
{{ return(rankmetrics_sql.rm_weighted_total(sums)) }}
{% endmacro %}
