{#-
title     = "Ordered pair accuracy"
group     = "whole"
summary   = """\
    Share of the pairs of retrieved items with different grades that stand in the right order; unretrieved items do \
    not count, 0 if there is no pair."""
formula   = """\
    pairs with g_i > g_j and i before j, over pairs with g_i > g_j; no judgment and grades below 0 count as 0; over \
    queries the ratio of the sums"""
aliases   = ["ordered_pair_accuracy"]
range     = [0, 1]
aggregate = "parts"
source    = """\
    TensorFlow Ranking: OPAMetric, which weighs each list with its pairs and takes equal scores as wrong \
    (ties=worst)"""
options   = ["ties"]
needs     = ["n_retrieved"]
differs   = { "tf-ranking" = "takes items with a grade below 0 out of the list; here they count as grade 0" }

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [2, 1, 0]
value   = "1"
[[example]]
ranking = [1, "?", 2, 0]   # wrong: 1 before 2, "?" before 2
missed  = [3]
value   = "3/5"
[[example]]
ranking = [1, 1]           # no pair
value   = "0"
[[example]]
ranking = [-1, 0, 1]       # -1 and 0 make no pair
value   = "0/2"
-#}
{% macro metric_opa(ties=none) %}
{%- set parts = rankmetrics_sql.metric_opa_parts(ties=ties) -%}
{{ return(rankmetrics_sql.rm_ratio('(' ~ parts[0].sql ~ ')', parts[1].sql)) }}
{% endmacro %}

{#-
Pairs of two positive grades come from the relation below. An item of a positive grade at rank r has r - 1 items before
it; those of the h positive ones among themselves are h (h - 1) / 2, the rest are of grade 0 and in the wrong order.
-#}
{% macro metric_opa_parts(ties=none) %}
{%- set positive = rankmetrics_sql.rm_as_double('SUM(CASE WHEN relevance > 0 THEN 1 ELSE 0 END)') -%}
{%- set ranks = 'SUM(CASE WHEN relevance > 0 THEN ' ~ rankmetrics_sql.rm_rank(ties) ~ ' ELSE 0 END)' -%}
{%- set with_zero = positive ~ ' * (' ~ rankmetrics_sql.rm_list_places() ~ ' - ' ~ positive ~ ')' -%}
{%- set wrong = '(' ~ ranks ~ ' - ' ~ positive ~ ' * (' ~ positive ~ ' + 1) / 2)' -%}
{{ return([
    {'name': 'ordered', 'sql': 'COALESCE(MAX(opa_n_ordered), 0) + ' ~ with_zero ~ ' - ' ~ wrong},
    {'name': 'pairs', 'sql': '(COALESCE(MAX(opa_n_pairs), 0) + ' ~ with_zero ~ ')'},
]) }}
{% endmacro %}

{% macro metric_opa_relation(pass, ties=none) %}
{%- set name = rankmetrics_sql.rm_metric_stage('opa', pass.suffix) -%}
{%- set place = 'n_above' if ties == 'expected' else 'rnk' -%}
{%- set keys = pass.plan.row_keys -%}
{%- set h = 'h.' ~ place -%}
{%- set l = 'l.' ~ place -%}
{%- set ordered = 'CASE WHEN ' ~ h ~ ' < ' ~ l ~ ' THEN 2 WHEN ' ~ h ~ ' = ' ~ l ~ ' THEN 1 ELSE 0 END' -%}
{%- set same_list = rankmetrics_sql.rm_same('l', 'h', keys) -%}
{%- set pairs %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('h', keys)) }},
        {{ rankmetrics_sql.rm_as_double('SUM(' ~ ordered ~ ')') }} / 2 AS opa_n_ordered,
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS opa_n_pairs
    FROM {{ pass.stages.judged }} AS h
    INNER JOIN {{ pass.stages.judged }} AS l ON {{ same_list }} AND h.relevance > l.relevance
    WHERE l.relevance > 0
    GROUP BY {{ rankmetrics_sql.rm_qualified('h', keys) | join(', ') }}
{%- endset -%}
{{ return({'name': name, 'ctes': [rankmetrics_sql.rm_cte(
    name, pairs,
    'the pairs of a higher and a lower positive grade in each list, and how many are in the right order'
)], 'columns': ['opa_n_ordered', 'opa_n_pairs']}) }}
{% endmacro %}
