{#-
Rows at once: a labelled table whose positions stay as they are given says in its own rows all that metrics of relevant
items read. They are added up by one GROUP BY; what is known of a query is an aggregate of the same rows.
-#}

{#- Whether that holds for all that is asked for. -#}
{% macro rm_adds_up_at_once(request, rankings) %}
{%- set columns = request.runs[0].columns -%}
{%- if request.qrels is not none or request.query_list is not none or columns.n_relevant or request.check != 'none'
    or request.stored_values is not none or request.runs | rejectattr('clean') | list
    or not rankmetrics_sql.rm_relevant_rows_are_enough(
        request.level, request.metrics, request.options,
        ['n_shown', 'n_retrieved'] + rankmetrics_sql.rm_action_needs() | list
    ) -%}
    {{ return(false) }}
{%- endif -%}
{%- for ranking in rankings if not rankmetrics_sql.rm_is_read_from_rows(request, ranking) -%}
    {{ return(false) }}
{%- endfor -%}
{{ return(true) }}
{% endmacro %}

{% macro rm_is_read_from_rows(request, ranking) %}
{%- set ideals = rankmetrics_sql.rm_needed(ranking.metrics, 'ideal_dcg', ['k', 'ideal_depth']) -%}
{%- set others = [] -%}
{%- for metric in ranking.metrics if 'facts_on_rows' in metric.needs -%}
    {%- do others.append(metric.name) -%}
{%- endfor -%}
{{ return(
    not others
    and not rankmetrics_sql.rm_with_stages(ranking.metrics)
    and rankmetrics_sql.rm_reads_as_matched(ranking)
    and not ideals | selectattr('ideal_depth', 'equalto', 'all_relevant') | list
    and (not ideals or request.sums_greatest and rankmetrics_sql.rm_end_at_cutoffs(ideals))
) }}
{% endmacro %}

{#- rows: those of the table, each with its rank, its grade and the gains that are asked for. -#}
{% macro rm_rows_at_once(pass) %}
{%- set plan = pass.plan -%}
{%- set position = pass.order[0].name -%}
{%- set whole = rankmetrics_sql.rm_rows_of_runs(plan) -%}
{%- set place = position if whole == plan.stages.run else 'CASE WHEN item_id IS NOT NULL THEN ' ~ position ~ ' END' -%}
{%- set counted = ['item_id'] if 'n_retrieved' in pass.needs else [] -%}
{%- set columns = plan.row_keys + counted + [{'name': 'rnk', 'sql': place}, 'relevance'] -%}
{%- for gain in rankmetrics_sql.rm_distinct(pass.gains + rankmetrics_sql.rm_gains(pass.ideals)) -%}
    {%- do columns.append({'name': gain.name, 'sql': rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'relevance')}) -%}
{%- endfor -%}
{%- set rows %}
    {{ rankmetrics_sql.rm_select(columns + plan.carried + plan.attribute_names) }}
    FROM {{ whole }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(pass.stages.rows, rows, 'the rows of each query, with ranks, grades and gains')]) }}
{% endmacro %}

{#- An expression that reads facts of the query, with what those are of its rows, of which there is one at least. -#}
{% macro rm_of_rows(pass, expression) %}
{%- if not pass.plan.at_once -%}{{ return(expression) }}{%- endif -%}
{%- set state = {'sql': expression} -%}
{%- for fact in rankmetrics_sql.rm_truth_columns(pass) + rankmetrics_sql.rm_lengths_of_rows(pass) -%}
    {%- set known = 'MAX(' ~ fact.name ~ ')' -%}
    {%- set sql = state.sql | replace('COALESCE(' ~ known ~ ', 0)', fact.sql) | replace(known, fact.sql) -%}
    {%- do state.update({'sql': sql}) -%}
{%- endfor -%}
{{ return(state.sql) }}
{% endmacro %}

{#- The length of a list, and within cutoffs, as aggregates of its rows. -#}
{% macro rm_lengths_of_rows(pass) %}
{%- set lengths = [{'name': 'n_retrieved', 'sql': rankmetrics_sql.rm_as_double('COUNT(item_id)')}] -%}
{%- for cutoff in rankmetrics_sql.rm_needed(pass.metrics, 'n_shown', ['k']) if cutoff.k is not none -%}
    {%- set shown = 'SUM(CASE WHEN rnk <= ' ~ cutoff.k ~ ' THEN 1 ELSE 0 END)' -%}
    {%- set name = rankmetrics_sql.rm_n_shown(cutoff.k) -%}
    {%- do lengths.append({'name': name, 'sql': rankmetrics_sql.rm_as_double(shown)}) -%}
{%- endfor -%}
{{ return(lengths) }}
{% endmacro %}

{#- What makes rows those of a query that is scored. -#}
{% macro rm_is_scored_by_rows(pass) %}
{%- if pass.options.queries == 'judged_relevant' -%}
    {{ return(rankmetrics_sql.rm_of_rows(pass, 'MAX(' ~ rankmetrics_sql.rm_n_universe(pass.universe_rel) ~ ') > 0')) }}
{%- endif -%}
{{ return('COUNT(relevance) > 0') }}
{% endmacro %}
