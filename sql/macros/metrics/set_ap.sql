{#-
title   = "Average precision of an unordered set"
group   = "whole"
summary = "Precision times recall of all that is retrieved."
formula = "(h / n) (h / R)"
aliases = ["set_map", "setap"]
range   = [0, 1]
divides_by_judgments = true
reads_ranks = false
source  = "trec_eval: set_map"
options = ["rel", "no_relevant"]
needs   = ["n_relevant", "n_retrieved"]
[oracle]
pytrec_eval_without_k = "set_map"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1]
value   = "1"
[[example]]
ranking = [0, "?", 1]
missed  = [1]
value   = "(1/3) * (1/2)"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "1/2"
-#}
{% macro metric_set_ap(rel=1, no_relevant=0) %}
{%- set hits = rankmetrics_sql.rm_hits(rel) -%}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{{ return(rankmetrics_sql.rm_ratio(hits ~ ' * ' ~ hits, 'MAX(n_retrieved) * ' ~ relevant)) }}
{% endmacro %}
