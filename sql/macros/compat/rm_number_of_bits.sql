{#-
How many different numbers from 0 to 62 a group has, as the bits of one number, with text before and after each bit.
None where the engine cannot count bits.
-#}
{% macro rm_number_of_bits(number, before='', after='') %}
{{ return(adapter.dispatch('rm_number_of_bits', 'rankmetrics_sql')(number, before, after)) }}
{% endmacro %}

{% macro default__rm_number_of_bits(number, before, after) %}
{{ return(none) }}
{% endmacro %}

{% macro duckdb__rm_number_of_bits(number, before, after) %}
{{ return('BIT_COUNT(BIT_OR(' ~ before ~ 'CAST(1 AS BIGINT) << CAST(' ~ number ~ ' AS BIGINT)' ~ after ~ '))') }}
{% endmacro %}
