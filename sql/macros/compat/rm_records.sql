{#-
The structures of a list column of the relation s: what joins them, the element, and how its fields are kept. The list
has structures ('struct'), or is JSON, as a type or as text ('json'). placed asks for the place of each, too, from 1.
-#}
{% macro rm_records(list, mapping, placed=false) %}
{%- if mapping not in ['struct', 'json'] -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: mapping is struct or json, not '
        ~ rankmetrics_sql.rm_written_value(mapping) ~ '.') }}
{%- endif -%}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- set is_struct = mapping == 'struct' -%}
{%- set join = none -%}
{%- set element = 'u.element' -%}
{%- set place = rankmetrics_sql.rm_elements(list).place -%}
{%- if engine == 'duckdb' -%}
    {%- set elements = list if is_struct else 'CAST(CAST(' ~ list ~ ' AS JSON) AS JSON[])' -%}
    {%- set join = 'CROSS JOIN UNNEST(' ~ elements ~ ') AS u (element)' -%}
    {%- if placed -%}
        {#- WITH ORDINALITY would join the lists with themselves. -#}
        {%- set numbered = 'LIST_ZIP(' ~ elements ~ ', RANGE(1, LEN(' ~ elements ~ ') + 1))' -%}
        {%- set join = 'CROSS JOIN UNNEST(' ~ numbered ~ ') AS u (pair)' -%}
        {%- set element = 'u.pair[1]' -%}
        {%- set place = 'u.pair[2]' -%}
    {%- endif -%}
{%- elif engine == 'postgres' -%}
    {#- An array of structures would be unnested into their fields; what keeps products or items keeps them as JSON. -#}
    {%- set mapping = 'json' -%}
    {%- set elements = 'JSONB_ARRAY_ELEMENTS(CAST(' ~ list ~ ' AS JSONB))' -%}
    {%- set numbered = ' WITH ORDINALITY AS u (element, place)' if placed else ' AS u (element)' -%}
    {%- set join = 'CROSS JOIN LATERAL ' ~ elements ~ numbered -%}
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
    {%- set numbered = ' WITH OFFSET AS place' if placed else '' -%}
    {%- set join = 'CROSS JOIN UNNEST(' ~ elements ~ ') AS element' ~ numbered -%}
{%- elif engine == 'spark' -%}
    {%- set elements = list if is_struct else 'FROM_JSON(' ~ list ~ ", 'ARRAY<STRING>')" -%}
    {%- set exploded = 'POSEXPLODE' if placed else 'EXPLODE' -%}
    {%- set join = 'LATERAL VIEW ' ~ exploded ~ '(' ~ elements ~ ') u AS ' ~ ('place, ' if placed) ~ 'element' -%}
{%- elif engine == 'trino' -%}
    {#- A row in an array would be unnested into its fields, so each is put into a row of its own. -#}
    {%- set elements = 'TRANSFORM(' ~ list ~ ', e -> ROW(e))' if is_struct
        else 'CAST(JSON_PARSE(' ~ list ~ ') AS ARRAY(JSON))' -%}
    {%- set numbered = ' WITH ORDINALITY AS u (element, place)' if placed else ' AS u (element)' -%}
    {%- set join = 'CROSS JOIN UNNEST(' ~ elements ~ ')' ~ numbered -%}
{%- elif engine == 'clickhouse' -%}
    {%- set element = 'element' -%}
    {%- set elements = list if is_struct else 'JSONExtractArrayRaw(' ~ list ~ ')' -%}
    {%- set numbered = ', arrayEnumerate(' ~ elements ~ ') AS place' if placed else '' -%}
    {%- set join = 'ARRAY JOIN ' ~ elements ~ ' AS element' ~ numbered -%}
{%- elif engine == 'mysql' -%}
    {%- set mapping = 'json' -%}
    {%- set numbered = ', place FOR ORDINALITY' if placed else '' -%}
    {%- set elements = 'JSON_TABLE(' ~ list ~ ", '$[*]' COLUMNS (element JSON PATH '$'" ~ numbered ~ '))' -%}
    {%- set join = 'CROSS JOIN ' ~ elements ~ ' AS u' -%}
{%- elif engine == 'sqlite' -%}
    {%- set mapping = 'json' -%}
    {%- set element = 'u.value' -%}
{%- endif -%}
{{ return({
    'join': join or rankmetrics_sql.rm_elements(list).join, 'element': element, 'place': place,
    'mapping': mapping,
}) }}
{% endmacro %}

{#- A field of such an element, or the field at a path of names; as text where it is JSON. -#}
{% macro rm_field(records, path) %}
{%- set names = rankmetrics_sql.rm_as_list(path) -%}
{%- if records.mapping == 'struct' -%}{{ return(records.element ~ '.' ~ names | join('.')) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_json_text(records.element, names)) }}
{% endmacro %}
