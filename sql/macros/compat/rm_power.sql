{#- A number to a power that may be too small for a double: 0 then, where some engines would fail. -#}
{% macro rm_power(base, exponent) %}
{{ return(adapter.dispatch('rm_power', 'rankmetrics_sql')(base, exponent)) }}
{% endmacro %}

{% macro default__rm_power(base, exponent) %}
{{ return('POWER(' ~ base ~ ', ' ~ exponent ~ ')') }}
{% endmacro %}

{% macro postgres__rm_power(base, exponent) %}
{%- set logarithm = '(' ~ exponent ~ ') * LN(NULLIF(' ~ base ~ ', 0))' -%}
{{ return('CASE WHEN ' ~ logarithm ~ ' < -700 THEN 0 ELSE POWER(' ~ base ~ ', ' ~ exponent ~ ') END') }}
{% endmacro %}
