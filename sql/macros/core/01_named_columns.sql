{#- Columns as calls name them: mappings from meanings to the user's columns. -#}

{#- The meanings that columns of the inputs can have: Python's statements/relation.py. -#}
{% macro rm_known_meanings() %}
{{ return([
    'query_id', 'item_id', 'score', 'position', 'relevance', 'subtopic', 'n_relevant', 'run_id', 'propensity', 'target',
    'popularity', 'category', 'time',
]) }}
{% endmacro %}

{#-
The columns of a call by their meanings: its own, and of the project's var those of meanings that the call does not
name. A call that names positions has no scores but those that it names.
-#}
{% macro rm_columns(meanings, sides, columns, unused=[]) %}
{%- set own = rankmetrics_sql.rm_named_columns('columns', columns, meanings, sides) -%}
{%- set by_position = own.get('position', own.get('run.position')) is not none -%}
{%- set found = {} -%}
{%- for key, column in rankmetrics_sql.rm_project().columns.items() -%}
    {%- set meaning = key.split('.')[-1] -%}
    {%- set is_used = meaning in meanings and meaning not in unused and not (by_position and meaning == 'score') -%}
    {%- if is_used and meaning not in own -%}{%- do found.update({key: column}) -%}{%- endif -%}
{%- endfor -%}
{%- do found.update(own) -%}
{{ return(found) }}
{% endmacro %}

{#-
A mapping from meanings to columns with its keys written out. A key is one of meanings, or has one of sides before it,
which says nothing where there is one side. usual has what a source calls its columns: a default that stands for its key
is answered with the key.
-#}
{% macro rm_named_columns(argument, columns, meanings, sides=[], usual=none) %}
{%- set found = {} -%}
{%- set given = rankmetrics_sql.rm_or_null(columns) -%}
{%- if given is not none and given is not mapping -%}
    {%- do rankmetrics_sql.rm_raise(
        argument ~ " maps meanings to columns, as {'query': 'search_term'}; not "
            ~ rankmetrics_sql.rm_written_value(given) ~ '.'
    ) -%}
{%- endif -%}
{%- for name, value in (given or {}).items() -%}
    {%- set parts = (name ~ '').split('.') -%}
    {%- set meaning = parts[-1] ~ ('_id' if parts[-1] in ['query', 'item', 'run'] else '') -%}
    {%- set key = meaning if parts[:-1] == sides else (parts[:-1] + [meaning]) | join('.') -%}
    {%- set is_known = meaning in meanings or (sides and rankmetrics_sql.rm_is_of_actions(meaning)) -%}
    {%- set is_alone = key in meanings or (parts | length == 1 and is_known) -%}
    {%- if not is_alone and (not is_known or parts[:-1] | join('.') not in sides) -%}
        {%- set said = argument ~ ": unknown column '" ~ name ~ "'." -%}
        {%- do rankmetrics_sql.rm_refuse_column_of_source(said, name ~ '', usual) if usual is not none -%}
        {%- do rankmetrics_sql.rm_refuse_unknown(said, parts[-1], rankmetrics_sql.rm_as_written(meanings)) -%}
    {%- elif key in found -%}
        {%- do rankmetrics_sql.rm_raise(argument ~ ' names ' ~ key ~ ' twice.') -%}
    {%- endif -%}
    {%- do found.update({key: rankmetrics_sql.rm_checked_column(argument, name, meaning, value)}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- Whether a meaning is a number of the actions of a type, such as amount_purchase. -#}
{% macro rm_is_of_actions(meaning) %}
{{ return(meaning.split('_')[0] in ['actions', 'amount', 'seconds'] and '_' in meaning) }}
{% endmacro %}

{#- A source has few columns: their keys are listed. Before that stands the key of a column usually called so. -#}
{% macro rm_refuse_column_of_source(said, name, usual) %}
{%- set keys = rankmetrics_sql.rm_as_written(usual.keys()) -%}
{%- set nearest = rankmetrics_sql.rm_nearest_name(name.split('.')[-1], keys) -%}
{%- set hints = [] if nearest is none else [" Did you mean '" ~ nearest ~ "'?"] -%}
{%- for meaning, column in usual.items() if column == name -%}
    {%- do hints.insert(0, " Its key is '" ~ rankmetrics_sql.rm_as_written([meaning])[0] ~ "'.") -%}
{%- endfor -%}
{%- do rankmetrics_sql.rm_raise(said ~ (hints + [''])[0] ~ ' Valid: ' ~ keys | join(', ') ~ '.') -%}
{% endmacro %}

{#- Which of the inputs a key of that mapping may name before its meaning: Python's inputs/meanings.py. -#}
{% macro rm_known_sides() %}
{{ return(['run', 'qrels', 'query_list', 'items']) }}
{% endmacro %}

{#- Meanings as people write them: query is short for query_id, and so are item and run. -#}
{% macro rm_as_written(meanings) %}
{%- set found = [] -%}
{%- for meaning in meanings -%}{%- do found.append(meaning | replace('_id', '')) -%}{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- A column or SQL over the row, or none; what names a query may be a list of them. -#}
{% macro rm_checked_column(argument, name, meaning, value) %}
{%- set column = rankmetrics_sql.rm_or_null(value) -%}
{%- set is_several = column is sequence and column is not string and column is not mapping -%}
{%- set is_list = is_several and meaning in ['query_id', 'request', 'user'] -%}
{%- for each in (column if is_list else [column]) if each is not none and (each is not string or each | trim == '') -%}
    {%- do rankmetrics_sql.rm_raise(argument ~ ': ' ~ name ~ ' must be a column name, not '
        ~ rankmetrics_sql.rm_written_value(each) ~ '.') -%}
{%- endfor -%}
{%- if column is none and meaning in ['query_id', 'item_id'] -%}
    {%- do rankmetrics_sql.rm_raise(argument ~ ': ' ~ name ~ ' must be a column name, not none.') -%}
{%- endif -%}
{%- if is_list and column | length == 0 -%}
    {%- do rankmetrics_sql.rm_raise(argument ~ ': ' ~ name ~ ' must be a column name, not an empty list.') -%}
{%- endif -%}
{{ return(column) }}
{% endmacro %}

{#-
What a relation has for a meaning: what is named for it alone, else for all, else what it is usually called. None is
named, too, which get() of dbt 2 does not tell from what is absent.
-#}
{% macro rm_column_for(columns, side, meaning, usual=none) %}
{%- set own = side ~ '.' ~ meaning -%}
{{ return(columns[own] if own in columns else columns[meaning] if meaning in columns else usual) }}
{% endmacro %}

{#-
The columns of a source, by what usual knows. Its tables are no inputs of an evaluation, so the project's var is not
about them.
-#}
{% macro rm_source_columns(usual, columns) %}
{%- set found = {} -%}
{%- do found.update(usual) -%}
{%- do found.update(rankmetrics_sql.rm_named_columns('columns', columns, usual.keys() | list, usual=usual)) -%}
{{ return(found) }}
{% endmacro %}

{#-
Refuses a column that its relation does not have, before the database does, where check_columns of the project's var
asks for that: a look-up for each relation. A test's where makes SQL of its relation, an ephemeral model is SQL, too,
and what is not built has no columns: those are not looked up, nor is SQL over the row.
-#}
{% macro rm_check_columns(relation, columns, side='') %}
{%- set is_empty = flags.EMPTY is defined and flags.EMPTY -%}
{%- set is_asked = rankmetrics_sql.rm_project().check_columns and not is_empty -%}
{%- if not is_asked or relation is string or not relation.schema -%}{{ return(none) }}{%- endif -%}
{%- set built = adapter.get_relation(
    database=relation.database, schema=relation.schema, identifier=relation.identifier
) -%}
{%- if built is none -%}{{ return(none) }}{%- endif -%}
{%- set there = [] -%}
{%- for column in adapter.get_columns_in_relation(built) -%}{%- do there.append(column.name) -%}{%- endfor -%}
{%- for meaning, given in columns.items() if given is not none -%}
    {%- for column in rankmetrics_sql.rm_as_list(given) -%}
        {%- set name = column | replace('"', '') | replace('`', '') -%}
        {%- set is_looked_up = rankmetrics_sql.rm_is_name(column) and name[:12] != 'rankmetrics_' -%}
        {%- if is_looked_up and name | lower not in there | map('lower') | list -%}
            {%- do rankmetrics_sql.rm_refuse_absent(relation, name, there, meaning, side) -%}
        {%- endif -%}
    {%- endfor -%}
{%- endfor -%}
{% endmacro %}

{% macro rm_refuse_absent(relation, name, there, meaning, side) %}
{%- set nearest = rankmetrics_sql.rm_nearest_name(name, there) -%}
{%- set argument = meaning ~ '=' if meaning in ['weight', 'covariate']
    else "columns={'" ~ side ~ rankmetrics_sql.rm_as_written([meaning])[0] ~ "': '" ~ (nearest or 'NAME') ~ "'}" -%}
{%- do rankmetrics_sql.rm_raise(relation ~ " has no column '" ~ name ~ "'. Its columns: " ~ there | join(', ')
    ~ '. Name the right one: ' ~ argument ~ '.') -%}
{% endmacro %}
