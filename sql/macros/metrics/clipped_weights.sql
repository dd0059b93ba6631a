{#-
title   = "Share of clipped weights"
group   = "propensity"
summary = """\
    Share of the logged rows of all queries together whose weight, the chance of the action under the target policy \
    over that under the policy that was logged, is above clip. 0 where there are no rows."""
formula = "rows with target / propensity > clip over rows with a reward"
aliases = ["clipped_weight_share"]
range   = [0, 1]
better  = "lower"
aggregate = "parts"
source  = """\
    Ionides 2008, JCGS 17(2): truncated importance sampling"""
parameters = ["k", "clip"]
needs   = ["propensity", "target"]
[needs_when]
"k=none" = ["shared_places"]

[params.k]
help = "look at the first k slots only"

[[example]]
ranking = []
missed  = [1]
propensity = [0.5]
target  = [1]
clip    = 1
value   = "0"
[[example]]
ranking = [1, 0, 0]
propensity = [0.5, 0.125, 0.25]
target  = [0.5, 1, 1]
clip    = 4          # one as high as that is not clipped
value   = "1/3"
[[example]]
ranking = [1, 0]
propensity = [0.5, 0.125]
target  = [0.5, 1]
clip    = 4
k       = 1
value   = "0"
[[example]]
ranking = [1, 0]
propensity = [0.5, 0.125]
target  = [1, 1]
value   = "0"
-#}
{% macro metric_clipped_weights(k=none, clip=none) %}
{%- set parts = rankmetrics_sql.metric_clipped_weights_parts(k=k, clip=clip) -%}
{{ return(rankmetrics_sql.rm_over_weights(parts[0].sql, parts[1].sql)) }}
{% endmacro %}

{% macro metric_clipped_weights_parts(k=none, clip=none) %}
{%- set beyond = 'target > propensity * ' ~ rankmetrics_sql.rm_number(clip) -%}
{%- set clipped = '0' if clip is none else 'CASE WHEN ' ~ beyond ~ ' THEN 1 ELSE 0 END' -%}
{%- set rows = rankmetrics_sql.rm_sum_of_rows('1', k) -%}
{{ return(rankmetrics_sql.rm_weighted_parts(rankmetrics_sql.rm_sum_of_rows(clipped, k), rows)) }}
{% endmacro %}

{% macro metric_clipped_weights_total(sums, n, k=none, clip=none) %}
{{ return(rankmetrics_sql.rm_weighted_total(sums)) }}
{% endmacro %}
