{#- The metric that a name stands for in any of its spellings, and the column that a metric becomes. -#}

{#- A name without the level at its end, and what the metric is at; the name is none where nobody knows it. -#}
{% macro rm_found_name(spec, choices) %}
{%- set name = spec.name | lower -%}
{%- set found = {'name': name if name in choices.names else none, 'at': spec.at, 'is_twice': false} -%}
{%- for other, level in ({} if found.name is not none else rankmetrics_sql.rm_levels_of(name)).items() -%}
    {%- if other in choices.names and not rankmetrics_sql.rm_is_numbered(other, name, choices) -%}
        {%- do found.update({'name': other, 'at': level, 'is_twice': spec.at is not none}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- Whether a number behind the point is part of names like this one: rbp.95 is one of ranx's, and rbp.97 is none. -#}
{% macro rm_is_numbered(other, name, choices) %}
{%- set point = other ~ '.' -%}
{%- for known in (choices.names if name[:point | length] == point else []) if known[:point | length] == point -%}
    {{ return(true) }}
{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{#- What is wrong with a known name as it was found, and with its cutoff, or none. -#}
{% macro rm_name_problem(text, found, choices) %}
{%- set where = rankmetrics_sql.rm_where(text) -%}
{%- if found.is_twice -%}{{ return(where ~ ' gives its cutoff twice.') }}{%- endif -%}
{%- if found.at is none -%}{{ return(none) }}{%- endif -%}
{%- set name = rankmetrics_sql.rm_spelt(found.name, choices).name -%}
{%- set metric = rankmetrics_sql.rm_known_metrics()[name] -%}
{%- if metric.at not in metric.params -%}{{ return(where ~ ': ' ~ name ~ ' has no cutoff.') }}{%- endif -%}
{%- if metric.at != 'k' or rankmetrics_sql.rm_is_cutoff(found.at) -%}{{ return(none) }}{%- endif -%}
{{ return(where ~ ': the cutoff must be a whole number of at least 1, not '
    ~ rankmetrics_sql.rm_written_value(found.at) ~ '.') }}
{% endmacro %}

{#- The metric of a name, and the parameters that its string gives it: of the name, in parentheses, behind @. -#}
{% macro rm_named_metric(text, spec, choices) %}
{%- do rankmetrics_sql.rm_raise_refusal(spec.problem) -%}
{%- set found = rankmetrics_sql.rm_found_name(spec, choices) -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_unknown_name(text, spec, choices) if found.name is none
    else rankmetrics_sql.rm_name_problem(text, found, choices)) -%}
{%- set spelt = rankmetrics_sql.rm_spelt(found.name, choices) -%}
{%- set metric = rankmetrics_sql.rm_known_metrics()[spelt.name] -%}
{%- set where = rankmetrics_sql.rm_where(text) -%}
{%- set written = rankmetrics_sql.rm_translated(text, spec, [found.name, spelt.name], choices) -%}
{%- if found.at is not none and metric.at in written -%}
    {%- do rankmetrics_sql.rm_raise(where ~ ' gives its cutoff twice.') -%}
{%- endif -%}
{%- set asked = spelt.params -%}
{%- do asked.update(written) -%}
{%- do asked.update({} if found.at is none else {metric.at: found.at}) -%}
{%- set options = rankmetrics_sql.rm_known_options() -%}
{%- set given = {} -%}
{%- for name, value in asked.items() -%}
    {%- if not rankmetrics_sql.rm_is_taken(metric, name) -%}
        {%- do rankmetrics_sql.rm_refuse_parameter(where ~ ': ', spelt.name, metric.param_names, name) -%}
    {%- endif -%}
    {%- set parameter = metric.params[name] if name in metric.params else options[name] -%}
    {%- do given.update({name: rankmetrics_sql.rm_checked(parameter, name, value, where)}) -%}
{%- endfor -%}
{{ return({'name': spelt.name, 'given': given}) }}
{% endmacro %}

{#- Whether a text names a metric of ours, in any spelling. -#}
{% macro rm_is_metric(text, choices) %}
{%- set spec = rankmetrics_sql.rm_parsed_metric(text) -%}
{%- if spec.problem is not none -%}{{ return(false) }}{%- endif -%}
{%- set found = rankmetrics_sql.rm_found_name(spec, choices) -%}
{{ return(found.name is not none and not found.is_twice) }}
{% endmacro %}

{#- The metric and the parameters that a known name stands for, which may be spelt with another name. -#}
{% macro rm_spelt(name, choices) %}
{%- if choices.names[name] == name -%}{{ return({'name': name, 'params': {}}) }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_parsed_metric(choices.names[name]) -%}
{%- set spelling = rankmetrics_sql.rm_known_spellings()[own.name | lower] -%}
{%- set inner = own if spelling == own.name else rankmetrics_sql.rm_parsed_metric(spelling) -%}
{%- do inner.params.update(own.params) -%}
{{ return({'name': inner.name, 'params': inner.params}) }}
{% endmacro %}

{#-
The parameters of a string by our names. Keys of a profile's [parameters] and [refused] are a parameter, perhaps with
one value, perhaps of one metric, in lower case: cutoff, judged_only=true, ndcg(dcg=log2). The most particular speaks.
-#}
{% macro rm_translated(text, spec, names, choices) %}
{%- set metric = rankmetrics_sql.rm_known_metrics()[names[1]] -%}
{%- set known = choices.parameters -%}
{%- set refused = choices.refused -%}
{%- set found = {} -%}
{%- for name, value in spec.params.items() -%}
    {%- set chosen = name ~ '=' ~ rankmetrics_sql.rm_parsed_value(value) | string | lower -%}
    {%- set keys = [] -%}
    {%- for own in names -%}{%- do keys.extend([own ~ '(' ~ chosen ~ ')', own ~ '(' ~ name ~ ')']) -%}{%- endfor -%}
    {%- set key = (keys + [chosen, name]) | select('in', known.keys() | list + refused.keys() | list) | first
        | default(none) -%}
    {%- set meant = name -%}
    {%- if key in refused -%}
        {%- do rankmetrics_sql.rm_raise(rankmetrics_sql.rm_where(text) ~ ': ' ~ (name ~ value if name == '-l'
            else name ~ '=' ~ rankmetrics_sql.rm_parsed_value(value)) ~ ' has no counterpart here; ' ~ refused[key]
            ~ '.') -%}
    {%- elif key is not none -%}
        {%- set meant = known[key] -%}
    {%- elif not rankmetrics_sql.rm_is_taken(metric, name) -%}
        {%- set values = [] -%}
        {%- for other in known if other[:name | length + 1] == name ~ '=' -%}
            {%- do values.append(other[name | length + 1:]) -%}
        {%- endfor -%}
        {%- if values -%}
            {%- do rankmetrics_sql.rm_raise(rankmetrics_sql.rm_where(text) ~ ': ' ~ name ~ ' cannot be '
                ~ rankmetrics_sql.rm_written_value(value) ~ '. Valid: ' ~ values | join(', ') ~ '.') -%}
        {%- endif -%}
    {%- endif -%}
    {%- set own = {meant if rankmetrics_sql.rm_is_taken(metric, meant) else name: value} -%}
    {%- set own = rankmetrics_sql.rm_parsed_params(text, meant).params if '=' in meant or meant == '' else own -%}
    {%- for ours, given in own.items() -%}
        {%- if ours in found -%}
            {%- do rankmetrics_sql.rm_raise(rankmetrics_sql.rm_where(text) ~ ': ' ~ ours
                ~ ' is given twice.') -%}
        {%- endif -%}
        {%- do found.update({ours: given}) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{% macro rm_refuse_parameter(where, metric, taken, name) %}
{%- set options = rankmetrics_sql.rm_known_options() -%}
{%- if name in options and options[name].scope in ['evaluation', 'comparison'] -%}
    {%- do rankmetrics_sql.rm_raise(where ~ name ~ ' applies to the whole evaluation. Pass it as an option.') -%}
{%- elif not taken -%}
    {%- do rankmetrics_sql.rm_raise(where ~ metric ~ ' takes no parameters.') -%}
{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_unknown(where ~ metric ~ ' has no parameter '
    ~ rankmetrics_sql.rm_written_value(name) ~ '.', name, taken) -%}
{% endmacro %}

{#- Whether a metric has a parameter, its own or one of every metric's. -#}
{% macro rm_is_taken(metric, name) %}
{%- set options = rankmetrics_sql.rm_known_options() -%}
{%- set is_everywhere = name in options and options[name].scope in ['ranking', 'summary'] -%}
{{ return(is_everywhere or name in metric.param_names) }}
{% endmacro %}

{#- The level at the end of a name: of _10, .5, _at_0.10; nothing where there is none. -#}
{% macro rm_level(rest) %}
{%- set number = rest[4:] if rest[:4] == '_at_' else rest[1:] if rest[:1] in ['_', '.'] else '' -%}
{%- for digits in number.split('.') if not rankmetrics_sql.rm_is_whole(digits) -%}{{ return('') }}{%- endfor -%}
{{ return(number if number.split('.') | length <= 2 else '') }}
{% endmacro %}

{#- The names that a name with a level at its end may be of, and that level, the shortest name first. -#}
{% macro rm_levels_of(name) %}
{%- set found = {} -%}
{%- set begun = {'length': 0} -%}
{%- for part in (name | replace('.', '_')).split('_') -%}
    {%- set other = name[:begun.length + part | length] -%}
    {%- set level = rankmetrics_sql.rm_level(name[other | length:]) -%}
    {%- do found.update({other: level} if level != '' else {}) -%}
    {%- do begun.update({'length': other | length + 1}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- Says what an unknown name may mean, with the parameters and the cutoff that were asked for. -#}
{% macro rm_unknown_name(text, spec, choices) %}
{%- set name = spec.name | lower -%}
{%- set ambiguous = rankmetrics_sql.rm_known_ambiguous() -%}
{%- for other, meanings in ambiguous.items() if name[:other | length] == other -%}
    {%- set level = rankmetrics_sql.rm_level(name[other | length:]) -%}
    {%- if name == other or level != '' -%}
        {{ return(rankmetrics_sql.rm_where(text) ~ ': ' ~ other ~ ' is '
            ~ meanings | replace('@10', '@' ~ (level or spec.at or 10)) ~ '; say which.') }}
    {%- endif -%}
{%- endfor -%}
{%- if name in rankmetrics_sql.rm_known_nicknames() -%}{{ return(rankmetrics_sql.rm_nickname(name)) }}{%- endif -%}
{%- set asked = {'name': name, 'at': spec.at} -%}
{%- for other, level in ({} if spec.at is not none else rankmetrics_sql.rm_levels_of(name)).items() -%}
    {%- if asked.at is none and other not in choices.names -%}
        {%- do asked.update({'name': other, 'at': level}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set unknown = 'Unknown metric ' ~ rankmetrics_sql.rm_written_value(text | trim) ~ '. ' -%}
{%- set nearest = rankmetrics_sql.rm_nearest_name(asked.name, choices.names | list + ambiguous | list) -%}
{%- if nearest is none -%}
    {%- set metrics = rankmetrics_sql.rm_known_metrics() | list -%}
    {{ return(unknown ~ 'There are ' ~ metrics | length ~ ', from ' ~ metrics[0] ~ ' to ' ~ metrics[-1]
        ~ '; `rankmetrics metrics` lists them.') }}
{%- elif nearest not in choices.names -%}
    {{ return(unknown ~ "Did you mean '" ~ nearest ~ "'? That is " ~ ambiguous[nearest] | replace('@10', '@'
        ~ (asked.at or 10)) ~ '.') }}
{%- endif -%}
{%- set spelt = rankmetrics_sql.rm_spelt(nearest, choices) -%}
{%- set metric = rankmetrics_sql.rm_known_metrics()[spelt.name] -%}
{%- set needed = {'level': none} -%}
{%- for family, levels in rankmetrics_sql.rm_known_families().items() if family | lower == nearest -%}
    {%- do needed.update({'level': none if nearest == spelt.name else rankmetrics_sql.rm_level_of(levels)}) -%}
{%- endfor -%}
{%- set level = asked.at or needed.level -%}
{%- set takes = metric.at in metric.params and metric.at not in spelt.params -%}
{%- set params = '(' ~ text.split('(')[1].split(')')[0] ~ ')' if '(' in text else '' -%}
{{ return(unknown ~ "Did you mean '" ~ nearest ~ params ~ ('@' ~ level if level is not none and takes else '')
    ~ "'?") }}
{% endmacro %}

{#- What is said of a name of trec_eval's for many metrics. -#}
{% macro rm_nickname(name) %}
{{ return(name ~ ' stands for many metrics on the command line (-m ' ~ name
    ~ "). Elsewhere pass a list, such as ['ndcg@10', 'p@5'].") }}
{% endmacro %}

{#- A level of a family of trec_eval's, for a message. -#}
{% macro rm_level_of(levels) %}
{{ return('10' if '10' in levels else levels[1]) }}
{% endmacro %}

{#- Of known names the one with most letters and pairs of letters in common with a name; none where that are few. -#}
{% macro rm_nearest_name(name, known) %}
{%- set marked = '^' ~ name | lower ~ '$' -%}
{%- set best = {'name': none, 'likeness': 0.5} -%}
{%- for other in known -%}
    {%- set there = '^' ~ other | lower ~ '$' -%}
    {%- set common = {'n': 0} -%}
    {%- set lengths = [marked | length, there | length] -%}
    {%- set most = (2 * lengths | min - 3) / (lengths[0] + lengths[1] - 3) -%}
    {%- for size in ([1, 2] if most > best.likeness else []) -%}
        {%- set seen = [] -%}
        {%- for place in range(2 - size, there | length - 1) -%}
            {%- set piece = there[place:place + size] -%}
            {%- if piece not in seen -%}
                {%- set n = [marked.split(piece) | length, there.split(piece) | length] | min - 1 -%}
                {%- do common.update({'n': common.n + n}) -%}
            {%- endif -%}
            {%- do seen.append(piece) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set likeness = common.n / (lengths[0] + lengths[1] - 3) -%}
    {%- if likeness > best.likeness -%}{%- do best.update({'name': other, 'likeness': likeness}) -%}{%- endif -%}
{%- endfor -%}
{{ return(best.name) }}
{% endmacro %}

{#-
The texts that a text stands for, itself or those of a family of trec_eval's, and what is wrong with its name, or none:
P is P_5, P_10 ... under its profiles.
-#}
{% macro rm_with_levels(text, choices) %}
{%- set spec = rankmetrics_sql.rm_parsed_metric(text) -%}
{%- if spec.problem is not none -%}{{ return({'texts': [], 'problem': spec.problem}) }}{%- endif -%}
{%- set families = rankmetrics_sql.rm_known_families() -%}
{%- set itself = {'texts': [text], 'problem': none} -%}
{%- set found = rankmetrics_sql.rm_found_name(spec, choices) -%}
{%- set is_known = found.name is not none -%}
{%- set problem = rankmetrics_sql.rm_name_problem(text, found, choices) if is_known else none -%}
{%- set is_family = spec.name in families and spec.at is none -%}
{%- if is_known and problem is none and not is_family -%}{{ return(itself) }}{%- endif -%}
{%- if rankmetrics_sql.rm_custom_metric(text, spec, choices) is not none -%}{{ return(itself) }}{%- endif -%}
{%- if not is_known or problem is not none -%}
    {{ return({'texts': [], 'problem': problem or rankmetrics_sql.rm_unknown_name(text, spec, choices)}) }}
{%- endif -%}
{%- set own = choices.preset.families -%}
{%- set named = rankmetrics_sql.rm_named_metric(text, spec, choices) -%}
{%- set metrics = rankmetrics_sql.rm_known_metrics() -%}
{%- set metric = metrics[named.name] -%}
{%- if metric.at in named.given -%}{{ return(itself) }}{%- endif -%}
{%- if spec.name in own -%}
    {%- set texts = [] -%}
    {%- for level in own[spec.name] -%}
        {%- do texts.append(spec.name ~ '_' ~ level ~ text[spec.name | length:]) -%}
    {%- endfor -%}
    {{ return({'texts': texts, 'problem': none}) }}
{%- endif -%}
{%- if spec.name in metrics or spec.name | lower in choices.preset.spellings -%}{{ return(itself) }}{%- endif -%}
{%- set is_required = metric.params[metric.at].required is defined -%}
{{ return({'texts': [], 'problem': rankmetrics_sql.rm_where(text) ~ ': ' ~ spec.name ~ ' needs a '
    ~ ('cutoff' if metric.at == 'k' else 'level') ~ ': ' ~ spec.name ~ '@'
    ~ rankmetrics_sql.rm_level_of(families[spec.name]) ~ '.'
    ~ ('' if is_required else ' Without one write ' ~ named.name ~ '.')}) }}
{% endmacro %}

{#- ap(rel=2)@100 is ap_rel_2_at_100. -#}
{% macro rm_column_name(name, at, given) %}
{%- set parts = [name] -%}
{%- for param, value in given.items() if param != at -%}
    {%- set words = [] -%}
    {%- if value is mapping -%}
        {%- for grade, gain in value.items() -%}
            {%- do words.append(rankmetrics_sql.rm_word(grade) ~ '_to_' ~ rankmetrics_sql.rm_word(gain)) -%}
        {%- endfor -%}
    {%- else -%}
        {%- set is_type = param in ['type', 'click'] -%}
        {%- do words.append(rankmetrics_sql.rm_word(value | replace('-', '_') if is_type else value)) -%}
    {%- endif -%}
    {%- do parts.append(param | lower ~ '_' ~ words | join('_and_')) -%}
{%- endfor -%}
{%- if at in given and given[at] is not none -%}
    {%- do parts.append('at_' ~ rankmetrics_sql.rm_word(given[at])) -%}
{%- endif -%}
{{ return(parts | join('_')) }}
{% endmacro %}

{#- A value as part of a name: letters and digits, anything else an underscore. -#}
{% macro rm_word(value) %}
{%- set marks = [] -%}
{%- for mark in value | string | lower | replace('-', 'minus_') -%}
    {%- if mark in 'abcdefghijklmnopqrstuvwxyz0123456789' -%}
        {%- do marks.append(mark) -%}
    {%- elif marks and marks[-1] != '_' -%}
        {%- do marks.append('_') -%}
    {%- endif -%}
{%- endfor -%}
{{ return((marks[:-1] if marks and marks[-1] == '_' else marks) | join) }}
{% endmacro %}
