{#-
title   = "Binary preference"
group   = "whole"
summary = """\
    Share of pairs of a relevant and a judged non-relevant item that the ranking orders rightly; unjudged items are \
    passed over."""
formula = "(1/R) Σ_{relevant d} (1 − min(N_d, R) / min(N, R)),  N_d judged non-relevant items above d, N of them in all"
range   = [0, 1]
about_judgments = true
source  = "Buckley & Voorhees 2004, SIGIR; trec_eval: bpref"
options = ["rel", "no_relevant"]
needs   = ["n_relevant", "n_nonrelevant", "nonrelevant_so_far", "facts_on_rows"]
[oracle]
pytrec_eval_without_k = "bpref"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0, 0]
value   = "1"
[[example]]
ranking = [0, "?", 1, 1, 0]
value   = "((1 - 1/2) + (1 - 1/2)) / 2"
[[example]]
ranking = [0, 0, 1]        # more non-relevant items above than the R = 1 that count
missed  = [0]
value   = "0"
[[example]]
ranking = [1, 1]           # no judged non-relevant item at all
missed  = [1]
value   = "2/3"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "0"
-#}
{% macro metric_bpref(rel=1, no_relevant=0) %}
{%- set relevant = rankmetrics_sql.rm_n_relevant(rel) -%}
{%- set nonrelevant = rankmetrics_sql.rm_n_nonrelevant(rel) -%}
{%- set above = rankmetrics_sql.rm_nonrelevant_so_far(rel) -%}
{%- set expression -%}
COALESCE(
    SUM(CASE
        WHEN relevance >= {{ rankmetrics_sql.rm_number(rel) }} AND {{ above }} > 0 THEN 1
            - {{ rankmetrics_sql.rm_lesser(above, relevant) }}
            / {{ rankmetrics_sql.rm_lesser(nonrelevant, relevant) }}
        WHEN relevance >= {{ rankmetrics_sql.rm_number(rel) }} THEN 1
        ELSE 0
    END)
    / NULLIF(MAX({{ relevant }}), 0),
    0
)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
