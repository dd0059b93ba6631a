{#-
One statement for everything asked for. A plan is a mapping with
    level       "per_query", "summary", "compare"; "curve" or "curve_per_query" for a metric along a parameter,
                "points" for a curve whose points each list has of its own, "judged" for the rows behind the metrics
    runs        list of {name, relation, columns, text_ids, is_query}; one labelled table when qrels is none
    qrels       {relation, columns, text_ids} or none
    selected    {relation, columns, text_ids} or none: the queries to score
    metrics     list of {name, label, column, params, x, ranking, needs, aggregate, skips, has_columns, has_relation,
                has_parts}; x is the place on a curve
    options     value of every option of the whole evaluation, and rel
    groups      list of {name, label, column, relation}
    query_labels  output names of the query columns
    check       "full", "judged" or "none": which fault columns to add
    baseline    name of the run that the others are compared with, or none
    recurses    whether the engine's recursive CTEs may have window functions; where it is absent the adapter knows
where columns maps query_id (a list), item_id, score, position, relevance, subtopic, n_relevant and run_id to column
names or none, and ranking holds the ranking options of one metric. Metrics with the same ranking share a pass.
-#}

{% macro rm_query(plan) %}
{%- do rankmetrics_sql.rm_complete(plan) -%}
{%- set ctes = rankmetrics_sql.rm_run(plan) + rankmetrics_sql.rm_qrels(plan) + rankmetrics_sql.rm_selected(plan) -%}
{%- do ctes.extend(rankmetrics_sql.rm_runs(plan) + rankmetrics_sql.rm_groups(plan)) -%}
{%- for pass in plan.passes -%}
    {%- for cte in rankmetrics_sql.rm_pass(pass) -%}
        {%- if cte.name not in ctes | map(attribute='name') | list -%}{%- do ctes.append(cte) -%}{%- endif -%}
    {%- endfor -%}
{%- endfor -%}
{%- do ctes.extend(rankmetrics_sql.rm_stacked(plan)) -%}
{%- if plan.level == 'per_query' -%}
    {%- set select = rankmetrics_sql.rm_select_per_query(plan) -%}
{%- elif plan.level == 'compare' -%}
    {%- do ctes.extend(rankmetrics_sql.rm_pairs(plan) + rankmetrics_sql.rm_means(plan)) -%}
    {%- set select = rankmetrics_sql.rm_select_compare(plan) -%}
{%- elif plan.level == 'points' -%}
    {%- set select = rankmetrics_sql.rm_select_points(plan) -%}
{%- elif plan.level == 'judged' -%}
    {%- set select = rankmetrics_sql.rm_select_judged(plan) -%}
{%- elif plan.level == 'curve_per_query' -%}
    {%- do ctes.append(rankmetrics_sql.rm_metric_names(plan)) -%}
    {%- set select = rankmetrics_sql.rm_select_curve(plan) -%}
{%- else -%}
    {%- do ctes.extend(rankmetrics_sql.rm_totals(plan)) -%}
    {%- set select = rankmetrics_sql.rm_select_curve(plan) if plan.level == 'curve' else rankmetrics_sql.rm_select_summary(plan) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- The stages that belong to one ranking; those that two passes share have the same name. -#}
{% macro rm_pass(pass) %}
{%- set ctes = rankmetrics_sql.rm_typical_grades(pass) -%}
{%- if pass.strategy == 'count' -%}
    {%- do ctes.extend(rankmetrics_sql.rm_matched_by_count(pass)) -%}
{%- else -%}
    {%- do ctes.extend(rankmetrics_sql.rm_matched_by_window(pass)) -%}
{%- endif -%}
{%- do ctes.extend(rankmetrics_sql.rm_judged(pass) + rankmetrics_sql.rm_truth(pass) + rankmetrics_sql.rm_retrieved(pass)) -%}
{%- for relation in pass.relations -%}{%- do ctes.extend(relation.ctes) -%}{%- endfor -%}
{%- do ctes.extend(rankmetrics_sql.rm_queries(pass) + rankmetrics_sql.rm_rows(pass) + rankmetrics_sql.rm_per_query(pass)) -%}
{{ return(ctes) }}
{% endmacro %}

{% macro rm_with(ctes) %}
{%- set parts = [] -%}
{%- for cte in ctes -%}
    {%- do parts.append(cte.name ~ ' AS ' ~ rankmetrics_sql.rm_cte_hint(cte.kind) ~ '(\n    ' ~ cte.sql ~ '\n)') -%}
{%- endfor -%}
{{ return('WITH ' ~ parts | join(',\n\n')) }}
{% endmacro %}

{#- What follows from the plan, computed once. -#}
{% macro rm_complete(plan) %}
{%- set labelled = plan.runs[0].columns.relevance is not none -%}
{%- set multi = plan.runs | length > 1 or plan.runs[0].name is not none or plan.runs[0].columns.run_id is not none -%}
{%- set query_keys = [] -%}
{%- for label in plan.query_labels -%}
    {%- do query_keys.append('query_id' if plan.query_labels | length == 1 else 'query_id_' ~ loop.index) -%}
{%- endfor -%}
{%- set keys = (['run_id'] if multi else []) + query_keys -%}
{%- do plan.update({
    'labelled': labelled,
    'multi': multi,
    'query_keys': query_keys,
    'row_keys': keys,
    'own_truth': plan.qrels is none,
    'cutoffs': rankmetrics_sql.rm_cutoffs(plan.metrics),
    'group_names': plan.groups | map(attribute='name') | list,
    'subtopics': plan.qrels is not none and plan.qrels.columns.subtopic is not none,
}) -%}
{%- do plan.update({'passes': rankmetrics_sql.rm_passes(plan)}) -%}
{%- set order = [] -%}
{%- for pass in plan.passes -%}
    {%- do rankmetrics_sql.rm_complete_pass(plan, pass) -%}
    {%- for key in pass.order if key.column -%}{%- if key not in order -%}{%- do order.append(key) -%}{%- endif -%}{%- endfor -%}
{%- endfor -%}
{%- do plan.update({
    'order': order,
    'runs_named': plan.passes | selectattr('runs_named') | list | length > 0,
    'fault_names': (['n_faults'] if plan.check != 'none' else [])
        + (['n_ties_cut'] if plan.passes | selectattr('ties_counted') | list else []),
}) -%}
{% endmacro %}

{#- One pass per distinct ranking: a copy of the plan with its own metrics and options. -#}
{% macro rm_passes(plan) %}
{%- set rankings = [] -%}
{%- for metric in plan.metrics -%}
    {%- set ranking = rankmetrics_sql.rm_ranking(plan, metric) -%}
    {%- if ranking not in rankings -%}{%- do rankings.append(ranking) -%}{%- endif -%}
{%- endfor -%}
{%- set passes = [] -%}
{%- for ranking in rankings -%}
    {%- set metrics = [] -%}
    {%- for metric in plan.metrics if rankmetrics_sql.rm_ranking(plan, metric) == ranking -%}{%- do metrics.append(metric) -%}{%- endfor -%}
    {%- set options = {} -%}
    {%- do options.update(plan.options) -%}
    {%- do options.update(ranking) -%}
    {%- set pass = {} -%}
    {%- do pass.update(plan) -%}
    {%- do pass.update({'metrics': metrics, 'options': options, 'suffix': '_' ~ loop.index if rankings | length > 1 else ''}) -%}
    {%- do passes.append(pass) -%}
{%- endfor -%}
{{ return(passes) }}
{% endmacro %}

{#- What makes two metrics read different rows. An unjudged item that counts as relevant just reaches the threshold. -#}
{% macro rm_ranking(plan, metric) %}
{%- set ranking = {'all_rows': 'all_rows' in metric.needs, 'subtopics': 'subtopics' in metric.needs, 'assumed_grade': none} -%}
{%- do ranking.update(metric.ranking) -%}
{%- do ranking.update({'universe_rel': none}) -%}
{%- if ranking.queries == 'judged_relevant' -%}
    {%- do ranking.update({'universe_rel': metric.params.rel if metric.params.rel is defined else plan.options.rel}) -%}
{%- endif -%}
{%- if ranking.unjudged == 'relevant' -%}
    {%- do ranking.update({'assumed_grade': metric.params.rel if metric.params.rel is defined else plan.options.rel}) -%}
{%- elif ranking.unjudged is number -%}
    {%- do ranking.update({'assumed_grade': ranking.unjudged}) -%}
{%- endif -%}
{{ return(ranking) }}
{% endmacro %}

{#- Stages carry the suffix of the first pass that wants the same of them. -#}
{% macro rm_complete_pass(plan, pass) %}
{%- set options = pass.options -%}
{%- set assumed = options.unjudged not in ['nonrelevant', 'drop'] -%}
{%- set own_truth = pass.own_truth or rankmetrics_sql.rm_truth_of_list(pass) -%}
{%- set all_rows = assumed or options.all_rows -%}
{%- set ties_counted = plan.check == 'full' and plan.cutoffs | length > 0 and options.position != 'given' -%}
{%- set tied = options.ties in ['expected', 'best', 'worst'] -%}
{%- do pass.update({
    'assumed': assumed,
    'all_rows': all_rows,
    'truth_keys': pass.row_keys if own_truth else pass.query_keys,
    'truth_metrics': rankmetrics_sql.rm_truth_metrics(plan, pass),
    'universe_rels': rankmetrics_sql.rm_universe_rels(plan, pass),
    'strategy': 'count' if plan.options.strategy == 'count' and not all_rows and not options.subtopics and options.ties != 'expected' else 'window',
    'runs_named': pass.multi and (not pass.own_truth or plan.selected is not none),
    'order': rankmetrics_sql.rm_order_keys(plan, options),
    'qrels_name': 'rankmetrics_subtopics' if options.subtopics else 'rankmetrics_qrels',
    'ranked_suffix': rankmetrics_sql.rm_shared_suffix(plan, pass, ['ranked']),
    'retrieved_suffix': rankmetrics_sql.rm_shared_suffix(plan, pass, ['retrieved']),
    'matched_suffix': rankmetrics_sql.rm_shared_suffix(plan, pass, ['ranked', 'rows']),
    'truth_suffix': rankmetrics_sql.rm_truth_suffix(pass),
    'ties_counted': ties_counted,
    'tie_names': ['n_above', 'n_through'] if ties_counted or tied else [],
}) -%}
{%- do pass.update({
    'weights': rankmetrics_sql.rm_rank_weights(pass.metrics) if options.ties == 'expected' else [],
    'gains': rankmetrics_sql.rm_gains(rankmetrics_sql.rm_needed(pass.metrics, 'gain', ['gain', 'rel'])),
    'ideals': rankmetrics_sql.rm_needed(pass.truth_metrics, 'ideal_dcg', ['gain', 'rel', 'k', 'discount', 'ideal_depth']),
    'retrieved_counted': options.queries in ['judged_retrieved', 'retrieved'] or rankmetrics_sql.rm_any_needs(pass.metrics, 'n_retrieved'),
}) -%}
{%- do pass.update({
    'ideal_gains': rankmetrics_sql.rm_gains(pass.ideals | rejectattr('ideal_depth', 'in', ['present', 'all_relevant']) | list),
    'truth_columns': rankmetrics_sql.rm_truth_columns(pass),
    'matched_columns': pass.row_keys + (['subtopic'] if options.subtopics else []) + pass.tie_names + ['relevance']
        + (['is_unjudged'] if all_rows else []) + (['n_copies', 'is_undefined'] if plan.check != 'none' else []),
}) -%}
{%- set computed = rankmetrics_sql.rm_running_columns(pass) + rankmetrics_sql.rm_tied_columns(pass) -%}
{%- do pass.update({
    'relations': rankmetrics_sql.rm_relations(pass),
    'judged_columns': computed,
    'judged_names': rankmetrics_sql.rm_judged_names(pass, computed),
}) -%}
{%- set fact_names = pass.truth_columns | map(attribute='name') | list + (['n_retrieved'] if pass.retrieved_counted else []) -%}
{%- for relation in pass.relations -%}{%- do fact_names.extend(relation.columns) -%}{%- endfor -%}
{%- set truth_alone = fact_names | length == pass.truth_columns | length and not plan.groups and plan.selected is none
    and options.queries == 'judged' and (own_truth or not pass.multi) -%}
{%- do pass.update({
    'fact_names': fact_names,
    'queries_name': 'rankmetrics_truth' ~ pass.truth_suffix if truth_alone else 'rankmetrics_queries' ~ pass.suffix,
    'queries_marked': options.queries == 'judged_relevant' or plan.selected is not none
        or ((all_rows or (pass.labelled and not pass.own_truth)) and options.queries != 'retrieved'),
    'facts_on_rows': plan.level in ['points', 'judged'] or rankmetrics_sql.rm_any_needs(pass.metrics, 'facts_on_rows'),
}) -%}
{% endmacro %}

{#- Judgments that depend on what was retrieved make a truth of their own for each list; so do subtopics. -#}
{% macro rm_truth_suffix(pass) %}
{{ return('_of_lists' ~ pass.suffix if rankmetrics_sql.rm_truth_of_list(pass) else '_subtopics' if pass.options.subtopics else '') }}
{% endmacro %}

{% macro rm_truth_of_list(pass) %}
{%- set assumed = pass.options.unjudged not in ['nonrelevant', 'drop'] -%}
{{ return(pass.options.judgments == 'retrieved' or (assumed and pass.options.judgments == 'all')) }}
{% endmacro %}

{% macro rm_truth_metrics(plan, pass) %}
{%- set metrics = [] -%}
{%- for other in plan.passes if rankmetrics_sql.rm_truth_suffix(other) == rankmetrics_sql.rm_truth_suffix(pass) -%}
    {%- do metrics.extend(other.metrics) -%}
{%- endfor -%}
{{ return(metrics) }}
{% endmacro %}

{#- The thresholds by which passes of the same truth choose their queries. -#}
{% macro rm_universe_rels(plan, pass) %}
{%- set rels = [] -%}
{%- for other in plan.passes if rankmetrics_sql.rm_truth_suffix(other) == rankmetrics_sql.rm_truth_suffix(pass) -%}
    {%- if other.options.universe_rel is not none and other.options.universe_rel not in rels -%}{%- do rels.append(other.options.universe_rel) -%}{%- endif -%}
{%- endfor -%}
{{ return(rels) }}
{% endmacro %}

{#- What a stage depends on: the order of items, the length of lists, which rows are kept with which grade. -#}
{% macro rm_stage_key(pass, stage) %}
{%- set options = pass.options -%}
{%- if stage == 'ranked' -%}{{ return([options.ties, options.score_type]) }}{%- endif -%}
{%- if stage == 'retrieved' -%}{{ return([options.depth, pass.suffix if options.unjudged == 'drop' else '']) }}{%- endif -%}
{%- set unjudged = 'nonrelevant' if options.unjudged == 'drop' else options.unjudged -%}
{{ return([unjudged, options.assumed_grade, options.all_rows, options.subtopics]) }}
{% endmacro %}

{% macro rm_shared_suffix(plan, pass, stages) %}
{%- for other in plan.passes -%}
    {%- set differing = [] -%}
    {%- for stage in stages if rankmetrics_sql.rm_stage_key(other, stage) != rankmetrics_sql.rm_stage_key(pass, stage) -%}
        {%- do differing.append(stage) -%}
    {%- endfor -%}
    {%- if not differing -%}{{ return(other.suffix) }}{%- endif -%}
{%- endfor -%}
{% endmacro %}

{% macro rm_any_needs(metrics, need) %}
{%- for metric in metrics if need in metric.needs -%}{{ return(true) }}{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{% macro rm_cutoffs(metrics) %}
{%- set cutoffs = [] -%}
{%- for metric in metrics if metric.params.k is defined and metric.params.k is not none -%}
    {%- if metric.params.k not in cutoffs -%}{%- do cutoffs.append(metric.params.k) -%}{%- endif -%}
{%- endfor -%}
{{ return(cutoffs) }}
{% endmacro %}

{#- What a ranking is sorted by; the item id, which has no column of its own here, ends every list. -#}
{% macro rm_order_keys(plan, options) %}
{%- set keys = [] -%}
{%- if plan.runs[0].columns.score is not none -%}
    {%- set name = 'score' if options.score_type == 'double' else 'score_float32' -%}
    {%- do keys.append({'name': name, 'column': 'score', 'descending': true}) -%}
{%- endif -%}
{%- if plan.runs[0].columns.score is none or options.ties in ['rank', 'input'] -%}
    {%- do keys.append({'name': 'given_position', 'column': 'position', 'descending': false}) -%}
{%- endif -%}
{%- do keys.append({'name': 'item_id', 'column': none, 'descending': options.ties != 'item_asc'}) -%}
{{ return(keys) }}
{% endmacro %}
