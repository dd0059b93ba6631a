{#-
What sources have in common. A source is a select that any model can start from: rows of query, item and position, with
a relevance where it has one, out of tables that are kept for other purposes. Each is one file, and renders in the
dialect of the warehouse.
-#}

{#- What stands behind FROM for a table of a log, as rm_read has it; a select of some of its rows has a stage. -#}
{% macro rm_read_log(table, stage, about, hint=none) %}
{%- if table.select is not none -%}
    {{ return({'stages': [rankmetrics_sql.rm_cte(stage, table.select, about, hint)], 'name': stage}) }}
{%- endif -%}
{%- set input = {'relation': table.relation, 'expressions': [], 'is_query': false} -%}
{{ return(rankmetrics_sql.rm_read(input, stage, about, hint)) }}
{% endmacro %}

{#- The hint of a stage that hands on a relation: a table is read again faster than it is stored, a query is not. -#}
{% macro rm_hint_of_table(relation) %}
{{ return(none if '(' in relation ~ '' else 'inlined') }}
{% endmacro %}

{#-
The columns that a source hands on beside its own: {name, sql, role}. One is given as its name, or in a log by what a
request has one value of: {'arm': name}, or {'group': name}. A field of a column has the name of the field.
-#}
{% macro rm_context(columns, alias='s') %}
{%- set found = [] -%}
{%- for given in ([columns] if columns is mapping else rankmetrics_sql.rm_as_list(columns)) if given is not none -%}
    {%- for role, column in (given if given is mapping else {'row': given}).items() -%}
        {%- if role not in ['row', 'arm', 'group'] -%}
            {%- do rankmetrics_sql.rm_raise("context: a column is a name, {'arm': name} or {'group': name}, not "
                ~ rankmetrics_sql.rm_written_value(given) ~ '.') -%}
        {%- endif -%}
        {%- do found.append({
            'name': rankmetrics_sql.rm_last_part(column), 'sql': alias ~ '.' ~ column, 'role': role,
        }) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- The columns of a query: the user's own names, or query_id where SQL computes it; {name, sql}. -#}
{% macro rm_source_keys(columns, alias='s') %}
{%- set keys = rankmetrics_sql.rm_as_list(columns) -%}
{%- set labels = rankmetrics_sql.rm_query_labels(keys) -%}
{%- set found = [] -%}
{%- for key in keys -%}
    {%- do found.append({'name': labels[loop.index0], 'sql': rankmetrics_sql.rm_over_row(key, alias)}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- A column of a relation, or SQL over its row. -#}
{% macro rm_over_row(text, alias='s') %}
{%- if rankmetrics_sql.rm_is_column(text ~ '') -%}{{ return(alias ~ '.' ~ text) }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_expression(text ~ '', 'a column') -%}
{{ return(text) }}
{% endmacro %}

{#- The same of a column that may be left out. -#}
{% macro rm_optional_column(text) %}
{{ return(none if text is none else rankmetrics_sql.rm_over_row(text)) }}
{% endmacro %}

{#- A column as text, and nothing where it is NULL, so that rows can be joined on it. -#}
{% macro rm_known_text(text, alias='s') %}
{%- set column = rankmetrics_sql.rm_over_row(text, alias) -%}
{{ return('COALESCE(CAST(' ~ column ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ "), '')") }}
{% endmacro %}

{#- The condition that none of some columns is NULL. -#}
{% macro rm_all_known(columns) %}
{{ return(columns | join(' IS NOT NULL AND ') ~ ' IS NOT NULL') }}
{% endmacro %}

{#- The condition that one of them is. -#}
{% macro rm_any_unknown(columns) %}
{{ return(columns | join(' IS NULL OR ') ~ ' IS NULL') }}
{% endmacro %}

{#- One row for each input and reason: how many rows were used, or set aside and why. -#}
{% macro rm_select_quality(inputs) %}
{%- set counts = [] -%}
{%- for input in inputs -%}
    {%- do counts.append(
        'SELECT ' ~ rankmetrics_sql.rm_string(input.name) ~ ' AS input, reason, COUNT(*) AS n_rows\nFROM '
        ~ input.stage ~ '\nGROUP BY reason'
    ) -%}
{%- endfor -%}
{{ return(counts | join('\nUNION ALL\n') ~ '\nORDER BY input ASC, reason ASC') }}
{% endmacro %}
