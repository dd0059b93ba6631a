{#-
title   = "Cumulated gain"
group   = "graded"
summary = "Sum of the gains of the first k items."
formula = "Σ_{r ≤ k} gain(g_r)"
reads_order = "cutoff"
source  = "Jarvelin & Kekalainen 2002, ACM TOIS 20(4)"
parameters = ["k"]
options = ["gain", "rel", "ties"]
takes_estimates = true
needs   = ["gain"]
[needs_when]
"k=none" = ["shared_places"]

[[example]]
ranking = []
missed  = [1]
k       = 2
value   = "0"
[[example]]
ranking = [3, 2]
k       = 2
value   = "3 + 2"
[[example]]
ranking = [3, 2, 1]
k       = 2
value   = "3 + 2"
[[example]]
ranking = [3, -1, "?", 1]
gain    = "exp2"
value   = "7 + 1"
[[example]]
ranking = [3, 1, 2]
gain    = "binary"
rel     = 2
value   = "2"
[[example]]
ranking = [2, 1, 0]
gain    = {1 = 3, 2 = 9}
value   = "9 + 3"
-#}
{% macro metric_cg(k=none, gain='linear', rel=1, ties=none) %}
{%- set name = rankmetrics_sql.rm_gain_name(gain, rel) -%}
{%- if ties == 'expected' and k is not none -%}
    {{ return('COALESCE(SUM(' ~ name ~ ' * ' ~ rankmetrics_sql.rm_share_within(k) ~ '), 0)') }}
{%- endif -%}
{{ return('SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN ' ~ name ~ ' ELSE 0 END)') }}
{% endmacro %}
