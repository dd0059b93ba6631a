{#-
title   = "Fall-out"
group   = "binary"
summary = """\
    Share of the non-relevant items that stand within the first k; without collection_size, of those retrieved or \
    judged."""
formula = "(min(k, n) - h) / N with h hits within k of n retrieved items and N non-relevant items in all"
aliases = ["fall_out"]
range   = [0, 1]
better  = "lower"
reads_order = "cutoff"
source  = "torchmetrics: RetrievalFallOut; unjudged items count as non-relevant"
parameters = ["k"]
options = ["rel", "collection_size", "ties"]
needs   = ["n_relevant", "n_judged", "n_retrieved"]

[differs]
"torchmetrics" = "1 for a list without non-relevant items (no_nonrelevant=1), unless empty_target_action is another"
[params.no_nonrelevant]
type    = "choice"
values  = [0, 1, "null"]
default = 0
help    = "value of a query without non-relevant items; null counts it in n_left_out"

[[example]]
ranking = []
missed  = [1, 0]
k       = 2
value   = "0"
[[example]]
ranking = [1, 0, "?", 0]   # one of three non-relevant items is within the first two
k       = 2
value   = "1/3"
[[example]]
ranking = [1, 0, "?"]      # of three retrieved or judged ones
missed  = [0, 1]
value   = "2/3"
[[example]]
ranking = [1, 0, "?"]
missed  = [1]
k       = 2
collection_size = 12
value   = "1 / (12 - 2)"
[[example]]
ranking = [1, 1]
no_nonrelevant = 1
value   = "1"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "1"
-#}
{% macro metric_fallout(k=none, no_nonrelevant=0, rel=1, collection_size=none, ties=none) %}
{%- set places = rankmetrics_sql.rm_list_places() -%}
{%- if k is not none -%}{%- set places = rankmetrics_sql.rm_lesser(places, k) -%}{%- endif -%}
{%- set nonrelevant = rankmetrics_sql.rm_nonrelevant_items(rel, collection_size) -%}
{%- set expression -%}
CASE
    WHEN {{ nonrelevant }} > 0 THEN ({{ places }} - {{ rankmetrics_sql.rm_hits(rel, k, ties) }}) / {{ nonrelevant }}
    ELSE {{ no_nonrelevant | upper if no_nonrelevant is string else no_nonrelevant }}
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- How many places the list has. Where positions have gaps (position=given) it goes on to the last of them. -#}
{% macro rm_list_places() %}
{{ return('(CASE WHEN MAX(n_retrieved) < MAX(rnk) THEN MAX(rnk) ELSE MAX(n_retrieved) END)') }}
{% endmacro %}

{#-
How many items of the collection are not relevant: at least those in the list, and those judged elsewhere. An assumed
grade cannot be told from a judgment here, so that a list full of them may hide judgments elsewhere.
-#}
{% macro rm_nonrelevant_items(rel, collection_size) %}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{%- set below = 'SUM(CASE WHEN relevance < ' ~ rankmetrics_sql.rm_number(rel) ~ ' THEN 1 ELSE 0 END)' -%}
{%- set graded = rankmetrics_sql.rm_as_double(below) -%}
{%- set listed = rankmetrics_sql.rm_list_places() ~ ' - ' ~ rankmetrics_sql.rm_hits(rel) -%}
{%- set elsewhere = 'MAX(n_judged) - ' ~ relevant ~ ' - ' ~ graded -%}
{%- set known = '(' ~ listed ~ ' + CASE WHEN ' ~ elsewhere ~ ' > 0 THEN ' ~ elsewhere ~ ' ELSE 0 END)' -%}
{%- if collection_size is none -%}{{ return(known) }}{%- endif -%}
{%- set given = collection_size ~ ' - ' ~ relevant -%}
{{ return('(CASE WHEN ' ~ given ~ ' > ' ~ known ~ ' THEN ' ~ given ~ ' ELSE ' ~ known ~ ' END)') }}
{% endmacro %}
