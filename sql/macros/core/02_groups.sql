{#- By what the queries of a request are grouped: columns, with the relation that has each, periods and totals. -#}

{#- The relations that may have a column of queries, before others those that have all queries that are scored. -#}
{% macro rm_sides_in_order(queries) %}
{{ return(['query_list'] + (['run', 'qrels'] if queries == 'retrieved' else ['qrels', 'run'])) }}
{% endmacro %}

{#- The relation that has a column before whose name there is none: the first of those that there are. -#}
{% macro rm_usual_side(arguments, queries) %}
{%- set there = [] -%}
{%- for side in rankmetrics_sql.rm_sides_in_order(queries) if side == 'run' or arguments[side] is not none -%}
    {%- do there.append(side) -%}
{%- endfor -%}
{{ return(there[0]) }}
{% endmacro %}

{% macro rm_request_groups(argument, by, usual) %}
{%- set relations = {'': usual, 'run': 'run', 'qrels': 'qrels', 'query_list': 'query_list'} -%}
{%- set groups = [] -%}
{%- for column in rankmetrics_sql.rm_group_list(by) -%}
    {%- set split = rankmetrics_sql.rm_split_side(column) -%}
    {%- if split.side not in relations -%}
        {{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ argument ~ ": '" ~ column
            ~ "': only run., qrels., query_list. may stand before a column.") }}
    {%- endif -%}
    {%- do groups.append({
        'name': 'group_' ~ loop.index,
        'label': split.name,
        'column': split.name,
        'relation': relations[split.side],
    }) -%}
{%- endfor -%}
{{ return(groups) }}
{% endmacro %}

{#- A column with a number of each query, by the relation that has it. -#}
{% macro rm_by_relation(argument, column, usual) %}
{%- set columns = {'run': none, 'qrels': none, 'query_list': none} -%}
{%- for group in rankmetrics_sql.rm_request_groups(argument, column, usual)[:1] -%}
    {%- do columns.update({group.relation: group.column}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The relation that has the time, and the SQL of the first day of its period; none where none is asked for. -#}
{% macro rm_request_time(arguments, usual) %}
{%- set period = arguments.period -%}
{%- set zone = arguments.timezone -%}
{%- set n_times = arguments.times | length -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_period_refusal(period, zone, n_times)) -%}
{%- if period is none -%}{{ return(none) }}{%- endif -%}
{%- set time = rankmetrics_sql.rm_request_groups('time', arguments.times, usual)[0] -%}
{%- set label = 'period' -%}
{{ return({
    'label': label,
    'column': 'rankmetrics_' ~ label,
    'relation': time.relation,
    'sql': rankmetrics_sql.rm_period(time.column, period, 'UTC' if zone is none else zone),
}) }}
{% endmacro %}

{#- The sets of groups that totals are wanted of: true for all, else lists of names; an unknown column stays. -#}
{% macro rm_request_rollup(arguments, groups) %}
{%- set given = arguments.rollup -%}
{%- if given is not sequence or given is string or given is mapping -%}
    {%- if given not in [none, true, false] -%}
        {%- do rankmetrics_sql.rm_raise('rollup is true, false or a list of lists of columns, not '
            ~ rankmetrics_sql.rm_written_value(given) ~ '.') -%}
    {%- endif -%}
    {{ return(given is true) }}
{%- endif -%}
{%- set names = {} -%}
{%- for column in rankmetrics_sql.rm_group_list(arguments.by) -%}
    {%- do names.update({column: groups[loop.index0].name}) -%}
{%- endfor -%}
{%- if arguments.period is not none -%}{%- do names.update({'period': groups[-1].name}) -%}{%- endif -%}
{%- set sets = [] -%}
{%- for columns in given -%}
    {%- set found = [] -%}
    {%- for column in rankmetrics_sql.rm_as_list(columns) -%}
        {%- do found.append(names[column] if column in names else column) -%}
    {%- endfor -%}
    {%- do sets.append(found) -%}
{%- endfor -%}
{{ return(sets) }}
{% endmacro %}

{% macro rm_group_list(by) %}
{%- set given = rankmetrics_sql.rm_or_null(by) -%}
{{ return([] if given is none else rankmetrics_sql.rm_as_list(given)) }}
{% endmacro %}

{#- The columns of by as they were given; a text names one of them. -#}
{% macro rm_checked_by(by) %}
{%- for column in rankmetrics_sql.rm_group_list(by) -%}
    {%- if column is not string -%}
        {%- do rankmetrics_sql.rm_raise(
            "by is a column or a list of them, as ['market', 'device']; not " ~ column ~ '.'
        ) -%}
    {%- elif ',' in rankmetrics_sql.rm_unquoted(column) -%}
        {%- set names = [] -%}
        {%- for name in column.split(',') -%}{%- do names.append("'" ~ name | trim ~ "'") -%}{%- endfor -%}
        {%- do rankmetrics_sql.rm_raise("by='" ~ column ~ "' is one column. Several are a list: by=["
            ~ names | join(', ') ~ '].') -%}
    {%- endif -%}
{%- endfor -%}
{{ return(by) }}
{% endmacro %}

{#- The part before the name of a column, and the name: run.market; a dot inside quotes separates nothing. -#}
{% macro rm_split_side(column) %}
{%- set closing = {'"': '"', '`': '`', '[': ']'} -%}
{%- set state = {'open': '', 'dot': -1} -%}
{%- for mark in column -%}
    {%- if state.open != '' -%}
        {%- if mark == state.open -%}{%- do state.update({'open': ''}) -%}{%- endif -%}
    {%- elif mark in closing -%}
        {%- do state.update({'open': closing[mark]}) -%}
    {%- elif mark == '.' -%}
        {%- do state.update({'dot': loop.index0}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if state.dot < 0 -%}{{ return({'side': '', 'name': column}) }}{%- endif -%}
{{ return({'side': column[:state.dot], 'name': column[state.dot + 1:]}) }}
{% endmacro %}
