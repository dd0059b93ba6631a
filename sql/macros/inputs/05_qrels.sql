{#- qrels: one row per judgment. -#}

{% macro rm_qrels(plan) %}
{%- if plan.at_once -%}{{ return([]) }}{%- endif -%}
{%- if plan.qrels is none -%}{{ return(rankmetrics_sql.rm_labelled_qrels(plan)) }}{%- endif -%}
{%- set input = plan.qrels -%}
{%- set imputed = plan.options.impute is not none -%}
{%- set hint = none if input.is_query else rankmetrics_sql.rm_hint_of_inputs(plan) -%}
{%- set ids = rankmetrics_sql.rm_id_columns(input, plan.query_keys) -%}
{%- set others = rankmetrics_sql.rm_carried_columns(plan, input)
    + rankmetrics_sql.rm_attribute_columns(plan, 'qrels', input) -%}
{%- set grade = rankmetrics_sql.rm_grade(input) -%}
{%- set name = plan.stages.subtopics if plan.has_subtopics else plan.stages.qrels -%}
{%- set given = name ~ ('_given' if imputed else '') -%}
{%- set once = rankmetrics_sql.rm_counts_judgments_once(plan) -%}
{%- set apart = rankmetrics_sql.rm_shows_repeated_judgments(plan) -%}
{%- set about = rankmetrics_sql.rm_about_judgments(plan) ~ ' as given' -%}
{%- set source = rankmetrics_sql.rm_read(input, plan.stages.qrels_source, about, hint) -%}
{%- set qrels %}
    {{ rankmetrics_sql.rm_select(
        ids + (rankmetrics_sql.rm_highest_grade(grade, others) if once and not apart else [grade] + others)
    ) }}
    FROM {{ source.name }} AS s
    {%- if not imputed %}
    WHERE s.{{ input.columns.relevance }} IS NOT NULL
        {%- if not input.clean %} AND ({{ rankmetrics_sql.rm_is_of_item(input) }}){% endif %}
    {%- elif not input.clean %}
    WHERE {{ rankmetrics_sql.rm_is_of_item(input) }}
    {%- endif %}
    {%- if once and not apart %}
    GROUP BY {{ ids | map(attribute='sql') | join(', ') }}
    {%- endif %}
{%- endset -%}
{%- set ctes = source.stages + [
    rankmetrics_sql.rm_cte(
        given ~ ('_repeated' if apart else ''), qrels,
        rankmetrics_sql.rm_about_judgments(plan) ~ ', one row per query'
            ~ (', item and subtopic' if plan.has_subtopics else ' and item')
            ~ ('' if input.clean else ' (a row without an item is a query with nothing relevant)'), hint
    ),
] -%}
{%- if apart -%}
    {%- do ctes.append(rankmetrics_sql.rm_highest_grades(
        given, ids | map(attribute='name') | list, others | map(attribute='name') | list, hint
    )) -%}
{%- endif -%}
{%- if imputed -%}
    {%- set kept = (ids + others) | map(attribute='name') | reject('in', plan.query_keys) | list -%}
    {%- do ctes.extend(rankmetrics_sql.rm_imputed(plan, name, plan.query_keys, kept)) -%}
{%- endif -%}
{%- if plan.has_subtopics -%}{%- do ctes.append(rankmetrics_sql.rm_items_of_subtopics(plan)) -%}{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{#- Whose judgments they are, where a model's predict those of people. -#}
{% macro rm_about_judgments(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return('the judgments') }}{%- endif -%}
{{ return('the judgments of ' ~ ('people' if plan.qrels == plan.human_qrels else 'the model')) }}
{% endmacro %}

{#-
Whether of several judgments of an item, and subtopic, the highest grade counts: where that is asked for, and where no
check refuses them, which would count twice in an ideal ranking and once in any other. Where nothing reads subtopics,
the grade of an item is the highest anyway.
-#}
{% macro rm_counts_judgments_once(plan) %}
{%- set read = not plan.has_subtopics or plan.rankings | selectattr('subtopics') | list | length > 0 -%}
{%- set unchecked = plan.check == 'none' and not plan.qrels.clean and read -%}
{{ return(unchecked or plan.options.duplicate_judgments == 'highest') }}
{% endmacro %}

{#- Whether all rows are a stage before that: two judgments of one item may say two groups, so that they are mixed. -#}
{% macro rm_shows_repeated_judgments(plan) %}
{%- set groups = rankmetrics_sql.rm_groups_in(plan, ['qrels']) -%}
{{ return(groups | length > 0 and rankmetrics_sql.rm_counts_judgments_once(plan)) }}
{% endmacro %}

{#- What a judgment says, as aggregates over the rows of an item. -#}
{% macro rm_highest_grade(grade, others) %}
{%- set columns = [{'name': 'relevance', 'sql': 'MAX(' ~ grade.sql ~ ')'}] -%}
{%- for column in others -%}
    {%- do columns.append({'name': column.name, 'sql': 'MIN(' ~ column.sql ~ ')'}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_highest_grades(name, keys, others, hint=none) %}
{%- set columns = keys + rankmetrics_sql.rm_each('MAX(', ['relevance']) + rankmetrics_sql.rm_each('MIN(', others) -%}
{%- set highest %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ name }}_repeated
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(name, highest, 'the same rows, keeping the highest of several grades', hint)) }}
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
{%- set keys = rankmetrics_sql.rm_columns_from('r', plan.row_keys) -%}
{%- set others = rankmetrics_sql.rm_columns_from('r', plan.carried) -%}
{%- set grade = rankmetrics_sql.rm_columns_from('r', ['relevance'])[0] -%}
{%- set once = rankmetrics_sql.rm_counts_items_once(plan) and plan.runs[0].columns.relevance is not none -%}
{%- set item = rankmetrics_sql.rm_columns_from('r', ['item_id'])[0] -%}
{%- set together = once and rankmetrics_sql.rm_counts_relevant_alone(plan) -%}
{%- if together -%}
    {%- set item = {'name': 'item_id', 'sql': 'CASE WHEN r.relevance > 0 THEN r.item_id END'} -%}
{%- endif -%}
{%- set read = rankmetrics_sql.rm_highest_grade(grade, others) if once else [grade] + others -%}
{%- set present %}
    {{ rankmetrics_sql.rm_select(keys + [item] + read) }}
    FROM {{ rankmetrics_sql.rm_rows_of_runs(plan) }} AS r
    WHERE r.relevance IS NOT NULL
    {%- if once %}
    GROUP BY {{ (keys + [item]) | map(attribute='sql') | join(', ') }}
    {%- endif %}
{%- endset -%}
{%- set about = 'the judgments in the labelled table, ' ~ ('its items with a grade above 0, and a row for the others'
    if together else 'its rows with a grade, each item once' if once else 'its rows with a grade') -%}
{%- if not plan.runs[0].columns.n_relevant -%}
    {{ return([rankmetrics_sql.rm_cte(
        plan.stages.qrels, present, about
    )]) }}
{%- endif -%}
{%- set all_relevant = present | trim ~ '\n    UNION ALL\n    ' ~ rankmetrics_sql.rm_missed_rows(plan) -%}
{{ return(rankmetrics_sql.rm_digits(plan) + [
    rankmetrics_sql.rm_missed(plan),
    rankmetrics_sql.rm_cte(
        plan.stages.qrels, all_relevant, about ~ ', and one for each relevant item that its list lacks'
    ),
]) }}
{% endmacro %}

{#-
Whether judgments are only counted and summed where their grade is above 0: then all others of a query are one row, and
the items of a labelled table need no aggregate of their own, which would hold each of them.
-#}
{% macro rm_counts_relevant_alone(plan) %}
{%- set needs = ['n_nonrelevant', 'n_judged', 'subtopics', 'n_subtopics', 'greedy_ideal', 'propensity', 'target'] -%}
{%- for metric in plan.metrics -%}
    {%- set rel = metric.params.rel if metric.params.rel is defined else plan.options.rel -%}
    {%- if metric.needs | select('in', needs) | list or metric.params.get('gain') is mapping or rel <= 0 -%}
        {{ return(false) }}
    {%- endif -%}
{%- endfor -%}
{%- for ranking in plan.rankings -%}
    {%- if ranking.truth_of_lists or ranking.options.unjudged in ['mean', 'median'] -%}{{ return(false) }}{%- endif -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_with_stages(plan.metrics) | length == 0) }}
{% endmacro %}

{#-
missed: how many relevant items a query has beyond those in its list, by the column that says how many there are.
-#}
{% macro rm_missed(plan) %}
{%- set relevant = 'CASE WHEN relevance >= ' ~ rankmetrics_sql.rm_number(plan.options.rel) ~ ' THEN ' -%}
{%- set found = 'COUNT(DISTINCT ' ~ relevant ~ 'item_id END)' if rankmetrics_sql.rm_counts_items_once(plan)
    else 'SUM(' ~ relevant ~ '1 ELSE 0 END)' -%}
{%- set missed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.row_keys) }},
        FLOOR(MAX(n_relevant_given)) - {{ found }} AS n_missed
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
{%- set columns = rankmetrics_sql.rm_columns_from('m', plan.row_keys)
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
