{#-
title   = "R-precision"
group   = "binary"
summary = "Precision at R, where R is the number of relevant items of the query."
formula = "h_R / R"
aliases = ["r_precision", "r-precision", "rprecision"]
range   = [0, 1]
source  = "trec_eval: Rprec"
options = ["rel", "no_relevant", "ties"]
needs   = ["n_relevant", "facts_on_rows"]
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
{% macro metric_rprec(rel=1, no_relevant=0, ties=none) %}
{%- set relevant = rankmetrics_sql.rm_n_relevant(rel) -%}
{%- set within = 'CASE WHEN rnk <= ' ~ relevant ~ ' THEN 1 ELSE 0 END' -%}
{%- if ties == 'expected' -%}{%- set within = rankmetrics_sql.rm_share_within(relevant) -%}{%- endif -%}
{%- set hits = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ within ~ ' ELSE 0 END)' -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_as_double(hits), 'MAX(' ~ relevant ~ ')')) }}
{% endmacro %}
