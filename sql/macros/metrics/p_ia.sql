{#-
title   = "Intent-aware precision"
group   = "diversity"
summary = """\
    Precision at k for each subtopic as if it were the query, averaged over the subtopics that have a relevant item."""
formula = "1/S · Σ_s (relevant items for s among the first k) / k; S: subtopics with a relevant item"
aliases = ["p-ia", "precision_ia", "precision-ia"]
range   = [0, 1]
reads_order = "cutoff"
source  = "Agrawal et al. 2009, WSDM; ndeval: P-IA"
parameters = ["k"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "n_subtopics"]
differs = { "tensorflow-ranking" = "over the length of a list shorter than k" }
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]

[params.k]
help = "look at the first k items only; without k, at as many as were retrieved"

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 1], [1, 1]]
value   = "1"
[[example]]
ranking = [[1, 0], "?", [1, 1], [1, 1]]
k       = 3
value   = "(2/3 + 1/3) / 2"
[[example]]
ranking = [[1, 0]]             # missing places count
missed  = [[0, 1]]
k       = 4
value   = "(1/4) / 2"
[[example]]
ranking = [[1, 2, 0], [2, 0, 1]]
rel     = 2
value   = "(1/2 + 1/2) / 2"
-#}
{% macro metric_p_ia(k=none, rel=1, no_relevant=0) %}
{%- set places = 'MAX(n_retrieved)' if k is none else k -%}
{%- set full = 'MAX(' ~ rankmetrics_sql.rm_n_subtopics(rel) ~ ') * ' ~ places -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_hits(rel, k), full)) }}
{% endmacro %}
