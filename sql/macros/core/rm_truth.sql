{#- What the judgments say of each query, and which queries are scored. -#}

{#-
ideal: every judgment with its place in the best possible ranking. Gains that grow with the grade share one order;
each map has its own.
-#}
{% macro rm_ideal(plan) %}
{%- if not plan.ideal_gains -%}{{ return([]) }}{%- endif -%}
{%- set columns = plan.truth_keys + ['relevance'] -%}
{%- set ranks = [] -%}
{%- for gain in plan.ideal_gains -%}
    {%- set worth = rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'relevance') -%}
    {%- do columns.append(worth ~ ' AS ' ~ gain.name) -%}
    {%- set ideal_rank -%}
CAST(ROW_NUMBER() OVER (
            PARTITION BY {{ plan.truth_keys | join(', ') }}
            ORDER BY {{ worth if gain.gain is mapping else 'relevance' }} DESC NULLS LAST
        ) AS {{ rankmetrics_sql.rm_double_type() }}) AS {{ rankmetrics_sql.rm_ideal_rank(gain.gain) }}
    {%- endset -%}
    {%- if ideal_rank not in ranks -%}{%- do ranks.append(ideal_rank) -%}{%- endif -%}
{%- endfor -%}
{%- set ideal %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns + ranks) }}
    FROM rankmetrics_qrels
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_ideal', ideal)]) }}
{% endmacro %}

{% macro rm_ideal_rank(gain) %}
{{ return('ideal_rnk' if gain is not mapping else 'ideal_rnk_map_' ~ rankmetrics_sql.rm_slug(gain)) }}
{% endmacro %}

{#- Name and expression of each truth column in use. -#}
{% macro rm_truth_columns(plan) %}
{%- set columns = [] -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'n_relevant', ['rel']) -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count('relevance >= ' ~ rankmetrics_sql.rm_number(values.rel), rankmetrics_sql.rm_n_relevant(values.rel))) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'n_nonrelevant', ['rel']) -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count('relevance >= 0 AND relevance < ' ~ rankmetrics_sql.rm_number(values.rel), rankmetrics_sql.rm_n_nonrelevant(values.rel))) -%}
{%- endfor -%}
{%- if plan.options.queries == 'judged_relevant' -%}
    {%- do columns.append(rankmetrics_sql.rm_truth_count('relevance >= ' ~ rankmetrics_sql.rm_number(plan.options.rel), 'n_relevant_universe')) -%}
{%- endif -%}
{{ return(columns + rankmetrics_sql.rm_ideal_columns(plan)) }}
{% endmacro %}

{% macro rm_truth_count(condition, name) %}
{{ return({'name': name, 'sql': 'CAST(SUM(CASE WHEN ' ~ condition ~ ' THEN 1 ELSE 0 END) AS ' ~ rankmetrics_sql.rm_double_type() ~ ')'}) }}
{% endmacro %}

{#- The ideal ranking stops where gains are no longer positive (trec_eval). -#}
{% macro rm_ideal_columns(plan) %}
{%- set columns = [] -%}
{%- set names = [] -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'ideal_dcg', ['gain', 'rel', 'k']) -%}
    {%- set gain = rankmetrics_sql.rm_gain_name(values.gain, values.rel) -%}
    {%- set rank = rankmetrics_sql.rm_ideal_rank(values.gain) -%}
    {%- set condition = gain ~ ' > 0' ~ (' AND ' ~ rank ~ ' <= ' ~ values.k if values.k is not none else '') -%}
    {%- set name = rankmetrics_sql.rm_ideal_dcg(values.gain, values.rel, values.k) -%}
    {%- set term = gain ~ ' / ' ~ rankmetrics_sql.rm_log2(rank ~ ' + 1') -%}
    {%- if name not in names -%}
        {%- do names.append(name) -%}
        {%- do columns.append({'name': name, 'sql': 'SUM(CASE WHEN ' ~ condition ~ ' THEN ' ~ term ~ ' ELSE 0 END)'}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_truth(plan) %}
{%- set columns = plan.truth_keys | list -%}
{%- for column in plan.truth_columns -%}{%- do columns.append(column.sql ~ ' AS ' ~ column.name) -%}{%- endfor -%}
{%- set truth %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ 'rankmetrics_ideal' if plan.ideal_gains else 'rankmetrics_qrels' }}
    GROUP BY {{ plan.truth_keys | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_ideal(plan) + [rankmetrics_sql.rm_cte('rankmetrics_truth', truth)]) }}
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
{{ return([rankmetrics_sql.rm_cte('rankmetrics_retrieved', retrieved)]) }}
{% endmacro %}

{#- A query whose items are all dropped still has been answered: its list has length 0. -#}
{% macro rm_retrieved_judged(plan) %}
{%- set keys = plan.row_keys | join(', ') -%}
{%- set retrieved %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.row_keys) }},
        CAST(SUM(n_items) AS {{ rankmetrics_sql.rm_double_type() }}) AS n_retrieved
    FROM (
        SELECT {{ keys }}, 1 AS n_items FROM rankmetrics_condensed
        UNION ALL
        SELECT DISTINCT {{ keys }}, 0 AS n_items FROM rankmetrics_run
    ) AS items
    GROUP BY {{ keys }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_retrieved', retrieved)]) }}
{% endmacro %}

{#- runs: the names of the runs, so that each is scored on every judged query. -#}
{% macro rm_runs(plan) %}
{%- if not plan.runs_crossed -%}{{ return([]) }}{%- endif -%}
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
{%- for group in plan.groups -%}{%- do columns.append('g_' ~ group.relation ~ '.' ~ group.name) -%}{%- endfor -%}
{%- set queries %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    {{ rankmetrics_sql.rm_queries_from(plan, leading) | join('\n    ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_queries', queries)]) }}
{% endmacro %}

{% macro rm_queries_from(plan, leading) %}
{%- set lines = [] -%}
{%- set truth_side = 'u' if plan.runs_crossed else 't' -%}
{%- if leading == 'n' -%}
    {%- do lines.append('FROM rankmetrics_retrieved AS n') -%}
    {%- do lines.append('LEFT JOIN rankmetrics_truth AS t ON ' ~ rankmetrics_sql.rm_same('t', 'n', plan.truth_keys)) -%}
{%- else -%}
    {%- do lines.append('FROM rankmetrics_truth AS t') -%}
    {%- if plan.runs_crossed -%}{%- do lines.append('CROSS JOIN rankmetrics_runs AS u') -%}{%- endif -%}
    {%- if plan.retrieved_counted -%}
        {%- set conditions = [rankmetrics_sql.rm_same('n', 't', plan.query_keys)] -%}
        {%- if plan.multi -%}{%- do conditions.append('n.run_id = ' ~ truth_side ~ '.run_id') -%}{%- endif -%}
        {%- do lines.append(('INNER' if plan.options.queries == 'judged_retrieved' else 'LEFT') ~ ' JOIN rankmetrics_retrieved AS n ON ' ~ conditions | join(' AND ')) -%}
    {%- endif -%}
{%- endif -%}
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
{%- if plan.options.queries == 'judged_relevant' -%}{%- do lines.append('WHERE t.n_relevant_universe > 0') -%}{%- endif -%}
{{ return(lines) }}
{% endmacro %}
