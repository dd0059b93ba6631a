{#-
title     = "Exposure Gini"
group     = "beyond"
summary   = """\
    Gini coefficient of how often the items of the catalogue are shown within the first k of all lists: 0 where all \
    are shown equally often, near 1 where few take it all. Items that are never shown count."""
formula   = "Σ_i (2i − n − 1) x_i / (n Σ_i x_i); x_i lists that show an item, from the fewest up; n = |catalogue|"
aliases   = ["gini", "gini_index"]
range     = [0, 1]
better    = "lower"
aggregate = "lists"
reads_grades = false
reads_judgments = false
about_judgments = true
source    = "Fleder & Hosanagar 2009, Management Science; Shani & Gunawardana 2011"
differs   = { "evidently" = "over the items shown only, and divides by n − 1" }
parameters = ["k"]
needs     = ["all_rows", "item_id", "in_catalogue", "place"]

[[example]]
ranking = [[], []]
items   = { a = {} }
value   = "null"
[[example]]
ranking = [["a", "b"], ["b", "a"]]
items   = { a = {}, b = {} }
value   = "0"
[[example]]
ranking = [["a", "b", "c"], ["a"], ["z"]]    # z is not in the catalogue
items   = { a = {}, b = {}, c = {}, d = {} }
k       = 2                # c is one too far: 0, 0, 1, 2
value   = "(1*1 + 3*2) / (4 * 3)"
-#}
{% macro metric_exposure_gini(k=none) %}
{%- set lists = 'CASE WHEN in_catalogue = 1 THEN n_lists END' -%}
{%- set weighted = '2 * SUM(CASE WHEN in_catalogue = 1 THEN place * n_lists END) / SUM(' ~ lists ~ ')' -%}
{{ return('(' ~ weighted ~ ' + MAX(n_items) - 2 * COUNT(' ~ lists ~ ') - 1) / MAX(n_items)') }}
{% endmacro %}
