{#-
title   = "Residual of rank-biased precision"
group   = "counts"
summary = """\
    What rank-biased precision would gain if every place without a judgment, unjudged or beyond the list, were \
    relevant."""
formula = "1 − (1 − p) Σ_{judged r ≤ k} p^{r − 1}"
needs = ["nonrelevant"]
range   = [0, 1]
better  = "lower"
about_judgments = true
reads_grades = false
source  = "Moffat & Zobel 2008, ACM TOIS 27(1), section 3.3"
parameters = ["k", "p"]
[params.p]
default = 0.8

[[example]]
ranking = []               # nothing is known
missed  = [1]
value   = "1"
[[example]]
ranking = [1, 0, 1]
value   = "0.8**3"
[[example]]
ranking = [1, "?", 0]
k       = 2                # beyond k nothing is known
p       = 0.5
value   = "1 - 0.5"
[[example]]
ranking = [1, "?", 0]
p       = 0.5
value   = "1 - 0.5 - 0.5 * 0.5**2"
-#}
{% macro metric_rbp_residual(k=none, p=0.8) %}
{%- set p = rankmetrics_sql.rm_number(p) -%}
{%- set weight = rankmetrics_sql.rm_power(p, 'rnk - 1') ~ ' ELSE ' ~ rankmetrics_sql.rm_as_double(0) -%}
{{ return('1 - (1 - ' ~ p ~ ') * SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN ' ~ weight ~ ' END)') }}
{% endmacro %}
