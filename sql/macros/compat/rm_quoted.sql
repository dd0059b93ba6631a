{#- A name in quotes. -#}
{% macro rm_quoted(name) %}
{%- if rankmetrics_sql.rm_engine() in ['bigquery', 'spark', 'mysql'] -%}
    {{ return('`' ~ name | replace('`', '``') ~ '`') }}
{%- endif -%}
{{ return('"' ~ name | replace('"', '""') ~ '"') }}
{% endmacro %}
