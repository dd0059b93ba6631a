{#-
title   = "Alpha-DCG"
group   = "diversity"
summary = """\
    DCG of subtopics, where one more item on the same subtopic gains 1 - alpha times as much; over the DCG of k \
    items that each serve every subtopic."""
formula = """\
    Σ_{r≤k} Σ_s rel_s(r) · (1 − α)^c_s(r) / log₂(r + 1), over S · Σ_{r≤k} (1 − α)^(r − 1) / log₂(r + 1); c_s(r): \
    relevant items for s above r; S: subtopics with a relevant item"""
aliases = ["alpha-dcg", "α_dcg"]
range   = [0, 1]
source  = "Clarke et al. 2008, SIGIR; ndeval: alpha-DCG"
parameters = ["k", "alpha"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "n_subtopics", "relevant_so_far"]
[differs]
"ir_measures" = "by ndeval: @1 it is the number of subtopics of the first item, not divided by S"
"tensorflow-ranking" = "a grade of 2 counts as two items; not divided by the DCG of a full list"
[needs_when]
"k=none" = ["n_retrieved"]

[params.k]
max  = 100000
help = "look at the first k items only; without k, at as many as were retrieved"

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
value   = "(1 + (0.5 + 1)/2) / (2 * (1 + 0.5/log2(3) + 0.25/2))"
[[example]]
ranking = [[1, 0], [0, 1], [0, 1]]
k       = 1
value   = "1/2"
[[example]]
ranking = [[1, 0], [1, 0]]     # nobody found anything on the second subtopic: it does not count
alpha   = 0.25
value   = "(1 + 0.75/log2(3)) / (1 + 0.75/log2(3))"
[[example]]
ranking = [[1, 2], [2, 0]]
rel     = 2
k       = 3                    # the list is shorter than that
value   = "(1 + 1/log2(3)) / (2 * (1 + 0.5/log2(3) + 0.25/2))"
-#}
{% macro metric_alpha_dcg(k=none, alpha=0.5, rel=1, no_relevant=0) %}
{%- set full_gain = rankmetrics_sql.rm_full_gain(k, alpha, 'log2') -%}
{%- set full = 'MAX(' ~ rankmetrics_sql.rm_n_subtopics(rel) ~ ') * MAX(' ~ full_gain ~ ')' -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_novel_gain(k, alpha, rel, 'log2'), full)) }}
{% endmacro %}

{% macro metric_alpha_dcg_relation(pass, k=none, alpha=0.5, rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_full_gain_relation(pass, k, alpha, 'log2')) }}
{% endmacro %}
