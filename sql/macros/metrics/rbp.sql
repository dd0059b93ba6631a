{#-
title   = "Rank-biased precision"
group   = "binary"
summary = "Expected share of relevant items for a reader who goes on to the next item with probability p."
formula = "(1 − p) Σ_{r ≤ k} [g_r ≥ rel] p^{r − 1}"
range   = [0, 1]
source  = "Moffat & Zobel 2008, ACM TOIS 27(1); binary relevance, p = 0.8 as in ir_measures"
parameters = ["k", "p"]
options = ["rel", "rbp_gain", "no_relevant", "ties"]
[needs_when]
"ties=expected" = ["weight_power"]
"rbp_gain=scaled" = ["highest_grade", "facts_on_rows"]

[params.p]
default = 0.8

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 1]
k       = 3
value   = "1 - 0.8**3"
[[example]]
ranking = [0, 1, 1]
k       = 2
value   = "0.2 * 0.8"
[[example]]
ranking = [1, "?", 2]
p       = 0.5
rel     = 2
value   = "0.5 * 0.5**2"
[[example]]
ranking = [2, 1, 4]
missed  = [3]
p       = 0.5
rbp_gain = "scaled"
value   = "0.5 * (2/4 + 0.5 * 1/4 + 0.25)"
[[example]]
ranking = [2, 1]
p       = 0.5
rbp_gain = "raw"
value   = "0.5 * (2 + 0.5)"
-#}
{% macro metric_rbp(k=none, p=0.8, rel=1, rbp_gain='binary', no_relevant=0, ties=none) %}
{%- set p_number = rankmetrics_sql.rm_number(p) -%}
{%- set grade = 'CASE WHEN relevance > 0 THEN relevance ELSE 0 END' -%}
{%- if rbp_gain == 'binary' -%}{%- set gain = 'CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN 1 ELSE 0 END' -%}
{%- elif rbp_gain == 'raw' -%}{%- set gain = grade -%}
{%- else -%}{%- set gain = grade ~ ' / CASE WHEN highest_grade > 1 THEN highest_grade ELSE 1 END' -%}
{%- endif -%}
{%- if ties == 'expected' -%}
    {%- set weight = rankmetrics_sql.rm_weight_name('power_' ~ rankmetrics_sql.rm_slug(p), k) -%}
{%- elif k is none -%}
    {%- set weight = rankmetrics_sql.rm_power(p_number, 'rnk - 1') -%}
{%- else -%}
    {%- set power = rankmetrics_sql.rm_power(p_number, 'rnk - 1') -%}
    {%- set weight = 'CASE WHEN rnk <= ' ~ k ~ ' THEN ' ~ power ~ ' ELSE 0 END' -%}
{%- endif -%}
{{ return('(1 - ' ~ p_number ~ ') * COALESCE(SUM((' ~ gain ~ ') * ' ~ weight ~ '), 0)') }}
{% endmacro %}
