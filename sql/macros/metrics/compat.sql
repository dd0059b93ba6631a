{#-
title   = "Compatibility"
group   = "graded"
summary = """\
    Rank-biased overlap of the list with the best order of the relevant items; equal grades in the order of the \
    list."""
formula = """\
    Σ_{d≤D} p^(d−1) O_d / d, over the same with O_d = min(d, R) (normalize=true) or d;  O_d the items among the \
    first d of both orders, R the items of a grade above 0, D = max(R, retrieved)"""
aliases = ["compatibility"]
range   = [0, 1]
divides_by_judgments = true
source  = "Clarke, Vtyurina & Smucker 2021, ACM TOIS 39(2); ir_measures: Compat"
parameters = ["p"]
needs   = ["n_retrieved"]
[differs]
"ir_measures" = """\
    in the ideal order an item that is not retrieved has the score 0: above retrieved ones of its grade whose scores \
    are negative; retrieved ones of one grade and score stand there in the order of the judgments"""

[params.p]
default = 0.95
help    = "how likely the reader is to go on to the next depth"
[params.normalize]
type    = "choice"
values  = ["true", "false"]
default = "true"
help    = """\
    over the overlap of the best order with itself, which ends with the relevant items, or with itself if it did not \
    end"""

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [2, 1, 1]
value   = "1"
[[example]]
ranking = [0, 1]           # the overlap at depth 1 is 0 of 1, at depth 2 it is 1 of 2
value   = "(0.95/2) / (1 + 0.95/2)"
[[example]]
ranking = [1, 2, "?"]      # 0 of 1, 2 of 2, 2 of 3
p       = 0.5
value   = "(0.5 + 0.25 * 2/3) / (1 + 0.5 + 0.25 * 2/3)"
[[example]]
ranking = [1, "?"]         # the best order starts with the item that is not retrieved
missed  = [2]
p       = 0.5
normalize = "false"
value   = "(0.5/2) / (1 + 0.5)"
-#}
{% macro metric_compat(p=0.95, normalize='true') %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_compat_value(p, normalize) ~ '), 0)') }}
{% endmacro %}

{% macro rm_compat_value(p, normalize) %}
{{ return(('compat_' if normalize == 'true' else 'compat_unended_') ~ rankmetrics_sql.rm_slug(p)) }}
{% endmacro %}

{#-
An item belongs to both orders from the later of its two ranks on, so it adds the tail of p^(d-1) / d from there to D: a
difference of running sums. In the best order it stands below the items of higher grades, retrieved or not, and below
those of its own grade that are retrieved above it: the numbers of items of each grade, and of all retrieved ones, are
rows above and below the items. Where the items stand no parameter changes, so those stages serve all of them.
-#}
{% macro metric_compat_relation(pass, p=0.95, normalize='true') %}
{%- set value = rankmetrics_sql.rm_compat_value(p, normalize) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(value, pass.suffix) -%}
{%- set both = rankmetrics_sql.rm_metric_stage('compat', pass.suffix) -%}
{%- set depths = rankmetrics_sql.rm_depths(pass.plan, p) -%}
{%- set row_keys = pass.plan.row_keys | join(', ') -%}
{%- set grades %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys + ['relevance']) }},
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n_items
    FROM {{ pass.stages.truth_source }}
    WHERE relevance > 0
    GROUP BY {{ (pass.truth_keys + ['relevance']) | join(', ') }}
{%- endset -%}
{%- set judged_grades = rankmetrics_sql.rm_of_truth(pass, both ~ '_grades') -%}
{%- set of_items = pass.plan.row_keys + ['relevance', 'rnk']
    + rankmetrics_sql.rm_unknown(['n_items', 'n_retrieved']) -%}
{%- set of_grades = rankmetrics_sql.rm_branch_keys(pass, judged_grades)
    + rankmetrics_sql.rm_columns_from('b', ['relevance'])
    + rankmetrics_sql.rm_nulls(['rnk']) + rankmetrics_sql.rm_columns_from('b', ['n_items'])
    + rankmetrics_sql.rm_unknown(['n_retrieved']) -%}
{%- set of_lists = pass.plan.row_keys + rankmetrics_sql.rm_nulls(['relevance', 'rnk', 'n_items']) + ['n_retrieved'] -%}
{%- set stacked %}
    {{ rankmetrics_sql.rm_select(of_items) }}
    FROM {{ pass.stages.judged }}
    WHERE relevance > 0
    UNION ALL
    {{ rankmetrics_sql.rm_select(of_grades) }}
    {{ rankmetrics_sql.rm_branch_from(pass, judged_grades) }}
    UNION ALL
    {{ rankmetrics_sql.rm_select(of_lists) }}
    FROM {{ pass.stages.retrieved }}
{%- endset -%}
{%- set query = 'PARTITION BY ' ~ row_keys -%}
{%- set down = ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set by_grade = query ~ ' ORDER BY grade_number ASC NULLS FIRST, rnk ASC NULLS FIRST' ~ down -%}
{%- set ideal %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['rnk']) }},
        COALESCE(SUM(n_items) OVER ({{ by_grade }}), 0)
        - COALESCE(MAX(n_items) OVER ({{ query }}, grade_number), 0)
        + COUNT(rnk) OVER ({{ query }}, grade_number ORDER BY rnk ASC NULLS FIRST{{ down }}) AS ideal_rnk,
        SUM(n_items) OVER ({{ query }}) AS n_ideal,
        MAX(n_retrieved) OVER ({{ query }}) AS n_listed
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['rnk', 'n_items', 'n_retrieved']) | indent(4) }},
            DENSE_RANK() OVER ({{ query }} ORDER BY relevance DESC NULLS LAST) AS grade_number
        FROM {{ both }}_stacked
    ) AS graded
{%- endset -%}
{%- set later %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['n_ideal']) }},
        CASE WHEN rnk > ideal_rnk THEN rnk ELSE ideal_rnk END AS later_rnk,
        CASE WHEN n_listed > n_ideal THEN n_listed ELSE n_ideal END AS last_depth
    FROM {{ both }}_ideal
    WHERE rnk IS NOT NULL
{%- endset -%}
{%- set keys = pass.plan.row_keys -%}
{%- set tail = 'COALESCE(d.overlap_through, s.overlap_total) - ' -%}
{%- if normalize == 'true' -%}
    {%- set below_ideal = tail ~ 'COALESCE(b.overlap_through, s.overlap_total)' -%}
    {%- set best = 'MAX(COALESCE(b.depth_through, s.depth_total) + l.n_ideal * (' ~ below_ideal ~ '))' -%}
{%- else -%}
    {%- set best = 'MAX(COALESCE(d.depth_through, s.depth_total))' -%}
{%- endif -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('l', keys)) }},
        SUM({{ tail }}s.overlap_above)
        / {{ best }} AS {{ value }}
    FROM {{ both }}_later AS l
    INNER JOIN {{ depths.name }} AS s ON s.rnk = l.later_rnk
    LEFT JOIN {{ depths.name }} AS d ON d.rnk = l.last_depth
    LEFT JOIN {{ depths.name }} AS b ON b.rnk = l.n_ideal
    WHERE l.later_rnk <= l.last_depth
    GROUP BY {{ rankmetrics_sql.rm_qualified('l', keys) | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [value],
    'ctes': rankmetrics_sql.rm_numbers(pass.plan) + [
        rankmetrics_sql.rm_cte(both ~ '_grades', grades, 'how many items of each positive grade a query has'),
        rankmetrics_sql.rm_cte(
            both ~ '_stacked', stacked,
            'the items with a positive grade, with rows for the numbers of items of each grade and of those retrieved'
        ),
        rankmetrics_sql.rm_cte(
            both ~ '_ideal', ideal,
            'each item with its rank in the best order, the higher grades first'
        ),
        rankmetrics_sql.rm_cte(
            both ~ '_later', later,
            'each item with the later of its two ranks, from which on both orders have it'
        ),
        depths,
        rankmetrics_sql.rm_cte(name, values, 'the rank-biased overlap with the best order, over what that could be'),
    ],
}) }}
{% endmacro %}
