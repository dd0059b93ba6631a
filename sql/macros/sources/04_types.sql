{#-
What the rows of a log say of the actions of some types, whatever their grades: how many there are, what they are worth
and how soon the first was, a column of each type. They stand in the row of their item, so no join multiplies them.
-#}

{#-
The types, each {type, called}: as the events have it, and as its columns are named by. aliases are what a schema calls
click and purchase. Each of a call has columns of its own.
-#}
{% macro rm_counted_types(types, aliases={}) %}
{%- set found, names = [], {} -%}
{%- for type in rankmetrics_sql.rm_as_list(types) -%}
    {%- if type is not string -%}
        {%- do rankmetrics_sql.rm_raise("types names types of actions, as ['click', 'purchase'], not "
            ~ rankmetrics_sql.rm_written_value(type) ~ '.') -%}
    {%- endif -%}
    {%- set name = rankmetrics_sql.rm_action_column('actions', type) -%}
    {%- if names.get(name, type) != type -%}
        {%- do rankmetrics_sql.rm_raise('types: ' ~ rankmetrics_sql.rm_of_one_column(type, names[name], name)) -%}
    {%- elif name not in names -%}
        {%- do found.append({'type': aliases.get(type, type), 'called': type}) -%}
    {%- endif -%}
    {%- do names.update({name: type}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- What a schema calls the types click and purchase, where these are other names. -#}
{% macro rm_aliases_of_types(schema) %}
{{ return({
    'ga4': {'click': 'select_item'}, 'snowplow': {'click': 'list_click', 'purchase': 'transaction'},
}.get(schema, {})) }}
{% endmacro %}

{#- The condition that an action counts at all: it has a grade, or is of such a type. -#}
{% macro rm_is_counted(log, alias='') %}
{%- set graded = alias ~ 'grade IS NOT NULL' -%}
{%- if not log.types -%}{{ return(graded) }}{%- endif -%}
{{ return('(' ~ graded ~ ' OR ' ~ rankmetrics_sql.rm_is_of_types(log, alias) ~ ')') }}
{% endmacro %}

{% macro rm_is_of_types(log, alias='') %}
{%- set types = [] -%}
{%- for each in log.types | map(attribute='type') | unique -%}
    {%- do types.append(rankmetrics_sql.rm_string(each)) -%}
{%- endfor -%}
{{ return(alias ~ 'action IN (' ~ types | join(', ') ~ ')') }}
{% endmacro %}

{#-
The columns of the types: {name, sql, again, none}. sql adds up the credited actions a, again adds those sums up, none
is what an item without an action has.
-#}
{% macro rm_numbers_of_types(log) %}
{%- set columns = [] -%}
{%- for each in log.types -%}
    {%- set of_type = 'CASE WHEN a.action = ' ~ rankmetrics_sql.rm_string(each.type) -%}
    {%- set sums = {'actions': '1 ELSE 0'} -%}
    {%- if log.value is not none -%}{%- do sums.update({'amount': 'a.amount'}) -%}{%- endif -%}
    {%- for what, worth in sums.items() -%}
        {%- set name = rankmetrics_sql.rm_action_column(what, each.called) -%}
        {%- do columns.append({
            'name': name, 'sql': 'SUM(' ~ of_type ~ ' THEN ' ~ worth ~ ' END)', 'again': 'SUM(' ~ name ~ ')',
            'none': '0',
        }) -%}
    {%- endfor -%}
    {%- if log.has_seconds -%}
        {%- set name = rankmetrics_sql.rm_action_column('seconds', each.called) -%}
        {%- set later = of_type ~ ' AND a.done_at >= f.began_at THEN '
            ~ rankmetrics_sql.rm_seconds_between('f.began_at', 'a.done_at') ~ ' END' -%}
        {%- do columns.append({
            'name': name, 'sql': 'MIN(' ~ later ~ ')', 'again': 'MIN(' ~ name ~ ')', 'none': none,
        }) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- Those columns in the rows that are handed on; without an alias, of rows that stand for requests without items. -#}
{% macro rm_handed_numbers(log, alias=none) %}
{%- set columns = [] -%}
{%- for column in rankmetrics_sql.rm_numbers_of_types(log) -%}
    {%- set otherwise = column.none if column.none is not none else 'NULL' -%}
    {%- set known = alias ~ '.' ~ column.name -%}
    {%- do columns.append({'name': column.name, 'sql': otherwise if alias is none
        else known if column.none is none else 'COALESCE(' ~ known ~ ', ' ~ otherwise ~ ')'}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- first_shown: when the first item of each request was shown, from which seconds count. -#}
{% macro rm_first_shown(log) %}
{%- if not log.has_seconds -%}{{ return([]) }}{%- endif -%}
{%- set first %}
    {{ rankmetrics_sql.rm_select(log.names + [{'name': 'began_at', 'sql': 'MIN(shown_at)'}]) }}
    FROM rankmetrics_shown_items
    GROUP BY {{ log.names | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_first_shown', first, 'when each request showed its first item')]) }}
{% endmacro %}
