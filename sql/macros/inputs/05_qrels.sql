{#- qrels: one row per judgment. -#}

{% macro rm_qrels(plan) %}
{%- if plan.at_once -%}{{ return([]) }}{%- endif -%}
{%- if plan.qrels is none -%}{{ return(rankmetrics_sql.rm_labelled_qrels(plan)) }}{%- endif -%}
{%- set input = plan.qrels -%}
{%- set imputed = plan.options.impute is not none -%}
{%- set hint = none if input.is_query else rankmetrics_sql.rm_hint_of_inputs(plan) -%}
{%- set columns = rankmetrics_sql.rm_id_columns(input, plan.query_keys) -%}
{%- do columns.append(rankmetrics_sql.rm_grade(input)) -%}
{%- do columns.extend(rankmetrics_sql.rm_carried_columns(plan, input)) -%}
{%- do columns.extend(rankmetrics_sql.rm_attribute_columns(plan, 'qrels', input)) -%}
{%- set name = plan.stages.subtopics if plan.has_subtopics else plan.stages.qrels -%}
{%- set given = name ~ ('_given' if imputed else '') -%}
{%- set takes_highest = plan.options.duplicate_judgments == 'highest' -%}
{%- set about = 'the judgments as given' -%}
{%- set source = rankmetrics_sql.rm_read(input, plan.stages.qrels_source, about, hint) -%}
{%- set qrels %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ source.name }} AS s
    {%- if not imputed %}
    WHERE s.{{ input.columns.relevance }} IS NOT NULL
        {%- if not input.clean %} AND ({{ rankmetrics_sql.rm_is_of_item(input) }}){% endif %}
    {%- elif not input.clean %}
    WHERE {{ rankmetrics_sql.rm_is_of_item(input) }}
    {%- endif %}
{%- endset -%}
{%- set ctes = source.stages + [
    rankmetrics_sql.rm_cte(
        given ~ ('_repeated' if takes_highest else ''), qrels,
        'the judgments, one row per query' ~ (', item and subtopic' if plan.has_subtopics else ' and item'), hint
    ),
] -%}
{%- if takes_highest -%}
    {%- do ctes.append(rankmetrics_sql.rm_highest_grades(plan, given, columns | map(attribute='name') | list)) -%}
{%- endif -%}
{%- if imputed -%}
    {%- set others = columns | map(attribute='name') | reject('in', plan.query_keys + ['relevance']) | list -%}
    {%- do ctes.extend(rankmetrics_sql.rm_imputed(plan, name, plan.query_keys, others)) -%}
{%- endif -%}
{%- if plan.has_subtopics -%}{%- do ctes.append(rankmetrics_sql.rm_items_of_subtopics(plan)) -%}{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{#- duplicate_judgments=highest: of the judgments of an item, and subtopic, the highest grade. -#}
{% macro rm_highest_grades(plan, name, names) %}
{%- set keys = plan.query_keys + ['item_id'] + (['subtopic'] if plan.has_subtopics else []) -%}
{%- set others = names | reject('in', keys + ['relevance']) | list -%}
{%- set columns = keys + rankmetrics_sql.rm_each('MAX(', ['relevance']) + rankmetrics_sql.rm_each('MIN(', others) -%}
{%- set highest %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ name }}_repeated
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(name, highest, 'the same rows, keeping the highest of several grades')) }}
{% endmacro %}

{#- An item is as relevant as it is to the subtopic that it serves best. -#}
{% macro rm_items_of_subtopics(plan) %}
{%- set keys = plan.query_keys + ['item_id'] -%}
{%- set columns = keys + rankmetrics_sql.rm_each('MAX(', ['relevance'])
    + rankmetrics_sql.rm_each('MIN(', plan.carried) -%}
{%- set items %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ plan.stages.subtopics }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    plan.stages.qrels, items,
    'the grade of each item, the highest over its subtopics'
)) }}
{% endmacro %}

{#- The judgments that a labelled table carries itself: its rows with a grade. -#}
{% macro rm_labelled_qrels(plan) %}
{%- set present %}
    {{ rankmetrics_sql.rm_select(plan.row_keys + ['item_id', 'relevance'] + plan.carried) }}
    FROM {{ rankmetrics_sql.rm_rows_of_runs(plan) }}
    WHERE relevance IS NOT NULL
{%- endset -%}
{%- if not plan.runs[0].columns.n_relevant -%}
    {{ return([rankmetrics_sql.rm_cte(
        plan.stages.qrels, present,
        'the judgments in the labelled table, its rows with a grade'
    )]) }}
{%- endif -%}
{%- set all_relevant = present | trim ~ '\n    UNION ALL\n    ' ~ rankmetrics_sql.rm_missed_rows(plan) -%}
{{ return(rankmetrics_sql.rm_digits(plan) + [
    rankmetrics_sql.rm_missed(plan),
    rankmetrics_sql.rm_cte(
        plan.stages.qrels, all_relevant,
        'the judgments in the labelled table, and a row for each relevant item that its list lacks'
    ),
]) }}
{% endmacro %}

{#-
missed: how many relevant items a query has beyond those in its list, by the column that says how many there are.
-#}
{% macro rm_missed(plan) %}
{%- set relevant = 'relevance >= ' ~ rankmetrics_sql.rm_number(plan.options.rel) -%}
{%- set missed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.row_keys) }},
        FLOOR(MAX(n_relevant_given)) - SUM(CASE WHEN {{ relevant }} THEN 1 ELSE 0 END) AS n_missed
    FROM {{ rankmetrics_sql.rm_rows_of_runs(plan) }}
    GROUP BY {{ plan.row_keys | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    plan.stages.missed, missed,
    'the number of relevant items of each query that its list lacks'
)) }}
{% endmacro %}

{#-
One judgment per missed item, with the lowest grade that counts as relevant. They are counted digit by digit, each as
far as there are items, so that no list is held against all numbers.
-#}
{% macro rm_missed_rows(plan) %}
{%- set grade = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_number(plan.options.rel)) -%}
{%- set columns = rankmetrics_sql.rm_kept('m', plan.row_keys)
    + [{'name': 'item_id', 'sql': 'NULL'}, {'name': 'relevance', 'sql': grade}]
    + rankmetrics_sql.rm_nulls(plan.carried) -%}
{%- set number = [] -%}
{%- set joins = [] -%}
{%- for digit in ['e', 'd', 'c', 'b', 'a'] -%}
    {%- set worth = [10000, 1000, 100, 10, 1][loop.index0] -%}
    {%- do number.append((worth ~ ' * ' if worth > 1 else '') ~ digit ~ '.digit') -%}
    {%- set condition = number | join(' + ') ~ ' < m.n_missed' -%}
    {%- do joins.append('INNER JOIN ' ~ plan.stages.digits ~ ' AS ' ~ digit ~ ' ON ' ~ condition) -%}
{%- endfor -%}
{%- set rows -%}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ plan.stages.missed }} AS m
    {{ joins | join('\n    ') }}
{%- endset -%}
{{ return(rows | trim) }}
{% endmacro %}
