{#-
Metric strings, name(param=value, ...)@k. Python asks these macros too; the cases: tests/metrics/metric_strings.toml.
-#}

{#- One metric string: {name, params, at}, with values as they were written; problem says what is wrong, or is none. -#}
{% macro rm_parsed_metric(text) %}
{%- set opened = text.split('(') -%}
{%- set closed = opened[-1].split(')') -%}
{%- set has_params = opened | length > 1 -%}
{%- set named = opened[0].split('@') -%}
{%- set behind = closed[-1].split('@') if has_params else named -%}
{%- set name = opened[0] | trim if has_params else named[0] | trim -%}
{%- set at = behind[1] | trim if behind | length == 2 else none -%}
{%- set is_balanced = opened | length <= 2 and closed | length == opened | length -%}
{%- set is_one = name.split() | length <= 1 and ',' not in name -%}
{%- set is_odd = not is_balanced or not is_one or behind | length > 2 or name == '' or at == ''
    or (has_params and behind[0] | trim != '') -%}
{%- if is_odd -%}
    {{ return({'name': name, 'params': {}, 'at': at, 'problem': rankmetrics_sql.rm_where(text)
        ~ ' is not of the form name(param=value, ...)@k, such as ' ~ "'ndcg(gain=exp2)@10'."
        ~ rankmetrics_sql.rm_as_list_of_metrics(text)}) }}
{%- endif -%}
{%- set inner = rankmetrics_sql.rm_parsed_params(text, closed[0] if has_params else '') -%}
{%- set params = inner.params -%}
{#- precision@5-l2 is ranx's for the grade from which on items count. -#}
{%- set levelled = (name if at is none else at).split('-l') -%}
{%- if levelled | length == 2 and levelled[0] != '' and rankmetrics_sql.rm_is_whole(levelled[1]) -%}
    {%- do params.update({'-l': levelled[1]}) -%}
    {%- set name = levelled[0] if at is none else name -%}
    {%- set at = none if at is none else levelled[0] -%}
    {{ return({'name': name, 'params': params, 'at': at, 'problem': inner.problem}) }}
{%- endif -%}
{{ return({'name': name, 'params': params, 'at': at, 'problem': inner.problem}) }}
{% endmacro %}

{#- How a message about a metric begins. -#}
{% macro rm_where(text) %}
{{ return('Metric ' ~ rankmetrics_sql.rm_written_value(text | trim)) }}
{% endmacro %}

{#- A hint where a text is that of several metrics, with white space or commas between them outside of brackets. -#}
{% macro rm_as_list_of_metrics(text) %}
{%- set begun = {'brackets': 0, 'word': ''} -%}
{%- set words = [] -%}
{%- for mark in text ~ ' ' -%}
    {%- do begun.update({'brackets': begun.brackets + (1 if mark in '({' else -1 if mark in ')}' else 0)}) -%}
    {%- if begun.brackets > 0 or (mark | trim != '' and mark != ',') -%}
        {%- do begun.update({'word': begun.word ~ mark}) -%}
    {%- elif begun.word != '' -%}
        {%- do words.append(begun.word) -%}
        {%- do begun.update({'word': ''}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set quoted = [] -%}
{%- for word in (words if words | length > 1 else []) -%}
    {%- if word in rankmetrics_sql.rm_known_nicknames() -%}
        {{ return(' ' ~ rankmetrics_sql.rm_nickname(word)) }}
    {%- elif rankmetrics_sql.rm_is_number(word) or rankmetrics_sql.rm_parsed_metric(word).problem is not none -%}
        {{ return('') }}
    {%- endif -%}
    {%- do quoted.append(rankmetrics_sql.rm_written_value(word)) -%}
{%- endfor -%}
{{ return(' Several metrics are a list: [' ~ quoted | join(', ') ~ '].' if quoted else '') }}
{% endmacro %}

{#- The parameters in parentheses; a comma inside a map {1:3,2:9} separates nothing, and one at the end neither. -#}
{% macro rm_parsed_params(text, inner) %}
{%- set params = {} -%}
{%- set found = {'params': params, 'problem': none} -%}
{%- set unclosed = {'text': ''} -%}
{%- for part in inner.split(',') -%}
    {%- set piece = unclosed.text ~ part -%}
    {%- set is_open = '{' in piece and '}' not in piece and not loop.last -%}
    {%- do unclosed.update({'text': piece ~ ',' if is_open else ''}) -%}
    {%- if not is_open and not (loop.last and piece | trim == '') and found.problem is none -%}
        {%- set name = piece.split('=')[0] | trim -%}
        {%- set value = piece.split('=')[1:] | join('=') | trim -%}
        {%- if name in ['', '-l'] or value == '' -%}
            {%- set rest = ([piece] + inner.split(',')[loop.index:]) | join(',') | trim -%}
            {%- do found.update({'problem': rankmetrics_sql.rm_where(text) ~ ': cannot read the parameters at '
                ~ rankmetrics_sql.rm_written_value(rest) ~ '; expected name=value.'}) -%}
        {%- elif name in params -%}
            {%- do found.update({'problem': rankmetrics_sql.rm_where(text) ~ ': ' ~ name ~ ' is given twice.'}) -%}
        {%- endif -%}
        {%- do params.update({name: value}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- A number, a word or a map {1:3,2:9}; 1 and 1.0 are the same number, quotes are taken off. -#}
{% macro rm_parsed_value(value) %}
{%- if value is not string -%}{{ return(value) }}{%- endif -%}
{%- set text = value | trim | trim('\'"') | trim -%}
{%- if text[:1] == '{' and text[-1:] == '}' -%}{{ return(rankmetrics_sql.rm_parsed_map(text)) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_as_number(text) if rankmetrics_sql.rm_is_number(text) else text) }}
{% endmacro %}

{% macro rm_parsed_map(text) %}
{%- set pairs = {} -%}
{%- for pair in text[1:-1].split(',') -%}
    {%- set grade = pair.split(':')[0] | trim -%}
    {%- set gain = pair.split(':')[1:] | join(':') | trim -%}
    {%- if not rankmetrics_sql.rm_is_number(grade) or not rankmetrics_sql.rm_is_number(gain) -%}
        {%- do rankmetrics_sql.rm_raise("'" ~ text ~ "' is not a map of grades to gains such as {1:3,2:9}.") -%}
    {%- elif rankmetrics_sql.rm_as_number(grade) in pairs -%}
        {%- do rankmetrics_sql.rm_raise("'" ~ text ~ "' names grade " ~ grade ~ ' twice.') -%}
    {%- endif -%}
    {%- do pairs.update({rankmetrics_sql.rm_as_number(grade): rankmetrics_sql.rm_as_number(gain)}) -%}
{%- endfor -%}
{{ return(pairs) }}
{% endmacro %}

{#- Whether a text spells a number that a statement can hold: 2, -0.5, .5, 1e3. -#}
{% macro rm_is_number(text) %}
{%- set parts = (text | lower).split('e') -%}
{%- set exponent = parts[1] if parts | length == 2 else '0' -%}
{%- set digits = rankmetrics_sql.rm_unsigned(parts[0]).split('.') -%}
{%- set is_written = parts | length <= 2 and digits | length <= 2 and rankmetrics_sql.rm_is_whole(digits | join)
    and rankmetrics_sql.rm_is_whole(rankmetrics_sql.rm_unsigned(exponent)) -%}
{{ return(is_written and text | float | abs < 1e301) }}
{% endmacro %}

{% macro rm_unsigned(text) %}
{{ return(text[1:] if text[:1] in ['+', '-'] else text) }}
{% endmacro %}

{#- Whether a text is digits and nothing else. -#}
{% macro rm_is_whole(text) %}
{%- for mark in text if mark not in '0123456789' -%}{{ return(false) }}{%- endfor -%}
{{ return(text != '') }}
{% endmacro %}

{% macro rm_is_cutoff(text) %}
{{ return(rankmetrics_sql.rm_is_whole(text) and text | length <= 18 and text | int >= 1) }}
{% endmacro %}

{% macro rm_as_number(number) %}
{%- set number = number | float -%}
{{ return(number | int if number == number | int else number) }}
{% endmacro %}
