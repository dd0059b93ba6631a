{#-
The sum over the k greatest values of a group, each worth what an expression of its "gain" and "place" says. None where
the engine would sort for it.
-#}
{% macro rm_sum_of_greatest(value, k, worth) %}
{{ return(adapter.dispatch('rm_sum_of_greatest', 'rankmetrics_sql')(value, k, worth)) }}
{% endmacro %}

{% macro default__rm_sum_of_greatest(value, k, worth) %}
{{ return(none) }}
{% endmacro %}

{% macro duckdb__rm_sum_of_greatest(value, k, worth) %}
{%- set sum -%}
LIST_SUM(LIST_TRANSFORM(
            MAX({{ value }}, {{ k }}),
            LAMBDA gain, place: {{ worth }}
        ))
{%- endset -%}
{{ return(sum) }}
{% endmacro %}
