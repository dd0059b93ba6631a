{#-
title     = "Number of queries"
group     = "counts"
summary   = "How many queries are scored."
formula   = "Σ_q 1"
aliases   = ["numq"]
aggregate = "sum"
reads_ranks = false
reads_grades = false
source    = "trec_eval: num_q"
[[example]]
ranking = []
missed  = [1]
value   = "1"
[[example]]
ranking = [1]
value   = "1"
-#}
{% macro metric_num_q() %}
{{ return('1') }}
{% endmacro %}
