{#-
How many different whole numbers of at least 1 a group has, those up to 62 as the bits of one number. None where the
engine cannot count bits: a DISTINCT, which takes several times as long as all that a metric adds up, is what is left.
-#}
{% macro rm_distinct_by_bits(number) %}
{{ return(adapter.dispatch('rm_distinct_by_bits', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{% macro default__rm_distinct_by_bits(number) %}
{{ return(none) }}
{% endmacro %}

{% macro duckdb__rm_distinct_by_bits(number) %}
{%- set low = rankmetrics_sql.rm_number_of_bits(number, 'CASE WHEN ' ~ number ~ ' <= 62 THEN ', ' END') -%}
{{ return('COALESCE(' ~ low ~ ', 0) + COUNT(DISTINCT CASE WHEN ' ~ number ~ ' > 62 THEN ' ~ number ~ ' END)') }}
{% endmacro %}
