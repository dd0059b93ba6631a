{#-
title   = "Jaccard overlap"
summary = """\
    Of the items that one of two lists shows within its first k, the share that both show. The other list stands in \
    the judgments, where the grade of an item is 1 over its rank: rm.overlap() makes them of another run."""
formula = "|A_k ∩ B_k| / |A_k ∪ B_k|; A_k, B_k the items with rank ≤ k of the two lists"
aliases = ["jaccard_overlap"]
range   = [0, 1]
about_judgments = true
source  = "Jaccard 1901; Evidently and others compare two rankings by it"
parameters = ["k"]
needs   = ["n_judged", "n_shown", "reference_ranks"]

[params.k]
required = true

[[example]]
ranking = []
missed  = [1]
k       = 1
value   = "0"
[[example]]
ranking = [0.5, "?", 1]    # the other list begins with the third and the first item
k       = 2
value   = "1 / 3"
[[example]]
ranking = [1, "?", 0.5]    # the third is one too far
missed  = [0.3333333333333333]
k       = 2
value   = "1 / 3"
[[example]]
ranking = [1]              # both lists end before k
k       = 9
value   = "1"
-#}
{% macro metric_jaccard(k) %}
{%- set both = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' AND ' ~ rankmetrics_sql.rm_reference_rank()
    ~ ' <= ' ~ k ~ ' THEN 1 ELSE 0 END)' -%}
{%- set own = 'COALESCE(MAX(' ~ rankmetrics_sql.rm_n_shown(k) ~ '), 0)' -%}
{%- set others = rankmetrics_sql.rm_lesser('MAX(n_judged)', k) -%}
{{ return(rankmetrics_sql.rm_ratio(both, '(' ~ own ~ ' + ' ~ others ~ ' - ' ~ both ~ ')')) }}
{% endmacro %}
