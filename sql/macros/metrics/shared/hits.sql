{#- The building blocks of metrics: expressions over the rows of a list. -#}

{#- Rows of the list down to rank k, or all of them. -#}
{% macro rm_within(k=none) %}
{{ return('rnk >= 1' if k is none else 'rnk <= ' ~ k) }}
{% endmacro %}

{#- Whether the item is relevant and stands within rank k. -#}
{% macro rm_is_hit(rel, k=none) %}
{%- set relevant = 'relevance >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{{ return(relevant if k is none else relevant ~ ' AND ' ~ rankmetrics_sql.rm_within(k)) }}
{% endmacro %}

{#- The chance that an item stands within rank k, where the order of equal scores is left open. -#}
{% macro rm_share_within(k) %}
{%- set some = '(' ~ k ~ ' - n_above) / n_tied' -%}
{{ return('CASE WHEN n_through <= ' ~ k ~ ' THEN 1 WHEN n_above >= ' ~ k ~ ' THEN 0 ELSE ' ~ some ~ ' END') }}
{% endmacro %}

{#- How many relevant items stand within rank k, or are expected to. -#}
{% macro rm_hits(rel, k=none, ties=none) %}
{%- set expected = ties == 'expected' and k is not none -%}
{%- set hit = rankmetrics_sql.rm_is_hit(rel, none if expected else k) -%}
{%- set counted = rankmetrics_sql.rm_share_within(k) if expected else '1' -%}
{{ return(rankmetrics_sql.rm_as_double('SUM(CASE WHEN ' ~ hit ~ ' THEN ' ~ counted ~ ' ELSE 0 END)')) }}
{% endmacro %}

{#- How many places precision is over. -#}
{% macro rm_list_length(k, precision_denominator, rel) %}
{%- if k is none -%}{{ return('MAX(n_retrieved)') }}{%- endif -%}
{%- if precision_denominator == 'min_k_retrieved' -%}
    {{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_n_shown(k) ~ '), 0)') }}
{%- elif precision_denominator == 'min_k_relevant' -%}
    {{ return(rankmetrics_sql.rm_lesser('MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')', k)) }}
{%- endif -%}
{{ return(k | string) }}
{% endmacro %}

{% macro rm_lesser(one, other) %}
{{ return('CASE WHEN ' ~ one ~ ' < ' ~ other ~ ' THEN ' ~ one ~ ' ELSE ' ~ other ~ ' END') }}
{% endmacro %}

{#- The ideal DCG inside an aggregate over the judged rows of a query. -#}
{% macro rm_ideal_value(gain, rel, k, discount, ideal_depth) %}
{%- if ideal_depth != 'present' -%}
    {%- set ideal = {'gain': gain, 'rel': rel, 'k': k, 'discount': discount, 'ideal_depth': ideal_depth} -%}
    {%- set value = 'MAX(' ~ rankmetrics_sql.rm_ideal_dcg(ideal) ~ ')' -%}
    {{ return('COALESCE(' ~ value ~ ', 0)' if ideal_depth == 'min_k_retrieved' else value) }}
{%- endif -%}
{%- set name = rankmetrics_sql.rm_gain_name(gain, rel) -%}
{%- set rank = rankmetrics_sql.rm_present_rank(gain) -%}
{%- set within = name ~ ' > 0' ~ (' AND ' ~ rank ~ ' <= ' ~ k if k is not none else '') -%}
{%- set worth = rankmetrics_sql.rm_discounted(name, rank, discount) -%}
{{ return('SUM(CASE WHEN ' ~ within ~ ' THEN ' ~ worth ~ ' ELSE 0 END)') }}
{% endmacro %}
