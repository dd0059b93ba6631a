{#-
The elements of a list column of the relation s: what joins them, if anything, the element and its place from 1, for a
select list. As text where the list is JSON.
-#}
{% macro rm_elements(list) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {#- In the select list: WITH ORDINALITY would join the lists with themselves, and take 15 times as long. -#}
    {{ return({
        'join': none,
        'element': 'UNNEST(' ~ list ~ ')',
        'place': 'GENERATE_SUBSCRIPTS(' ~ list ~ ', 1)',
    }) }}
{%- elif engine == 'redshift' -%}
    {#- A list is a SUPER, whose elements are counted from 0. -#}
    {{ return({
        'join': 'CROSS JOIN ' ~ list ~ ' AS element AT place',
        'element': 'CAST(element AS VARCHAR(65535))',
        'place': 'place + 1',
    }) }}
{%- elif engine == 'snowflake' -%}
    {#- Counted from 0; a JSON null is no SQL NULL until it is text. -#}
    {{ return({
        'join': 'CROSS JOIN LATERAL FLATTEN(INPUT => ' ~ list ~ ') AS u',
        'element': 'u.value::VARCHAR',
        'place': 'u.index + 1',
    }) }}
{%- elif engine == 'bigquery' -%}
    {#- Counted from 0. -#}
    {{ return({
        'join': 'CROSS JOIN UNNEST(' ~ list ~ ') AS element WITH OFFSET AS place',
        'element': 'element',
        'place': 'place + 1',
    }) }}
{%- elif engine == 'spark' -%}
    {#- Counted from 0. -#}
    {{ return({
        'join': 'LATERAL VIEW POSEXPLODE(' ~ list ~ ') u AS place, element',
        'element': 'u.element',
        'place': 'u.place + 1',
    }) }}
{%- elif engine == 'clickhouse' -%}
    {{ return({
        'join': 'ARRAY JOIN ' ~ list ~ ' AS element, arrayEnumerate(' ~ list ~ ') AS place',
        'element': 'element',
        'place': 'place',
    }) }}
{%- elif engine == 'mysql' -%}
    {#- A list is JSON. -#}
    {%- set columns = "element VARCHAR(1000) PATH '$', place FOR ORDINALITY" -%}
    {{ return({
        'join': 'CROSS JOIN JSON_TABLE(' ~ list ~ ", '$[*]' COLUMNS (" ~ columns ~ ')) AS u',
        'element': 'u.element',
        'place': 'u.place',
    }) }}
{%- elif engine == 'sqlite' -%}
    {#- A list is JSON, whose elements are counted from 0. -#}
    {{ return({
        'join': 'CROSS JOIN JSON_EACH(' ~ list ~ ') AS u',
        'element': 'u.value',
        'place': 'u.key + 1',
    }) }}
{%- endif -%}
{{ return({
    'join': 'CROSS JOIN UNNEST(' ~ list ~ ') WITH ORDINALITY AS u (element, place)',
    'element': 'u.element',
    'place': 'u.place',
}) }}
{% endmacro %}

{#-
Where an engine looks faster for an element in its list than it groups rows: the place of the first that is equal, for
the select list of the elements, the length of a list, and the longest of which that holds. None elsewhere.
-#}
{% macro rm_first_elements(list) %}
{%- if rankmetrics_sql.rm_engine() == 'duckdb' -%}
    {#- Lists of 20 take a tenth of the time, those of 100 half, those of 1,000 three times as long. -#}
    {{ return({
        'first_place': 'LIST_POSITION(' ~ list ~ ', UNNEST(' ~ list ~ '))',
        'length': 'LEN(' ~ list ~ ')',
        'longest': 100,
    }) }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}

{#- Whether a list has no element; unknown where there is no list. -#}
{% macro rm_is_empty(list) %}
{%- set engine = rankmetrics_sql.rm_engine() -%}
{%- if engine == 'duckdb' -%}
    {{ return('LEN(' ~ list ~ ') = 0') }}
{%- elif engine == 'redshift' -%}
    {{ return('GET_ARRAY_LENGTH(' ~ list ~ ') = 0') }}
{%- elif engine == 'snowflake' -%}
    {{ return('ARRAY_SIZE(' ~ list ~ ') = 0') }}
{%- elif engine == 'bigquery' -%}
    {{ return('ARRAY_LENGTH(' ~ list ~ ') = 0') }}
{%- elif engine == 'spark' -%}
    {#- SIZE of NULL is -1 in old settings. -#}
    {{ return('SIZE(' ~ list ~ ') = 0') }}
{%- elif engine == 'clickhouse' -%}
    {{ return('empty(' ~ list ~ ')') }}
{%- elif engine == 'mysql' -%}
    {{ return('JSON_LENGTH(' ~ list ~ ') = 0') }}
{%- elif engine == 'sqlite' -%}
    {{ return('JSON_ARRAY_LENGTH(' ~ list ~ ') = 0') }}
{%- endif -%}
{{ return('CARDINALITY(' ~ list ~ ') = 0') }}
{% endmacro %}
