{#-
title     = "Average relevance position"
group     = "whole"
summary   = """\
    Mean rank of the retrieved items, each weighed with its grade; one that is not retrieved has no rank, 0 if none \
    has a grade above 0."""
formula   = "Σ_r r·g_r / Σ_r g_r over grades above 0; over queries the ratio of the sums"
aliases   = ["average_relevance_position", "average_relevant_position"]
better    = "lower"
aggregate = "parts"
source    = "TensorFlow Ranking: ARPMetric, which weighs each list with the sum of its grades"
options   = ["ties"]

[differs]
"tf-ranking" = "takes items with a grade below 0 out of the list; here they keep their rank"
"evidently" = "its ARP is average recommendation popularity"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1]
value   = "(1 + 2) / 2"
[[example]]
ranking = [0, 2, "?", 1]
missed  = [3]
value   = "(2 * 2 + 4 * 1) / (2 + 1)"
[[example]]
ranking = [-1, 1]          # a grade below 0 weighs nothing
value   = "2"
-#}
{% macro metric_arp(ties=none) %}
{%- set parts = rankmetrics_sql.metric_arp_parts(ties=ties) -%}
{{ return(rankmetrics_sql.rm_ratio(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_arp_parts(ties=none) %}
{%- set grade = 'CASE WHEN relevance > 0 THEN relevance ELSE 0 END' -%}
{{ return([
    {'name': 'positions', 'sql': 'SUM((' ~ grade ~ ') * ' ~ rankmetrics_sql.rm_rank(ties) ~ ')'},
    {'name': 'grades', 'sql': 'SUM(' ~ grade ~ ')'},
]) }}
{% endmacro %}
