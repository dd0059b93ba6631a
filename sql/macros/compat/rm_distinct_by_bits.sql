{#-
How many different whole numbers of at least 1 a group has, those up to 62 as the bits of one number and the few beyond
as a list: for a DISTINCT, all rows would be grouped once more. None where the engine cannot count bits.
-#}
{% macro rm_distinct_by_bits(number) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {%- set low = rankmetrics_sql.rm_number_of_bits(number, 'CASE WHEN ' ~ number ~ ' <= 62 THEN ', ' END') -%}
    {%- set high = 'LIST(' ~ number ~ ') FILTER (WHERE ' ~ number ~ ' > 62)' -%}
    {{ return('COALESCE(' ~ low ~ ', 0) + COALESCE(LEN(LIST_DISTINCT(' ~ high ~ ')), 0)') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}
