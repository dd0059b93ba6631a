{#-
movements: what entered, left or moved within the first k items of each list, a row per candidate, query and item. One
relation after the other:
    candidates  the names of the other runs, as of a decomposition
    moved       the ranks of a candidate and of the baseline side by side, NULL where the item is not among the first k
-#}

{#- What reads the items that a list shows within k, and nothing else of them: so there is a ranking of them. -#}
{% macro rm_movement_metric(k) %}
{{ return('exposure_entropy@' ~ k) }}
{% endmacro %}

{#- The stages of the ranking, as far as its rows. -#}
{% macro rm_shown_rows(pass) %}
{{ return(
    rankmetrics_sql.rm_matched(pass)
    + rankmetrics_sql.rm_placed(pass)
    + rankmetrics_sql.rm_condensed(pass)
    + rankmetrics_sql.rm_judged(pass, rankmetrics_sql.rm_judged_columns(pass))
) }}
{% endmacro %}

{% macro rm_movements(pass) %}
{%- set plan = pass.plan -%}
{{ return({
    'ctes': [
        rankmetrics_sql.rm_cte(
            plan.stages.candidates, rankmetrics_sql.rm_candidates(plan),
            'the candidates'
        ),
        rankmetrics_sql.rm_cte(
            plan.stages.moved, rankmetrics_sql.rm_moved(pass),
            'the ranks of each item in a candidate and in the baseline side by side'
        ),
    ],
    'select': rankmetrics_sql.rm_select_movements(plan),
}) }}
{% endmacro %}

{#- Rows of the baseline once for each candidate, as in a decomposition: nothing grows with the data on both sides. -#}
{% macro rm_moved(pass) %}
{%- set plan = pass.plan -%}
{%- set keys = plan.query_keys + ['item_id'] -%}
{%- set baseline = rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set rank = rankmetrics_sql.rm_as_integer('m.rnk') -%}
{%- set rank_of = 'MIN(CASE WHEN m.run_id ' -%}
{%- set columns = [
    {'name': 'baseline_rank', 'sql': rank_of ~ '= ' ~ baseline ~ ' THEN ' ~ rank ~ ' END)'},
    {'name': 'candidate_rank', 'sql': rank_of ~ '<> ' ~ baseline ~ ' THEN ' ~ rank ~ ' END)'},
    {'name': 'grade', 'sql': 'MAX(CASE WHEN m.is_unjudged = 0 THEN m.relevance END)'},
] -%}
{%- set moved %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_columns_from('c', ['run_id']) + rankmetrics_sql.rm_columns_from('m', keys) + columns
        ) }}
    FROM {{ pass.stages.judged }} AS m
    {%- if plan.query_list is not none %}
    INNER JOIN {{ plan.stages.query_list }} AS l ON {{ rankmetrics_sql.rm_same('l', 'm', plan.query_keys) }}
    {%- endif %}
    CROSS JOIN {{ plan.stages.candidates }} AS c
    WHERE {{ rankmetrics_sql.rm_of_a_query(plan, 'm') }} AND m.rnk <= {{ pass.metrics[0].params.k }}
        AND (m.run_id = c.run_id OR m.run_id = {{ baseline }})
    GROUP BY {{ (['c.run_id'] + rankmetrics_sql.rm_qualified('m', keys)) | join(', ') }}
{%- endset -%}
{{ return(moved) }}
{% endmacro %}

{#- The candidate's list in its order, then what left it in the order in which it stood. -#}
{% macro rm_select_movements(plan) %}
{%- set movement = rankmetrics_sql.rm_case([
    "WHEN t.baseline_rank IS NULL THEN 'entered'",
    "WHEN t.candidate_rank IS NULL THEN 'left'",
    "WHEN t.candidate_rank < t.baseline_rank THEN 'up'",
    "WHEN t.candidate_rank > t.baseline_rank THEN 'down'",
    "ELSE 'same'",
]) -%}
{%- set columns = [{'name': 'baseline_run', 'sql': rankmetrics_sql.rm_string(plan.baseline)}]
    + rankmetrics_sql.rm_named_keys(plan, alias='t')[1:]
    + rankmetrics_sql.rm_columns_from('t', ['item_id', 'baseline_rank', 'candidate_rank'])
    + [{'name': 'movement', 'sql': movement}, {'name': 'relevance', 'sql': 't.grade'}] -%}
{%- set left_last = 'CASE WHEN t.candidate_rank IS NULL THEN 1 ELSE 0 END' -%}
{%- set select -%}
SELECT
    t.run_id AS run,
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM {{ plan.stages.moved }} AS t
ORDER BY
    {{ rankmetrics_sql.rm_ascending(['t.run_id'] + rankmetrics_sql.rm_qualified('t', plan.query_keys)) }},
    {{ rankmetrics_sql.rm_ascending([left_last], ['t.candidate_rank', 't.baseline_rank']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
