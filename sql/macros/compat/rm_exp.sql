{#- e to a power, never NULL, that may be too small for a double: about 0 then, where some engines would fail. -#}
{% macro rm_exp(exponent) %}
{{ return(adapter.dispatch('rm_exp', 'rankmetrics_sql')(exponent)) }}
{% endmacro %}

{% macro default__rm_exp(exponent) %}
{{ return('EXP(' ~ exponent ~ ')') }}
{% endmacro %}

{% macro postgres__rm_exp(exponent) %}
{{ return('EXP(GREATEST(' ~ exponent ~ ', -700))') }}
{% endmacro %}
