{#-
Metric strings, name(param=value, ...)@k, made into metrics with a value for every choice: what the Python package does in
spec.py and choices.py, for callers that have templates only. tests/metric_strings.toml holds the cases for both.
-#}

{#- Every metric with all its choices, in the order asked for. -#}
{% macro rm_resolved_metrics(texts, choices) %}
{%- set resolved = [] -%}
{%- set labels = {} -%}
{%- for text in rankmetrics_sql.rm_distinct_texts(texts, choices) -%}
    {%- for metric in rankmetrics_sql.rm_with_bounds(rankmetrics_sql.rm_resolve(text, choices)) -%}
        {%- if metric.column in labels -%}
            {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ labels[metric.column] ~ "' and '" ~ metric.label ~ "' are the same column " ~ metric.column ~ '; ask for one of them.') }}
        {%- endif -%}
        {%- do labels.update({metric.column: metric.label}) -%}
        {%- if rankmetrics_sql.rm_is_guarded(metric) -%}{%- do metric.update({'needs': metric.needs + ['n_relevant']}) -%}{%- endif -%}
        {%- do resolved.append(metric) -%}
    {%- endfor -%}
{%- endfor -%}
{%- if not resolved -%}
    {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: name at least one, such as 'ndcg@10'.") }}
{%- endif -%}
{{ return(resolved) }}
{% endmacro %}

{#- Each text once; the filter unique would take rr and RR for one. -#}
{% macro rm_distinct_texts(texts, choices) %}
{%- set found = [] -%}
{%- for text in ([texts] if texts is string else texts) -%}
    {%- for name in rankmetrics_sql.rm_with_levels(text | trim, choices) -%}
        {%- if name not in found -%}{%- do found.append(name) -%}{%- endif -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- The text, or those that a family of trec_eval's stands for: P is P_5, P_10 ... under its profiles. -#}
{% macro rm_with_levels(text, choices) %}
{%- set spec = rankmetrics_sql.rm_parsed_metric(text) -%}
{%- set families = rankmetrics_sql.rm_known_families() -%}
{%- if spec.name not in families or spec.at is not none or rankmetrics_sql.rm_custom_metric(text, spec, choices) is not none -%}{{ return([text]) }}{%- endif -%}
{%- set named = rankmetrics_sql.rm_named_metric(text, spec, choices.preset) -%}
{%- set metrics = rankmetrics_sql.rm_known_metrics() -%}
{%- set is_own = spec.name in choices.preset.families -%}
{%- if metrics[named.name].at in spec.params or (not is_own and (spec.name in metrics or spec.name | lower in choices.preset.spellings)) -%}{{ return([text]) }}{%- endif -%}
{%- set texts = [] -%}
{%- for level in families[spec.name] if not is_own -%}{%- do texts.append(spec.name ~ '_' ~ level) -%}{%- endfor -%}
{%- if texts -%}
    {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "': " ~ spec.name ~ ' alone is ' ~ texts[0] ~ ', ' ~ texts[1] ~ ' ... ' ~ texts[-1] ~ ' in trec_eval: write the one that is meant, ' ~ named.name ~ ' for the metric without a level, or take profile=trec_eval for all of them.') }}
{%- endif -%}
{%- for level in choices.preset.families[spec.name] -%}{%- do texts.append(spec.name ~ '_' ~ level ~ text[spec.name | length:]) -%}{%- endfor -%}
{{ return(texts) }}
{% endmacro %}

{#- A value for every option: the given one, else the profile's, else the default. -#}
{% macro rm_choices(given, profile) %}
{%- set known = rankmetrics_sql.rm_known_options() -%}
{%- set profiles = rankmetrics_sql.rm_known_profiles() -%}
{%- if profile is not none and profile not in profiles -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: profile: there is no ' ~ profile ~ '. Valid: ' ~ profiles | list | join(', ') ~ '.') }}
{%- endif -%}
{%- set preset = profiles[profile] if profile is not none else {'options': {}, 'metrics': {}, 'spellings': {}, 'families': {}} -%}
{%- set checked = {} -%}
{%- for name, value in given.items() -%}
    {%- if name not in known -%}
        {{ exceptions.raise_compiler_error('rankmetrics_sql: options: there is no ' ~ name ~ '. Valid: ' ~ known | list | join(', ') ~ '.') }}
    {%- endif -%}
    {%- do checked.update({name: rankmetrics_sql.rm_checked(known[name], name, value, 'options')}) -%}
{%- endfor -%}
{%- set options = {} -%}
{%- for name, option in known.items() -%}{%- do options.update({name: option.default}) -%}{%- endfor -%}
{%- do options.update(preset.options) -%}
{%- do options.update(checked) -%}
{{ return({'options': options, 'given': checked, 'preset': preset}) }}
{% endmacro %}

{#- One metric string: {name, at, params}, the values still as they were written. -#}
{% macro rm_parsed_metric(text) %}
{%- set opened = text.split('(') -%}
{%- set closed = opened[-1].split(')') -%}
{%- set tail = closed[-1] | trim if opened | length > 1 else '@' ~ text.split('@')[1:] | join('@') if '@' in text else '' -%}
{%- set name = (opened[0] if opened | length > 1 else text.split('@')[0]) | trim -%}
{%- set at = tail[1:] | trim -%}
{%- set balanced = opened | length == closed | length and opened | length <= 2 -%}
{%- if not balanced or name == '' or (tail != '' and (tail[0] != '@' or at == '' or '@' in at)) -%}
    {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "' is not of the form name(param=value, ...)@k, such as 'ndcg(gain=exp2)@10'.") }}
{%- endif -%}
{%- set params = rankmetrics_sql.rm_parsed_params(text, closed[0] if opened | length > 1 else '') -%}
{{ return({'name': name, 'at': at if tail != '' else none, 'params': params}) }}
{% endmacro %}

{#- The parameters in parentheses; a comma inside a map {1:3,2:9} separates nothing. -#}
{% macro rm_parsed_params(text, inner) %}
{%- set params = {} -%}
{%- set pieces = [] -%}
{%- set unclosed = {'text': ''} -%}
{%- for part in inner.split(',') -%}
    {%- set piece = unclosed.text ~ part -%}
    {%- set is_open = '{' in piece and '}' not in piece and not loop.last -%}
    {%- do unclosed.update({'text': piece ~ ',' if is_open else ''}) -%}
    {%- if not is_open -%}{%- do pieces.append(piece) -%}{%- endif -%}
{%- endfor -%}
{%- for piece in pieces if piece | trim != '' -%}
    {%- set name = piece.split('=')[0] | trim -%}
    {%- set value = piece.split('=')[1:] | join('=') | trim -%}
    {%- if name == '' or value == '' or name in params -%}
        {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "': cannot read '" ~ piece | trim ~ "'; expected each name=value once.") }}
    {%- endif -%}
    {%- do params.update({name: value}) -%}
{%- endfor -%}
{{ return(params) }}
{% endmacro %}

{#- The metric that a name stands for, and the parameters that stand in the name: {name, params, at}. -#}
{% macro rm_named_metric(text, spec, preset) %}
{%- set known = {} -%}
{%- do known.update(rankmetrics_sql.rm_known_spellings()) -%}
{%- do known.update(preset.spellings) -%}
{%- set found = {'name': spec.name | lower, 'at': spec.at} -%}
{%- if found.name not in known -%}
    {%- for other in known if found.name[:other | length] == other and found.name == spec.name | lower -%}
        {%- set rest = found.name[other | length:] -%}
        {%- set number = rest[4:] if rest[:4] == '_at_' else rest[1:] if rest[:1] in ['_', '.'] else '' -%}
        {%- if spec.at is none and rankmetrics_sql.rm_is_number(number) and number[:1] not in ['-', '+'] -%}
            {%- do found.update({'name': other, 'at': number}) -%}
        {%- endif -%}
    {%- endfor -%}
{%- endif -%}
{%- if found.name not in known -%}
    {%- for other, meanings in rankmetrics_sql.rm_known_ambiguous().items() if found.name[:other | length] == other -%}
        {%- set rest = found.name[other | length:] -%}
        {%- if rest == '' or (rest[:1] in ['_', '.'] and rankmetrics_sql.rm_is_number(rest[4:] if rest[:4] == '_at_' else rest[1:])) -%}
            {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "': " ~ other ~ ' is ' ~ meanings ~ '; say which.') }}
        {%- endif -%}
    {%- endfor -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: metrics: there is no ' ~ spec.name ~ '. Valid: ' ~ rankmetrics_sql.rm_known_metrics() | list | join(', ') ~ '.') }}
{%- endif -%}
{%- set own = rankmetrics_sql.rm_parsed_metric(known[found.name]) -%}
{%- if own.name not in rankmetrics_sql.rm_known_metrics() -%}
    {%- set inner = rankmetrics_sql.rm_parsed_metric(rankmetrics_sql.rm_known_spellings()[own.name | lower]) -%}
    {%- do inner.params.update(own.params) -%}
    {{ return({'name': inner.name, 'params': inner.params, 'at': found.at}) }}
{%- endif -%}
{{ return({'name': own.name, 'params': own.params, 'at': found.at}) }}
{% endmacro %}

{#- One metric string with a value for every choice, as rm_query wants its metrics. -#}
{% macro rm_resolve(text, choices) %}
{%- set spec = rankmetrics_sql.rm_parsed_metric(text) -%}
{%- set custom = rankmetrics_sql.rm_custom_metric(text, spec, choices) -%}
{%- if custom is not none -%}{{ return(custom) }}{%- endif -%}
{%- set named = rankmetrics_sql.rm_named_metric(text, spec, choices.preset) -%}
{%- set metric = rankmetrics_sql.rm_known_metrics()[named.name] -%}
{%- set given = rankmetrics_sql.rm_given_params(text, spec, named, metric) -%}
{%- set chosen = {} -%}
{%- do chosen.update(choices.options) -%}
{%- for name, parameter in metric.params.items() if name not in chosen -%}{%- do chosen.update({name: parameter.default}) -%}{%- endfor -%}
{%- do chosen.update(choices.preset.metrics[named.name] if named.name in choices.preset.metrics else {}) -%}
{%- if given.k is defined and named.name ~ '@k' in choices.preset.metrics -%}{%- do chosen.update(choices.preset.metrics[named.name ~ '@k']) -%}{%- endif -%}
{%- do chosen.update(choices.given) -%}
{%- do chosen.update(given) -%}
{%- set params = {} -%}
{%- for name in metric.param_names -%}
    {%- if chosen[name] is none and name in metric.params and metric.params[name].required is defined -%}
        {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "': " ~ named.name ~ ' needs ' ~ name ~ '. Write ' ~ named.name ~ '(' ~ name ~ '=...).') }}
    {%- endif -%}
    {%- do params.update({name: chosen[name]}) -%}
{%- endfor -%}
{%- set ranking = rankmetrics_sql.rm_chosen_ranking(chosen, metric.about_judgments) -%}
{%- do rankmetrics_sql.rm_check_choices(text, named.name, metric, params, ranking) -%}
{{ return({
    'name': named.name,
    'label': text,
    'column': rankmetrics_sql.rm_column_name(named.name, metric.at, given),
    'params': params,
    'x': none,
    'ranking': ranking,
    'needs': rankmetrics_sql.rm_needs(metric, params),
    'aggregate': chosen.aggregate if chosen.aggregate != 'declared' else rankmetrics_sql.rm_declared_aggregate(metric, params),
    'skips': (params.no_relevant is defined and params.no_relevant == 'skip') or (params.zero_ideal is defined and params.zero_ideal == 'skip'),
    'has_columns': metric.has_columns,
    'has_relation': metric.has_relation,
    'has_parts': metric.has_parts,
}) }}
{% endmacro %}

{#- A grade that is only assumed is no judgment, for the metrics that count judgments; what drops nothing is no choice. -#}
{% macro rm_chosen_ranking(chosen, about_judgments) %}
{%- set options = rankmetrics_sql.rm_known_options() -%}
{%- set ranking = {} -%}
{%- for name, option in options.items() if option.scope == 'ranking' -%}{%- do ranking.update({name: chosen[name]}) -%}{%- endfor -%}
{%- if about_judgments and ranking.unjudged not in ['nonrelevant', 'drop'] -%}{%- do ranking.update({'unjudged': 'nonrelevant'}) -%}{%- endif -%}
{%- if ranking.unjudged != 'drop' -%}{%- do ranking.update({'negative_grades': options.negative_grades.default}) -%}{%- endif -%}
{{ return(ranking) }}
{% endmacro %}

{#- The parameters that a string gives, in its order: those of its spelling, those in parentheses, what stands behind @. -#}
{% macro rm_given_params(text, spec, named, metric) %}
{%- set options = rankmetrics_sql.rm_known_options() -%}
{%- set written = {} -%}
{%- do written.update(named.params) -%}
{%- for name, value in spec.params.items() -%}
    {%- set aliased = [] -%}
    {%- for other, option in options.items() if name in option.aliases -%}{%- do aliased.append(other) -%}{%- endfor -%}
    {%- do written.update({aliased[0] if aliased else name: value}) -%}
{%- endfor -%}
{%- if named.at is not none -%}
    {%- if metric.at not in metric.params -%}
        {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "': " ~ named.name ~ ' has no cutoff.') }}
    {%- elif metric.at in spec.params -%}
        {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "' gives its cutoff twice.") }}
    {%- endif -%}
    {%- do written.update({metric.at: named.at}) -%}
{%- endif -%}
{%- set given = {} -%}
{%- for name, value in written.items() -%}
    {%- if name in metric.params -%}
        {%- set parameter = metric.params[name] -%}
    {%- elif name in options and (name in metric.options or options[name].scope in ['ranking', 'summary']) -%}
        {%- set parameter = options[name] -%}
    {%- else -%}
        {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ text ~ "': " ~ named.name ~ ' has no parameter ' ~ name ~ '. Valid: ' ~ metric.param_names | join(', ') ~ '.') }}
    {%- endif -%}
    {%- do given.update({name: rankmetrics_sql.rm_checked(parameter, name, value, "metrics: '" ~ text ~ "'")}) -%}
{%- endfor -%}
{{ return(given) }}
{% endmacro %}

{#- A value as the parameter takes it: a number, one of its choices, a map of gains, none. -#}
{% macro rm_checked(parameter, name, value, where) %}
{%- set value = rankmetrics_sql.rm_parsed_value(value, where) -%}
{%- if value is mapping and parameter.type == 'gain' -%}{{ return(value) }}{%- endif -%}
{%- if value is none -%}{{ return(parameter.default) }}{%- endif -%}
{%- if value == 'none' -%}
    {%- if parameter.default is none -%}{{ return(none) }}{%- endif -%}
    {%- if 'none' in parameter.choices -%}{{ return('none') }}{%- endif -%}
{%- endif -%}
{%- for choice in parameter.choices if choice | string == value | string | lower -%}{{ return(choice) }}{%- endfor -%}
{%- set limits = parameter.limits -%}
{%- set is_whole = value is number and value == value | int -%}
{%- set takes_numbers = not parameter.choices or limits -%}
{%- if not takes_numbers or value is not number or (parameter.type in ['int', 'integer'] and not is_whole)
    or (limits.min is defined and value < limits.min) or (limits.max is defined and value > limits.max)
    or (limits.above is defined and value <= limits.above) or (limits.below is defined and value >= limits.below) -%}
    {{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ where ~ ': ' ~ name ~ ' cannot be ' ~ value ~ '. ' ~ rankmetrics_sql.rm_expected(parameter)) }}
{%- endif -%}
{{ return(value) }}
{% endmacro %}

{% macro rm_expected(parameter) %}
{%- set limits = [] -%}
{%- for name, words in {'min': 'at least ', 'max': 'at most ', 'above': 'above ', 'below': 'below '}.items() if name in parameter.limits -%}
    {%- do limits.append(words ~ parameter.limits[name]) -%}
{%- endfor -%}
{%- set kind = 'a whole number' if parameter.type in ['int', 'integer'] else 'a number' -%}
{%- if parameter.choices -%}{{ return('Valid: ' ~ parameter.choices | join(', ') ~ (' or ' ~ kind if limits else '') ~ '.') }}{%- endif -%}
{{ return(('Expected ' ~ kind ~ ' ' ~ limits | join(' and ')) | trim ~ '.') }}
{% endmacro %}

{#- A written value: 1 and 1.0 are the same number, {1:3,2:9} is a map, quotes are taken off. -#}
{% macro rm_parsed_value(value, where) %}
{%- if value is not string -%}{{ return(value) }}{%- endif -%}
{%- set text = value | trim -%}
{%- if rankmetrics_sql.rm_is_number(text) -%}{{ return(rankmetrics_sql.rm_as_number(text)) }}{%- endif -%}
{%- if text[:1] == '{' and text[-1:] == '}' -%}
    {%- set pairs = {} -%}
    {%- for pair in text[1:-1].split(',') -%}
        {%- set grade = pair.split(':')[0] | trim -%}
        {%- set gain = pair.split(':')[1:] | join(':') | trim -%}
        {%- if not rankmetrics_sql.rm_is_number(grade) or not rankmetrics_sql.rm_is_number(gain) -%}
            {{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ where ~ ': ' ~ text ~ ' is not a map of grades to gains such as {1:3,2:9}.') }}
        {%- endif -%}
        {%- do pairs.update({rankmetrics_sql.rm_as_number(grade): rankmetrics_sql.rm_as_number(gain)}) -%}
    {%- endfor -%}
    {%- set sorted = {} -%}
    {%- for grade in pairs | list | sort -%}{%- do sorted.update({grade: pairs[grade]}) -%}{%- endfor -%}
    {{ return(sorted) }}
{%- endif -%}
{{ return(text | replace("'", '') | replace('"', '')) }}
{% endmacro %}

{% macro rm_is_number(text) %}
{%- set digits = [] -%}
{%- for mark in text -%}
    {%- if mark in '0123456789' -%}
        {%- do digits.append(mark) -%}
    {%- elif mark not in '.-+eE' or (mark in 'eE' and not digits) or (mark in '-+' and not loop.first and text[loop.index0 - 1] not in 'eE') -%}
        {{ return(false) }}
    {%- endif -%}
{%- endfor -%}
{{ return(digits | length > 0 and text[-1:] in '0123456789.' and text.split('.') | length <= 2) }}
{% endmacro %}

{% macro rm_as_number(text) %}
{%- set number = text | float -%}
{{ return(number | int if number == number | int else number) }}
{% endmacro %}

{#- ap(rel=2)@100 is ap_rel_2_at_100. -#}
{% macro rm_column_name(name, at, given) %}
{%- set parts = [name] -%}
{%- for param, value in given.items() if param != at -%}
    {%- set words = [] -%}
    {%- if value is mapping -%}
        {%- for grade, gain in value.items() -%}{%- do words.append(rankmetrics_sql.rm_word(grade) ~ '_to_' ~ rankmetrics_sql.rm_word(gain)) -%}{%- endfor -%}
    {%- else -%}
        {%- do words.append(rankmetrics_sql.rm_word(value)) -%}
    {%- endif -%}
    {%- do parts.append(param | lower ~ '_' ~ words | join('_and_')) -%}
{%- endfor -%}
{%- if at in given and given[at] is not none -%}{%- do parts.append('at_' ~ rankmetrics_sql.rm_word(given[at])) -%}{%- endif -%}
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

{#- Whether a condition of a header, "k=none" or "k!=none", holds. -#}
{% macro rm_holds(condition, params) %}
{%- set differs = '!=' in condition -%}
{%- set name = condition.split('!=' if differs else '=')[0] -%}
{%- set value = params[name] if name in params else none -%}
{%- set same = ('none' if value is none else value | string) == condition.split('=')[1] -%}
{{ return(not same if differs else same) }}
{% endmacro %}

{% macro rm_needs(metric, params) %}
{%- set needs = metric.needs | list -%}
{%- for condition, more in metric.needs_when.items() if rankmetrics_sql.rm_holds(condition, params) -%}{%- do needs.extend(more) -%}{%- endfor -%}
{%- if params.no_relevant is defined and params.no_relevant != 0 -%}{%- do needs.append('n_relevant') -%}{%- endif -%}
{{ return(needs) }}
{% endmacro %}

{% macro rm_declared_aggregate(metric, params) %}
{%- for condition, aggregate in metric.aggregate_when.items() if rankmetrics_sql.rm_holds(condition, params) -%}{{ return(aggregate) }}{%- endfor -%}
{{ return(metric.aggregate) }}
{% endmacro %}

{#- With unjudged=bounds a metric comes three times: as it is, and as it would be if no, or every, unjudged item were relevant. -#}
{% macro rm_with_bounds(metric) %}
{%- if metric.ranking.unjudged != 'bounds' -%}{{ return([metric]) }}{%- endif -%}
{%- set resolved = [] -%}
{%- for bound, unjudged in {'': 'nonrelevant', 'low': 'nonrelevant', 'high': 'relevant'}.items() -%}
    {%- set ranking = {} -%}
    {%- do ranking.update(metric.ranking) -%}
    {%- do ranking.update({'unjudged': unjudged}) -%}
    {%- set copy = {} -%}
    {%- do copy.update(metric) -%}
    {%- do copy.update({'ranking': ranking, 'label': metric.label ~ (' ' ~ bound if bound else ''), 'column': metric.column ~ ('_' ~ bound if bound else '')}) -%}
    {%- do resolved.append(copy) -%}
{%- endfor -%}
{{ return(resolved) }}
{% endmacro %}

{#- Whether a map of gains gives a higher grade less; a grade that it leaves out keeps its own value. -#}
{% macro rm_falls(gain) %}
{%- if gain is not mapping -%}{{ return(false) }}{%- endif -%}
{%- set grades = [0] -%}
{%- set highest = (gain | list | sort)[-1] -%}
{%- for grade in gain -%}{%- do grades.extend([grade, grade + 1] if grade + 1 < highest else [grade]) -%}{%- endfor -%}
{%- set last = {} -%}
{%- for grade in grades | unique | list | sort -%}
    {%- set worth = gain[grade] if grade in gain else grade if grade > 0 else 0 -%}
    {%- if last.worth is defined and worth < last.worth -%}{{ return(true) }}{%- endif -%}
    {%- do last.update({'worth': worth}) -%}
{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{#- Whether items count by assumed grades that the judgments of a ranking do not hold. -#}
{% macro rm_is_beyond(ranking) %}
{{ return(ranking.judgments == 'given' and ranking.unjudged not in ['nonrelevant', 'drop']) }}
{% endmacro %}

{#- Whether a query without relevant items could have another value than no_relevant=0 says. -#}
{% macro rm_is_guarded(metric) %}
{%- set params = metric.params -%}
{%- set counts_hits = params.rel is defined and params.gain is not defined -%}
{{ return(counts_hits and params.no_relevant is defined and params.no_relevant == 0 and rankmetrics_sql.rm_is_beyond(metric.ranking)) }}
{% endmacro %}

{#- Choices that contradict each other, or that a metric has no formula for: Python's rules in choices.py, and those of a text. -#}
{% macro rm_check_choices(text, name, metric, params, ranking) %}
{%- set expected = ranking.ties == 'expected' and metric.reads_ranks -%}
{%- set by_grade = ranking.ties in ['best', 'worst'] and metric.reads_ranks -%}
{%- set all_relevant = params.ideal_depth is defined and params.ideal_depth == 'all_relevant' -%}
{%- set denominator = params.ap_denominator if params.ap_denominator is defined else none -%}
{%- set k = params.k if params.k is defined else none -%}
{%- do rankmetrics_sql.rm_refuse("metrics: '" ~ text ~ "': ", [
    ['is a curve, not a number.', metric.shape == 'curve'],
    ['ap_denominator=k needs a cutoff, such as ' ~ name ~ '@10.', denominator == 'k' and k is none],
    ['ideal_depth=all_relevant needs a cutoff, such as ' ~ name ~ '@10.', all_relevant and k is none],
    ['ideal_depth=all_relevant needs a cutoff of at most 100000.', all_relevant and k is not none and k > 100000],
    [name ~ ' has no expected value over ties here; choose an order of equal scores.', expected and 'ties' not in params],
    ['ties=best and ties=worst order by grade, and the gains do not rise with it.', by_grade and params.gain is defined and rankmetrics_sql.rm_falls(params.gain)],
    ['ties=best and ties=worst need another ap_denominator than retrieved_relevant where there is a cutoff.', ranking.ties in ['best', 'worst'] and denominator == 'retrieved_relevant' and k is not none],
    ['ties=expected has no closed form for ap_denominator=retrieved_relevant.', expected and denominator == 'retrieved_relevant'],
    ['ties=expected and depth exclude each other: a group of equal scores would be cut. Give the metric a cutoff.', expected and ranking.depth is not none],
    ['judgments=given leaves out what unjudged=' ~ ranking.unjudged ~ ' assumes, and ' ~ name ~ ' would be a share of less than it counts; take judgments=all or unjudged=nonrelevant.', rankmetrics_sql.rm_is_beyond(ranking) and (metric.divides_by_judgments or (params.precision_denominator is defined and params.precision_denominator == 'min_k_relevant') or (params.rbp_gain is defined and params.rbp_gain == 'scaled'))],
    ['no_relevant=error needs an evaluation; a statement cannot refuse. Take null or skip.', params.no_relevant is defined and params.no_relevant == 'error'],
    ['ties=input: a table has no order. Take ties=rank and name the column that has it.', ranking.ties == 'input'],
]) -%}
{% endmacro %}
