{#- Text in the order of its bytes, where the default is the order of a language. -#}
{% macro rm_by_bytes(text) %}
{{ return(adapter.dispatch('rm_by_bytes', 'rankmetrics_sql')(text)) }}
{% endmacro %}

{% macro default__rm_by_bytes(text) %}
{{ return(text) }}
{% endmacro %}

{% macro postgres__rm_by_bytes(text) %}
{{ return(text ~ ' COLLATE "C"') }}
{% endmacro %}

{#- dbt falls back from Redshift to PostgreSQL; Redshift orders by bytes. -#}
{% macro redshift__rm_by_bytes(text) %}
{{ return(text) }}
{% endmacro %}
