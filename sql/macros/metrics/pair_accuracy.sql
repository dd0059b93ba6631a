{#-
title   = "Pair accuracy"
group   = "whole"
summary = """\
    Chance that a relevant item of the list stands above another item of it that is not relevant; 1 where there is \
    no other."""
formula = """\
    1 − Σ_{relevant i ≤ k} n_i / (h (n − h)),  n_i the items above i that are not relevant, n = min(k, retrieved), h \
    the relevant among them"""
range   = [0, 1]
source  = "ir_measures: Accuracy; zero_ideal is the value of a list without a relevant item"
parameters = ["k"]
options = ["rel", "zero_ideal"]
needs   = ["relevant_so_far"]
[needs_when]
"k=none" = ["n_retrieved"]
"k!=none" = ["n_shown"]
[ambiguous]
accuracy = """\
    the chance that a relevant item of a list stands above another that is not relevant (pair_accuracy@10), or whether \
    a list has a relevant item (success@10, the hit rate)"""
[differs]
"ir_measures" = """\
    leaves lists without a relevant item out of the mean (zero_ideal=skip), and divides by 0 where all items of a \
    list are relevant"""
"RecTools"    = "Accuracy is the share of all items of the catalogue that are rightly recommended or left out"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0, "?"]
value   = "1"
[[example]]
ranking = [1, 1]           # no other item
value   = "1"
[[example]]
ranking = [0, 1, "?", 1, 0]  # 2 of 6 pairs and 1 of 6 in order
missed  = [1]
value   = "(2 + 1) / 6"
[[example]]
ranking = [0, 1, "?", 1, 0]
k       = 3                # 1 of 2 pairs
value   = "1/2"
[[example]]
ranking = [1, 2, 1]
rel     = 2
value   = "1/2"
[[example]]
ranking = [0, 0]
missed  = [1]
zero_ideal = 1
value   = "1"
-#}
{% macro metric_pair_accuracy(k=none, rel=1, zero_ideal=0) %}
{%- set hit = rankmetrics_sql.rm_is_hit(rel, k) -%}
{%- set hits = rankmetrics_sql.rm_hits(rel, k) -%}
{%- set others = '(' ~ rankmetrics_sql.rm_list_length(k, 'min_k_retrieved', rel) ~ ' - ' ~ hits ~ ')' -%}
{%- set expression -%}
CASE
    WHEN {{ hits }} > 0 THEN 1 - COALESCE(
        SUM(CASE WHEN {{ hit }} THEN rnk - {{ rankmetrics_sql.rm_relevant_so_far(rel) }} ELSE 0 END)
        / NULLIF({{ hits }} * {{ others }}, 0),
        0
    )
    ELSE {{ 'NULL' if zero_ideal in ['null', 'skip'] else zero_ideal }}
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
