{#-
The family of engines that a statement is for: what differs between engines asks for it, one branch for each way to say
a thing. A project whose adapter is of a family needs this one macro: a starrocks__rm_engine that returns 'mysql'.
-#}
{% macro rm_engine() %}
{{ return(adapter.dispatch('rm_engine', 'rankmetrics_sql')()) }}
{% endmacro %}

{#- An engine without a branch anywhere gets standard SQL. -#}
{% macro default__rm_engine() %}
{{ return('standard') }}
{% endmacro %}

{% macro duckdb__rm_engine() %}
{{ return('duckdb') }}
{% endmacro %}

{% macro postgres__rm_engine() %}
{{ return('postgres') }}
{% endmacro %}

{% macro redshift__rm_engine() %}
{{ return('redshift') }}
{% endmacro %}

{% macro snowflake__rm_engine() %}
{{ return('snowflake') }}
{% endmacro %}

{% macro bigquery__rm_engine() %}
{{ return('bigquery') }}
{% endmacro %}

{% macro spark__rm_engine() %}
{{ return('spark') }}
{% endmacro %}

{% macro databricks__rm_engine() %}
{{ return('spark') }}
{% endmacro %}

{% macro trino__rm_engine() %}
{{ return('trino') }}
{% endmacro %}

{% macro athena__rm_engine() %}
{{ return('trino') }}
{% endmacro %}

{% macro clickhouse__rm_engine() %}
{{ return('clickhouse') }}
{% endmacro %}

{% macro mysql__rm_engine() %}
{{ return('mysql') }}
{% endmacro %}

{% macro sqlite__rm_engine() %}
{{ return('sqlite') }}
{% endmacro %}

{% macro vertica__rm_engine() %}
{{ return('vertica') }}
{% endmacro %}

{% macro datafusion__rm_engine() %}
{{ return('datafusion') }}
{% endmacro %}
