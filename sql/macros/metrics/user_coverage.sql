{#-
title   = "User coverage"
group   = "beyond"
summary = "1 where an item is shown, else 0: its mean is the share of users, or queries, who are shown anything."
formula = "1 if the list has an item, else 0"
aliases = ["covered_users", "query_coverage"]
range   = [0, 1]
source  = "Ge, Delgado-Battenfeld & Jannach 2010, RecSys: user coverage; RecTools: CoveredUsers"
parameters = ["k"]
reads_ranks = false
reads_grades = false
reads_judgments = false
about_judgments = true
needs   = ["all_rows"]

[[example]]
ranking = []
value   = "0"
[[example]]
ranking = ["a", "b"]
k       = 1
value   = "1"
-#}
{% macro metric_user_coverage(k=none) %}
{{ return('CASE WHEN ' ~ rankmetrics_sql.rm_n_within(k) ~ ' > 0 THEN 1 ELSE 0 END') }}
{% endmacro %}
