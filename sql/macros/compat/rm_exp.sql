{#- e to a power, never NULL, that may be too small for a double: about 0 then, where some engines would fail. -#}
{% macro rm_exp(exponent) %}
{%- if rankmetrics_sql.rm_engine() in ['postgres', 'redshift'] -%}
    {{ return('EXP(GREATEST(' ~ exponent ~ ', -700))') }}
{%- endif -%}
{{ return('EXP(' ~ exponent ~ ')') }}
{% endmacro %}
