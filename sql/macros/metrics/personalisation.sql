{#-
title     = "Personalisation"
group     = "beyond"
summary   = """\
    Mean over all pairs of lists of 1 minus the share of k places that hold an item of both: 0 where all show the \
    same, 1 where no two share an item. Exact, as it follows from the number of lists that show each item; lists \
    without an item do not count."""
formula   = "1 − Σ_i c_i (c_i − 1) / (n (n − 1) k); c_i lists that show item i within k; n lists"
aliases   = ["personalization", "inter_list_diversity"]
range     = [0, 1]
aggregate = "lists"
reads_grades = false
reads_judgments = false
about_judgments = true
source    = "Zhou et al. 2010, PNAS: mean Hamming distance of lists; Evidently: Personalization"
parameters = ["k"]
needs     = ["all_rows", "item_id", "n_shown"]
[params.k]
default   = 10
help      = "how many places a list has, filled or not"

[[example]]
ranking = [[], ["a"]]
k       = 1
value   = "null"
[[example]]
ranking = [["a", "b"], ["c", "d"]]
k       = 2
value   = "1"
[[example]]
ranking = [["a", "b", "c"], ["a", "d", "c"], ["b"], []]
k       = 2                # c is one too far: one pair shares a, one b, one nothing
value   = "1 - (1 + 1 + 0) / 2 / 3"
-#}
{% macro metric_personalisation(k=10) %}
{%- set alike = 'SUM(n_lists * (n_lists - 1))' -%}
{%- set all_lists = 'MAX(n_all_lists)' -%}
{{ return('1 - ' ~ alike ~ ' / NULLIF(' ~ all_lists ~ ' * (' ~ all_lists ~ ' - 1) * ' ~ k ~ ', 0)') }}
{% endmacro %}
