{#-
title   = "Normalised novelty- and rank-biased precision"
group   = "diversity"
summary = """\
    Gain of subtopics for a reader who goes on to the next item with probability beta; over that of the best ranking \
    that taking one item after the other finds."""
formula = """\
    Σ_r β^(r − 1) Σ_s rel_s(r) · (1 − α)^c_s(r), over the same of the ideal ranking; c_s(r): relevant items for s \
    above r"""
source  = "Clarke, Kolla & Vechtomova 2009, ICTIR; ndeval: nNRBP"
parameters = ["alpha", "beta"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "relevant_so_far", "greedy_ideal"]
differs = { "ir_measures" = "by ndeval: not a number where no subtopic has a relevant item" }

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 1], [1, 0], [0, 0]]
value   = "1"
[[example]]
ranking = [[1, 0], "?", [1, 1]]
beta    = 0.8
value   = "(1 + 0.8**2 * (0.5 + 1)) / (2 + 0.8 * 0.5)"
[[example]]
ranking = [[0, 1], [1, 1]]
alpha   = 0.25
value   = "(1 + 0.5 * (1 + 0.75)) / (2 + 0.5 * 0.75)"
[[example]]
ranking = [[0, 2], [2, 2], [1, 0]]
rel     = 2
value   = "(1 + 0.5 * (1 + 0.5)) / (2 + 0.5 * 0.5)"
-#}
{% macro metric_nnrbp(alpha=0.5, beta=0.5, rel=1, no_relevant=0) %}
{%- set ideal = 'MAX(' ~ rankmetrics_sql.rm_ideal_gain(none, alpha, rel, 'power', beta) ~ ')' -%}
{{ return('COALESCE(' ~ rankmetrics_sql.rm_novel_gain(none, alpha, rel, 'power', beta) ~ ' / ' ~ ideal ~ ', 0)') }}
{% endmacro %}

{% macro metric_nnrbp_relation(pass, alpha=0.5, beta=0.5, rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_ideal_gain_relation(pass, none, alpha, rel, 'power', beta)) }}
{% endmacro %}
