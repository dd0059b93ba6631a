{#-
What a comparison rests on: of each run the share of the items within the lowest cutoff that are judged, over all
queries that are compared. Two counts of each list go along with its values, and are added up as these are.
-#}

{#-
Whether a statement says it, or stores what one that reads its values needs: of metrics that read the ranks of judged
items. Where none does, as of rmse, nothing is sorted for it.
-#}
{% macro rm_says_basis(request, multi) %}
{%- set has_grades = request.qrels is not none or request.runs[0].columns.relevance -%}
{%- set is_read = request.metrics | selectattr('reads_judgments') | selectattr('reads_ranks') | list | length > 0 -%}
{%- if not has_grades or not is_read -%}{{ return(false) }}{%- endif -%}
{%- if request.stored_values is not none -%}
    {{ return(request.level == 'compare' and request.stored_basis) }}
{%- endif -%}
{%- if request.level == 'values' -%}{{ return(multi and request.qrels is not none) }}{%- endif -%}
{{ return(request.level == 'compare' and request.shown | length > 0) }}
{% endmacro %}

{#-
How many items of a list are looked at: those within the lowest cutoff of what reads judgments, else ten; no more than
a depth leaves of a list. Python's warnings ask for it, too.
-#}
{% macro rm_first_items(metrics) %}
{%- set cutoffs = [] -%}
{%- set depths = [] -%}
{%- for metric in metrics if metric.reads_judgments -%}
    {%- if metric.params.k is defined and metric.params.k is not none -%}
        {%- do cutoffs.append(metric.params.k) -%}
    {%- endif -%}
    {%- if metric.ranking.depth is not none -%}{%- do depths.append(metric.ranking.depth) -%}{%- endif -%}
{%- endfor -%}
{{ return(([cutoffs | min if cutoffs else 10] + depths) | min) }}
{% endmacro %}

{#-
Whether metrics depend on how many of those are judged: not one without a cutoff that leaves unjudged items alone, as
bpref does, or that reads no ranks, for which nothing is sorted.
-#}
{% macro rm_read_first_items(metrics) %}
{%- for metric in metrics if metric.reads_judgments -%}
    {%- set is_cut = metric.params.k is defined and metric.params.k is not none -%}
    {%- if is_cut or (metric.reads_ranks and not metric.about_judgments) -%}
        {{ return(true) }}
    {%- endif -%}
{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{#- Of a list how many items it has there, and how many are judged; not known where unjudged items are dropped. -#}
{% macro rm_basis_of_list(pass) %}
{%- set plan = pass.plan -%}
{%- if not plan.basis_names -%}{{ return([]) }}{%- endif -%}
{%- if not pass.says_basis -%}{{ return(rankmetrics_sql.rm_unknown(plan.basis_names)) }}{%- endif -%}
{%- set within = 'rnk <= ' ~ plan.first_items -%}
{%- set first = within ~ (' AND is_unjudged = 0' if pass.all_rows
    else ' AND relevance IS NOT NULL' if plan.at_once else '') -%}
{%- set judged = 'COUNT(DISTINCT CASE WHEN ' ~ first ~ ' THEN rnk END)' if pass.subtopics
    else 'SUM(CASE WHEN ' ~ first ~ ' THEN 1 ELSE 0 END)' -%}
{%- set length = 'MAX(n_retrieved)' -%}
{%- if plan.at_once -%}
    {%- set shown = 'SUM(CASE WHEN ' ~ within ~ ' THEN 1 ELSE 0 END)' -%}
{%- elif pass.counts_lists -%}
    {%- set shown = rankmetrics_sql.rm_lesser(length, plan.first_items) -%}
{%- else -%}
    {%- set shown = 'COALESCE(MAX(' ~ rankmetrics_sql.rm_n_shown(plan.first_items) ~ '), 0)' -%}
{%- endif -%}
{#- ClickHouse has no type for whole numbers of one ranking beside the unknown ones of another. -#}
{%- set dropping = [] -%}
{%- for ranking in plan.rankings if ranking.options.unjudged == 'drop' -%}
    {%- do dropping.append(ranking) -%}
{%- endfor -%}
{{ return([
    {'name': 'n_first', 'sql': rankmetrics_sql.rm_as_double(shown) if dropping else shown},
    {'name': 'n_first_judged', 'sql': rankmetrics_sql.rm_as_double(judged) if dropping else judged},
]) }}
{% endmacro %}

{#- The counts of the baseline's list for the same query, and those of both. -#}
{% macro rm_basis_of_baseline(plan) %}
{%- set names = [] -%}
{%- for name in plan.basis_names -%}{%- do names.append('baseline_' ~ name) -%}{%- endfor -%}
{{ return(names) }}
{% endmacro %}

{% macro rm_basis_of_pairs(plan) %}
{{ return(plan.basis_names + rankmetrics_sql.rm_basis_of_baseline(plan)) }}
{% endmacro %}

{#- The counts of rows p, added up where a value is known. -#}
{% macro rm_basis_sums(plan, names, known) %}
{%- set sums = {} -%}
{%- for name in names -%}
    {%- do sums.update({name: 'SUM(CASE WHEN ' ~ known ~ ' IS NOT NULL THEN p.' ~ name ~ ' END)'}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_named(sums)) }}
{% endmacro %}

{% macro rm_judged_share_names(plan) %}
{{ return(['judged_baseline', 'judged_candidate'] if plan.basis_names else []) }}
{% endmacro %}

{#- The shares of an effect s; of a metric that reads no judgments there are none. -#}
{% macro rm_judged_shares(plan) %}
{%- if not plan.basis_names -%}{{ return([]) }}{%- endif -%}
{%- set columns = [] -%}
{%- for name, before in {'judged_baseline': 's.baseline_', 'judged_candidate': 's.'}.items() -%}
    {%- set share = rankmetrics_sql.rm_as_double(before ~ 'n_first_judged') ~ ' / NULLIF(' ~ before ~ 'n_first, 0)' -%}
    {%- set expressions = [] -%}
    {%- for metric in plan.metrics -%}
        {%- do expressions.append(share if metric.reads_judgments else rankmetrics_sql.rm_as_double('NULL')) -%}
    {%- endfor -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_by_metric('s', expressions)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The lowest grade of a judged item: where it is relevant, nothing is known of the others. -#}
{% macro rm_lowest_judged_grade(plan) %}
{%- if plan.stored_values is not none -%}
    {{ return('(SELECT MIN(v.lowest_grade) FROM ' ~ plan.stages.query_values ~ ' AS v)') }}
{%- endif -%}
{{ return('(SELECT MIN(j.relevance) FROM ' ~ plan.stages.qrels ~ ' AS j WHERE j.item_id IS NOT NULL)') }}
{% endmacro %}

{#- Values that are stored say it themselves, because nothing else is read afterwards. -#}
{% macro rm_stored_basis_names(plan) %}
{%- set are_stored = plan.level == 'values' or plan.stored_values is not none -%}
{{ return(['lowest_grade'] if plan.basis_names and are_stored else []) }}
{% endmacro %}
