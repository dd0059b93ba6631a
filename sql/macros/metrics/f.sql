{#-
title   = "F measure"
group   = "binary"
summary = "Weighted harmonic mean of precision and recall; recall counts beta times as much."
formula = "(1 + β²) P R / (β² P + R)"
aliases = ["f1", "f_score", "fbeta"]
spellings = { set_f = "f_beta=plain", setf = "f_beta=plain" }
range   = [0, 1]
divides_by_judgments = true
reads_order = "cutoff"
source  = "van Rijsbergen 1979, Information Retrieval, chapter 7: (1 + beta^2) P R / (beta^2 P + R)"
aggregate_when = { "f_beta=of_averages" = "parts" }
parameters = ["k"]
options = ["rel", "f_beta", "precision_denominator", "no_relevant", "ties"]
needs   = ["n_relevant"]
[needs_when]
"k=none" = ["n_retrieved", "shared_places"]
"precision_denominator=min_k_retrieved" = ["n_shown"]

[params.beta]
type    = "number"
min     = 0
default = 1
help    = "weight of recall against precision"

[[example]]
ranking = []
missed  = [1]
k       = 2
value   = "0"
[[example]]
ranking = [1, 1]
k       = 2
value   = "1"
[[example]]
ranking = [0, 1, 1]        # P = 1/2, R = 1/2
k       = 2
value   = "1/2"
[[example]]
ranking = [1, 0, 0, 0]     # P = 1/4, R = 1/2
missed  = [1]
beta    = 2
value   = "5 * (1/4) * (1/2) / (4 * (1/4) + 1/2)"
[[example]]
ranking = [1, 2]           # P = 1/2, R = 1
k       = 2
rel     = 2
value   = "2 * (1/2) / (3/2)"
[[example]]
ranking = [1, 0]           # P = 1/2, R = 1/4, weight 2 instead of 4
missed  = [1, 1, 1]
beta    = 2
f_beta  = "plain"
value   = "3 * (1/2) * (1/4) / (2 * (1/2) + 1/4)"
-#}
{% macro metric_f(k=none, beta=1, rel=1, f_beta='squared', precision_denominator='k', no_relevant=0, ties=none) %}
{%- set weight = rankmetrics_sql.rm_f_weight(beta, f_beta) -%}
{%- set places = rankmetrics_sql.rm_list_length(k, precision_denominator, rel) -%}
{%- set hits = '(1 + ' ~ weight ~ ') * ' ~ rankmetrics_sql.rm_hits(rel, k, ties) -%}
{%- set n_relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{{ return(rankmetrics_sql.rm_ratio(hits, weight ~ ' * ' ~ n_relevant ~ ' + ' ~ places)) }}
{% endmacro %}

{#- The weight of recall: beta squared, or beta as it is (trec_eval's set_F). -#}
{% macro rm_f_weight(beta, f_beta) %}
{%- set number = rankmetrics_sql.rm_number(beta) -%}
{{ return(number if f_beta == 'plain' else number ~ ' * ' ~ number) }}
{% endmacro %}

{#- For the F of the averages over queries. -#}
{% macro metric_f_parts(k=none, beta=1, rel=1, f_beta='squared', precision_denominator='k', no_relevant=0, ties=none) %}
{%- if f_beta != 'of_averages' -%}{{ return([]) }}{%- endif -%}
{%- set precision = rankmetrics_sql.metric_p(k=k, rel=rel, precision_denominator=precision_denominator, ties=ties) -%}
{%- set recall = rankmetrics_sql.metric_r(k=k, rel=rel, ties=ties) -%}
{{ return([{'name': 'precision', 'sql': precision}, {'name': 'recall', 'sql': recall}]) }}
{% endmacro %}

{% macro metric_f_total(
    sums, n, k=none, beta=1, rel=1, f_beta='squared', precision_denominator='k', no_relevant=0, ties=none
) %}
{%- set weight = rankmetrics_sql.rm_f_weight(beta, f_beta) -%}
{%- set product = '(1 + ' ~ weight ~ ') * ' ~ sums[0] ~ ' * ' ~ sums[1] -%}
{%- set sum = n ~ ' * (' ~ weight ~ ' * ' ~ sums[0] ~ ' + ' ~ sums[1] ~ ')' -%}
{%- set below = 'NULLIF(' ~ weight ~ ' * ' ~ sums[0] ~ ' + ' ~ sums[1] ~ ', 0)' -%}
{%- set slopes = [
    '(1 + ' ~ weight ~ ') / ' ~ n ~ ' * POWER(' ~ sums[1] ~ ' / ' ~ below ~ ', 2)',
    '(1 + ' ~ weight ~ ') / ' ~ n ~ ' * ' ~ weight ~ ' * POWER(' ~ sums[0] ~ ' / ' ~ below ~ ', 2)',
] -%}
{{ return({'sql': rankmetrics_sql.rm_ratio_of_sums(product, sum), 'slopes': slopes}) }}
{% endmacro %}
