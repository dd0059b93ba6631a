{#-
title   = "Propensity-weighted DCG"
group   = "propensity"
summary = """\
    DCG in which the gain of a click counts one over the propensity of its item: what DCG would be if every item had \
    been looked at. Self-normalised, it is over the weights of all clicks, retrieved or not, of all queries."""
formula = "Σ_{r ≤ k} w_r gain(g_r) / log₂(r + 1),  w = 1 / max(propensity, floor)"
aliases = ["weighted_dcg"]
source  = """\
    Joachims, Swaminathan & Schnabel 2017, WSDM; Agarwal et al. 2019, SIGIR; self-normalised: Yang et al. 2018, \
    RecSys"""
parameters = ["k", "floor", "self_normalised"]
options = ["gain", "rel", "discount"]
needs   = ["gain", "propensity"]
aggregate_when = { "self_normalised=true" = "parts" }

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
k       = 2
value   = "0"
[[example]]
ranking = [3, 2, 1]
propensity = [1, 0.5, 0.25]
k       = 2
value   = "3 + 2/0.5 / log2(3)"
[[example]]
ranking = [0, 1]
propensity = [1, 0.125]
floor   = 0.25
value   = "1/0.25 / log2(3)"
[[example]]
ranking = [1, 1]
missed  = [1]
propensity = [1, 0.5, 0.25]
self_normalised = "true"
value   = "(1 + 2/log2(3)) / (1 + 2 + 4)"
[[example]]
ranking = [2, 3]
propensity = [1, 0.5]
gain    = "exp2"
value   = "3 + 7/0.5 / log2(3)"
[[example]]
ranking = [2, 1, 2]
propensity = [1, 0.5, 0.5]
gain    = "binary"
rel     = 2
value   = "1 + 1/0.5 / 2"
-#}
{% macro metric_ips_dcg(k=none, floor=0, self_normalised='false', gain='linear', rel=1, discount='log2') %}
{%- set parts = rankmetrics_sql.metric_ips_dcg_parts(k=k, floor=floor, gain=gain, rel=rel, discount=discount) -%}
{%- if self_normalised == 'true' -%}
    {{ return(rankmetrics_sql.rm_over_weights(parts[0].sql, parts[1].sql)) }}
{%- endif -%}
{{ return(parts[0].sql) }}
{% endmacro %}

{% macro metric_ips_dcg_parts(k=none, floor=0, self_normalised='false', gain='linear', rel=1, discount='log2') %}
{%- set name = rankmetrics_sql.rm_gain_name(gain, rel) -%}
{%- set gained = name ~ ' <> 0 AND ' ~ rankmetrics_sql.rm_within(k) -%}
{%- set worth = rankmetrics_sql.rm_discounted(name, 'rnk', discount) -%}
{{ return(rankmetrics_sql.rm_weighted_parts(
    rankmetrics_sql.rm_sum_of_clicks(worth, floor, gained), 'MAX(' ~ rankmetrics_sql.rm_click_weight(rel, floor) ~ ')'
)) }}
{% endmacro %}

{% macro metric_ips_dcg_total(
    sums, n, k=none, floor=0, self_normalised='false', gain='linear', rel=1, discount='log2'
) %}
{{ return(rankmetrics_sql.rm_weighted_total(sums)) }}
{% endmacro %}

{% macro metric_ips_dcg_relation(
    pass, k=none, floor=0, self_normalised='false', gain='linear', rel=1, discount='log2'
) %}
{%- if self_normalised != 'true' -%}{{ return(none) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_click_weight_relation(pass, rel, floor)) }}
{% endmacro %}
