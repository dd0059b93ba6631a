{#-
What speaks against a request: inputs that contradict each other or the choices, and columns that would stand twice in
the result. Python asks the same. A request is the mapping that rm_query describes.
-#}

{#-
The first sentence by which it is refused, or none; is_written where the statement does not run here.
-#}
{% macro rm_request_refusal(request, is_written) %}
{%- for asked in rankmetrics_sql.rm_asked_of_request(request, is_written) -%}
    {%- set sentence = rankmetrics_sql.rm_refusal(asked.of, asked.facts) -%}
    {%- if sentence is not none -%}{{ return(sentence) }}{%- endif -%}
{%- endfor -%}
{{ return(none) }}
{% endmacro %}

{#- When rules are asked about a request, and the facts: its metrics, its groups, what is tested, its columns. -#}
{% macro rm_asked_of_request(request, is_written) %}
{%- set breakdown = rankmetrics_sql.rm_breakdown_facts(request) -%}
{%- set result = rankmetrics_sql.rm_result_of(request.level) -%}
{%- set tested = [rankmetrics_sql.rm_facts_of_comparison(request, breakdown)] if result == 'compare' else [] -%}
{%- set of_result = {'compare': ['comparison'], 'decompose': ['decomposition'], 'sums': ['sums']} -%}
{%- set asked = [] -%}
{%- for of in (['statement'] if is_written else []) + ['inputs'] + of_result.get(result, [])
        + (['weighted'] if breakdown.has_weight else []) + (['values'] if request.level == 'values' else []) -%}
    {%- for metric in request.metrics -%}
        {%- set facts = {'limit': (request.limits or {})[metric.label] | default(0) | abs} -%}
        {%- for more in tested if of == 'comparison' -%}{%- do facts.update(more) -%}{%- endfor -%}
        {%- do facts.update(rankmetrics_sql.rm_input_facts(request, metric) if of == 'inputs'
            else rankmetrics_sql.rm_metric_facts(metric)) -%}
        {%- do asked.append({'of': of, 'facts': facts}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- do asked.append({'of': 'breakdown', 'facts': breakdown}) -%}
{%- for facts in tested -%}{%- do asked.append({'of': 'tested', 'facts': facts}) -%}{%- endfor -%}
{{ return(asked + rankmetrics_sql.rm_asked_of_columns(request, result, breakdown)) }}
{% endmacro %}

{#- What kind of result a level is: a comparison or curve of any grain, what has rules of its own, or an evaluation. -#}
{% macro rm_result_of(level) %}
{%- if level in ['sums', 'decompose', 'movements'] -%}{{ return(level) }}{%- endif -%}
{%- if rankmetrics_sql.rm_is_comparison(level) -%}{{ return('compare') }}{%- endif -%}
{{ return('curve' if rankmetrics_sql.rm_is_curve(level) else 'evaluation') }}
{% endmacro %}

{% macro rm_is_curve(level) %}
{{ return(level in ['curve', 'curve_per_query', 'points']) }}
{% endmacro %}

{#- The columns of the queries and groups, each beside those that stand before it. -#}
{% macro rm_asked_of_columns(request, result, breakdown) %}
{%- set taken = [] -%}
{%- for metric in request.metrics if result == 'evaluation' -%}
    {%- do taken.extend([metric.column | lower, metric.label | lower]) -%}
{%- endfor -%}
{%- set queries = [] if request.level in ['compare', 'decompose', 'sums'] else request.query_labels -%}
{%- set groups = request.groups | map(attribute='label') | list -%}
{%- if result == 'compare' -%}{%- set groups = groups | reject('in', queries) | list -%}{%- endif -%}
{%- set asked = [] -%}
{%- for label in queries + groups -%}
    {%- set column = label | replace('"', '') | replace('`', '') -%}
    {%- set is_taken = column | lower in taken -%}
    {%- do asked.append({'of': 'column', 'facts': {
        'column': column, 'result': result, 'is_taken': is_taken,
        'has_rollup': breakdown.has_rollup, 'has_weight': breakdown.has_weight,
        'has_covariate': breakdown.has_covariate, 'has_strata': breakdown.has_strata,
        'interval': breakdown.interval, 'test': request.options.test, 'is_predicted': breakdown.is_predicted,
    }}) -%}
    {%- do taken.append(column | lower) -%}
{%- endfor -%}
{{ return(asked) }}
{% endmacro %}

{#- The facts of a comparison that refusals test. -#}
{% macro rm_facts_of_comparison(request, breakdown) %}
{%- set limits = (request.limits or {}).values() | map('abs') | list -%}
{%- set facts = {} -%}
{%- do facts.update(request.options) -%}
{%- do facts.update({
    'has_cluster': request.has_cluster, 'has_strata': request.has_strata, 'has_covariate': breakdown.has_covariate,
    'has_weight': breakdown.has_weight, 'is_predicted': breakdown.is_predicted, 'has_caps': request.caps | length > 0,
    'has_limits': request.limits is not none, 'greatest_limit': limits | max if limits else 0,
    'has_relative_limits': request.relative_limits | length > 0,
    'has_range': 'bounds' in request.metrics | map(attribute='ranking.unjudged') | list,
    'is_all_pairs': request.all_pairs, 'is_per_query': request.level == 'compare_per_query',
}) -%}
{{ return(facts) }}
{% endmacro %}

{#- The facts of the inputs, and of a metric computed from them, that refusals test. -#}
{% macro rm_input_facts(request, metric) %}
{%- set facts = {} -%}
{%- do facts.update(request.options) -%}
{%- do facts.update(rankmetrics_sql.rm_metric_facts(metric)) -%}
{%- set columns = request.runs | map(attribute='columns') | list -%}
{%- set scored = columns | map(attribute='score') | reject('none') | list -%}
{%- set graded = columns | map(attribute='relevance') | reject('none') | list -%}
{%- set named = request.runs | rejectattr('name', 'none') | map(attribute='columns.run_id') -%}
{%- set some = 'all' if scored | length == columns | length else 'some' -%}
{%- set rel = request.options.rel -%}
{%- do facts.update({
    'is_labelled': graded | length > 0,
    'has_scores': some if scored else 'none',
    'has_position': columns | map(attribute='position') | reject('none') | list | length > 0,
    'has_n_relevant': columns | map(attribute='n_relevant') | reject('none') | list | length > 0,
    'has_judgments': request.qrels is not none or graded | length > 0,
    'has_items': request.catalogue is not none,
    'has_popularity': request.catalogue is not none and request.catalogue.columns.popularity is not none,
    'has_categories': request.catalogue is not none and request.catalogue.columns.category is not none,
    'has_subtopics': request.qrels is not none and request.qrels.columns.subtopic is not none,
    'has_strata': request.has_strata,
    'is_predicted': request.human_qrels is not none,
    'leaving_out': rankmetrics_sql.rm_leaving_out(metric),
    'has_own_rel': metric.params.rel is defined and metric.params.rel != rel,
    'all_ties': request.metrics | map(attribute='ranking.ties') | list,
    'is_named_twice': named | reject('none') | list | length > 0,
    'recurses': request.recurses,
    'without_float32': request.without_float32,
}) -%}
{{ return(facts) }}
{% endmacro %}

{#- The option by which a metric leaves queries out, as it is written; none where each has a value. -#}
{% macro rm_leaving_out(metric) %}
{%- for name, value in metric.params.items() if value in ['null', 'skip', 'error'] -%}
    {{ return(name ~ '=' ~ value) }}
{%- endfor -%}
{{ return(none) }}
{% endmacro %}

{#- The facts of the groups that refusals test. -#}
{% macro rm_breakdown_facts(request) %}
{%- set names = request.groups | map(attribute='name') | list -%}
{%- set labels = request.groups | map(attribute='label') | map('replace', '"', '') | map('replace', '`', '') -%}
{%- set unknown = [] -%}
{%- for columns in (request.rollup if request.rollup is sequence else []) -%}
    {%- for column in columns if column not in names -%}{%- do unknown.append(column) -%}{%- endfor -%}
{%- endfor -%}
{%- set n = request.min_queries -%}
{%- set inputs = [request.runs[0], request.qrels, request.query_list] | reject('none') | list -%}
{#- Options that a project sets for all comparisons do not apply to other results. -#}
{%- set of_project = rankmetrics_sql.rm_project().options -%}
{%- set facts = {} -%}
{%- for name in ['test', 'design', 'margin', 'power', 'sequential'] -%}
    {%- set is_of_project = name in of_project and of_project[name] == request.options[name] -%}
    {%- do facts.update({
        name: rankmetrics_sql.rm_known_options()[name].default if is_of_project else request.options[name]
    }) -%}
{%- endfor -%}
{%- do facts.update({
    'has_groups': names | length > 0,
    'groups': labels | join(', '),
    'is_summary': request.level == 'summary',
    'has_rollup': request.rollup is not false,
    'unknown': unknown[0] if unknown else none,
    'min_queries': n,
    'is_arranged': request.group_order is not none,
    'has_small_groups': request.level in ['summary', 'compare'],
    'is_count': n is number and n == n | int and n >= 1,
    'has_weight': inputs | map(attribute='columns.weight') | reject('none') | list | length > 0,
    'is_weighed': request.level in rankmetrics_sql.rm_weighed_levels(),
    'has_covariate': inputs | map(attribute='columns.covariate') | reject('none') | list | length > 0,
    'is_adjusted': request.level in ['sums', 'values', 'compare'],
    'is_sums': request.level == 'sums',
    'has_cluster': request.has_cluster,
    'has_strata': request.has_strata,
    'is_stratified': request.level in ['values', 'compare'],
    'is_clustered': request.level in ['sums', 'values', 'compare', 'compare_per_query']
        or (request.level == 'summary'
            and (request.options.interval not in [none, 'none'] or request.human_qrels is not none)),
    'is_predicted': request.human_qrels is not none,
    'is_estimated': request.level in ['summary', 'per_query', 'values', 'compare', 'compare_per_query'],
    'is_decomposition': request.level == 'decompose',
    'is_movements': request.level == 'movements',
    'is_curve': rankmetrics_sql.rm_is_curve(request.level),
    'interval': request.options.interval,
    'bootstrap_interval': request.options.bootstrap_interval,
    'is_one_run': rankmetrics_sql.rm_result_of(request.level) == 'evaluation',
}) -%}
{{ return(facts) }}
{% endmacro %}

{#- The sentence by which a period is refused that the engine does not know, or that something is lacking for. -#}
{% macro rm_period_refusal(period, zone, n_times) %}
{%- set facts = {
    'period': period,
    'zone': zone,
    'n_times': n_times,
    'has_periods': rankmetrics_sql.rm_period('t', 'day', 'UTC') is not none,
    'has_zones': '/' in (rankmetrics_sql.rm_period('t', 'day', '/') or ''),
} -%}
{{ return(rankmetrics_sql.rm_refusal('period', facts)) }}
{% endmacro %}

{#- The sentence by which choices are refused that leave items without ranks. -#}
{% macro rm_movements_refusal(k, options) %}
{{ return(rankmetrics_sql.rm_refusal('movements', {
    'k': k,
    'is_count': k is number and k == k | int and k >= 1,
    'ties': options.ties,
    'aggregate': options.aggregate,
})) }}
{% endmacro %}
