{#-
title     = "Binary preference, geometric mean"
group     = "whole"
summary   = "Binary preference, of which the summary is the geometric mean: queries that do badly weigh more."
formula   = "exp(mean_q ln max(bpref_q, 0.00001))"
range     = [0, 1]
aggregate = "geometric"
about_judgments = true
source    = "trec_eval: gm_bpref"
options   = ["rel", "no_relevant"]
needs     = ["n_relevant", "n_nonrelevant", "nonrelevant_so_far", "facts_on_rows"]
[oracle]
trec_eval = "gm_bpref"     # which gives the logarithm for a single query
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0, 0]
value   = "1"
[[example]]
ranking = [0, "?", 1, 1, 0]
value   = "((1 - 1/2) + (1 - 1/2)) / 2"
[[example]]
ranking = [0, 1, 2, 0]     # N = 3, but R = 1
rel     = 2
value   = "1 - 1/1"
-#}
{% macro metric_gm_bpref(rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.metric_bpref(rel=rel, no_relevant=no_relevant)) }}
{% endmacro %}
