{#-
What is known of queries and runs as such: which are asked for, what the runs are called, which group a query is of.
-#}

{#- query_list: the queries that a list names. -#}
{% macro rm_query_list(plan) %}
{%- if plan.query_list is none -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_id_columns(plan.query_list, plan.query_keys)
    + rankmetrics_sql.rm_attribute_columns(plan, 'query_list', plan.query_list) -%}
{%- set input, stage, about = plan.query_list, plan.stages.query_list_source, 'the list of queries as given' -%}
{%- set source = rankmetrics_sql.rm_read(input, stage, about) -%}
{%- set query_list %}
    {{ rankmetrics_sql.rm_select(columns, begin='SELECT DISTINCT') }}
    FROM {{ source.name }} AS s
{%- endset -%}
{{ return(source.stages + [
    rankmetrics_sql.rm_cte(plan.stages.query_list, query_list, 'the queries that are to be scored'),
]) }}
{% endmacro %}

{#- runs: the names of the runs, so that each is scored on every judged query. -#}
{% macro rm_runs(plan) %}
{%- if not plan.runs_named -%}{{ return([]) }}{%- endif -%}
{%- if plan.runs[0].columns.run_id -%}
    {{ return([rankmetrics_sql.rm_cte(
        plan.stages.runs, rankmetrics_sql.rm_run_names(plan),
        'the names of the runs'
    )]) }}
{%- endif -%}
{%- set names = [] -%}
{%- for input in plan.runs -%}
    {%- do names.append([{'name': 'run_id', 'sql': rankmetrics_sql.rm_string(input.name)}]) -%}
{%- endfor -%}
{{ return([rankmetrics_sql.rm_cte(plan.stages.runs, rankmetrics_sql.rm_constants(names), 'the names of the runs')]) }}
{% endmacro %}

{#- The names that a column of the run says; a run without results for a part of the queries is scored there too. -#}
{% macro rm_run_names(plan) %}
{%- set input = plan.runs[0] -%}
{%- if input.whole is none -%}
    {{ return('SELECT DISTINCT run_id FROM ' ~ rankmetrics_sql.rm_rows_of_runs(plan)) }}
{%- endif -%}
{{ return(
    'SELECT DISTINCT ' ~ rankmetrics_sql.rm_id(input, input.columns.run_id) ~ ' AS run_id FROM ' ~ input.whole ~ ' AS s'
) }}
{% endmacro %}

{#- The group of each query, from the relation that has the column. -#}
{% macro rm_groups(plan) %}
{%- if plan.at_once -%}{{ return([]) }}{%- endif -%}
{%- set sides = plan.attributes | map(attribute='relation') | list -%}
{%- set ctes = [] -%}
{%- for relation in ['run', 'qrels', 'query_list'] if relation in sides -%}
    {%- do ctes.extend(
        rankmetrics_sql.rm_groups_of_runs(plan) if relation == 'run' and plan.runs_named
        else [rankmetrics_sql.rm_groups_of(plan, relation, plan.stages['groups_of_' ~ relation])]
    ) -%}
{%- endfor -%}
{%- if 'qrels' in sides and 'query_list' in sides -%}
    {%- do ctes.append(rankmetrics_sql.rm_groups_of_both(plan)) -%}
{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{#- By columns of one relation: of each list, where that is the run, else of each query. -#}
{% macro rm_groups_of(plan, relation, stage) %}
{%- set is_run = relation == 'run' -%}
{%- set keys = plan.row_keys if is_run else plan.query_keys -%}
{%- set columns = rankmetrics_sql.rm_each('MIN(g.', rankmetrics_sql.rm_attributes_of(plan, [relation]))
    + rankmetrics_sql.rm_mixed(plan, relation) -%}
{%- set groups %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('g', keys) + columns) }}
    FROM {{ rankmetrics_sql.rm_rows_with_groups(plan, relation) }} AS g
    GROUP BY {{ rankmetrics_sql.rm_qualified('g', keys) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    stage, groups,
    'the groups of each ' ~ ('list' if is_run else 'query') ~ ', from columns of the '
        ~ {'run': 'run', 'qrels': 'judgments', 'query_list': 'list of queries'}[relation]
)) }}
{% endmacro %}

{#- The stage with all rows of a relation, those among them that are left out later because they repeat another. -#}
{% macro rm_rows_with_groups(plan, relation) %}
{%- if relation == 'query_list' -%}{{ return(plan.stages.query_list) }}{%- endif -%}
{%- set judgments = plan.stages.subtopics if plan.has_subtopics else plan.stages.qrels -%}
{%- set name = rankmetrics_sql.rm_rows_of_runs(plan) if relation == 'run' else judgments -%}
{%- set repeated = plan.options.duplicates == 'first' if relation == 'run'
    else rankmetrics_sql.rm_shows_repeated_judgments(plan) -%}
{%- set imputed = plan.options.impute is not none and (relation != 'run' or plan.labelled) -%}
{{ return(name ~ ('_given' if imputed else '') ~ '_repeated' if repeated else name) }}
{% endmacro %}

{#- Whether the rows of a query name two values of a group, as Python refuses it; a row with NULL names none. -#}
{% macro rm_mixed(plan, relation, otherwise='0') %}
{%- set is_mixed = rankmetrics_sql.rm_is_mixed(plan, relation, 'g.') -%}
{%- set mixed = 'CASE WHEN ' ~ is_mixed ~ ' THEN 1 ELSE ' ~ otherwise ~ ' END' -%}
{{ return([{'name': plan.mixed_names[0], 'sql': mixed}] if is_mixed else []) }}
{% endmacro %}

{% macro rm_is_mixed(plan, relation, before) %}
{%- set conditions = [] -%}
{%- for name in rankmetrics_sql.rm_groups_in(plan, [relation]) -%}
    {%- do conditions.append('MIN(' ~ before ~ name ~ ') <> MAX(' ~ before ~ name ~ ')') -%}
{%- endfor -%}
{{ return(conditions | join(' OR ')) }}
{% endmacro %}

{#-
Of several runs that are scored on the same queries: a query without a list in one of them is of the group that the
others say, if they agree. A pair of values is of one group, which runs that are paired have to agree on.
-#}
{% macro rm_groups_of_runs(plan) %}
{%- set names = rankmetrics_sql.rm_attributes_of(plan, ['run']) -%}
{%- set paired = plan.level in ['compare', 'compare_per_query'] and plan.options.design == 'paired' -%}
{%- set columns = rankmetrics_sql.rm_columns_from('g', plan.query_keys)
    + rankmetrics_sql.rm_columns_from('u', ['run_id']) -%}
{%- for name in names -%}
    {%- set known = 'MIN(g.' ~ name ~ ')' -%}
    {%- set own = 'MIN(CASE WHEN g.run_id = u.run_id THEN g.' ~ name ~ ' END)' -%}
    {%- set agreed = 'CASE WHEN ' ~ known ~ ' = MAX(g.' ~ name ~ ') THEN ' ~ known ~ ' END' -%}
    {%- do columns.append({'name': name, 'sql': known if paired else 'COALESCE(' ~ own ~ ', ' ~ agreed ~ ')'}) -%}
{%- endfor -%}
{%- if paired -%}
    {%- do columns.extend(rankmetrics_sql.rm_mixed(plan, 'run', 'MAX(g.is_mixed)')) -%}
{%- elif rankmetrics_sql.rm_groups_in(plan, ['run']) -%}
    {%- set own = 'MAX(CASE WHEN g.run_id = u.run_id THEN g.is_mixed END)' -%}
    {%- do columns.append({'name': 'is_mixed', 'sql': 'COALESCE(' ~ own ~ ', MAX(g.is_mixed))'}) -%}
{%- endif -%}
{%- set groups %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ plan.stages.groups_of_lists }} AS g
    CROSS JOIN {{ plan.stages.runs }} AS u
    GROUP BY {{ rankmetrics_sql.rm_qualified('g', plan.query_keys) | join(', ') }}, u.run_id
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_groups_of(plan, 'run', plan.stages.groups_of_lists),
    rankmetrics_sql.rm_cte(
        plan.stages.groups_of_run, groups,
        'the groups of each query in every run, taken from other runs if a run has no list'
    ),
]) }}
{% endmacro %}

{#- The stage with the groups that a query has whatever the run. -#}
{% macro rm_groups_of_queries(plan) %}
{%- set sides = plan.attributes | map(attribute='relation') | list -%}
{%- if 'qrels' in sides and 'query_list' in sides -%}{{ return(plan.stages.groups_of_queries) }}{%- endif -%}
{{ return(plan.stages.groups_of_qrels if 'qrels' in sides else plan.stages.groups_of_query_list) }}
{% endmacro %}

{#- Stacked two at a time: the third of three NULLs has no type of its own in PostgreSQL. -#}
{% macro rm_groups_of_both(plan) %}
{%- set names = rankmetrics_sql.rm_known_of(plan, ['qrels', 'query_list']) -%}
{%- set selects = [] -%}
{%- for relation in ['qrels', 'query_list'] -%}
    {%- set own = rankmetrics_sql.rm_known_of(plan, [relation]) -%}
    {%- set columns = plan.query_keys | list -%}
    {%- for name in names -%}
        {%- do columns.extend([name] if name in own else rankmetrics_sql.rm_no_attributes(plan, [name])) -%}
    {%- endfor -%}
    {%- set lines = rankmetrics_sql.rm_lines(columns) | replace('\n        ', ' ') -%}
    {%- do selects.append('SELECT ' ~ lines ~ ' FROM ' ~ plan.stages['groups_of_' ~ relation]) -%}
{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_columns_from('b', plan.query_keys) + rankmetrics_sql.rm_each('MAX(b.', names) -%}
{%- set groups %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM (
        {{ selects | join('\n        UNION ALL\n        ') }}
    ) AS b
    GROUP BY {{ rankmetrics_sql.rm_qualified('b', plan.query_keys) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    plan.stages.groups_of_queries, groups,
    'the groups of each query, from columns of the judgments and of the list of queries'
)) }}
{% endmacro %}
