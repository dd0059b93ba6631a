{#- How many rows of a partition are not after a row, its equals counted; keys are what they are ordered by. -#}
{% macro rm_count_through(partition, keys) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'redshift' -%}
    {#- Redshift has no RANGE: all rows without those that come before in the opposite order. -#}
    {%- set opposite = [] -%}
    {%- for key in keys -%}
        {%- do opposite.append(key.name ~ rankmetrics_sql.rm_direction({'descending': not key.descending})) -%}
    {%- endfor -%}
    {%- set below = 'RANK() OVER (PARTITION BY ' ~ partition ~ ' ORDER BY ' ~ opposite | join(', ') ~ ')' -%}
    {{ return('COUNT(*) OVER (PARTITION BY ' ~ partition ~ ') + 1 - ' ~ below) }}
{%- endif -%}
{#- PostgreSQL has that frame anyhow, and counts along with RANK where both windows read the same. -#}
{%- set frame = '' if engine == 'postgres' else ' RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set order = rankmetrics_sql.rm_sorted_by(keys) -%}
{{ return('COUNT(*) OVER (PARTITION BY ' ~ partition ~ ' ORDER BY ' ~ order ~ frame ~ ')') }}
{% endmacro %}
