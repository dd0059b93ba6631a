{#-
Whether no two rows of a group have the same whole number of at least 1. A DISTINCT takes several times as long as all
that a metric adds up, so numbers up to 62 are bits of one number where the engine can count them.
-#}
{% macro rm_all_differ(number) %}
{{ return(adapter.dispatch('rm_all_differ', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{% macro default__rm_all_differ(number) %}
{{ return('COUNT(' ~ number ~ ') = COUNT(DISTINCT ' ~ number ~ ')') }}
{% endmacro %}

{% macro duckdb__rm_all_differ(number) %}
{%- set bit = 'CASE WHEN ' ~ number ~ ' <= 62 THEN CAST(1 AS BIGINT) << CAST(' ~ number ~ ' AS BIGINT) END' -%}
{%- set low = 'COALESCE(BIT_COUNT(BIT_OR(' ~ bit ~ ')), 0)' -%}
{%- set high = 'COUNT(DISTINCT CASE WHEN ' ~ number ~ ' > 62 THEN ' ~ number ~ ' END)' -%}
{{ return('COUNT(' ~ number ~ ') = ' ~ low ~ ' + ' ~ high) }}
{% endmacro %}
