{#-
The one place where the arguments of the public macros and of the tests are read. Columns are a mapping from meanings to
the user's columns, as in Python: {'query': 'search_term', 'qrels.item': 'product'}; the project's var may have one for
all calls. others has all that a macro or test has no parameter for, which is refused.
-#}

{#-
What a statement is asked for with. given has the macro's parameters beside relations and metrics, by name; of unused,
meanings that this call has no use for, the project's var says nothing. own has all parameters of a test, for messages.
-#}
{% macro rm_arguments(macro, given, others, unused=[], own=none) %}
{%- do rankmetrics_sql.rm_refuse_others(macro, others, own or given.keys() | reject('eq', 'shown')) -%}
{%- set found = {
    'by': none, 'query_list': none, 'period': none, 'timezone': none, 'rollup': false, 'min_queries': none,
    'weight': none, 'cluster': none, 'strata': none, 'covariate': none, 'items': none, 'empty_lists': false,
    'predicted_qrels': none, 'limits': none, 'relative_limits': false, 'cap': none, 'shown': ['interval', 'pvalue'],
} -%}
{%- do found.update(rankmetrics_sql.rm_with_nulls(given)) -%}
{%- set qrels = found.qrels -%}
{%- if qrels is sequence and qrels is not string and qrels is not mapping -%}
    {%- do rankmetrics_sql.rm_raise(macro ~ ': qrels is a relation, not ' ~ qrels
        ~ '. The order is relation, metrics, qrels; with names: metrics=' ~ qrels ~ ", qrels=ref('judgments').") -%}
{%- endif -%}
{%- if found.predicted_qrels is not none and qrels is none -%}
    {%- do rankmetrics_sql.rm_raise(
        macro ~ ": predicted_qrels predicts judgments of people. Pass those as qrels=ref('judgments')."
    ) -%}
{%- endif -%}
{%- set columns = rankmetrics_sql.rm_columns(
    rankmetrics_sql.rm_known_meanings(), rankmetrics_sql.rm_known_sides(), found.columns, unused
) -%}
{{ return({
    'qrels': found.qrels,
    'predicted_qrels': found.predicted_qrels,
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
    'strata': found.strata,
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

{#- The options of a call: a mapping, which may be empty or none. -#}
{% macro rm_given_options(options) %}
{%- set given = rankmetrics_sql.rm_or_null(options) -%}
{%- if given is not none and given is not mapping -%}
    {%- do rankmetrics_sql.rm_raise("options maps names to values, as {'ties': 'rank'}; not "
        ~ rankmetrics_sql.rm_written_value(given) ~ '.') -%}
{%- endif -%}
{{ return(given or {}) }}
{% endmacro %}

{#- The columns of a test of one table, by their meanings; usual says what each is called where nobody says so. -#}
{% macro rm_test_columns(model, side, usual, columns) %}
{%- set named = rankmetrics_sql.rm_columns(usual.keys() | list, [side], columns) -%}
{%- set found = {} -%}
{%- for meaning, column in usual.items() -%}
    {%- do found.update({meaning: rankmetrics_sql.rm_column_for(named, side, meaning, column)}) -%}
{%- endfor -%}
{%- do rankmetrics_sql.rm_check_columns(model, found) -%}
{{ return(found) }}
{% endmacro %}

{#-
Refuses arguments that a macro has no parameter for. query_column and the like are what other packages call them; the
meanings are those that columns may name.
-#}
{% macro rm_refuse_others(macro, others, taken, meanings=none) %}
{%- set known = rankmetrics_sql.rm_as_written(meanings or rankmetrics_sql.rm_known_meanings()) if others else [] -%}
{%- for name in others -%}
    {%- set said = macro ~ " takes no argument '" ~ name ~ "'." -%}
    {%- set meaning = name | replace('_column', '') -%}
    {%- if name != meaning and meaning in known -%}
        {%- do rankmetrics_sql.rm_raise(said ~ " Did you mean columns={'" ~ meaning ~ "': ...}?") -%}
    {%- endif -%}
    {%- if macro == 'compare' and name == 'judge' -%}
        {%- do rankmetrics_sql.rm_raise(said ~ " Cross join the runs with the judges in a model, and pass"
            ~ " columns={'query': ['query_id', 'judge']} and by='judge'.") -%}
    {%- endif -%}
    {%- do rankmetrics_sql.rm_refuse_unknown(said, name, taken | list) -%}
{%- endfor -%}
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
{%- set found = {'profile': none, 'options': {}, 'columns': {}, 'comments': true, 'check_columns': false} -%}
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
    {%- elif found[name] is boolean and value is not none and value is not boolean -%}
        {%- do rankmetrics_sql.rm_raise('the var rankmetrics_sql: ' ~ name ~ ' is true or false, not '
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
