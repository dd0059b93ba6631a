{#-
title   = "Mean nDCG at the steps of the ideal ranking"
group   = "graded"
summary = """\
    Mean of the nDCGs at the ranks where the gain of the ideal ranking falls, and at the end of a list longer than \
    it by two or more."""
formula = """\
    mean of DCG@c / IDCG@c over c = the last place of each gain in the ideal ranking, and c = n if n > M + 1,  M the \
    places with a gain"""
range   = [0, 1]
divides_by_judgments = true
source  = "trec_eval: Rndcg"
options = ["gain", "rel", "no_relevant"]
needs   = ["gain", "n_relevant", "n_retrieved"]
[oracle]
trec_eval = "Rndcg"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [2, 1]
value   = "1"
[[example]]
ranking = [1, 2]           # the ideal ranking 2, 1 falls after rank 1 and ends after rank 2
value   = "(1/2 + (1 + 2/log2(3)) / (2 + 1/log2(3))) / 2"
[[example]]
ranking = [1, 0, 2]        # one item beyond: its end does not count
value   = "(1/2 + 1 / (2 + 1/log2(3))) / 2"
[[example]]
ranking = [1, 0, 2, "?"]   # two beyond: it does
value   = "(1/2 + 1 / (2 + 1/log2(3)) + 2 / (2 + 1/log2(3))) / 3"
[[example]]
ranking = [1]              # shorter than the ideal ranking
missed  = [2, 2]
value   = "(1 / (2 + 2/log2(3)) + 1 / (2 + 2/log2(3) + 1/2)) / 2"
[[example]]
ranking = [1, 2]           # two grades with one gain are one step
gain    = {1 = 2}
value   = "1"
[[example]]
ranking = [1, 2]
gain    = "exp2"
value   = "(1/3 + (1 + 3/log2(3)) / (3 + 1/log2(3))) / 2"
[[example]]
ranking = [1, 2]
gain    = "binary"
rel     = 2
value   = "0"
-#}
{% macro metric_rndcg(gain='linear', rel=1, no_relevant=0) %}
{%- set name = 'rndcg_' ~ rankmetrics_sql.rm_short_gain(gain, rel) -%}
{%- set goes_on = 'MAX(n_retrieved) > MAX(' ~ name ~ '_places) + 1' -%}
{%- set discounted = rankmetrics_sql.rm_discounted(rankmetrics_sql.rm_gain_name(gain, rel), 'rnk', 'log2') -%}
{%- set beyond = 'SUM(' ~ discounted ~ ') / MAX(' ~ name ~ '_ideal)' -%}
{%- set expression -%}
CASE
    WHEN MAX({{ rankmetrics_sql.rm_n_relevant(rel) }}) > 0 THEN COALESCE(
        (MAX({{ name }}_sum) + CASE WHEN {{ goes_on }} THEN {{ beyond }} ELSE 0 END)
        / (MAX({{ name }}_steps) + CASE WHEN {{ goes_on }} THEN 1 ELSE 0 END),
        0
    )
    ELSE 0
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- A step is the last place of a gain in the ideal ranking; the nDCG there, summed over the steps. -#}
{% macro metric_rndcg_relation(pass, gain='linear', rel=1, no_relevant=0) %}
{%- set column = 'rndcg_' ~ rankmetrics_sql.rm_short_gain(gain, rel) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.suffix) -%}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set discounted = rankmetrics_sql.rm_discounted(rankmetrics_sql.rm_gain_name(gain, rel), 'rnk', 'log2') -%}
{%- set ideal = rankmetrics_sql.rm_of_truth(pass, name ~ '_steps') -%}
{%- set items = pass.plan.row_keys + ['rnk', {'name': 'worth_here', 'sql': discounted}]
    + rankmetrics_sql.rm_unknown(['ideal_dcg']) + [{'name': 'is_step', 'sql': '0'}] -%}
{%- set places = rankmetrics_sql.rm_branch_keys(pass, ideal)
    + [{'name': 'rnk', 'sql': 'b.last_rnk'}, {'name': 'worth_here', 'sql': '0'}]
    + rankmetrics_sql.rm_columns_from('b', ['ideal_dcg']) + [{'name': 'is_step', 'sql': '1'}] -%}
{%- set steps %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys) }},
        MAX(ideal_rnk) AS last_rnk,
        MAX(ideal_dcg) AS ideal_dcg
    FROM {{ rankmetrics_sql.rm_ideal_places_name(pass, gain, rel) }}
    GROUP BY {{ (pass.truth_keys + ['ideal_gain']) | join(', ') }}
{%- endset -%}
{%- set stacked %}
    {{ rankmetrics_sql.rm_select(items) }}
    FROM {{ pass.stages.judged }}
    UNION ALL
    {{ rankmetrics_sql.rm_select(places) }}
    {{ rankmetrics_sql.rm_branch_from(pass, ideal) }}
{%- endset -%}
{%- set reached %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['rnk', 'ideal_dcg', 'is_step']) }},
        SUM(worth_here) OVER (
            PARTITION BY {{ pass.plan.row_keys | join(', ') }} ORDER BY rnk ASC NULLS FIRST, is_step ASC NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS dcg_so_far
    FROM {{ name }}_stacked
{%- endset -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        SUM(dcg_so_far / ideal_dcg) AS {{ column }}_sum,
        CAST(COUNT(*) AS {{ double }}) AS {{ column }}_steps,
        MAX(rnk) AS {{ column }}_places,
        MAX(ideal_dcg) AS {{ column }}_ideal
    FROM {{ name }}_reached
    WHERE is_step = 1
    GROUP BY {{ pass.plan.row_keys | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column ~ '_sum', column ~ '_steps', column ~ '_places', column ~ '_ideal'],
    'ctes': rankmetrics_sql.rm_ideal_places(pass, gain, rel) + [
        rankmetrics_sql.rm_cte(
            name ~ '_steps', steps,
            'each gain of the ideal ranking with the last rank that has it and the DCG down to there'
        ),
        rankmetrics_sql.rm_cte(
            name ~ '_stacked', stacked,
            'the items of each list with their discounted gains, and those ranks below the item of the same rank'
        ),
        rankmetrics_sql.rm_cte(name ~ '_reached', reached, 'the DCG of the list so far, at every row'),
        rankmetrics_sql.rm_cte(name, sums, 'what the ratios of DCG to ideal DCG at those ranks come to, for each list'),
    ],
}) }}
{% endmacro %}
