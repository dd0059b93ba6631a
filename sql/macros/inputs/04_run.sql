{#- run: one row per retrieved item. -#}

{% macro rm_run(plan) %}
{%- set ctes = [] -%}
{%- set selects = [] -%}
{%- set imputed = plan.labelled and plan.options.impute is not none -%}
{%- set hint = none if plan.runs | selectattr('is_query') | list else 'inlined' -%}
{%- for input in plan.runs -%}
    {%- set source = plan.stages.run_source ~ ('_' ~ loop.index if plan.runs | length > 1 else '') -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(
        source, rankmetrics_sql.rm_source(input),
        'what was retrieved, as it was given' ~ (', run ' ~ loop.index if plan.runs | length > 1 else ''), hint
    )) -%}
    {%- set select -%}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_run_columns(plan, input)) }}
    FROM {{ source }} AS s
    {%- endset -%}
    {%- do selects.append(select | trim) -%}
{%- endfor -%}
{%- set name = plan.stages.run ~ ('_given' if imputed else '') -%}
{%- do ctes.append(rankmetrics_sql.rm_cte(
    name, selects | join('\n    UNION ALL\n    '),
    'what was retrieved, a row for each item of a list' ~ (', all runs together' if plan.runs | length > 1
        else ''), hint
)) -%}
{%- if imputed -%}
    {%- set names = rankmetrics_sql.rm_run_columns(plan, plan.runs[0]) | map(attribute='name') -%}
    {%- set others = names | reject('in', plan.row_keys + ['relevance']) | list -%}
    {%- do ctes.extend(rankmetrics_sql.rm_imputed(plan, plan.stages.run, plan.row_keys, others)) -%}
{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{% macro rm_run_columns(plan, input) %}
{%- set columns = [] -%}
{%- if input.name is not none -%}
    {%- do columns.append({'name': 'run_id', 'sql': rankmetrics_sql.rm_string(input.name)}) -%}
{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_id_columns(input, plan.query_keys)) -%}
{%- for key in plan.order -%}
    {%- set number = rankmetrics_sql.rm_as_double('s.' ~ input.columns[key.column]) -%}
    {%- set rounded = rankmetrics_sql.rm_rounded_to_float32(number) if key.name == 'score_float32' else number -%}
    {%- do columns.append({'name': key.name, 'sql': rounded}) -%}
{%- endfor -%}
{%- if plan.reads_scores and 'score' not in plan.order | map(attribute='name') -%}
    {%- do columns.append({'name': 'score', 'sql': rankmetrics_sql.rm_as_double('s.' ~ input.columns.score)}) -%}
{%- endif -%}
{%- if plan.labelled -%}
    {%- do columns.append(rankmetrics_sql.rm_grade(input)) -%}
    {%- do columns.extend(rankmetrics_sql.rm_carried_columns(plan, input)) -%}
{%- endif -%}
{%- if input.columns.n_relevant -%}
    {%- set given = rankmetrics_sql.rm_as_double('s.' ~ input.columns.n_relevant) -%}
    {%- do columns.append({'name': 'n_relevant_given', 'sql': given}) -%}
{%- endif -%}
{{ return(columns + rankmetrics_sql.rm_attribute_columns(plan, 'run', input)) }}
{% endmacro %}
