{#- A number rounded to 32 bits, as trec_eval 9 reads scores. -#}
{% macro rm_as_float32(number) %}
{{ return(adapter.dispatch('rm_as_float32', 'rankmetrics_sql')(number)) }}
{% endmacro %}

{% macro default__rm_as_float32(number) %}
{{ return('CAST(' ~ number ~ ' AS REAL)') }}
{% endmacro %}

{% macro spark__rm_as_float32(number) %}
{{ return('CAST(' ~ number ~ ' AS FLOAT)') }}
{% endmacro %}

{% macro databricks__rm_as_float32(number) %}
{{ return('CAST(' ~ number ~ ' AS FLOAT)') }}
{% endmacro %}

{% macro clickhouse__rm_as_float32(number) %}
{{ return('CAST(' ~ number ~ ' AS Nullable(Float32))') }}
{% endmacro %}

{#- These have no floats but those of 64 bits. -#}
{% macro bigquery__rm_as_float32(number) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: score_type=float32: BigQuery has no 32-bit floats.') }}
{% endmacro %}

{% macro snowflake__rm_as_float32(number) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: score_type=float32: Snowflake has no 32-bit floats.') }}
{% endmacro %}

{% macro sqlite__rm_as_float32(number) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: score_type=float32: SQLite has no 32-bit floats.') }}
{% endmacro %}

{% macro vertica__rm_as_float32(number) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: score_type=float32: Vertica has no 32-bit floats.') }}
{% endmacro %}
