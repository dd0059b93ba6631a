{#-
title   = "Intent-aware average precision"
group   = "diversity"
summary = """\
    Average precision for each subtopic as if it were the query, averaged over the subtopics that have a relevant \
    item."""
formula = """\
    1/S · Σ_s 1/R_s · Σ_r rel_s(r) · (relevant items for s down to r) / r; R_s: relevant items for s; S: subtopics \
    with R_s > 0"""
aliases = ["ap-ia", "map_ia", "map-ia"]
range   = [0, 1]
source  = "Agrawal et al. 2009, WSDM; ndeval: MAP-IA"
options = ["rel", "no_relevant"]
needs   = ["subtopics", "n_subtopics", "relevant_so_far"]

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 1], [1, 1], [0, 0]]
value   = "1"
[[example]]
ranking = [[1, 0], "?", [1, 1]]
missed  = [[0, 1]]
value   = "((1 + 2/3) / 2 + (1/3) / 2) / 2"
[[example]]
ranking = [[1, 2, 0], [2, 0, 1]]   # nothing of grade 2 for the third subtopic
rel     = 2
value   = "(1/2 + 1) / 2"
-#}
{% macro metric_ap_ia(rel=1, no_relevant=0) %}
{%- set column = 'ap_of_subtopics_' ~ rankmetrics_sql.rm_slug(rel) -%}
{{ return(rankmetrics_sql.rm_ratio('MAX(' ~ column ~ ')', 'MAX(' ~ rankmetrics_sql.rm_n_subtopics(rel) ~ ')')) }}
{% endmacro %}

{#- The average precisions of the subtopics, added up; how many items each has is stacked below its retrieved ones. -#}
{% macro metric_ap_ia_relation(pass, rel=1, no_relevant=0) %}
{%- set column = 'ap_of_subtopics_' ~ rankmetrics_sql.rm_slug(rel) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.suffix) -%}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set relevant = 'relevance >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{%- set subtopics = {'relation': pass.plan.stages.subtopics, 'of_queries': true} -%}
{%- set judgments = rankmetrics_sql.rm_branch_keys(pass, subtopics) + rankmetrics_sql.rm_columns_from('b', ['subtopic'])
    + [{'name': 'precision_here', 'sql': '0'}, {'name': 'is_judgment', 'sql': '1'}] -%}
{%- set stacked %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['subtopic']) }},
        {{ rankmetrics_sql.rm_relevant_so_far(rel) }} / rnk AS precision_here,
        0 AS is_judgment
    FROM {{ pass.stages.judged }}
    WHERE {{ relevant }}
    UNION ALL
    {{ rankmetrics_sql.rm_select(judgments) }}
    {{ rankmetrics_sql.rm_branch_from(pass, subtopics) }}
    WHERE b.{{ relevant }}
{%- endset -%}
{%- set precisions %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        SUM(precision_here) / CAST(SUM(is_judgment) AS {{ double }}) AS average_precision
    FROM {{ name }}_stacked
    GROUP BY {{ (pass.plan.row_keys + ['subtopic']) | join(', ') }}
{%- endset -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        SUM(average_precision) AS {{ column }}
    FROM {{ name }}_precisions
    GROUP BY {{ pass.plan.row_keys | join(', ') }}
{%- endset -%}
{{ return({'name': name, 'columns': [column], 'ctes': [
    rankmetrics_sql.rm_cte(
        name ~ '_stacked', stacked,
        'the precision at each relevant pair of an item and a subtopic, and a row of 0 for each relevant judgment'
    ),
    rankmetrics_sql.rm_cte(name ~ '_precisions', precisions, 'the average precision of each subtopic of a list'),
    rankmetrics_sql.rm_cte(name, sums, 'the sum of these for each list'),
]}) }}
{% endmacro %}
