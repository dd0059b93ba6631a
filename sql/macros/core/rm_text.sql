{#- Small pieces of text: names, literals, lists of columns. -#}

{#- A number as SQL: whole numbers as they are, others as doubles, never as a decimal literal. -#}
{% macro rm_number(value) %}
{%- if value is number and value == value | int -%}{{ return(value | int | string) }}{%- endif -%}
{{ return('CAST(' ~ value ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ')') }}
{% endmacro %}

{#- A count as a double: engines differ in what they join and divide whole numbers with. -#}
{% macro rm_as_double(number) %}
{{ return('CAST(' ~ number ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ')') }}
{% endmacro %}

{#- A column of doubles that is not known here: the first branch of a UNION ALL gives it its type. -#}
{% macro rm_unknown(name) %}
{{ return('CAST(NULL AS ' ~ rankmetrics_sql.rm_double_type() ~ ') AS ' ~ name) }}
{% endmacro %}

{% macro rm_string(text) %}
{{ return("'" ~ (text | string | replace("'", "''")) ~ "'") }}
{% endmacro %}

{#- A value as part of a column name: 0.5 is 0_5, -1 is minus_1, {1: 3, 2: 9} is 1_to_3_and_2_to_9. -#}
{% macro rm_slug(value) %}
{%- if value is mapping -%}
    {%- set parts = [] -%}
    {%- for key, item in value.items() -%}
        {%- do parts.append(rankmetrics_sql.rm_slug(key) ~ '_to_' ~ rankmetrics_sql.rm_slug(item)) -%}
    {%- endfor -%}
    {{ return(parts | join('_and_')) }}
{%- endif -%}
{%- if value is number and value == value | int -%}{%- set value = value | int -%}{%- endif -%}
{{ return(value | string | lower | replace('-', 'minus_') | replace('.', '_') | replace('+', '')) }}
{% endmacro %}

{% macro rm_qualified(alias, names) %}
{%- set columns = [] -%}
{%- for name in names -%}{%- do columns.append(alias ~ '.' ~ name) -%}{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The join condition of two relations on the same columns. -#}
{% macro rm_same(left, right, names) %}
{%- set conditions = [] -%}
{%- for name in names -%}{%- do conditions.append(left ~ '.' ~ name ~ ' = ' ~ right ~ '.' ~ name) -%}{%- endfor -%}
{{ return(conditions | join(' AND ')) }}
{% endmacro %}

{#- The same, for columns that may be NULL on both sides; always true where there are none. -#}
{% macro rm_same_or_null(left, right, names) %}
{%- set conditions = [] -%}
{%- for name in names -%}
    {%- set one = left ~ '.' ~ name -%}
    {%- set other = right ~ '.' ~ name -%}
    {%- do conditions.append('(' ~ one ~ ' = ' ~ other ~ ' OR (' ~ one ~ ' IS NULL AND ' ~ other ~ ' IS NULL))') -%}
{%- endfor -%}
{{ return(conditions | join(' AND ') if conditions else '1 = 1') }}
{% endmacro %}

{#- The order of a result, said in full: settings of the session decide what is left open. Groups may be NULL. -#}
{% macro rm_ascending(keys, groups=[], last=[]) %}
{%- set sorted = [] -%}
{%- for key in keys -%}{%- do sorted.append(key ~ ' ASC') -%}{%- endfor -%}
{%- for key in groups -%}{%- do sorted.append(key ~ ' ASC NULLS FIRST') -%}{%- endfor -%}
{%- for key in last -%}{%- do sorted.append(key ~ ' ASC') -%}{%- endfor -%}
{{ return(sorted | join(', ')) }}
{% endmacro %}

{% macro rm_lines(columns, indent=8) %}
{{ return(rankmetrics_sql.rm_named(columns) | join(',\n' ~ ' ' * indent) | trim) }}
{% endmacro %}

{#- A named stage of the statement; kind is a hint to the optimizer, see rm_cte_hint. -#}
{% macro rm_cte(name, sql, kind=none) %}
{{ return({'name': name, 'sql': sql | trim, 'kind': kind}) }}
{% endmacro %}
