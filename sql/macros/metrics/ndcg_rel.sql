{#-
title   = "Mean nDCG over the relevant items"
group   = "graded"
summary = """\
    Mean over the items with a gain of the nDCG at their ranks; for those that are not retrieved, of the whole list."""
formula = "(1/M) (Σ_{gain(g_r) > 0} DCG@r / IDCG@r + (M − retrieved ones) DCG / IDCG),  M judged items with gain > 0"
range   = [0, 1]
divides_by_judgments = true
source  = "trec_eval: ndcg_rel"
options = ["gain", "rel", "no_relevant"]
needs   = ["gain"]
[oracle]
pytrec_eval_without_k = "ndcg_rel"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [2, 1]
value   = "1"
[[example]]
ranking = [1, 2]
value   = "(1/2 + (1 + 2/log2(3)) / (2 + 1/log2(3))) / 2"
[[example]]
ranking = [0, 1, "?", 1]   # at ranks 2 and 4; the ideal ranking 1, 1, 1 ends at rank 3
missed  = [1]
value   = "((1/log2(3)) / (1 + 1/log2(3)) + 2 * (1/log2(3) + 1/log2(5)) / (1 + 1/log2(3) + 1/2)) / 3"
[[example]]
ranking = [1, 2]
gain    = "exp2"
value   = "(1/3 + (1 + 3/log2(3)) / (3 + 1/log2(3))) / 2"
[[example]]
ranking = [1, 2]
gain    = {1 = 3, 2 = 9}
value   = "(3/9 + (3 + 9/log2(3)) / (9 + 3/log2(3))) / 2"
[[example]]
ranking = [1, 2]
gain    = "binary"
rel     = 2
value   = "(1/log2(3)) / 1"
-#}
{% macro metric_ndcg_rel(gain='linear', rel=1, no_relevant=0) %}
{{ return('COALESCE(MAX(ndcg_rel_' ~ rankmetrics_sql.rm_short_gain(gain, rel) ~ '), 0)') }}
{% endmacro %}

{#- The DCG down to and including the row. -#}
{% macro metric_ndcg_rel_columns(window, gain='linear', rel=1, no_relevant=0) %}
{%- set worth = rankmetrics_sql.rm_gain(gain, rel, 'm.relevance') -%}
{%- set discounted = rankmetrics_sql.rm_discounted(worth, 'm.rnk', 'log2') -%}
{%- set running -%}
SUM({{ discounted }}) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        )
{%- endset -%}
{{ return([{'name': 'dcg_so_far_' ~ rankmetrics_sql.rm_short_gain(gain, rel), 'sql': running}]) }}
{% endmacro %}

{% macro metric_ndcg_rel_relation(pass, gain='linear', rel=1, no_relevant=0) %}
{%- set short = rankmetrics_sql.rm_short_gain(gain, rel) -%}
{%- set name = rankmetrics_sql.rm_metric_stage('ndcg_rel_' ~ short, pass.suffix) -%}
{%- set worth = rankmetrics_sql.rm_gain_name(gain, rel) -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        SUM(CASE WHEN {{ worth }} > 0 THEN dcg_so_far_{{ short }} / ideal_dcg ELSE 0 END) AS sum_found,
        SUM(CASE WHEN {{ worth }} > 0 THEN 1 ELSE 0 END) AS n_found,
        SUM({{ rankmetrics_sql.rm_discounted(worth, 'rnk', 'log2') }}) / MAX(ideal_dcg_total) AS ndcg,
        MAX(n_ideal) AS n_places
    FROM {{ name }}_beside
    WHERE is_item = 1 AND n_ideal > 0
    GROUP BY {{ pass.plan.row_keys | join(', ') }}
{%- endset -%}
{%- set means %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        CASE
            WHEN sum_found + (n_places - n_found) * ndcg > 0 THEN (sum_found + (n_places - n_found) * ndcg) / n_places
            ELSE 0
        END AS ndcg_rel_{{ short }}
    FROM {{ name }}_sums
{%- endset -%}
{{ return({
    'name': name,
    'columns': ['ndcg_rel_' ~ short],
    'ctes': rankmetrics_sql.rm_ideal_places(pass, gain, rel)
        + rankmetrics_sql.rm_beside_ideal(pass, name, gain, rel, [worth, 'dcg_so_far_' ~ short]) + [
        rankmetrics_sql.rm_cte(
            name ~ '_sums', sums,
            'what the normalised DCG comes to at the relevant items of each list, and how many of them there are'
        ),
        rankmetrics_sql.rm_cte(
            name, means,
            'its mean over all relevant items, where those not retrieved have that of the whole list'
        ),
    ],
}) }}
{% endmacro %}
