{#-
title   = "Success (hit rate)"
group   = "binary"
summary = "1 where at least one relevant item is retrieved within the first k, else 0."
formula = "1 if h_k > 0, else 0"
aliases = ["hit_rate", "hitrate", "hit", "hr", "top_k_accuracy", "topk_accuracy"]
range   = [0, 1]
reads_order = "any"
source  = "trec_eval: success"
parameters = ["k"]
options = ["rel", "no_relevant", "ties"]
needs   = ["shared_places"]
[needs_when]
"ties=expected" = ["tied_relevant"]

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
[[example]]
ranking = [0, 0, 1, 0, 1]
k       = 3
value   = "1"
-#}
{% macro metric_success(k=none, rel=1, no_relevant=0, ties=none) %}
{%- if ties != 'expected' or k is none -%}
    {{ return('MAX(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN 1 ELSE 0 END)') }}
{%- endif -%}
{%- set missed = rankmetrics_sql.rm_chance_missed(k, rel) -%}
{%- set expression -%}
CASE
    WHEN COALESCE(MIN({{ missed }}), 1) <= 0 THEN 1
    ELSE 1 - {{ rankmetrics_sql.rm_exp('COALESCE(SUM(LN(CASE WHEN ' ~ missed ~ ' > 0 THEN ' ~ missed ~ ' END)), 0)') }}
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#-
The chance that a relevant item misses the top k when those of its group that are numbered before it do: it has the
n_tied - tied_number places that they leave, and t of them lie within k.
-#}
{% macro rm_chance_missed(k, rel) %}
{%- set places = 'n_tied - tied_number_' ~ rankmetrics_sql.rm_slug(rel) -%}
{%- set some = 'WHEN n_above >= ' ~ k ~ ' THEN 0 ELSE ' ~ k ~ ' - n_above' -%}
{%- set within = 'CASE WHEN n_through <= ' ~ k ~ ' THEN n_tied ' ~ some ~ ' END' -%}
{%- set missed = '(' ~ places ~ ' - ' ~ within ~ ') / (' ~ places ~ ')' -%}
{{ return('(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ missed ~ ' END)') }}
{% endmacro %}
