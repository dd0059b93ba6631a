{#-
title   = "Intra-list diversity"
group   = "beyond"
summary = """\
    Mean distance of all pairs of items shown within the first k, by their categories: 1 minus the share of their \
    categories that both have (jaccard), or how many categories only one of them has (hamming). Items without \
    categories are alike. 0 for a list of one item, NULL for an empty one."""
formula = "Σ_{i<j≤k} d(i, j) / (n · (n − 1) / 2); d = 1 − |A ∩ B| / |A ∪ B|, or |A △ B|; n items with rank ≤ k"
aliases = ["ild"]
source  = "Ziegler et al. 2005, WWW; Smyth & McClave 2001; RecTools: IntraListDiversity with hamming"
parameters = ["k"]
reads_grades = false
reads_judgments = false
about_judgments = true
needs   = ["all_rows", "item_id", "categories", "n_categories"]
[needs_when]
"k=none" = ["shared_places"]

[ambiguous]
diversity = """\
    the mean distance of the items of a list (intra_list_diversity@10), or the number of their categories \
    (distinct_categories@10)"""
[params.distance]
type    = "choice"
values  = ["jaccard", "hamming"]
default = "jaccard"
help    = "of two items, by their categories"
[differs]
evidently    = "divides by the length of the list, not by the number of pairs"
recommenders = "1 minus the cosine similarity, of co-occurrence or of features"
replay       = "CategoricalDiversity is the number of categories over k"

[[example]]
ranking = []
value   = "null"
[[example]]
ranking = ["a"]
items   = { a = { categories = ["x"] } }
value   = "0"
[[example]]
ranking = ["a", "b", "c", "d"]
items   = { a = { categories = ["x", "y"] }, b = { categories = ["y"] }, c = { categories = ["z"] } }
k       = 3                # d is one too far
value   = "(1/2 + 1 + 1) / 3"
[[example]]
ranking = ["a", "b", "c"]
items   = { a = { categories = ["x", "y"] }, b = { categories = ["y"] }, c = { categories = ["z"] } }
distance = "hamming"
value   = "(1 + 3 + 2) / 3"
[[example]]
ranking = ["a", "b", "c"]  # of b and c nothing is known
items   = { a = { categories = ["x"] } }
value   = "(1 + 1 + 0) / 3"
-#}
{% macro metric_intra_list_diversity(k=none, distance='jaccard') %}
{%- set n = rankmetrics_sql.rm_n_within(k) -%}
{%- set n_pairs = rankmetrics_sql.rm_n_pairs(n) -%}
{%- set shared = 'COALESCE(MAX(' ~ rankmetrics_sql.rm_shared_categories(k, distance) ~ '), 0)' -%}
{%- set within = rankmetrics_sql.rm_within(k) -%}
{%- if distance == 'hamming' -%}
    {%- set of_all = 'SUM(CASE WHEN ' ~ within ~ ' THEN n_categories ELSE 0 END)' -%}
    {%- set distances = '(' ~ n ~ ' - 1) * ' ~ of_all ~ ' - 2 * ' ~ shared -%}
{%- else -%}
    {%- set n_bare = 'SUM(CASE WHEN ' ~ within ~ ' AND n_categories = 0 THEN 1 ELSE 0 END)' -%}
    {%- set alike = rankmetrics_sql.rm_n_pairs(rankmetrics_sql.rm_as_double(n_bare)) -%}
    {%- set distances = n_pairs ~ ' - ' ~ alike ~ ' - ' ~ shared -%}
{%- endif -%}
{%- set mean = '(' ~ distances ~ ') / (' ~ n_pairs ~ ')' -%}
{{ return('CASE WHEN ' ~ n ~ ' > 1 THEN ' ~ mean ~ ' WHEN ' ~ n ~ ' = 1 THEN 0 END') }}
{% endmacro %}

{% macro rm_shared_categories(k, distance) %}
{{ return('shared_categories_' ~ distance ~ ('' if k is none else '_at_' ~ k)) }}
{% endmacro %}

{#- Added up over the pairs of a list: the categories that both have, or their share of those that either has. -#}
{% macro metric_intra_list_diversity_relation(pass, k=none, distance='jaccard') %}
{%- set column = rankmetrics_sql.rm_shared_categories(k, distance) -%}
{%- set keys = pass.plan.row_keys -%}
{%- if distance == 'hamming' -%}
    {%- set by_category %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n_items
    FROM {{ pass.stages.shown_categories }}
    WHERE {{ rankmetrics_sql.rm_within(k) }}
    GROUP BY {{ keys | join(', ') }}, category
    {%- endset -%}
    {%- set sum = 'SUM(' ~ rankmetrics_sql.rm_n_pairs('n_items') ~ ')' -%}
{%- else -%}
    {%- set by_category %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('a', keys)) }},
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n_shared,
        MAX(a.n_categories + b.n_categories) AS n_of_both
    FROM {{ pass.stages.shown_categories }} AS a
    INNER JOIN {{ pass.stages.shown_categories }} AS b
        ON {{ rankmetrics_sql.rm_same('b', 'a', keys + ['category']) }} AND b.rnk > a.rnk
    WHERE b.{{ rankmetrics_sql.rm_within(k) }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('a', keys + ['rnk']) | join(', ') }}, b.rnk
    {%- endset -%}
    {%- set sum = 'SUM(n_shared / (n_of_both - n_shared))' -%}
{%- endif -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column ~ '_by_category', pass.suffix) -%}
{%- set others = rankmetrics_sql.rm_cte(
    name, by_category,
    'the number of items with each category in each list' if distance == 'hamming'
        else 'the pairs of items that share a category, with the numbers of shared and of all categories'
) -%}
{{ return(rankmetrics_sql.rm_categories_relation(pass, column, sum, k, others)) }}
{% endmacro %}
