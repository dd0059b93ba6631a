{#-
title   = "Unseen share"
group   = "beyond"
summary = """\
    Share of the items shown within the first k that the user has not had before. The judgments are then the history: \
    a row for each item that a user has had. NULL where nothing is shown."""
formula = "|{items with rank ≤ k} ∖ history| / |{items with rank ≤ k}|"
aliases = ["novelty_unseen_share", "unseen"]
range   = [0, 1]
reads_grades = false
reads_history = true
about_judgments = true
reads_order = "cutoff"
source  = "Castells, Hurley & Vargas 2015, Recommender Systems Handbook: novelty as the share of unknown items"
parameters = ["k"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]
"k!=none" = ["n_shown"]

[[example]]
ranking = []
missed  = [1]
value   = "null"
[[example]]
ranking = ["?", 1, 1]      # the user had the last two
k       = 2                # the third is one too far
value   = "1/2"
[[example]]
ranking = ["?", "?", 0, 1] # had is had, whatever the grade
value   = "2/4"
[[example]]
ranking = ["?"]
missed  = [1]
k       = 5
value   = "1"
-#}
{% macro metric_unseen_share(k=none) %}
{%- set had = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN 1 ELSE 0 END)' -%}
{{ return('1 - ' ~ had ~ ' / NULLIF(' ~ rankmetrics_sql.rm_list_length(k, 'min_k_retrieved', none) ~ ', 0)') }}
{% endmacro %}
