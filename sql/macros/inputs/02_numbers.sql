{#- Ten digits, and the whole numbers from 1 to 100,000 out of them: no engine lacks a cross join. -#}

{% macro rm_digits(plan) %}
{%- set digits = [] -%}
{%- for digit in range(10) -%}{%- do digits.append('SELECT ' ~ digit ~ ' AS digit') -%}{%- endfor -%}
{{ return([rankmetrics_sql.rm_cte(plan.stages.digits, digits | join('\n    UNION ALL '), 'the ten digits')]) }}
{% endmacro %}

{% macro rm_numbers(plan) %}
{%- set numbers %}
    SELECT 1 + a.digit + 10 * b.digit + 100 * c.digit + 1000 * d.digit + 10000 * e.digit AS list_position
    FROM {{ plan.stages.digits }} AS a
    CROSS JOIN {{ plan.stages.digits }} AS b
    CROSS JOIN {{ plan.stages.digits }} AS c
    CROSS JOIN {{ plan.stages.digits }} AS d
    CROSS JOIN {{ plan.stages.digits }} AS e
{%- endset -%}
{{ return(rankmetrics_sql.rm_digits(plan) + [rankmetrics_sql.rm_cte(
    plan.stages.numbers, numbers,
    'the whole numbers from 1 to 100,000'
)]) }}
{% endmacro %}
