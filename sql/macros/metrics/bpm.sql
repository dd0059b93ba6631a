{#-
title   = "Bejeweled player model, static"
group   = "graded"
summary = "Gain per viewed item for a reader who views item after item until a gain of T is reached, k items at most."
formula = """\
    (1/s) Σ_{r≤s} g_r,  s = min(k, first r with Σ_{j≤r} g_j ≥ T),  g = (grade − min_rel) / (max_rel − min_rel) \
    within 0 and 1"""
range   = [0, 1]
source  = "Zhang et al. 2017, SIGIR; cwl_eval: BPMCWLMetric"
parameters = ["k", "T", "min_rel", "max_rel"]
[differs]
"cwl_eval" = """\
    never looks below rank 1000, whatever the cutoff; adds up rounded gains, so that six of 1/3 do not reach 2, as \
    they do here"""

[params.k]
max  = 100000
help = "look at the first k places only, filled or not; without it, at 1000"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0]           # enough at once
value   = "1"
[[example]]
ranking = ["?", 1]
value   = "1/2"
[[example]]
ranking = [1]              # the reader goes on looking
T       = 2
value   = "1/1000"
[[example]]
ranking = [1, 2, 3]        # gains 1/3, 2/3: enough at rank 2
k       = 2
max_rel = 3
value   = "1/2"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1: not enough within 4
k       = 4
T       = 2
min_rel = 1
max_rel = 3
value   = "(1/2 + 1) / 4"
-#}
{% macro metric_bpm(k=none, T=1, min_rel=0, max_rel=1) %}
{%- set places = rankmetrics_sql.rm_cwl_places(k) -%}
{%- set gain = rankmetrics_sql.rm_cwl_gain('relevance', min_rel, max_rel) -%}
{%- set so_far = rankmetrics_sql.rm_bpm_gain_so_far(min_rel, max_rel) -%}
{%- set reached = so_far ~ ' >= ' ~ rankmetrics_sql.rm_number(T) -%}
{%- set reached_before = so_far ~ ' - ' ~ gain ~ ' >= ' ~ rankmetrics_sql.rm_number(T) -%}
{%- set last = 'MIN(CASE WHEN ' ~ reached ~ ' THEN rnk END)' -%}
{%- set expression -%}
SUM(CASE WHEN {{ rankmetrics_sql.rm_within(places) }} AND NOT {{ reached_before }} THEN {{ gain }} ELSE 0 END)
/ {{ rankmetrics_sql.rm_lesser(last, places) }}
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{% macro rm_bpm_gain_so_far(min_rel, max_rel) %}
{{ return('gain_so_far_' ~ rankmetrics_sql.rm_cwl_scale(min_rel, max_rel)) }}
{% endmacro %}

{#- A trifle on top, so that three gains of 1/3 make 1 in whatever order they are added. -#}
{% macro metric_bpm_columns(window, k=none, T=1, min_rel=0, max_rel=1) %}
{%- set gain = rankmetrics_sql.rm_cwl_gain('m.relevance', min_rel, max_rel) -%}
{%- set so_far -%}
SUM({{ gain }}) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) + {{ rankmetrics_sql.rm_number('1e-9') }}
{%- endset -%}
{{ return([{'name': rankmetrics_sql.rm_bpm_gain_so_far(min_rel, max_rel), 'sql': so_far}]) }}
{% endmacro %}
