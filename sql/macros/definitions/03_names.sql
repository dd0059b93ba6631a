{#- The metric that a name stands for, and the column that a metric becomes: Python's definitions/names.py. -#}

{#- The metric of every name, names of a profile included. -#}
{% macro rm_names_under(preset) %}
{%- set known = {} -%}
{%- do known.update(rankmetrics_sql.rm_known_spellings()) -%}
{%- do known.update(preset.spellings) -%}
{{ return(known) }}
{% endmacro %}

{#- A name without the level at its end, what the metric is at, and what is wrong with the name, or none. -#}
{% macro rm_found_name(text, spec, preset) %}
{%- set name = spec.name | lower -%}
{%- set known = rankmetrics_sql.rm_names_under(preset) -%}
{%- set found = {'name': name, 'at': spec.at, 'problem': none} -%}
{%- for other in known if name not in known and name[:other | length] == other -%}
    {%- set level = rankmetrics_sql.rm_level(name[other | length:]) -%}
    {%- if level != '' and spec.at is not none -%}
        {%- do found.update({'name': other, 'problem': "Metric '" ~ text ~ "' gives its cutoff twice."}) -%}
    {%- elif level != '' -%}
        {%- do found.update({'name': other, 'at': level}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if found.name not in known -%}
    {%- do found.update({'problem': rankmetrics_sql.rm_unknown_name(text, name, spec.at)}) -%}
{%- endif -%}
{{ return(found) }}
{% endmacro %}

{#- The metric of a name, the parameters that the name stands for, those given, and what it is at. -#}
{% macro rm_named_metric(text, spec, preset) %}
{%- set spellings = rankmetrics_sql.rm_known_spellings() -%}
{%- set known = rankmetrics_sql.rm_names_under(preset) -%}
{%- set found = rankmetrics_sql.rm_found_name(text, spec, preset) -%}
{%- if found.problem is not none -%}{%- do rankmetrics_sql.rm_raise(found.problem) -%}{%- endif -%}
{%- set own = rankmetrics_sql.rm_parsed_metric(known[found.name]) -%}
{%- set spelt = spellings[own.name | lower] -%}
{%- set inner = own if spelt == own.name else rankmetrics_sql.rm_parsed_metric(spelt) -%}
{%- do inner.params.update(own.params) -%}
{%- set given = rankmetrics_sql.rm_translated(text, spec, [found.name, inner.name], preset) -%}
{{ return({'name': inner.name, 'params': inner.params, 'given': given, 'at': found.at}) }}
{% endmacro %}

{#- The parameters of a string by our names: Python's definitions/translation.py. -#}
{% macro rm_translated(text, spec, names, preset) %}
{%- set metric = rankmetrics_sql.rm_known_metrics()[names[1]] -%}
{%- set known = {} -%}
{%- set refused = {} -%}
{%- for tool in [rankmetrics_sql.rm_known_translations(), preset] -%}
    {%- do known.update(tool.parameters) -%}
    {%- do refused.update(tool.refused) -%}
{%- endfor -%}
{%- set found = {} -%}
{%- for name, value in spec.params.items() -%}
    {%- set chosen = name ~ '=' ~ rankmetrics_sql.rm_parsed_value(value) | string | lower -%}
    {%- set keys = [] -%}
    {%- for own in names -%}{%- do keys.extend([own ~ '(' ~ chosen ~ ')', own ~ '(' ~ name ~ ')']) -%}{%- endfor -%}
    {%- set key = (keys + [chosen, name]) | select('in', known.keys() | list + refused.keys() | list) | first
        | default(none) -%}
    {%- set meant = name -%}
    {%- if key in refused -%}
        {%- do rankmetrics_sql.rm_raise("Metric '" ~ text ~ "': " ~ (name ~ value if name == '-l' else name ~ '='
            ~ rankmetrics_sql.rm_parsed_value(value)) ~ ' has no counterpart here; ' ~ refused[key] ~ '.') -%}
    {%- elif key is not none -%}
        {%- set meant = known[key] -%}
    {%- elif not rankmetrics_sql.rm_is_taken(metric, name) -%}
        {%- set values = [] -%}
        {%- for other in known if other[:name | length + 1] == name ~ '=' -%}
            {%- do values.append(other[name | length + 1:]) -%}
        {%- endfor -%}
        {%- if values -%}
            {%- do rankmetrics_sql.rm_raise("Metric '" ~ text ~ "': " ~ name ~ ' cannot be '
                ~ rankmetrics_sql.rm_written_value(value) ~ '. Valid: '
                ~ values | join(', ') ~ '.') -%}
        {%- endif -%}
    {%- endif -%}
    {%- set own = {meant if rankmetrics_sql.rm_is_taken(metric, meant) else name: value} -%}
    {%- set own = rankmetrics_sql.rm_parsed_params(text, meant) if '=' in meant or meant == '' else own -%}
    {%- for ours, given in own.items() -%}
        {%- if ours in found -%}
            {%- do rankmetrics_sql.rm_raise("Metric '" ~ text ~ "': " ~ ours ~ ' is given twice.') -%}
        {%- endif -%}
        {%- do found.update({ours: given}) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(found) }}
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

{#- Says what an unknown name may mean, with the parameters and the cutoff that were asked for. -#}
{% macro rm_unknown_name(text, name, at=none) %}
{%- for other, meanings in rankmetrics_sql.rm_known_ambiguous().items() if name[:other | length] == other -%}
    {%- set level = rankmetrics_sql.rm_level(name[other | length:]) -%}
    {%- if name == other or level != '' -%}
        {%- set asked = meanings | replace('@10', '@' ~ (level or at or 10)) -%}
        {{ return("Metric '" ~ text ~ "': " ~ other ~ ' is ' ~ asked ~ '; say which.') }}
    {%- endif -%}
{%- endfor -%}
{%- set spellings = rankmetrics_sql.rm_known_spellings() -%}
{%- set digits = name.split('_')[-1] if at is none and '_' in name else '' -%}
{%- set has_level = rankmetrics_sql.rm_is_whole(digits) -%}
{%- set bare = name[:-(digits | length + 1)] if has_level else name -%}
{%- set ambiguous = rankmetrics_sql.rm_known_ambiguous() -%}
{%- set nearest = rankmetrics_sql.rm_nearest_name(bare, (spellings | list) + (ambiguous | list)) -%}
{%- if nearest in ambiguous and nearest not in spellings -%}
    {%- set meanings = ambiguous[nearest] | replace('@10', '@' ~ (at or (digits if has_level else 10))) -%}
    {{ return("Unknown metric '" ~ text ~ "'. Did you mean '" ~ nearest ~ "'? That is " ~ meanings ~ '.') }}
{%- endif -%}
{%- if nearest is none -%}
    {{ return("Unknown metric '" ~ text ~ "'. The package's README.md lists all metrics.") }}
{%- endif -%}
{%- set spelt = rankmetrics_sql.rm_parsed_metric(spellings[nearest]) -%}
{%- set metric = rankmetrics_sql.rm_known_metrics()[rankmetrics_sql.rm_parsed_metric(spellings[spelt.name]).name] -%}
{%- set known = {'family': none} -%}
{%- for family, levels in rankmetrics_sql.rm_known_families().items() if family | lower == nearest -%}
    {%- do known.update({'family': rankmetrics_sql.rm_level_of(levels)}) -%}
{%- endfor -%}
{%- set needed = known.family if nearest not in rankmetrics_sql.rm_known_metrics() else none -%}
{%- set level = at or (digits if has_level else none) or needed -%}
{%- set takes = metric.at in metric.params and metric.at not in spelt.params -%}
{%- set params = '(' ~ text.split('(')[1].split(')')[0] ~ ')' if '(' in text else '' -%}
{{ return("Unknown metric '" ~ text ~ "'. Did you mean '" ~ nearest ~ params
    ~ ('@' ~ level if level is not none and takes else '') ~ "'?") }}
{% endmacro %}

{#- A level of a family of trec_eval's, for a message. -#}
{% macro rm_level_of(levels) %}
{{ return('10' if '10' in levels else levels[1]) }}
{% endmacro %}

{#- Of known names the one that has most letters in common with a name; none where that are few. -#}
{% macro rm_nearest_name(name, known) %}
{%- set best = {'name': none, 'likeness': 0.6} -%}
{%- for other in known -%}
    {%- set letters = {'left': name, 'common': 0} -%}
    {%- for letter in other if letter in letters.left -%}
        {%- set around = letters.left.split(letter) -%}
        {%- do letters.update({'left': around[0] ~ around[1:] | join(letter), 'common': letters.common + 1}) -%}
    {%- endfor -%}
    {%- set likeness = 2 * letters.common / (name | length + other | length)
        + (0.1 if name[:1] == other[:1] else 0) -%}
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
{%- set families = rankmetrics_sql.rm_known_families() -%}
{%- set itself = {'texts': [text], 'problem': none} -%}
{%- set found = rankmetrics_sql.rm_found_name(text, spec, choices.preset) -%}
{%- set is_family = spec.name in families and spec.at is none -%}
{%- if found.problem is none and not is_family -%}{{ return(itself) }}{%- endif -%}
{%- if rankmetrics_sql.rm_custom_metric(text, spec, choices) is not none -%}{{ return(itself) }}{%- endif -%}
{%- if found.problem is not none -%}{{ return({'texts': [], 'problem': found.problem}) }}{%- endif -%}
{%- set own = choices.preset.families -%}
{%- set named = rankmetrics_sql.rm_named_metric(text, spec, choices.preset) -%}
{%- set metrics = rankmetrics_sql.rm_known_metrics() -%}
{%- set metric = metrics[named.name] -%}
{%- if metric.at in named.given or metric.at in named.params -%}{{ return(itself) }}{%- endif -%}
{%- if spec.name in own -%}
    {%- set texts = [] -%}
    {%- for level in own[spec.name] -%}
        {%- do texts.append(spec.name ~ '_' ~ level ~ text[spec.name | length:]) -%}
    {%- endfor -%}
    {{ return({'texts': texts, 'problem': none}) }}
{%- endif -%}
{%- if spec.name in metrics or spec.name | lower in choices.preset.spellings -%}{{ return(itself) }}{%- endif -%}
{%- set is_required = metric.params[metric.at].required is defined -%}
{{ return({'texts': [], 'problem': "Metric '" ~ text ~ "': " ~ spec.name ~ ' needs a '
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
        {%- do words.append(rankmetrics_sql.rm_word(value)) -%}
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
