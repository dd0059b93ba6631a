{#-
Refuses inputs that contradict each other or the choices, and columns that would stand twice in the result: what Python
does in statements/query.py. A request is the mapping that rm_query describes.
-#}
{% macro rm_refuse_request(request) %}
{%- set is_comparison = rankmetrics_sql.rm_is_comparison(request.level) -%}
{%- set result = request.level if request.level in ['sums', 'decompose', 'movements'] else 'compare' if is_comparison
    else 'evaluation' -%}
{%- set of_result = {
    'compare': ['comparison'], 'decompose': ['decomposition'], 'sums': ['sums'], 'movements': [], 'evaluation': [],
}[result] -%}
{%- set breakdown = rankmetrics_sql.rm_breakdown_facts(request) -%}
{%- set limits = (request.limits or {}).values() | list -%}
{%- set asked = {
    'has_cluster': request.has_cluster, 'has_covariate': breakdown.has_covariate,
    'has_weight': breakdown.has_weight,
    'has_limits': request.limits is not none, 'greatest_limit': limits | max if limits else 0,
} -%}
{%- for name, option in rankmetrics_sql.rm_known_options().items() if option.scope == 'comparison' -%}
    {%- do asked.update({name: request.options[name]}) -%}
{%- endfor -%}
{%- for of in ['statement', 'inputs'] + of_result + (['weighted'] if breakdown.has_weight else []) -%}
    {%- for metric in request.metrics -%}
        {%- set facts = rankmetrics_sql.rm_metric_facts(metric) -%}
        {%- do facts.update(rankmetrics_sql.rm_input_facts(request, metric) if of == 'inputs' else {}) -%}
        {%- do facts.update(asked if of == 'comparison' else {}) -%}
        {%- do facts.update({'limit': (request.limits or {})[metric.label] | default(0)}) -%}
        {%- do rankmetrics_sql.rm_refuse(of, facts) -%}
    {%- endfor -%}
{%- endfor -%}
{%- do rankmetrics_sql.rm_refuse('breakdown', breakdown) -%}
{%- if result == 'compare' -%}{%- do rankmetrics_sql.rm_refuse('tested', asked) -%}{%- endif -%}
{%- set taken = [] -%}
{%- for metric in request.metrics if result == 'evaluation' -%}
    {%- do taken.extend([metric.column | lower, metric.label | lower]) -%}
{%- endfor -%}
{%- set has_queries = result == 'evaluation' or request.level in ['compare_per_query', 'movements'] -%}
{%- set queries = request.query_labels if has_queries else [] -%}
{%- for label in queries + request.groups | map(attribute='label') | list -%}
    {%- set column = label | replace('"', '') | replace('`', '') -%}
    {%- set is_taken = column | lower in taken -%}
    {%- do rankmetrics_sql.rm_refuse('column', {
        'column': column, 'result': result, 'is_taken': is_taken,
        'has_rollup': breakdown.has_rollup, 'has_weight': breakdown.has_weight,
        'has_covariate': breakdown.has_covariate, 'interval': breakdown.interval, 'test': request.options.test,
    }) -%}
    {%- do taken.append(column | lower) -%}
{%- endfor -%}
{% endmacro %}

{#- What a refusal may be about of the inputs, and of a metric that is computed from them. -#}
{% macro rm_input_facts(request, metric) %}
{%- set facts = {} -%}
{%- for name, option in rankmetrics_sql.rm_known_options().items() if option.scope == 'evaluation' -%}
    {%- do facts.update({name: request.options[name]}) -%}
{%- endfor -%}
{%- set columns = request.runs | map(attribute='columns') | list -%}
{%- set scored = columns | map(attribute='score') | reject('none') | list -%}
{%- set graded = columns | map(attribute='relevance') | reject('none') | list -%}
{%- set named = columns | map(attribute='run_id') | reject('none') | list -%}
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
    'has_own_rel': metric.params.rel is defined and metric.params.rel != rel,
    'all_ties': request.metrics | map(attribute='ranking.ties') | list,
    'is_named_twice': request.runs | length > 1 and named | length > 0,
    'recurses': request.recurses,
}) -%}
{{ return(facts) }}
{% endmacro %}

{#- What a refusal may be about of the groups. -#}
{% macro rm_breakdown_facts(request) %}
{%- set names = request.groups | map(attribute='name') | list -%}
{%- set labels = request.groups | map(attribute='label') | map('replace', '"', '') | map('replace', '`', '') -%}
{%- set unknown = [] -%}
{%- for columns in (request.rollup if request.rollup is sequence else []) -%}
    {%- for column in columns if column not in names -%}{%- do unknown.append(column) -%}{%- endfor -%}
{%- endfor -%}
{%- set n = request.min_queries -%}
{%- set inputs = [request.runs[0], request.qrels, request.query_list] | reject('none') | list -%}
{#- What a project says of all its comparisons is not asked of a result that is none. -#}
{%- set of_project = rankmetrics_sql.rm_project().options -%}
{%- set facts = {} -%}
{%- for name in ['test', 'design', 'margin', 'power', 'sequential'] -%}
    {%- set is_of_project = name in of_project and of_project[name] == request.options[name] -%}
    {%- set usual = rankmetrics_sql.rm_known_options()[name].default -%}
    {%- do facts.update({name: usual if is_of_project else request.options[name]}) -%}
{%- endfor -%}
{%- do facts.update({
    'has_groups': names | length > 0,
    'groups': labels | join(', '),
    'is_summary': request.level == 'summary',
    'has_rollup': request.rollup is not false,
    'unknown': unknown[0] if unknown else none,
    'min_queries': n,
    'is_count': n is number and n == n | int and n >= 1,
    'has_weight': inputs | map(attribute='columns.weight') | reject('none') | list | length > 0,
    'is_weighed': request.level in rankmetrics_sql.rm_weighed_levels(),
    'has_covariate': inputs | map(attribute='columns.covariate') | reject('none') | list | length > 0,
    'is_adjusted': request.level in ['sums', 'values', 'compare'],
    'is_sums': request.level == 'sums',
    'has_cluster': request.has_cluster,
    'is_clustered': request.level in ['sums', 'values', 'compare', 'compare_per_query']
        or (request.level == 'summary' and request.options.interval is not none),
    'is_decomposition': request.level == 'decompose',
    'is_movements': request.level == 'movements',
    'is_curve': request.level in ['curve', 'curve_per_query', 'points'],
    'interval': request.options.interval,
    'bootstrap_interval': request.options.bootstrap_interval,
    'is_one_run': request.level != 'sums' and not rankmetrics_sql.rm_is_comparison(request.level),
}) -%}
{{ return(facts) }}
{% endmacro %}

{#- Refuses a period that the engine does not know, or that something is lacking for. -#}
{% macro rm_refuse_period(arguments) %}
{%- do rankmetrics_sql.rm_refuse('period', {
    'period': arguments.period,
    'zone': arguments.timezone,
    'n_times': arguments.times | length,
    'has_periods': rankmetrics_sql.rm_period('t', 'day', 'UTC') is not none,
    'has_zones': rankmetrics_sql.rm_has_zones(),
}) -%}
{% endmacro %}

{#- Refuses choices by which items have no ranks. -#}
{% macro rm_refuse_movements(k, options) %}
{%- do rankmetrics_sql.rm_refuse('movements', {
    'k': k,
    'is_count': k is number and k == k | int and k >= 1,
    'ties': options.ties,
    'aggregate': options.aggregate,
}) -%}
{% endmacro %}
