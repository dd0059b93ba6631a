{% macro rm_is_nan(number) %}
{{ return(adapter.dispatch('rm_is_nan', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{#- In IEEE arithmetic NaN is the one value that differs from itself. -#}
{% macro default__rm_is_nan(number) %}
{{ return(number ~ ' <> ' ~ number) }}
{% endmacro %}

{#- DuckDB orders NaN above every number and holds it equal to itself. -#}
{% macro duckdb__rm_is_nan(number) %}
{{ return('ISNAN(' ~ number ~ ')') }}
{% endmacro %}

{#- Here NaN equals itself, and is the greatest number of all. -#}
{% macro postgres__rm_is_nan(number) %}
{{ return(number ~ " = CAST('NaN' AS DOUBLE PRECISION)") }}
{% endmacro %}

{% macro snowflake__rm_is_nan(number) %}
{{ return(number ~ " = CAST('NaN' AS DOUBLE)") }}
{% endmacro %}

{% macro spark__rm_is_nan(number) %}
{{ return('ISNAN(' ~ number ~ ')') }}
{% endmacro %}

{#- Every comparison with NaN is false here, by the manual. -#}
{% macro vertica__rm_is_nan(number) %}
{{ return('NOT (' ~ number ~ ' = ' ~ number ~ ')') }}
{% endmacro %}
