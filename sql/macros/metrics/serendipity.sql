{#-
title   = "Serendipity"
group   = "beyond"
summary = """\
    How far above their place by popularity the relevant items within the first k stand, as a share of the catalogue \
    and averaged over the items shown. Items of equal popularity share a place, those without any have the one after \
    the last; an item that the catalogue does not know is worth nothing."""
formula = """\
    Σ_{r≤k} [rel_r] · max(0, place(item at r) − r) / n / (items with rank ≤ k); place(i) the place of popularity(i) \
    among all different popularities, n + 1 without one; n = |catalogue|"""
range   = [0, 1]
source  = "RecTools: Serendipity, the chance that a rank gives, (n + 1 − r)/n, less that of the place by popularity"
parameters = ["k"]
options = ["rel"]
needs   = ["all_rows", "n_items", "popularity", "popularity_place"]
[differs]
recommenders = "1 minus the mean similarity to the items that the user had before, of relevant items"

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = [1]              # nobody has had it: there is one item in the catalogue, and another
items   = { item0 = {}, b = { popularity = 3 } }
value   = "(3 - 1) / 2"
[[example]]
ranking = [0, 1, 1]        # the second most popular stands at rank 2: no surprise; the third is one too far
items   = { item0 = { popularity = 9 }, item1 = { popularity = 4 }, item2 = { popularity = 1 } }
k       = 2
value   = "0"
[[example]]
ranking = [2, 1]
items   = { item0 = { popularity = 1 }, item1 = { popularity = 8 }, c = { popularity = 8 }, d = { popularity = 5 } }
rel     = 2                # the places of 8, 8, 5 and 1 are 1, 1, 2 and 3
value   = "((3 - 1)/4 + 0) / 2"
-#}
{% macro metric_serendipity(k=none, rel=1) %}
{%- set place = 'COALESCE(popularity_place, n_items + 1)' -%}
{%- set condition = 'relevance >= ' ~ rankmetrics_sql.rm_number(rel) ~ ' AND ' ~ place ~ ' > rnk' -%}
{%- set worth = 'CASE WHEN ' ~ condition ~ ' THEN (' ~ place ~ ' - rnk) / n_items ELSE 0 END' -%}
{{ return(rankmetrics_sql.rm_mean_within(worth, k)) }}
{% endmacro %}
