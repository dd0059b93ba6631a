{#-
Running sums of p^(d-1) and p^(d-1) / d, as deep as they are more than 1e-300, and 100,000 at most: for metrics of two
rankings and a reader who goes on with probability p.
-#}
{% macro rm_depths(plan, p) %}
{%- set p_number = rankmetrics_sql.rm_number(p) -%}
{%- set position = rankmetrics_sql.rm_as_double('list_position') -%}
{%- set down = 'OVER (ORDER BY rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set depths %}
    SELECT
        rnk,
        SUM(weight) {{ down }} AS depth_through,
        SUM(weight) OVER () AS depth_total,
        SUM(weight / rnk) {{ down }} AS overlap_through,
        SUM(weight / rnk) {{ down }} - weight / rnk AS overlap_above,
        SUM(weight / rnk) OVER () AS overlap_total
    FROM (
        SELECT rnk, EXP((rnk - 1) * LN({{ p_number }})) AS weight
        FROM (SELECT {{ position }} AS rnk FROM {{ plan.stages.numbers }}) AS positions
        WHERE (rnk - 1) * LN({{ p_number }}) > -690
    ) AS weighted
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    rankmetrics_sql.rm_metric_stage('depths_' ~ rankmetrics_sql.rm_slug(p)), depths,
    'the weight of each depth for a reader who goes on with probability p, cumulative and in total'
)) }}
{% endmacro %}
