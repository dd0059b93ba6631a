{#- run: one row per retrieved item. -#}

{% macro rm_run(plan) %}
{%- set ctes = [] -%}
{%- set selects = [] -%}
{%- set imputed = plan.labelled and plan.options.impute is not none -%}
{%- set hint = none if plan.runs | selectattr('is_query') | list
    else rankmetrics_sql.rm_hint_of_inputs(plan) -%}
{%- for input in plan.runs -%}
    {%- set stage = plan.stages.run_source ~ ('_' ~ loop.index if plan.runs | length > 1 else '') -%}
    {%- set about = 'the retrieved items as given'
        ~ (', run ' ~ loop.index if plan.runs | length > 1 else '') -%}
    {%- set source = rankmetrics_sql.rm_read(input, stage, about, hint) -%}
    {%- do ctes.extend(source.stages) -%}
    {%- set select -%}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_run_columns(plan, input)) }}
    FROM {{ source.name }} AS s
    {%- endset -%}
    {%- do selects.append(select | trim) -%}
{%- endfor -%}
{%- set whole = rankmetrics_sql.rm_rows_of_runs(plan) -%}
{%- set name = whole ~ ('_given' if imputed else '') -%}
{%- set takes_first = plan.options.duplicates == 'first' -%}
{%- do ctes.append(rankmetrics_sql.rm_cte(
    name ~ ('_repeated' if takes_first else ''), selects | join('\n    UNION ALL\n    '),
    'the retrieved items, one row per query and item' ~ (', all runs together' if plan.runs | length > 1 else '')
        ~ (' (a score that is NaN is none)' if plan.runs[0].columns.score is not none else ''), hint
)) -%}
{%- set names = rankmetrics_sql.rm_run_columns(plan, plan.runs[0]) | map(attribute='name') | list -%}
{%- if takes_first -%}{%- do ctes.append(rankmetrics_sql.rm_first_rows(plan, name, names)) -%}{%- endif -%}
{%- if imputed -%}
    {%- set others = names | reject('in', plan.row_keys + ['relevance']) | list -%}
    {%- do ctes.extend(rankmetrics_sql.rm_imputed(plan, whole, plan.row_keys, others)) -%}
{%- endif -%}
{%- if whole != plan.stages.run and not plan.at_once -%}
    {%- set items %}
    {{ rankmetrics_sql.rm_select(names) }}
    FROM {{ whole }}
    WHERE item_id IS NOT NULL
    {%- endset -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(
        plan.stages.run, items,
        'the retrieved items, without the rows that stand for empty lists', hint
    )) -%}
{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{#- duplicates=first: of the rows of an item in a list the one that ranks best; of equals that of a higher grade. -#}
{% macro rm_first_rows(plan, name, names) %}
{%- set keys = [rankmetrics_sql.rm_sorted_by(plan.order)] -%}
{%- if plan.labelled -%}{%- do keys.append('relevance DESC NULLS LAST') -%}{%- endif -%}
{%- set partition = (plan.row_keys + ['item_id']) | join(', ') -%}
{%- set first %}
    {{ rankmetrics_sql.rm_select(names) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(names, 12) }},
            ROW_NUMBER() OVER (PARTITION BY {{ partition }} ORDER BY {{ keys | join(', ') }}) AS row_of_item
        FROM {{ name }}_repeated
    ) AS r
    WHERE row_of_item = 1
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(name, first, 'the same rows, keeping the best row of each item in a list')) }}
{% endmacro %}

{#- The stage that also has a row for each empty list, which has no item but the groups of its query. -#}
{% macro rm_rows_of_runs(plan) %}
{{ return(plan.stages.run_rows if plan.runs | selectattr('optional_ids') | list else plan.stages.run) }}
{% endmacro %}

{% macro rm_run_columns(plan, input) %}
{%- set columns = [] -%}
{%- if input.name is not none -%}
    {%- do columns.append({'name': 'run_id', 'sql': rankmetrics_sql.rm_string(input.name)}) -%}
{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_id_columns(input, plan.query_keys)) -%}
{%- for key in plan.order -%}
    {%- set number = rankmetrics_sql.rm_as_double('s.' ~ input.columns[key.column]) -%}
    {%- if key.is_raw -%}
        {%- set number = rankmetrics_sql.rm_raw_sort_value(input, key.column) -%}
    {%- elif key.name == 'score_float32' -%}
        {%- set number = rankmetrics_sql.rm_rounded_to_float32(number) -%}
    {%- elif key.column == 'score' or plan.options.position != 'given' -%}
        {%- set number = rankmetrics_sql.rm_sort_value(input, key.column) -%}
    {%- endif -%}
    {%- do columns.append({'name': key.name, 'sql': number}) -%}
{%- endfor -%}
{%- if plan.reads_scores and 'score' not in plan.order | map(attribute='name') -%}
    {%- set number = rankmetrics_sql.rm_as_double('s.' ~ input.columns.score) -%}
    {%- do columns.append({'name': 'score', 'sql': rankmetrics_sql.rm_null_for_nan(number)}) -%}
{%- endif -%}
{%- if plan.labelled -%}
    {%- do columns.append(rankmetrics_sql.rm_grade_of_shown(input)) -%}
    {%- do columns.extend(rankmetrics_sql.rm_carried_columns(plan, input)) -%}
{%- endif -%}
{%- if input.columns.n_relevant -%}
    {%- set given = rankmetrics_sql.rm_as_double('s.' ~ input.columns.n_relevant) -%}
    {%- do columns.append({'name': 'n_relevant_given', 'sql': given}) -%}
{%- endif -%}
{{ return(columns + rankmetrics_sql.rm_attribute_columns(plan, 'run', input)) }}
{% endmacro %}
