{#-
The elements of a list column of the relation s: what joins them, if anything, the element and its place from 1, for a
select list. As text where the list is JSON.
-#}
{% macro rm_elements(list) %}
{{ return(adapter.dispatch('rm_elements', 'rankmetrics_sql')(list)) }}
{% endmacro %}

{% macro default__rm_elements(list) %}
{{ return({
    'join': 'CROSS JOIN UNNEST(' ~ list ~ ') WITH ORDINALITY AS u (element, place)',
    'element': 'u.element',
    'place': 'u.place',
}) }}
{% endmacro %}

{#- In the select list: WITH ORDINALITY would join the lists with themselves, and take 15 times as long. -#}
{% macro duckdb__rm_elements(list) %}
{{ return({
    'join': none,
    'element': 'UNNEST(' ~ list ~ ')',
    'place': 'GENERATE_SUBSCRIPTS(' ~ list ~ ', 1)',
}) }}
{% endmacro %}

{#- Counted from 0. -#}
{% macro bigquery__rm_elements(list) %}
{{ return({
    'join': 'CROSS JOIN UNNEST(' ~ list ~ ') AS element WITH OFFSET AS place',
    'element': 'element',
    'place': 'place + 1',
}) }}
{% endmacro %}

{#- Counted from 0. -#}
{% macro spark__rm_elements(list) %}
{{ return({
    'join': 'LATERAL VIEW POSEXPLODE(' ~ list ~ ') u AS place, element',
    'element': 'u.element',
    'place': 'u.place + 1',
}) }}
{% endmacro %}

{% macro clickhouse__rm_elements(list) %}
{{ return({
    'join': 'ARRAY JOIN ' ~ list ~ ' AS element, arrayEnumerate(' ~ list ~ ') AS place',
    'element': 'element',
    'place': 'place',
}) }}
{% endmacro %}

{#- Counted from 0; a JSON null is no SQL NULL until it is text. -#}
{% macro snowflake__rm_elements(list) %}
{{ return({
    'join': 'CROSS JOIN LATERAL FLATTEN(INPUT => ' ~ list ~ ') AS u',
    'element': 'u.value::VARCHAR',
    'place': 'u.index + 1',
}) }}
{% endmacro %}

{#- A list is a SUPER, whose elements are counted from 0. -#}
{% macro redshift__rm_elements(list) %}
{{ return({
    'join': 'CROSS JOIN ' ~ list ~ ' AS element AT place',
    'element': 'CAST(element AS VARCHAR(65535))',
    'place': 'place + 1',
}) }}
{% endmacro %}

{#- A list is JSON, whose elements are counted from 0. -#}
{% macro sqlite__rm_elements(list) %}
{{ return({
    'join': 'CROSS JOIN JSON_EACH(' ~ list ~ ') AS u',
    'element': 'u.value',
    'place': 'u.key + 1',
}) }}
{% endmacro %}

{#- A list is JSON. -#}
{% macro mysql__rm_elements(list) %}
{%- set columns = "element VARCHAR(1000) PATH '$', place FOR ORDINALITY" -%}
{{ return({
    'join': 'CROSS JOIN JSON_TABLE(' ~ list ~ ", '$[*]' COLUMNS (" ~ columns ~ ')) AS u',
    'element': 'u.element',
    'place': 'u.place',
}) }}
{% endmacro %}

{#-
Where an engine looks faster for an element in its list than it groups rows: the place of the first that is equal, for
the select list of the elements, the length of a list, and the longest of which that holds. None elsewhere.
-#}
{% macro rm_first_elements(list) %}
{{ return(adapter.dispatch('rm_first_elements', 'rankmetrics_sql')(list)) }}
{% endmacro %}

{% macro default__rm_first_elements(list) %}
{{ return(none) }}
{% endmacro %}

{#- Lists of 20 take a tenth of the time, those of 100 half, those of 1,000 three times as long. -#}
{% macro duckdb__rm_first_elements(list) %}
{{ return({
    'first_place': 'LIST_POSITION(' ~ list ~ ', UNNEST(' ~ list ~ '))',
    'length': 'LEN(' ~ list ~ ')',
    'longest': 100,
}) }}
{% endmacro %}

{#- Whether a list has no element; unknown where there is no list. -#}
{% macro rm_is_empty(list) %}
{{ return(adapter.dispatch('rm_is_empty', 'rankmetrics_sql')(list)) }}
{% endmacro %}

{% macro default__rm_is_empty(list) %}
{{ return('CARDINALITY(' ~ list ~ ') = 0') }}
{% endmacro %}

{% macro duckdb__rm_is_empty(list) %}
{{ return('LEN(' ~ list ~ ') = 0') }}
{% endmacro %}

{% macro bigquery__rm_is_empty(list) %}
{{ return('ARRAY_LENGTH(' ~ list ~ ') = 0') }}
{% endmacro %}

{#- SIZE of NULL is -1 in old settings. -#}
{% macro spark__rm_is_empty(list) %}
{{ return('SIZE(' ~ list ~ ') = 0') }}
{% endmacro %}

{% macro clickhouse__rm_is_empty(list) %}
{{ return('empty(' ~ list ~ ')') }}
{% endmacro %}

{% macro snowflake__rm_is_empty(list) %}
{{ return('ARRAY_SIZE(' ~ list ~ ') = 0') }}
{% endmacro %}

{% macro redshift__rm_is_empty(list) %}
{{ return('GET_ARRAY_LENGTH(' ~ list ~ ') = 0') }}
{% endmacro %}

{% macro sqlite__rm_is_empty(list) %}
{{ return('JSON_ARRAY_LENGTH(' ~ list ~ ') = 0') }}
{% endmacro %}

{% macro mysql__rm_is_empty(list) %}
{{ return('JSON_LENGTH(' ~ list ~ ') = 0') }}
{% endmacro %}
