{#-
title   = "Relative precision"
group   = "binary"
summary = """\
    Precision over the best precision that is possible there: hits over k or over the relevant items, whichever is \
    less; without k, over the whole list."""
formula = "h_k / min(k, R);  without k: h / min(n, R)"
aliases = ["set_relative_p", "relative_precision", "setrelp"]
range   = [0, 1]
divides_by_judgments = true
reads_order = "cutoff"
source  = "trec_eval: relative_P, set_relative_P"
parameters = ["k"]
options = ["rel", "no_relevant", "ties"]
needs   = ["n_relevant"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]

[oracle]
pytrec_eval = "relative_P_{k}"
pytrec_eval_without_k = "set_relative_P"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, 0]        # all there are
k       = 2
value   = "1"
[[example]]
ranking = [0, 1, 1]
k       = 2
value   = "1/2"
[[example]]
ranking = [1]              # a missing place counts
missed  = [1, 1]
k       = 2
value   = "1/2"
[[example]]
ranking = [1]              # without k it does not
missed  = [1, 1]
value   = "1"
[[example]]
ranking = [1, 2, 0]
missed  = [2]
rel     = 2
value   = "1/2"
-#}
{% macro metric_relative_p(k=none, rel=1, no_relevant=0, ties=none) %}
{%- set length = 'MAX(n_retrieved)' if k is none else k | string -%}
{%- set places = rankmetrics_sql.rm_lesser('MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')', length) -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_hits(rel, k, ties), places)) }}
{% endmacro %}
