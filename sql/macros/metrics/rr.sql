{#-
title   = "Reciprocal rank"
group   = "binary"
summary = "One over the rank of the first relevant item; 0 when none is retrieved."
formula = "1 / r_1,  r_1 ≤ k the rank of the first relevant item"
aliases = ["mrr", "recip_rank", "reciprocal_rank", "mean_reciprocal_rank"]
range   = [0, 1]
reads_order = "first"
source  = "Kantor & Voorhees 2000, TREC-5 Confusion track"
parameters = ["k"]
options = ["rel", "no_relevant", "ties"]
needs   = ["shared_places"]
[needs_when]
"ties=expected" = ["tied_relevant"]

[oracle]
pytrec_eval_without_k = "recip_rank"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0]
value   = "1"
[[example]]
ranking = [0, 1]
k       = 2                # the boundary case
value   = "1/2"
[[example]]
ranking = [0, 0, 1]
k       = 2
value   = "0"
[[example]]
ranking = [1, "?", 2]
rel     = 2
value   = "1/3"
[[example]]
ranking = [0, 0, 1, 0, 1]
value   = "1/3"
-#}
{% macro metric_rr(k=none, rel=1, no_relevant=0, ties=none) %}
{%- if ties == 'expected' -%}
    {{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_expected_rr(k, rel) ~ '), 0)') }}
{%- endif -%}
{{ return('COALESCE(1 / MIN(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN rnk END), 0)') }}
{% endmacro %}

{% macro rm_expected_rr(k, rel) %}
{{ return('expected_rr_' ~ rankmetrics_sql.rm_slug(rel) ~ ('' if k is none else '_at_' ~ k)) }}
{% endmacro %}

{#-
Expected over ties: the first relevant item lies in the first group of equal scores that has one. Its place in the group
is j with the chance that the j - 1 places before hold none of the m relevant ones, and place j does. The items of the
group, judged or not, stand for its places.
-#}
{% macro metric_rr_relation(pass, k=none, rel=1, no_relevant=0, ties=none) %}
{%- set column = rankmetrics_sql.rm_expected_rr(k, rel) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.suffix) -%}
{%- set slug = rankmetrics_sql.rm_slug(rel) -%}
{%- set keys = pass.plan.row_keys | join(', ') -%}
{%- set groups %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        n_above,
        MAX(n_tied) AS n_tied,
        MAX(tied_relevant_{{ slug }}) AS n_hits,
        ROW_NUMBER() OVER (PARTITION BY {{ keys }} ORDER BY n_above ASC NULLS FIRST) AS group_number
    FROM {{ pass.stages.judged }}
    WHERE tied_relevant_{{ slug }} > 0
    GROUP BY {{ keys }}, n_above
{%- endset -%}
{%- set place = '(p.rnk - p.n_above)' -%}
{%- set left = 'g.n_tied - ' ~ place ~ ' + 1' -%}
{%- set missed = 'CASE WHEN ' ~ left ~ ' > g.n_hits THEN 1 - g.n_hits / (' ~ left ~ ') END' -%}
{%- set lists = rankmetrics_sql.rm_qualified('g', pass.plan.row_keys) | join(', ') -%}
{%- set window = 'PARTITION BY ' ~ lists ~ ' ORDER BY p.rnk ASC NULLS FIRST' -%}
{%- set passed -%}
COALESCE(SUM(LN({{ missed }})) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0)
{%- endset -%}
{%- set items = pass.stages.judged if pass.options.unjudged == 'drop' else pass.stages.ranked -%}
{%- set places %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('g', pass.plan.row_keys)) }},
        p.rnk AS first_rnk,
        g.n_hits / ({{ left }}) * {{ rankmetrics_sql.rm_exp(passed) }} AS chance
    FROM {{ name }}_groups AS g
    INNER JOIN {{ items }} AS p ON {{ rankmetrics_sql.rm_same('p', 'g', pass.plan.row_keys) }}
        {{- ' AND p.n_above = g.n_above' }}
    WHERE g.group_number = 1 AND {{ place }} <= g.n_tied - g.n_hits + 1
{%- endset -%}
{%- set within = 'CASE WHEN first_rnk <= ' ~ k ~ ' THEN chance / first_rnk ELSE 0 END' -%}
{%- set worth = 'chance / first_rnk' if k is none else within -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        SUM({{ worth }}) AS {{ column }}
    FROM {{ name }}_places
    GROUP BY {{ keys }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column],
    'ctes': [
        rankmetrics_sql.rm_cte(
            name ~ '_groups', groups,
            'the groups of equal scores with a relevant item, numbered from the top'
        ),
        rankmetrics_sql.rm_cte(
            name ~ '_places', places,
            'the possible ranks of the first relevant item in the first such group, each with its probability'
        ),
        rankmetrics_sql.rm_cte(name, sums, 'the expected reciprocal rank of each list'),
    ],
}) }}
{% endmacro %}
