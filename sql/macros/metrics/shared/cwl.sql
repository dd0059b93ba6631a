{#-
What the C/W/L metrics share. A reader starts at rank 1, goes on from rank i with a chance C_i, and stops at the last
of N places, which need not be filled. V_i = C_1 C_2 ... C_{i-1} is the chance that rank i is viewed, and the value of
a list is its gain per viewed place: sum of V_i g_i over sum of V_i. Only judged items have gain, so wherever C_i
depends on the rank alone between two of them, V_i = w_i (1 - g_1) ... (1 - g_{i-1}) with a weight w_i that is the
same for every list. With W_i = w_1 + ... + w_i the sum of all V_i is W_N less what those who stop at rank i do not
view: (1 - g_1) ... (1 - g_{i-1}) g_i (W_N - W_i).
-#}

{#- How many places there are: the cutoff, or 1000 as in cwl_eval. -#}
{% macro rm_cwl_places(k=none) %}
{{ return(1000 if k is none else k) }}
{% endmacro %}

{#- A grade between min_rel and max_rel as a gain between 0 and 1. -#}
{% macro rm_cwl_gain(grade, min_rel, max_rel) %}
{%- set above = grade if min_rel == 0 else '(' ~ grade ~ ' - ' ~ rankmetrics_sql.rm_number(min_rel) ~ ')' -%}
{%- set share = above if max_rel - min_rel == 1 else above ~ ' / ' ~ rankmetrics_sql.rm_number(max_rel - min_rel) -%}
{%- set whole = grade ~ ' >= ' ~ rankmetrics_sql.rm_number(max_rel) -%}
{%- set some = grade ~ ' > ' ~ rankmetrics_sql.rm_number(min_rel) -%}
{%- set one = rankmetrics_sql.rm_as_double(1) -%}
{{ return('(CASE WHEN ' ~ whole ~ ' THEN ' ~ one ~ ' WHEN ' ~ some ~ ' THEN ' ~ share ~ ' ELSE 0 END)') }}
{% endmacro %}

{% macro rm_cwl_scale(min_rel, max_rel) %}
{{ return(rankmetrics_sql.rm_slug(min_rel) ~ '_to_' ~ rankmetrics_sql.rm_slug(max_rel)) }}
{% endmacro %}

{#- The name of a column for a parameter of the metric, a scale of grades and a number of places. -#}
{% macro rm_cwl_column(value, min_rel, max_rel, places) %}
{%- set scale = rankmetrics_sql.rm_cwl_scale(min_rel, max_rel) -%}
{{ return(rankmetrics_sql.rm_slug(value) ~ '_on_' ~ scale ~ '_at_' ~ places) }}
{% endmacro %}

{#- The column with the chance that no item above satisfies the reader, and what fills it. -#}
{% macro rm_cwl_unsatisfied(min_rel, max_rel) %}
{{ return('unsatisfied_' ~ rankmetrics_sql.rm_cwl_scale(min_rel, max_rel)) }}
{% endmacro %}

{% macro rm_cwl_columns(window, min_rel, max_rel) %}
{%- set gain = rankmetrics_sql.rm_cwl_gain('m.relevance', min_rel, max_rel) -%}
{{ return([{
    'name': rankmetrics_sql.rm_cwl_unsatisfied(min_rel, max_rel),
    'sql': rankmetrics_sql.rm_product_above('1 - ' ~ gain, window),
}]) }}
{% endmacro %}

{#- A product over the rows above, none negative, as a sum of logarithms: LN(0) stands as -1000, and e^-690 is 0. -#}
{% macro rm_product_above(factor, window) %}
{%- set logarithm = 'CASE WHEN ' ~ factor ~ ' > 0 THEN LN(' ~ factor ~ ') ELSE -1000 END' -%}
{%- set above = 'OVER (' ~ window ~ ' ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)' -%}
{%- set logarithms = 'SUM(' ~ logarithm ~ ') ' ~ above -%}
{%- set product -%}
CASE
            WHEN {{ logarithms }} < -690 THEN 0
            ELSE EXP(COALESCE({{ logarithms }}, 0))
        END
{%- endset -%}
{{ return(product) }}
{% endmacro %}

{#- The chance that the reader stops at a row because of its gain. -#}
{% macro rm_cwl_satisfied(min_rel, max_rel) %}
{%- set gain = rankmetrics_sql.rm_cwl_gain('relevance', min_rel, max_rel) -%}
{{ return(rankmetrics_sql.rm_cwl_unsatisfied(min_rel, max_rel) ~ ' * ' ~ gain) }}
{% endmacro %}

{#- A power of a number below 1; engines differ in what they do with less than 1e-308, so e^-690 stands for less. -#}
{% macro rm_cwl_power(base, exponent) %}
{%- set logarithm = exponent ~ ' * LN(' ~ rankmetrics_sql.rm_number(base) ~ ')' -%}
{{ return('EXP(CASE WHEN ' ~ logarithm ~ ' > -690 THEN ' ~ logarithm ~ ' ELSE -690 END)') }}
{% endmacro %}

{#- INSQ's weight of rank rnk, the product of ((j + 2T - 1) / (j + 2T))^2 over the ranks above. -#}
{% macro rm_cwl_patience(t) %}
{%- set twice = rankmetrics_sql.rm_number(2 * t) -%}
{{ return('POWER(' ~ twice ~ ' / (rnk - 1 + ' ~ twice ~ '), 2)') }}
{% endmacro %}

{#-
The values of a metric with weights that have no closed sum: one row per list, in a column of the given name. weight is
an expression of rnk; satisfying says whether gain makes the reader stop.
-#}
{% macro rm_cwl_relation(pass, name, weight, places, min_rel, max_rel, satisfying) %}
{%- set gain = rankmetrics_sql.rm_cwl_gain('j.relevance', min_rel, max_rel) -%}
{%- set viewed_gain = gain -%}
{%- set all_viewed = 'MAX(w.weight_total)' -%}
{%- if satisfying -%}
    {%- set viewed_gain = 'j.' ~ rankmetrics_sql.rm_cwl_unsatisfied(min_rel, max_rel) ~ ' * ' ~ gain -%}
    {%- set not_viewed = 'SUM(' ~ viewed_gain ~ ' * (w.weight_total - w.weight_through))' -%}
    {%- set all_viewed = '(MAX(w.weight_total) - ' ~ not_viewed ~ ')' -%}
{%- endif -%}
{%- set relation = rankmetrics_sql.rm_metric_stage(name, pass.suffix) -%}
{%- set keys = pass.plan.row_keys -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('j', keys)) }},
        SUM({{ viewed_gain }} * w.weight)
        / {{ all_viewed }} AS {{ name }}
    FROM {{ pass.stages.judged }} AS j
    INNER JOIN (
        {{ rankmetrics_sql.rm_cwl_weights(pass, weight, places) | trim | indent(4) }}
    ) AS w ON w.rnk = j.rnk
    GROUP BY {{ rankmetrics_sql.rm_qualified('j', keys) | join(', ') }}
{%- endset -%}
{{ return({
    'name': relation,
    'columns': [name],
    'ctes': rankmetrics_sql.rm_numbers(pass.plan) + [rankmetrics_sql.rm_cte(
        relation, values,
        'the value of each list, its gains by the chance that its reader views each rank'
    )],
}) }}
{% endmacro %}

{#- The weight of each place, down to it and in all: no stage of its own, because MariaDB takes 64 at most. -#}
{% macro rm_cwl_weights(pass, weight, places) %}
{%- set position = rankmetrics_sql.rm_as_double('list_position') -%}
{%- set down = 'ORDER BY rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set weights %}
    SELECT
        rnk,
        weight,
        SUM(weight) OVER ({{ down }}) AS weight_through,
        SUM(weight) OVER () AS weight_total
    FROM (
        SELECT rnk, {{ weight }} AS weight
        FROM (SELECT {{ position }} AS rnk FROM {{ pass.plan.stages.numbers }}) AS positions
        WHERE rnk <= {{ places }}
    ) AS weighted
{%- endset -%}
{{ return(weights) }}
{% endmacro %}
