{#-
title   = "nDCG at the steps of the ideal ranking"
summary = "Mean of the nDCGs at the ranks where the gain of the ideal ranking falls, and at the end of a list longer than it by two or more."
formula = "mean of DCG@c / IDCG@c over c = the last place of each gain in the ideal ranking, and c = n if n > M + 1,  M the places with a gain"
range   = [0, 1]
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
{%- set expression -%}
CASE
    WHEN MAX({{ rankmetrics_sql.rm_n_relevant(rel) }}) > 0 THEN COALESCE(
        (MAX({{ name }}_sum) + CASE WHEN {{ goes_on }} THEN SUM({{ discounted }}) / MAX({{ name }}_ideal) ELSE 0 END)
        / (MAX({{ name }}_steps) + CASE WHEN {{ goes_on }} THEN 1 ELSE 0 END),
        0
    )
    ELSE 0
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- A step is the last place of a gain in the ideal ranking; the nDCG there, summed over the steps. -#}
{% macro metric_rndcg_relation(plan, gain='linear', rel=1, no_relevant=0) %}
{%- set column = 'rndcg_' ~ rankmetrics_sql.rm_short_gain(gain, rel) -%}
{%- set name = 'rankmetrics_' ~ column ~ plan.suffix -%}
{%- set discounted = rankmetrics_sql.rm_discounted('j.' ~ rankmetrics_sql.rm_gain_name(gain, rel), 'j.rnk', 'log2') -%}
{%- set steps %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.truth_keys) }},
        MAX(ideal_rnk) AS last_rnk,
        MAX(ideal_dcg) AS ideal_dcg
    FROM {{ rankmetrics_sql.rm_ideal_places_name(plan, gain, rel) }}
    GROUP BY {{ (plan.truth_keys + ['ideal_gain']) | join(', ') }}
{%- endset -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_qualified('j', plan.row_keys)) }},
        SUM(CASE WHEN j.rnk <= s.last_rnk THEN {{ discounted }} / s.ideal_dcg ELSE 0 END) AS {{ column }}_sum,
        CAST(COUNT(DISTINCT s.last_rnk) AS {{ rankmetrics_sql.rm_double_type() }}) AS {{ column }}_steps,
        MAX(s.last_rnk) AS {{ column }}_places,
        MAX(s.ideal_dcg) AS {{ column }}_ideal
    FROM rankmetrics_judged{{ plan.suffix }} AS j
    INNER JOIN {{ name }}_steps AS s ON {{ rankmetrics_sql.rm_same('s', 'j', plan.truth_keys) }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('j', plan.row_keys) | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column ~ '_sum', column ~ '_steps', column ~ '_places', column ~ '_ideal'],
    'ctes': rankmetrics_sql.rm_ideal_places(plan, gain, rel) + [
        rankmetrics_sql.rm_cte(name ~ '_steps', steps),
        rankmetrics_sql.rm_cte(name, sums),
    ],
}) }}
{% endmacro %}
