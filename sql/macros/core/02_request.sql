{#-
A request is what the caller said: one literal, made here of the arguments of a public macro, and in Python by
Query.request. The metrics in it have a value for every choice.
-#}

{#- The statement that answers the arguments of a public macro. -#}
{% macro rm_statement(level, relation, metrics, arguments, baseline=none) %}
{%- set runs = [{'name': none, 'relation': relation}] -%}
{%- set name = 'baseline' -%}
{%- if rankmetrics_sql.rm_is_comparison(level) and arguments.run_column is none -%}
    {%- set runs = [{'name': name, 'relation': baseline}, {'name': 'candidate', 'relation': relation}] -%}
{%- elif rankmetrics_sql.rm_is_comparison(level) -%}
    {%- set name = baseline -%}
{%- endif -%}
{%- set request = rankmetrics_sql.rm_request(level, runs, metrics, arguments, name) -%}
{%- do rankmetrics_sql.rm_refuse_request(request) -%}
{{ return(rankmetrics_sql.rm_query(request)) }}
{% endmacro %}

{#-
The arguments that the public macros and the tests have in common, by name; each has to list them all, but for those
that only some have.
-#}
{% macro rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list, time_column=none,
    period=none, timezone=none, rollup=false, min_queries=none, weight_column=none, cluster_column=none,
    propensity_column='propensity', target_column='target', items_relation=none, popularity_column='popularity',
    category_column='category', empty_lists=false, covariate_column=none, limits=none, shown=['interval', 'pvalue']
) %}
{{ return(rankmetrics_sql.rm_with_nulls({
    'qrels': qrels,
    'options': options,
    'profile': profile,
    'group_by': group_by,
    'query_column': query_column,
    'item_column': item_column,
    'score_column': score_column,
    'position_column': position_column,
    'relevance_column': relevance_column,
    'run_column': run_column,
    'n_relevant_column': n_relevant_column,
    'subtopic_column': subtopic_column,
    'qrels_query_column': qrels_query_column,
    'qrels_item_column': qrels_item_column,
    'query_list': query_list,
    'time_column': time_column,
    'period': period,
    'timezone': timezone,
    'rollup': rollup,
    'min_queries': min_queries,
    'weight_column': weight_column,
    'cluster_column': cluster_column,
    'propensity_column': propensity_column,
    'target_column': target_column,
    'items_relation': items_relation,
    'popularity_column': popularity_column,
    'category_column': category_column,
    'empty_lists': empty_lists,
    'covariate_column': covariate_column,
    'limits': limits,
    'shown': shown,
})) }}
{% endmacro %}

{% macro rm_request(level, runs, metrics, arguments, baseline='baseline') %}
{%- set unjudged = arguments.qrels is none and arguments.relevance_column is none -%}
{%- set given = {'queries': 'retrieved'} if unjudged else {} -%}
{%- do given.update(arguments.options) -%}
{%- set choices = rankmetrics_sql.rm_project_choices(given, arguments.profile) -%}
{%- set resolved = rankmetrics_sql.rm_resolved_metrics(metrics, choices) -%}
{%- set labelled = arguments.qrels is none -%}
{%- set carried = rankmetrics_sql.rm_carried(resolved) -%}
{%- set by_rank = 'rank' in resolved | map(attribute='ranking') | map(attribute='ties') | list -%}
{%- set columns = {
    'query_id': rankmetrics_sql.rm_as_list(arguments.query_column),
    'item_id': arguments.item_column,
    'score': rankmetrics_sql.rm_score_column(arguments.score_column, arguments.position_column, by_rank),
    'position': arguments.position_column,
    'relevance': arguments.relevance_column,
    'subtopic': arguments.subtopic_column,
    'n_relevant': arguments.n_relevant_column,
    'run_id': arguments.run_column,
    'propensity': arguments.propensity_column if 'propensity' in carried else none,
    'target': arguments.target_column if 'target' in carried else none,
} -%}
{%- set keys = columns.query_id -%}
{%- set time = rankmetrics_sql.rm_request_time(arguments, labelled) -%}
{%- set groups = rankmetrics_sql.rm_request_groups(arguments.group_by, labelled) -%}
{%- set clusters = rankmetrics_sql.rm_request_groups(arguments.cluster_column, labelled)[:1] -%}
{%- for group in ([] if time is none else [time]) + clusters -%}
    {%- do groups.append({
        'name': 'group_' ~ (groups | length + 1),
        'label': group.label,
        'column': group.column,
        'relation': group.relation,
    }) -%}
{%- endfor -%}
{%- set weights = rankmetrics_sql.rm_by_relation(arguments.weight_column, labelled) -%}
{%- set covariates = rankmetrics_sql.rm_by_relation(arguments.covariate_column, labelled) -%}
{%- set given_position = columns.score is none or by_rank -%}
{%- set run_columns = rankmetrics_sql.rm_meanings({
    'query_id': keys,
    'item_id': columns.item_id,
    'score': columns.score,
    'position': columns.position if given_position else none,
    'relevance': columns.relevance if labelled else none,
    'n_relevant': columns.n_relevant if labelled else none,
    'weight': weights.run,
    'covariate': covariates.run,
    'run_id': columns.run_id,
    'propensity': columns.propensity if labelled else none,
    'target': columns.target if labelled else none,
}) -%}
{%- set inputs = [] -%}
{%- for run in runs -%}
    {%- do inputs.append(rankmetrics_sql.rm_input(
        run.relation, run_columns, time, 'run', run.name, arguments.empty_lists
    )) -%}
{%- endfor -%}
{%- set own_keys = arguments.qrels_query_column -%}
{%- set judged_columns = rankmetrics_sql.rm_meanings({
    'query_id': keys if own_keys is none else rankmetrics_sql.rm_as_list(own_keys),
    'item_id': columns.item_id if arguments.qrels_item_column is none else arguments.qrels_item_column,
    'relevance': columns.relevance,
    'subtopic': columns.subtopic,
    'weight': weights.qrels,
    'covariate': covariates.qrels,
    'propensity': columns.propensity,
    'target': columns.target,
}) -%}
{%- set listed_columns = rankmetrics_sql.rm_meanings({
    'query_id': keys,
    'weight': weights.query_list,
    'covariate': covariates.query_list,
}) -%}
{%- set listed = arguments.query_list -%}
{%- set item_columns = rankmetrics_sql.rm_meanings({
    'query_id': [],
    'item_id': columns.item_id,
    'popularity': arguments.popularity_column,
    'category': arguments.category_column,
}) -%}
{%- set items = arguments.items_relation -%}
{{ return({
    'level': level,
    'runs': inputs,
    'qrels': none if labelled else rankmetrics_sql.rm_input(arguments.qrels, judged_columns, time, 'qrels'),
    'query_list': none if listed is none
        else rankmetrics_sql.rm_input(listed, listed_columns, time, 'query_list'),
    'catalogue': none if items is none else rankmetrics_sql.rm_input(items, item_columns, time, 'items'),
    'metrics': resolved,
    'options': choices.options,
    'groups': groups,
    'has_cluster': arguments.cluster_column is not none,
    'rollup': rankmetrics_sql.rm_request_rollup(arguments, groups),
    'min_queries': arguments.min_queries,
    'query_labels': rankmetrics_sql.rm_query_labels(keys),
    'check': 'none',
    'baseline': baseline,
    'all_pairs': false,
    'limits': rankmetrics_sql.rm_limits_by_label(arguments.limits, resolved),
    'shown': arguments.shown,
    'stored_values': none,
    'recurses': rankmetrics_sql.rm_recurses_with_windows(),
    'ranks_all': false,
    'selects_kth': rankmetrics_sql.rm_kth_score('score', 1) is not none,
    'counts_bits': rankmetrics_sql.rm_distinct_by_bits('rnk') is not none,
    'sums_greatest': rankmetrics_sql.rm_sum_of_greatest('gain', 1, 'gain') is not none,
}) }}
{% endmacro %}

{#- What an input has for each meaning: the user's column, SQL over the row, or none. -#}
{% macro rm_meanings(known) %}
{%- set columns = {
    'query_id': none, 'item_id': none, 'score': none, 'position': none, 'relevance': none, 'subtopic': none,
    'n_relevant': none, 'weight': none, 'covariate': none, 'run_id': none, 'propensity': none, 'target': none,
} -%}
{%- do columns.update(known) -%}
{{ return(columns) }}
{% endmacro %}

{#- By how much each metric may be worse: one number for all of them, or a mapping with one for some. -#}
{% macro rm_limits_by_label(limits, metrics) %}
{%- if limits is none -%}{{ return(none) }}{%- endif -%}
{%- set labels = metrics | map(attribute='label') | list -%}
{%- set found = {} -%}
{%- for label in (limits.keys() if limits is mapping else labels) -%}
    {%- set limit = limits[label] if limits is mapping else limits -%}
    {%- if label not in labels -%}
        {%- do rankmetrics_sql.rm_raise('limits: there is no ' ~ label ~ '. Valid: ' ~ labels | join(', ') ~ '.') -%}
    {%- elif limit is not number or limit < 0 -%}
        {%- do rankmetrics_sql.rm_raise('limits: ' ~ limit ~ ' of ' ~ label ~ ' is no number at least 0.') -%}
    {%- endif -%}
    {%- do found.update({label: limit}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#-
A relation of the user's, as Python's Relation has it; columns maps each meaning to the user's column or SQL over the
row, or to none. The one that has the time has a column of its periods, too.
-#}
{% macro rm_input(relation, columns, time, side, name=none, optional_ids=false) %}
{%- set expressions = [] -%}
{%- set names = {} -%}
{%- for meaning, given in columns.items() -%}
    {%- if meaning != 'query_id' -%}
        {%- do names.update({meaning: rankmetrics_sql.rm_column_of(given, meaning, meaning, expressions)}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set keys = [] -%}
{%- for key in columns.query_id -%}
    {%- set name = 'query_id_' ~ loop.index if columns.query_id | length > 1 else 'query_id' -%}
    {%- do keys.append(rankmetrics_sql.rm_column_of(key, name, 'query_id', expressions)) -%}
{%- endfor -%}
{%- do names.update({'query_id': keys}) -%}
{%- if time is not none and time.relation == side -%}
    {%- do expressions.append({'name': time.column, 'sql': time.sql}) -%}
{%- endif -%}
{{ return({
    'name': name,
    'relation': relation,
    'whole': none,
    'expressions': expressions,
    'columns': names,
    'text_ids': false,
    'is_query': false,
    'optional_ids': optional_ids,
    'clean': false,
    'collated': [],
}) }}
{% endmacro %}

{% macro rm_as_list(value) %}
{{ return([value] if value is string else value | list) }}
{% endmacro %}

{#- none in YAML is a text, and nothing is what it means. -#}
{% macro rm_or_null(value) %}
{{ return(none if value is string and value | trim | lower in ['none', 'null'] else value) }}
{% endmacro %}

{% macro rm_with_nulls(values) %}
{%- set found = {} -%}
{%- for name, value in values.items() -%}
    {%- set said = value is string and value | trim | lower in ['none', 'null'] -%}
    {%- do found.update({name: none if said else value}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- The options and the profile of a call over those of the project. -#}
{% macro rm_project_choices(options, profile) %}
{%- set project = var('rankmetrics_sql', {}) -%}
{%- set given = {} -%}
{%- do given.update(project.options if project.options is defined else {}) -%}
{%- do given.update(options) -%}
{%- set of_project = project.profile if project.profile is defined else none -%}
{{ return(rankmetrics_sql.rm_choices(given, of_project if profile is none else profile)) }}
{% endmacro %}

{#- Where no score is named, a position is enough; ties=rank is about equal scores, so there are some. -#}
{% macro rm_score_column(score, position, by_rank) %}
{%- if score != '' -%}{{ return(score) }}{%- endif -%}
{{ return('score' if position is none or by_rank else none) }}
{% endmacro %}
