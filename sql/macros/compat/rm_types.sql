{#- The types and functions whose spelling differs between engines. -#}

{% macro rm_double_type() %}
{{ return(adapter.dispatch('rm_double_type', 'rankmetrics_sql')()) }}
{% endmacro %}

{% macro default__rm_double_type() %}
{{ return('DOUBLE') }}
{% endmacro %}

{% macro postgres__rm_double_type() %}
{{ return('DOUBLE PRECISION') }}
{% endmacro %}

{% macro redshift__rm_double_type() %}
{{ return('DOUBLE PRECISION') }}
{% endmacro %}

{% macro vertica__rm_double_type() %}
{{ return('DOUBLE PRECISION') }}
{% endmacro %}

{% macro bigquery__rm_double_type() %}
{{ return('FLOAT64') }}
{% endmacro %}

{#- A bare Float64 takes no NULL here, and a row that a join does not find has 0. -#}
{% macro clickhouse__rm_double_type() %}
{{ return('Nullable(Float64)') }}
{% endmacro %}

{% macro rm_text_type() %}
{{ return(adapter.dispatch('rm_text_type', 'rankmetrics_sql')()) }}
{% endmacro %}

{% macro default__rm_text_type() %}
{{ return('VARCHAR') }}
{% endmacro %}

{% macro bigquery__rm_text_type() %}
{{ return('STRING') }}
{% endmacro %}

{% macro spark__rm_text_type() %}
{{ return('STRING') }}
{% endmacro %}

{% macro databricks__rm_text_type() %}
{{ return('STRING') }}
{% endmacro %}

{% macro clickhouse__rm_text_type() %}
{{ return('Nullable(String)') }}
{% endmacro %}

{% macro mysql__rm_text_type() %}
{{ return('CHAR') }}
{% endmacro %}

{#- A cast to a bare VARCHAR cuts texts off at 256 bytes here. -#}
{% macro redshift__rm_text_type() %}
{{ return('VARCHAR(65535)') }}
{% endmacro %}

{#- And at 80 bytes here. -#}
{% macro vertica__rm_text_type() %}
{{ return('VARCHAR(65000)') }}
{% endmacro %}

{% macro rm_integer_type() %}
{{ return(adapter.dispatch('rm_integer_type', 'rankmetrics_sql')()) }}
{% endmacro %}

{% macro default__rm_integer_type() %}
{{ return('INTEGER') }}
{% endmacro %}

{% macro bigquery__rm_integer_type() %}
{{ return('INT64') }}
{% endmacro %}

{% macro clickhouse__rm_integer_type() %}
{{ return('Nullable(Int64)') }}
{% endmacro %}

{% macro mysql__rm_integer_type() %}
{{ return('SIGNED') }}
{% endmacro %}

{#- Whole numbers up to 2 to the 63rd. -#}
{% macro rm_bigint_type() %}
{{ return(adapter.dispatch('rm_bigint_type', 'rankmetrics_sql')()) }}
{% endmacro %}

{% macro default__rm_bigint_type() %}
{{ return('BIGINT') }}
{% endmacro %}

{% macro bigquery__rm_bigint_type() %}
{{ return('INT64') }}
{% endmacro %}

{% macro clickhouse__rm_bigint_type() %}
{{ return('Nullable(Int64)') }}
{% endmacro %}

{% macro mysql__rm_bigint_type() %}
{{ return('SIGNED') }}
{% endmacro %}

{#- A column that is NULL in the rows that a join does not find. -#}
{% macro rm_nullable(column) %}
{{ return(adapter.dispatch('rm_nullable', 'rankmetrics_sql')(column)) }}
{% endmacro %}

{% macro default__rm_nullable(column) %}
{{ return(column) }}
{% endmacro %}

{#- Else it has an empty text there. -#}
{% macro clickhouse__rm_nullable(column) %}
{{ return('toNullable(' ~ column ~ ')') }}
{% endmacro %}

{#- Texts put together. -#}
{% macro rm_concatenated(texts) %}
{{ return(adapter.dispatch('rm_concatenated', 'rankmetrics_sql')(texts)) }}
{% endmacro %}

{% macro default__rm_concatenated(texts) %}
{{ return(texts | join(' || ')) }}
{% endmacro %}

{#- Where || is OR. -#}
{% macro mysql__rm_concatenated(texts) %}
{{ return('CONCAT(' ~ texts | join(', ') ~ ')') }}
{% endmacro %}
