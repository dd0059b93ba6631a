{#-
title   = "Average precision"
group   = "binary"
summary = "Mean of the precisions at the ranks of the relevant items; a relevant item that is not retrieved adds 0."
formula = "(1/R) Σ_{i: r_i ≤ k} i / r_i,  r_i the rank of the i-th relevant item"
aliases = ["map", "map_cut", "average_precision", "mean_average_precision"]
spellings = { context_precision = "ap_denominator=retrieved_relevant" }
range   = [0, 1]
divides_by_judgments = true
source  = "trec_eval: map, map_cut"
parameters = ["k"]
options = ["rel", "ap_denominator", "no_relevant", "ties"]
needs   = ["n_relevant", "relevant_so_far"]
[needs_when]
"ties=expected" = ["tied_relevant", "weight_zipf"]

[oracle]
pytrec_eval = "map_cut_{k}"
pytrec_eval_without_k = "map"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "1"
[[example]]
ranking = [1, 0, 1]
value   = "(1 + 2/3) / 2"
[[example]]
ranking = [1, 0, 1]
k       = 2                # the item at rank 3 is cut off, but still relevant
value   = "1 / 2"
[[example]]
ranking = [1, 0, 1]
missed  = [1, 1, 1]
k       = 3
ap_denominator = "min_relevant_k"
value   = "(1 + 2/3) / 3"
[[example]]
ranking = [1, 0, 1]
missed  = [1, 1, 1]
k       = 3
ap_denominator = "retrieved_relevant"
value   = "(1 + 2/3) / 2"
[[example]]
ranking = [1, 0, 1]
k       = 3
ap_denominator = "k"
value   = "(1 + 2/3) / 3"
[[example]]
ranking = [1, 2, 2]
rel     = 2
value   = "(1/2 + 2/3) / 2"
[[example]]
ranking = [0, 1, 0, 1, 0]
missed  = [1]
value   = "(1/2 + 2/4) / 3"
-#}
{% macro metric_ap(k=none, rel=1, ap_denominator='relevant', no_relevant=0, ties=none) %}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{%- set denominator = relevant -%}
{%- if ap_denominator == 'retrieved_relevant' -%}
    {%- set denominator = rankmetrics_sql.rm_hits(rel, k) -%}
{%- elif ap_denominator == 'k' -%}
    {%- set denominator = k | string -%}
{%- elif ap_denominator == 'min_relevant_k' and k is not none -%}
    {%- set denominator = rankmetrics_sql.rm_lesser(relevant, k) -%}
{%- endif -%}
{%- set hit = rankmetrics_sql.rm_is_hit(rel, none if ties == 'expected' else k) -%}
{%- set precision = rankmetrics_sql.rm_relevant_so_far(rel) ~ ' / rnk' -%}
{%- if ties == 'expected' -%}{%- set precision = rankmetrics_sql.rm_expected_precision(k, rel) -%}{%- endif -%}
{%- set expression -%}
COALESCE(
    SUM(CASE WHEN {{ hit }} THEN {{ precision }} ELSE 0 END)
    / NULLIF({{ denominator }}, 0),
    0
)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#-
The expected precision at the rank of a relevant item within its group of n_tied equal scores. At place j of the group
it has relevant_above relevant items before the group, itself, and of the m - 1 others in the group (j - 1) / (n_tied
- 1) before it; the mean over the places within k of (above + 1 + (m - 1)(j - 1) / (n_tied - 1)) / (n_above + j).
-#}
{% macro rm_expected_precision(k, rel) %}
{%- set slug = rankmetrics_sql.rm_slug(rel) -%}
{%- set harmonic = rankmetrics_sql.rm_weight_name('zipf', k) -%}
{%- set share = '1' if k is none else rankmetrics_sql.rm_share_within(k) -%}
{%- set others = '(tied_relevant_' ~ slug ~ ' - 1) / NULLIF(n_tied - 1, 0)' -%}
{%- set own = '(relevant_above_' ~ slug ~ ' + 1) * ' ~ harmonic -%}
{%- set among = '(' ~ share ~ ' - (n_above + 1) * ' ~ harmonic ~ ')' -%}
{{ return(own ~ ' + COALESCE(' ~ others ~ ', 0) * ' ~ among) }}
{% endmacro %}
