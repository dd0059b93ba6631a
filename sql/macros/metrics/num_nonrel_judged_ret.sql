{#-
title     = "Number of judged non-relevant items retrieved"
group     = "counts"
summary   = "How many retrieved items are judged not relevant (grade 0 up to the threshold), summed over the queries."
formula   = "Σ_q |{r: 0 ≤ g_r < rel}|"
needs = ["nonrelevant"]
aggregate = "sum"
better    = "lower"
reads_ranks = false
about_judgments = true
source    = "trec_eval: num_nonrel_judged_ret"
options   = ["rel"]
[oracle]
pytrec_eval_without_k = "num_nonrel_judged_ret"
[[example]]
ranking = []
missed  = [0]
value   = "0"
[[example]]
ranking = [1, 0, "?", -1, 0]
value   = "2"
[[example]]
ranking = [1, 0, 2]
rel     = 2
value   = "2"
-#}
{% macro metric_num_nonrel_judged_ret(rel=1) %}
{{ return('SUM(CASE WHEN relevance >= 0 AND relevance < ' ~ rankmetrics_sql.rm_number(rel) ~ ' THEN 1 ELSE 0 END)') }}
{% endmacro %}
