{#-
The public macros. Each renders one bare statement, WITH ... SELECT: the body of a model, or what stands in the brackets
of a CTE or of FROM ( ... ) AS t. Nothing is looked up in the database.

relation      what was retrieved: query, item, score (or a position, with score_column=none and position_column);
              without qrels it is one labelled table that carries the relevance as well
metrics       a metric string or a list of them: 'ndcg@10', 'ap(rel=2)@100', 'P_5'
qrels         the judgments: query, item, relevance
options       choices by name, {'ties': 'item_asc'}
profile       the name of a tool whose choices are taken
group_by      a column, or a list of them, of the judgments; of the relation where that is labelled or it is run.NAME
*_column      names of columns, as they are written in SQL; query_column may be a list
queries       a relation with the queries to score
The project's var rankmetrics_sql may hold options and profile for all calls.
-#}

{% macro per_query(relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='score', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
{%- set columns = {'query_id': query_column, 'item_id': item_column, 'score': score_column, 'position': position_column, 'relevance': relevance_column, 'run_id': run_column, 'n_relevant': n_relevant_column, 'subtopic': subtopic_column} -%}
{%- set judged = {'query_id': qrels_query_column, 'item_id': qrels_item_column} -%}
{{ return(rankmetrics_sql.rm_query(rankmetrics_sql.rm_plan('per_query', [{'name': none, 'relation': relation}], qrels, metrics, options, profile, group_by, columns, judged, queries))) }}
{% endmacro %}

{% macro summary(relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='score', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
{%- set columns = {'query_id': query_column, 'item_id': item_column, 'score': score_column, 'position': position_column, 'relevance': relevance_column, 'run_id': run_column, 'n_relevant': n_relevant_column, 'subtopic': subtopic_column} -%}
{%- set judged = {'query_id': qrels_query_column, 'item_id': qrels_item_column} -%}
{{ return(rankmetrics_sql.rm_query(rankmetrics_sql.rm_plan('summary', [{'name': none, 'relation': relation}], qrels, metrics, options, profile, group_by, columns, judged, queries))) }}
{% endmacro %}

{#- relation is the candidate; both relations have the same columns. -#}
{% macro compare(relation, baseline, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='score', position_column=none, relevance_column='relevance', n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
{%- set columns = {'query_id': query_column, 'item_id': item_column, 'score': score_column, 'position': position_column, 'relevance': relevance_column, 'run_id': none, 'n_relevant': n_relevant_column, 'subtopic': subtopic_column} -%}
{%- set judged = {'query_id': qrels_query_column, 'item_id': qrels_item_column} -%}
{%- set runs = [{'name': 'baseline', 'relation': baseline}, {'name': 'candidate', 'relation': relation}] -%}
{%- set plan = rankmetrics_sql.rm_plan('compare', runs, qrels, metrics, options, profile, group_by, columns, judged, queries) -%}
{%- for metric in plan.metrics if metric.aggregate in ['median', 'parts'] -%}
    {{ exceptions.raise_compiler_error("rankmetrics_sql: metrics: '" ~ metric.label ~ "': compare pairs queries, and this is not made of pairs; take aggregate=mean.") }}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_query(plan)) }}
{% endmacro %}

{#- The rows that the metric_NAME expressions aggregate, grouped by the query. -#}
{% macro judged(relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='score', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
{%- set columns = {'query_id': query_column, 'item_id': item_column, 'score': score_column, 'position': position_column, 'relevance': relevance_column, 'run_id': run_column, 'n_relevant': n_relevant_column, 'subtopic': subtopic_column} -%}
{%- set judgments = {'query_id': qrels_query_column, 'item_id': qrels_item_column} -%}
{{ return(rankmetrics_sql.rm_query(rankmetrics_sql.rm_plan('judged', [{'name': none, 'relation': relation}], qrels, metrics, options, profile, group_by, columns, judgments, queries))) }}
{% endmacro %}

{#-
A metric of the project's own. Define default__rankmetrics_custom_metric(name, k) there and return an aggregate expression
over the rows of judged, or none for a name that is not yours.
-#}
{% macro rankmetrics_custom_metric(name, k) %}
{{ return(adapter.dispatch('rankmetrics_custom_metric', 'rankmetrics_sql')(name, k)) }}
{% endmacro %}

{% macro default__rankmetrics_custom_metric(name, k) %}
{{ return(none) }}
{% endmacro %}

{#- The mapping that rm_query describes, out of the arguments of a public macro. -#}
{% macro rm_plan(level, runs, qrels, metrics, options, profile, group_by, columns, judged_columns, queries) %}
{%- set project = var('rankmetrics_sql', {}) -%}
{%- set given = {} -%}
{%- do given.update(project.options if project.options is defined else {}) -%}
{%- do given.update(options) -%}
{%- set preset = profile if profile is not none else project.profile if project.profile is defined else none -%}
{%- set choices = rankmetrics_sql.rm_choices(given, preset) -%}
{%- set resolved = rankmetrics_sql.rm_resolved_metrics(metrics, choices) -%}
{%- set keys = rankmetrics_sql.rm_as_list(columns.query_id) -%}
{%- set labelled = qrels is none -%}
{%- do rankmetrics_sql.rm_check_plan(choices.options, resolved, columns, labelled) -%}
{%- set given_position = columns.score is none or rankmetrics_sql.rm_any_ranking(resolved, 'ties', 'rank') -%}
{%- set run_columns = {
    'query_id': keys, 'item_id': columns.item_id, 'score': columns.score, 'position': columns.position if given_position else none,
    'relevance': columns.relevance if labelled else none, 'subtopic': none, 'n_relevant': columns.n_relevant if labelled else none, 'run_id': columns.run_id,
} -%}
{%- set inputs = [] -%}
{%- for run in runs -%}
    {%- do inputs.append({'name': run.name, 'relation': run.relation, 'columns': run_columns, 'text_ids': false, 'is_query': false, 'collated': []}) -%}
{%- endfor -%}
{%- set judgments = {
    'query_id': rankmetrics_sql.rm_as_list(judged_columns.query_id) if judged_columns.query_id is not none else keys,
    'item_id': judged_columns.item_id if judged_columns.item_id is not none else columns.item_id,
    'score': none, 'position': none, 'relevance': columns.relevance, 'subtopic': columns.subtopic, 'n_relevant': none, 'run_id': none,
} -%}
{%- set selected = {
    'query_id': keys, 'item_id': none, 'score': none, 'position': none, 'relevance': none, 'subtopic': none, 'n_relevant': none, 'run_id': none,
} -%}
{{ return({
    'level': level,
    'runs': inputs,
    'qrels': none if labelled else {'name': none, 'relation': qrels, 'columns': judgments, 'text_ids': false, 'is_query': false, 'collated': []},
    'selected': none if queries is none else {'name': none, 'relation': queries, 'columns': selected, 'text_ids': false, 'is_query': false, 'collated': []},
    'metrics': resolved,
    'options': choices.options,
    'groups': rankmetrics_sql.rm_plan_groups(group_by, labelled),
    'query_labels': keys if keys | length > 1 else ['query_id'],
    'check': 'none',
    'baseline': 'baseline',
    'recurses': rankmetrics_sql.rm_recurses_with_windows(),
}) }}
{% endmacro %}

{% macro rm_as_list(value) %}
{{ return([value] if value is string else value | list) }}
{% endmacro %}

{% macro rm_any_ranking(metrics, option, value) %}
{%- for metric in metrics if metric.ranking[option] == value -%}{{ return(true) }}{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{% macro rm_plan_groups(group_by, labelled) %}
{%- set groups = [] -%}
{%- for column in (rankmetrics_sql.rm_as_list(group_by) if group_by is not none else []) -%}
    {%- set side = column.split('.')[0] if '.' in column else '' -%}
    {%- set name = column.split('.')[-1] -%}
    {%- set relation = {'run': 'run', 'qrels': 'qrels', 'queries': 'selected'}[side] if side in ['run', 'qrels', 'queries'] else 'run' if labelled else 'qrels' -%}
    {%- do groups.append({'name': 'group_' ~ loop.index, 'label': name, 'column': name, 'relation': relation}) -%}
{%- endfor -%}
{{ return(groups) }}
{% endmacro %}

{#- Arguments that contradict each other. -#}
{% macro rm_check_plan(options, metrics, columns, labelled) %}
{%- set wrong = [] -%}
{%- if columns.score is none and columns.position is none -%}{%- do wrong.append('score_column: name a score_column or a position_column') -%}{%- endif -%}
{%- if options.position == 'given' and columns.score is not none -%}{%- do wrong.append('options: position=given needs score_column=none and a position_column') -%}{%- endif -%}
{%- if rankmetrics_sql.rm_any_ranking(metrics, 'ties', 'rank') and columns.position is none -%}{%- do wrong.append('position_column: ties=rank needs the column that orders equal scores') -%}{%- endif -%}
{%- if rankmetrics_sql.rm_any_needs(metrics, 'subtopics') and (labelled or columns.subtopic is none) -%}{%- do wrong.append('subtopic_column: metrics of diversity need qrels with a column of subtopics') -%}{%- endif -%}
{%- if wrong -%}{{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ wrong[0] ~ '.') }}{%- endif -%}
{% endmacro %}

{#- A metric of the project's own, where its hook knows the name; it has a cutoff and no other choices. -#}
{% macro rm_custom_metric(text, spec, choices) %}
{%- set k = rankmetrics_sql.rm_as_number(spec.at) if spec.at is not none and rankmetrics_sql.rm_is_number(spec.at) else none -%}
{%- set expression = rankmetrics_sql.rankmetrics_custom_metric(spec.name, k) -%}
{%- if expression is none or expression | trim == '' -%}{{ return(none) }}{%- endif -%}
{%- set ranking = {} -%}
{%- for name, option in rankmetrics_sql.rm_known_options().items() if option.scope == 'ranking' -%}{%- do ranking.update({name: choices.options[name]}) -%}{%- endfor -%}
{{ return({
    'name': 'rankmetrics_custom_metric', 'label': text, 'column': rankmetrics_sql.rm_word(spec.name) ~ ('_at_' ~ k if k is not none else ''),
    'params': {'k': k, 'rel': choices.options.rel, 'gain': choices.options.gain, 'discount': choices.options.discount, 'ideal_depth': choices.options.ideal_depth},
    'x': none, 'ranking': ranking, 'aggregate': 'mean', 'skips': false, 'expression': expression,
    'needs': ['n_relevant', 'n_nonrelevant', 'n_retrieved', 'relevant_so_far', 'nonrelevant_so_far', 'gain', 'ideal_dcg', 'facts_on_rows'],
    'has_columns': false, 'has_relation': false, 'has_parts': false,
}) }}
{% endmacro %}
