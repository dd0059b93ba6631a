{#- Rows of numbers behind FROM: as VALUES, six on a line, where an engine names the columns of these. -#}
{% macro rm_rows_of_numbers(alias, names, rows) %}
{%- if rankmetrics_sql.rm_engine() in ['duckdb', 'postgres', 'snowflake', 'spark', 'trino'] -%}
    {%- set lines = [] -%}
    {%- for six in rows | batch(6) -%}
        {%- set tuples = [] -%}
        {%- for row in six -%}
            {%- set numbers = [] -%}
            {%- for number in row -%}
                {%- do numbers.append(number ~ ('' if 'e' in number | string else 'e0')) -%}
            {%- endfor -%}
            {%- do tuples.append('(' ~ numbers | join(', ') ~ ')') -%}
        {%- endfor -%}
        {%- do lines.append(tuples | join(', ')) -%}
    {%- endfor -%}
    {%- set values = '(\n        VALUES\n        ' ~ lines | join(',\n        ') ~ '\n    )' -%}
    {{ return(values ~ ' AS ' ~ alias ~ ' (' ~ names | join(', ') ~ ')') }}
{%- endif -%}
{%- set selects = [] -%}
{%- for row in rows -%}
    {%- set columns = [] -%}
    {%- for number in row -%}
        {%- do columns.append(rankmetrics_sql.rm_number(number) ~ ' AS ' ~ names[loop.index0]) -%}
    {%- endfor -%}
    {%- do selects.append('SELECT ' ~ columns | join(', ')) -%}
{%- endfor -%}
{{ return('(\n        ' ~ selects | join('\n        UNION ALL ') ~ '\n    ) AS ' ~ alias) }}
{% endmacro %}
