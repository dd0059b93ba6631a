{#-
title     = "Catalogue coverage"
group     = "beyond"
summary   = "Share of the items of the catalogue that at least one list shows within its first k."
formula   = "|catalogue ∩ ∪_q {items with rank ≤ k}| / |catalogue|"
aliases   = ["catalog_coverage", "item_coverage"]
range     = [0, 1]
aggregate = "lists"
reads_grades = false
reads_judgments = false
about_judgments = true
source    = """\
    Ge, Delgado-Battenfeld & Jannach 2010, RecSys; RecTools: CatalogCoverage(normalize=True), RePlay: Coverage, where \
    the catalogue is what the training data has"""
parameters = ["k"]
needs     = ["all_rows", "item_id", "in_catalogue"]
[ambiguous]
coverage = """\
    the share of the catalogue that is shown to anybody (catalogue_coverage@10), or the share of the first items that \
    are judged (judged@10)"""

[[example]]
ranking = [[], []]
items   = { a = {} }
value   = "0"
[[example]]
ranking = [["a", "b"], ["b", "a"]]
items   = { a = {}, b = {} }
value   = "1"
[[example]]
ranking = [["a", "b", "c"], ["a"]]
items   = { a = {}, b = {}, c = {}, d = {} }
k       = 2                # c is one too far
value   = "2/4"
[[example]]
ranking = [["a", "z"]]     # z is not in the catalogue
items   = { a = {}, b = {} }
value   = "1/2"
-#}
{% macro metric_catalogue_coverage(k=none) %}
{{ return('COALESCE(SUM(in_catalogue), 0) / MAX(n_items)') }}
{% endmacro %}
