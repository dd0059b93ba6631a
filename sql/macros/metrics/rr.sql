{#-
title   = "Reciprocal rank"
summary = "One over the rank of the first relevant item; 0 when none is retrieved."
aliases = ["mrr", "recip_rank", "reciprocal_rank"]
range   = [0, 1]
source  = "Kantor & Voorhees 2000, TREC-5 Confusion track"
options = ["rel"]
[params.k]
type = "int"
min  = 1
help = "look at the first k items only"

[oracle]
pytrec_eval_without_k = "recip_rank"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0]
value   = "1"
[[example]]
ranking = [0, 1]
k       = 2                # the boundary case
value   = "1/2"
[[example]]
ranking = [0, 0, 1]
k       = 2
value   = "0"
[[example]]
ranking = [1, "?", 2]
rel     = 2
value   = "1/3"
-#}
{% macro metric_rr(k=none, rel=1) %}
{{ return('COALESCE(1 / MIN(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN rnk END), 0)') }}
{% endmacro %}
