{#-
title   = "Average precision"
summary = "Mean of the precisions at the ranks of the relevant items; a relevant item that is not retrieved adds 0."
aliases = ["map", "map_cut", "average_precision"]
range   = [0, 1]
source  = "trec_eval: map, map_cut"
options = ["rel", "ap_denominator"]
needs   = ["n_relevant", "relevant_so_far"]
[params.k]
type = "int"
min  = 1
help = "look at the first k items only"

[oracle]
pytrec_eval = "map_cut_{k}"
pytrec_eval_without_k = "map"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "1"
[[example]]
ranking = [1, 0, 1]
value   = "(1 + 2/3) / 2"
[[example]]
ranking = [1, 0, 1]
k       = 2                # the item at rank 3 is cut off, but still relevant
value   = "1 / 2"
[[example]]
ranking = [1, 0, 1]
missed  = [1, 1, 1]
k       = 3
ap_denominator = "min_relevant_k"
value   = "(1 + 2/3) / 3"
[[example]]
ranking = [1, 0, 1]
missed  = [1, 1, 1]
k       = 3
ap_denominator = "retrieved_relevant"
value   = "(1 + 2/3) / 2"
[[example]]
ranking = [1, 0, 1]
k       = 3
ap_denominator = "k"
value   = "(1 + 2/3) / 3"
[[example]]
ranking = [1, 2, 2]
rel     = 2
value   = "(1/2 + 2/3) / 2"
-#}
{% macro metric_ap(k=none, rel=1, ap_denominator='relevant') %}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{%- set denominator = relevant -%}
{%- if ap_denominator == 'retrieved_relevant' -%}
    {%- set denominator = rankmetrics_sql.rm_hits(rel, k) -%}
{%- elif ap_denominator == 'k' -%}
    {%- set denominator = k | string -%}
{%- elif ap_denominator == 'min_relevant_k' and k is not none -%}
    {%- set denominator = 'CASE WHEN ' ~ relevant ~ ' < ' ~ k ~ ' THEN ' ~ relevant ~ ' ELSE ' ~ k ~ ' END' -%}
{%- endif -%}
{%- set expression -%}
COALESCE(
    SUM(CASE WHEN {{ rankmetrics_sql.rm_is_hit(rel, k) }} THEN {{ rankmetrics_sql.rm_relevant_so_far(rel) }} / rnk ELSE 0 END)
    / NULLIF({{ denominator }}, 0),
    0
)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
