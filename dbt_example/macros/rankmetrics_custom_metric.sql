{#- A metric of our own, beside those of the package: 1 where a favourite (grade 2) stands among the first k. -#}
{% macro default__rankmetrics_custom_metric(name, k) %}
{%- if name == 'favourite' and k is not none -%}
    {{ return('MAX(CASE WHEN relevance >= 2 AND rnk <= ' ~ k ~ ' THEN 1 ELSE 0 END)') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}
