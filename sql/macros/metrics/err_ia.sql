{#-
title   = "Intent-aware expected reciprocal rank"
group   = "diversity"
summary = """\
    Expected 1/rank at which a reader of a random subtopic is satisfied, over that of k items that each serve every \
    subtopic."""
formula = """\
    Σ_{r≤k} Σ_s rel_s(r) · (1 − α)^c_s(r) / r, over S · Σ_{r≤k} (1 − α)^(r − 1) / r; c_s(r): relevant items for s \
    above r; S: subtopics with a relevant item"""
aliases = ["err-ia"]
range   = [0, 1]
source  = "Chapelle et al. 2009, CIKM; ndeval: ERR-IA"
parameters = ["k", "alpha"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "n_subtopics", "relevant_so_far"]
differs = { "ir_measures" = "by ndeval: @1 it is the number of subtopics of the first item, not divided by S" }
[needs_when]
"k=none" = ["n_retrieved"]

[params.k]
max  = 100000
help = "look at the first k items only; without k, at as many as were retrieved"
[params.alpha]
help = "how likely a relevant item is to satisfy the reader, 0 to 1"

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 1], [1, 1]]     # every item serves every subtopic
value   = "1"
[[example]]
ranking = [[1, 0], "?", [1, 1]]
k       = 3
value   = "(1 + (0.5 + 1)/3) / (2 * (1 + 0.5/2 + 0.25/3))"
[[example]]
ranking = [[1, 0], [0, 1], [0, 1]]
k       = 1
value   = "1/2"
[[example]]
ranking = [[1, 0], [0, 1]]
alpha   = 1                    # whoever has found something reads no further
value   = "(1 + 1/2) / 2"
[[example]]
ranking = [[1, 2], [2, 0]]
rel     = 2
value   = "(1 + 1/2) / (2 * (1 + 0.5/2))"
-#}
{% macro metric_err_ia(k=none, alpha=0.5, rel=1, no_relevant=0) %}
{%- set full_gain = rankmetrics_sql.rm_full_gain(k, alpha, 'zipf') -%}
{%- set full = 'MAX(' ~ rankmetrics_sql.rm_n_subtopics(rel) ~ ') * MAX(' ~ full_gain ~ ')' -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_novel_gain(k, alpha, rel, 'zipf'), full)) }}
{% endmacro %}

{% macro metric_err_ia_relation(pass, k=none, alpha=0.5, rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_full_gain_relation(pass, k, alpha, 'zipf')) }}
{% endmacro %}
