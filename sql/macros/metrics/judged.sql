{#-
title   = "Judged"
group   = "counts"
summary = "Share of judged items among the first k places; without k, among the retrieved items."
formula = "(judged items with rank ≤ k) / k"
aliases = ["judged_share"]
needs = ["nonrelevant"]
range   = [0, 1]
reads_grades = false
reads_order = "cutoff"
source  = "ir_measures: Judged, which divides by the length of a list shorter than k"
parameters = ["k"]
options = ["precision_denominator", "rel"]
about_judgments = true
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]
"precision_denominator=min_k_retrieved" = ["n_shown"]
"precision_denominator=min_k_relevant" = ["n_relevant"]

[[example]]
ranking = []
missed  = [1]
k       = 2
value   = "0"
[[example]]
ranking = [0, 1]
k       = 2
value   = "1"
[[example]]
ranking = ["?", 1, 1]
k       = 2
value   = "1/2"
[[example]]
ranking = ["?", 0, "?", 1]
value   = "2/4"
[[example]]
ranking = [2, "?", 1]
missed  = [2]
k       = 3
rel     = 2
precision_denominator = "min_k_relevant"
value   = "2/2"
-#}
{% macro metric_judged(k=none, precision_denominator='k', rel=1) %}
{%- set within = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN 1 ELSE 0 END)' -%}
{%- set judged = rankmetrics_sql.rm_as_double(within) -%}
{%- if k is not none and precision_denominator == 'k' -%}{{ return(judged ~ ' / ' ~ k) }}{%- endif -%}
{%- set places = rankmetrics_sql.rm_list_length(k, precision_denominator, rel) -%}
{{ return(rankmetrics_sql.rm_ratio(judged, places)) }}
{% endmacro %}
