{#-
title   = "Effective sample size"
group   = "propensity"
summary = """\
    How many rows drawn from the target policy itself would say as much as the weighted rows of all queries together: \
    the square of the sum of the weights over the sum of their squares. With fewer than a hundred, ips and snips mean \
    little. 0 where nothing weighs."""
formula = "(Σ w)² / Σ w² over the rows with a reward,  w = min(target / propensity, clip)"
aliases = ["effective_sample_size"]
aggregate = "parts"
source  = """\
    Kish 1965, Survey Sampling; Owen 2013, Monte Carlo theory, methods and examples, 9.3"""
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
value   = "0"
[[example]]
ranking = [1, 0, 1]
propensity = [0.5, 0.5, 0.5]
target  = [0.5, 0.5, 0.5]
value   = "3"
[[example]]
ranking = [1, 0]
propensity = [0.5, 0.125]
target  = [0.5, 0.5]
value   = "(1 + 4) ** 2 / (1 + 16)"
[[example]]
ranking = [1, 0]
propensity = [0.5, 0.125]
target  = [0.5, 0.5]
clip    = 2
value   = "(1 + 2) ** 2 / (1 + 4)"
[[example]]
ranking = [1, 1]
propensity = [0.5, 0.5]
target  = [1, 0.5]
k       = 1
value   = "1"
-#}
{% macro metric_ess(k=none, clip=none) %}
{%- set parts = rankmetrics_sql.metric_ess_parts(k=k, clip=clip) -%}
{%- set square = parts[0].sql ~ ' * ' ~ parts[0].sql -%}
{{ return(rankmetrics_sql.rm_over_weights(square, parts[1].sql)) }}
{% endmacro %}

{% macro metric_ess_parts(k=none, clip=none) %}
{%- set weight = rankmetrics_sql.rm_row_weight(clip) -%}
{{ return([
    {'name': 'weight', 'sql': rankmetrics_sql.rm_sum_of_rows(weight, k)},
    {'name': 'square', 'sql': rankmetrics_sql.rm_sum_of_rows(weight ~ ' * ' ~ weight, k)},
]) }}
{% endmacro %}

{% macro metric_ess_total(sums, n, k=none, clip=none) %}
{{ return(rankmetrics_sql.rm_weighted_total([sums[0] ~ ' * ' ~ sums[0], sums[1]]).sql) }}
{% endmacro %}
