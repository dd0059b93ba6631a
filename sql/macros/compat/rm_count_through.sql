{#- How many rows of a partition are not after a row, its equals counted; key is what they are ordered by. -#}
{% macro rm_count_through(partition, key) %}
{{ return(adapter.dispatch('rm_count_through', 'rankmetrics_sql')(partition, key)) }}
{% endmacro %}

{% macro default__rm_count_through(partition, key, frame=' RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW') %}
{%- set order = key.name ~ rankmetrics_sql.rm_direction(key) -%}
{{ return('COUNT(*) OVER (PARTITION BY ' ~ partition ~ ' ORDER BY ' ~ order ~ frame ~ ')') }}
{% endmacro %}

{#- PostgreSQL has that frame anyhow, and counts along with RANK where both windows read the same. -#}
{% macro postgres__rm_count_through(partition, key) %}
{{ return(rankmetrics_sql.default__rm_count_through(partition, key, '')) }}
{% endmacro %}

{#- Redshift has no RANGE: all rows without those that come before in the opposite order. -#}
{% macro redshift__rm_count_through(partition, key) %}
{%- set opposite = key.name ~ rankmetrics_sql.rm_direction({'descending': not key.descending}) -%}
{%- set below = 'RANK() OVER (PARTITION BY ' ~ partition ~ ' ORDER BY ' ~ opposite ~ ')' -%}
{{ return('COUNT(*) OVER (PARTITION BY ' ~ partition ~ ') + 1 - ' ~ below) }}
{% endmacro %}
