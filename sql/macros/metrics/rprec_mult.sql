{#-
title   = "Precision at a multiple of R"
group   = "binary"
summary = """\
    Precision at factor times R, where R is the number of relevant items of the query; with 0.9 added and rounded \
    down."""
formula = "h_c / c,  c = ⌊factor · R + 0.9⌋"
range   = [0, 1]
at      = "factor"
source  = "trec_eval: Rprec_mult"
options = ["rel", "no_relevant", "ties"]
needs   = ["n_relevant", "facts_on_rows"]
[params.factor]
type    = "number"
above   = 0
default = 1
help    = "how many times the relevant items; rprec_mult@0.2"

[oracle]
trec_eval = "Rprec_mult_{factor:.2f}"
[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "1"
[[example]]
ranking = [1, 0, 1]        # 0.5 * 2 = 1
factor  = 0.5
value   = "1"
[[example]]
ranking = [1, 0, 1]        # 0.6 * 2 = 1.2 is 2
factor  = 0.6
value   = "1/2"
[[example]]
ranking = [1, 0, 1]        # places beyond the list count
factor  = 2
value   = "2/4"
[[example]]
ranking = [1, 2, 2]
rel     = 2
factor  = 1.5
value   = "2/3"
-#}
{% macro metric_rprec_mult(factor=1, rel=1, no_relevant=0, ties=none) %}
{%- set added = rankmetrics_sql.rm_number('0.9') -%}
{%- set share = rankmetrics_sql.rm_number(factor) ~ ' * ' ~ rankmetrics_sql.rm_n_relevant(rel) -%}
{%- set cutoff = 'FLOOR(' ~ share ~ ' + ' ~ added ~ ')' -%}
{%- set within = 'CASE WHEN rnk <= ' ~ cutoff ~ ' THEN 1 ELSE 0 END' -%}
{%- if ties == 'expected' -%}{%- set within = rankmetrics_sql.rm_share_within(cutoff) -%}{%- endif -%}
{%- set hits = 'SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ within ~ ' ELSE 0 END)' -%}
{{ return(rankmetrics_sql.rm_ratio(rankmetrics_sql.rm_as_double(hits), 'MAX(' ~ cutoff ~ ')')) }}
{% endmacro %}
