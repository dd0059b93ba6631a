{#-
title   = "Scaled discounted cumulated gain"
group   = "graded"
summary = "DCG over that of k items of the highest grade, whether there are so many or not."
formula = "Σ_{r≤k} g_r / log₂(r+1) / Σ_{r≤k} 1 / log₂(r+1),  g = (grade − min_rel) / (max_rel − min_rel) within 0 and 1"
range   = [0, 1]
source  = "cwl_eval: NDCGCWLMetric"
parameters = ["k", "min_rel", "max_rel"]
options = ["discount"]
differs = { "cwl_eval" = "never looks below rank 1000, whatever the cutoff" }

[params.k]
max  = 100000
help = "look at the first k places only, filled or not; without it, at 1000"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1]
k       = 2
value   = "1"
[[example]]
ranking = ["?", 1]         # a second relevant item is missed even if there is none
k       = 2
value   = "(1/log2(3)) / (1 + 1/log2(3))"
[[example]]
ranking = [1, 2, 3]        # gains 1/3, 2/3 and one too far
k       = 2
max_rel = 3
value   = "(1/3 + (2/3)/log2(3)) / (1 + 1/log2(3))"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1
k       = 3
min_rel = 1
max_rel = 3
value   = "(1/2 + 1/2) / (1 + 1/log2(3) + 1/2)"
[[example]]
ranking = [0, 1]
k       = 2
discount = "zipf"
value   = "(1/2) / (1 + 1/2)"
-#}
{% macro metric_sdcg(k=none, min_rel=0, max_rel=1, discount='log2') %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_sdcg_value(k, min_rel, max_rel, discount) ~ '), 0)') }}
{% endmacro %}

{% macro rm_sdcg_value(k, min_rel, max_rel, discount) %}
{%- set places = rankmetrics_sql.rm_cwl_places(k) -%}
{{ return('sdcg_' ~ rankmetrics_sql.rm_cwl_column(discount, min_rel, max_rel, places)) }}
{% endmacro %}

{% macro metric_sdcg_relation(pass, k=none, min_rel=0, max_rel=1, discount='log2') %}
{%- set name = rankmetrics_sql.rm_sdcg_value(k, min_rel, max_rel, discount) -%}
{%- set weight = rankmetrics_sql.rm_discounted('1', 'rnk', discount) -%}
{%- set places = rankmetrics_sql.rm_cwl_places(k) -%}
{{ return(rankmetrics_sql.rm_cwl_relation(pass, name, weight, places, min_rel, max_rel, false)) }}
{% endmacro %}
