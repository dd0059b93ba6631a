{#-
title   = "Coverage error"
group   = "whole"
summary = "How far down the list the last relevant item stands; one that is not retrieved does not count, 0 if none is."
formula = "max rank of a relevant item"
better  = "lower"
source  = """\
    scikit-learn: coverage_error, where the last of equal scores counts (ties=worst); Tsoumakas et al. 2010 count \
    from 0"""
options = ["rel", "no_relevant", "ties"]
[needs_when]
"ties=expected" = ["tied_relevant"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [1, 1, 0]
value   = "2"
[[example]]
ranking = [1, "?", 1, 0]
missed  = [1]
value   = "3"
[[example]]
ranking = [1, 2, 1]
rel     = 2
value   = "2"
-#}
{% macro metric_coverage_error(rel=1, no_relevant=0, ties=none) %}
{%- set slug = rankmetrics_sql.rm_slug(rel) -%}
{%- set among = 'tied_relevant_' ~ slug -%}
{#- The last of m items in random places of a group of n is expected at place m (n + 1) / (m + 1). -#}
{%- set last = 'rnk' if ties != 'expected' else 'n_above + ' ~ among ~ ' * (n_tied + 1) / (' ~ among ~ ' + 1)' -%}
{{ return('COALESCE(MAX(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ last ~ ' END), 0)') }}
{% endmacro %}
