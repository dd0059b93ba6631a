{#-
The members of a JSON object of the relation s: what joins them, the name, and the value as text, which is NULL for a
JSON null. list is the value for rm_records: Redshift has to parse it in a stage before, and in ClickHouse it is no
NULL.
-#}
{% macro rm_members(object) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- set name = 'u.name' -%}
{%- set value = 'u.value' -%}
{%- set list = none -%}
{%- if engine == 'duckdb' -%}
    {%- set members = 'MAP_ENTRIES(CAST(CAST(' ~ object ~ ' AS JSON) AS MAP(VARCHAR, JSON)))' -%}
    {%- set join = 'CROSS JOIN UNNEST(' ~ members ~ ') AS u (member)' -%}
    {%- set name = 'u.member.key' -%}
    {%- set value = "(u.member.value ->> '$')" -%}
{%- elif engine == 'postgres' -%}
    {%- set join = 'CROSS JOIN LATERAL JSONB_EACH_TEXT(CAST(' ~ object ~ ' AS JSONB)) AS u (name, value)' -%}
{%- elif engine == 'redshift' -%}
    {%- set join = ', UNPIVOT ' ~ object ~ ' AS member AT name' -%}
    {%- set name = 'name' -%}
    {%- set text = 'CAST(member AS VARCHAR(65535))' -%}
    {%- set value = 'CASE WHEN IS_VARCHAR(member) THEN ' ~ text ~ " ELSE NULLIF(JSON_SERIALIZE(member), 'null') END" -%}
    {%- set list = rankmetrics_sql.rm_parsed_json(value) -%}
{%- elif engine == 'snowflake' -%}
    {%- set join = 'CROSS JOIN LATERAL FLATTEN(INPUT => ' ~ object ~ ') AS u' -%}
    {%- set name = 'u.key' -%}
    {%- set value = 'u.value::VARCHAR' -%}
{%- elif engine == 'bigquery' -%}
    {#- A text has to be made JSON, and JSON stays what it is. A name with a dot comes in quotes. -#}
    {%- set json = 'TO_JSON(' ~ object ~ ')' -%}
    {%- set parsed = "PARSE_JSON(JSON_VALUE(" ~ json ~ "), wide_number_mode => 'round')" -%}
    {%- set json = 'COALESCE(' ~ parsed ~ ', ' ~ json ~ ')' -%}
    {%- set join = 'CROSS JOIN UNNEST(JSON_KEYS(' ~ json ~ ', 1)) AS name' -%}
    {%- set name = "TRIM(name, '\"')" -%}
    {%- set member = json ~ '[' ~ name ~ ']' -%}
    {%- set value = 'COALESCE(JSON_VALUE(' ~ member ~ '), NULLIF(TO_JSON_STRING(' ~ member ~ "), 'null'))" -%}
{%- elif engine == 'spark' -%}
    {%- set members = 'MAP_ENTRIES(FROM_JSON(' ~ object ~ ", 'MAP<STRING, STRING>'))" -%}
    {%- set join = 'LATERAL VIEW EXPLODE(' ~ members ~ ') u AS member' -%}
    {%- set name = 'u.member.key' -%}
    {%- set value = 'u.member.value' -%}
{%- elif engine == 'clickhouse' -%}
    {%- set join = 'ARRAY JOIN JSONExtractKeysAndValuesRaw(' ~ object ~ ') AS member' -%}
    {%- set name = 'member.1' -%}
    {%- set list = "if(JSONType(member.2) = 'String', JSONExtractString(member.2), member.2)" -%}
    {%- set value = "if(JSONType(member.2) = 'Null', NULL, " ~ list ~ ')' -%}
{%- elif engine == 'mysql' -%}
    {#- JSON_VALUE takes no path that is computed, and gives no list. -#}
    {%- set keys = 'JSON_TABLE(JSON_KEYS(' ~ object ~ "), '$[*]' COLUMNS (name VARCHAR(1000) PATH '$'))" -%}
    {%- set join = 'CROSS JOIN ' ~ keys ~ ' AS u' -%}
    {%- set member = 'JSON_EXTRACT(' ~ object ~ ", CONCAT('$.\"', u.name, '\"'))" -%}
    {%- set value = 'CASE WHEN JSON_TYPE(' ~ member ~ ") <> 'NULL' THEN JSON_UNQUOTE(" ~ member ~ ') END' -%}
{%- elif engine == 'sqlite' -%}
    {%- set join = 'CROSS JOIN JSON_EACH(' ~ object ~ ') AS u' -%}
    {%- set name = 'u.key' -%}
    {%- set value = 'CAST(u.value AS TEXT)' -%}
{%- else -%}
    {%- set join = 'CROSS JOIN UNNEST(CAST(JSON_PARSE(' ~ object ~ ') AS MAP(VARCHAR, JSON))) AS u (name, value)' -%}
    {%- set value = "COALESCE(JSON_EXTRACT_SCALAR(u.value, '$'), NULLIF(JSON_FORMAT(u.value), 'null'))" -%}
{%- endif -%}
{{ return({'join': join, 'name': name, 'value': value, 'list': list or value}) }}
{% endmacro %}

{#- A text that is JSON, as what the engine reads JSON from. -#}
{% macro rm_parsed_json(text) %}
{%- set function = {'snowflake': 'PARSE_JSON', 'redshift': 'JSON_PARSE'}.get(rankmetrics_sql.rm_engine()) -%}
{{ return(function ~ '(' ~ text ~ ')' if function else text) }}
{% endmacro %}

{#- The row of the relation s as a JSON object. -#}
{% macro rm_row_as_json() %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- set row = {
    'duckdb': 'TO_JSON(s)', 'postgres': 'TO_JSONB(s)', 'bigquery': 'TO_JSON(s)', 'snowflake': 'OBJECT_CONSTRUCT(s.*)',
    'spark': 'TO_JSON(STRUCT(s.*))',
} -%}
{%- if engine not in row -%}
    {%- do rankmetrics_sql.rm_raise(
        engine ~ ' makes no JSON of a row, which mapping=flat needs. Pass mapping=json, and for attributes SQL that'
        ~ ' makes a JSON object of the columns.'
    ) -%}
{%- endif -%}
{{ return(row[engine]) }}
{% endmacro %}
