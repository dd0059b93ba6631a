{#-
title   = "Normalised intent-aware expected reciprocal rank"
group   = "diversity"
summary = """\
    Expected 1/rank at which a reader of a random subtopic is satisfied; over that of the best ranking that taking \
    one item after the other finds."""
formula = """\
    Σ_{r≤k} Σ_s rel_s(r) · (1 − α)^c_s(r) / r, over the same of the ideal ranking; c_s(r): relevant items for s \
    above r"""
aliases = ["nerr-ia"]
source  = "Chapelle et al. 2009, CIKM; ndeval: nERR-IA"
parameters = ["k", "alpha"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "relevant_so_far", "greedy_ideal"]

[params.alpha]
help = "how likely a relevant item is to satisfy the reader, 0 to 1"

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 1], [1, 0], [0, 0]]
value   = "1"
[[example]]
ranking = [[1, 0], "?", [1, 0]]
missed  = [[1, 1]]
k       = 2
value   = "1 / (2 + 0.5/2)"
[[example]]
ranking = [[0, 1], [1, 1]]
alpha   = 0.25
value   = "(1 + (1 + 0.75)/2) / (2 + 0.75/2)"
[[example]]
ranking = [[1, 2], [2, 0]]
rel     = 2
value   = "1"
-#}
{% macro metric_nerr_ia(k=none, alpha=0.5, rel=1, no_relevant=0) %}
{%- set ideal = 'MAX(' ~ rankmetrics_sql.rm_ideal_gain(k, alpha, rel, 'zipf') ~ ')' -%}
{{ return('COALESCE(' ~ rankmetrics_sql.rm_novel_gain(k, alpha, rel, 'zipf') ~ ' / ' ~ ideal ~ ', 0)') }}
{% endmacro %}

{% macro metric_nerr_ia_relation(pass, k=none, alpha=0.5, rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_ideal_gain_relation(pass, k, alpha, rel, 'zipf')) }}
{% endmacro %}
