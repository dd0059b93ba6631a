{#-
The public macros. Each renders one bare statement, WITH ... SELECT: the body of a model, or what stands in the brackets
of a CTE or of FROM ( ... ) AS t. Nothing is looked up in the database. While dbt parses, execute is false and they
return nothing: the graph follows from ref() in their arguments, and rendering would take most of the time.

relation      what was retrieved: query, item, score (or a position, with columns={'position': ...});
              without qrels it is one labelled table that carries the relevance as well
metrics       a metric string or a list of them: 'ndcg@10', 'ap(rel=2)@100', 'P_5'
qrels         the judgments: query, item, relevance
options       choices by name, {'ties': 'item_asc'}
profile       the name of a tool whose choices are taken
columns       what the user calls the columns, by their meanings, or SQL over the row: {'query': ['shop', 'session'],
              'item': 'doc', 'qrels.item': 'product'}; 01_named_columns.sql has the meanings. A query may have several
              columns; the score is score unless there is a position only, and none where there is no score;
              without qrels, metrics beyond accuracy need no relevance; 'relevance': none says so of all
by            a column, or a list of them, of the query list if there is one, else of the judgments, else of the
              relation; run.NAME, qrels.NAME and query_list.NAME say of which
period        day, week or month of the column 'time', found as those of by are, is a group too: its first day in the
              time zone timezone, UTC unless said otherwise
rollup        true for rows of every set of those columns, or a list of the sets, each a list of columns
min_queries   rows of groups with fewer queries are left out
weight        a number for each query, such as its traffic, found as the columns of by are: means are made with it. A
              query whose weight is NULL weighs nothing; where a weight is negative there is no mean
cluster       a column found likewise, such as the user: errors are those of its values; sums have a row for each
covariate     a number for each query that was known before, found likewise: effects of arms are adjusted by it
strata        a column of the queries that was known before, found likewise: arms are compared within its values
query_list    a relation with the queries to score
predicted_qrels   the judgments of a model for many queries, where qrels has those of people for a random draw of these:
              means and effects are prediction-powered (02_predicted.sql); the columns of by are then those of its
items         the catalogue, for metrics beyond accuracy: a row per item, or per item and category
empty_lists   whether a row without an item stands for a list that is empty, as from_events and from_lists have them

What a macro has no parameter for is in kwargs, and is refused. The project's var rankmetrics_sql may hold columns,
options and profile for all calls, and comments: false, which leaves out the lines that say what each stage is.
-#}

{% macro per_query(
    relation, metrics, qrels=none, columns=none, by=none, options={}, profile=none, query_list=none,
    period=none, timezone=none, items=none, empty_lists=false, predicted_qrels=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_statement('per_query', relation, metrics, rankmetrics_sql.rm_arguments('per_query', {
    'qrels': qrels, 'columns': columns, 'by': by, 'options': options, 'profile': profile,
    'query_list': query_list, 'period': period, 'timezone': timezone, 'items': items, 'empty_lists': empty_lists,
    'predicted_qrels': predicted_qrels,
}, kwargs))) }}
{% endmacro %}

{% macro summary(
    relation, metrics, qrels=none, columns=none, by=none, options={}, profile=none, query_list=none,
    period=none, timezone=none, rollup=false, min_queries=none, weight=none, cluster=none, items=none,
    empty_lists=false, predicted_qrels=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_statement('summary', relation, metrics, rankmetrics_sql.rm_arguments('summary', {
    'qrels': qrels, 'columns': columns, 'by': by, 'options': options, 'profile': profile,
    'query_list': query_list, 'period': period, 'timezone': timezone, 'rollup': rollup, 'min_queries': min_queries,
    'weight': weight, 'cluster': cluster, 'items': items, 'empty_lists': empty_lists,
    'predicted_qrels': predicted_qrels,
}, kwargs))) }}
{% endmacro %}

{#- What adds up to a summary of any groups together: of each metric users, main_sum and main_sum_squares. -#}
{% macro sums(
    relation, metrics, qrels=none, columns=none, by=none, options={}, profile=none, query_list=none,
    period=none, timezone=none, weight=none, cluster=none, covariate=none, items=none, empty_lists=false
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_statement('sums', relation, metrics, rankmetrics_sql.rm_arguments('sums', {
    'qrels': qrels, 'columns': columns, 'by': by, 'options': options, 'profile': profile,
    'query_list': query_list, 'period': period, 'timezone': timezone, 'weight': weight, 'cluster': cluster,
    'covariate': covariate, 'items': items, 'empty_lists': empty_lists,
}, kwargs))) }}
{% endmacro %}

{#-
candidate and baseline are two relations with the same columns; or, with columns={'run': ...}, relation has all runs and
baseline is the name of one. Arguments have their names: which of two relations came first nobody could see, and Python
has the baseline there. per_query=true gives both values of each query, those that differ most first.
-#}
{% macro compare(
    by_name=none, candidate=none, baseline=none, metrics=none, qrels=none, columns=none, by=none, options={},
    profile=none, query_list=none, period=none, timezone=none, items=none, empty_lists=false, cluster=none,
    covariate=none, limits=none, weight=none, strata=none, per_query=false, relation=none, cap=none,
    min_queries=none, predicted_qrels=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set compared = rankmetrics_sql.rm_compared('compare', by_name, candidate, baseline, relation, metrics) -%}
{%- set unused = [] if candidate is none else ['run_id'] -%}
{%- set arguments = rankmetrics_sql.rm_arguments('compare', {
    'qrels': qrels, 'columns': columns, 'by': by, 'options': options, 'profile': profile,
    'query_list': query_list, 'period': period, 'timezone': timezone, 'items': items, 'empty_lists': empty_lists,
    'cluster': cluster, 'covariate': covariate, 'limits': limits, 'weight': weight, 'cap': cap,
    'min_queries': min_queries, 'strata': strata, 'predicted_qrels': predicted_qrels,
    'shown': ['interval', 'pvalue', 'nothing'],
}, kwargs, unused) -%}
{%- set level = 'compare_per_query' if per_query else 'compare' -%}
{{ return(rankmetrics_sql.rm_statement(level, compared, metrics, arguments, baseline)) }}
{% endmacro %}

{#- As compare takes them. A row per group with what it adds to the difference of the means. -#}
{% macro decompose(
    by_name=none, candidate=none, baseline=none, metrics=none, qrels=none, columns=none, by=none, options={},
    profile=none, query_list=none, period=none, timezone=none, items=none, empty_lists=false, relation=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set compared = rankmetrics_sql.rm_compared('decompose', by_name, candidate, baseline, relation, metrics) -%}
{%- set unused = [] if candidate is none else ['run_id'] -%}
{{ return(rankmetrics_sql.rm_statement('decompose', compared, metrics, rankmetrics_sql.rm_arguments('decompose', {
    'qrels': qrels, 'columns': columns, 'by': by, 'options': options, 'profile': profile,
    'query_list': query_list, 'period': period, 'timezone': timezone, 'items': items, 'empty_lists': empty_lists,
}, kwargs, unused), baseline)) }}
{% endmacro %}

{#- As compare takes them. A row per query and item that one of them has within its first k. -#}
{% macro movements(
    by_name=none, candidate=none, baseline=none, k=10, qrels=none, columns=none, options={}, profile=none,
    query_list=none, relation=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set compared = rankmetrics_sql.rm_compared('movements', by_name, candidate, baseline, relation, k) -%}
{%- set unused = [] if candidate is none else ['run_id'] -%}
{%- set choices = {'queries': 'retrieved'} -%}
{%- do choices.update(rankmetrics_sql.rm_given_options(options)) -%}
{%- set arguments = rankmetrics_sql.rm_arguments('movements', {
    'qrels': qrels, 'options': choices, 'profile': profile, 'columns': columns, 'query_list': query_list,
}, kwargs, unused) -%}
{%- set whole = rankmetrics_sql.rm_project_choices(choices, profile).options -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_movements_refusal(k, whole)) -%}
{%- set metric = rankmetrics_sql.rm_movement_metric(k) -%}
{{ return(rankmetrics_sql.rm_statement('movements', compared, metric, arguments, baseline)) }}
{% endmacro %}

{#-
A row for each query and item that one of two relations has within the cutoff and nobody has judged, those first whose
grade moves the difference of the metric most; n of them. The metric is one of those with a range of the effect.
-#}
{% macro judge_next(
    by_name=none, candidate=none, baseline=none, metric=none, n=100, qrels=none, columns=none, options={},
    profile=none, query_list=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set compared = rankmetrics_sql.rm_compared('judge_next', by_name, candidate, baseline, none, metric) -%}
{%- set whole = rankmetrics_sql.rm_project_choices(options, profile) -%}
{%- do rankmetrics_sql.rm_refuse_judge_next(metric, n, qrels, whole) -%}
{%- set choices = {} -%}
{%- do choices.update(rankmetrics_sql.rm_given_options(options)) -%}
{%- do choices.update({'unjudged': 'bounds'}) -%}
{%- set arguments = rankmetrics_sql.rm_arguments('judge_next', {
    'qrels': qrels, 'columns': columns, 'options': choices, 'profile': profile, 'query_list': query_list,
}, kwargs, ['run_id']) -%}
{%- set judging = {'names': ['baseline', 'candidate'], 'n': n, 'texts': []} -%}
{{ return(rankmetrics_sql.rm_statement('compare', compared, metric, arguments, baseline, judging)) }}
{% endmacro %}

{#- Refuses what there is no list of, in the words of Python. -#}
{% macro rm_refuse_judge_next(metric, n, qrels, choices) %}
{%- if qrels is none -%}
    {%- do rankmetrics_sql.rm_raise("judge_next lists items without a judgment. Pass qrels=ref('judgments').") -%}
{%- elif n is not integer or n < 1 -%}
    {%- do rankmetrics_sql.rm_raise('n takes a whole number of at least 1, not '
        ~ rankmetrics_sql.rm_written_value(n) ~ '.') -%}
{%- elif metric is not string -%}
    {%- do rankmetrics_sql.rm_raise("judge_next takes one metric, such as 'ndcg@10', not "
        ~ rankmetrics_sql.rm_written_value(metric) ~ '.') -%}
{%- endif -%}
{%- set resolved = rankmetrics_sql.rm_resolved_metrics(metric, choices, true)[0] -%}
{%- do rankmetrics_sql.rm_raise_refusal(rankmetrics_sql.rm_refusal(
    'judge_next', rankmetrics_sql.rm_metric_facts(resolved)
)) -%}
{% endmacro %}

{#- The relation that a comparison is about, the candidate or all runs, where its arguments have their names. -#}
{% macro rm_compared(macro, by_name, candidate, baseline, relation, measured) %}
{%- set is_lacking = baseline is none or measured is none or (candidate is none) == (relation is none) -%}
{%- if by_name is not none or is_lacking -%}
    {%- set rest = 'k=10' if macro == 'movements' else "metrics=['ap']" -%}
    {%- if macro == 'judge_next' -%}
        {%- do rankmetrics_sql.rm_raise(macro ~ ' takes two relations by name: ' ~ macro
            ~ "(baseline=ref('old'), candidate=ref('new'), metric='ndcg@10', ...).") -%}
    {%- endif -%}
    {%- do rankmetrics_sql.rm_raise(macro ~ ' takes its arguments by name: ' ~ macro
        ~ "(baseline=ref('old'), candidate=ref('new'), " ~ rest ~ ', ...); or, of one relation with all runs, '
        ~ macro ~ "(relation=ref('runs'), columns={'run': 'system'}, baseline='old', " ~ rest ~ ', ...).') -%}
{%- endif -%}
{{ return(candidate if relation is none else relation) }}
{% endmacro %}

{#- The rows that the metric_NAME expressions aggregate, grouped by the query. -#}
{% macro judged(
    relation, metrics, qrels=none, columns=none, by=none, options={}, profile=none, query_list=none
) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_statement('judged', relation, metrics, rankmetrics_sql.rm_arguments('judged', {
    'qrels': qrels, 'columns': columns, 'by': by, 'options': options, 'profile': profile,
    'query_list': query_list,
}, kwargs))) }}
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
