{#-
title   = "Recall capped at k"
group   = "binary"
summary = "Relevant items within k over as many as could stand there: min(k, R); 0 for a query without relevant items."
formula = "h / min(k, R) with h hits within k among R relevant items"
aliases = ["recall_cap", "r_capped", "capped_recall"]
range   = [0, 1]
divides_by_judgments = true
reads_order = "cutoff"
source  = "BEIR: recall_cap; RecTools: Precision(r_precision=True)"
parameters = ["k"]
options = ["rel", "no_relevant", "ties"]
needs   = ["n_relevant"]
[needs_when]
"k=none" = ["shared_places"]

[[example]]
ranking = []
missed  = [1]
k       = 2
value   = "0"
[[example]]
ranking = [1, 1, 0, 1]     # three relevant items, but two places
k       = 2
value   = "1"
[[example]]
ranking = [1, 0, 1]
missed  = [1, 1]
k       = 3
value   = "2/3"
[[example]]
ranking = [0, 1]           # one relevant item is all there is
k       = 5
value   = "1/1"
[[example]]
ranking = [1, 2]
k       = 2
rel     = 2
value   = "1/1"
-#}
{% macro metric_r_cap(k=none, rel=1, no_relevant=0, ties=none) %}
{%- set relevant = rankmetrics_sql.rm_n_relevant(rel) -%}
{%- set places = 'MAX(' ~ relevant ~ ')' if k is none else rankmetrics_sql.rm_list_length(k, 'min_k_relevant', rel) -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_hits(rel, k, ties), places)) }}
{% endmacro %}
