{#- What the judgments say of each query, and which queries are scored. -#}

{#- The judgments of a pass; each list has its own where they depend on what was retrieved. -#}
{% macro rm_truth_source(pass) %}
{{ return('rankmetrics_qrels' ~ pass.truth_suffix if rankmetrics_sql.rm_truth_of_list(pass) else pass.qrels_name) }}
{% endmacro %}

{#-
Where unjudged items are given a grade, the judgments of a list are those given and those assumed. With
judgments=retrieved they are those of its own items; a row without a grade keeps every judged query among them.
-#}
{% macro rm_qrels_of_lists(plan) %}
{%- if not rankmetrics_sql.rm_truth_of_list(plan) -%}{{ return([]) }}{%- endif -%}
{%- set crossed = plan.multi and not plan.own_truth -%}
{%- set own = plan.options.judgments == 'retrieved' -%}
{%- set given = plan.row_keys if plan.own_truth else plan.query_keys -%}
{%- set kept = 'j.relevance IS NOT NULL' if own else 'j.is_unjudged = 1 AND j.relevance IS NOT NULL' -%}
{%- set keys = (['u.run_id'] if crossed else []) + rankmetrics_sql.rm_qualified('q', plan.query_keys if crossed else plan.row_keys) -%}
{%- set grade = rankmetrics_sql.rm_unknown('relevance') if own else 'q.relevance' -%}
{%- set judged = rankmetrics_sql.rm_qualified('j', plan.row_keys + ['relevance']) -%}
{%- set rows %}
    SELECT {{ 'DISTINCT' if own }}
        {{ rankmetrics_sql.rm_lines(keys + [grade, '0 AS is_assumed']) }}
    FROM {{ plan.qrels_name }} AS q
    {%- if crossed %}
    CROSS JOIN rankmetrics_runs AS u
    {%- endif %}
    UNION ALL
    SELECT
        {{ rankmetrics_sql.rm_lines(judged + [('0' if own else '1') ~ ' AS is_assumed']) }}
    FROM rankmetrics_judged{{ plan.suffix }} AS j
    {%- if plan.options.queries != 'retrieved' %}
    INNER JOIN (SELECT DISTINCT {{ given | join(', ') }} FROM {{ plan.qrels_name }}) AS g ON {{ rankmetrics_sql.rm_same('g', 'j', given) }}
    {%- endif %}
    WHERE {{ kept }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(rankmetrics_sql.rm_truth_source(plan), rows)]) }}
{% endmacro %}

{#-
ideal: every judgment with its place in the best possible ranking. Gains that grow with the grade share one order;
each map has its own.
-#}
{% macro rm_ideal(plan) %}
{%- if not plan.ideal_gains -%}{{ return([]) }}{%- endif -%}
{%- set columns = plan.truth_keys + ['relevance'] + (['is_assumed'] if rankmetrics_sql.rm_truth_of_list(plan) else []) -%}
{%- set ranks = [] -%}
{%- for gain in plan.ideal_gains -%}
    {%- set worth = rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'relevance') -%}
    {%- do columns.append(worth ~ ' AS ' ~ gain.name) -%}
    {%- set sorted_by = worth if gain.gain is mapping else 'relevance' -%}
    {%- set ideal_rank = rankmetrics_sql.rm_number_down(plan.truth_keys, sorted_by) ~ ' AS ' ~ rankmetrics_sql.rm_ideal_rank(gain.gain) -%}
    {%- if ideal_rank not in ranks -%}{%- do ranks.append(ideal_rank) -%}{%- endif -%}
{%- endfor -%}
{%- set ideal %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns + ranks) }}
    FROM {{ rankmetrics_sql.rm_truth_source(plan) }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_ideal' ~ plan.truth_suffix, ideal)]) }}
{% endmacro %}

{#- Places from the highest value down; the next key, where rows of equal values are not alike. -#}
{% macro rm_number_down(keys, sorted_by, next=none) %}
{%- set expression -%}
CAST(ROW_NUMBER() OVER (
            PARTITION BY {{ keys | join(', ') }}
            ORDER BY {{ sorted_by }} DESC NULLS LAST{{ ', ' ~ next ~ ' ASC NULLS FIRST' if next else '' }}
        ) AS {{ rankmetrics_sql.rm_double_type() }})
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{% macro rm_ideal_rank(gain) %}
{{ return('ideal_rnk' if gain is not mapping else 'ideal_rnk_map_' ~ rankmetrics_sql.rm_slug(gain)) }}
{% endmacro %}

{#- Name and expression of each truth column in use. -#}
{% macro rm_truth_columns(plan) %}
{%- set columns = [] -%}
{%- set metrics = plan.truth_metrics -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'n_relevant', ['rel']) -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count('relevance >= ' ~ rankmetrics_sql.rm_number(values.rel), rankmetrics_sql.rm_n_relevant(values.rel))) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'n_nonrelevant', ['rel']) -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count('relevance >= 0 AND relevance < ' ~ rankmetrics_sql.rm_number(values.rel), rankmetrics_sql.rm_n_nonrelevant(values.rel))) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'n_subtopics', ['rel']) -%}
    {%- set served = 'CASE WHEN relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) ~ ' THEN subtopic END' -%}
    {%- do columns.append({'name': rankmetrics_sql.rm_n_subtopics(values.rel), 'sql': 'CAST(COUNT(DISTINCT ' ~ served ~ ') AS ' ~ rankmetrics_sql.rm_double_type() ~ ')'}) -%}
{%- endfor -%}
{%- if rankmetrics_sql.rm_any_needs(metrics, 'n_judged') -%}
    {%- do columns.append({'name': 'n_judged', 'sql': 'CAST(COUNT(relevance) AS ' ~ rankmetrics_sql.rm_double_type() ~ ')'}) -%}
{%- endif -%}
{%- if rankmetrics_sql.rm_any_needs(metrics, 'highest_grade') -%}
    {%- do columns.append({'name': 'highest_grade', 'sql': 'MAX(relevance)'}) -%}
{%- endif -%}
{%- for rel in plan.universe_rels -%}
    {%- set given = 'is_assumed = 0 AND ' if rankmetrics_sql.rm_truth_of_list(plan) else '' -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count(given ~ 'relevance >= ' ~ rankmetrics_sql.rm_number(rel), rankmetrics_sql.rm_n_universe(rel))) -%}
{%- endfor -%}
{{ return(columns + rankmetrics_sql.rm_ideal_columns(plan)) }}
{% endmacro %}

{#- How many relevant items make a query one of those with a relevant item. -#}
{% macro rm_n_universe(rel) %}
{{ return('n_relevant_universe_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_truth_count(condition, name) %}
{{ return({'name': name, 'sql': 'CAST(SUM(CASE WHEN ' ~ condition ~ ' THEN 1 ELSE 0 END) AS ' ~ rankmetrics_sql.rm_double_type() ~ ')'}) }}
{% endmacro %}

{#- The ideal of each gain, discount, depth and cutoff in use, those that the judgments alone decide. -#}
{% macro rm_ideal_columns(plan) %}
{%- set columns = [] -%}
{%- set names = [] -%}
{%- for ideal in plan.ideals if ideal.ideal_depth in ['min_k', 'uncut', 'all_relevant'] -%}
    {%- set name = rankmetrics_sql.rm_ideal_dcg(ideal) -%}
    {%- if name not in names -%}
        {%- do names.append(name) -%}
        {%- set sum = 'MAX(f.' ~ name ~ ')' if ideal.ideal_depth == 'all_relevant' else rankmetrics_sql.rm_ideal_sum(ideal, none if ideal.ideal_depth == 'uncut' else ideal.k) -%}
        {%- do columns.append({'name': name, 'sql': sum}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The ideal ranking stops where gains are no longer positive (trec_eval). -#}
{% macro rm_ideal_sum(ideal, k, also='') %}
{%- set gain = rankmetrics_sql.rm_gain_name(ideal.gain, ideal.rel) -%}
{%- set rank = rankmetrics_sql.rm_ideal_rank(ideal.gain) -%}
{%- set condition = gain ~ ' > 0' ~ (' AND ' ~ rank ~ ' <= ' ~ k if k is not none else '') ~ also -%}
{{ return('SUM(CASE WHEN ' ~ condition ~ ' THEN ' ~ rankmetrics_sql.rm_discounted(gain, rank, ideal.discount) ~ ' ELSE 0 END)') }}
{% endmacro %}

{#- full lists: the discounted gain of k places that all hold a relevant item. -#}
{% macro rm_full_lists(plan) %}
{%- set columns = [] -%}
{%- for ideal in plan.ideals if ideal.ideal_depth == 'all_relevant' -%}
    {%- set term = rankmetrics_sql.rm_discounted('CAST(1 AS ' ~ rankmetrics_sql.rm_double_type() ~ ')', 'list_position', ideal.discount) -%}
    {%- set column = 'SUM(CASE WHEN list_position <= ' ~ ideal.k ~ ' THEN ' ~ term ~ ' ELSE 0 END) AS ' ~ rankmetrics_sql.rm_ideal_dcg(ideal) -%}
    {%- if column not in columns -%}{%- do columns.append(column) -%}{%- endif -%}
{%- endfor -%}
{%- if not columns -%}{{ return([]) }}{%- endif -%}
{%- set full %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_numbers
{%- endset -%}
{{ return(rankmetrics_sql.rm_digits() + [rankmetrics_sql.rm_cte('rankmetrics_full_lists' ~ plan.truth_suffix, full)]) }}
{% endmacro %}

{% macro rm_truth(plan) %}
{%- set columns = plan.truth_keys | list -%}
{%- for column in plan.truth_columns -%}{%- do columns.append(column.sql ~ ' AS ' ~ column.name) -%}{%- endfor -%}
{%- set full = rankmetrics_sql.rm_full_lists(plan) -%}
{%- set truth %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ 'rankmetrics_ideal' ~ plan.truth_suffix if plan.ideal_gains else rankmetrics_sql.rm_truth_source(plan) }}
    {%- if full %}
    CROSS JOIN rankmetrics_full_lists{{ plan.truth_suffix }} AS f
    {%- endif %}
    GROUP BY {{ plan.truth_keys | join(', ') }}
{%- endset -%}
{%- set before = rankmetrics_sql.rm_qrels_of_lists(plan) + rankmetrics_sql.rm_ideal(plan) + full -%}
{{ return(before + [rankmetrics_sql.rm_cte('rankmetrics_truth' ~ plan.truth_suffix, truth)]) }}
{% endmacro %}

{#- The ideal of lists no longer than the one retrieved: one row per list. -#}
{% macro rm_ideal_of_lists(plan) %}
{%- set columns = [] -%}
{%- set names = [] -%}
{%- for ideal in rankmetrics_sql.rm_needed(plan.metrics, 'ideal_dcg', ['gain', 'rel', 'k', 'discount', 'ideal_depth']) if ideal.ideal_depth == 'min_k_retrieved' -%}
    {%- set within = ' AND ' ~ rankmetrics_sql.rm_ideal_rank(ideal.gain) ~ ' <= n_retrieved' -%}
    {%- if rankmetrics_sql.rm_ideal_dcg(ideal) not in names -%}
        {%- do names.append(rankmetrics_sql.rm_ideal_dcg(ideal)) -%}
        {%- do columns.append(rankmetrics_sql.rm_ideal_sum(ideal, ideal.k, within) ~ ' AS ' ~ rankmetrics_sql.rm_ideal_dcg(ideal)) -%}
    {%- endif -%}
{%- endfor -%}
{%- if not columns -%}{{ return(none) }}{%- endif -%}
{%- set keys = rankmetrics_sql.rm_qualified('n', plan.row_keys) -%}
{%- set name = 'rankmetrics_shortened_ideal' ~ plan.suffix -%}
{%- set ideal %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + columns) }}
    FROM rankmetrics_retrieved{{ plan.retrieved_suffix }} AS n
    INNER JOIN rankmetrics_ideal{{ plan.truth_suffix }} AS i ON {{ rankmetrics_sql.rm_same('i', 'n', plan.truth_keys) }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return({'name': name, 'ctes': [rankmetrics_sql.rm_cte(name, ideal)], 'columns': names}) }}
{% endmacro %}

{#- Relations with one row per list, or per query (of_queries), that metrics bring along, beside the ideal of lists. -#}
{% macro rm_relations(plan) %}
{%- set relations = [] -%}
{%- set names = [] -%}
{%- set ideal = rankmetrics_sql.rm_ideal_of_lists(plan) -%}
{%- if ideal is not none -%}{%- do relations.append(ideal) -%}{%- endif -%}
{%- for metric in plan.metrics if metric.has_relation -%}
    {%- set relation = rankmetrics_sql.rm_metric_relation(metric, plan) -%}
    {%- if relation is not none and relation.name not in names -%}
        {%- do names.append(relation.name) -%}
        {%- do relations.append(relation) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(relations) }}
{% endmacro %}

{#- retrieved: the length of each query's list. -#}
{% macro rm_retrieved(plan) %}
{%- if not plan.retrieved_counted -%}{{ return([]) }}{%- endif -%}
{%- set depth = plan.options.depth -%}
{%- set length = 'COUNT(*)' -%}
{%- if plan.options.unjudged == 'drop' -%}{{ return(rankmetrics_sql.rm_retrieved_judged(plan)) }}{%- endif -%}
{%- if depth is not none and plan.options.position == 'given' -%}
    {%- set length = 'SUM(CASE WHEN ' ~ plan.order[0].name ~ ' <= ' ~ depth ~ ' THEN 1 ELSE 0 END)' -%}
{%- elif depth is not none -%}
    {%- set length = 'CASE WHEN COUNT(*) > ' ~ depth ~ ' THEN ' ~ depth ~ ' ELSE COUNT(*) END' -%}
{%- endif -%}
{%- set retrieved %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.row_keys) }},
        CAST({{ length }} AS {{ rankmetrics_sql.rm_double_type() }}) AS n_retrieved
    FROM rankmetrics_run
    GROUP BY {{ plan.row_keys | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_retrieved' ~ plan.retrieved_suffix, retrieved)]) }}
{% endmacro %}

{#- A query whose items are all dropped still has been answered: its list has length 0. -#}
{% macro rm_retrieved_judged(plan) %}
{%- set keys = plan.row_keys | join(', ') -%}
{%- set retrieved %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.row_keys) }},
        CAST(MAX(n_items) AS {{ rankmetrics_sql.rm_double_type() }}) AS n_retrieved
    FROM (
        SELECT {{ keys }}, rnk AS n_items FROM rankmetrics_condensed{{ plan.suffix }}
        UNION ALL
        SELECT DISTINCT {{ keys }}, 0 AS n_items FROM rankmetrics_run
    ) AS items
    GROUP BY {{ keys }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_retrieved' ~ plan.retrieved_suffix, retrieved)]) }}
{% endmacro %}

{#- runs: the names of the runs, so that each is scored on every judged query. -#}
{% macro rm_runs(plan) %}
{%- if not plan.runs_named -%}{{ return([]) }}{%- endif -%}
{%- if plan.runs[0].columns.run_id -%}
    {{ return([rankmetrics_sql.rm_cte('rankmetrics_runs', 'SELECT DISTINCT run_id FROM rankmetrics_run')]) }}
{%- endif -%}
{%- set names = [] -%}
{%- for input in plan.runs -%}{%- do names.append('SELECT ' ~ rankmetrics_sql.rm_string(input.name) ~ ' AS run_id') -%}{%- endfor -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_runs', names | join('\n    UNION ALL '))]) }}
{% endmacro %}

{#- The group of each query, from the relation that has the column. -#}
{% macro rm_groups(plan) %}
{%- set ctes = [] -%}
{%- for relation in ['run', 'qrels', 'selected'] -%}
    {%- set columns = [] -%}
    {%- for name in rankmetrics_sql.rm_groups_of(plan, [relation]) -%}{%- do columns.append('MIN(' ~ name ~ ') AS ' ~ name) -%}{%- endfor -%}
    {%- if columns -%}
        {%- set keys = plan.row_keys if relation == 'run' else plan.query_keys -%}
        {%- set groups %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + columns) }}
    FROM rankmetrics_{{ relation }}
    GROUP BY {{ keys | join(', ') }}
        {%- endset -%}
        {%- do ctes.append(rankmetrics_sql.rm_cte('rankmetrics_groups_of_' ~ relation, groups)) -%}
    {%- endif -%}
{%- endfor -%}
{%- if rankmetrics_sql.rm_groups_of_queries(plan) == 'rankmetrics_groups_of_queries' -%}
    {%- do ctes.extend(rankmetrics_sql.rm_groups_of_both(plan)) -%}
{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{% macro rm_groups_of(plan, relations) %}
{%- set names = [] -%}
{%- for group in plan.groups if group.relation in relations -%}{%- do names.append(group.name) -%}{%- endfor -%}
{{ return(names) }}
{% endmacro %}

{#- The relation with the groups that a query has whatever the run. -#}
{% macro rm_groups_of_queries(plan) %}
{%- set judged = rankmetrics_sql.rm_groups_of(plan, ['qrels']) -%}
{%- set selected = rankmetrics_sql.rm_groups_of(plan, ['selected']) -%}
{{ return('rankmetrics_groups_of_' ~ ('queries' if judged and selected else 'qrels' if judged else 'selected')) }}
{% endmacro %}

{#- Stacked two at a time: the third of three NULLs has no type of its own in PostgreSQL. -#}
{% macro rm_groups_of_both(plan) %}
{%- set names = rankmetrics_sql.rm_groups_of(plan, ['qrels', 'selected']) -%}
{%- set selects = [] -%}
{%- for relation in ['qrels', 'selected'] -%}
    {%- set columns = plan.query_keys | list -%}
    {%- for name in names -%}
        {%- do columns.append(name if name in rankmetrics_sql.rm_groups_of(plan, [relation]) else 'NULL AS ' ~ name) -%}
    {%- endfor -%}
    {%- do selects.append('SELECT ' ~ columns | join(', ') ~ ' FROM rankmetrics_groups_of_' ~ relation) -%}
{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_qualified('b', plan.query_keys) -%}
{%- for name in names -%}{%- do columns.append('MAX(b.' ~ name ~ ') AS ' ~ name) -%}{%- endfor -%}
{%- set groups %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM (
        {{ selects | join('\n        UNION ALL\n        ') }}
    ) AS b
    GROUP BY {{ rankmetrics_sql.rm_qualified('b', plan.query_keys) | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_groups_of_queries', groups)]) }}
{% endmacro %}

{#-
queries: one row per scored query (and run), with all that is known of it. What different relations know of a query is
stacked and brought together by one GROUP BY: no planner can guess how many rows a join of two derived relations has.
Where the judgments alone decide, the truth is all there is.
-#}
{% macro rm_queries(plan) %}
{%- if plan.queries_name == 'rankmetrics_truth' ~ plan.truth_suffix -%}{{ return([]) }}{%- endif -%}
{%- set branches = rankmetrics_sql.rm_fact_branches(plan) -%}
{%- if branches | length == 1 -%}
    {%- set columns = rankmetrics_sql.rm_branch_keys(plan, branches[0]) + branches[0].columns -%}
    {%- set queries %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    {{ rankmetrics_sql.rm_branch_from(plan, branches[0]) | join('\n    ') }}
    {%- if plan.options.queries == 'judged_relevant' %}
    WHERE b.{{ rankmetrics_sql.rm_n_universe(plan.options.universe_rel) }} > 0
    {%- endif %}
    {%- endset -%}
    {{ return([rankmetrics_sql.rm_cte(plan.queries_name, queries)]) }}
{%- endif -%}
{%- set marks = rankmetrics_sql.rm_universe_marks(plan) -%}
{%- set selects = [] -%}
{%- for branch in branches -%}{%- do selects.append(rankmetrics_sql.rm_fact_select(plan, branch, marks)) -%}{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_qualified('f', plan.row_keys) -%}
{%- for name in plan.group_names -%}{%- do columns.append('MAX(f.' ~ name ~ ') AS ' ~ name) -%}{%- endfor -%}
{%- for name in plan.fact_names -%}
    {%- set counted = name == 'n_retrieved' or (plan.options.queries == 'retrieved' and name in plan.truth_columns | map(attribute='name')) -%}
    {%- do columns.append(('COALESCE(MAX(f.' ~ name ~ '), 0)' if counted else 'MAX(f.' ~ name ~ ')') ~ ' AS ' ~ name) -%}
{%- endfor -%}
{%- set conditions = [] -%}
{%- for mark in marks -%}{%- do conditions.append('MAX(f.' ~ mark ~ ') = 1') -%}{%- endfor -%}
{%- set queries %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_facts{{ plan.suffix }} AS f
    GROUP BY {{ rankmetrics_sql.rm_qualified('f', plan.row_keys) | join(', ') }}
    HAVING {{ conditions | join(' AND ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_facts' ~ plan.suffix, selects | join('\n    UNION ALL\n    ')),
    rankmetrics_sql.rm_cte(plan.queries_name, queries),
]) }}
{% endmacro %}

{#- What makes a query one of those that are scored, each a mark of one relation. -#}
{% macro rm_universe_marks(plan) %}
{%- set marks = ['is_judged'] if plan.options.queries != 'retrieved' else [] -%}
{%- if plan.options.queries in ['judged_retrieved', 'retrieved'] -%}{%- do marks.append('is_retrieved') -%}{%- endif -%}
{%- if plan.selected is not none -%}{%- do marks.append('is_selected') -%}{%- endif -%}
{{ return(marks) }}
{% endmacro %}

{#-
The relations that know something of a query: {relation, of_queries, mark, columns}, those with groups first, where
of_queries says that it knows the same for every run.
-#}
{% macro rm_fact_branches(plan) %}
{%- set branches = [] -%}
{%- set sides = plan.groups | map(attribute='relation') | unique | list -%}
{%- if 'run' in sides -%}
    {%- do branches.append({'relation': 'rankmetrics_groups_of_run', 'of_queries': false, 'mark': none, 'columns': rankmetrics_sql.rm_groups_of(plan, ['run'])}) -%}
{%- endif -%}
{%- if 'qrels' in sides or 'selected' in sides -%}
    {%- do branches.append({'relation': rankmetrics_sql.rm_groups_of_queries(plan), 'of_queries': true, 'mark': none, 'columns': rankmetrics_sql.rm_groups_of(plan, ['qrels', 'selected'])}) -%}
{%- endif -%}
{%- set truth = rankmetrics_sql.rm_of_truth(plan, 'rankmetrics_truth' ~ plan.truth_suffix) -%}
{%- do truth.update({'mark': 'is_judged', 'columns': plan.truth_columns | map(attribute='name') | list}) -%}
{%- do branches.append(truth) -%}
{%- if plan.retrieved_counted -%}
    {%- do branches.append({'relation': 'rankmetrics_retrieved' ~ plan.retrieved_suffix, 'of_queries': false, 'mark': 'is_retrieved', 'columns': ['n_retrieved']}) -%}
{%- endif -%}
{%- for relation in plan.relations -%}
    {%- do branches.append({'relation': relation.name, 'of_queries': relation.of_queries is defined and relation.of_queries, 'mark': none, 'columns': relation.columns}) -%}
{%- endfor -%}
{%- if plan.selected is not none -%}
    {%- do branches.append({'relation': 'rankmetrics_selected', 'of_queries': true, 'mark': 'is_selected', 'columns': []}) -%}
{%- endif -%}
{{ return(branches) }}
{% endmacro %}

{#- A relation that is made of the judgments alone: where no list has judgments of its own, it is the same for every run. -#}
{% macro rm_of_truth(plan, relation) %}
{{ return({'relation': relation, 'of_queries': plan.truth_keys == plan.query_keys}) }}
{% endmacro %}

{#- The keys of a query in a relation b that may know the same for every run u. -#}
{% macro rm_branch_keys(plan, branch) %}
{%- set columns = [] -%}
{%- for key in plan.row_keys -%}
    {%- do columns.append(('u.' if key == 'run_id' and branch.of_queries else 'b.') ~ key) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_branch_from(plan, branch) %}
{%- set crossed = ['CROSS JOIN rankmetrics_runs AS u'] if branch.of_queries and plan.multi else [] -%}
{{ return(['FROM ' ~ branch.relation ~ ' AS b'] + crossed) }}
{% endmacro %}

{#- One relation's rows of the stack: what it knows, and NULL for what the others know. -#}
{% macro rm_fact_select(plan, branch, marks) %}
{%- set columns = rankmetrics_sql.rm_branch_keys(plan, branch) -%}
{%- for name in plan.group_names -%}{%- do columns.append('b.' ~ name if name in branch.columns else 'NULL AS ' ~ name) -%}{%- endfor -%}
{%- for name in plan.fact_names -%}
    {%- do columns.append('b.' ~ name if name in branch.columns else rankmetrics_sql.rm_unknown(name)) -%}
{%- endfor -%}
{%- for mark in marks -%}
    {%- set holds = '1' if mark == branch.mark else '0' -%}
    {%- if mark == branch.mark and mark == 'is_judged' and plan.options.queries == 'judged_relevant' -%}
        {%- set holds = 'CASE WHEN b.' ~ rankmetrics_sql.rm_n_universe(plan.options.universe_rel) ~ ' > 0 THEN 1 ELSE 0 END' -%}
    {%- endif -%}
    {%- do columns.append(holds ~ ' AS ' ~ mark) -%}
{%- endfor -%}
{{ return('SELECT\n        ' ~ rankmetrics_sql.rm_lines(columns) ~ '\n    ' ~ rankmetrics_sql.rm_branch_from(plan, branch) | join('\n    ')) }}
{% endmacro %}
