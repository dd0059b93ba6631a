{#-
title   = "NERR11, nearly expected reciprocal rank by gain and goal"
group   = "graded"
summary = """\
    As NERR8 without a cutoff, but a reader whom the item does not satisfy goes on as in INSQ, the likelier the more \
    gain is sought."""
formula = """\
    Σ_r V_r g_r / Σ_r V_r over all places r,  V_r = (2T / (r − 1 + 2T))² Π_{j<r} (1 − g_j),  g = (grade − min_rel) / \
    (max_rel − min_rel) within 0 and 1"""
range   = [0, 1]
source  = "Azzopardi, Mackenzie & Moffat 2021, ICTIR; cwl_eval: NERReq11CWLMetric"
parameters = ["T", "min_rel", "max_rel", "places"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0]           # satisfied at once
value   = "1"
[[example]]
ranking = ["?", 1]         # rank 2 is viewed by (2/3)^2 of the readers
value   = "(2/3)**2 / (1 + (2/3)**2)"
[[example]]
ranking = [1, 2, 3]        # gains 1/3, 2/3 and one too far
T       = 2
max_rel = 3
places  = 2
value   = "(1/3 + (4/5)**2 * (2/3) * (2/3)) / (1 + (4/5)**2 * (2/3))"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1
min_rel = 1
max_rel = 3
value   = "(1/2 + (2/4)**2 * (1/2)) / (1 + (2/3)**2 * (1/2) + (2/4)**2 * (1/2))"
-#}
{% macro metric_nerr11(T=1, min_rel=0, max_rel=1, places=1000) %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_nerr11_value(T, min_rel, max_rel, places) ~ '), 0)') }}
{% endmacro %}

{% macro rm_nerr11_value(t, min_rel, max_rel, places) %}
{{ return('nerr11_' ~ rankmetrics_sql.rm_cwl_column(t, min_rel, max_rel, places)) }}
{% endmacro %}

{% macro metric_nerr11_columns(window, T=1, min_rel=0, max_rel=1, places=1000) %}
{{ return(rankmetrics_sql.rm_cwl_columns(window, min_rel, max_rel)) }}
{% endmacro %}

{% macro metric_nerr11_relation(pass, T=1, min_rel=0, max_rel=1, places=1000) %}
{%- set name = rankmetrics_sql.rm_nerr11_value(T, min_rel, max_rel, places) -%}
{%- set weight = rankmetrics_sql.rm_cwl_patience(T) -%}
{{ return(rankmetrics_sql.rm_cwl_relation(pass, name, weight, places, min_rel, max_rel, true)) }}
{% endmacro %}
