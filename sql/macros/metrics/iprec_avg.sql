{#-
title   = "Eleven-point average precision"
group   = "whole"
summary = "Mean of the interpolated precisions at the recall levels 0, 0.1, 0.2 ... 1."
formula = "(1/11) Σ_{l = 0..10} iprec(l / 10)"
aliases = ["11pt_avg", "11-pt_avg", "eleven_point_average"]
range   = [0, 1]
source  = "trec_eval: 11pt_avg"
options = ["rel", "iprec_rounding", "no_relevant"]
needs   = ["n_relevant", "relevant_so_far", "facts_on_rows"]
[oracle]
trec_eval = "11pt_avg"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "1"
[[example]]
ranking = [1, 0, 1]        # 0.8 * 2 = 1.6 relevant items are 2; so are 1.5 and above
value   = "(8 * 1 + 3 * 2/3) / 11"
iprec_rounding = "nearest"
[[example]]
ranking = [1, 0, 1]        # up: 0.6 * 2 = 1.2 are 2
value   = "(6 * 1 + 5 * 2/3) / 11"
iprec_rounding = "up"
[[example]]
ranking = [1, 2]           # R = 1, and every level is reached at rank 2
rel     = 2
value   = "1/2"
-#}
{% macro metric_iprec_avg(rel=1, iprec_rounding='nearest', no_relevant=0) %}
{%- set levels = [] -%}
{%- for tenth in range(11) -%}
    {%- set precision = rankmetrics_sql.rm_interpolated_precision(tenth / 10, rel, iprec_rounding) -%}
    {%- do levels.append('COALESCE(' ~ precision ~ ', 0)') -%}
{%- endfor -%}
{%- set expression -%}
(
    {{ levels | join('\n    + ') }}
) / 11
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
