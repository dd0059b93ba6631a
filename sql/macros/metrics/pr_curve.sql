{#-
title   = "Precision-recall curve"
group   = "whole"
summary = """\
    Recall and precision at the rank of each relevant item of a list; interpolated, the best precision from there \
    on."""
formula = "x_i = i / R,  y_i = i / r_i,  r_i the rank of the i-th relevant item; interpolated y_i = max_{j ≥ i} y_j"
shape   = "curve"
aliases = ["precision_recall", "precision_recall_curve"]
range   = [0, 1]
source  = "van Rijsbergen 1979, Information Retrieval, chapter 7; averaged over queries it is iprec along recall"
parameters = ["k"]
options = ["rel"]
needs   = ["n_relevant", "relevant_so_far"]
[params.interpolated]
type    = "choice"
values  = ["no", "yes"]
default = "no"
help    = "the precision at that rank, or the best at that rank or below"
-#}
{% macro metric_pr_curve_points(keys, k=none, interpolated='no', rel=1) %}
{%- set relevant = rankmetrics_sql.rm_relevant_so_far(rel) -%}
{%- set precision = relevant ~ ' / rnk' -%}
{%- if interpolated == 'yes' -%}
    {%- set up = 'ORDER BY rnk DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
    {%- set precision = 'MAX(' ~ precision ~ ') OVER (PARTITION BY ' ~ keys | join(', ') ~ ' ' ~ up ~ ')' -%}
{%- endif -%}
{{ return({
    'x': relevant ~ ' / ' ~ rankmetrics_sql.rm_n_relevant(rel),
    'y': precision,
    'condition': rankmetrics_sql.rm_is_hit(rel, k),
}) }}
{% endmacro %}
