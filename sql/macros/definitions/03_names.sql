{#- The metric that a name stands for, and the column that a metric becomes: Python's definitions/names.py. -#}

{#- The metric of a name, the parameters that the name stands for, those given, and what it is at. -#}
{% macro rm_named_metric(text, spec, preset) %}
{%- set name = spec.name | lower -%}
{%- set spellings = rankmetrics_sql.rm_known_spellings() -%}
{%- set known = {} -%}
{%- do known.update(spellings) -%}
{%- do known.update(preset.spellings) -%}
{%- set found = {'name': name, 'at': spec.at} -%}
{%- for other in known if name not in known and name[:other | length] == other -%}
    {%- set level = rankmetrics_sql.rm_level(name[other | length:]) -%}
    {%- if level != '' and spec.at is not none -%}
        {%- do rankmetrics_sql.rm_raise("Metric '" ~ text ~ "' gives its cutoff twice.") -%}
    {%- elif level != '' -%}
        {%- do found.update({'name': other, 'at': level}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if found.name not in known -%}{%- do rankmetrics_sql.rm_refuse_name(text, name, spec.at) -%}{%- endif -%}
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
            {%- do rankmetrics_sql.rm_raise("Metric '" ~ text ~ "': " ~ name ~ ' cannot be ' ~ value ~ '. Valid: '
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

{% macro rm_refuse_name(text, name, at=none) %}
{%- for other, meanings in rankmetrics_sql.rm_known_ambiguous().items() if name[:other | length] == other -%}
    {%- set level = rankmetrics_sql.rm_level(name[other | length:]) -%}
    {%- if name == other or level != '' -%}
        {%- set asked = meanings | replace('@10', '@' ~ (level or at or 10)) -%}
        {%- do rankmetrics_sql.rm_raise("Metric '" ~ text ~ "': " ~ other ~ ' is ' ~ asked ~ '; say which.') -%}
    {%- endif -%}
{%- endfor -%}
{%- set nearest = rankmetrics_sql.rm_nearest_name(name, rankmetrics_sql.rm_known_spellings()) -%}
{%- set advice = "Did you mean '" ~ nearest ~ "'?" if nearest is not none
    else "The package's README.md lists all metrics." -%}
{%- do rankmetrics_sql.rm_raise("Unknown metric '" ~ text ~ "'. " ~ advice) -%}
{% endmacro %}

{#- Of known names the one that has most letters in common with a name; none where that are few. -#}
{% macro rm_nearest_name(name, known) %}
{%- set best = {'name': none, 'likeness': 0.6} -%}
{%- for other in known -%}
    {%- set letters = {'left': name, 'common': 0} -%}
    {%- for letter in other if letter in letters.left -%}
        {%- do letters.update({'left': letters.left | replace(letter, '', 1), 'common': letters.common + 1}) -%}
    {%- endfor -%}
    {%- set likeness = 2 * letters.common / (name | length + other | length)
        + (0.1 if name[:1] == other[:1] else 0) -%}
    {%- if likeness > best.likeness -%}{%- do best.update({'name': other, 'likeness': likeness}) -%}{%- endif -%}
{%- endfor -%}
{{ return(best.name) }}
{% endmacro %}

{#- The text, or those that a family of trec_eval's stands for: P is P_5, P_10 ... under its profiles. -#}
{% macro rm_with_levels(text, choices) %}
{%- set spec = rankmetrics_sql.rm_parsed_metric(text) -%}
{%- set families = rankmetrics_sql.rm_known_families() -%}
{%- if spec.name not in families or spec.at is not none -%}{{ return([text]) }}{%- endif -%}
{%- if rankmetrics_sql.rm_custom_metric(text, spec, choices) is not none -%}{{ return([text]) }}{%- endif -%}
{%- set own = choices.preset.families -%}
{%- set named = rankmetrics_sql.rm_named_metric(text, spec, choices.preset) -%}
{%- set metrics = rankmetrics_sql.rm_known_metrics() -%}
{%- if metrics[named.name].at in named.given or metrics[named.name].at in named.params -%}
    {{ return([text]) }}
{%- endif -%}
{%- set texts = [] -%}
{%- if spec.name in own -%}
    {%- for level in own[spec.name] -%}
        {%- do texts.append(spec.name ~ '_' ~ level ~ text[spec.name | length:]) -%}
    {%- endfor -%}
    {{ return(texts) }}
{%- endif -%}
{%- if spec.name in metrics or spec.name | lower in choices.preset.spellings -%}{{ return([text]) }}{%- endif -%}
{%- for level in families[spec.name] -%}{%- do texts.append(spec.name ~ '_' ~ level) -%}{%- endfor -%}
{%- do rankmetrics_sql.rm_raise("Metric '" ~ text ~ "': " ~ spec.name ~ ' alone is ' ~ texts[0] ~ ', '
    ~ texts[1] ~ ' ... ' ~ texts[-1] ~ ' in trec_eval: write the one that is meant, ' ~ named.name
    ~ ' for the metric without a level, or take profile=trec_eval for all of them.') -%}
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
