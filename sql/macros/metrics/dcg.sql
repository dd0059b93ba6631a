{#-
title   = "Discounted cumulated gain"
group   = "graded"
summary = "Sum of the gains of the first k items, each divided by log2(rank + 1)."
formula = "Σ_{r ≤ k} gain(g_r) / log₂(r + 1)"
spellings = { dcg_burges = "gain=exp2" }
source  = "Jarvelin & Kekalainen 2002, ACM TOIS 20(4); discount as in trec_eval"
parameters = ["k"]
options = ["gain", "rel", "discount", "ties"]
takes_estimates = true
needs   = ["gain"]
[needs_when]
"ties=expected" = ["weight_discount"]

[[example]]
ranking = []
missed  = [1]
k       = 2
value   = "0"
[[example]]
ranking = [3, 2]
k       = 2
value   = "3 + 2/log2(3)"
[[example]]
ranking = [0, 2, 1]
k       = 2
value   = "2/log2(3)"
[[example]]
ranking = [2, 3, 0, 1, 2]
gain    = "exp2"
value   = "3 + 7/log2(3) + 1/log2(5) + 3/log2(6)"
[[example]]
ranking = [2, 1, 2]
gain    = "binary"
rel     = 2
value   = "1 + 1/2"
-#}
{% macro metric_dcg(k=none, gain='linear', rel=1, discount='log2', ties=none) %}
{%- set name = rankmetrics_sql.rm_gain_name(gain, rel) -%}
{%- if ties == 'expected' -%}
    {%- set weight = rankmetrics_sql.rm_weight_name(rankmetrics_sql.rm_slug(discount), k) -%}
    {{ return('COALESCE(SUM(' ~ name ~ ' * ' ~ weight ~ '), 0)') }}
{%- endif -%}
{%- set worth = rankmetrics_sql.rm_discounted(name, 'rnk', discount) -%}
{{ return('SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN ' ~ worth ~ ' ELSE 0 END)') }}
{% endmacro %}
