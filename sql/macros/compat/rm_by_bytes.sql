{#- Text in the order of its bytes, where the default is the order of a language. -#}
{% macro rm_by_bytes(text) %}
{%- if rankmetrics_sql.rm_engine() == 'postgres' -%}
    {{ return(text ~ ' COLLATE "C"') }}
{%- endif -%}
{{ return(text) }}
{% endmacro %}
