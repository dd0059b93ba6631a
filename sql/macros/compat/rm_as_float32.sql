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

{#- The name of an engine that has no floats but those of 64 bits; none of others. -#}
{% macro rm_engine_without_float32() %}
{{ return(adapter.dispatch('rm_engine_without_float32', 'rankmetrics_sql')()) }}
{% endmacro %}

{% macro default__rm_engine_without_float32() %}
{{ return(none) }}
{% endmacro %}

{% macro bigquery__rm_engine_without_float32() %}
{{ return('BigQuery') }}
{% endmacro %}

{% macro snowflake__rm_engine_without_float32() %}
{{ return('Snowflake') }}
{% endmacro %}

{% macro sqlite__rm_engine_without_float32() %}
{{ return('SQLite') }}
{% endmacro %}

{% macro vertica__rm_engine_without_float32() %}
{{ return('Vertica') }}
{% endmacro %}
