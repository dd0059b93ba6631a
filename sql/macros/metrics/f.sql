{#-
title   = "F measure"
summary = "Weighted harmonic mean of precision and recall; recall counts beta times as much."
aliases = ["f1", "f_score", "fbeta"]
range   = [0, 1]
source  = "van Rijsbergen 1979, Information Retrieval, chapter 7: (1 + beta^2) P R / (beta^2 P + R)"
options = ["rel"]
needs   = ["n_relevant"]
needs_without_k = ["n_retrieved"]
[params.k]
type = "int"
min  = 1
help = "look at the first k items only"
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
-#}
{% macro metric_f(k=none, beta=1, rel=1) %}
{%- set weight = rankmetrics_sql.rm_number(beta) -%}
{%- set length = 'MAX(n_retrieved)' if k is none else k | string -%}
{%- set expression -%}
COALESCE(
    (1 + {{ weight }} * {{ weight }}) * {{ rankmetrics_sql.rm_hits(rel, k) }}
    / NULLIF({{ weight }} * {{ weight }} * MAX({{ rankmetrics_sql.rm_n_relevant(rel) }}) + {{ length }}, 0),
    0
)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
