{#-
One statement for everything asked for. A plan is a mapping with
    level       "per_query", "summary" or "compare"
    runs        list of {name, relation, columns, text_ids, is_query}; one labelled table when qrels is none
    qrels       {relation, columns, text_ids} or none
    selected    {relation, columns, text_ids} or none: the queries to score
    metrics     list of {name, label, column, params, needs, aggregate, has_columns}
    options     value of every ranking option, and rel
    groups      list of {name, label, column, relation}
    query_labels  output names of the query columns
    check       "full", "judged" or "none": which fault columns to add
    baseline    name of the run that the others are compared with, or none
where columns maps query_id (a list), item_id, score, position, relevance, n_relevant and run_id to column names or none.
-#}

{% macro rm_query(plan) %}
{%- do rankmetrics_sql.rm_complete(plan) -%}
{%- set ctes = rankmetrics_sql.rm_run(plan) + rankmetrics_sql.rm_qrels(plan) + rankmetrics_sql.rm_selected(plan) -%}
{%- if plan.options.strategy == 'count' -%}
    {%- do ctes.extend(rankmetrics_sql.rm_matched_by_count(plan)) -%}
{%- else -%}
    {%- do ctes.extend(rankmetrics_sql.rm_matched_by_window(plan)) -%}
{%- endif -%}
{%- do ctes.extend(rankmetrics_sql.rm_judged(plan) + rankmetrics_sql.rm_truth(plan) + rankmetrics_sql.rm_retrieved(plan)) -%}
{%- do ctes.extend(rankmetrics_sql.rm_runs(plan) + rankmetrics_sql.rm_groups(plan) + rankmetrics_sql.rm_queries(plan)) -%}
{%- do ctes.extend(rankmetrics_sql.rm_per_query(plan)) -%}
{%- if plan.level == 'per_query' -%}
    {%- set select = rankmetrics_sql.rm_select_per_query(plan) -%}
{%- elif plan.level == 'compare' -%}
    {%- do ctes.extend(rankmetrics_sql.rm_pairs(plan) + rankmetrics_sql.rm_means(plan)) -%}
    {%- set select = rankmetrics_sql.rm_select_compare(plan) -%}
{%- else -%}
    {%- do ctes.extend(rankmetrics_sql.rm_totals(plan)) -%}
    {%- set select = rankmetrics_sql.rm_select_summary(plan) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
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
{%- set own_truth = plan.qrels is none -%}
{%- do plan.update({
    'labelled': labelled,
    'grade': 'r.relevance' if labelled else 'q.relevance',
    'multi': multi,
    'query_keys': query_keys,
    'row_keys': keys,
    'truth_keys': keys if own_truth else query_keys,
    'gains': rankmetrics_sql.rm_gains(plan.metrics, 'gain'),
    'ideal_gains': rankmetrics_sql.rm_gains(plan.metrics, 'ideal_dcg'),
    'runs_crossed': multi and not own_truth and plan.options.queries != 'retrieved',
    'retrieved_counted': plan.options.queries in ['judged_retrieved', 'retrieved'] or rankmetrics_sql.rm_any_needs(plan.metrics, 'n_retrieved'),
    'cutoffs': rankmetrics_sql.rm_cutoffs(plan.metrics),
    'order': rankmetrics_sql.rm_order_keys(plan),
}) -%}
{%- do plan.update({
    'truth_columns': rankmetrics_sql.rm_truth_columns(plan),
    'group_names': plan.groups | map(attribute='name') | list,
    'ties_counted': plan.check == 'full' and plan.cutoffs | length > 0 and plan.options.position != 'given',
}) -%}
{%- do plan.update({
    'tie_names': ['n_above', 'n_through'] if plan.ties_counted else [],
    'fault_names': (['n_faults'] if plan.check != 'none' else []) + (['n_ties_cut'] if plan.ties_counted else []),
}) -%}
{%- do plan.update({
    'matched_columns': plan.row_keys + plan.tie_names + ['relevance'] + (['n_copies', 'is_undefined'] if plan.check != 'none' else []),
}) -%}
{% endmacro %}

{% macro rm_any_needs(metrics, need) %}
{%- for metric in metrics if need in metric.needs -%}{{ return(true) }}{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{% macro rm_cutoffs(metrics) %}
{%- set cutoffs = [] -%}
{%- for metric in metrics if metric.params.k is defined and metric.params.k is not none and metric.params.k not in cutoffs -%}
    {%- do cutoffs.append(metric.params.k) -%}
{%- endfor -%}
{{ return(cutoffs) }}
{% endmacro %}

{#- What a ranking is sorted by; the item id, which has no column of its own here, ends every list. -#}
{% macro rm_order_keys(plan) %}
{%- set keys = [] -%}
{%- if plan.runs[0].columns.score is not none -%}
    {%- do keys.append({'name': 'score', 'column': 'score', 'descending': true}) -%}
{%- endif -%}
{%- if plan.runs[0].columns.score is none or plan.options.ties == 'rank' -%}
    {%- do keys.append({'name': 'given_position', 'column': 'position', 'descending': false}) -%}
{%- endif -%}
{%- do keys.append({'name': 'item_id', 'column': none, 'descending': plan.options.ties != 'item_asc'}) -%}
{{ return(keys) }}
{% endmacro %}
