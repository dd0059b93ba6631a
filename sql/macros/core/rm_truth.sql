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
{%- set grade = 'CAST(NULL AS ' ~ rankmetrics_sql.rm_double_type() ~ ') AS relevance' if own else 'q.relevance' -%}
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

{% macro rm_number_down(keys, sorted_by) %}
{%- set expression -%}
CAST(ROW_NUMBER() OVER (
            PARTITION BY {{ keys | join(', ') }}
            ORDER BY {{ sorted_by }} DESC NULLS LAST
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
    {%- for group in plan.groups if group.relation == relation -%}
        {%- do columns.append('MIN(' ~ group.name ~ ') AS ' ~ group.name) -%}
    {%- endfor -%}
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
{{ return(ctes) }}
{% endmacro %}

{#- queries: one row per scored query (and run), with its truth and groups. -#}
{% macro rm_queries(plan) %}
{%- set retrieved_first = plan.options.queries == 'retrieved' -%}
{%- set leading = 'n' if retrieved_first else 't' -%}
{%- set columns = [] -%}
{%- for key in plan.row_keys -%}
    {%- do columns.append(('u.' if key == 'run_id' and plan.runs_crossed else leading ~ '.') ~ key) -%}
{%- endfor -%}
{%- for column in plan.truth_columns -%}
    {%- do columns.append('COALESCE(t.' ~ column.name ~ ', 0) AS ' ~ column.name if retrieved_first else 't.' ~ column.name) -%}
{%- endfor -%}
{%- if plan.retrieved_counted -%}
    {%- do columns.append('COALESCE(n.n_retrieved, 0) AS n_retrieved') -%}
{%- endif -%}
{%- for relation in plan.relations -%}
    {%- do columns.extend(rankmetrics_sql.rm_qualified('x_' ~ loop.index, relation.columns)) -%}
{%- endfor -%}
{%- for group in plan.groups -%}{%- do columns.append('g_' ~ group.relation ~ '.' ~ group.name) -%}{%- endfor -%}
{%- set queries %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    {{ rankmetrics_sql.rm_queries_from(plan, leading) | join('\n    ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_queries' ~ plan.suffix, queries)]) }}
{% endmacro %}

{% macro rm_queries_from(plan, leading) %}
{%- set lines = [] -%}
{%- set truth_side = 'u' if plan.runs_crossed else 't' -%}
{%- if leading == 'n' -%}
    {%- do lines.append('FROM rankmetrics_retrieved' ~ plan.retrieved_suffix ~ ' AS n') -%}
    {%- do lines.append('LEFT JOIN rankmetrics_truth' ~ plan.truth_suffix ~ ' AS t ON ' ~ rankmetrics_sql.rm_same('t', 'n', plan.truth_keys)) -%}
{%- else -%}
    {%- do lines.append('FROM rankmetrics_truth' ~ plan.truth_suffix ~ ' AS t') -%}
    {%- if plan.runs_crossed -%}{%- do lines.append('CROSS JOIN rankmetrics_runs AS u') -%}{%- endif -%}
    {%- if plan.retrieved_counted -%}
        {%- set conditions = [rankmetrics_sql.rm_same('n', 't', plan.query_keys)] -%}
        {%- if plan.multi -%}{%- do conditions.append('n.run_id = ' ~ truth_side ~ '.run_id') -%}{%- endif -%}
        {%- do lines.append(('INNER' if plan.options.queries == 'judged_retrieved' else 'LEFT') ~ ' JOIN rankmetrics_retrieved' ~ plan.retrieved_suffix ~ ' AS n ON ' ~ conditions | join(' AND ')) -%}
    {%- endif -%}
{%- endif -%}
{%- for relation in plan.relations -%}
    {%- set alias = 'x_' ~ loop.index -%}
    {%- set conditions = [rankmetrics_sql.rm_same(alias, leading, plan.query_keys)] -%}
    {%- if plan.multi and not (relation.of_queries is defined and relation.of_queries) -%}
        {%- do conditions.append(alias ~ '.run_id = ' ~ (leading if leading == 'n' else truth_side) ~ '.run_id') -%}
    {%- endif -%}
    {%- do lines.append('LEFT JOIN ' ~ relation.name ~ ' AS ' ~ alias ~ ' ON ' ~ conditions | join(' AND ')) -%}
{%- endfor -%}
{%- if plan.selected is not none -%}
    {%- do lines.append('INNER JOIN (SELECT DISTINCT ' ~ plan.query_keys | join(', ') ~ ' FROM rankmetrics_selected) AS s ON ' ~ rankmetrics_sql.rm_same('s', leading, plan.query_keys)) -%}
{%- endif -%}
{%- for relation in plan.groups | map(attribute='relation') | unique -%}
    {%- set alias = 'g_' ~ relation -%}
    {%- set conditions = [rankmetrics_sql.rm_same(alias, leading, plan.query_keys)] -%}
    {%- if relation == 'run' and plan.multi -%}
        {%- do conditions.append(alias ~ '.run_id = ' ~ (leading if leading == 'n' else truth_side) ~ '.run_id') -%}
    {%- endif -%}
    {%- do lines.append('LEFT JOIN rankmetrics_groups_of_' ~ relation ~ ' AS ' ~ alias ~ ' ON ' ~ conditions | join(' AND ')) -%}
{%- endfor -%}
{%- if plan.options.queries == 'judged_relevant' -%}{%- do lines.append('WHERE t.' ~ rankmetrics_sql.rm_n_universe(plan.options.universe_rel) ~ ' > 0') -%}{%- endif -%}
{{ return(lines) }}
{% endmacro %}
