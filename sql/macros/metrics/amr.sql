{#-
title     = "Adjusted mean rank"
group     = "whole"
summary   = """\
    Mean rank of the retrieved relevant items over the mean rank in random order; one that is not retrieved has no \
    rank, 0 if none is."""
formula   = """\
    Σ r / (h·(n + 1)/2) over the ranks r of h relevant items among n retrieved; over queries the ratio of the sums"""
aliases   = ["adjusted_mean_rank", "adjusted_arithmetic_mean_rank", "aamr"]
range     = [0, 2]
better    = "lower"
aggregate = "parts"
source    = "Berrendorf et al. 2020, arXiv:2002.06914; PyKEEN: AdjustedArithmeticMeanRank"
options   = ["rel", "ties"]
needs     = ["n_retrieved"]

[differs]
"pykeen" = """\
    ranks each relevant item without the other ones (filtered evaluation), equal scores in the middle \
    (ties=expected)"""
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, "?"]      # rank 1, where 2 is the mean
value   = "1/2"
[[example]]
ranking = [1, 0, "?", 1]
missed  = [1]
value   = "((1 + 4) / 2) / (5/2)"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "2 / (3/2)"
-#}
{% macro metric_amr(rel=1, ties=none) %}
{%- set parts = rankmetrics_sql.metric_amr_parts(rel=rel, ties=ties) -%}
{{ return(rankmetrics_sql.rm_ratio(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_amr_parts(rel=1, ties=none) %}
{%- set rank = rankmetrics_sql.rm_rank(ties) -%}
{{ return([
    {'name': 'ranks', 'sql': 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ rank ~ ' ELSE 0 END)'},
    {'name': 'expected', 'sql': rankmetrics_sql.rm_hits(rel) ~ ' * (' ~ rankmetrics_sql.rm_list_places() ~ ' + 1) / 2'},
]) }}
{% endmacro %}
