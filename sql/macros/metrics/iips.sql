{#-
title   = "Independent inverse propensity score of a slate"
group   = "propensity"
summary = """\
    Sum of the rewards of a slate, a request with a row per slot, each weighted by the chance of its item in its slot \
    under the target policy over that under the policy that was logged; averaged over requests. The grade is the \
    reward, any number."""
formula = "Σ_{r ≤ k} w g over the slots with a reward,  w = min(target / propensity, clip)"
aliases = ["independent_ips", "item_position_ips"]
source  = """\
    Li, Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay & Wen 2018, KDD: item-position model; Open Bandit Pipeline: \
    SlateIndependentIPS"""
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
value   = "1 * 2 + 2 * 2"
[[example]]
ranking = [1, 1]
propensity = [0.5, 0.125]
target  = [0.5, 1]
clip    = 4
value   = "1 + 4"
[[example]]
ranking = [1, 1]
propensity = [0.5, 0.5]
target  = [1, 1]
k       = 1
value   = "2"
-#}
{% macro metric_iips(k=none, clip=none) %}
{{ return(rankmetrics_sql.rm_sum_of_rows('relevance * ' ~ rankmetrics_sql.rm_row_weight(clip), k)) }}
{% endmacro %}
