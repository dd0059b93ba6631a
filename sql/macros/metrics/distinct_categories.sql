{#-
title   = "Distinct categories"
group   = "beyond"
summary = "Number of categories that the items shown within the first k have, each counted once."
formula = "|∪_{r≤k} categories(item at r)|"
aliases = ["n_categories"]
source  = "RePlay: CategoricalDiversity, which divides by k"
parameters = ["k"]
reads_grades = false
reads_judgments = false
about_judgments = true
needs   = ["all_rows", "item_id", "categories"]
[needs_when]
"k=none" = ["shared_places"]

[[example]]
ranking = []
value   = "0"
[[example]]
ranking = ["a", "b", "c"]
items   = { a = { categories = ["x", "y"] }, b = { categories = ["y"] }, c = { categories = ["z"] } }
k       = 2                # z is one too far
value   = "2"
[[example]]
ranking = ["a", "z"]       # z has none
items   = { a = { categories = ["x"] }, z = { categories = [] } }
value   = "1"
-#}
{% macro metric_distinct_categories(k=none) %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_n_distinct_categories(k) ~ '), 0)') }}
{% endmacro %}

{% macro rm_n_distinct_categories(k) %}
{{ return('n_distinct_categories' ~ ('' if k is none else '_at_' ~ k)) }}
{% endmacro %}

{% macro metric_distinct_categories_relation(pass, k=none) %}
{%- set column = rankmetrics_sql.rm_n_distinct_categories(k) -%}
{{ return(rankmetrics_sql.rm_categories_relation(pass, column, 'COUNT(DISTINCT category)', k)) }}
{% endmacro %}
