{#-
title   = "NERR8, nearly expected reciprocal rank by gain"
group   = "graded"
summary = """\
    Gain per viewed item for a reader whom an item of gain g satisfies with chance g, and who views k items at most."""
formula = """\
    Σ_{r≤k} V_r g_r / Σ_{r≤k} V_r,  V_r = Π_{j<r} (1 − g_j),  g = (grade − min_rel) / (max_rel − min_rel) within 0 \
    and 1"""
range   = [0, 1]
source  = "Azzopardi, Mackenzie & Moffat 2021, ICTIR, equation 8; cwl_eval: NERReq8CWLMetric"
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
ranking = ["?", 1]         # viewed: 1 and 2
value   = "1/2"
[[example]]
ranking = [1, 2, 3]        # gains 1/3, 2/3 and one too far
k       = 2
max_rel = 3
value   = "(1/3 + (2/3) * (2/3)) / (1 + 2/3)"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1
k       = 4
min_rel = 1
max_rel = 3
value   = "(1/2 + 1/2) / (1 + 1/2 + 1/2)"
-#}
{% macro metric_nerr8(k=none, min_rel=0, max_rel=1) %}
{%- set places = rankmetrics_sql.rm_cwl_places(k) -%}
{%- set satisfied = rankmetrics_sql.rm_cwl_satisfied(min_rel, max_rel) -%}
{%- set within = rankmetrics_sql.rm_within(places) -%}
{%- set expression -%}
SUM(CASE WHEN {{ within }} THEN {{ satisfied }} ELSE 0 END)
/ ({{ places }} - SUM(CASE WHEN {{ within }} THEN {{ satisfied }} * ({{ places }} - rnk) ELSE 0 END))
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{% macro metric_nerr8_columns(window, k=none, min_rel=0, max_rel=1) %}
{{ return(rankmetrics_sql.rm_cwl_columns(window, min_rel, max_rel)) }}
{% endmacro %}
