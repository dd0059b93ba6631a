{#-
What rows weigh: a click one over its propensity, the chance that the item was looked at; a row of a logged policy the
chance of its action under another policy over that under its own. A chance that is none gives a number beyond all
others, or the engine's own error, and never one that could be taken for a value.
-#}

{#- What an item is worth by the chance p that it was seen: worth / p. -#}
{% macro rm_worth_of_click(worth, floor, alias='') %}
{%- set p = alias ~ 'propensity' -%}
{%- set least = rankmetrics_sql.rm_number(floor) -%}
{%- set seen = '(CASE WHEN ' ~ p ~ ' < ' ~ least ~ ' THEN ' ~ least ~ ' ELSE ' ~ p ~ ' END)' if floor > 0 else p -%}
{{ return(rankmetrics_sql.rm_of_a_click(worth ~ ' / ' ~ seen, alias)) }}
{% endmacro %}

{#- A value of a row whose propensity is one. -#}
{% macro rm_of_a_click(value, alias='') %}
{%- set valid = alias ~ 'propensity > 0 AND ' ~ alias ~ 'propensity <= 1' -%}
{{ return('CASE WHEN ' ~ valid ~ ' THEN ' ~ value ~ ' ELSE ' ~ rankmetrics_sql.rm_beyond_all(alias) ~ ' END') }}
{% endmacro %}

{#- The sum of what the clicks among rows are worth. -#}
{% macro rm_sum_of_clicks(worth, floor, condition) %}
{%- set worth = rankmetrics_sql.rm_worth_of_click(worth, floor) -%}
{{ return('SUM(CASE WHEN ' ~ condition ~ ' THEN ' ~ worth ~ ' ELSE 0 END)') }}
{% endmacro %}

{#-
Out of a row, as an engine that folds constants would compute it before it looks whether it is needed. Where a grade is
known it is no NULL.
-#}
{% macro rm_beyond_all(alias='') %}
{{ return(rankmetrics_sql.rm_as_double("'1e308'") ~ ' * (9 + ABS(' ~ alias ~ 'relevance))') }}
{% endmacro %}

{#- A sum over the sum of weights, 0 where nothing weighs; beyond all others where they are. -#}
{% macro rm_over_weights(sum, weights) %}
{%- set beyond = rankmetrics_sql.rm_as_double("'1e300'") -%}
{%- set expression -%}
CASE
    WHEN {{ weights }} > {{ beyond }} THEN {{ weights }}
    WHEN {{ weights }} > 0 THEN {{ sum }}
        / {{ weights }}
    ELSE 0
END
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- The weight of all clicks of a query, retrieved or not, and the relation that has it. -#}
{% macro rm_click_weight(rel, floor) %}
{{ return('click_weight_' ~ rankmetrics_sql.rm_slug(rel) ~ '_from_' ~ rankmetrics_sql.rm_slug(floor)) }}
{% endmacro %}

{% macro rm_click_weight_relation(pass, rel, floor) %}
{%- set column = rankmetrics_sql.rm_click_weight(rel, floor) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.truth_suffix ~ pass.judged_suffix) -%}
{%- set weights %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.truth_keys) }},
        {{ rankmetrics_sql.rm_sum_of_clicks('1', floor, rankmetrics_sql.rm_is_hit(rel)) }} AS {{ column }}
    FROM {{ pass.stages.truth_source }}
    GROUP BY {{ pass.truth_keys | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column],
    'of_queries': pass.truth_keys == pass.plan.query_keys,
    'ctes': [rankmetrics_sql.rm_cte(
        name, weights,
        'the total weight of the clicks of each query, retrieved or not, each 1 over its propensity'
    )],
}) }}
{% endmacro %}

{#- The parts of a sum over weights, for one query and for all queries together. -#}
{% macro rm_weighted_parts(sum, weights) %}
{{ return([{'name': 'sum', 'sql': sum}, {'name': 'weight', 'sql': 'COALESCE(' ~ weights ~ ', 0)'}]) }}
{% endmacro %}

{% macro rm_weighted_total(sums) %}
{%- set total = rankmetrics_sql.rm_over_weights(sums[0], sums[1]) -%}
{{ return(rankmetrics_sql.rm_ratio_total(sums, 'CASE WHEN ' ~ sums[1] ~ ' IS NOT NULL THEN ' ~ total ~ ' END')) }}
{% endmacro %}

{#- What a row of a log weighs for another policy: target / propensity, but no more than clip. -#}
{% macro rm_row_weight(clip=none) %}
{%- if clip is none -%}{{ return('(target / propensity)') }}{%- endif -%}
{%- set most = rankmetrics_sql.rm_number(clip) -%}
{{ return('(CASE WHEN target > propensity * ' ~ most ~ ' THEN ' ~ most ~ ' ELSE target / propensity END)') }}
{% endmacro %}

{#- The sum of an expression over the rows with a reward, down to rank k. -#}
{% macro rm_sum_of_rows(expression, k) %}
{%- set rewarded = 'relevance IS NOT NULL' ~ ('' if k is none else ' AND ' ~ rankmetrics_sql.rm_within(k)) -%}
{%- set valid = 'propensity > 0 AND propensity <= 1 AND target >= 0 AND target <= 1' -%}
{%- set worth = 'CASE WHEN ' ~ valid ~ ' THEN ' ~ expression ~ ' ELSE ' ~ rankmetrics_sql.rm_beyond_all() ~ ' END' -%}
{%- set sum = 'SUM(CASE WHEN ' ~ rewarded ~ ' THEN ' ~ worth ~ ' ELSE 0 END)' -%}
{{ return(rankmetrics_sql.rm_as_double(sum)) }}
{% endmacro %}
