{#-
title   = "Average recall"
group   = "binary"
summary = """\
    Sum of the recalls at the ranks of the relevant items within k, over the number of all relevant items; one that \
    is not retrieved adds 0."""
formula = "Σ_{r≤k, relevant} R@r / R, which is h(h + 1) / 2R² with h hits among R relevant items"
aliases = ["mean_average_recall", "average_recall"]
range   = [0, 1]
divides_by_judgments = true
reads_order = "cutoff"
source  = """\
    Evidently: MARKMetric(k, min_rel_score, no_feedback_users), whose denominator is every relevant item of the user"""
parameters = ["k"]
options = ["rel", "no_relevant"]
needs   = ["n_relevant"]
differs = { "evidently" = "knows one table only, so R counts the relevant items that are listed, within k or not" }

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [0, 1]           # the only relevant item: its place does not matter
value   = "1"
[[example]]
ranking = [1, 0, 1]        # recall 1/2, then 2/2; two relevant items cannot reach more
value   = "(1/2 + 2/2) / 2"
[[example]]
ranking = [1, 0, 1]
missed  = [1]
k       = 2
value   = "(1/3) / 3"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "1"
-#}
{% macro metric_mar(k=none, rel=1, no_relevant=0) %}
{%- set hits = rankmetrics_sql.rm_hits(rel, k) -%}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{{ return(rankmetrics_sql.rm_ratio(hits ~ ' * (' ~ hits ~ ' + 1)', '2 * ' ~ relevant ~ ' * ' ~ relevant)) }}
{% endmacro %}
