{#-
The structures of a list column of the relation s: what joins them, the element, and how its fields are kept. The list
has structures ('struct'), or is JSON, as a type or as text ('json').
-#}
{% macro rm_records(list, mapping) %}
{%- if mapping not in ['struct', 'json'] -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: mapping is struct or json, not '
        ~ rankmetrics_sql.rm_written_value(mapping) ~ '.') }}
{%- endif -%}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- set is_struct = mapping == 'struct' -%}
{%- set join = none -%}
{%- set element = 'u.element' -%}
{%- if engine == 'duckdb' -%}
    {%- set elements = list if is_struct else 'CAST(CAST(' ~ list ~ ' AS JSON) AS JSON[])' -%}
    {%- set join = 'CROSS JOIN UNNEST(' ~ elements ~ ') AS u (element)' -%}
{%- elif engine == 'postgres' -%}
    {#- An array of structures would be unnested into their fields; what keeps products or items keeps them as JSON. -#}
    {%- set mapping = 'json' -%}
    {%- set join = 'CROSS JOIN LATERAL JSONB_ARRAY_ELEMENTS(CAST(' ~ list ~ ' AS JSONB)) AS u (element)' -%}
{%- elif engine == 'redshift' -%}
    {#- A structure is a SUPER here; text has to be made one before it can be unnested. -#}
    {%- set mapping = 'json' -%}
    {%- set element = 'element' -%}
{%- elif engine == 'snowflake' -%}
    {#- And a VARIANT here. -#}
    {%- set mapping = 'json' -%}
    {%- set element = 'u.value' -%}
    {%- set list = list if is_struct else 'PARSE_JSON(' ~ list ~ ')' -%}
{%- elif engine == 'bigquery' -%}
    {%- set element = 'element' -%}
    {%- set elements = list if is_struct else 'JSON_QUERY_ARRAY(' ~ list ~ ')' -%}
    {%- set join = 'CROSS JOIN UNNEST(' ~ elements ~ ') AS element' -%}
{%- elif engine == 'spark' -%}
    {%- set elements = list if is_struct else 'FROM_JSON(' ~ list ~ ", 'ARRAY<STRING>')" -%}
    {%- set join = 'LATERAL VIEW EXPLODE(' ~ elements ~ ') u AS element' -%}
{%- elif engine == 'trino' -%}
    {#- A row in an array would be unnested into its fields, so each is put into a row of its own. -#}
    {%- set elements = 'TRANSFORM(' ~ list ~ ', e -> ROW(e))' if is_struct
        else 'CAST(JSON_PARSE(' ~ list ~ ') AS ARRAY(JSON))' -%}
    {%- set join = 'CROSS JOIN UNNEST(' ~ elements ~ ') AS u (element)' -%}
{%- elif engine == 'clickhouse' -%}
    {%- set element = 'element' -%}
    {%- set elements = list if is_struct else 'JSONExtractArrayRaw(' ~ list ~ ')' -%}
    {%- set join = 'ARRAY JOIN ' ~ elements ~ ' AS element' -%}
{%- elif engine == 'mysql' -%}
    {%- set mapping = 'json' -%}
    {%- set elements = 'JSON_TABLE(' ~ list ~ ", '$[*]' COLUMNS (element JSON PATH '$'))" -%}
    {%- set join = 'CROSS JOIN ' ~ elements ~ ' AS u' -%}
{%- elif engine == 'sqlite' -%}
    {%- set mapping = 'json' -%}
    {%- set element = 'u.value' -%}
{%- endif -%}
{{ return({
    'join': join or rankmetrics_sql.rm_elements(list).join, 'element': element, 'mapping': mapping,
}) }}
{% endmacro %}

{#- A field of such an element; as text where it is JSON. -#}
{% macro rm_field(records, name) %}
{%- if records.mapping == 'struct' -%}{{ return(records.element ~ '.' ~ name) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_json_text(records.element, [name])) }}
{% endmacro %}
