{#-
title   = "Propensity-weighted precision"
group   = "propensity"
summary = """\
    Clicks within the first k places over k, each of which counts one over the propensity of its item: what precision \
    would be if every item had been looked at."""
formula = "(1/k) Σ_{r ≤ k} w_r over the clicks,  w = 1 / max(propensity, floor)"
aliases = ["weighted_p", "ips_precision"]
reads_order = "cutoff"
source  = "Agarwal, Takatsu, Zaitsev & Joachims 2019, SIGIR: counterfactual estimates of additive metrics"
parameters = ["k", "floor"]
options = ["rel", "no_relevant"]
needs   = ["propensity"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
k       = 2
value   = "0"
[[example]]
ranking = [0, 1, 1]
propensity = [1, 0.5, 0.25]
k       = 2                # the click at rank 3 is one too far
value   = "(1/0.5) / 2"
[[example]]
ranking = [1, "?", 1, 0]   # the whole list
propensity = [1, 1, 0.5, 0.25]
value   = "(1 + 1/0.5) / 4"
[[example]]
ranking = [1, 1]
propensity = [1, 0.125]
k       = 2
floor   = 0.25
value   = "(1 + 1/0.25) / 2"
[[example]]
ranking = [1, 3]
propensity = [0.5, 0.25]
k       = 2
rel     = 3
value   = "(1/0.25) / 2"
-#}
{% macro metric_ips_p(k=none, floor=0, rel=1, no_relevant=0) %}
{%- set clicked = rankmetrics_sql.rm_is_hit(rel, k) -%}
{%- set hits = rankmetrics_sql.rm_sum_of_clicks('1', floor, clicked) -%}
{%- if k is not none -%}{{ return(hits ~ ' / ' ~ k) }}{%- endif -%}
{{ return('COALESCE(' ~ hits ~ ' / NULLIF(MAX(n_retrieved), 0), 0)') }}
{% endmacro %}
