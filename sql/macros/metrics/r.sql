{#-
title   = "Recall"
group   = "binary"
summary = "Share of the relevant items that are retrieved within the first k; 0 for a query without relevant items."
formula = "h_k / R"
aliases = ["recall", "set_recall", "setr"]
range   = [0, 1]
divides_by_judgments = true
reads_order = "cutoff"
source  = "trec_eval: recall, set_recall"
parameters = ["k"]
options = ["rel", "no_relevant", "ties"]
needs   = ["n_relevant"]
[needs_when]
"k=none" = ["shared_places"]

[oracle]
pytrec_eval = "recall_{k}"
pytrec_eval_without_k = "set_recall"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1]
k       = 2
value   = "1"
[[example]]
ranking = [1, 0, 1]
k       = 2
value   = "1/2"
[[example]]
ranking = [1, 0, 2]
missed  = [1]
value   = "2/3"
[[example]]
ranking = [1, 2]
missed  = [2]
rel     = 2
value   = "1/2"
[[example]]
ranking = [0, 0]           # nothing relevant
value   = "0"
[[example]]
ranking = [0, 1, 1, 0, 1]
missed  = [1]
k       = 4
value   = "2/4"
-#}
{% macro metric_r(k=none, rel=1, no_relevant=0, ties=none) %}
{%- set relevant = 'NULLIF(MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ '), 0)' -%}
{{ return('COALESCE(' ~ rankmetrics_sql.rm_hits(rel, k, ties) ~ ' / ' ~ relevant ~ ', 0)') }}
{% endmacro %}
