{#-
title   = "Rank-biased overlap"
group   = "overlap"
summary = """\
    Mean overlap of two lists at every depth, for a reader who goes on to the next one with probability p; what lies \
    beyond the lists is taken to agree as they do at their ends. The other list stands in the judgments, where the \
    grade of an item is 1 over its rank: rm.ranks() makes them of another run."""
formula = """\
    (1 − p) [Σ_{d≤l} p^(d−1) X_d / d + Σ_{s<d≤l} p^(d−1) X_s (d − s) / (s d)] + [(X_l − X_s) / l + X_s / s] p^l;  \
    X_d the items that both show within d, s and l the lengths of the shorter and the longer list"""
aliases = ["rank_biased_overlap", "rbo_ext"]
range   = [0, 1]
about_judgments = true
source  = "Webber, Moffat & Zobel 2010, ACM TOIS 28(4), equation 32 (RBO_EXT); the package rbo: rbo_ext"
needs   = ["n_retrieved", "reference_ranks"]

[params.p]
type    = "number"
above   = 0
below   = 1
default = 0.9
help    = "how likely the reader is to go on to the next depth"

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0.5]         # the same list
value   = "1"
[[example]]
ranking = ["?", 1]         # the other list is one item long: at depth 2 one of 2 in common, at depth 1 none
p       = 0.5
value   = "(1 - 0.5) * (0.5 * 1/2) + (1/2) * 0.25"
[[example]]
ranking = [1]              # the lists agree as far as the shorter one goes
missed  = [0.5, 0.3333333333333333]
p       = 0.5
value   = "1"
[[example]]
ranking = [1, 0.3333333333333333, "?"]   # in common: 1, 1, 2, 2 of which 2 within 3
missed  = [0.5, 0.25]
p       = 0.5
value   = "0.5 * (1 + 0.5/2 + 0.25 * 2/3 + 0.125 * 2/4 + 0.125 * 2 * 1 / (3 * 4)) + (2/3) * 0.0625"
-#}
{% macro metric_rbo(p=0.9) %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_rbo_value(p) ~ '), 0)') }}
{% endmacro %}

{% macro rm_rbo_value(p) %}
{{ return('rbo_' ~ rankmetrics_sql.rm_slug(p)) }}
{% endmacro %}

{#-
An item of both lists counts from the later of its two ranks on, so it adds the tail of p^(d-1) / d from there to the
longer length: a difference of the running sums that rm_depths gives. The lengths of both lists are rows above those of
the items, or below them. Where the items stand no parameter changes, so those stages serve all of them.
-#}
{% macro metric_rbo_relation(pass, p=0.9) %}
{%- set value = rankmetrics_sql.rm_rbo_value(p) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(value, pass.suffix) -%}
{%- set both = rankmetrics_sql.rm_metric_stage('rbo', pass.suffix) -%}
{%- set depths = rankmetrics_sql.rm_depths(pass.plan, p) -%}
{%- set keys = pass.plan.row_keys -%}
{%- set references %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys) }},
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n_others
    FROM {{ pass.stages.truth_source }}
    GROUP BY {{ pass.truth_keys | join(', ') }}
{%- endset -%}
{%- set others = rankmetrics_sql.rm_of_truth(pass, both ~ '_references') -%}
{%- set rank = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_reference_rank()) -%}
{%- set of_items = keys + ['rnk', {'name': 'reference_rnk', 'sql': rank}]
    + rankmetrics_sql.rm_unknown(['n_own', 'n_others']) -%}
{%- set of_lists = keys + rankmetrics_sql.rm_nulls(['rnk', 'reference_rnk'])
    + [{'name': 'n_own', 'sql': 'n_retrieved'}] + rankmetrics_sql.rm_nulls(['n_others']) -%}
{%- set of_references = rankmetrics_sql.rm_branch_keys(pass, others)
    + rankmetrics_sql.rm_nulls(['rnk', 'reference_rnk', 'n_own'])
    + rankmetrics_sql.rm_columns_from('b', ['n_others']) -%}
{%- set stacked %}
    {{ rankmetrics_sql.rm_select(of_items) }}
    FROM {{ pass.stages.judged }}
    UNION ALL
    {{ rankmetrics_sql.rm_select(of_lists) }}
    FROM {{ pass.stages.retrieved }}
    UNION ALL
    {{ rankmetrics_sql.rm_select(of_references) }}
    {{ rankmetrics_sql.rm_branch_from(pass, others) }}
{%- endset -%}
{%- set query = 'PARTITION BY ' ~ keys | join(', ') -%}
{%- set sized %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        CASE WHEN rnk > reference_rnk THEN rnk ELSE reference_rnk END AS later_rnk,
        MAX(n_own) OVER ({{ query }}) AS n_own,
        MAX(n_others) OVER ({{ query }}) AS n_others
    FROM {{ both }}_stacked
{%- endset -%}
{%- set common %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + ['later_rnk']) }},
        CASE WHEN n_own < n_others THEN n_own ELSE n_others END AS n_shorter,
        CASE WHEN n_own < n_others THEN n_others ELSE n_own END AS n_longer
    FROM {{ both }}_sized
    WHERE later_rnk IS NOT NULL
{%- endset -%}
{%- set n_common_short = 'SUM(CASE WHEN c.later_rnk <= c.n_shorter THEN 1 ELSE 0 END)' -%}
{%- set added_up %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('c', keys)) }},
        MAX(c.n_shorter) AS n_shorter,
        MAX(c.n_longer) AS n_longer,
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n_common,
        {{ rankmetrics_sql.rm_as_double(n_common_short) }} AS n_common_short,
        SUM(COALESCE(l.overlap_through, d.overlap_total) - d.overlap_above) AS overlap,
        MAX(COALESCE(l.overlap_through, d.overlap_total)
            - COALESCE(s.overlap_through, d.overlap_total)) AS overlap_between,
        MAX(COALESCE(l.depth_through, d.depth_total) - COALESCE(s.depth_through, d.depth_total)) AS depth_between
    FROM {{ both }}_common AS c
    INNER JOIN {{ depths.name }} AS d ON d.rnk = c.later_rnk
    LEFT JOIN {{ depths.name }} AS l ON l.rnk = c.n_longer
    LEFT JOIN {{ depths.name }} AS s ON s.rnk = c.n_shorter
    GROUP BY {{ rankmetrics_sql.rm_qualified('c', keys) | join(', ') }}
{%- endset -%}
{%- set short_share = 'n_common_short / n_shorter' -%}
{%- set stop = rankmetrics_sql.rm_number((1 - p) | round(15)) -%}
{%- set end_weight = rankmetrics_sql.rm_exp('n_longer * LN(' ~ rankmetrics_sql.rm_number(p) ~ ')') -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        {{ stop }} * (overlap + {{ short_share }} * (depth_between - n_shorter * overlap_between))
        + ((n_common - n_common_short) / n_longer + {{ short_share }}) * {{ end_weight }} AS {{ value }}
    FROM {{ name }}_added_up
{%- endset -%}
{{ return({
    'name': name,
    'columns': [value],
    'ctes': rankmetrics_sql.rm_numbers(pass.plan) + [
        rankmetrics_sql.rm_cte(both ~ '_references', references, 'the length of the other list of each query'),
        rankmetrics_sql.rm_cte(
            both ~ '_stacked', stacked,
            'the items of both lists with both ranks, and rows with the length of each list'
        ),
        rankmetrics_sql.rm_cte(
            both ~ '_sized', sized,
            'each item with the later of its two ranks, and the lengths of both lists'
        ),
        rankmetrics_sql.rm_cte(
            both ~ '_common', common,
            'the items that both lists have, with the shorter and the longer length'
        ),
        depths,
        rankmetrics_sql.rm_cte(
            name ~ '_added_up', added_up,
            'the sum over the common items, each from the later of its ranks on'
        ),
        rankmetrics_sql.rm_cte(
            name, values,
            'the rank-biased overlap of each list with the other one, extrapolated beyond both ends'
        ),
    ],
}) }}
{% endmacro %}
