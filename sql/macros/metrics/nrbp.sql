{#-
title   = "Novelty- and rank-biased precision"
group   = "diversity"
summary = """\
    Gain of subtopics for a reader who goes on to the next item with probability beta, over that of an endless list \
    whose every item serves every subtopic."""
formula = """\
    (1 − (1 − α)β) / S · Σ_r β^(r − 1) Σ_s rel_s(r) · (1 − α)^c_s(r); c_s(r): relevant items for s above r; S: \
    subtopics with a relevant item"""
range   = [0, 1]
source  = "Clarke, Kolla & Vechtomova 2009, ICTIR; ndeval: NRBP"
parameters = ["alpha", "beta"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "n_subtopics", "relevant_so_far"]

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 0], "?", [1, 1]]
value   = "(1 - 0.5 * 0.5) / 2 * (1 + 0.5**2 * (0.5 + 1))"
[[example]]
ranking = [[1, 1], [0, 1]]
beta    = 0                    # the first item is all there is
value   = "1"
[[example]]
ranking = [[1, 0], [1, 1]]
alpha   = 0.25
beta    = 0.8
value   = "(1 - 0.75 * 0.8) / 2 * (1 + 0.8 * (0.75 + 1))"
[[example]]
ranking = [[1, 2], [2, 0]]
rel     = 2
value   = "(1 - 0.5 * 0.5) / 2 * (1 + 0.5 * 1)"
-#}
{% macro metric_nrbp(alpha=0.5, beta=0.5, rel=1, no_relevant=0) %}
{%- set share = '(1 - ' ~ rankmetrics_sql.rm_left_over(alpha) ~ ' * ' ~ rankmetrics_sql.rm_number(beta) ~ ')' -%}
{%- set gain = rankmetrics_sql.rm_novel_gain(none, alpha, rel, 'power', beta) -%}
{{ return(rankmetrics_sql.rm_ratio(share ~ ' * ' ~ gain, 'MAX(' ~ rankmetrics_sql.rm_n_subtopics(rel) ~ ')')) }}
{% endmacro %}
