{#-
title   = "Average popularity"
group   = "beyond"
summary = """\
    Mean popularity of the items shown within the first k, averaged over lists; an item that the catalogue does not \
    know has 0. Popularity comes from the catalogue: a number of users or of interactions, or a share."""
formula = "Σ_{r≤k} popularity(item at r) / (items with rank ≤ k)"
aliases = ["avg_rec_popularity", "average_recommendation_popularity"]
better  = "lower"
source  = "Yin et al. 2012, PVLDB; RecTools: AvgRecPopularity"
differs = { "evidently" = "ARP leaves out items without a popularity" }
parameters = ["k"]
reads_grades = false
reads_judgments = false
about_judgments = true
needs   = ["all_rows", "popularity"]
[needs_when]
"k=none" = ["shared_places"]

[[example]]
ranking = []
value   = "null"
[[example]]
ranking = ["a", "b", "c"]
items   = { a = { popularity = 3 }, b = { popularity = 1 }, c = { popularity = 8 } }
k       = 2                # c is one too far
value   = "(3 + 1) / 2"
[[example]]
ranking = ["a", "z"]       # nobody knows z
items   = { a = { popularity = 0.5 } }
value   = "(0.5 + 0) / 2"
-#}
{% macro metric_average_popularity(k=none) %}
{{ return(rankmetrics_sql.rm_mean_within('COALESCE(popularity, 0)', k)) }}
{% endmacro %}
