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

{#- The same sum over the first k of n equal values, of which the worth by "place" tells: looked up among k sums. -#}
{% macro rm_sum_of_equal(n, k, worth) %}
{{ return(adapter.dispatch('rm_sum_of_equal', 'rankmetrics_sql')(n, k, worth)) }}
{% endmacro %}

{% macro default__rm_sum_of_equal(n, k, worth) %}
{{ return(none) }}
{% endmacro %}

{% macro duckdb__rm_sum_of_equal(n, k, worth) %}
{%- set sum -%}
LIST_TRANSFORM(
            RANGE(1, {{ k + 1 }}),
            LAMBDA n: LIST_SUM(LIST_TRANSFORM(RANGE(1, n + 1), LAMBDA place: {{ worth }}))
        )[LEAST({{ n }}, {{ k }})]
{%- endset -%}
{{ return(sum) }}
{% endmacro %}
