{#-
title   = "Propensity-weighted average precision"
group   = "propensity"
summary = """\
    Average precision in which every click counts one over the propensity of its item, in the sum, in the precision \
    for the clicks above, and in the number of relevant items that it is divided by. It can be above 1."""
formula = """\
    Σ_{i: r_i ≤ k} w_i (1 + Σ_{j: r_j < r_i} w_j) / r_i over Σ w over the clicks, retrieved or not; \
    w = 1 / max(propensity, floor), and the click itself counts once, so that the sum has the expectation of AP's"""
aliases = ["weighted_ap", "ips_map", "weighted_map"]
divides_by_judgments = true
source  = "AP (trec_eval: map) with the clicks of Joachims, Swaminathan & Schnabel 2017, WSDM, over their propensities"
parameters = ["k", "floor"]
options = ["rel", "no_relevant"]
needs   = ["propensity"]

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
value   = "0"
[[example]]
ranking = [1, 0, 1]
propensity = [1, 1, 1]
value   = "(1 + 2/3) / 2"
[[example]]
ranking = [1, 0, 1]
missed  = [1]
propensity = [0.5, 1, 0.25, 1]
value   = "(2 * 1 + 4 * (1 + 2) / 3) / (2 + 4 + 1)"
[[example]]
ranking = [1, 0, 1]
propensity = [0.5, 1, 0.25]
k       = 2
value   = "2 / (2 + 4)"
[[example]]
ranking = [1, 1]
propensity = [0.125, 1]
floor   = 0.25
value   = "(4 + (1 + 4) / 2) / (4 + 1)"
[[example]]
ranking = [1, 2, 2]
propensity = [1, 0.5, 1]
rel     = 2
value   = "(2 * 1 / 2 + (1 + 2) / 3) / (2 + 1)"
-#}
{% macro metric_ips_ap(k=none, floor=0, rel=1, no_relevant=0) %}
{%- set precision = '(1 + COALESCE(' ~ rankmetrics_sql.rm_weight_above(rel, floor) ~ ', 0)) / rnk' -%}
{%- set sum = rankmetrics_sql.rm_sum_of_clicks(precision, floor, rankmetrics_sql.rm_is_hit(rel, k)) -%}
{%- set weight = 'MAX(' ~ rankmetrics_sql.rm_click_weight(rel, floor) ~ ')' -%}
{{ return(rankmetrics_sql.rm_over_weights(sum, weight)) }}
{% endmacro %}

{#- The weight of the clicks above the item. -#}
{% macro rm_weight_above(rel, floor) %}
{{ return('click_weight_above_' ~ rankmetrics_sql.rm_slug(rel) ~ '_from_' ~ rankmetrics_sql.rm_slug(floor)) }}
{% endmacro %}

{% macro metric_ips_ap_columns(window, k=none, floor=0, rel=1, no_relevant=0) %}
{%- set clicked = 'm.relevance >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{%- set weight = rankmetrics_sql.rm_worth_of_click('1', floor, 'm.') -%}
{%- set above -%}
SUM(CASE WHEN {{ clicked }} THEN {{ weight }} ELSE 0 END) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
{%- endset -%}
{{ return([{'name': rankmetrics_sql.rm_weight_above(rel, floor), 'sql': above}]) }}
{% endmacro %}

{% macro metric_ips_ap_relation(pass, k=none, floor=0, rel=1, no_relevant=0) %}
{{ return(rankmetrics_sql.rm_click_weight_relation(pass, rel, floor)) }}
{% endmacro %}
