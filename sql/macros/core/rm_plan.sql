{#-
The public macros. Each renders one bare statement, WITH ... SELECT: the body of a model, or what stands in the brackets
of a CTE or of FROM ( ... ) AS t. Nothing is looked up in the database.

relation      what was retrieved: query, item, score (or a position, with position_column);
              without qrels it is one labelled table that carries the relevance as well
metrics       a metric string or a list of them: 'ndcg@10', 'ap(rel=2)@100', 'P_5'
qrels         the judgments: query, item, relevance
options       choices by name, {'ties': 'item_asc'}
profile       the name of a tool whose choices are taken
group_by      a column, or a list of them, of the judgments; of the relation where that is labelled or it is run.NAME
*_column      names of columns, as they are written in SQL; query_column may be a list; score_column is score unless a
              position_column is all there is, and none where there is no score
queries       a relation with the queries to score
The project's var rankmetrics_sql may hold options and profile for all calls.
-#}

{% macro per_query(relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
{%- set columns = {'query_id': query_column, 'item_id': item_column, 'score': score_column, 'position': position_column, 'relevance': relevance_column, 'run_id': run_column, 'n_relevant': n_relevant_column, 'subtopic': subtopic_column} -%}
{%- set judged = {'query_id': qrels_query_column, 'item_id': qrels_item_column} -%}
{{ return(rankmetrics_sql.rm_query(rankmetrics_sql.rm_plan('per_query', [{'name': none, 'relation': relation}], qrels, metrics, options, profile, group_by, columns, judged, queries))) }}
{% endmacro %}

{% macro summary(relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
{%- set columns = {'query_id': query_column, 'item_id': item_column, 'score': score_column, 'position': position_column, 'relevance': relevance_column, 'run_id': run_column, 'n_relevant': n_relevant_column, 'subtopic': subtopic_column} -%}
{%- set judged = {'query_id': qrels_query_column, 'item_id': qrels_item_column} -%}
{{ return(rankmetrics_sql.rm_query(rankmetrics_sql.rm_plan('summary', [{'name': none, 'relation': relation}], qrels, metrics, options, profile, group_by, columns, judged, queries))) }}
{% endmacro %}

{#- relation is the candidate; both relations have the same columns. -#}
{% macro compare(relation, baseline, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='', position_column=none, relevance_column='relevance', n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
{%- set columns = {'query_id': query_column, 'item_id': item_column, 'score': score_column, 'position': position_column, 'relevance': relevance_column, 'run_id': none, 'n_relevant': n_relevant_column, 'subtopic': subtopic_column} -%}
{%- set judged = {'query_id': qrels_query_column, 'item_id': qrels_item_column} -%}
{%- set runs = [{'name': 'baseline', 'relation': baseline}, {'name': 'candidate', 'relation': relation}] -%}
{%- set plan = rankmetrics_sql.rm_plan('compare', runs, qrels, metrics, options, profile, group_by, columns, judged, queries) -%}
{{ return(rankmetrics_sql.rm_query(plan)) }}
{% endmacro %}

{#- The rows that the metric_NAME expressions aggregate, grouped by the query. -#}
{% macro judged(relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id', item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none, n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, queries=none) %}
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
{%- set columns = rankmetrics_sql.rm_with_nulls(columns) -%}
{%- set judged_columns = rankmetrics_sql.rm_with_nulls(judged_columns) -%}
{%- set qrels = rankmetrics_sql.rm_or_null(qrels) -%}
{%- set queries = rankmetrics_sql.rm_or_null(queries) -%}
{%- set choices = rankmetrics_sql.rm_project_choices(options, profile) -%}
{%- set resolved = rankmetrics_sql.rm_resolved_metrics(metrics, choices) -%}
{%- set keys = rankmetrics_sql.rm_as_list(columns.query_id) -%}
{%- set labelled = qrels is none -%}
{%- set by_rank = rankmetrics_sql.rm_any_ranking(resolved, 'ties', 'rank') -%}
{%- do columns.update({'score': rankmetrics_sql.rm_score_column(columns, by_rank)}) -%}
{%- set groups = rankmetrics_sql.rm_plan_groups(group_by, labelled) -%}
{%- set given_position = columns.score is none or by_rank -%}
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
{%- set plan = {
    'level': level,
    'runs': inputs,
    'qrels': none if labelled else {'name': none, 'relation': qrels, 'columns': judgments, 'text_ids': false, 'is_query': false, 'collated': []},
    'selected': none if queries is none else {'name': none, 'relation': queries, 'columns': selected, 'text_ids': false, 'is_query': false, 'collated': []},
    'metrics': resolved,
    'options': choices.options,
    'groups': groups,
    'query_labels': keys if keys | length > 1 else ['query_id'],
    'check': 'none',
    'baseline': 'baseline',
    'recurses': rankmetrics_sql.rm_recurses_with_windows(),
} -%}
{%- do rankmetrics_sql.rm_refuse_request(plan) -%}
{{ return(plan) }}
{% endmacro %}

{% macro rm_as_list(value) %}
{{ return([value] if value is string else value | list) }}
{% endmacro %}

{% macro rm_any_ranking(metrics, option, value) %}
{%- for metric in metrics if metric.ranking[option] == value -%}{{ return(true) }}{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{#- none in YAML is a text, and nothing is what it means. -#}
{% macro rm_or_null(value) %}
{{ return(none if value is string and value | trim | lower in ['none', 'null'] else value) }}
{% endmacro %}

{% macro rm_with_nulls(values) %}
{%- set found = {} -%}
{%- for name, value in values.items() -%}{%- do found.update({name: rankmetrics_sql.rm_or_null(value)}) -%}{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- The options and the profile of a call over those of the project. -#}
{% macro rm_project_choices(options, profile) %}
{%- set project = var('rankmetrics_sql', {}) -%}
{%- set given = {} -%}
{%- do given.update(project.options if project.options is defined else {}) -%}
{%- do given.update(options) -%}
{%- set own = rankmetrics_sql.rm_or_null(profile) -%}
{{ return(rankmetrics_sql.rm_choices(given, own if own is not none else project.profile if project.profile is defined else none)) }}
{% endmacro %}

{#- Where no score is named, a position is enough; ties=rank is about equal scores, so there are some. -#}
{% macro rm_score_column(columns, by_rank) %}
{%- if columns.score != '' -%}{{ return(columns.score) }}{%- endif -%}
{{ return('score' if columns.position is none or by_rank else none) }}
{% endmacro %}

{% macro rm_plan_groups(group_by, labelled) %}
{%- set relations = {'': 'run' if labelled else 'qrels', 'run': 'run', 'qrels': 'qrels', 'queries': 'selected'} -%}
{%- set groups = [] -%}
{%- for column in rankmetrics_sql.rm_group_list(group_by) -%}
    {%- set split = rankmetrics_sql.rm_split_side(column) -%}
    {%- if split.side not in relations -%}
        {{ exceptions.raise_compiler_error("rankmetrics_sql: group_by: '" ~ column ~ "': only run., qrels., queries. may stand before a column.") }}
    {%- endif -%}
    {%- do groups.append({'name': 'group_' ~ loop.index, 'label': split.name, 'column': split.name, 'relation': relations[split.side]}) -%}
{%- endfor -%}
{{ return(groups) }}
{% endmacro %}

{% macro rm_group_list(group_by) %}
{%- set given = rankmetrics_sql.rm_or_null(group_by) -%}
{{ return([] if given is none else rankmetrics_sql.rm_as_list(given)) }}
{% endmacro %}

{#- What stands before the name of a column, and the name: run.market; a dot inside quotes separates nothing. -#}
{% macro rm_split_side(column) %}
{%- set closing = {'"': '"', '`': '`', '[': ']'} -%}
{%- set state = {'open': '', 'dot': -1} -%}
{%- for mark in column -%}
    {%- if state.open != '' -%}
        {%- if mark == state.open -%}{%- do state.update({'open': ''}) -%}{%- endif -%}
    {%- elif mark in closing -%}
        {%- do state.update({'open': closing[mark]}) -%}
    {%- elif mark == '.' -%}
        {%- do state.update({'dot': loop.index0}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if state.dot < 0 -%}{{ return({'side': '', 'name': column}) }}{%- endif -%}
{{ return({'side': column[:state.dot], 'name': column[state.dot + 1:]}) }}
{% endmacro %}
