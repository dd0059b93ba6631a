{#-
title   = "Judged"
summary = "Share of judged items among the first k places; without k, among the retrieved items."
aliases = ["judged_share", "coverage"]
range   = [0, 1]
source  = "ir_measures: Judged, which divides by the length of a list shorter than k"
needs_without_k = ["n_retrieved"]
[params.k]
type = "int"
min  = 1
help = "look at the first k items only"

[[example]]
ranking = []
missed  = [1]
k       = 2
value   = "0"
[[example]]
ranking = [0, 1]
k       = 2
value   = "1"
[[example]]
ranking = ["?", 1, 1]
k       = 2
value   = "1/2"
[[example]]
ranking = ["?", 0, "?", 1]
value   = "2/4"
-#}
{% macro metric_judged(k=none) %}
{%- set judged = 'CAST(SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN 1 ELSE 0 END) AS ' ~ rankmetrics_sql.rm_double_type() ~ ')' -%}
{%- if k is none -%}{{ return('COALESCE(' ~ judged ~ ' / NULLIF(MAX(n_retrieved), 0), 0)') }}{%- endif -%}
{{ return(judged ~ ' / ' ~ k) }}
{% endmacro %}
