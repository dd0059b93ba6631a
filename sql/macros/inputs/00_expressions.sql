{#-
What the user calls a column is one, or SQL over the row, which the first stage of its relation computes under a name of
ours. dbt has no parser: here a text is told by its characters, and what could end before its place does is refused.
-#}

{#- The column that a text stands for: itself, or a new one of expressions, {name, sql}. -#}
{% macro rm_column_of(text, name, meaning, expressions) %}
{%- if text is none or rankmetrics_sql.rm_is_column(text ~ '') -%}{{ return(text) }}{%- endif -%}
{%- set sql = (text ~ '') | trim -%}
{%- set begin = '' if meaning in ['weight', 'covariate'] else 'columns: ' -%}
{%- do rankmetrics_sql.rm_refuse_expression(sql, begin ~ (meaning | replace('_id', ''))) -%}
{%- do expressions.append({'name': 'rankmetrics_' ~ name, 'sql': sql}) -%}
{{ return('rankmetrics_' ~ name) }}
{% endmacro %}

{#- The names of the query's columns in the result; SQL over the row and a field of a column have names of ours. -#}
{% macro rm_query_labels(keys) %}
{%- set labels = [] -%}
{%- for key in keys -%}
    {%- set own = 'query_id' if keys | length == 1 else 'query_id_' ~ loop.index -%}
    {%- do labels.append(key if rankmetrics_sql.rm_is_name(key ~ '') else own) -%}
{%- endfor -%}
{{ return(labels) }}
{% endmacro %}

{#- The name of a field of a column, such as seg of source.seg, as SQL calls it; any other name is itself. -#}
{% macro rm_last_part(column) %}
{%- if not rankmetrics_sql.rm_is_column(column ~ '') -%}{{ return(column) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_split_side(column ~ '').name) }}
{% endmacro %}

{#- Whether a text is the name of a column without a dot outside quotes. -#}
{% macro rm_is_name(text) %}
{{ return(rankmetrics_sql.rm_is_column(text) and rankmetrics_sql.rm_split_side(text).side == '') }}
{% endmacro %}

{#- Whether a text is a name, in quotes or not, or several with dots between them. -#}
{% macro rm_is_column(text) %}
{%- set closing = {'"': '"', '`': '`', '[': ']'} -%}
{%- set state = {'open': '', 'starts': true} -%}
{%- for mark in text -%}
    {%- if state.open != '' -%}
        {%- if mark == state.open -%}{%- do state.update({'open': ''}) -%}{%- endif -%}
    {%- elif mark in closing and (state.starts or mark == text[loop.index0 - 1]) -%}
        {%- do state.update({'open': closing[mark], 'starts': false}) -%}
    {%- elif mark == '.' -%}
        {%- do state.update({'starts': true}) -%}
    {%- elif mark in ' \t\r\n\'"`()[]{}<>=!+-*/%,;:|&^~?#@\\' or (state.starts and mark in '0123456789') -%}
        {{ return(false) }}
    {%- else -%}
        {%- do state.update({'starts': false}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(text != '' and state.open == '' and not state.starts) }}
{% endmacro %}

{#- The parts of a text outside quotes. -#}
{% macro rm_unquoted(sql) %}
{%- set state = {'quote': '', 'text': ''} -%}
{%- for mark in sql -%}
    {%- if state.quote != '' -%}
        {%- if mark == state.quote -%}{%- do state.update({'quote': ''}) -%}{%- endif -%}
    {%- elif mark in '\'"`' -%}
        {%- do state.update({'quote': mark}) -%}
    {%- else -%}
        {%- do state.update({'text': state.text ~ mark}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(state.text) }}
{% endmacro %}

{#-
Quotes and brackets must end, and nothing may end the statement or hide what follows, however a warehouse reads it.
-#}
{% macro rm_refuse_expression(sql, argument) %}
{%- set said = 'rankmetrics_sql: ' ~ argument ~ ' must be a column or SQL over the row: ' ~ sql ~ ': ' -%}
{%- if sql == '' -%}{{ exceptions.raise_compiler_error(said ~ 'it is empty.') }}{%- endif -%}
{%- for mark in ["\\'", '\\"', '\\`', "\'\'\'", '"""', '$$'] if mark in sql -%}
    {{ exceptions.raise_compiler_error(said ~ mark ~ ' may not stand in it. Compute the column in a model.') }}
{%- endfor -%}
{%- set closing = {'(': ')', '[': ']', '{': '}'} -%}
{%- set state = {'quote': '', 'open': ''} -%}
{%- for mark in sql -%}
    {%- if state.quote != '' -%}
        {%- if mark == state.quote -%}{%- do state.update({'quote': ''}) -%}{%- endif -%}
    {%- elif mark in '\'"`' -%}
        {%- do state.update({'quote': mark}) -%}
    {%- elif mark in closing -%}
        {%- do state.update({'open': state.open ~ closing[mark]}) -%}
    {%- elif mark in ')]}' -%}
        {%- if state.open[-1:] != mark -%}
            {{ exceptions.raise_compiler_error(said ~ 'a bracket ' ~ mark ~ ' closes nothing.') }}
        {%- endif -%}
        {%- do state.update({'open': state.open[:-1]}) -%}
    {%- elif mark == ',' and state.open == '' -%}
        {{ exceptions.raise_compiler_error(said ~ 'it is more than one value.') }}
    {%- elif mark == '$' and not sql[loop.index0 - 1:loop.index0].isalnum() -%}
        {{ exceptions.raise_compiler_error(said ~ mark ~ ' may not begin a word.') }}
    {%- endif -%}
{%- endfor -%}
{%- for mark in [';', '--', '/*', '#'] if mark in rankmetrics_sql.rm_unquoted(sql) -%}
    {{ exceptions.raise_compiler_error(said ~ mark ~ ' may not stand in it. Compute the column in a model.') }}
{%- endfor -%}
{%- if state.quote != '' or state.open != '' -%}
    {{ exceptions.raise_compiler_error(said ~ 'a quote or bracket does not end.') }}
{%- endif -%}
{%- set words = (' ' ~ sql | lower | replace('(', ' ') | replace('\n', ' ') | replace('\t', ' ')).split(' ') -%}
{%- for word in ['select', 'over', 'union'] if word in words -%}
    {{ exceptions.raise_compiler_error(said ~ word ~ ' reads more than the row.') }}
{%- endfor -%}
{% endmacro %}
