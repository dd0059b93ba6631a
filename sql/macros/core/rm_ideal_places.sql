{#-
The best possible ranking of the judged items place by place, for metrics that hold a list against it at many ranks: a row
for each place with a gain above 0, with
    ideal_rnk     the place: 1, 2, 3 ...
    ideal_gain    the gain there
    ideal_dcg     discounted gain down to the place
    ideal_cost    gain down to the place, each counted as at least 1
    n_ideal, ideal_gain_total, ideal_dcg_total    number of places, their gain and discounted gain
-#}
{% macro rm_ideal_places(plan, gain, rel) %}
{%- set name = rankmetrics_sql.rm_ideal_places_name(plan, gain, rel) -%}
{%- set keys = plan.truth_keys | join(', ') -%}
{%- set query = 'PARTITION BY ' ~ keys -%}
{%- set down = query ~ ' ORDER BY ideal_rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set discounted = rankmetrics_sql.rm_discounted('ideal_gain', 'ideal_rnk', 'log2') -%}
{%- set gains %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.truth_keys) }},
        {{ rankmetrics_sql.rm_gain(gain, rel, 'relevance') }} AS ideal_gain
    FROM {{ rankmetrics_sql.rm_truth_source(plan) }}
{%- endset -%}
{%- set numbered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.truth_keys + ['ideal_gain']) }},
        {{ rankmetrics_sql.rm_number_down(plan.truth_keys, 'ideal_gain') }} AS ideal_rnk
    FROM {{ name }}_gains
    WHERE ideal_gain > 0
{%- endset -%}
{%- set places %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.truth_keys + ['ideal_rnk', 'ideal_gain']) }},
        SUM({{ discounted }}) OVER ({{ down }}) AS ideal_dcg,
        SUM(CASE WHEN ideal_gain > 1 THEN ideal_gain ELSE 1 END) OVER ({{ down }}) AS ideal_cost,
        MAX(ideal_rnk) OVER ({{ query }}) AS n_ideal,
        SUM(ideal_gain) OVER ({{ query }}) AS ideal_gain_total,
        SUM({{ discounted }}) OVER ({{ query }}) AS ideal_dcg_total
    FROM {{ name }}_numbered
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(name ~ '_gains', gains),
    rankmetrics_sql.rm_cte(name ~ '_numbered', numbered),
    rankmetrics_sql.rm_cte(name, places),
]) }}
{% endmacro %}

{% macro rm_ideal_places_name(plan, gain, rel) %}
{{ return('rankmetrics_ideal_places_' ~ rankmetrics_sql.rm_short_gain(gain, rel) ~ plan.truth_suffix) }}
{% endmacro %}

{#- The gain in the name of a column or stage: linear, binary_1, map_1_to_3. -#}
{% macro rm_short_gain(gain, rel) %}
{{ return(rankmetrics_sql.rm_gain_name(gain, rel) | replace('gain_', '')) }}
{% endmacro %}

{#-
FROM: the judged rows j of each query beside the place s of the ideal ranking at the same rank, or its last place further
down; f is the first place. Queries without any gain drop out.
-#}
{% macro rm_beside_ideal(plan, gain, rel) %}
{%- set places = rankmetrics_sql.rm_ideal_places_name(plan, gain, rel) -%}
{%- set from %}
    FROM rankmetrics_judged{{ plan.suffix }} AS j
    INNER JOIN {{ places }} AS f
        ON {{ rankmetrics_sql.rm_same('f', 'j', plan.truth_keys) }} AND f.ideal_rnk = 1
    INNER JOIN {{ places }} AS s
        ON {{ rankmetrics_sql.rm_same('s', 'j', plan.truth_keys) }}
        AND s.ideal_rnk = CASE WHEN j.rnk < f.n_ideal THEN j.rnk ELSE f.n_ideal END
{%- endset -%}
{{ return(from | trim) }}
{% endmacro %}
