{#-
title   = "Yet another average precision"
group   = "whole"
summary = """\
    The logarithm of the odds of average precision, smoothed: a scale on which differences at either end count more."""
formula = "ln((1 + S) / (1 + R − S)),  S = R · AP"
source  = "Robertson 2012, ECIR; trec_eval: yaap"
options = ["rel", "no_relevant"]
needs   = ["n_relevant", "relevant_so_far"]
[[example]]
ranking = []
missed  = [1]
value   = "log(1/2)"
[[example]]
ranking = [1, 1]
value   = "log(3)"
[[example]]
ranking = [1, 0, 1]
missed  = [1]
value   = "log((1 + 5/3) / (1 + 3 - 5/3))"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "log((1 + 1/2) / (1 + 1 - 1/2))"
[[example]]
ranking = [0]              # nothing relevant
value   = "0"
-#}
{% macro metric_yaap(rel=1, no_relevant=0) %}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{%- set precision = rankmetrics_sql.rm_relevant_so_far(rel) ~ ' / rnk' -%}
{%- set sum = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ precision ~ ' ELSE 0 END)' -%}
{%- set expression -%}
LN(1 + {{ sum }})
- LN(1 + CASE WHEN {{ sum }} < {{ relevant }} THEN {{ relevant }} - {{ sum }} ELSE 0 END)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
