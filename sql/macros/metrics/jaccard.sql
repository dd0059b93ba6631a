{#-
title   = "Jaccard overlap"
group   = "overlap"
summary = """\
    Of the items that one of two lists shows within its first k, or at all, the share that both show. The other list \
    stands in the judgments, where the grade of an item is 1 over its rank: rm.ranks() makes them of another run."""
formula = "|A_k ∩ B_k| / |A_k ∪ B_k|; A_k, B_k the items with rank ≤ k of the two lists"
aliases = ["jaccard_overlap"]
range   = [0, 1]
about_judgments = true
reads_order = "cutoff"
source  = "Jaccard 1901; Evidently and others compare two rankings by it"
parameters = ["k"]
needs   = ["n_judged", "reference_ranks"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]
"k!=none" = ["n_shown"]

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
ranking = [1, "?", 0.5]    # whole lists: two of four
missed  = [0.3333333333333333]
value   = "2 / 4"
[[example]]
ranking = [1]              # both lists end before k
k       = 9
value   = "1"
-#}
{% macro metric_jaccard(k=none) %}
{%- set in_other = '' if k is none else ' AND ' ~ rankmetrics_sql.rm_reference_rank() ~ ' <= ' ~ k -%}
{%- set both = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ in_other ~ ' THEN 1 ELSE 0 END)' -%}
{%- set own = rankmetrics_sql.rm_list_length(k, 'min_k_retrieved', none) -%}
{%- set others = 'MAX(n_judged)' if k is none else rankmetrics_sql.rm_lesser('MAX(n_judged)', k) -%}
{{ return(rankmetrics_sql.rm_ratio(both, '(' ~ own ~ ' + ' ~ others ~ ' - ' ~ both ~ ')')) }}
{% endmacro %}
