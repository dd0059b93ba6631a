{#-
title   = "Ideal discounted cumulated gain"
group   = "graded"
summary = "The DCG at k of the best possible ranking of the judged items."
formula = "Σ_{r ≤ k} gain(g*_r) / log₂(r + 1),  g* all judged grades, best first"
aliases = ["ideal_dcg"]
source  = "Jarvelin & Kekalainen 2002, ACM TOIS 20(4); ideal over all judgments as in trec_eval"
parameters = ["k"]
options = ["gain", "rel", "discount", "ideal_depth"]
takes_estimates = true
needs   = ["ideal_dcg"]
reads_ranks = false
[needs_when]
"ideal_depth=min_k_retrieved" = ["n_retrieved"]
"ideal_depth=present" = ["gain"]

[[example]]
ranking = []
missed  = [0]
k       = 2
value   = "0"
[[example]]
ranking = [3, 2]
k       = 2
value   = "3 + 2/log2(3)"
[[example]]
ranking = [0, 2, 1]
missed  = [3]
k       = 2
value   = "3 + 2/log2(3)"
[[example]]
ranking = [2, 3, 0, 1, 2]
gain    = "exp2"
value   = "7 + 3/log2(3) + 3/2 + 1/log2(5)"
[[example]]
ranking = [3, 1]
missed  = [2]
gain    = "binary"
rel     = 2
value   = "1 + 1/log2(3)"
-#}
{% macro metric_idcg(k=none, gain='linear', rel=1, discount='log2', ideal_depth='min_k') %}
{{ return(rankmetrics_sql.rm_ideal_value(gain, rel, k, discount, ideal_depth)) }}
{% endmacro %}
