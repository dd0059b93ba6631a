{#-
title   = "Self-information"
group   = "beyond"
summary = """\
    Mean self-information of the items shown within the first k, in bits: how surprising it is that a user had the \
    item. The catalogue's popularity is then the share of users who had it. NULL where no item has one."""
formula = "Σ_{r≤k} −log₂ popularity(item at r) / (items with rank ≤ k that have a popularity)"
aliases = ["mean_self_information", "miuf", "mean_inverse_user_frequency"]
source  = "Zhou et al. 2010, PNAS; RecTools: MeanInvUserFreq, with cold = 1 / users"
parameters = ["k"]
reads_grades = false
reads_judgments = false
about_judgments = true
needs   = ["all_rows", "popularity", "popularity_share"]
[needs_when]
"k=none" = ["shared_places"]

[ambiguous]
novelty = """\
    the mean self-information of the items shown (self_information@10), or the share of them that the user has not had \
    yet (unseen_share@10)"""
[params.cold]
type    = "number"
above   = 0
max     = 1
help    = "popularity of an item that has none or 0; without it such items are left out"
[differs]
replay    = "Surprisal divides by log₂ of the number of users; an item without users has 1"
evidently = "leaves out items without a popularity"
recommenders = "popularity is the share of all interactions, not of users; the mean is over all lists together"

[[example]]
ranking = []
value   = "null"
[[example]]
ranking = ["a", "b", "c"]
items   = { a = { popularity = 0.5 }, b = { popularity = 0.125 }, c = { popularity = 1 } }
k       = 2                # c is one too far
value   = "(1 + 3) / 2"
[[example]]
ranking = ["a", "z"]       # nobody had z
items   = { a = { popularity = 0.25 } }
value   = "2"
[[example]]
ranking = ["a", "z"]
items   = { a = { popularity = 0.25 } }
cold    = 0.0625
value   = "(2 + 4) / 2"
-#}
{% macro metric_self_information(k=none, cold=none) %}
{%- set otherwise = 'NULL' if cold is none else rankmetrics_sql.rm_as_double(cold) -%}
{%- set share = 'CASE WHEN popularity > 0 THEN popularity ELSE ' ~ otherwise ~ ' END' -%}
{{ return(rankmetrics_sql.rm_mean_within('-1 * ' ~ rankmetrics_sql.rm_log2(share), k)) }}
{% endmacro %}
