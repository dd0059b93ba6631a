{#- Equal scores whose order decides a value. -#}

{#-
A row for each of some runs in which there are queries with items of one score whose order decides a value: its number
among them, and how many such queries. ``ties`` is what ``rm_tied_lists`` takes, queries are those of every relation of
``among``, and where ``is_repeated`` an item that stands several times has its highest score.
-#}
{% macro rm_check_tied(runs, qrels, ties, among, is_repeated) %}
{%- set keys = rankmetrics_sql.rm_query_keys(runs[0].columns.query_id) -%}
{%- set ctes, items = [], [] -%}
{%- set number_of_qrels = runs | length + 1 -%}
{%- for run in runs -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(run, '_' ~ loop.index)) -%}
    {%- set names = [
        {'name': 'input_no', 'sql': loop.index},
        'r.run_id' if run.columns.run_id else {'name': 'run_id', 'sql': "''"},
    ] + rankmetrics_sql.rm_qualified('r', keys) -%}
    {%- set grade = none if qrels is not none else 'r.relevance' if run.columns.relevance else 'NULL' -%}
    {%- do items.append(rankmetrics_sql.rm_tied_items(
        'rankmetrics_rows_' ~ loop.index, names, keys, ties.score, grade,
        rankmetrics_sql.rm_list_keys(run) if is_repeated else none
    )) -%}
{%- endfor -%}
{%- if qrels is not none -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(qrels, '_' ~ number_of_qrels)) -%}
    {%- do ctes.append(rankmetrics_sql.rm_checked_grades('rankmetrics_rows_' ~ number_of_qrels ~ ' AS r', keys)) -%}
{%- endif -%}
{%- set counted = rankmetrics_sql.rm_counted_queries(among, keys, 'l', number_of_qrels + 1) -%}
{%- set lists = rankmetrics_sql.rm_tied_lists(['input_no', 'run_id'] + keys, ties) -%}
{%- set names = rankmetrics_sql.rm_qualified('l', ['input_no'] + keys) | join(', ') -%}
{%- set select -%}
SELECT input_no, COUNT(*) AS n_queries
FROM (
    SELECT {{ names }}
    FROM rankmetrics_above AS l
    {{- counted.joins }}
    WHERE {{ lists.decides }}
    GROUP BY {{ names }}
) AS queries
GROUP BY input_no
ORDER BY input_no
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(
    ctes + counted.ctes + [
        rankmetrics_sql.rm_cte(
            'rankmetrics_tied_items', items | join('\n    UNION ALL'), 'the items of each list, with their grades'
        ),
    ] + lists.ctes,
    select
)) }}
{% endmacro %}

{#- Each judged item of some judgments once, with its highest grade. -#}
{% macro rm_checked_grades(rows, keys, kind='') %}
{%- set names = rankmetrics_sql.rm_qualified('r', keys + ['item_id']) | join(', ') -%}
{%- set select %}
    SELECT {{ names }}, MAX(r.relevance) AS relevance
    FROM {{ rows }}
    GROUP BY {{ names }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_grades', select, 'the judged items, with their grades', kind)) }}
{% endmacro %}

{#-
The items of lists, each with its score and grade, which is that of rankmetrics_grades if none is given; with
``list_keys`` each item of a list once, with its highest score.
-#}
{% macro rm_tied_items(rows, names, keys, score, grade, list_keys) %}
{%- set is_repeated = list_keys is not none -%}
{%- set own_grade = 'q.relevance' if grade is none else rankmetrics_sql.rm_as_double('NULL') if grade == 'NULL'
    else grade -%}
{%- set columns = names + [
    {'name': 'score', 'sql': 'MAX(' ~ score ~ ')' if is_repeated else score},
    {'name': 'grade', 'sql': 'MAX(' ~ own_grade ~ ')' if is_repeated else own_grade},
] -%}
{%- set select %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ rows }} AS r
    {%- if grade is none %}
    LEFT JOIN rankmetrics_grades AS q ON {{ rankmetrics_sql.rm_same('q', 'r', keys + ['item_id']) }}
    {%- endif %}
    {%- if is_repeated %}
    GROUP BY {{ rankmetrics_sql.rm_qualified('r', list_keys + ['item_id']) | join(', ') }}
    {%- endif %}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#-
The stages that count the items of equal scores in the lists of rankmetrics_tied_items, and whether their order
decides. ``ties`` is {score, values, conditions}: the score of a row r; what metrics make of a grade; and conditions,
of which one is enough. They read of the items of one score n_items, n_above, and of each value lowest_1, highest_1,
total_1, and before_1, the highest above them.
-#}
{% macro rm_tied_lists(list_keys, ties) %}
{%- set list = list_keys | join(', ') -%}
{%- set of_scores, before, differ = [], [], [] -%}
{%- set window = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('s', list_keys) | join(', ')
    ~ ' ORDER BY score DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND' -%}
{%- for value in ties['values'] -%}
    {%- set number = loop.index -%}
    {%- for name, function in {'lowest': 'MIN', 'highest': 'MAX', 'total': 'SUM'}.items() -%}
        {%- do of_scores.append({'name': name ~ '_' ~ number, 'sql': function ~ '(' ~ value ~ ')'}) -%}
    {%- endfor -%}
    {%- do differ.append('lowest_' ~ number ~ ' < highest_' ~ number) -%}
    {%- do before.append(
        {'name': 'before_' ~ number, 'sql': 'MAX(highest_' ~ number ~ ') ' ~ window ~ ' 1 PRECEDING)'}
    ) -%}
{%- endfor -%}
{%- set scores %}
    SELECT
        {{ rankmetrics_sql.rm_lines(list_keys + ['score', {'name': 'n_items', 'sql': 'COUNT(*)'}] + of_scores) }}
    FROM rankmetrics_tied_items
    GROUP BY {{ list }}, score
{%- endset -%}
{%- set n_above = {'name': 'n_above', 'sql': 'SUM(n_items) ' ~ window ~ ' CURRENT ROW) - n_items'} -%}
{%- set above_columns = rankmetrics_sql.rm_qualified('s', list_keys) + ['n_items']
    + of_scores | map(attribute='name') | list + [n_above] + before -%}
{%- set above %}
    SELECT
        {{ rankmetrics_sql.rm_lines(above_columns) }}
    FROM rankmetrics_scores AS s
    INNER JOIN (
        SELECT DISTINCT {{ list }}
        FROM rankmetrics_scores
        WHERE n_items > 1
            {%- if differ %} AND ({{ differ | join(' OR ') }}){% endif %}
    ) AS c ON {{ rankmetrics_sql.rm_same('c', 's', list_keys) }}
{%- endset -%}
{{ return({
    'ctes': [
        rankmetrics_sql.rm_cte(
            'rankmetrics_scores', scores, 'the items of equal scores in each list', 'materialized'
        ),
        rankmetrics_sql.rm_cte(
            'rankmetrics_above', above, 'of lists with different items of one score, what stands above each score'
        ),
    ],
    'decides': 'n_items > 1 AND ((' ~ ties.conditions | join(') OR (') ~ '))',
}) }}
{% endmacro %}
