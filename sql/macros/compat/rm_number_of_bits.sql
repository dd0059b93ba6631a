{#-
How many different numbers from 0 to 62 a group has, as the bits of one number, with text before and after each bit.
None where the engine cannot count bits.
-#}
{% macro rm_number_of_bits(number, before='', after='') %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {{ return('BIT_COUNT(BIT_OR(' ~ before ~ 'CAST(1 AS BIGINT) << CAST(' ~ number ~ ' AS BIGINT)' ~ after ~ '))') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}
