{#-
title   = "NERR9, nearly expected reciprocal rank by gain and rank"
group   = "graded"
summary = """\
    As NERR8, but the reader also tires: goes on from rank r with chance r / (r + 1) where the item does not \
    satisfy."""
formula = """\
    Σ_{r≤k} V_r g_r / Σ_{r≤k} V_r,  V_r = (1/r) Π_{j<r} (1 − g_j),  g = (grade − min_rel) / (max_rel − min_rel) \
    within 0 and 1"""
range   = [0, 1]
source  = "Azzopardi, Mackenzie & Moffat 2021, ICTIR, equation 9; cwl_eval: NERReq9CWLMetric"
differs = { "cwl_eval" = "never looks below rank 1000, whatever the cutoff" }
parameters = ["k", "min_rel", "max_rel"]

[params.k]
max  = 100000
help = "look at the first k places only, filled or not; without it, at 1000"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0]           # satisfied at once
value   = "1"
[[example]]
ranking = ["?", 1]         # rank 2 is viewed by half of the readers
value   = "(1/2) / (1 + 1/2)"
[[example]]
ranking = [1, 2, 3]        # gains 1/3, 2/3 and one too far
k       = 2
max_rel = 3
value   = "(1/3 + (1/2) * (2/3) * (2/3)) / (1 + (1/2) * (2/3))"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1
k       = 4
min_rel = 1
max_rel = 3
value   = "(1/2 + (1/3) * (1/2)) / (1 + (1/2) * (1/2) + (1/3) * (1/2))"
-#}
{% macro metric_nerr9(k=none, min_rel=0, max_rel=1) %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_nerr9_value(k, min_rel, max_rel) ~ '), 0)') }}
{% endmacro %}

{% macro rm_nerr9_value(k, min_rel, max_rel) %}
{{ return('nerr9_' ~ rankmetrics_sql.rm_cwl_scale(min_rel, max_rel) ~ '_at_' ~ rankmetrics_sql.rm_cwl_places(k)) }}
{% endmacro %}

{% macro metric_nerr9_columns(window, k=none, min_rel=0, max_rel=1) %}
{{ return(rankmetrics_sql.rm_cwl_columns(window, min_rel, max_rel)) }}
{% endmacro %}

{% macro metric_nerr9_relation(pass, k=none, min_rel=0, max_rel=1) %}
{%- set name = rankmetrics_sql.rm_nerr9_value(k, min_rel, max_rel) -%}
{%- set places = rankmetrics_sql.rm_cwl_places(k) -%}
{{ return(rankmetrics_sql.rm_cwl_relation(pass, name, '1 / rnk', places, min_rel, max_rel, true)) }}
{% endmacro %}
