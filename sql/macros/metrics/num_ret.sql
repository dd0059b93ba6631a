{#-
title     = "Number of retrieved items"
group     = "counts"
summary   = "How many items the run holds, summed over the queries."
formula   = "Σ_q n"
aliases   = ["numret"]
aggregate = "sum"
reads_ranks = false
reads_grades = false
source    = "trec_eval: num_ret"
needs     = ["n_retrieved"]
[oracle]
pytrec_eval_without_k = "num_ret"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, "?", 0]
value   = "3"
-#}
{% macro metric_num_ret() %}
{{ return('MAX(n_retrieved)') }}
{% endmacro %}
