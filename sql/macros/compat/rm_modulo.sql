{#- The remainder of a whole number divided by another. -#}
{% macro rm_modulo(number, divisor) %}
{{ return(adapter.dispatch('rm_modulo', 'rankmetrics_sql')(number, divisor)) }}
{% endmacro %}

{% macro default__rm_modulo(number, divisor) %}
{{ return('MOD(' ~ number ~ ', ' ~ divisor ~ ')') }}
{% endmacro %}

{#- Its MOD takes floats. -#}
{% macro sqlite__rm_modulo(number, divisor) %}
{{ return('((' ~ number ~ ') % ' ~ divisor ~ ')') }}
{% endmacro %}
