{#-
title   = "Success (hit rate)"
summary = "1 where at least one relevant item is retrieved within the first k, else 0."
aliases = ["hit_rate", "hitrate", "hit", "hr"]
range   = [0, 1]
source  = "trec_eval: success"
options = ["rel"]
[params.k]
type = "int"
min  = 1
help = "look at the first k items only"

[oracle]
pytrec_eval = "success_{k}"
[[example]]
ranking = []
missed  = [1]
k       = 1
value   = "0"
[[example]]
ranking = [1]
k       = 1
value   = "1"
[[example]]
ranking = [0, 1]
k       = 1
value   = "0"
[[example]]
ranking = [0, 1]
k       = 2
value   = "1"
[[example]]
ranking = [1, 0]
rel     = 2
value   = "0"
-#}
{% macro metric_success(k=none, rel=1) %}
{{ return('MAX(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN 1 ELSE 0 END)') }}
{% endmacro %}
