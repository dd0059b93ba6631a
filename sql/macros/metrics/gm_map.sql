{#-
title     = "Average precision, geometric mean"
group     = "binary"
summary   = "Average precision, of which the summary is the geometric mean: queries that do badly weigh more."
formula   = "exp(mean_q ln max(AP_q, 0.00001))"
aliases   = ["gmap", "gm_ap"]
range     = [0, 1]
divides_by_judgments = true
aggregate = "geometric"
source    = "Robertson 2006, CIKM; trec_eval: gm_map"
parameters = ["k"]
options   = ["rel", "ap_denominator", "no_relevant", "ties"]
needs     = ["n_relevant", "relevant_so_far"]
[needs_when]
"ties=expected" = ["tied_relevant", "weight_zipf"]

[oracle]
trec_eval = "gm_map"       # which gives the logarithm for a single query
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "1"
[[example]]
ranking = [1, 0, 1]
missed  = [1]
value   = "(1 + 2/3) / 3"
[[example]]
ranking = [1, 0, 1]
k       = 2
value   = "1 / 2"
[[example]]
ranking = [1, 0, 1]
missed  = [1, 1, 1]
k       = 3
ap_denominator = "min_relevant_k"
value   = "(1 + 2/3) / 3"
[[example]]
ranking = [1, 2, 2]
rel     = 2
value   = "(1/2 + 2/3) / 2"
-#}
{% macro metric_gm_map(k=none, rel=1, ap_denominator='relevant', no_relevant=0, ties=none) %}
{{ return(rankmetrics_sql.metric_ap(k=k, rel=rel, ap_denominator=ap_denominator, no_relevant=no_relevant, ties=ties)) }}
{% endmacro %}
