{#-
The best possible ranking of the judged items place by place, for metrics that hold a list against it at many ranks: a
row for each place with a gain above 0, with
    ideal_rnk     the place: 1, 2, 3 ...
    ideal_gain    the gain there
    ideal_dcg     discounted gain down to the place
    ideal_cost    gain down to the place, each counted as at least 1
    n_ideal, ideal_gain_total, ideal_dcg_total    number of places, their gain and discounted gain
-#}
{% macro rm_ideal_places(pass, gain, rel) %}
{%- set name = rankmetrics_sql.rm_ideal_places_name(pass, gain, rel) -%}
{%- set keys = pass.truth_keys | join(', ') -%}
{%- set query = 'PARTITION BY ' ~ keys -%}
{%- set down = query ~ ' ORDER BY ideal_rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set discounted = rankmetrics_sql.rm_discounted('ideal_gain', 'ideal_rnk', 'log2') -%}
{%- set gains %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys) }},
        {{ rankmetrics_sql.rm_gain(gain, rel, 'relevance') }} AS ideal_gain
    FROM {{ pass.stages.truth_source }}
{%- endset -%}
{%- set numbered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys + ['ideal_gain']) }},
        {{ rankmetrics_sql.rm_number_down(pass.truth_keys, 'ideal_gain') }} AS ideal_rnk
    FROM {{ name }}_gains
    WHERE ideal_gain > 0
{%- endset -%}
{%- set places %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys + ['ideal_rnk', 'ideal_gain']) }},
        SUM({{ discounted }}) OVER ({{ down }}) AS ideal_dcg,
        SUM(CASE WHEN ideal_gain > 1 THEN ideal_gain ELSE 1 END) OVER ({{ down }}) AS ideal_cost,
        MAX(ideal_rnk) OVER ({{ query }}) AS n_ideal,
        SUM(ideal_gain) OVER ({{ query }}) AS ideal_gain_total,
        SUM({{ discounted }}) OVER ({{ query }}) AS ideal_dcg_total
    FROM {{ name }}_numbered
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(name ~ '_gains', gains, 'the gain of each judgment'),
    rankmetrics_sql.rm_cte(
        name ~ '_numbered', numbered,
        'the judgments that gain something, numbered from the greatest gain down, the ideal ranking'
    ),
    rankmetrics_sql.rm_cte(
        name, places,
        'each place of the ideal ranking with what it has reached down to there, and in all'
    ),
]) }}
{% endmacro %}

{% macro rm_ideal_places_name(pass, gain, rel) %}
{%- set column = 'ideal_places_' ~ rankmetrics_sql.rm_short_gain(gain, rel) -%}
{{ return(rankmetrics_sql.rm_metric_stage(column, pass.truth_suffix ~ pass.judged_suffix)) }}
{% endmacro %}

{#- The gain in the name of a column or stage: linear, binary_1, map_1_to_3. -#}
{% macro rm_short_gain(gain, rel) %}
{{ return(rankmetrics_sql.rm_gain_name(gain, rel) | replace('gain_', '')) }}
{% endmacro %}

{#-
beside: the judged rows of each list, each with what the ideal ranking has reached at its rank, or at its last place:
ideal_dcg and ideal_cost, which never fall; n_ideal, ideal_gain_total and ideal_dcg_total are those of the query. A
place stands above the item of the same rank; is_item tells them apart.
-#}
{% macro rm_beside_ideal(pass, name, gain, rel, columns) %}
{%- set places = rankmetrics_sql.rm_of_truth(pass, rankmetrics_sql.rm_ideal_places_name(pass, gain, rel)) -%}
{%- set reached = ['ideal_dcg', 'ideal_cost', 'n_ideal', 'ideal_gain_total', 'ideal_dcg_total'] -%}
{%- set items = pass.plan.row_keys + ['rnk', {'name': 'is_item', 'sql': '1'}] + columns
    + rankmetrics_sql.rm_unknown(reached) -%}
{%- set ideal = rankmetrics_sql.rm_branch_keys(pass, places)
    + [{'name': 'rnk', 'sql': 'b.ideal_rnk'}, {'name': 'is_item', 'sql': '0'}]
    + rankmetrics_sql.rm_nulls(columns) + rankmetrics_sql.rm_columns_from('b', reached) -%}
{%- set query = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('s', pass.plan.row_keys) | join(', ') -%}
{%- set order = 's.rnk ASC NULLS FIRST, s.is_item ASC NULLS FIRST' -%}
{%- set down = query ~ ' ORDER BY ' ~ order ~ ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set beside = rankmetrics_sql.rm_columns_from('s', pass.plan.row_keys + ['rnk', 'is_item'] + columns)
    + rankmetrics_sql.rm_each('MAX(s.', reached[:2], ') OVER (' ~ down ~ ')')
    + rankmetrics_sql.rm_each('MAX(s.', reached[2:], ') OVER (' ~ query ~ ')') -%}
{%- set stacked %}
    {{ rankmetrics_sql.rm_select(items) }}
    FROM {{ pass.stages.judged }}
    UNION ALL
    {{ rankmetrics_sql.rm_select(ideal) }}
    {{ rankmetrics_sql.rm_branch_from(pass, places) }}
{%- endset -%}
{%- set windows %}
    {{ rankmetrics_sql.rm_select(beside) }}
    FROM {{ name }}_stacked AS s
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    name ~ '_stacked', stacked,
    'the judged items of each list, and the places of the ideal ranking above the item of the same rank'
), rankmetrics_sql.rm_cte(
    name ~ '_beside', windows,
    'each item with what the ideal ranking has reached at its rank'
)]) }}
{% endmacro %}
