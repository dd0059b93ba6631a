{#-
title   = "Normalised gain G"
group   = "graded"
summary = """\
    Sum of the gains of the list, each divided by the logarithm of how far the list has fallen behind the ideal one, \
    over all there is to gain."""
formula = """\
    Σ_r gain(g_r) / log₂(2 + Σ_{i ≤ r} (max(gain(g*_i), 1) − gain(g_i))) / Σ_i gain(g*_i),  g* all judged grades, \
    best first"""
range   = [0, 1]
divides_by_judgments = true
source  = "trec_eval: G"
options = ["gain", "rel", "no_relevant"]
needs   = ["gain"]
[oracle]
pytrec_eval_without_k = "G"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [2, 1]
value   = "1"
[[example]]
ranking = [1, 2]           # 1 behind after rank 1, level after rank 2
value   = "(1/log2(3) + 2) / 3"
[[example]]
ranking = [0, 1, "?", 2]   # the ideal ranking 3, 2, 1 and then, as each further item costs 1, another 1
missed  = [3]
value   = "(1/log2(2 + 5 - 1) + 2/log2(2 + 7 - 3)) / 6"
[[example]]
ranking = [1, 2]
gain    = "exp2"
value   = "(1/log2(4) + 3) / 4"
[[example]]
ranking = [1, 2]
gain    = {1 = 3, 2 = 9}
value   = "(3/log2(8) + 9) / 12"
[[example]]
ranking = [1, 2]
gain    = "binary"
rel     = 2
value   = "1/log2(3)"
-#}
{% macro metric_g(gain='linear', rel=1, no_relevant=0) %}
{{ return('COALESCE(MAX(g_' ~ rankmetrics_sql.rm_short_gain(gain, rel) ~ '), 0)') }}
{% endmacro %}

{#- The gain down to and including the row. -#}
{% macro metric_g_columns(window, gain='linear', rel=1, no_relevant=0) %}
{%- set running -%}
SUM({{ rankmetrics_sql.rm_gain(gain, rel, 'm.relevance') }}) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        )
{%- endset -%}
{{ return([{'name': 'gain_so_far_' ~ rankmetrics_sql.rm_short_gain(gain, rel), 'sql': running}]) }}
{% endmacro %}

{#-
Only grades that are assumed, and so unknown to the ideal ranking, can put a list ahead of it; it then counts as
level.
-#}
{% macro metric_g_relation(pass, gain='linear', rel=1, no_relevant=0) %}
{%- set short = rankmetrics_sql.rm_short_gain(gain, rel) -%}
{%- set name = rankmetrics_sql.rm_metric_stage('g_' ~ short, pass.suffix) -%}
{%- set worth = rankmetrics_sql.rm_gain_name(gain, rel) -%}
{%- set lags %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + [worth, 'ideal_gain_total']) }},
        ideal_cost + CASE WHEN rnk > n_ideal THEN rnk - n_ideal ELSE 0 END - gain_so_far_{{ short }} AS behind
    FROM {{ name }}_beside
    WHERE is_item = 1 AND n_ideal > 0
{%- endset -%}
{%- set discount = rankmetrics_sql.rm_log2('2 + CASE WHEN behind > 0 THEN behind ELSE 0 END') -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        SUM({{ worth }} / {{ discount }}) / MAX(ideal_gain_total) AS g_{{ short }}
    FROM {{ name }}_lags
    GROUP BY {{ pass.plan.row_keys | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': ['g_' ~ short],
    'ctes': rankmetrics_sql.rm_ideal_places(pass, gain, rel)
        + rankmetrics_sql.rm_beside_ideal(pass, name, gain, rel, [worth, 'gain_so_far_' ~ short]) + [
        rankmetrics_sql.rm_cte(name ~ '_lags', lags, 'how far each gain is behind the ideal one at its rank'),
        rankmetrics_sql.rm_cte(
            name, sums,
            'the gains of each list, each discounted by how far it is behind, divided by all possible gain'
        ),
    ],
}) }}
{% endmacro %}
