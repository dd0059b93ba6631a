{#-
A request is what the caller said: one literal, made here of the arguments of a public macro, and in Python by
Query.request. The metrics in it have a value for every choice.
-#}

{#- The statement that answers the arguments of a public macro; judging lists what to judge of what is compared. -#}
{% macro rm_statement(level, relation, metrics, arguments, baseline=none, judging=none) %}
{%- set runs = [{'name': none, 'relation': relation}] -%}
{%- set name = 'baseline' -%}
{%- if rankmetrics_sql.rm_is_comparison(level) and arguments.run_id is none -%}
    {%- set runs = [{'name': name, 'relation': baseline}, {'name': 'candidate', 'relation': relation}] -%}
{%- elif rankmetrics_sql.rm_is_comparison(level) -%}
    {%- set name = baseline -%}
{%- endif -%}
{%- set request = rankmetrics_sql.rm_request(level, runs, metrics, arguments, name) -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_request_refusal(request, true)) -%}
{%- set sides = {'qrels': request.qrels, 'query_list': request.query_list, 'items': request.catalogue} -%}
{%- set is_alone = request.qrels is none and request.query_list is none and request.catalogue is none -%}
{%- for run in request.runs -%}
    {%- do rankmetrics_sql.rm_check_columns(run.relation, run.columns, '' if is_alone else 'run.') -%}
{%- endfor -%}
{%- for side, input in sides.items() if input is not none -%}
    {%- do rankmetrics_sql.rm_check_columns(input.relation, input.columns, side ~ '.') -%}
{%- endfor -%}
{%- if judging is not none -%}
    {%- set request = rankmetrics_sql.rm_request('judge_next', runs, metrics, arguments, name, judging) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_query(request, ordered=false)) }}
{% endmacro %}

{% macro rm_request(level, runs, metrics, arguments, baseline='baseline', judging=none) %}
{%- set columns = arguments.columns -%}
{%- set labelled = arguments.qrels is none -%}
{%- set judged_in = 'run' if labelled else 'qrels' -%}
{%- set compared = level in ['compare', 'compare_per_query', 'judge_next'] -%}
{%- set choices = rankmetrics_sql.rm_project_choices(arguments.options, arguments.profile) -%}
{%- set resolved = rankmetrics_sql.rm_resolved_metrics(metrics, choices, compared) -%}
{%- set usual_grade = rankmetrics_sql.rm_usual_grade(resolved, choices, labelled) -%}
{%- set grade = rankmetrics_sql.rm_grade_column(columns, judged_in, usual_grade) -%}
{%- if labelled and grade is none -%}
    {%- set given = {'queries': 'retrieved'} -%}
    {%- do given.update(arguments.options) -%}
    {%- set choices = rankmetrics_sql.rm_project_choices(given, arguments.profile) -%}
    {%- set resolved = rankmetrics_sql.rm_resolved_metrics(metrics, choices, compared) -%}
{%- endif -%}
{%- set usual = rankmetrics_sql.rm_usual_side(arguments, choices.options.queries) -%}
{%- do rankmetrics_sql.rm_refuse_uncounted(resolved, labelled, arguments.empty_lists) -%}
{%- set carried = rankmetrics_sql.rm_carried(resolved) -%}
{%- set by_rank = 'rank' in resolved | map(attribute='ranking') | map(attribute='ties') | list -%}
{%- set judgments = {'relevance': grade} -%}
{%- for meaning in carried -%}
    {%- do judgments.update({meaning: rankmetrics_sql.rm_column_for(columns, judged_in, meaning, meaning)}) -%}
{%- endfor -%}
{%- set position = rankmetrics_sql.rm_column_for(columns, 'run', 'position') -%}
{%- set named_score = rankmetrics_sql.rm_column_for(columns, 'run', 'score', '') -%}
{%- set score = rankmetrics_sql.rm_score_column(named_score, position, by_rank) -%}
{%- set time = rankmetrics_sql.rm_request_time(arguments, usual) -%}
{%- set groups = rankmetrics_sql.rm_request_groups('by', arguments.by, usual) -%}
{%- set clusters = rankmetrics_sql.rm_request_groups('cluster', arguments.cluster, usual)[:1] -%}
{%- set strata = rankmetrics_sql.rm_request_groups('strata', arguments.strata, usual)[:1] -%}
{%- for group in ([] if time is none else [time]) + clusters + strata -%}
    {%- do groups.append({
        'name': 'group_' ~ (groups | length + 1),
        'label': group.label,
        'column': group.column,
        'relation': group.relation,
    }) -%}
{%- endfor -%}
{%- set numbers = {
    'weight': rankmetrics_sql.rm_by_relation('weight', arguments.weight, usual),
    'covariate': rankmetrics_sql.rm_by_relation('covariate', arguments.covariate, usual),
} -%}
{%- set of_run = {
    'score': score,
    'position': position if score is none or by_rank else none,
    'run_id': arguments.run_id,
} -%}
{%- if labelled -%}
    {%- do of_run.update(judgments) -%}
    {%- do of_run.update({'n_relevant': rankmetrics_sql.rm_column_for(columns, 'run', 'n_relevant')}) -%}
{%- endif -%}
{%- set run_columns = rankmetrics_sql.rm_meanings(columns, 'run', numbers, of_run) -%}
{%- set inputs = [] -%}
{%- for run in runs -%}
    {%- if rankmetrics_sql.rm_or_null(run.relation) is none -%}
        {%- do rankmetrics_sql.rm_raise((run.name or 'relation') ~ " is none; give a relation, as ref('results').") -%}
    {%- endif -%}
    {%- do inputs.append(rankmetrics_sql.rm_input(
        run.relation, run_columns, time, 'run', run.name, arguments.empty_lists
    )) -%}
{%- endfor -%}
{%- do judgments.update({'subtopic': rankmetrics_sql.rm_column_for(columns, 'qrels', 'subtopic')}) -%}
{%- set judged_columns = rankmetrics_sql.rm_meanings(columns, 'qrels', numbers, judgments) -%}
{%- set listed = arguments.query_list -%}
{%- set predicted = arguments.predicted_qrels -%}
{%- set listed_columns = rankmetrics_sql.rm_meanings(columns, 'query_list', numbers, {'item_id': none}) -%}
{%- set items = arguments.catalogue -%}
{%- set item_columns = rankmetrics_sql.rm_meanings(columns, 'items', numbers, {
    'query_id': [],
    'popularity': rankmetrics_sql.rm_column_for(columns, 'items', 'popularity', 'popularity'),
    'category': rankmetrics_sql.rm_column_for(columns, 'items', 'category', 'category'),
}) -%}
{%- set limits = rankmetrics_sql.rm_limits_by_label(arguments.limits, resolved) -%}
{%- set labels_of_shares = [] -%}
{%- for label, limit in (limits or {}).items() if arguments.relative_limits and limit -%}
    {%- do labels_of_shares.append(label) -%}
{%- endfor -%}
{{ return({
    'level': level,
    'runs': inputs,
    'qrels': none if labelled else rankmetrics_sql.rm_input(
        arguments.qrels if predicted is none else predicted, judged_columns, time, 'qrels'
    ),
    'human_qrels': none if predicted is none else rankmetrics_sql.rm_input(arguments.qrels, judged_columns, time, ''),
    'query_list': none if listed is none
        else rankmetrics_sql.rm_input(listed, listed_columns, time, 'query_list'),
    'catalogue': none if items is none else rankmetrics_sql.rm_input(items, item_columns, time, 'items'),
    'metrics': resolved,
    'options': choices.options,
    'groups': groups,
    'has_cluster': arguments.cluster is not none,
    'has_strata': arguments.strata is not none,
    'rollup': rankmetrics_sql.rm_request_rollup(arguments, groups),
    'min_queries': arguments.min_queries,
    'group_order': none,
    'query_labels': rankmetrics_sql.rm_query_labels(run_columns.query_id),
    'check': 'none',
    'groups_checked': false,
    'stored_basis': false,
    'baseline': baseline,
    'all_pairs': false,
    'names_of_pairs': [],
    'limits': limits,
    'relative_limits': labels_of_shares,
    'caps': rankmetrics_sql.rm_caps_by_label(arguments.cap, resolved),
    'shown': arguments.shown,
    'stored_values': none,
    'judging': judging,
    'recurses': rankmetrics_sql.rm_recurses_with_windows(),
    'without_float32': rankmetrics_sql.rm_engine_without_float32(),
    'ranks_all': false,
    'selects_kth': rankmetrics_sql.rm_kth_score('score', 1) is not none,
    'counts_bits': rankmetrics_sql.rm_distinct_by_bits('rnk') is not none,
    'sums_greatest': rankmetrics_sql.rm_sum_of_greatest('gain', 1, 'gain') is not none,
}) }}
{% endmacro %}

{#- Refuses to count empty lists in one table whose rows without an item are items like others: none would be empty. -#}
{% macro rm_refuse_uncounted(metrics, labelled, empty_lists) %}
{%- set known = rankmetrics_sql.rm_known_metrics() -%}
{%- for metric in metrics if labelled and not empty_lists and metric.name in known -%}
    {%- if known[metric.name].counts_empty_lists -%}
        {%- do rankmetrics_sql.rm_raise(metric.label ~ ' counts empty lists, and one table has them only as rows'
            ~ ' without an item. Pass empty_lists=true, if it has such rows.') -%}
    {%- endif -%}
{%- endfor -%}
{% endmacro %}

{#-
What judgments have for a grade if none is named: a column, or 1 for each row of a history. One table for metrics that
read no judgments has none, unless they choose its queries.
-#}
{% macro rm_usual_grade(metrics, choices, labelled) %}
{%- if not labelled -%}
    {{ return('1' if rankmetrics_sql.rm_read_history_alone(metrics) else 'relevance') }}
{%- endif -%}
{%- set by_judgments = choices.given.queries | default('retrieved') != 'retrieved' -%}
{{ return('relevance' if by_judgments or metrics | selectattr('reads_judgments') | list else none) }}
{% endmacro %}

{#- The column that the call names, or the usual one; a grade that no metric reads is not that of the project's var. -#}
{% macro rm_grade_column(columns, side, usual) %}
{%- set named = rankmetrics_sql.rm_column_for(columns, side, 'relevance', usual) -%}
{%- set of_project = rankmetrics_sql.rm_column_for(rankmetrics_sql.rm_project().columns, side, 'relevance') -%}
{{ return(usual if usual != 'relevance' and of_project is not none and named == of_project else named) }}
{% endmacro %}

{#- Whether judgments are read for what they name alone: each row of a history counts, whatever its grade. -#}
{% macro rm_read_history_alone(metrics) %}
{%- set known = rankmetrics_sql.rm_known_metrics() -%}
{%- set reading = metrics | selectattr('reads_judgments') | map(attribute='name') | list -%}
{%- for name in reading if name not in known or not known[name].reads_history -%}
    {{ return(false) }}
{%- endfor -%}
{{ return(reading | length > 0) }}
{% endmacro %}

{#-
What an input has for each meaning, a column, SQL over the row, or none: its ids, of numbers of queries those that it
has, and others that only this input has.
-#}
{% macro rm_meanings(columns, side, numbers, others) %}
{%- set keys = rankmetrics_sql.rm_column_for(columns, side, 'query_id', 'query_id') -%}
{%- set found = {
    'query_id': rankmetrics_sql.rm_as_list(keys),
    'item_id': rankmetrics_sql.rm_column_for(columns, side, 'item_id', 'item_id'),
    'score': none, 'position': none, 'relevance': none, 'subtopic': none, 'n_relevant': none,
    'weight': numbers.weight.get(side), 'covariate': numbers.covariate.get(side), 'run_id': none, 'propensity': none,
    'target': none,
} -%}
{%- do found.update(others) -%}
{{ return(found) }}
{% endmacro %}

{#- By how much each metric may be worse: one number for all of them, or a mapping with one for some. -#}
{% macro rm_limits_by_label(limits, metrics) %}
{%- if limits is none -%}{{ return(none) }}{%- endif -%}
{%- set labels = metrics | map(attribute='label') | list -%}
{%- set found = {} -%}
{%- for label in (limits.keys() if limits is mapping else labels) -%}
    {%- set limit = rankmetrics_sql.rm_as_number_if_any(limits[label] if limits is mapping else limits) -%}
    {%- if label not in labels -%}
        {%- do rankmetrics_sql.rm_raise('limits: there is no '
            ~ rankmetrics_sql.rm_written_value(label) ~ '. Valid: ' ~ labels | join(', ') ~ '.') -%}
    {%- elif limit is not number or limit < 0 -%}
        {%- do rankmetrics_sql.rm_raise('limits: '
            ~ rankmetrics_sql.rm_written_value(limit) ~ ' of ' ~ label ~ ' is no number at least 0.') -%}
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
    'only_grade': none,
    'collated': [],
    'floats': [],
    'exact': none,
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
{%- set project = rankmetrics_sql.rm_project() -%}
{%- set given = {} -%}
{%- do given.update(project.options) -%}
{%- do given.update(rankmetrics_sql.rm_given_options(options)) -%}
{{ return(rankmetrics_sql.rm_choices(given, project.profile if profile is none else profile)) }}
{% endmacro %}

{#- Where no score is named, a position is enough; ties=rank is about equal scores, so there are some. -#}
{% macro rm_score_column(score, position, by_rank) %}
{%- if score != '' -%}{{ return(score) }}{%- endif -%}
{{ return('score' if position is none or by_rank else none) }}
{% endmacro %}
