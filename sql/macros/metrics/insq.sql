{#-
title   = "INSQ"
group   = "graded"
summary = """\
    Gain per viewed item for a reader who gets more persistent down the list, and the more so the more gain is \
    sought."""
formula = """\
    Σ_r V_r g_r / Σ_r V_r over all places r,  V_r = (2T / (r − 1 + 2T))²,  g = (grade − min_rel) / (max_rel − \
    min_rel) within 0 and 1"""
range   = [0, 1]
source  = "Moffat, Scholer & Thomas 2012, ADCS; cwl_eval: INSQCWLMetric"
parameters = ["T", "min_rel", "max_rel", "places"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]        # as many places as there are
places  = 2
value   = "1"
[[example]]
ranking = ["?", 1]
places  = 2
value   = "(2/3)**2 / (1 + (2/3)**2)"
[[example]]
ranking = [1, 2, 3]        # gains 1/3, 2/3, 1
T       = 2
max_rel = 3
places  = 3
value   = "(1/3 + (4/5)**2 * (2/3) + (4/6)**2) / (1 + (4/5)**2 + (4/6)**2)"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1
min_rel = 1
max_rel = 3
places  = 3
value   = "(1/2 + (2/4)**2) / (1 + (2/3)**2 + (2/4)**2)"
-#}
{% macro metric_insq(T=1, min_rel=0, max_rel=1, places=1000) %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_insq_value(T, min_rel, max_rel, places) ~ '), 0)') }}
{% endmacro %}

{% macro rm_insq_value(t, min_rel, max_rel, places) %}
{{ return('insq_' ~ rankmetrics_sql.rm_cwl_column(t, min_rel, max_rel, places)) }}
{% endmacro %}

{% macro metric_insq_relation(pass, T=1, min_rel=0, max_rel=1, places=1000) %}
{%- set name = rankmetrics_sql.rm_insq_value(T, min_rel, max_rel, places) -%}
{%- set weight = rankmetrics_sql.rm_cwl_patience(T) -%}
{{ return(rankmetrics_sql.rm_cwl_relation(pass, name, weight, places, min_rel, max_rel, false)) }}
{% endmacro %}
