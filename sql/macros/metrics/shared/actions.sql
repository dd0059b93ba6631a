{#-
Numbers of the actions of one type, beside an item's grade. The rows of a log have them as columns whose names follow
from the type: actions_add_to_cart, how many; amount_purchase, what they were worth; seconds_click, how many passed from
the first impression of the request to the first of them.
-#}

{#- The column with such a number: what is actions, amount or seconds. -#}
{% macro rm_action_column(what, type) %}
{%- set word = rankmetrics_sql.rm_word(type | replace('-', '_')) -%}
{%- if word == '' -%}
    {%- do rankmetrics_sql.rm_raise('type: ' ~ rankmetrics_sql.rm_written_value(type) ~ ' has no letter from a to z and'
        ~ ' no digit, so no column can be named by it. Give it another name in a SELECT in place of the table.') -%}
{%- endif -%}
{{ return(what ~ '_' ~ word) }}
{% endmacro %}

{#- The needs of metrics that are such columns, each with what they hold and the parameter that has the type. -#}
{% macro rm_action_needs() %}
{{ return({
    'action_counts': {'what': 'actions', 'param': 'type'}, 'action_values': {'what': 'amount', 'param': 'type'},
    'action_seconds': {'what': 'seconds', 'param': 'type'}, 'click_counts': {'what': 'actions', 'param': 'click'},
}) }}
{% endmacro %}

{#- The columns of that kind that metrics read, each once: {name, need, type, label}. -#}
{% macro rm_action_columns(metrics) %}
{%- set found = {} -%}
{%- for metric in metrics -%}
    {%- for need, column in rankmetrics_sql.rm_action_needs().items() if need in metric.needs -%}
        {%- set type = metric.params[column.param] -%}
        {%- set name = rankmetrics_sql.rm_action_column(column.what, type) -%}
        {%- if name in found and found[name].type != type -%}
            {%- do rankmetrics_sql.rm_raise(rankmetrics_sql.rm_where(metric.label) ~ ': '
                ~ rankmetrics_sql.rm_of_one_column(type, found[name].type, name)) -%}
        {%- endif -%}
        {%- do found.update({name: {'name': name, 'need': need, 'type': type, 'label': metric.label}}) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(found.values() | list) }}
{% endmacro %}

{#- What is wrong with two types of one column. -#}
{% macro rm_of_one_column(type, other, name) %}
{{ return('the types ' ~ rankmetrics_sql.rm_written_value(type) ~ ' and ' ~ rankmetrics_sql.rm_written_value(other)
    ~ ' would share the column ' ~ name ~ '. Give one another name in a SELECT in place of the table.') }}
{% endmacro %}

{#- Whether an item was clicked within rank k: by its grade, or where a type is named, by an action of that type. -#}
{% macro rm_is_clicked(rel, k=none, type=none) %}
{%- if type is none -%}{{ return(rankmetrics_sql.rm_is_hit(rel, k)) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_action_column('actions', type) ~ ' > 0'
    ~ ('' if k is none else ' AND ' ~ rankmetrics_sql.rm_within(k))) }}
{% endmacro %}

{#- How many such items there are. -#}
{% macro rm_clicked_items(rel, k=none, ties=none, type=none) %}
{%- if type is none -%}{{ return(rankmetrics_sql.rm_hits(rel, k, ties)) }}{%- endif -%}
{%- set clicked = rankmetrics_sql.rm_is_clicked(rel, k, type) -%}
{{ return(rankmetrics_sql.rm_as_double('SUM(CASE WHEN ' ~ clicked ~ ' THEN 1 ELSE 0 END)')) }}
{% endmacro %}

{#- The sum of such a column over the items within rank k. -#}
{% macro rm_sum_of_actions(what, type, k=none) %}
{%- set column = rankmetrics_sql.rm_action_column(what, type) -%}
{%- set kept = column if k is none
    else 'CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN ' ~ column ~ ' END' -%}
{{ return(rankmetrics_sql.rm_as_double('COALESCE(SUM(' ~ kept ~ '), 0)')) }}
{% endmacro %}

{#- 1 where an item within rank k has an action of the type, else 0. -#}
{% macro rm_has_action(type, k=none) %}
{%- set clicked = rankmetrics_sql.rm_is_clicked(none, k, type) -%}
{{ return(rankmetrics_sql.rm_as_double('COALESCE(MAX(CASE WHEN ' ~ clicked ~ ' THEN 1 ELSE 0 END), 0)')) }}
{% endmacro %}
