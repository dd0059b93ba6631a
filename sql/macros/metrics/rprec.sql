{#-
title   = "R-precision"
summary = "Precision at R, where R is the number of relevant items of the query."
aliases = ["r_precision", "r-precision", "rprecision"]
range   = [0, 1]
source  = "trec_eval: Rprec"
options = ["rel"]
needs   = ["n_relevant"]
[oracle]
pytrec_eval_without_k = "Rprec"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "1"
[[example]]
ranking = [1, 0, 1]        # R = 2: rank 3 is one too far
value   = "1/2"
[[example]]
ranking = [1, 2, 2]
rel     = 2
value   = "1/2"
-#}
{% macro metric_rprec(rel=1) %}
{%- set relevant = rankmetrics_sql.rm_n_relevant(rel) -%}
{%- set hits = 'SUM(CASE WHEN relevance >= ' ~ rankmetrics_sql.rm_number(rel) ~ ' AND rnk <= ' ~ relevant ~ ' THEN 1 ELSE 0 END)' -%}
{{ return('COALESCE(CAST(' ~ hits ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ') / NULLIF(MAX(' ~ relevant ~ '), 0), 0)') }}
{% endmacro %}
