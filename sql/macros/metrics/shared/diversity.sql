{#-
What the metrics of diversity share. Their judged rows are pairs of an item and a subtopic that it was judged for. The
first relevant item of a subtopic gains 1, the next 1 - alpha, the one after it (1 - alpha)^2: what says the same again
is worth less.
-#}

{#- What is left of a gain when one more item has served its subtopic: 1 - alpha. -#}
{% macro rm_left_over(alpha) %}
{{ return(rankmetrics_sql.rm_as_double(1 - alpha)) }}
{% endmacro %}

{#- What a gain is worth at a rank: by a discount, or beta^(rank - 1). -#}
{% macro rm_worth_at(gain, rank, discount, beta=none) %}
{%- if beta is none -%}{{ return(rankmetrics_sql.rm_discounted(gain, rank, discount)) }}{%- endif -%}
{{ return(gain ~ ' * ' ~ rankmetrics_sql.rm_power(rankmetrics_sql.rm_as_double(beta), rank ~ ' - 1')) }}
{% endmacro %}

{#- The gains of the list down to rank k, each by what its rank is worth. -#}
{% macro rm_novel_gain(k, alpha, rel, discount, beta=none) %}
{%- set before = rankmetrics_sql.rm_relevant_so_far(rel) ~ ' - 1' -%}
{%- set gain = rankmetrics_sql.rm_power(rankmetrics_sql.rm_left_over(alpha), before) -%}
{%- set worth = rankmetrics_sql.rm_worth_at(gain, 'rnk', discount, beta) -%}
{{ return('SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN ' ~ worth ~ ' ELSE 0 END)') }}
{% endmacro %}

{#- The same of a list whose every item serves one subtopic, at k places or at as many as were retrieved. -#}
{% macro rm_full_gain(k, alpha, discount) %}
{{ return('full_gain_' ~ discount ~ '_alpha_' ~ rankmetrics_sql.rm_slug(alpha) ~ ('' if k is none else '_at_' ~ k)) }}
{% endmacro %}

{% macro rm_full_gain_relation(pass, k, alpha, discount) %}
{%- set column = rankmetrics_sql.rm_full_gain(k, alpha, discount) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.suffix) -%}
{%- set keys = pass.plan.row_keys if k is none else pass.plan.query_keys -%}
{%- set deepest = rankmetrics_sql.rm_gainful_places(alpha) if k is none else k -%}
{%- set places = rankmetrics_sql.rm_lesser('l.n_retrieved', deepest) if k is none else deepest -%}
{%- set gain = rankmetrics_sql.rm_power(rankmetrics_sql.rm_left_over(alpha), 'list_position - 1') -%}
{%- set through %}
    SELECT
        {{ rankmetrics_sql.rm_as_double('list_position') }} AS n_places,
        SUM({{ rankmetrics_sql.rm_discounted(gain, 'list_position', discount) }}) OVER (
            ORDER BY list_position ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS {{ column }}
    FROM {{ pass.plan.stages.numbers }}
    WHERE list_position <= {{ deepest }}
{%- endset -%}
{%- set full %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('l', keys)
        + rankmetrics_sql.rm_columns_from('p', [column])) }}
    FROM {{ pass.stages.retrieved if k is none else pass.stages.query_judgment_facts }} AS l
    INNER JOIN {{ name }}_through AS p ON p.n_places = {{ rankmetrics_sql.rm_as_double(places) }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column],
    'of_queries': k is not none,
    'ctes': rankmetrics_sql.rm_numbers(pass.plan) + [
        rankmetrics_sql.rm_cte(
            name ~ '_through', through,
            'the gain down to each rank if every item serves the same subtopic'
        ),
        rankmetrics_sql.rm_cte(
            name, full,
            'that gain at the length of each list' if k is none else 'that gain at the cutoff, for each query'
        ),
    ],
}) }}
{% endmacro %}

{#- How many places can gain at all: until (1 - alpha)^(r - 1) is nothing; 100,000 at most. -#}
{% macro rm_gainful_places(alpha) %}
{%- set found = {'places': 1, 'left': 1 - alpha} -%}
{%- for doubling in range(17) -%}
    {%- if found.left > 1e-300 -%}
        {%- do found.update({'places': 2 * found.places, 'left': found.left * found.left}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return([found.places, 100000] | min) }}
{% endmacro %}

{#- The gain of the ideal ranking. -#}
{% macro rm_ideal_gain(k, alpha, rel, discount, beta=none) %}
{%- set weighing = discount if beta is none else 'power_' ~ rankmetrics_sql.rm_slug(beta) -%}
{%- set name = 'ideal_gain_' ~ weighing ~ rankmetrics_sql.rm_ideal_of(alpha, rel) -%}
{{ return(name if k is none else name ~ '_at_' ~ k) }}
{% endmacro %}

{#- What an ideal ranking depends on, as part of a name. -#}
{% macro rm_ideal_of(alpha, rel) %}
{{ return('_alpha_' ~ rankmetrics_sql.rm_slug(alpha) ~ '_rel_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_ideal_gain_relation(pass, k, alpha, rel, discount, beta=none) %}
{%- set column = rankmetrics_sql.rm_ideal_gain(k, alpha, rel, discount, beta) -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.judged_suffix) -%}
{%- set greedy = rankmetrics_sql.rm_greedy(pass, alpha, rel) -%}
{%- set ideal %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.query_keys) }},
        SUM({{ rankmetrics_sql.rm_worth_at('gain', 'turn', discount, beta) }}) AS {{ column }}
    FROM {{ greedy.name }}
    WHERE place = 1{{ '' if k is none else ' AND turn <= ' ~ k }}
    GROUP BY {{ pass.plan.query_keys | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column],
    'of_queries': true,
    'ctes': greedy.ctes + [rankmetrics_sql.rm_cte(
        name, ideal,
        'the gain of the ideal ranking of each query, each turn weighted by its rank'
    )],
}) }}
{% endmacro %}

{#-
greedy: the ideal ranking. The best of all is beyond reach, so each turn takes the item that gains most after those
taken before it; among equals the one whose id is last by its bytes (ndeval). One row per relevant pair and turn,
place 1 marks the item taken. An engine that cannot look at all rows of a turn at once gets a stage for every turn
instead.
-#}
{% macro rm_greedy(pass, alpha, rel) %}
{%- set name = rankmetrics_sql.rm_metric_stage(
    'greedy' ~ rankmetrics_sql.rm_ideal_of(alpha, rel), pass.judged_suffix
) -%}
{%- set columns = pass.plan.query_keys + ['turn', 'gain', 'place'] -%}
{%- set depth = rankmetrics_sql.rm_greedy_depth(pass, alpha, rel) -%}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set start %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.query_keys) }},
        item_id,
        subtopic,
        CAST(0 AS {{ double }}) AS turn,
        CAST(0 AS {{ double }}) AS n_taken,
        CAST(0 AS {{ double }}) AS gain,
        CAST(2 AS {{ double }}) AS place
    FROM {{ pass.plan.stages.subtopics }}
    WHERE relevance >= {{ rankmetrics_sql.rm_number(rel) }}
{%- endset -%}
{%- if pass.plan.recurses -%}
    {%- set turns = name ~ '_turns' -%}
    {%- set also = '' if depth is none else ' AND turn < ' ~ depth -%}
    {%- set turn = rankmetrics_sql.rm_greedy_turn(pass, alpha, turns, also) -%}
    {%- set recursion = rankmetrics_sql.rm_recursion(
        turns, start ~ '\n    UNION ALL' ~ turn, columns,
        'the same with all items of each turn, and whether one is taken'
    ) -%}
    {{ return({'name': name, 'ctes': [rankmetrics_sql.rm_cte(
        name, recursion,
        'the ideal ranking of each query, which takes in each turn the item that adds the most gain'
    )]}) }}
{%- endif -%}
{%- set ctes = [rankmetrics_sql.rm_cte(
    name ~ '_0', start,
    'the start of the ideal ranking, each relevant pair of item and subtopic, with no item taken yet'
)] -%}
{%- set taken = [] -%}
{%- for turn in range(1, depth + 1) -%}
    {%- set here = name ~ '_' ~ turn -%}
    {%- set sql = rankmetrics_sql.rm_greedy_turn(pass, alpha, name ~ '_' ~ (turn - 1)) -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(
        here, sql,
        'turn ' ~ turn ~ ' of the ideal ranking, where place 1 adds the most gain to the items before it'
    )) -%}
    {%- do taken.append('SELECT ' ~ columns | join(', ') ~ ' FROM ' ~ here ~ ' WHERE place = 1') -%}
{%- endfor -%}
{{ return({'name': name, 'ctes': ctes + [rankmetrics_sql.rm_cte(
    name, taken | join('\n    UNION ALL '),
    'the items of the ideal ranking, one per turn'
)]}) }}
{% endmacro %}

{#-
A recursion in a WITH of its own: in one for all stages DuckDB takes the types of every UNION ALL from its first branch.
-#}
{% macro rm_recursion(name, sql, columns, about) %}
{%- set commented = rankmetrics_sql.rm_has_comments() -%}
{%- set recursion %}
    WITH RECURSIVE{{ '\n    ' ~ rankmetrics_sql.rm_comment(about, 4) if commented else ' ' }}{{ name }} AS (
        {{ sql | trim | indent(4) }}
    )

    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ name }}
{%- endset -%}
{{ return(recursion) }}
{% endmacro %}

{#- Gains are compared to twelve digits, so that equal ones are equal in whatever order they were added up. -#}
{% macro rm_greedy_turn(pass, alpha, source, also='') %}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set keys = pass.plan.query_keys | join(', ') -%}
{%- set pair = pass.plan.query_keys + ['item_id', 'subtopic'] -%}
{%- set gain = rankmetrics_sql.rm_power(rankmetrics_sql.rm_left_over(alpha), 'n_taken') -%}
{%- set item_gain = 'SUM(' ~ gain ~ ') OVER (PARTITION BY ' ~ keys ~ ', item_id)' -%}
{%- set turn %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pair) }},
        turn + 1 AS turn,
        n_taken + MAX(CASE WHEN place = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY {{ keys }}, subtopic) AS n_taken,
        gain,
        place
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(pair + ['turn', 'n_taken', 'gain']) | indent(4) }},
            CAST(DENSE_RANK() OVER (
                PARTITION BY {{ keys }}
                ORDER BY item_gain DESC NULLS LAST, {{ rankmetrics_sql.rm_text('item_id') }} DESC NULLS LAST
            ) AS {{ double }}) AS place
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(pair + ['turn', 'n_taken']) | indent(8) }},
                {{ gain }} AS gain,
                FLOOR(1000000000000 * {{ item_gain }} + {{ rankmetrics_sql.rm_number(0.5) }}) AS item_gain
            FROM {{ source }}
            WHERE place > 1{{ also }}
        ) AS candidates
    ) AS ordered
{%- endset -%}
{{ return(turn) }}
{% endmacro %}

{#- How many turns the metrics that share the ideal ranking ask for; none: until all items are taken. -#}
{% macro rm_greedy_depth(pass, alpha, rel) %}
{%- set depths = [0] -%}
{%- for metric in pass.truth_metrics if 'greedy_ideal' in metric.needs -%}
    {%- set params = metric.params -%}
    {%- if params.alpha == alpha and params.rel == rel -%}
        {%- if params.k is not defined or params.k is none -%}{{ return(none) }}{%- endif -%}
        {%- do depths.append(params.k) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(depths | max) }}
{% endmacro %}
