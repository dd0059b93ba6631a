{#-
Small pieces of text: numbers, lists of columns, stages. A column of a select list is a name, which stays as it is, or a
record {name, sql}; a stage is a record {name, sql, about, hint}. Nothing is ever read out of their text again.
-#}

{#- A number as SQL: whole numbers as they are, others as doubles, never as a decimal literal. -#}
{% macro rm_number(value) %}
{%- if value is number and value == value | int -%}{{ return(value | int | string) }}{%- endif -%}
{{ return('CAST(' ~ value ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ')') }}
{% endmacro %}

{#- A count as a double: engines differ in what they join and divide whole numbers with. -#}
{% macro rm_as_double(number) %}
{{ return('CAST(' ~ number ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ')') }}
{% endmacro %}

{% macro rm_as_integer(number) %}
{{ return('CAST(' ~ number ~ ' AS ' ~ rankmetrics_sql.rm_integer_type() ~ ')') }}
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

{#- The text of each column in a select list. -#}
{% macro rm_written(columns) %}
{%- set written = [] -%}
{%- for column in columns -%}
    {%- if column is string -%}
        {%- do written.append(column) -%}
    {%- else -%}
        {%- do written.append(column.sql if column.kept is defined else column.sql ~ ' AS ' ~ column.name) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(written) }}
{% endmacro %}

{#- The columns of a select list: short ones side by side, as many as fit, any other on a line of its own. -#}
{% macro rm_lines(columns, indent=8) %}
{%- set lines = [] -%}
{%- set state = {'line': ''} -%}
{%- for text in rankmetrics_sql.rm_written(columns) -%}
    {%- set is_small = rankmetrics_sql.rm_is_small(text) -%}
    {%- set longer = state.line ~ ', ' ~ text -%}
    {%- if state.line and is_small and rankmetrics_sql.rm_fits(longer, indent) -%}
        {%- do state.update({'line': longer}) -%}
    {%- else -%}
        {%- if state.line -%}{%- do lines.append(state.line) -%}{%- endif -%}
        {%- do state.update({'line': text if is_small else ''}) -%}
        {%- if not is_small -%}{%- do lines.append(text) -%}{%- endif -%}
    {%- endif -%}
{%- endfor -%}
{%- if state.line -%}{%- do lines.append(state.line) -%}{%- endif -%}
{{ return(lines | join(',\n' ~ ' ' * indent) | trim) }}
{% endmacro %}

{#- Whether this fits on a line that is indented: LINE in Python (dialects/layout.py). -#}
{% macro rm_fits(line, indent=8) %}
{{ return(line | length <= 120 - indent and '\n' not in line) }}
{% endmacro %}

{#- Whether a column may share its line with others: SHORT in Python (dialects/layout.py). -#}
{% macro rm_is_small(text) %}
{{ return(text | length <= 58 and '\n' not in text) }}
{% endmacro %}

{#- SELECT and its columns: on one line where they fit, else from the next line on. -#}
{% macro rm_select(columns, indent=4, begin='SELECT') %}
{%- set line = begin ~ ' ' ~ rankmetrics_sql.rm_written(columns) | join(', ') -%}
{%- if rankmetrics_sql.rm_fits(line, indent) -%}{{ return(line) }}{%- endif -%}
{%- set indent = indent + 4 -%}
{{ return(begin ~ '\n' ~ ' ' * indent ~ rankmetrics_sql.rm_lines(columns, indent)) }}
{% endmacro %}

{#- Rows of constants, each a list of columns: on one line where they fit. The first row names the columns. -#}
{% macro rm_constants(rows) %}
{%- set selects = [] -%}
{%- for columns in rows -%}
    {%- set values = rankmetrics_sql.rm_written(columns) if loop.first else columns | map(attribute='sql') | list -%}
    {%- do selects.append('SELECT ' ~ values | join(', ')) -%}
{%- endfor -%}
{%- set line = selects | join(' UNION ALL ') -%}
{{ return(line if rankmetrics_sql.rm_fits(line, 4) else selects | join('\n    UNION ALL ')) }}
{% endmacro %}

{#- CASE on a line, or on a line for each branch where that is long. -#}
{% macro rm_case(branches, subject='', indent=4) %}
{%- set begin = ('CASE ' ~ subject) | trim -%}
{%- set short = begin ~ ' ' ~ branches | join(' ') ~ ' END' -%}
{%- set line = '\n' ~ ' ' * indent -%}
{{ return(short if short | length < 100 else begin ~ line ~ '    ' ~ branches | join(line ~ '    ') ~ line ~ 'END') }}
{% endmacro %}

{#- The same done to each of some columns, each under its own name: MAX(a) AS a, MAX(b) AS b. -#}
{% macro rm_each(before, names, after=')') %}
{%- set columns = [] -%}
{%- for name in names -%}{%- do columns.append({'name': name, 'sql': before ~ name ~ after}) -%}{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- Expressions by their names as columns. -#}
{% macro rm_named(expressions) %}
{%- set columns = [] -%}
{%- for name, sql in expressions.items() -%}
    {%- do columns.append({'name': name, 'sql': sql | indent(4)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- Columns of which each is the same constant. -#}
{% macro rm_each_is(names, constant) %}
{%- set columns = [] -%}
{%- for name in names -%}{%- do columns.append({'name': name, 'sql': constant}) -%}{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#-
Columns that are not known in this branch of a UNION ALL, and are in another. They have no names where the branch reads
columns of these names: ClickHouse would read the NULL.
-#}
{% macro rm_nulls(names, named=true) %}
{{ return(rankmetrics_sql.rm_each_is(names, 'NULL') if named else ['NULL'] * (names | length)) }}
{% endmacro %}

{#- The same of doubles, in the first branch, which gives them their type. -#}
{% macro rm_unknown(names) %}
{{ return(rankmetrics_sql.rm_each_is(names, 'CAST(NULL AS ' ~ rankmetrics_sql.rm_double_type() ~ ')')) }}
{% endmacro %}

{#- Columns of a relation in an expression, or behind PARTITION BY; in a select list they are rm_columns_from(alias,
names). -#}
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

{#-
A named stage of the statement. about says what it is, in the comment above it: words of ours and nothing of the user's,
without marks that drivers and consoles read in comments too. hint is one to the optimizer, see rm_cte_hint.
-#}
{% macro rm_cte(name, sql, about, hint=none) %}
{%- if about is not string or about | trim != about or not about or '\n' in about -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ name ~ ' does not say what it is: about is ' ~ about
        ~ ', not some words on one line') }}
{%- endif -%}
{{ return({'name': name, 'sql': sql | trim, 'about': about, 'hint': hint}) }}
{% endmacro %}

{#- Records as they come, each once. Two that are called the same and are not the same are a mistake in a template. -#}
{% macro rm_distinct(records) %}
{%- set found = {} -%}
{%- for record in records -%}
    {%- if record.name in found and found[record.name] != record -%}
        {{ exceptions.raise_compiler_error('rankmetrics_sql: two parts of the statement are called ' ~ record.name
            ~ ' and differ:\n' ~ found[record.name].sql ~ '\n\n' ~ record.sql) }}
    {%- endif -%}
    {%- do found.update({record.name: record}) -%}
{%- endfor -%}
{{ return(found.values() | list) }}
{% endmacro %}

{% macro rm_with(ctes) %}
{%- set commented = rankmetrics_sql.rm_has_comments() -%}
{%- set parts = [] -%}
{%- for cte in rankmetrics_sql.rm_distinct(ctes) -%}
    {%- set about = rankmetrics_sql.rm_comment(cte.about) if commented else '' -%}
    {%- set hint = '' if cte.hint is none else rankmetrics_sql.rm_cte_hint(cte.hint) -%}
    {%- do parts.append(about ~ cte.name ~ ' AS ' ~ hint ~ '(\n    ' ~ cte.sql ~ '\n)') -%}
{%- endfor -%}
{{ return('WITH' ~ ('\n' if commented else ' ') ~ parts | join(',\n\n')) }}
{% endmacro %}

{#- A comment on a line of its own; what follows it begins the next. -#}
{% macro rm_comment(about, indent=0) %}
{{ return('-- ' ~ about ~ '\n' ~ ' ' * indent) }}
{% endmacro %}

{#- Whether statements say in comments what their stages are: unless the project's var says comments: false. -#}
{% macro rm_has_comments() %}
{{ return(rankmetrics_sql.rm_project().comments) }}
{% endmacro %}
