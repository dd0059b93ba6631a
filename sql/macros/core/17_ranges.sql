{#-
The range of each difference from the baseline, where every unjudged item within the cutoff of either list may have
grade 0 or the highest, the same in both (unjudged=bounds). An item adds its net worth, what it adds to the candidate
less what it adds to the baseline. A sum over ranks is least and greatest with all items that lower or raise it. Of a
share of the judgments, which more items change, the m items of the greatest net worth are best among all m, so each m
is looked at; one that stands within the cutoff of neither list is none of them. Of what the first hit decides, one item or none is best.
    alone             of each list the judged items together, and each unjudged one by itself, as values of the metric
    net               the same of a candidate less the baseline
    ranges            least and greatest values of sums and of first hits
    taken             of shares: the items by their net worth, with the sum down to each; the low end with its sign
    full_places, longer, longer_ideals    the DCG of the ideal with m more items of the highest grade
    shares_of_ideals  least and greatest values of shares
No more items is the value itself, which is compared with the ends later (rm_with_ends).
-#}
{% macro rm_ranges(pass) %}
{%- if not pass.ranged -%}{{ return([]) }}{%- endif -%}
{%- set sums = pass.metrics | rejectattr('name', 'in', ['r', 'ndcg']) | list -%}
{%- set shares = pass.metrics | selectattr('name', 'in', ['r', 'ndcg']) | list -%}
{%- set ctes = rankmetrics_sql.rm_highest_grade(pass) + [rankmetrics_sql.rm_alone(pass), rankmetrics_sql.rm_net(pass)] -%}
{%- set relations = [] -%}
{%- if sums -%}
    {%- do relations.append(rankmetrics_sql.rm_range_relation(
        pass, pass.stages.ranges, sums, ctes + [rankmetrics_sql.rm_ranges_of_sums(pass, sums)]
    )) -%}
{%- endif -%}
{%- if shares -%}
    {%- do relations.append(rankmetrics_sql.rm_range_relation(
        pass, pass.stages.shares_of_ideals, shares,
        ([] if sums else ctes) + rankmetrics_sql.rm_ranges_of_shares(pass, shares)
    )) -%}
{%- endif -%}
{{ return(relations) }}
{% endmacro %}

{% macro rm_range_relation(pass, name, metrics, ctes) %}
{%- set columns = [] -%}
{%- for metric in metrics -%}{%- do columns.extend(rankmetrics_sql.rm_end_columns(pass, metric)) -%}{%- endfor -%}
{{ return({'name': name, 'columns': columns, 'ctes': ctes}) }}
{% endmacro %}

{#- The highest grade of an unjudged item: as said, or the highest judged one, which is at least relevant. -#}
{% macro rm_highest_grade(pass) %}
{%- set plan = pass.plan -%}
{%- set first = plan.rankings | selectattr('ranged') | first -%}
{%- if first.suffix != pass.suffix -%}{{ return([]) }}{%- endif -%}
{%- set rel = rankmetrics_sql.rm_number(plan.options.rel) -%}
{%- set highest = rankmetrics_sql.rm_number(plan.options.max_grade) if plan.options.max_grade is not none
    else 'CASE WHEN MAX(relevance) > ' ~ rel ~ ' THEN MAX(relevance) ELSE ' ~ rel ~ ' END' -%}
{%- set column = rankmetrics_sql.rm_as_double(highest) ~ ' AS highest' -%}
{%- set from = '' if plan.options.max_grade is not none else ' FROM ' ~ plan.stages.qrels -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.highest_grade, 'SELECT ' ~ column ~ from, 'the highest grade that an unjudged item may have'
)]) }}
{% endmacro %}

{#- What a metric is made of: the sum that a share has above, or its value. -#}
{% macro rm_worth_of_items(metric) %}
{%- set p = metric.params -%}
{%- if metric.name == 'ndcg' -%}
    {{ return(rankmetrics_sql.metric_dcg(k=p.k, gain=p.gain, rel=p.rel, discount=p.discount, ties=p.ties)) }}
{%- elif metric.name == 'r' -%}
    {{ return(rankmetrics_sql.rm_hits(p.rel, p.k, p.ties)) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_metric_expression(metric)) }}
{% endmacro %}

{% macro rm_alone(pass) %}
{%- set plan = pass.plan -%}
{%- set keys = plan.row_keys -%}
{%- set grade = 'CASE WHEN j.is_unjudged = 1 THEN h.highest ELSE j.relevance END' -%}
{%- set weights = pass.weights | map(attribute='name') | list -%}
{%- set columns = rankmetrics_sql.rm_kept('j', keys + ['rnk'] + pass.tie_names + weights) + [
    {'name': 'unjudged_item', 'sql': 'CASE WHEN j.is_unjudged = 1 THEN j.item_id END'},
    {'name': 'relevance', 'sql': grade},
] + (rankmetrics_sql.rm_kept('j', ['n_tied']) if pass.options.ties == 'expected' else []) -%}
{%- for gain in pass.gains -%}
    {%- do columns.append({'name': gain.name, 'sql': rankmetrics_sql.rm_gain(gain.gain, gain.rel, grade)}) -%}
{%- endfor -%}
{%- set worths = [] -%}
{%- for metric in pass.metrics -%}
    {%- set worth = rankmetrics_sql.rm_worth_of_items(metric) | trim -%}
    {%- do worths.append({'name': metric.column, 'sql': rankmetrics_sql.rm_as_double(worth)}) -%}
{%- endfor -%}
{%- set alone %}
    {{ rankmetrics_sql.rm_select(keys + ['unjudged_item'] + worths) }}
    FROM (
        {{ rankmetrics_sql.rm_select(columns, 8) }}
        FROM {{ pass.stages.judged }} AS j
        CROSS JOIN {{ pass.stages.highest_grade }} AS h
    ) AS graded
    GROUP BY {{ (keys + ['unjudged_item']) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    pass.stages.alone, alone,
    'what the judged items of each list are worth, and each unjudged one with the highest grade by itself'
)) }}
{% endmacro %}

{% macro rm_decides_by_first(metric) %}
{{ return(metric.name in ['rr', 'success']) }}
{% endmacro %}

{% macro rm_net(pass) %}
{%- set plan = pass.plan -%}
{%- set baseline = rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set keys = rankmetrics_sql.rm_kept('a', plan.query_keys) + rankmetrics_sql.rm_kept('u', ['run_id'])
    + rankmetrics_sql.rm_kept('a', ['unjudged_item']) -%}
{%- set of_baseline = 'CASE WHEN a.run_id = ' ~ baseline ~ ' THEN ' -%}
{%- set columns = [] -%}
{%- for metric in pass.metrics -%}
    {%- set own = 'a.' ~ metric.column -%}
    {%- if rankmetrics_sql.rm_decides_by_first(metric) -%}
        {%- do columns.extend([
            {'name': metric.column ~ '_up', 'sql': 'MAX(' ~ of_baseline ~ '0 ELSE ' ~ own ~ ' END)'},
            {'name': metric.column ~ '_down', 'sql': 'MAX(' ~ of_baseline ~ own ~ ' ELSE 0 END)'},
        ]) -%}
    {%- else -%}
        {%- do columns.append({
            'name': metric.column, 'sql': 'SUM(' ~ of_baseline ~ '-' ~ own ~ ' ELSE ' ~ own ~ ' END)',
        }) -%}
    {%- endif -%}
    {%- if metric.name in ['r', 'ndcg'] -%}
        {%- do columns.append({'name': metric.column ~ '_most', 'sql': 'MAX(' ~ own ~ ')'}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set net %}
    {{ rankmetrics_sql.rm_select(keys + columns) }}
    FROM {{ pass.stages.alone }} AS a
    CROSS JOIN {{ plan.stages.runs }} AS u
    WHERE u.run_id <> {{ baseline }} AND (a.run_id = u.run_id OR a.run_id = {{ baseline }})
    GROUP BY {{ (rankmetrics_sql.rm_qualified('a', plan.query_keys) + ['u.run_id', 'a.unjudged_item']) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    pass.stages.net, net, 'the same of each candidate, less what it is worth to the baseline'
)) }}
{% endmacro %}

{% macro rm_ranges_of_sums(pass, metrics) %}
{%- set keys = pass.plan.query_keys + ['run_id'] -%}
{%- set over = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('n', keys) | join(', ') ~ ')' -%}
{%- set read = rankmetrics_sql.rm_kept('n', keys + ['unjudged_item']) -%}
{%- set columns = [] -%}
{%- for metric in metrics -%}
    {%- set name = metric.column -%}
    {%- set own = 'w.' ~ name -%}
    {%- if rankmetrics_sql.rm_decides_by_first(metric) -%}
        {%- for side in ['_up', '_down'] -%}
            {%- set first = 'CASE WHEN n.unjudged_item IS NULL THEN n.' ~ name ~ side ~ ' END' -%}
            {%- do read.extend(rankmetrics_sql.rm_kept('n', [name ~ side]) + [{
                'name': name ~ side ~ '_judged', 'sql': 'COALESCE(MAX(' ~ first ~ ') ' ~ over ~ ', 0)',
            }]) -%}
        {%- endfor -%}
        {%- set up = 'CASE WHEN ' ~ own ~ '_up > ' ~ own ~ '_up_judged THEN ' ~ own ~ '_up ELSE ' ~ own
            ~ '_up_judged END' -%}
        {%- set difference = up ~ ' - ' ~ up | replace('_up', '_down') -%}
        {%- do columns.extend([
            {'name': name ~ '_low_end', 'sql': 'MIN(' ~ difference ~ ')'},
            {'name': name ~ '_high_end', 'sql': 'MAX(' ~ difference ~ ')'},
        ]) -%}
    {%- else -%}
        {%- do read.extend(rankmetrics_sql.rm_kept('n', [name])) -%}
        {%- for end, sign in {'_low_end': '<', '_high_end': '>'}.items() -%}
            {%- set counts = 'w.unjudged_item IS NULL OR ' ~ own ~ ' ' ~ sign ~ ' 0' -%}
            {%- do columns.append({
                'name': name ~ end, 'sql': 'SUM(CASE WHEN ' ~ counts ~ ' THEN ' ~ own ~ ' ELSE 0 END)',
            }) -%}
        {%- endfor -%}
    {%- endif -%}
{%- endfor -%}
{%- set ranges %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_kept('w', keys) + columns) }}
    FROM (
        {{ rankmetrics_sql.rm_select(read, 8) }}
        FROM {{ pass.stages.net }} AS n
    ) AS w
    GROUP BY {{ rankmetrics_sql.rm_qualified('w', keys) | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    pass.stages.ranges, ranges, 'the least and the greatest difference of each query from the baseline'
)) }}
{% endmacro %}

{% macro rm_ranges_of_shares(pass, metrics) %}
{%- set keys = pass.plan.query_keys + ['run_id'] -%}
{%- set worths = [] -%}
{%- set ratios = [] -%}
{%- set within = [] -%}
{%- for metric in metrics -%}
    {%- set high, low = 2 * loop.index - 1, 2 * loop.index -%}
    {%- do worths.extend(['WHEN ' ~ high ~ ' THEN n.' ~ metric.column, 'WHEN ' ~ low ~ ' THEN -n.' ~ metric.column]) -%}
    {%- set most = 'n.' ~ metric.column ~ '_most' -%}
    {%- set is_within = 'WHEN c.target IN (' ~ high ~ ', ' ~ low ~ ') AND ' ~ most ~ ' > 0 THEN n.unjudged_item' -%}
    {%- do within.append(is_within) -%}
    {%- set ratio = 't.total / NULLIF(' ~ rankmetrics_sql.rm_longer_denominator(pass, metric) ~ ', 0)' -%}
    {%- do ratios.extend([
        {'name': metric.column ~ '_low_end', 'sql': '-MAX(CASE WHEN t.target = ' ~ low ~ ' THEN ' ~ ratio ~ ' END)'},
        {'name': metric.column ~ '_high_end', 'sql': 'MAX(CASE WHEN t.target = ' ~ high ~ ' THEN ' ~ ratio ~ ' END)'},
    ]) -%}
{%- endfor -%}
{%- set numbers = [] -%}
{%- for target in range(2 * metrics | length) -%}
    {%- do numbers.append([{'name': 'target', 'sql': target + 1}]) -%}
{%- endfor -%}
{%- set order = 'CASE WHEN w.unjudged_item IS NULL THEN 0 ELSE 1 END ASC, w.worth DESC NULLS LAST' -%}
{%- set down = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('w', keys + ['target']) | join(', ') ~ ' ORDER BY '
    ~ order ~ ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set taken %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_kept('w', keys + ['target']) + [
        {'name': 'total', 'sql': 'SUM(w.worth) ' ~ down},
        {'name': 'n_more', 'sql': rankmetrics_sql.rm_as_double('COUNT(w.item_within) ' ~ down)},
    ]) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('n', keys + ['unjudged_item']), 12) }},
            c.target,
            {{ rankmetrics_sql.rm_case(worths, 'c.target', 12) }} AS worth,
            {{ rankmetrics_sql.rm_case(within, '', 12) }} AS item_within
        FROM {{ pass.stages.net }} AS n
        CROSS JOIN (
            {{ rankmetrics_sql.rm_constants(numbers) | indent(8) }}
        ) AS c
    ) AS w
{%- endset -%}
{%- set ideals = rankmetrics_sql.rm_growing_ideals(pass) -%}
{%- set shares %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_kept('t', keys) + ratios) }}
    FROM {{ pass.stages.taken }} AS t
    CROSS JOIN {{ pass.stages.highest_grade }} AS h
    LEFT JOIN {{ pass.stages.truth }} AS q ON {{ rankmetrics_sql.rm_same('q', 't', pass.plan.query_keys) }}
    {%- if ideals %}
    LEFT JOIN {{ pass.stages.longer_ideals }} AS i ON {{ rankmetrics_sql.rm_same('i', 't', pass.plan.query_keys) }}
        {{- ' AND i.n_more = ' ~ rankmetrics_sql.rm_no_more_than(pass, 't.n_more') }}
    {%- endif %}
    WHERE t.n_more > 0
    GROUP BY {{ rankmetrics_sql.rm_qualified('t', keys) | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.taken, taken, 'the items by what they add, with the sums down to each; of low ends with the sign changed'
)] + (rankmetrics_sql.rm_longer_ideals(pass, ideals) if ideals else []) + [rankmetrics_sql.rm_cte(
    pass.stages.shares_of_ideals, shares,
    'the least and the greatest difference of each query from the baseline, of shares of the judgments'
)]) }}
{% endmacro %}

{#- The ideals that grow with more items, and the last rank that any of them reads. -#}
{% macro rm_growing_ideals(pass) %}
{%- set params = ['gain', 'rel', 'k', 'discount', 'ideal_depth'] -%}
{{ return(rankmetrics_sql.rm_needed(pass.metrics, 'ideal_dcg', params)
    | rejectattr('ideal_depth', 'equalto', 'all_relevant') | list) }}
{% endmacro %}

{% macro rm_last_ideal_rank(pass) %}
{%- set ranks = [] -%}
{%- for ideal in rankmetrics_sql.rm_growing_ideals(pass) -%}
    {%- if ideal.k is none or ideal.ideal_depth == 'uncut' -%}{{ return(none) }}{%- endif -%}
    {%- do ranks.append(ideal.k) -%}
{%- endfor -%}
{{ return(ranks | max) }}
{% endmacro %}

{#- A number of items; more than the ideal has ranks make no difference. -#}
{% macro rm_no_more_than(pass, number) %}
{%- set last = rankmetrics_sql.rm_last_ideal_rank(pass) -%}
{%- if last is none -%}{{ return(number) }}{%- endif -%}
{{ return('CASE WHEN ' ~ number ~ ' > ' ~ last ~ ' THEN ' ~ last ~ ' ELSE ' ~ number ~ ' END') }}
{% endmacro %}

{#- What a share is divided by with more items of the highest grade, of rows t, the truth q and an ideal i. -#}
{% macro rm_longer_denominator(pass, metric) %}
{%- set p = metric.params -%}
{%- if metric.name == 'r' -%}
    {%- set relevant = 'h.highest >= ' ~ rankmetrics_sql.rm_number(p.rel) -%}
    {{ return('(COALESCE(q.' ~ rankmetrics_sql.rm_n_relevant(p.rel) ~ ', 0) + CASE WHEN ' ~ relevant
        ~ ' THEN t.n_more ELSE 0 END)') }}
{%- endif -%}
{%- set ideal = {'gain': p.gain, 'rel': p.rel, 'k': p.k, 'discount': p.discount, 'ideal_depth': p.ideal_depth} -%}
{{ return(('q.' if p.ideal_depth == 'all_relevant' else 'i.') ~ rankmetrics_sql.rm_ideal_dcg(ideal)) }}
{% endmacro %}

{#- Judgments of at least the highest gain keep their ranks, the items come next, and all others move down. -#}
{% macro rm_longer_ideals(pass, ideals) %}
{%- set keys = pass.plan.query_keys -%}
{%- set last = rankmetrics_sql.rm_last_ideal_rank(pass) -%}
{%- set full = [] -%}
{%- for gain in pass.ideal_gains -%}
    {%- set best = rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'h.highest') -%}
    {%- do full.append({
        'name': 'n_full_' ~ gain.name,
        'sql': rankmetrics_sql.rm_as_double('SUM(CASE WHEN j.' ~ gain.name ~ ' >= ' ~ best ~ ' THEN 1 ELSE 0 END)'),
    }) -%}
{%- endfor -%}
{%- set full_places %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_kept('j', keys) + full) }}
    FROM {{ pass.stages.ideal }} AS j
    CROSS JOIN {{ pass.stages.highest_grade }} AS h
    GROUP BY {{ rankmetrics_sql.rm_qualified('j', keys) | join(', ') }}
{%- endset -%}
{%- set over = 'OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', keys) | join(', ')
    ~ ' ORDER BY m.n_more ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set added = [] -%}
{%- set sums = [] -%}
{%- for ideal in ideals -%}
    {%- set name = rankmetrics_sql.rm_ideal_dcg(ideal) -%}
    {%- set gain = rankmetrics_sql.rm_gain_name(ideal.gain, ideal.rel) -%}
    {%- set k = none if ideal.ideal_depth == 'uncut' else ideal.k -%}
    {%- set best = rankmetrics_sql.rm_gain(ideal.gain, ideal.rel, 'h.highest') -%}
    {%- set place = '(COALESCE(f.n_full_' ~ gain ~ ', 0) + m.n_more)' -%}
    {%- set term = rankmetrics_sql.rm_discounted(best, place, ideal.discount) -%}
    {%- if k is not none -%}{%- set term = 'CASE WHEN ' ~ place ~ ' <= ' ~ k ~ ' THEN ' ~ term ~ ' ELSE 0 END' -%}{%- endif -%}
    {%- do added.append({'name': name, 'sql': 'SUM(' ~ term ~ ') ' ~ over}) -%}
    {%- set own = 'j.' ~ gain -%}
    {%- set best = rankmetrics_sql.rm_gain(ideal.gain, ideal.rel, 'l.highest') -%}
    {%- set rank = '(j.' ~ rankmetrics_sql.rm_ideal_rank(ideal.gain) ~ ' + CASE WHEN ' ~ own ~ ' >= ' ~ best
        ~ ' THEN 0 ELSE l.n_more END)' -%}
    {%- set term = rankmetrics_sql.rm_discounted(own, rank, ideal.discount) -%}
    {%- set within = own ~ ' > 0' ~ ('' if k is none else ' AND ' ~ rank ~ ' <= ' ~ k) -%}
    {%- do sums.append({
        'name': name, 'sql': 'MAX(l.' ~ name ~ ') + SUM(CASE WHEN ' ~ within ~ ' THEN ' ~ term ~ ' ELSE 0 END)',
    }) -%}
{%- endfor -%}
{%- set longer %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_kept('m', keys + ['n_more']) + rankmetrics_sql.rm_kept('h', ['highest']) + added) }}
    FROM (
        SELECT DISTINCT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('t', keys) + [
                {'name': 'n_more', 'sql': rankmetrics_sql.rm_no_more_than(pass, 't.n_more')},
            ], 12) }}
        FROM {{ pass.stages.taken }} AS t
        WHERE t.n_more > 0
    ) AS m
    CROSS JOIN {{ pass.stages.highest_grade }} AS h
    LEFT JOIN {{ pass.stages.full_places }} AS f ON {{ rankmetrics_sql.rm_same('f', 'm', keys) }}
{%- endset -%}
{%- set read = keys + pass.ideal_gains | map(attribute='name') | list -%}
{%- set ranks = [] -%}
{%- for gain in pass.ideal_gains -%}
    {%- if rankmetrics_sql.rm_ideal_rank(gain.gain) not in ranks -%}
        {%- do ranks.append(rankmetrics_sql.rm_ideal_rank(gain.gain)) -%}
    {%- endif -%}
{%- endfor -%}
{%- set first = [] -%}
{%- for rank in ranks if last is not none -%}{%- do first.append(rank ~ ' <= ' ~ last) -%}{%- endfor -%}
{%- set longer_ideals %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_kept('l', keys + ['n_more']) + sums) }}
    FROM {{ pass.stages.longer }} AS l
    LEFT JOIN (
        {{ rankmetrics_sql.rm_select(read + ranks, 8) }}
        FROM {{ pass.stages.ideal }}
        {%- if first %}
        WHERE {{ first | join(' OR ') }}
        {%- endif %}
    ) AS j ON {{ rankmetrics_sql.rm_same('j', 'l', keys) }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('l', keys + ['n_more']) | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        pass.stages.full_places, full_places, 'how many judgments come before another item of the highest grade'
    ),
    rankmetrics_sql.rm_cte(
        pass.stages.longer, longer, 'what each number of such items adds to the ideal ranking of a query'
    ),
    rankmetrics_sql.rm_cte(pass.stages.longer_ideals, longer_ideals, 'the DCG of the ideal ranking with them'),
]) }}
{% endmacro %}
