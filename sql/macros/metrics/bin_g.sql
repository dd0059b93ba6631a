{#-
title   = "Binary normalised gain"
group   = "binary"
summary = """\
    Mean over the relevant items of 1 / log2(2 + items above that are not relevant); 0 for one that is not \
    retrieved."""
formula = "(1/R) Σ_i 1 / log₂(2 + r_i − i),  r_i the rank of the i-th relevant item"
aliases = ["bing"]
range   = [0, 1]
divides_by_judgments = true
source  = "trec_eval: binG"
options = ["rel", "no_relevant"]
needs   = ["n_relevant", "relevant_so_far"]
[oracle]
pytrec_eval_without_k = "binG"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "1"
[[example]]
ranking = [1, "?", 0, 1]
missed  = [1]
value   = "(1 + 1/log2(4)) / 3"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "1/log2(3)"
-#}
{% macro metric_bin_g(rel=1, no_relevant=0) %}
{%- set behind = 'rnk - ' ~ rankmetrics_sql.rm_relevant_so_far(rel) -%}
{%- set discount = rankmetrics_sql.rm_log2('2 + ' ~ behind) -%}
{%- set expression -%}
COALESCE(
    SUM(CASE WHEN {{ rankmetrics_sql.rm_is_hit(rel) }} THEN 1 / {{ discount }} ELSE 0 END)
    / NULLIF(MAX({{ rankmetrics_sql.rm_n_relevant(rel) }}), 0),
    0
)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
