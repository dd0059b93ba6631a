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
time_column   the time, found as group_by's columns are; of it period, day, week or month, is a group too: its first day
              in the time zone timezone, UTC unless said otherwise
rollup        true for rows of every set of those columns, or a list of the sets, each a list of columns
min_queries   rows of groups with fewer queries are left out
weight_column a number for each query, such as its traffic, found as group_by's columns are: means are made with it. A
              query whose weight is NULL weighs nothing; where a weight is negative there is no mean
cluster_column a column found likewise, such as the user: errors are those of its values; sums have a row for each
covariate_column a number for each query that was known before, found likewise: effects of arms are adjusted by it
*_column      columns, as they are written in SQL, or SQL over the row; query_column may be a list; score_column is
              score unless a position_column is all there is, and none where there is no score
query_list    a relation with the queries to score
items_relation  the catalogue, for metrics beyond accuracy: a row per item, or per item and category, with item_column,
              popularity_column, category_column. Those need no qrels: relevance_column=none says that there are none
empty_lists   whether a row without an item stands for a list that is empty, as from_events and from_lists have them
The project's var rankmetrics_sql may hold options and profile for all calls, and comments: false, which leaves out the
lines that say what each stage of a statement is.
-#}

{% macro per_query(
    relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id',
    item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none,
    n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, query_list=none,
    time_column=none, period=none, timezone=none, propensity_column='propensity', target_column='target',
    items_relation=none, popularity_column='popularity', category_column='category', empty_lists=false
) %}
{{ return(rankmetrics_sql.rm_statement('per_query', relation, metrics, rankmetrics_sql.rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list,
    time_column, period, timezone, propensity_column=propensity_column, target_column=target_column,
    items_relation=items_relation, popularity_column=popularity_column, category_column=category_column,
    empty_lists=empty_lists
))) }}
{% endmacro %}

{% macro summary(
    relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id',
    item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none,
    n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, query_list=none,
    time_column=none, period=none, timezone=none, rollup=false, min_queries=none, weight_column=none,
    cluster_column=none, propensity_column='propensity', target_column='target', items_relation=none,
    popularity_column='popularity', category_column='category', empty_lists=false
) %}
{{ return(rankmetrics_sql.rm_statement('summary', relation, metrics, rankmetrics_sql.rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list,
    time_column, period, timezone, rollup, min_queries, weight_column, cluster_column,
    propensity_column=propensity_column, target_column=target_column,
    items_relation=items_relation, popularity_column=popularity_column, category_column=category_column,
    empty_lists=empty_lists
))) }}
{% endmacro %}

{#- What adds up to a summary of any groups together: of each metric users, main_sum and main_sum_squares. -#}
{% macro sums(
    relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id',
    item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none,
    n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, query_list=none,
    time_column=none, period=none, timezone=none, weight_column=none, cluster_column=none,
    propensity_column='propensity', target_column='target', items_relation=none, popularity_column='popularity',
    category_column='category', empty_lists=false, covariate_column=none
) %}
{{ return(rankmetrics_sql.rm_statement('sums', relation, metrics, rankmetrics_sql.rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list,
    time_column, period, timezone, false, none, weight_column, cluster_column,
    propensity_column=propensity_column, target_column=target_column, items_relation=items_relation,
    popularity_column=popularity_column, category_column=category_column,
    empty_lists=empty_lists, covariate_column=covariate_column
))) }}
{% endmacro %}

{#-
candidate and baseline are two relations with the same columns; or, with a run_column, relation has all runs and
baseline is the name of one. Arguments have their names: which of two relations came first nobody could see, and Python
has the baseline there. per_query=true gives both values of each query, those that differ most first.
-#}
{% macro compare(
    by_name=none, candidate=none, baseline=none, metrics=none, qrels=none, options={}, profile=none, group_by=none,
    query_column='query_id',
    item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none,
    n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, query_list=none,
    time_column=none, period=none, timezone=none, propensity_column='propensity', target_column='target',
    items_relation=none, popularity_column='popularity', category_column='category',
    empty_lists=false, per_query=false,
    cluster_column=none, covariate_column=none, limits=none, relation=none, weight_column=none
) %}
{%- set compared = rankmetrics_sql.rm_compared('compare', by_name, candidate, baseline, relation, metrics) -%}
{%- set arguments = rankmetrics_sql.rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list,
    time_column, period, timezone, weight_column=weight_column, cluster_column=cluster_column,
    propensity_column=propensity_column,
    target_column=target_column, items_relation=items_relation, popularity_column=popularity_column,
    category_column=category_column, empty_lists=empty_lists, covariate_column=covariate_column, limits=limits
) -%}
{%- set level = 'compare_per_query' if per_query else 'compare' -%}
{{ return(rankmetrics_sql.rm_statement(level, compared, metrics, arguments, baseline)) }}
{% endmacro %}

{#- As compare takes them. A row per group with what it adds to the difference of the means. -#}
{% macro decompose(
    by_name=none, candidate=none, baseline=none, metrics=none, qrels=none, options={}, profile=none, group_by=none,
    query_column='query_id',
    item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none,
    n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, query_list=none,
    time_column=none, period=none, timezone=none, propensity_column='propensity', target_column='target',
    items_relation=none, popularity_column='popularity', category_column='category', empty_lists=false,
    relation=none
) %}
{%- set compared = rankmetrics_sql.rm_compared('decompose', by_name, candidate, baseline, relation, metrics) -%}
{{ return(rankmetrics_sql.rm_statement('decompose', compared, metrics, rankmetrics_sql.rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list,
    time_column, period, timezone, propensity_column=propensity_column, target_column=target_column,
    items_relation=items_relation, popularity_column=popularity_column, category_column=category_column,
    empty_lists=empty_lists
), baseline)) }}
{% endmacro %}

{#- As compare takes them. A row per query and item that one of them has within its first k. -#}
{% macro movements(
    by_name=none, candidate=none, baseline=none, k=10, qrels=none, options={}, profile=none, query_column='query_id',
    item_column='item_id',
    score_column='', position_column=none, relevance_column='relevance', run_column=none, qrels_query_column=none,
    qrels_item_column=none, query_list=none, relation=none
) %}
{%- set compared = rankmetrics_sql.rm_compared('movements', by_name, candidate, baseline, relation, k) -%}
{%- set choices = {'queries': 'retrieved'} -%}
{%- do choices.update(options) -%}
{%- set arguments = rankmetrics_sql.rm_arguments(
    qrels, choices, profile, none, query_column, item_column, score_column, position_column, relevance_column,
    run_column, none, none, qrels_query_column, qrels_item_column, query_list
) -%}
{%- set whole = rankmetrics_sql.rm_project_choices(choices, profile).options -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_movements_refusal(k, whole)) -%}
{%- set metric = rankmetrics_sql.rm_movement_metric(k) -%}
{{ return(rankmetrics_sql.rm_statement('movements', compared, metric, arguments, baseline)) }}
{% endmacro %}

{#- The relation that a comparison is about, the candidate or all runs, where its arguments have their names. -#}
{% macro rm_compared(macro, by_name, candidate, baseline, relation, measured) %}
{%- set is_lacking = baseline is none or measured is none or (candidate is none) == (relation is none) -%}
{%- if by_name is not none or is_lacking -%}
    {%- set rest = 'k=10' if macro == 'movements' else "metrics=['ap']" -%}
    {%- do rankmetrics_sql.rm_raise(macro ~ ' takes its arguments by name: ' ~ macro
        ~ "(baseline=ref('old'), candidate=ref('new'), " ~ rest ~ ', ...); or, of one relation with all runs, '
        ~ macro ~ "(relation=ref('runs'), run_column='system', baseline='old', " ~ rest ~ ', ...).') -%}
{%- endif -%}
{{ return(candidate if relation is none else relation) }}
{% endmacro %}

{#- The rows that the metric_NAME expressions aggregate, grouped by the query. -#}
{% macro judged(
    relation, metrics, qrels=none, options={}, profile=none, group_by=none, query_column='query_id',
    item_column='item_id', score_column='', position_column=none, relevance_column='relevance', run_column=none,
    n_relevant_column=none, subtopic_column=none, qrels_query_column=none, qrels_item_column=none, query_list=none,
    propensity_column='propensity', target_column='target'
) %}
{{ return(rankmetrics_sql.rm_statement('judged', relation, metrics, rankmetrics_sql.rm_arguments(
    qrels, options, profile, group_by, query_column, item_column, score_column, position_column, relevance_column,
    run_column, n_relevant_column, subtopic_column, qrels_query_column, qrels_item_column, query_list,
    propensity_column=propensity_column, target_column=target_column
))) }}
{% endmacro %}

{#-
A metric of the project's own. Define default__rankmetrics_custom_metric(name, k) there and return an aggregate
expression over the rows of judged, or none for a name that is not yours.
-#}
{% macro rankmetrics_custom_metric(name, k) %}
{{ return(adapter.dispatch('rankmetrics_custom_metric', 'rankmetrics_sql')(name, k)) }}
{% endmacro %}

{% macro default__rankmetrics_custom_metric(name, k) %}
{{ return(none) }}
{% endmacro %}
