{#- The remainder of a whole number divided by another. -#}
{% macro rm_modulo(number, divisor) %}
{%- if rankmetrics_sql.rm_engine() == 'sqlite' -%}
    {#- Its MOD takes floats. -#}
    {{ return('((' ~ number ~ ') % ' ~ divisor ~ ')') }}
{%- endif -%}
{{ return('MOD(' ~ number ~ ', ' ~ divisor ~ ')') }}
{% endmacro %}
