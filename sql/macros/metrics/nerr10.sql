{#-
title   = "NERR10, nearly expected reciprocal rank by gain and patience"
group   = "graded"
summary = "As NERR8 without a cutoff, but a reader whom the item does not satisfy goes on with probability p only."
formula = """\
    Σ_r V_r g_r / Σ_r V_r over all places r,  V_r = p^(r−1) Π_{j<r} (1 − g_j),  g = (grade − min_rel) / (max_rel − \
    min_rel) within 0 and 1"""
range   = [0, 1]
source  = "Azzopardi, Mackenzie & Moffat 2021, ICTIR, equation 10; cwl_eval: NERReq10CWLMetric"
parameters = ["p", "min_rel", "max_rel", "places"]

[params.p]
default = 0.9

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0]           # satisfied at once
value   = "1"
[[example]]
ranking = ["?", 1]
value   = "0.9 / (1 + 0.9)"
[[example]]
ranking = [1, 2, 3]        # gains 1/3, 2/3 and one too far
p       = 0.5
max_rel = 3
places  = 2
value   = "(1/3 + 0.5 * (2/3) * (2/3)) / (1 + 0.5 * (2/3))"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1
p       = 0.5
min_rel = 1
max_rel = 3
value   = "(1/2 + 0.25 * (1/2)) / (1 + 0.5 * (1/2) + 0.25 * (1/2))"
-#}
{% macro metric_nerr10(p=0.9, min_rel=0, max_rel=1, places=1000) %}
{%- set p_number = rankmetrics_sql.rm_number(p) -%}
{%- set beyond = rankmetrics_sql.rm_cwl_power(p, places) -%}
{%- set satisfied = rankmetrics_sql.rm_cwl_satisfied(min_rel, max_rel) -%}
{%- set within = rankmetrics_sql.rm_within(places) -%}
{%- set viewed = rankmetrics_sql.rm_cwl_power(p, '(rnk - 1)') -%}
{%- set below = rankmetrics_sql.rm_cwl_power(p, 'rnk') -%}
{#- The sum of p^(r-1) over the places below rank r is (p^r - p^places) / (1 - p). -#}
{%- set expression -%}
(1 - {{ p_number }}) * SUM(CASE WHEN {{ within }} THEN {{ satisfied }} * {{ viewed }} ELSE 0 END)
/ (1 - {{ beyond }} - SUM(CASE WHEN {{ within }} THEN {{ satisfied }} * ({{ below }} - {{ beyond }}) ELSE 0 END))
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{% macro metric_nerr10_columns(window, p=0.9, min_rel=0, max_rel=1, places=1000) %}
{{ return(rankmetrics_sql.rm_cwl_columns(window, min_rel, max_rel)) }}
{% endmacro %}
