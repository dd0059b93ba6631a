{#-
What is known of queries and runs as such: which are asked for, what the runs are called, which group a query is of.
-#}

{#- query_list: the queries that a list names. -#}
{% macro rm_query_list(plan) %}
{%- if plan.query_list is none -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_id_columns(plan.query_list, plan.query_keys)
    + rankmetrics_sql.rm_attribute_columns(plan, 'query_list', plan.query_list) -%}
{%- set query_list %}
    SELECT DISTINCT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ plan.stages.query_list_source }} AS s
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        plan.stages.query_list_source, rankmetrics_sql.rm_source(plan.query_list),
        'the list of queries as it was given'
    ),
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
    {%- do names.append('SELECT ' ~ rankmetrics_sql.rm_string(input.name) ~ ' AS run_id') -%}
{%- endfor -%}
{{ return([rankmetrics_sql.rm_cte(plan.stages.runs, names | join('\n    UNION ALL '), 'the names of the runs')]) }}
{% endmacro %}

{#- The names that a column of the run says; a run without results for a part of the queries is scored there too. -#}
{% macro rm_run_names(plan) %}
{%- set input = plan.runs[0] -%}
{%- if input.whole is none -%}{{ return('SELECT DISTINCT run_id FROM ' ~ plan.stages.run) }}{%- endif -%}
{{ return(
    'SELECT DISTINCT ' ~ rankmetrics_sql.rm_id(input, input.columns.run_id) ~ ' AS run_id FROM ' ~ input.whole ~ ' AS s'
) }}
{% endmacro %}

{#- The group of each query, from the relation that has the column. -#}
{% macro rm_groups(plan) %}
{%- set sides = plan.attributes | map(attribute='relation') | list -%}
{%- set ctes = [] -%}
{%- for relation in ['run', 'qrels', 'query_list'] if relation in sides -%}
    {%- set keys = plan.row_keys if relation == 'run' else plan.query_keys -%}
    {%- set columns = rankmetrics_sql.rm_each('MIN(', rankmetrics_sql.rm_attributes_of(plan, [relation])) -%}
    {%- set groups %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + columns) }}
    FROM {{ plan.stages[relation] }}
    GROUP BY {{ keys | join(', ') }}
    {%- endset -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(
        plan.stages['groups_of_' ~ relation], groups,
        'what each ' ~ ('list' if relation == 'run' else 'query') ~ ' is of, by columns of the '
            ~ {'run': 'run', 'qrels': 'judgments', 'query_list': 'list of queries'}[relation]
    )) -%}
{%- endfor -%}
{%- if 'qrels' in sides and 'query_list' in sides -%}
    {%- do ctes.append(rankmetrics_sql.rm_groups_of_both(plan)) -%}
{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{#- The stage with the groups that a query has whatever the run. -#}
{% macro rm_groups_of_queries(plan) %}
{%- set sides = plan.attributes | map(attribute='relation') | list -%}
{%- if 'qrels' in sides and 'query_list' in sides -%}{{ return(plan.stages.groups_of_queries) }}{%- endif -%}
{{ return(plan.stages.groups_of_qrels if 'qrels' in sides else plan.stages.groups_of_query_list) }}
{% endmacro %}

{#- Stacked two at a time: the third of three NULLs has no type of its own in PostgreSQL. -#}
{% macro rm_groups_of_both(plan) %}
{%- set names = rankmetrics_sql.rm_attributes_of(plan, ['qrels', 'query_list']) -%}
{%- set selects = [] -%}
{%- for relation in ['qrels', 'query_list'] -%}
    {%- set own = rankmetrics_sql.rm_attributes_of(plan, [relation]) -%}
    {%- set columns = plan.query_keys | list -%}
    {%- for name in names -%}
        {%- do columns.extend([name] if name in own else rankmetrics_sql.rm_no_attributes(plan, [name])) -%}
    {%- endfor -%}
    {%- set lines = rankmetrics_sql.rm_lines(columns) | replace('\n        ', ' ') -%}
    {%- do selects.append('SELECT ' ~ lines ~ ' FROM ' ~ plan.stages['groups_of_' ~ relation]) -%}
{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_kept('b', plan.query_keys) + rankmetrics_sql.rm_each('MAX(b.', names) -%}
{%- set groups %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM (
        {{ selects | join('\n        UNION ALL\n        ') }}
    ) AS b
    GROUP BY {{ rankmetrics_sql.rm_qualified('b', plan.query_keys) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    plan.stages.groups_of_queries, groups,
    'what each query is of, by columns of the judgments and of the list of queries'
)) }}
{% endmacro %}
