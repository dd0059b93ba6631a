{#-
The sum over the k greatest values of a group, each worth what an expression of its "gain" and "place" says. None where
the engine would sort for it.
-#}
{% macro rm_sum_of_greatest(value, k, worth) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {%- set sum -%}
LIST_SUM(LIST_TRANSFORM(
            MAX({{ value }}, {{ k }}),
            LAMBDA gain, place: {{ worth }}
        ))
    {%- endset -%}
    {{ return(sum) }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}

{#- The same sum over the first k of n equal values, of which the worth by "place" tells: looked up among k sums. -#}
{% macro rm_sum_of_equal(n, k, worth) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {%- set sum -%}
LIST_TRANSFORM(
            RANGE(1, {{ k + 1 }}),
            LAMBDA n: LIST_SUM(LIST_TRANSFORM(RANGE(1, n + 1), LAMBDA place: {{ worth }}))
        )[LEAST({{ n }}, {{ k }})]
    {%- endset -%}
    {{ return(sum) }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}
