{#-
title   = "Utility of a set"
group   = "whole"
summary = """\
    A weighted sum of counts: relevant items retrieved, other items retrieved, relevant items missed, other items \
    left out."""
formula = "a h + b (n − h) + c (R − h) + d (C − n − R + h),  C items in the collection"
reads_ranks = false
source  = "trec_eval: utility"
options = ["rel", "collection_size"]
needs   = ["n_relevant", "n_retrieved"]
differs = { trec_eval = "without -N the collection has no items at all, so that d is counted for a negative number" }
[needs_when]
"collection_size=none" = ["n_judged"]

[params.a]
type    = "number"
default = 1
help    = "worth of a relevant item that is retrieved"
[params.b]
type    = "number"
default = -1
help    = "worth of an item that is retrieved and not relevant"
[params.c]
type    = "number"
default = 0
help    = "worth of a relevant item that is not retrieved"
[params.d]
type    = "number"
default = 0
help    = "worth of an item that is neither"

[oracle]
pytrec_eval_without_k = "utility"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 0, "?"]
missed  = [1]
value   = "1 - 2"
[[example]]
ranking = [1, 0, "?"]
missed  = [1, 1, 0]
a       = 3
b       = -0.5
c       = -2
value   = "3 - 0.5 * 2 - 2 * 2"
[[example]]
ranking = [1, 0, "?"]      # the judged item that is left out
missed  = [1, 0]
d       = 4
value   = "1 - 2 + 4"
[[example]]
ranking = [1, 0, "?"]      # 10 items, of which 3 are retrieved and 1 more is relevant
missed  = [1, 0]
d       = 4
collection_size = 10
value   = "1 - 2 + 4 * 6"
[[example]]
ranking = [1, 2]
rel     = 2
value   = "1 - 1"
-#}
{% macro metric_utility(a=1, b=-1, c=0, d=0, rel=1, collection_size=none) %}
{%- set hits = rankmetrics_sql.rm_hits(rel) -%}
{%- set relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')' -%}
{%- set terms = [
    rankmetrics_sql.rm_number(a) ~ ' * ' ~ hits,
    rankmetrics_sql.rm_number(b) ~ ' * (MAX(n_retrieved) - ' ~ hits ~ ')',
    rankmetrics_sql.rm_number(c) ~ ' * (' ~ relevant ~ ' - ' ~ hits ~ ')',
] -%}
{%- if d != 0 -%}
    {%- if collection_size is none or collection_size == 'none' -%}
        {%- set retrieved = 'SUM(CASE WHEN relevance < ' ~ rankmetrics_sql.rm_number(rel) ~ ' THEN 1 ELSE 0 END)' -%}
        {%- set neither = 'MAX(n_judged) - ' ~ relevant ~ ' - ' ~ retrieved -%}
    {%- else -%}
        {%- set neither = collection_size ~ ' - MAX(n_retrieved) - ' ~ relevant ~ ' + ' ~ hits -%}
    {%- endif -%}
    {%- do terms.append(rankmetrics_sql.rm_number(d) ~ ' * (' ~ neither ~ ')') -%}
{%- endif -%}
{{ return(terms | join('\n    + ')) }}
{% endmacro %}
