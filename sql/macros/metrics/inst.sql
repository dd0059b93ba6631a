{#-
title   = "INST"
group   = "graded"
summary = "Gain per viewed item for a reader who gets more persistent down the list, and less so with the gain found."
formula = """\
    Σ_r V_r g_r / Σ_r V_r over all places r,  V_r = Π_{j<r} ((j − 1 + 2T − G_j) / (j + 2T − G_j))²,  G_j = Σ_{i≤j} \
    g_i,  g = (grade − min_rel) / (max_rel − min_rel) within 0 and 1"""
range   = [0, 1]
source  = "Moffat, Bailey, Scholer & Thomas 2015, ADCS; cwl_eval: INSTCWLMetric"
parameters = ["T", "min_rel", "max_rel", "places"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]        # as many places as there are
places  = 2
value   = "1"
[[example]]
ranking = ["?", 1]
places  = 2
value   = "(2/3)**2 / (1 + (2/3)**2)"
[[example]]
ranking = [1, "?", 1]      # gains 1/2, 0, 1/2
max_rel = 2
places  = 3
value   = "(1/2 + (1.5/2.5)**2 * (2.5/3.5)**2 / 2) / (1 + (1.5/2.5)**2 + (1.5/2.5)**2 * (2.5/3.5)**2)"
[[example]]
ranking = [2, 1, 3]        # gains 1/2, 0, 1
T       = 2
min_rel = 1
max_rel = 3
places  = 3
value   = "(1/2 + (3.5/4.5)**2 * (4.5/5.5)**2) / (1 + (3.5/4.5)**2 + (3.5/4.5)**2 * (4.5/5.5)**2)"
-#}
{% macro metric_inst(T=1, min_rel=0, max_rel=1, places=1000) %}
{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_inst_value(T, min_rel, max_rel, places) ~ '), 0)') }}
{% endmacro %}

{% macro rm_inst_value(t, min_rel, max_rel, places) %}
{{ return('inst_' ~ rankmetrics_sql.rm_cwl_column(t, min_rel, max_rel, places)) }}
{% endmacro %}

{#-
With sought = 2T - G the factors between two items with gain telescope: below an item with gain at rank i, and down to
the next, rank r is viewed with a chance of persistent * (2T / (r - 1 + sought))^2, where persistent is the product of
(1 - g_i / (i - 1 + sought_i))^2 over the items with gain above r, sought_i not yet reduced by g_i. Summed rank by
rank: each item with gain answers for itself and the places between it and the one above, and one more row for those
below. The sum of 1 / (r - 1 + sought)^2 over those places is a difference of two values of the trigamma function.
-#}
{% macro metric_inst_relation(pass, T=1, min_rel=0, max_rel=1, places=1000) %}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set value = rankmetrics_sql.rm_inst_value(T, min_rel, max_rel, places) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(value, pass.suffix) -%}
{%- set gain = rankmetrics_sql.rm_cwl_gain('relevance', min_rel, max_rel) -%}
{%- set gainful = 'relevance > ' ~ rankmetrics_sql.rm_number(min_rel) ~ ' AND ' ~ rankmetrics_sql.rm_within(places) -%}
{%- set keys = pass.plan.row_keys | join(', ') -%}
{%- set window = 'PARTITION BY ' ~ keys ~ ' ORDER BY rnk ASC NULLS FIRST' -%}
{%- set stretches %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['rnk']) }},
        {{ gain }} AS gain
    FROM {{ pass.stages.judged }}
    WHERE {{ gainful }}
    UNION ALL
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        CAST({{ places + 1 }} AS {{ double }}) AS rnk,
        CAST(0 AS {{ double }}) AS gain
    FROM (SELECT DISTINCT {{ keys }} FROM {{ pass.stages.judged }} WHERE {{ gainful }}) AS lists
{%- endset -%}
{%- set reached = 'SUM(gain) OVER (' ~ window ~ ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set sought %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        COALESCE(LAG(rnk) OVER ({{ window }}), 0) AS rnk_above,
        rnk,
        gain,
        {{ rankmetrics_sql.rm_number(2 * T) }} - {{ reached }} + gain AS sought
    FROM {{ name }}_stretches
{%- endset -%}
{%- set persistent %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['rnk', 'gain', 'sought']) }},
        rnk_above + sought AS sought_above,
        CASE WHEN rnk > {{ places }} THEN {{ places }} ELSE rnk END + sought AS sought_last,
        {{ rankmetrics_sql.rm_product_above('POWER(1 - gain / (rnk - 1 + sought), 2)', window) }} AS persistent
    FROM {{ name }}_sought
{%- endset -%}
{%- set viewed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys + ['rnk', 'gain', 'sought', 'persistent']) }},
        {{ rankmetrics_sql.rm_trigamma('sought_above') }} AS trigamma_above,
        {{ rankmetrics_sql.rm_trigamma('sought_last') }} AS trigamma_last
    FROM {{ name }}_persistent
{%- endset -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        SUM(gain * persistent / POWER(rnk - 1 + sought, 2))
        / SUM(persistent * (trigamma_above - trigamma_last)) AS {{ value }}
    FROM {{ name }}_viewed
    GROUP BY {{ keys }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [value],
    'ctes': [
        rankmetrics_sql.rm_cte(
            name ~ '_stretches', stretches,
            'the items with a gain, and one more row for what stands below the last of them'
        ),
        rankmetrics_sql.rm_cte(
            name ~ '_sought', sought,
            'each with the rank of the one above it, and how much gain the reader still looks for'
        ),
        rankmetrics_sql.rm_cte(
            name ~ '_persistent', persistent,
            'with the chance that the reader goes on as far as there'
        ),
        rankmetrics_sql.rm_cte(
            name ~ '_viewed', viewed,
            'with the trigamma function at both ends of the places down to it'
        ),
        rankmetrics_sql.rm_cte(
            name, values,
            'the value of each list, what its reader gains over how many items the reader views'
        ),
    ],
}) }}
{% endmacro %}

{#-
trigamma(x) = 1/x^2 + 1/(x + 1)^2 + ... for x > 0 (Abramowitz & Stegun 6.4.10): ten terms as they are, the rest by its
asymptotic series (6.4.12) at x + 10, where what is left out is below 1e-15.
-#}
{% macro rm_trigamma(x) %}
{%- set terms = ['1 / POWER(' ~ x ~ ', 2)'] -%}
{%- for n in range(1, 10) -%}{%- do terms.append('+ 1 / POWER(' ~ x ~ ' + ' ~ n ~ ', 2)') -%}{%- endfor -%}
{%- do terms.append('+ 1 / (' ~ x ~ ' + 10)') -%}
{%- for sign, dividend, divisor, power in [
    ('+', 1, 2, 2), ('+', 1, 6, 3), ('-', 1, 30, 5), ('+', 1, 42, 7), ('-', 1, 30, 9), ('+', 5, 66, 11),
    ('-', 691, 2730, 13),
] -%}
    {%- do terms.append(sign ~ ' ' ~ dividend ~ ' / (' ~ divisor ~ ' * POWER(' ~ x ~ ' + 10, ' ~ power ~ '))') -%}
{%- endfor -%}
{{ return(terms | join('\n        ')) }}
{% endmacro %}
