{#-
title   = "Expected reciprocal rank"
group   = "graded"
summary = """\
    Expected 1/rank of the item that satisfies a reader whose chance of stopping at grade g is (2^g - 1) / \
    2^err_max; a grade above err_max counts as err_max."""
formula = "Σ_{r ≤ k} (1/r) s_r Π_{i < r} (1 − s_i),  s_r = (2^{min(g_r, err_max)} − 1) / 2^{err_max}"
aliases = ["expected_reciprocal_rank"]
range   = [0, 1]
source  = "Chapelle et al. 2009, CIKM; highest grade 4 as in gdeval.pl"
parameters = ["k"]
options = ["err_max"]

[[example]]
ranking = []
missed  = [1]
value   = "0"
[[example]]
ranking = [4]              # as good as it gets: a reader may still go on
k       = 1
value   = "15/16"
[[example]]
ranking = [1, 0, 2]
k       = 2                # rank 3 is one too far
value   = "1/16"
[[example]]
ranking = [1, "?", 2, 3]
value   = "1/16 + (15/16) * (3/16) / 3 + (15/16) * (13/16) * (7/16) / 4"
[[example]]
ranking = [1, 2]
err_max = 5
value   = "1/32 + (31/32) * (3/32) / 2"
-#}
{% macro metric_err(k=none, err_max=4) %}
{%- set reached = 'reached_' ~ rankmetrics_sql.rm_slug(err_max) -%}
{%- set stops = rankmetrics_sql.rm_err_stop('relevance', err_max) -%}
{%- set worth = reached ~ ' * ' ~ stops ~ ' / rnk' -%}
{{ return('COALESCE(SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN ' ~ worth ~ ' ELSE 0 END), 0)') }}
{% endmacro %}

{#- The chance that the reader stops at an item of this grade. -#}
{% macro rm_err_stop(grade, err_max) %}
{%- set two = 'CAST(2 AS ' ~ rankmetrics_sql.rm_double_type() ~ ')' -%}
{%- set highest = rankmetrics_sql.rm_number(err_max) -%}
{%- set counted = rankmetrics_sql.rm_lesser(grade, highest) -%}
{%- set chance = '(POWER(' ~ two ~ ', ' ~ counted ~ ') - 1) / POWER(' ~ two ~ ', ' ~ highest ~ ')' -%}
{{ return('(CASE WHEN ' ~ grade ~ ' > 0 THEN ' ~ chance ~ ' ELSE 0 END)') }}
{% endmacro %}

{#- The chance that the reader gets as far as this item: the product of going on at every item above. -#}
{% macro metric_err_columns(window, k=none, err_max=4) %}
{%- set stops = rankmetrics_sql.rm_err_stop('m.relevance', err_max) -%}
{%- set logarithm -%}
COALESCE(SUM(LN(1 - {{ stops }})) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0)
{%- endset -%}
{{ return([{'name': 'reached_' ~ rankmetrics_sql.rm_slug(err_max), 'sql': rankmetrics_sql.rm_exp(logarithm)}]) }}
{% endmacro %}
