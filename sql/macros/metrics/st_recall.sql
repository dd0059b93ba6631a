{#-
title   = "Subtopic recall"
group   = "diversity"
summary = "Share of the subtopics that have a relevant item anywhere which have one among the first k."
formula = "|{s: a relevant item for s within k}| / S; S: subtopics with a relevant item"
aliases = ["strecall", "strec", "s_recall", "s-recall", "subtopic_recall"]
range   = [0, 1]
reads_order = "cutoff"
source  = "Zhai, Cohen & Lafferty 2003, SIGIR; ndeval: strec"
parameters = ["k"]
options = ["rel", "no_relevant"]
needs   = ["subtopics", "n_subtopics"]
[needs_when]
"k=none" = ["shared_places"]

[[example]]
ranking = []
missed  = [[1, 0]]
value   = "0"
[[example]]
ranking = [[1, 0], [0, 1]]
value   = "1"
[[example]]
ranking = [[1, 0], "?", [0, 1]]
k       = 2
value   = "1/2"
[[example]]
ranking = [[1, 2, 0, 0], [0, 2, 0, 0]]
missed  = [[0, 0, 2, 0]]       # nothing for the fourth subtopic
rel     = 2
value   = "1/2"
-#}
{% macro metric_st_recall(k=none, rel=1, no_relevant=0) %}
{%- set covered = 'COUNT(DISTINCT CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN subtopic END)' -%}
{%- set known = 'MAX(' ~ rankmetrics_sql.rm_n_subtopics(rel) ~ ')' -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_as_double(covered), known)) }}
{% endmacro %}
