{% macro rm_is_nan(number) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine in ['duckdb', 'spark'] -%}
    {#- DuckDB orders NaN above every number and holds it equal to itself. -#}
    {{ return('ISNAN(' ~ number ~ ')') }}
{%- elif engine in ['postgres', 'redshift'] -%}
    {#- Here NaN equals itself, and is the greatest number of all. -#}
    {{ return(number ~ " = CAST('NaN' AS DOUBLE PRECISION)") }}
{%- elif engine == 'snowflake' -%}
    {{ return(number ~ " = CAST('NaN' AS DOUBLE)") }}
{%- elif engine == 'vertica' -%}
    {#- Every comparison with NaN is false here, by the manual. -#}
    {{ return('NOT (' ~ number ~ ' = ' ~ number ~ ')') }}
{%- endif -%}
{#- In IEEE arithmetic NaN is the one value that differs from itself. -#}
{{ return(number ~ ' <> ' ~ number) }}
{% endmacro %}
