{#-
title     = "Number of relevant items retrieved"
group     = "counts"
summary   = "How many relevant items stand within the first k, summed over the queries."
formula   = "Σ_q h_k"
aliases   = ["numrelret", "hit_count"]
aggregate = "sum"
reads_order = "cutoff"
source    = "trec_eval: num_rel_ret"
parameters = ["k"]
options   = ["rel", "ties"]
[needs_when]
"k=none" = ["shared_places"]

[ambiguous]
hits = "the number of relevant items among the first (num_rel_ret@10), or whether there is one (success@10)"

[oracle]
pytrec_eval_without_k = "num_rel_ret"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 2]
value   = "2"
[[example]]
ranking = [1, 0, 2]
k       = 2
value   = "1"
[[example]]
ranking = [1, 0, 2]
rel     = 2
value   = "1"
-#}
{% macro metric_num_rel_ret(k=none, rel=1, ties=none) %}
{{ return(rankmetrics_sql.rm_hits(rel, k, ties)) }}
{% endmacro %}
