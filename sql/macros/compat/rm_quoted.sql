{#- A name in quotes. -#}
{% macro rm_quoted(name) %}
{{ return(adapter.dispatch('rm_quoted', 'rankmetrics_sql')(name)) }}
{% endmacro %}

{% macro default__rm_quoted(name) %}
{{ return('"' ~ name | replace('"', '""') ~ '"') }}
{% endmacro %}

{% macro bigquery__rm_quoted(name) %}
{{ return('`' ~ name | replace('`', '``') ~ '`') }}
{% endmacro %}

{% macro spark__rm_quoted(name) %}
{{ return('`' ~ name | replace('`', '``') ~ '`') }}
{% endmacro %}

{% macro mysql__rm_quoted(name) %}
{{ return('`' ~ name | replace('`', '``') ~ '`') }}
{% endmacro %}
