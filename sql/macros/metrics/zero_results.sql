{#-
title   = "Zero results"
group   = "click"
summary = """\
    1 where the list is empty, else 0; the mean is the share of requests that showed nothing. A log needs \
    requests=logged, which names all requests. For a run each judged query is a request."""
formula = "1 if n = 0, else 0"
aliases = ["zero_result_rate", "null_results"]
range   = [0, 1]
better  = "lower"
reads_ranks = false
reads_grades = false
counts_empty_lists = true
source  = "Common in search analytics; OpenSearch User Behavior Insights: queries with zero results"
needs   = ["n_retrieved"]

[[example]]
ranking = []
missed  = [1]
value   = "1"
[[example]]
ranking = ["?"]            # an item that nobody judged was shown
missed  = [1]
value   = "0"
[[example]]
ranking = [0]              # and so was one that nobody clicked
missed  = [1]
value   = "0"
-#}
{% macro metric_zero_results() %}
{{ return('CASE WHEN MAX(n_retrieved) > 0 THEN 0 ELSE 1 END') }}
{% endmacro %}
