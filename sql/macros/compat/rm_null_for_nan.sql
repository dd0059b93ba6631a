{#- A number, or NULL where it is NaN, so that both are ordered alike; the number itself where no double is NaN. -#}
{% macro rm_null_for_nan(number) %}
{{ return(adapter.dispatch('rm_null_for_nan', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{% macro default__rm_null_for_nan(number) %}
{{ return(number) }}
{% endmacro %}

{#- NaN equals itself here. -#}
{% macro duckdb__rm_null_for_nan(number) %}
{{ return('NULLIF(' ~ number ~ ", CAST('NaN' AS DOUBLE))") }}
{% endmacro %}

{% macro snowflake__rm_null_for_nan(number) %}
{{ return(rankmetrics_sql.duckdb__rm_null_for_nan(number)) }}
{% endmacro %}

{% macro spark__rm_null_for_nan(number) %}
{{ return(rankmetrics_sql.duckdb__rm_null_for_nan(number)) }}
{% endmacro %}

{% macro postgres__rm_null_for_nan(number) %}
{{ return('NULLIF(' ~ number ~ ", CAST('NaN' AS DOUBLE PRECISION))") }}
{% endmacro %}

{#- And here nothing equals it. -#}
{% macro bigquery__rm_null_for_nan(number) %}
{{ return('CASE WHEN ' ~ number ~ ' = ' ~ number ~ ' THEN ' ~ number ~ ' END') }}
{% endmacro %}

{% macro trino__rm_null_for_nan(number) %}
{{ return(rankmetrics_sql.bigquery__rm_null_for_nan(number)) }}
{% endmacro %}

{% macro athena__rm_null_for_nan(number) %}
{{ return(rankmetrics_sql.bigquery__rm_null_for_nan(number)) }}
{% endmacro %}

{% macro clickhouse__rm_null_for_nan(number) %}
{{ return(rankmetrics_sql.bigquery__rm_null_for_nan(number)) }}
{% endmacro %}

{% macro vertica__rm_null_for_nan(number) %}
{{ return(rankmetrics_sql.bigquery__rm_null_for_nan(number)) }}
{% endmacro %}
