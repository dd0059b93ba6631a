{#-
title   = "Unjudged"
group   = "counts"
summary = """\
    Share of the first k places with an item that is not judged, or has a grade below 0; places beyond the list \
    count as judged."""
formula = "|{r ≤ min(k, n): no judgment or g_r < 0}| / k"
range   = [0, 1]
better  = "lower"
about_judgments = true
reads_order = "cutoff"
source  = "trec_eval 10: unj"
parameters = ["k"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]
"k!=none" = ["n_shown"]
[params.k]
help = "look at the first k items only; none: at the whole list, and divide by its length"

[[example]]
ranking = []
missed  = [1]
k       = 2
value   = "0"
[[example]]
ranking = ["?", 1, "?"]
k       = 2
value   = "1/2"
[[example]]
ranking = ["?", 1]
k       = 5
value   = "1/5"
[[example]]
ranking = ["?", 1, 0, -1]  # pooled, but not judged
value   = "2/4"
-#}
{% macro metric_unj(k=none) %}
{%- set within = rankmetrics_sql.rm_within(k) -%}
{%- set judged = rankmetrics_sql.rm_as_double('SUM(CASE WHEN relevance >= 0 AND ' ~ within ~ ' THEN 1 ELSE 0 END)') -%}
{%- if k is none -%}
    {{ return(rankmetrics_sql.rm_ratio('(MAX(n_retrieved) - ' ~ judged ~ ')', 'MAX(n_retrieved)')) }}
{%- endif -%}
{{ return('(' ~ rankmetrics_sql.rm_list_length(k, 'min_k_retrieved', none) ~ ' - ' ~ judged ~ ') / ' ~ k) }}
{% endmacro %}
