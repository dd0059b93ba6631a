{#- Metric strings, options and a profile made into metrics with a value for every choice. -#}

{#- Every metric with all its choices, in the order asked for; compared keeps bounds, which are a range there. -#}
{% macro rm_resolved_metrics(texts, choices, compared=false) %}
{%- set wanted = rankmetrics_sql.rm_distinct_texts(texts, choices) -%}
{%- if not wanted -%}
    {%- do rankmetrics_sql.rm_raise("No metric given. Name at least one, such as 'ndcg@10'.") -%}
{%- endif -%}
{%- set whole = [] -%}
{%- for text in wanted -%}{%- do whole.append(rankmetrics_sql.rm_resolve(text, choices)) -%}{%- endfor -%}
{%- for metric in whole -%}
    {%- do rankmetrics_sql.rm_refuse('value', rankmetrics_sql.rm_metric_facts(metric)) -%}
{%- endfor -%}
{%- set resolved = [] -%}
{%- for metric in whole -%}
    {%- do resolved.extend([metric] if compared else rankmetrics_sql.rm_with_bounds(metric)) -%}
{%- endfor -%}
{%- do rankmetrics_sql.rm_refuse_same_columns(resolved) -%}
{{ return(resolved) }}
{% endmacro %}

{#- Refuses two metrics that would be one column of the result. -#}
{% macro rm_refuse_same_columns(metrics) %}
{%- set labels = {} -%}
{%- for metric in metrics -%}
    {%- if metric.column in labels -%}
        {%- do rankmetrics_sql.rm_raise('Metrics ' ~ rankmetrics_sql.rm_written_value(labels[metric.column]) ~ ' and '
            ~ rankmetrics_sql.rm_written_value(metric.label) ~ ' have the same column ' ~ metric.column
            ~ '. Omit one of them.') -%}
    {%- endif -%}
    {%- do labels.update({metric.column: metric.label}) -%}
{%- endfor -%}
{% endmacro %}

{#-
Each text once; the filter unique would take rr and RR for one. What is wrong with their names is said of all of them.
-#}
{% macro rm_distinct_texts(texts, choices) %}
{%- set is_list = texts is sequence and texts is not string and texts is not mapping -%}
{%- if texts is not string and not is_list -%}
    {%- do rankmetrics_sql.rm_raise("metrics is a metric or a list of them, as ['ndcg@10', 'rr']; not " ~ texts
        ~ '. It stands before qrels: relation, metrics, qrels.') -%}
{%- endif -%}
{%- for text in ([] if texts is string else texts) if text is not string -%}
    {%- do rankmetrics_sql.rm_raise("metrics: each is a text, as 'ndcg@10'; not " ~ text ~ '.') -%}
{%- endfor -%}
{%- set found = [] -%}
{%- set problems = [] -%}
{%- for text in ([texts] if texts is string else texts) -%}
    {%- set known = rankmetrics_sql.rm_with_levels(text | trim, choices) -%}
    {%- if known.problem is not none -%}{%- do problems.append(known.problem) -%}{%- endif -%}
    {%- for name in known.texts -%}
        {%- if name not in found -%}{%- do found.append(name) -%}{%- endif -%}
    {%- endfor -%}
{%- endfor -%}
{%- if problems -%}{%- do rankmetrics_sql.rm_raise(problems | join('\n')) -%}{%- endif -%}
{{ return(found) }}
{% endmacro %}

{#- One metric string with a value for every choice, as rm_query wants its metrics; more are parameters beside it. -#}
{% macro rm_resolve(text, choices, more={}) %}
{%- set spec = rankmetrics_sql.rm_parsed_metric(text) -%}
{%- set custom = rankmetrics_sql.rm_custom_metric(text, spec, choices) -%}
{%- if custom is not none -%}{{ return(custom) }}{%- endif -%}
{%- do spec.params.update(more) -%}
{%- set named = rankmetrics_sql.rm_named_metric(text, spec, choices) -%}
{%- set metric = rankmetrics_sql.rm_known_metrics()[named.name] -%}
{%- set given = named.given -%}
{%- set has_cutoff = 'k' in given and given.k is not none -%}
{%- set chosen = rankmetrics_sql.rm_choices_of(choices, named.name, metric, has_cutoff) -%}
{%- do chosen.update(given) -%}
{%- set params = {} -%}
{%- for name in metric.param_names -%}
    {%- if chosen[name] is none and name in metric.params and metric.params[name].required is defined -%}
        {%- do rankmetrics_sql.rm_raise(rankmetrics_sql.rm_where(text) ~ ': ' ~ named.name ~ ' needs ' ~ name ~ ': '
            ~ metric.params[name].required ~ '. Write ' ~ named.name ~ '(' ~ name ~ '=...).') -%}
    {%- endif -%}
    {%- do params.update({name: chosen[name]}) -%}
{%- endfor -%}
{%- set written = {} -%}
{%- do written.update(choices.given) -%}
{%- do written.update(given) -%}
{{ return(rankmetrics_sql.rm_metric_with({
    'name': named.name,
    'label': text,
    'column': rankmetrics_sql.rm_column_name(named.name, metric.at, given),
    'x': none,
    'lacks_values': metric.lacks_values,
    'has_columns': metric.has_columns,
    'has_relation': metric.has_relation,
    'has_parts': metric.has_parts,
    'shape': metric.shape,
    'better': metric.better,
    'range': metric.range,
    'reads_ranks': metric.reads_ranks,
    'divides_by_judgments': metric.divides_by_judgments,
    'about_judgments': metric.about_judgments,
    'reads_judgments': metric.reads_judgments,
    'says_nonrelevant': written.unjudged | default(none) == 'nonrelevant',
}, params, rankmetrics_sql.rm_chosen_ranking(chosen, metric.about_judgments), chosen.aggregate)) }}
{% endmacro %}

{#- A metric with these choices, and what follows from them; refused where it has no form for them. -#}
{% macro rm_metric_with(metric, params, ranking, aggregate) %}
{%- set known = rankmetrics_sql.rm_known_metrics()[metric.name] -%}
{%- set declared = rankmetrics_sql.rm_declared_aggregate(known, params) -%}
{%- set resolved = {} -%}
{%- do resolved.update(metric) -%}
{%- do resolved.update({
    'params': params,
    'ranking': ranking,
    'needs': rankmetrics_sql.rm_needs(known, params, ranking),
    'aggregate': declared if aggregate == 'declared' else aggregate,
    'of_lists': declared == 'lists',
    'skips': 'skip' in params.values() | list,
}) -%}
{%- do rankmetrics_sql.rm_refuse('metric', rankmetrics_sql.rm_metric_facts(resolved)) -%}
{{ return(resolved) }}
{% endmacro %}

{#- A metric of the project's own, where its hook knows the name; it has a cutoff and no other choices. -#}
{% macro rm_custom_metric(text, spec, choices) %}
{%- set has_cutoff = spec.at is not none and rankmetrics_sql.rm_is_number(spec.at) -%}
{%- set k = rankmetrics_sql.rm_as_number(spec.at) if has_cutoff else none -%}
{%- set expression = rankmetrics_sql.rankmetrics_custom_metric(spec.name, k) -%}
{%- if expression is none or expression | trim == '' -%}{{ return(none) }}{%- endif -%}
{%- set params = {'k': k} -%}
{%- for name in ['rel', 'gain', 'discount', 'ideal_depth'] -%}
    {%- do params.update({name: choices.options[name]}) -%}
{%- endfor -%}
{{ return({
    'name': 'rankmetrics_custom_metric',
    'label': text,
    'column': rankmetrics_sql.rm_word(spec.name) ~ ('_at_' ~ k if k is not none else ''),
    'params': params,
    'x': none,
    'ranking': rankmetrics_sql.rm_chosen_ranking(choices.options, false),
    'needs': [
        'n_relevant', 'n_nonrelevant', 'n_retrieved', 'relevant_so_far', 'nonrelevant_so_far', 'gain', 'ideal_dcg',
        'facts_on_rows',
    ],
    'aggregate': 'mean',
    'of_lists': false,
    'skips': false,
    'lacks_values': true,
    'expression': expression,
    'has_columns': false,
    'has_relation': false,
    'has_parts': false,
    'shape': 'value',
    'reads_ranks': true,
    'divides_by_judgments': false,
    'about_judgments': false,
    'reads_judgments': true,
    'says_nonrelevant': choices.given.unjudged | default(none) == 'nonrelevant',
}) }}
{% endmacro %}

{#- For metrics that count judgments an assumed grade is none; where nothing is dropped, what to drop is no choice. -#}
{% macro rm_chosen_ranking(chosen, about_judgments) %}
{%- set options = rankmetrics_sql.rm_known_options() -%}
{%- set ranking = {} -%}
{%- for name, option in options.items() if option.scope == 'ranking' -%}
    {%- do ranking.update({name: chosen[name]}) -%}
{%- endfor -%}
{%- if about_judgments and ranking.unjudged not in ['nonrelevant', 'drop'] -%}
    {%- do ranking.update({'unjudged': 'nonrelevant'}) -%}
{%- endif -%}
{%- if ranking.unjudged != 'drop' -%}
    {%- do ranking.update({'negative_grades': options.negative_grades.default}) -%}
{%- endif -%}
{{ return(ranking) }}
{% endmacro %}

{% macro rm_needs(metric, params, ranking) %}
{%- set needs = metric.needs | list -%}
{%- for condition, more in metric.needs_when.items() if rankmetrics_sql.rm_holds(condition, params) -%}
    {%- do needs.extend(more) -%}
{%- endfor -%}
{%- set is_counted = params.no_relevant is defined and params.no_relevant != 0 -%}
{%- set is_guarded = rankmetrics_sql.rm_is_guarded({'params': params, 'ranking': ranking}) -%}
{%- if is_counted or is_guarded -%}{%- do needs.append('n_relevant') -%}{%- endif -%}
{{ return(needs) }}
{% endmacro %}

{% macro rm_declared_aggregate(metric, params) %}
{%- for condition, aggregate in metric.aggregate_when.items() if rankmetrics_sql.rm_holds(condition, params) -%}
    {{ return(aggregate) }}
{%- endfor -%}
{{ return(metric.aggregate) }}
{% endmacro %}

{#- Whether a condition of a header, "k=none" or "k!=none", holds. -#}
{% macro rm_holds(condition, params) %}
{%- set differs = '!=' in condition -%}
{%- set name = condition.split('!=' if differs else '=')[0] -%}
{%- set value = params[name] if name in params else none -%}
{%- set same = ('none' if value is none else value | string) == condition.split('=')[1] -%}
{{ return(not same if differs else same) }}
{% endmacro %}

{#- The metric; with unjudged=bounds also as it would be if no, or every, unjudged item were relevant. -#}
{% macro rm_with_bounds(metric) %}
{%- if metric.ranking.unjudged != 'bounds' -%}{{ return([metric]) }}{%- endif -%}
{%- set known = rankmetrics_sql.rm_known_metrics() -%}
{%- set resolved = [] -%}
{%- for bound, unjudged in {'': 'nonrelevant', 'low': 'nonrelevant', 'high': 'relevant'}.items() -%}
    {%- set ranking = {} -%}
    {%- do ranking.update(metric.ranking) -%}
    {%- do ranking.update({'unjudged': unjudged}) -%}
    {%- set copy = {} -%}
    {%- do copy.update(metric) -%}
    {%- do copy.update({'ranking': ranking}) -%}
    {%- if metric.name in known -%}
        {%- do copy.update({'needs': rankmetrics_sql.rm_needs(known[metric.name], metric.params, ranking)}) -%}
    {%- endif -%}
    {%- if bound -%}
        {%- do copy.update({'label': metric.label ~ ' ' ~ bound, 'column': metric.column ~ '_' ~ bound}) -%}
    {%- endif -%}
    {%- do resolved.append(copy) -%}
{%- endfor -%}
{{ return(resolved) }}
{% endmacro %}

{#- The facts that refusals test; refusals.toml explains each. -#}
{% macro rm_metric_facts(metric) %}
{%- set facts = {} -%}
{%- do facts.update(metric.ranking) -%}
{%- do facts.update(metric.params) -%}
{%- do facts.update({
    'label': metric.label,
    'name': metric.name,
    'shape': metric.shape,
    'aggregate': metric.aggregate,
    'takes': metric.params | list,
    'needs': metric.needs,
    'better': metric.better,
    'reads_ranks': metric.reads_ranks,
    'divides_by_judgments': metric.divides_by_judgments,
    'reads_judgments': metric.reads_judgments,
    'of_lists': metric.of_lists,
    'gain_falls': rankmetrics_sql.rm_falls(metric.params.gain | default(none)),
    'gain_has_sign': rankmetrics_sql.rm_has_sign(metric.params.gain | default(none)),
    'is_beyond': rankmetrics_sql.rm_is_beyond(metric.ranking),
}) -%}
{{ return(facts) }}
{% endmacro %}

{#- Whether a map of gains gives grade 0 a gain, or any grade one below 0. -#}
{% macro rm_has_sign(gain) %}
{%- for grade, worth in (gain.items() if gain is mapping else []) if worth < 0 or (grade == 0 and worth != 0) -%}
    {{ return(true) }}
{%- endfor -%}
{{ return(false) }}
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
{%- set is_zero = params.no_relevant is defined and params.no_relevant == 0 -%}
{{ return(counts_hits and is_zero and rankmetrics_sql.rm_is_beyond(metric.ranking)) }}
{% endmacro %}
