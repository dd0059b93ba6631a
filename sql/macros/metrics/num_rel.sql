{#-
title     = "Number of relevant items"
group     = "counts"
summary   = "How many items are judged relevant, retrieved or not, summed over the queries."
formula   = "Σ_q R"
aliases   = ["numrel"]
aggregate = "sum"
reads_ranks = false
source    = "trec_eval: num_rel"
options   = ["rel"]
needs     = ["n_relevant"]
[oracle]
pytrec_eval_without_k = "num_rel"
[[example]]
ranking = []
missed  = [0]
value   = "0"
[[example]]
ranking = [1, 0]
missed  = [2]
value   = "2"
[[example]]
ranking = [1, 0]
missed  = [2]
rel     = 2
value   = "1"
-#}
{% macro metric_num_rel(rel=1) %}
{{ return('MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')') }}
{% endmacro %}
