{#-
Which unjudged item to judge next: a row for each query and item without a judgment within the cutoff of some run, with
its rank in each run and by how much its grade, 0 or the highest, moves the mean difference between a candidate and the
baseline; of several candidates the one that it moves most. All else stays as it is. The stages of a comparison with
unjudged=bounds come first (core/17_ranges.sql), then:
    compared     the difference of each query now, and the number of queries with one
    beside       what an item adds to a candidate and to the baseline, beside what their judged items add together
    taken, full_places, longer, longer_ideals    the ideal DCG with one more item of the highest grade
    next         each item beside the difference now and the facts of its query
    influences   by how much an item moves each candidate's mean difference
judging of the plan has the names of all runs, n, how many rows there are at most, and texts, the relations that have
texts of queries or items.
-#}

{#- The stages behind the values of queries, and the SELECT; there is one ranking, with one metric. -#}
{% macro rm_judge_next(pass) %}
{%- set plan, metric, names = pass.plan, pass.metrics[0], pass.plan.judging.names -%}
{%- set ideals = rankmetrics_sql.rm_growing_ideals(pass) -%}
{%- set best_rank = [{'name': 'best_rank', 'sql': 'MIN(rnk)'}] -%}
{%- set ctes = rankmetrics_sql.rm_grade_of_unjudged(pass) + [
    rankmetrics_sql.rm_alone(pass, best_rank),
    rankmetrics_sql.rm_compared_now(pass, metric),
    rankmetrics_sql.rm_beside_judged(pass, metric, names),
] + (rankmetrics_sql.rm_one_more(pass, ideals) if ideals else []) + [
    rankmetrics_sql.rm_items_with_facts(pass, metric, names),
    rankmetrics_sql.rm_item_influences(pass, metric, names),
] -%}
{%- set keys = plan.query_keys -%}
{%- set sides = [] -%}
{%- for side in [
    {'name': 'query_text', 'known_by': keys, 'of': 'query', 'stage': plan.stages.texts_of_queries},
    {'name': 'item_text', 'known_by': ['item_id'], 'of': 'item', 'stage': plan.stages.texts_of_items},
] -%}
    {%- for input in plan.judging.texts if input.columns[side.name] -%}
        {%- do sides.append(side) -%}
        {%- do ctes.extend(rankmetrics_sql.rm_texts(plan, input, side)) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return({'ctes': ctes, 'select': rankmetrics_sql.rm_select_next(plan, names, sides)}) }}
{% endmacro %}

{#- The mean counts the queries in which both runs have a value; a sum over queries is divided by nothing. -#}
{% macro rm_compared_now(pass, metric) %}
{%- set plan = pass.plan -%}
{%- set of_baseline = 'CASE WHEN v.run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) ~ ' THEN v.' ~ metric.column
    ~ ' END' -%}
{%- set difference = 'v.' ~ metric.column ~ ' - MAX(' ~ of_baseline ~ ') OVER (PARTITION BY '
    ~ rankmetrics_sql.rm_qualified('v', plan.query_keys) | join(', ') ~ ')' -%}
{%- set count = '1' if metric.aggregate == 'sum' else 'COUNT(d.difference) OVER (PARTITION BY d.run_id)' -%}
{%- set compared %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('d', plan.row_keys + ['difference']) + [
        {'name': 'n_compared', 'sql': rankmetrics_sql.rm_as_double(count)},
    ]) }}
    FROM (
        {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('v', plan.row_keys) + [
            {'name': 'difference', 'sql': difference},
        ], 8) }}
        FROM {{ pass.stages.per_query }} AS v
    ) AS d
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    plan.stages.compared, compared, 'the difference of each query from the baseline, and how many queries have one'
)) }}
{% endmacro %}

{#- An item that neither of the two has may still move a share of the judgments, so each candidate has all items. -#}
{% macro rm_beside_judged(pass, metric, names) %}
{%- set plan = pass.plan -%}
{%- set baseline = rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set keys = rankmetrics_sql.rm_columns_from('a', plan.query_keys) + rankmetrics_sql.rm_columns_from('u', ['run_id'])
    + rankmetrics_sql.rm_columns_from('a', ['unjudged_item']) -%}
{%- set own = 'a.' ~ metric.column -%}
{%- set columns = [
    {'name': 'of_candidate', 'sql': 'MAX(CASE WHEN a.run_id = u.run_id THEN ' ~ own ~ ' ELSE 0 END)'},
    {'name': 'of_baseline', 'sql': 'MAX(CASE WHEN a.run_id = ' ~ baseline ~ ' THEN ' ~ own ~ ' ELSE 0 END)'},
    {'name': 'nearest_rank', 'sql': 'MIN(a.best_rank)'},
] -%}
{%- set k = metric.params.k -%}
{%- for name in names -%}
    {%- set is_shown = 'a.run_id = ' ~ rankmetrics_sql.rm_string(name)
        ~ ('' if k is none else ' AND a.best_rank <= ' ~ k) -%}
    {%- set rank = 'MIN(CASE WHEN ' ~ is_shown ~ ' THEN a.best_rank END)' -%}
    {%- do columns.append({'name': 'rank_' ~ loop.index, 'sql': rank}) -%}
{%- endfor -%}
{%- set read = plan.query_keys + ['run_id', 'unjudged_item'] + columns | map(attribute='name') | list -%}
{%- set over = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('w', plan.query_keys + ['run_id']) | join(', ')
    ~ ')' -%}
{%- set of_judged = [] -%}
{%- for side in ['of_candidate', 'of_baseline'] -%}
    {%- set judged = 'MAX(CASE WHEN w.unjudged_item IS NULL THEN w.' ~ side ~ ' END) ' ~ over -%}
    {%- do of_judged.append({'name': side ~ '_judged', 'sql': 'COALESCE(' ~ judged ~ ', 0)'}) -%}
{%- endfor -%}
{%- set beside %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('w', read) + of_judged) }}
    FROM (
        {{ rankmetrics_sql.rm_select(keys + columns, 8) }}
        FROM {{ pass.stages.alone }} AS a
        CROSS JOIN {{ plan.stages.runs }} AS u
        WHERE u.run_id <> {{ baseline }}
        GROUP BY {{ (rankmetrics_sql.rm_qualified('a', plan.query_keys) + ['u.run_id', 'a.unjudged_item'])
            | join(', ') }}
    ) AS w
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    plan.stages.beside, beside,
    'what each item adds to a candidate and to the baseline, beside what their judged items add'
)) }}
{% endmacro %}

{#- The condition for an item w without a judgment that some run has within its cutoff. -#}
{% macro rm_is_next(metric) %}
{%- set k = metric.params.k -%}
{{ return('w.unjudged_item IS NOT NULL' ~ ('' if k is none else ' AND w.nearest_rank <= ' ~ k)) }}
{% endmacro %}

{#- The ideal DCG of each query with one more item of the highest grade. -#}
{% macro rm_one_more(pass, ideals) %}
{%- set keys = rankmetrics_sql.rm_columns_from('w', pass.plan.query_keys) -%}
{%- set taken %}
    {{ rankmetrics_sql.rm_select(keys + [{'name': 'n_more', 'sql': rankmetrics_sql.rm_as_double(1)}],
        begin='SELECT DISTINCT') }}
    FROM {{ pass.plan.stages.beside }} AS w
    WHERE {{ rankmetrics_sql.rm_is_next(pass.metrics[0]) }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.taken, taken, 'the queries with an item to judge, which is one more item of the highest grade'
)] + rankmetrics_sql.rm_longer_ideals(pass, ideals)) }}
{% endmacro %}

{#- The value of a list s whose item has the highest grade: a sum, a share, or what the first hit decides. -#}
{% macro rm_value_with(metric, side, denominator) %}
{%- set item, judged = 'w.' ~ side, 'w.' ~ side ~ '_judged' -%}
{%- if rankmetrics_sql.rm_decides_by_first(metric) -%}
    {{ return('CASE WHEN ' ~ item ~ ' > ' ~ judged ~ ' THEN ' ~ item ~ ' ELSE ' ~ judged ~ ' END') }}
{%- endif -%}
{%- set sum = '(' ~ judged ~ ' + ' ~ item ~ ')' -%}
{{ return(sum if denominator is none else sum ~ ' / NULLIF(' ~ denominator ~ ', 0)') }}
{% endmacro %}

{#- Whether a metric is divided by the DCG of a list of relevant items only, which no judgment changes. -#}
{% macro rm_has_full_ideal(metric) %}
{{ return(metric.params.ideal_depth is defined and metric.params.ideal_depth == 'all_relevant') }}
{% endmacro %}

{#- What a share is divided by when the item w has the highest grade; none of other metrics. -#}
{% macro rm_denominator_with(pass, metric) %}
{%- if metric.name == 'ndcg' -%}
    {{ return(('f.' if rankmetrics_sql.rm_has_full_ideal(metric) else 'w.')
        ~ rankmetrics_sql.rm_ideal_dcg(pass.ideals[0])) }}
{%- elif metric.name == 'r' -%}
    {%- set n_relevant = 'COALESCE(w.' ~ rankmetrics_sql.rm_n_relevant(metric.params.rel) ~ ', 0)' -%}
    {{ return('(' ~ n_relevant ~ ' + CASE WHEN ' ~ rankmetrics_sql.rm_is_relevant_next(metric)
        ~ ' THEN 1 ELSE 0 END)') }}
{%- endif -%}
{{ return(none) }}
{% endmacro %}

{#- Whether an item of the highest grade is relevant. -#}
{% macro rm_is_relevant_next(metric) %}
{{ return('h.highest >= ' ~ rankmetrics_sql.rm_number(metric.params.rel)) }}
{% endmacro %}

{#- The relations with a fact of each query that the value with the item needs: {name, relation}. -#}
{% macro rm_facts_with_item(pass, metric) %}
{%- set found = [] -%}
{%- if 'n_relevant' in metric.needs -%}
    {%- do found.append({
        'name': rankmetrics_sql.rm_n_relevant(metric.params.rel), 'relation': pass.stages.query_judgment_facts,
    }) -%}
{%- endif -%}
{%- if metric.name == 'ndcg' and not rankmetrics_sql.rm_has_full_ideal(metric) -%}
    {%- do found.append({
        'name': rankmetrics_sql.rm_ideal_dcg(pass.ideals[0]), 'relation': pass.stages.longer_ideals,
    }) -%}
{%- endif -%}
{{ return(found) }}
{% endmacro %}

{#- Stacked, not joined: whatever a planner believes of the number of rows, it can do no more than read them once. -#}
{% macro rm_items_with_facts(pass, metric, names) %}
{%- set plan = pass.plan -%}
{%- set keys = plan.query_keys -%}
{%- set own = ['unjudged_item', 'of_candidate', 'of_baseline', 'of_candidate_judged', 'of_baseline_judged',
    'nearest_rank'] -%}
{%- for name in names -%}{%- do own.append('rank_' ~ loop.index) -%}{%- endfor -%}
{%- set of_queries = rankmetrics_sql.rm_facts_with_item(pass, metric) -%}
{%- set of_facts = of_queries | map(attribute='name') | list -%}
{%- set compared = ['difference', 'n_compared'] -%}
{%- set branches = [
    rankmetrics_sql.rm_select(
        rankmetrics_sql.rm_columns_from('w', plan.row_keys + own) + rankmetrics_sql.rm_unknown(compared + of_facts), 8
    ) ~ '\n        FROM ' ~ plan.stages.beside ~ ' AS w\n        WHERE ' ~ rankmetrics_sql.rm_is_next(metric),
    rankmetrics_sql.rm_select(
        rankmetrics_sql.rm_columns_from('c', plan.row_keys) + rankmetrics_sql.rm_nulls(own)
        + rankmetrics_sql.rm_columns_from('c', compared) + rankmetrics_sql.rm_nulls(of_facts), 8
    ) ~ '\n        FROM ' ~ plan.stages.compared ~ ' AS c',
] -%}
{%- for fact in of_queries -%}
    {%- set columns = rankmetrics_sql.rm_columns_from('q', keys) + rankmetrics_sql.rm_nulls(['run_id'] + own + compared)
    -%}
    {%- for name in of_facts -%}
        {%- do columns.extend(rankmetrics_sql.rm_columns_from('q', [name]) if name == fact.name
            else rankmetrics_sql.rm_nulls([name])) -%}
    {%- endfor -%}
    {%- do branches.append(rankmetrics_sql.rm_select(columns, 8) ~ '\n        FROM ' ~ fact.relation ~ ' AS q') -%}
{%- endfor -%}
{%- set of_pair = ') OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('s', plan.row_keys) | join(', ') ~ ')' -%}
{%- set of_query = ') OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('s', keys) | join(', ') ~ ')' -%}
{%- set items %}
    {{ rankmetrics_sql.rm_select(
        rankmetrics_sql.rm_columns_from('s', plan.row_keys + own) + rankmetrics_sql.rm_each('MAX(s.', compared, of_pair)
        + rankmetrics_sql.rm_each('MAX(s.', of_facts, of_query)
    ) }}
    FROM (
        {{ branches | join('\n        UNION ALL\n        ') }}
    ) AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    plan.stages.next, items, 'each item beside the difference now, and facts of its query (planners misjudge a join)'
)) }}
{% endmacro %}

{% macro rm_item_influences(pass, metric, names) %}
{%- set keys = pass.plan.query_keys -%}
{%- set denominator = rankmetrics_sql.rm_denominator_with(pass, metric) -%}
{%- set with_item = rankmetrics_sql.rm_value_with(metric, 'of_candidate', denominator) ~ ' - '
    ~ rankmetrics_sql.rm_value_with(metric, 'of_baseline', denominator) -%}
{%- if denominator is not none -%}
    {%- set with_item = 'COALESCE(' ~ with_item ~ ', w.difference)' -%}
{%- endif -%}
{%- if 'n_relevant' in metric.needs -%}
    {#- A query that stays without relevant items keeps the value that no_relevant gives it. -#}
    {%- set n_relevant = 'COALESCE(w.' ~ rankmetrics_sql.rm_n_relevant(metric.params.rel) ~ ', 0)' -%}
    {%- set is_relevant = rankmetrics_sql.rm_is_relevant_next(metric) -%}
    {%- set with_item = rankmetrics_sql.rm_case([
        'WHEN ' ~ n_relevant ~ ' > 0 OR ' ~ is_relevant ~ ' THEN ' ~ with_item, 'ELSE w.difference',
    ], '', 12) -%}
{%- endif -%}
{%- set ranks = [] -%}
{%- for name in names -%}{%- do ranks.append('rank_' ~ loop.index) -%}{%- endfor -%}
{#- What rounding leaves of no change is none. -#}
{%- set influence = 'CASE WHEN ABS(e.moved) <= ' ~ rankmetrics_sql.rm_number('1e-12')
    ~ ' THEN 0 ELSE ABS(e.moved) / e.n_compared END' -%}
{%- set largest = [{'name': 'influence', 'sql': 'MAX(' ~ influence ~ ')'}] -%}
{%- set of_items = [] -%}
{%- for column in rankmetrics_sql.rm_each('MIN(e.', ['nearest_rank'] + ranks) -%}
    {%- do of_items.append({'name': column.name, 'sql': rankmetrics_sql.rm_as_integer(column.sql)}) -%}
{%- endfor -%}
{%- set effects = rankmetrics_sql.rm_columns_from('w', keys) + [{'name': 'item_id', 'sql': 'w.unjudged_item'}]
    + rankmetrics_sql.rm_columns_from('w', ['nearest_rank'] + ranks + ['n_compared'])
    + [{'name': 'moved', 'sql': with_item ~ ' - w.difference'}] -%}
{%- set influences %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('e', keys + ['item_id']) + of_items + largest) }}
    FROM (
        {{ rankmetrics_sql.rm_select(effects, 8) }}
        FROM {{ pass.plan.stages.next }} AS w
        {%- if 'h.' in with_item %}
        CROSS JOIN {{ pass.stages.highest_grade }} AS h
        {%- endif %}
        {%- if rankmetrics_sql.rm_has_full_ideal(metric) %}
        CROSS JOIN {{ pass.stages.full_lists }} AS f
        {%- endif %}
        WHERE w.unjudged_item IS NOT NULL AND w.difference IS NOT NULL
    ) AS e
    GROUP BY {{ rankmetrics_sql.rm_qualified('e', keys + ['item_id']) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    pass.plan.stages.influences, influences,
    'how far the grade of each item moves the mean difference of the candidate that it moves most'
)) }}
{% endmacro %}

{#- The text of each query, or item, of one relation; of several the first in order. -#}
{% macro rm_texts(plan, input, side) %}
{%- set names = rankmetrics_sql.rm_id_columns(input, plan.query_keys) -%}
{%- set stage = side.stage -%}
{%- set source = rankmetrics_sql.rm_read(input, stage ~ '_source', 'the texts as given', 'inlined') -%}
{%- set columns = [] -%}
{%- for column in names if column.name in side.known_by -%}{%- do columns.append(column) -%}{%- endfor -%}
{%- set text = 'CAST(s.' ~ input.columns[side.name] ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')' -%}
{%- set texts %}
    {{ rankmetrics_sql.rm_select(
        rankmetrics_sql.rm_columns_from('t', side.known_by) + rankmetrics_sql.rm_each('MIN(t.', [side.name])
    ) }}
    FROM (
        {{ rankmetrics_sql.rm_select(columns + [{'name': side.name, 'sql': text}], 8) }}
        FROM {{ source.name }} AS s
    ) AS t
    GROUP BY {{ rankmetrics_sql.rm_qualified('t', side.known_by) | join(', ') }}
{%- endset -%}
{{ return(source.stages + [rankmetrics_sql.rm_cte(stage, texts, 'the text of each ' ~ side.of)]) }}
{% endmacro %}

{#- The greatest influence first, rounded, so that rounding errors decide nothing; then what stands highest. -#}
{% macro rm_select_next(plan, names, sides) %}
{%- set keys = plan.query_keys -%}
{%- set with_query, with_item = [], [] -%}
{%- for side in sides -%}
    {%- set text = {'name': side.name, 'sql': side.of ~ '_texts.' ~ side.name} -%}
    {%- do (with_query if side.of == 'query' else with_item).append(text) -%}
{%- endfor -%}
{%- set queries = [] -%}
{%- for key in keys -%}
    {%- set label = plan.query_labels[loop.index0] -%}
    {%- do queries.extend(
        rankmetrics_sql.rm_columns_from('e', [key]) if key == label else [{'name': label, 'sql': 'e.' ~ key}]
    ) -%}
{%- endfor -%}
{%- set ranks = [] -%}
{%- for name in names -%}{%- do ranks.append('rank_' ~ loop.index) -%}{%- endfor -%}
{%- set rounded = 'FLOOR(1000000000000 * e.influence + ' ~ rankmetrics_sql.rm_number(0.5) ~ ')' -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(
        queries + with_query + rankmetrics_sql.rm_columns_from('e', ['item_id']) + with_item
        + rankmetrics_sql.rm_columns_from('e', ranks + ['influence']), 4
    ) }}
FROM {{ plan.stages.influences }} AS e
{%- for side in sides %}
LEFT JOIN {{ side.stage }} AS {{ side.of }}_texts ON
    {{- ' ' ~ rankmetrics_sql.rm_same(side.of ~ '_texts', 'e', side.known_by) }}
{%- endfor %}
ORDER BY
    {{ rounded }} DESC NULLS LAST,
    {{ rankmetrics_sql.rm_ascending(rankmetrics_sql.rm_qualified('e', ['nearest_rank'] + keys + ['item_id'])) }}
LIMIT {{ plan.judging.n }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
