{#-
The structures of a list column of the relation s: what joins them, the element, and how its fields are kept. The list
has structures ('struct'), or is JSON, as a type or as text ('json').
-#}
{% macro rm_records(list, mapping) %}
{%- if mapping not in ['struct', 'json'] -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: mapping is struct or json, not '
        ~ rankmetrics_sql.rm_written_value(mapping) ~ '.') }}
{%- endif -%}
{{ return(adapter.dispatch('rm_records', 'rankmetrics_sql')(list, mapping)) }}
{% endmacro %}

{#- A field of such an element; as text where it is JSON. -#}
{% macro rm_field(records, name) %}
{%- if records.mapping == 'struct' -%}{{ return(records.element ~ '.' ~ name) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_json_text(records.element, [name])) }}
{% endmacro %}

{% macro default__rm_records(list, mapping) %}
{%- set found = rankmetrics_sql.rm_elements(list) -%}
{{ return({'join': found.join, 'element': found.element, 'mapping': mapping}) }}
{% endmacro %}

{% macro duckdb__rm_records(list, mapping) %}
{%- set elements = list if mapping == 'struct' else 'CAST(CAST(' ~ list ~ ' AS JSON) AS JSON[])' -%}
{{ return({'join': 'CROSS JOIN UNNEST(' ~ elements ~ ') AS u (element)', 'element': 'u.element', 'mapping': mapping}) }}
{% endmacro %}

{#- An array of structures would be unnested into their fields; what keeps products or items keeps them as JSON. -#}
{% macro postgres__rm_records(list, mapping) %}
{%- set elements = 'JSONB_ARRAY_ELEMENTS(CAST(' ~ list ~ ' AS JSONB))' -%}
{{ return({'join': 'CROSS JOIN LATERAL ' ~ elements ~ ' AS u (element)', 'element': 'u.element', 'mapping': 'json'}) }}
{% endmacro %}

{% macro bigquery__rm_records(list, mapping) %}
{%- set elements = list if mapping == 'struct' else 'JSON_QUERY_ARRAY(' ~ list ~ ')' -%}
{{ return({'join': 'CROSS JOIN UNNEST(' ~ elements ~ ') AS element', 'element': 'element', 'mapping': mapping}) }}
{% endmacro %}

{% macro spark__rm_records(list, mapping) %}
{%- set elements = list if mapping == 'struct' else 'FROM_JSON(' ~ list ~ ", 'ARRAY<STRING>')" -%}
{{ return({
    'join': 'LATERAL VIEW EXPLODE(' ~ elements ~ ') u AS element', 'element': 'u.element', 'mapping': mapping,
}) }}
{% endmacro %}

{% macro clickhouse__rm_records(list, mapping) %}
{%- set elements = list if mapping == 'struct' else 'JSONExtractArrayRaw(' ~ list ~ ')' -%}
{{ return({'join': 'ARRAY JOIN ' ~ elements ~ ' AS element', 'element': 'element', 'mapping': mapping}) }}
{% endmacro %}

{#- A row in an array would be unnested into its fields, so each is put into a row of its own. -#}
{% macro trino__rm_records(list, mapping) %}
{%- set elements = 'TRANSFORM(' ~ list ~ ', e -> ROW(e))' if mapping == 'struct'
    else 'CAST(JSON_PARSE(' ~ list ~ ') AS ARRAY(JSON))' -%}
{{ return({'join': 'CROSS JOIN UNNEST(' ~ elements ~ ') AS u (element)', 'element': 'u.element', 'mapping': mapping}) }}
{% endmacro %}

{#- A structure is a VARIANT here. -#}
{% macro snowflake__rm_records(list, mapping) %}
{%- set found = rankmetrics_sql.rm_elements(list if mapping == 'struct' else 'PARSE_JSON(' ~ list ~ ')') -%}
{{ return({'join': found.join, 'element': 'u.value', 'mapping': 'json'}) }}
{% endmacro %}

{#- And a SUPER here; text has to be made one before it can be unnested. -#}
{% macro redshift__rm_records(list, mapping) %}
{%- set found = rankmetrics_sql.rm_elements(list) -%}
{{ return({'join': found.join, 'element': 'element', 'mapping': 'json'}) }}
{% endmacro %}

{#- And JSON in these. -#}
{% macro sqlite__rm_records(list, mapping) %}
{%- set found = rankmetrics_sql.rm_elements(list) -%}
{{ return({'join': found.join, 'element': found.element, 'mapping': 'json'}) }}
{% endmacro %}

{% macro mysql__rm_records(list, mapping) %}
{%- set elements = 'JSON_TABLE(' ~ list ~ ", '$[*]' COLUMNS (element JSON PATH '$'))" -%}
{{ return({'join': 'CROSS JOIN ' ~ elements ~ ' AS u', 'element': 'u.element', 'mapping': 'json'}) }}
{% endmacro %}
