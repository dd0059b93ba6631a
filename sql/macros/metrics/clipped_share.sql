{#-
title   = "Share of clipped clicks"
group   = "propensity"
summary = """\
    Share of the clicks within the first k, of all queries together, whose propensity is below the floor, so that they \
    count less than one over it. 0 where nothing is clicked."""
formula = "clicks with propensity < floor over clicks"
range   = [0, 1]
better  = "lower"
aggregate = "parts"
source  = "Joachims, Swaminathan & Schnabel 2017, WSDM: propensities clipped at a constant"
parameters = ["k", "floor"]
options = ["rel"]
needs   = ["propensity"]
[needs_when]
"k=none" = ["shared_places"]

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
floor   = 0.6
value   = "0"
[[example]]
ranking = [1, 0, 1, 1]
propensity = [1, 0.125, 0.25, 0.1]
floor   = 0.25             # one that is as high as the floor is not clipped
value   = "1/3"
[[example]]
ranking = [1, 1]
propensity = [1, 0.125]
floor   = 0.25
k       = 1
value   = "0"
[[example]]
ranking = [1, 3]
propensity = [1, 0.125]
floor   = 0.25
rel     = 3
value   = "1"
-#}
{% macro metric_clipped_share(k=none, floor=0, rel=1) %}
{%- set parts = rankmetrics_sql.metric_clipped_share_parts(k=k, floor=floor, rel=rel) -%}
{{ return(rankmetrics_sql.rm_over_weights(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_clipped_share_parts(k=none, floor=0, rel=1) %}
{%- set clicked = rankmetrics_sql.rm_is_hit(rel, k) -%}
{%- set is_clipped = 'CASE WHEN propensity < ' ~ rankmetrics_sql.rm_number(floor) ~ ' THEN 1 ELSE 0 END' -%}
{%- set clipped = rankmetrics_sql.rm_of_a_click(is_clipped) -%}
{%- set click = rankmetrics_sql.rm_of_a_click('1') -%}
{{ return(rankmetrics_sql.rm_weighted_parts(
    rankmetrics_sql.rm_as_double('SUM(CASE WHEN ' ~ clicked ~ ' THEN ' ~ clipped ~ ' ELSE 0 END)'),
    rankmetrics_sql.rm_as_double('SUM(CASE WHEN ' ~ clicked ~ ' THEN ' ~ click ~ ' ELSE 0 END)')
)) }}
{% endmacro %}

{% macro metric_clipped_share_total(sums, n, k=none, floor=0, rel=1) %}
{{ return(rankmetrics_sql.rm_weighted_total(sums)) }}
{% endmacro %}
