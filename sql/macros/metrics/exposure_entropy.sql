{#-
title     = "Exposure entropy"
group     = "beyond"
summary   = """\
    Shannon entropy, in bits, of which item is shown within the first k of all lists: the more items share the places \
    evenly, the higher."""
formula   = "−Σ_i p_i log₂ p_i; p_i share of all places within k that show item i"
aliases   = ["distributional_coverage", "shannon_entropy"]
aggregate = "lists"
reads_grades = false
reads_judgments = false
about_judgments = true
source    = "Shani & Gunawardana 2011; recommenders: distributional_coverage"
parameters = ["k"]
needs     = ["all_rows", "item_id"]

[[example]]
ranking = [[], []]
value   = "null"
[[example]]
ranking = [["a", "b"], ["c", "d"]]
value   = "2"
[[example]]
ranking = [["a", "b", "c"], ["a"], ["d"]]
k       = 2                # c is one too far: 2, 1, 1
value   = "1/2 * 1 + 1/4 * 2 + 1/4 * 2"
-#}
{% macro metric_exposure_entropy(k=none) %}
{%- set each = 'SUM(n_lists * ' ~ rankmetrics_sql.rm_log2('n_lists') ~ ')' -%}
{{ return(rankmetrics_sql.rm_log2('SUM(n_lists)') ~ ' - ' ~ each ~ ' / SUM(n_lists)') }}
{% endmacro %}
