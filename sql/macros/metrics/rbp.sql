{#-
title   = "Rank-biased precision"
summary = "Expected share of relevant items for a reader who goes on to the next item with probability p."
range   = [0, 1]
source  = "Moffat & Zobel 2008, ACM TOIS 27(1); binary relevance, p = 0.8 as in ir_measures"
options = ["rel"]
[params.k]
type = "int"
min  = 1
help = "look at the first k items only"
[params.p]
type    = "number"
above   = 0
below   = 1
default = 0.8
help    = "how likely the reader is to go on to the next item"

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
-#}
{% macro metric_rbp(k=none, p=0.8, rel=1) %}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set p = rankmetrics_sql.rm_number(p) -%}
{{ return('(1 - ' ~ p ~ ') * SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN POWER(' ~ p ~ ', rnk - 1) ELSE CAST(0 AS ' ~ double ~ ') END)') }}
{% endmacro %}
