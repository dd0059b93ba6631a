{#-
title   = "Ranking loss"
group   = "whole"
summary = """\
    Share of the pairs of a relevant and a non-relevant item of the list that stand in the wrong order; unretrieved \
    items do not count, 0 if there is no pair."""
formula = "1 - AUC; with ties=worst a pair of equal scores counts as wrong, with ties=expected 1/2"
aliases = ["ranking_loss"]
range   = [0, 1]
better  = "lower"
source  = "scikit-learn: label_ranking_loss, where equal scores count as wrong (ties=worst)"
options = ["rel", "no_relevant", "ties"]
needs   = ["n_retrieved"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "0"
[[example]]
ranking = [1, "?", 1, 0]   # unjudged and non-relevant items make four pairs
missed  = [1, 0]
value   = "1/4"
[[example]]
ranking = [0, 1, 2]
rel     = 2
value   = "2/2"
-#}
{% macro metric_label_ranking_loss(rel=1, no_relevant=0, ties=none) %}
{%- set pairs = rankmetrics_sql.rm_hits(rel) ~ ' * ' ~ rankmetrics_sql.rm_listed_nonrelevant(rel) -%}
{{ return(rankmetrics_sql.rm_ratio('(' ~ rankmetrics_sql.rm_wrong_pairs(rel, ties) ~ ')', pairs)) }}
{% endmacro %}
