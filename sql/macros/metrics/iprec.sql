{#-
title   = "Interpolated precision at a recall level"
group   = "whole"
summary = "The highest precision at any rank from which on the given share of the relevant items is retrieved."
formula = "max_{i ≥ c} i / r_i,  r_i the rank of the i-th relevant item, c = recall · R rounded to the nearest"
aliases = ["iprec_at_recall", "interpolated_precision"]
range   = [0, 1]
at      = "recall"
source  = "trec_eval: iprec_at_recall"
options = ["rel", "iprec_rounding", "no_relevant"]
needs   = ["n_relevant", "relevant_so_far", "facts_on_rows"]
[params.recall]
type    = "number"
min     = 0
max     = 1
default = 0.5
help    = "share of the relevant items, 0 to 1; iprec@0.1"

[oracle]
trec_eval = "iprec_at_recall_{recall:.2f}"
[[example]]
ranking = []
missed  = [1]
recall  = 0
value   = "0"
[[example]]
ranking = [1, 1, 0]
recall  = 1
value   = "1"
[[example]]
ranking = [0, 1, 1]        # precision 1/2 at the first relevant item, 2/3 at the second
recall  = 0.5
value   = "2/3"
[[example]]
ranking = [1, 0, 1]
recall  = 1
value   = "2/3"
[[example]]
ranking = [1, 0, 1]        # the third is not retrieved
missed  = [1]
recall  = 1
value   = "0"
[[example]]
ranking = [1, 0, 0, 1]     # 0.3 * 4 = 1.2 relevant items are 1
missed  = [1, 1]
recall  = 0.3
value   = "1"
[[example]]
ranking = [1, 0, 0, 1]     # or 2
missed  = [1, 1]
recall  = 0.3
iprec_rounding = "up"
value   = "2/4"
[[example]]
ranking = [1, 2, 1, 2]
rel     = 2
recall  = 1
value   = "2/4"
-#}
{% macro metric_iprec(recall=0.5, rel=1, iprec_rounding='nearest', no_relevant=0) %}
{{ return('COALESCE(' ~ rankmetrics_sql.rm_interpolated_precision(recall, rel, iprec_rounding) ~ ', 0)') }}
{% endmacro %}

{#- NULL where the level is not reached. -#}
{% macro rm_interpolated_precision(recall, rel, iprec_rounding) %}
{%- set relevant = rankmetrics_sql.rm_relevant_so_far(rel) -%}
{%- set added = rankmetrics_sql.rm_number('0.9' if iprec_rounding == 'up' else '0.5') -%}
{%- set share = rankmetrics_sql.rm_number(recall) ~ ' * ' ~ rankmetrics_sql.rm_n_relevant(rel) -%}
{%- set level = 'FLOOR(' ~ share ~ ' + ' ~ added ~ ')' -%}
{%- set reached = rankmetrics_sql.rm_is_hit(rel) ~ ' AND ' ~ relevant ~ ' >= ' ~ level -%}
{{ return('MAX(CASE WHEN ' ~ reached ~ ' THEN ' ~ relevant ~ ' / rnk END)') }}
{% endmacro %}
