{#-
title   = "Propensity-weighted nDCG"
group   = "propensity"
summary = """\
    DCG of the ranking over the DCG of the best possible ranking of the judged items, both cut at k, where the gain of \
    a click counts one over the propensity of its item: self-normalised by its definition."""
formula = "IPS-DCG@k / the same of the items by w · gain, best first,  w = 1 / max(propensity, floor)"
aliases = ["weighted_ndcg"]
range   = [0, 1]
source  = "nDCG (Jarvelin & Kekalainen 2002) with the gains of Agarwal et al. 2019, SIGIR: gain over propensity"
parameters = ["k", "floor"]
options = ["gain", "rel", "discount", "no_relevant"]
needs   = ["gain", "propensity"]

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
value   = "0"
[[example]]
ranking = [1, 1]           # the one that was seldom seen comes first
propensity = [0.25, 1]
k       = 2
value   = "1"
[[example]]
ranking = [0, 1, 1]
propensity = [1, 1, 0.5]
k       = 2
value   = "(1/log2(3)) / (2 + 1/log2(3))"
[[example]]
ranking = [1, 1]
missed  = [1]
propensity = [1, 0.125, 0.5]
floor   = 0.25
value   = "(1 + 4/log2(3)) / (4 + 2/log2(3) + 1/2)"
[[example]]
ranking = [1, 2]
propensity = [1, 0.5]
gain    = "exp2"
value   = "(1 + 6/log2(3)) / (6 + 1/log2(3))"
[[example]]
ranking = [1, 2, 2]
propensity = [1, 1, 0.5]
gain    = "binary"
rel     = 2
value   = "(1/log2(3) + 2/2) / (2 + 1/log2(3))"
-#}
{% macro metric_ips_ndcg(k=none, floor=0, gain='linear', rel=1, discount='log2', no_relevant=0) %}
{%- set dcg = rankmetrics_sql.metric_ips_dcg(k=k, floor=floor, gain=gain, rel=rel, discount=discount) -%}
{%- set ideal = 'MAX(' ~ rankmetrics_sql.rm_weighted_ideal(k, floor, gain, rel, discount) ~ ')' -%}
{{ return(rankmetrics_sql.rm_over_weights(dcg, ideal)) }}
{% endmacro %}

{% macro rm_weighted_ideal(k, floor, gain, rel, discount) %}
{%- set ideal = {'gain': gain, 'rel': rel, 'k': k, 'discount': discount, 'ideal_depth': 'min_k'} -%}
{{ return('weighted_' ~ rankmetrics_sql.rm_ideal_dcg(ideal) ~ '_from_' ~ rankmetrics_sql.rm_slug(floor)) }}
{% endmacro %}

{#- Every judgment by what it gains, the most first. -#}
{% macro metric_ips_ndcg_relation(pass, k=none, floor=0, gain='linear', rel=1, discount='log2', no_relevant=0) %}
{%- set column = rankmetrics_sql.rm_weighted_ideal(k, floor, gain, rel, discount) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.truth_suffix ~ pass.judged_suffix) -%}
{%- set worth = rankmetrics_sql.rm_worth_of_click(rankmetrics_sql.rm_gain(gain, rel, 'relevance'), floor) -%}
{%- set gains %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys) }},
        {{ worth }} AS weighted_gain
    FROM {{ pass.stages.truth_source }}
    WHERE {{ rankmetrics_sql.rm_gain(gain, rel, 'relevance') }} > 0
{%- endset -%}
{%- set places %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys) }},
        weighted_gain,
        {{ rankmetrics_sql.rm_number_down(pass.truth_keys, 'weighted_gain') }} AS weighted_rnk
    FROM {{ name }}_gains
{%- endset -%}
{%- set discounted = rankmetrics_sql.rm_discounted('weighted_gain', 'weighted_rnk', discount) -%}
{%- set ideal %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys) }},
        SUM({{ discounted }}) AS {{ column }}
    FROM {{ name }}_places
    {%- if k is not none %}
    WHERE weighted_rnk <= {{ k }}
    {%- endif %}
    GROUP BY {{ pass.truth_keys | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column],
    'of_queries': pass.truth_keys == pass.plan.query_keys,
    'ctes': [
        rankmetrics_sql.rm_cte(name ~ '_gains', gains, 'the weighted gain of each judgment that gains something'),
        rankmetrics_sql.rm_cte(
            name ~ '_places', places,
            'its place in the ideal ranking, the greatest weighted gain first'
        ),
        rankmetrics_sql.rm_cte(name, ideal, 'the DCG of that ideal ranking for each query, as far as the cutoff'),
    ],
}) }}
{% endmacro %}
