{#-
The one place where the arguments of the public macros and of the tests are read. Columns are a mapping from meanings to
the user's columns, as in Python: {'query': 'search_term', 'qrels.item': 'product'}; the project's var may have one for
all calls. Earlier versions took them one by one, as query_column and the like. Those are aliases: they come here as
old, which has all that a macro or test has no parameter for.
-#}

{#-
What a statement is asked for with. given has the macro's parameters beside relations and metrics, by name; of unused,
meanings that this call has no use for, the project's var says nothing. own has all parameters of a test, for messages.
-#}
{% macro rm_arguments(macro, given, old, unused=[], own=none) %}
{%- set meanings = rankmetrics_sql.rm_known_meanings() -%}
{%- set aliases = rankmetrics_sql.rm_aliases(meanings + ['qrels.query_id', 'qrels.item_id']) -%}
{%- set named = {} -%}
{%- set others = {'group_by': given.get('group_by')} if given.get('group_by') is not none else {} -%}
{%- for name, value in old.items() -%}
    {%- if name in aliases -%}
        {%- do named.update({name: value}) -%}
    {%- else -%}
        {%- do others.update({name: value}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set found = rankmetrics_sql.rm_with_aliases(macro, given, others, own) -%}
{%- set qrels = found.qrels -%}
{%- if qrels is sequence and qrels is not string and qrels is not mapping -%}
    {%- do rankmetrics_sql.rm_raise(macro ~ ': qrels is a relation, not ' ~ qrels
        ~ '. The order is relation, metrics, qrels; with names: metrics=' ~ qrels ~ ", qrels=ref('judgments').") -%}
{%- endif -%}
{%- set sides = rankmetrics_sql.rm_known_sides() -%}
{%- set columns = rankmetrics_sql.rm_columns(meanings, sides, found.columns, named, aliases, unused) -%}
{{ return({
    'qrels': found.qrels,
    'options': rankmetrics_sql.rm_given_options(found.options),
    'profile': found.profile,
    'by': rankmetrics_sql.rm_checked_by(found.by),
    'columns': columns,
    'run_id': rankmetrics_sql.rm_column_for(columns, 'run', 'run_id'),
    'query_list': found.query_list,
    'times': rankmetrics_sql.rm_times(columns, found.period),
    'period': found.period,
    'timezone': found.timezone,
    'rollup': found.rollup,
    'min_queries': rankmetrics_sql.rm_as_number_if_any(found.min_queries),
    'weight': found.weight,
    'cluster': found.cluster,
    'covariate': found.covariate,
    'catalogue': found['items'],
    'empty_lists': found.empty_lists,
    'limits': found.limits,
    'relative_limits': found.relative_limits,
    'cap': found.cap,
    'shown': found.shown,
}) }}
{% endmacro %}

{#-
The columns said to be the time, with the relation that each is of, as in by. That of the project's var is for periods
alone; a call that names one is refused without a period.
-#}
{% macro rm_times(columns, period) %}
{%- set of_project = rankmetrics_sql.rm_project().columns -%}
{%- set times = [] -%}
{%- for key, column in columns.items() if key[-4:] == 'time' and column is not none -%}
    {%- if period is not none or of_project.get(key) != column -%}
        {%- do times.append(key[:-4] ~ column) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(times) }}
{% endmacro %}

{#- The parameters of a macro with the values that aliases name, and none for parameters that it does not take. -#}
{% macro rm_with_aliases(macro, given, others, own=none) %}
{%- set aliases = {
    'group_by': 'by', 'weight_column': 'weight', 'cluster_column': 'cluster', 'covariate_column': 'covariate',
    'items_relation': 'items',
} -%}
{%- set found = {
    'by': none, 'columns': none, 'query_list': none, 'period': none, 'timezone': none, 'rollup': false,
    'min_queries': none, 'weight': none, 'cluster': none, 'covariate': none, 'items': none, 'empty_lists': false,
    'limits': none, 'relative_limits': false, 'cap': none, 'shown': ['interval', 'pvalue'],
} -%}
{%- do found.update(given) -%}
{%- for name, value in others.items() -%}
    {%- set meant = aliases[name] if name in aliases else none -%}
    {%- if meant is none or meant not in given -%}
        {%- do rankmetrics_sql.rm_refuse_argument(macro, name, own or given.keys() | reject('eq', 'shown')) -%}
    {%- elif given[meant] is not none -%}
        {%- do rankmetrics_sql.rm_refuse_twice(meant, name) -%}
    {%- endif -%}
    {%- do found.update({meant: value}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_with_nulls(found)) }}
{% endmacro %}

{#- The options of a call: a mapping, which may be empty or none. -#}
{% macro rm_given_options(options) %}
{%- set given = rankmetrics_sql.rm_or_null(options) -%}
{%- if given is not none and given is not mapping -%}
    {%- do rankmetrics_sql.rm_raise("options maps names to values, as {'ties': 'rank'}; not "
        ~ rankmetrics_sql.rm_written_value(given) ~ '.') -%}
{%- endif -%}
{{ return(given or {}) }}
{% endmacro %}

{#- What a test of a table of one side is about: the groups, and what usual knows with the names that it has there. -#}
{% macro rm_test_arguments(test, side, usual, columns, by, old, own) %}
{%- set groups = old.get('group_by') -%}
{%- if groups is not none and by is not none -%}
    {%- do rankmetrics_sql.rm_refuse_twice('by', 'group_by') -%}
{%- endif -%}
{%- set named = {} -%}
{%- for name, value in old.items() if name != 'group_by' -%}{%- do named.update({name: value}) -%}{%- endfor -%}
{{ return({
    'by': rankmetrics_sql.rm_checked_by(groups if by is none else by),
    'columns': rankmetrics_sql.rm_test_columns(test, side, usual, columns, named, own),
}) }}
{% endmacro %}

{#- Its columns by their meanings; usual says what each is called where nobody says so. -#}
{% macro rm_test_columns(test, side, usual, columns, old, own) %}
{%- set meanings = usual.keys() | list -%}
{%- set named = rankmetrics_sql.rm_columns_named(test, meanings, [side], columns, old, meanings, own) -%}
{%- set found = {} -%}
{%- for meaning in meanings -%}
    {%- do found.update({meaning: rankmetrics_sql.rm_column_for(named, side, meaning, usual[meaning])}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- Those that a call or the project's var names, where there are no other aliases than those of columns. -#}
{% macro rm_columns_named(test, meanings, sides, columns, old, with_alias, own=['columns']) %}
{%- set aliases = rankmetrics_sql.rm_aliases(with_alias) -%}
{%- for name in old if name not in aliases -%}
    {%- do rankmetrics_sql.rm_refuse_argument(test, name, own) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_columns(meanings, sides, columns, old, aliases)) }}
{% endmacro %}

{% macro rm_refuse_twice(name, alias) %}
{%- do rankmetrics_sql.rm_raise(name ~ ' and ' ~ alias ~ ' are two names of one argument: give one of them.') -%}
{% endmacro %}

{% macro rm_refuse_argument(macro, name, taken) %}
{%- do rankmetrics_sql.rm_refuse_unknown(macro ~ " takes no argument '" ~ name ~ "'.", name, taken | list) -%}
{% endmacro %}

{#- Refuses arguments that a macro has no parameter for. -#}
{% macro rm_refuse_others(macro, others, taken) %}
{%- for name in others -%}{%- do rankmetrics_sql.rm_refuse_argument(macro, name, taken) -%}{%- endfor -%}
{% endmacro %}

{#- The end of a refusal says which known name is nearest, or which there are. -#}
{% macro rm_refuse_unknown(said, name, known) %}
{%- set nearest = rankmetrics_sql.rm_nearest_name(name, known) -%}
{%- set advice = 'Valid: ' ~ known | join(', ') ~ '.' if nearest is none else "Did you mean '" ~ nearest ~ "'?" -%}
{%- do rankmetrics_sql.rm_raise(said ~ ' ' ~ advice) -%}
{% endmacro %}

{#- The project's var, whole: what it does not say is as usual, and what nobody would read is refused. -#}
{% macro rm_project() %}
{%- set given = var('rankmetrics_sql', {}) -%}
{%- set found = {'profile': none, 'options': {}, 'columns': {}, 'comments': true} -%}
{%- if given is not none and given is not mapping -%}
    {%- do rankmetrics_sql.rm_raise('the var rankmetrics_sql is a mapping, as {profile: ranx}; not '
        ~ rankmetrics_sql.rm_written_value(given) ~ '.') -%}
{%- endif -%}
{%- for name, value in (given or {}).items() -%}
    {%- if name not in found -%}
        {%- do rankmetrics_sql.rm_refuse_unknown(
            "the var rankmetrics_sql has an unknown key '" ~ name ~ "'.", name ~ '', found.keys() | list
        ) -%}
    {%- elif found[name] is mapping and value is not none and value is not mapping -%}
        {%- do rankmetrics_sql.rm_raise('the var rankmetrics_sql: ' ~ name ~ ' is a mapping, not '
            ~ rankmetrics_sql.rm_written_value(value) ~ '.') -%}
    {%- elif name == 'comments' and value is not boolean -%}
        {%- do rankmetrics_sql.rm_raise('the var rankmetrics_sql: comments is true or false, not '
            ~ rankmetrics_sql.rm_written_value(value) ~ '.') -%}
    {%- elif value is not none -%}
        {%- do found.update({name: value}) -%}
    {%- endif -%}
{%- endfor -%}
{%- do found.update({'columns': rankmetrics_sql.rm_named_columns(
    'the var rankmetrics_sql: columns', found.columns, rankmetrics_sql.rm_known_meanings(),
    rankmetrics_sql.rm_known_sides()
)}) -%}
{{ return(found) }}
{% endmacro %}
