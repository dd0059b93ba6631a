{#-
title   = "nDCG, normalised discounted cumulated gain"
group   = "graded"
summary = "DCG of the ranking over the DCG of the best possible ranking of the judged items, both cut at k."
formula = "(Σ_{r≤k} g_r / log2(r + 1)) / (the same sum of the best order of all judged items)"
aliases = ["ndcg_cut", "normalized_dcg", "normalized_discounted_cumulative_gain"]
spellings = { ndcg_burges = "gain=exp2" }
range   = [0, 1]
source  = "Jarvelin & Kekalainen 2002, ACM TOIS 20(4); trec_eval: ndcg, ndcg_cut"
parameters = ["k"]
options = ["gain", "rel", "discount", "ideal_depth", "zero_ideal", "no_relevant", "ties"]
takes_estimates = true
needs   = ["gain", "ideal_dcg"]
[needs_when]
"ideal_depth=min_k_retrieved" = ["n_retrieved"]
"ties=expected" = ["weight_discount"]

[oracle]
pytrec_eval = "ndcg_cut_{k}"
pytrec_eval_without_k = "ndcg"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [2, 1]
k       = 2
value   = "1"
[[example]]
ranking = [0, 2, 1]
k       = 2
value   = "(2/log2(3)) / (2 + 1/log2(3))"
[[example]]
ranking = [1]              # missing places count as grade 0
missed  = [1, 1, 1, 1]
k       = 3
value   = "1 / (1 + 1/log2(3) + 1/2)"
[[example]]
ranking = [1, 2]
gain    = "exp2"
value   = "(1 + 3/log2(3)) / (3 + 1/log2(3))"
[[example]]
ranking = [1, 2]
gain    = {1 = 3, 2 = 9}
value   = "(3 + 9/log2(3)) / (9 + 3/log2(3))"
[[example]]
ranking = [1, 2]
gain    = "binary"
rel     = 2
value   = "(1/log2(3)) / 1"
[[example]]
ranking = [0, 0]
value   = "0"
[[example]]
ranking = [0, 0]
zero_ideal = 1
value   = "1"
[[example]]
ranking = [0, 2, 1, 0, 1]
k       = 3
value   = "(2/log2(3) + 1/2) / (2 + 1/log2(3) + 1/2)"
-#}
{% macro metric_ndcg(
    k=none, gain='linear', rel=1, discount='log2', ideal_depth='min_k', zero_ideal=0, no_relevant=0, ties=none
) %}
{%- set ideal = rankmetrics_sql.rm_ideal_value(gain, rel, k, discount, ideal_depth) -%}
{%- set dcg = rankmetrics_sql.metric_dcg(k=k, gain=gain, rel=rel, discount=discount, ties=ties) -%}
{%- set expression -%}
{{ dcg }}
    / NULLIF({{ ideal }}, 0)
{%- endset -%}
{{ return(expression if zero_ideal in ['null', 'skip'] else 'COALESCE(' ~ expression ~ ', ' ~ zero_ideal ~ ')') }}
{% endmacro %}
