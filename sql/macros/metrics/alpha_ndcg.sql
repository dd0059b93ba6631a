{#-
title   = "Alpha-nDCG"
group   = "diversity"
summary = """\
    DCG of subtopics, where one more item on the same subtopic gains 1 - alpha times as much; over that of the best \
    ranking that taking one item after the other finds."""
formula = """\
    αDCG@k / ideal αDCG@k, αDCG@k = Σ_{r≤k} Σ_s rel_s(r) · (1 − α)^c_s(r) / log₂(r + 1); c_s(r): relevant items for \
    s above r"""
aliases = ["alpha-ndcg", "α_ndcg"]
source  = "Clarke et al. 2008, SIGIR; ndeval: alpha-nDCG"
parameters = ["k", "alpha"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "relevant_so_far", "greedy_ideal"]

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 1], [1, 0], [0, 0]]
value   = "1"
[[example]]
ranking = [[1, 0], "?", [1, 0]]    # the ideal: [1, 1], then one of the others
missed  = [[1, 1]]
k       = 2
value   = "1 / (2 + 0.5/log2(3))"
[[example]]
ranking = [[0, 1, 1], [1, 1, 0]]
missed  = [[1, 0, 0]]
alpha   = 0.25
value   = "(2 + (1 + 0.75)/log2(3)) / (2 + (1 + 0.75)/log2(3) + 0.75/2)"
[[example]]
ranking = [[1, 2], [2, 0]]
rel     = 2
value   = "1"
-#}
{% macro metric_alpha_ndcg(k=none, alpha=0.5, rel=1, no_relevant=0) %}
{%- set ideal = 'MAX(' ~ rankmetrics_sql.rm_ideal_gain(k, alpha, rel, 'log2') ~ ')' -%}
{{ return('COALESCE(' ~ rankmetrics_sql.rm_novel_gain(k, alpha, rel, 'log2') ~ ' / ' ~ ideal ~ ', 0)') }}
{% endmacro %}

{% macro metric_alpha_ndcg_relation(pass, k=none, alpha=0.5, rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_ideal_gain_relation(pass, k, alpha, rel, 'log2')) }}
{% endmacro %}
