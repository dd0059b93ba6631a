{#-
title   = "Inferred average precision"
group   = "whole"
summary = """\
    Average precision estimated from a sample of judgments: a grade below 0 marks an item that was pooled but not \
    judged."""
formula = """\
    (1/R) Σ_{relevant r} (1/r) (1 + d_r (h_r + ε) / (h_r + n_r + 2ε)),  above r: d_r pooled, h_r relevant, n_r \
    judged non-relevant; ε = 0.00001"""
aliases = ["inferred_ap", "inf_ap"]
range   = [0, 1]
about_judgments = true
source  = "Yilmaz & Aslam 2006, CIKM; trec_eval: infAP"
options = ["rel", "no_relevant"]
needs   = ["n_relevant", "relevant_so_far", "nonrelevant_so_far"]
[oracle]
pytrec_eval_without_k = "infAP"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1]
value   = "1"
[[example]]
ranking = ["?", "?", 1]    # nothing above was in the pool
value   = "1/3"
[[example]]
ranking = [1, 0, 1]
value   = "(1 + (1 + 2 * (1 + 1/100000) / (2 + 2/100000)) / 3) / 2"
[[example]]
ranking = [1, -1, -1, 1]   # the two pooled are taken to be as good as what was judged above
missed  = [0]
value   = "(1 + (1 + 3 * (1 + 1/100000) / (1 + 2/100000)) / 4) / 2"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "(1 + 1 * (1/100000) / (1 + 2/100000)) / 2"
-#}
{% macro metric_infap(rel=1, no_relevant=0) %}
{%- set epsilon = rankmetrics_sql.rm_number('1e-5') -%}
{%- set relevant_above = '(' ~ rankmetrics_sql.rm_relevant_so_far(rel) ~ ' - 1)' -%}
{%- set nonrelevant_above = rankmetrics_sql.rm_nonrelevant_so_far(rel) -%}
{%- set expression -%}
COALESCE(
    SUM(CASE
        WHEN {{ rankmetrics_sql.rm_is_hit(rel) }} THEN (
            1 + (pooled_so_far - 1) * ({{ relevant_above }} + {{ epsilon }})
            / ({{ relevant_above }} + {{ nonrelevant_above }} + 2 * {{ epsilon }})
        ) / rnk
        ELSE 0
    END)
    / NULLIF(MAX({{ rankmetrics_sql.rm_n_relevant(rel) }}), 0),
    0
)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- Judged items and those pooled without a judgment, down to and including the row. -#}
{% macro metric_infap_columns(window, rel=1, no_relevant=0) %}
{{ return([{
    'name': 'pooled_so_far',
    'sql': rankmetrics_sql.rm_running_count('m.relevance IS NOT NULL', window),
}]) }}
{% endmacro %}
