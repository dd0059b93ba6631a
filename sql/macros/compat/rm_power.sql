{#- A number to a power that may be too small for a double: 0 then, where some engines would fail. -#}
{% macro rm_power(base, exponent) %}
{%- if rankmetrics_sql.rm_engine() in ['postgres', 'redshift'] -%}
    {%- set logarithm = '(' ~ exponent ~ ') * LN(NULLIF(' ~ base ~ ', 0))' -%}
    {{ return('CASE WHEN ' ~ logarithm ~ ' < -700 THEN 0 ELSE POWER(' ~ base ~ ', ' ~ exponent ~ ') END') }}
{%- endif -%}
{{ return('POWER(' ~ base ~ ', ' ~ exponent ~ ')') }}
{% endmacro %}
