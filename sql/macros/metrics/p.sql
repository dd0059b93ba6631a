{#-
title   = "Precision"
group   = "binary"
summary = "Share of relevant items among the first k places, filled or not; without k, among the retrieved items."
formula = "h_k / k"
aliases = ["precision", "set_p", "setp"]
range   = [0, 1]
reads_order = "cutoff"
source  = "trec_eval: P, set_P"
parameters = ["k"]
options = ["rel", "precision_denominator", "no_relevant", "ties"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]
"precision_denominator=min_k_retrieved" = ["n_shown"]
"precision_denominator=min_k_relevant" = ["n_relevant"]

[oracle]
pytrec_eval = "P_{k}"
pytrec_eval_without_k = "set_P"
[[example]]
ranking = []
k       = 2
value   = "0"
[[example]]
ranking = [1, 1]
k       = 2
value   = "1"
[[example]]
ranking = [0, 1, 1]
k       = 2                # the relevant item at rank 3 is one too far
value   = "1/2"
[[example]]
ranking = [1, 0, "?", 0]   # the whole list
value   = "1/4"
[[example]]
ranking = [1]              # a missing place counts
k       = 4
value   = "1/4"
[[example]]
ranking = [1, 2]
k       = 2
rel     = 2
value   = "1/2"
[[example]]
ranking = [0, 1, 1, 0, 1]
k       = 4
value   = "2/4"
-#}
{% macro metric_p(k=none, rel=1, precision_denominator='k', no_relevant=0, ties=none) %}
{%- set hits = rankmetrics_sql.rm_hits(rel, k, ties) -%}
{%- if k is not none and precision_denominator == 'k' -%}{{ return(hits ~ ' / ' ~ k) }}{%- endif -%}
{%- set places = rankmetrics_sql.rm_list_length(k, precision_denominator, rel) -%}
{{ return(rankmetrics_sql.rm_ratio(hits, places)) }}
{% endmacro %}
