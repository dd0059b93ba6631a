{#-
The range of each difference from the baseline, where every unjudged item within the cutoff of either list may have
grade 0 or the highest, the same in both (unjudged=bounds). An item adds its net worth, what it adds to the candidate
less what it adds to the baseline. A sum over ranks is least and greatest with all items that lower or raise it. Of a
share of the judgments, which more items change, the m items of the greatest net worth are best among all m, so each m
is looked at; one that stands within the cutoff of neither list is none of them. Of what the first hit decides, one item
or none is best.
    alone             of each list the judged items together, and each unjudged one by itself, as values of the metric
    net               the same of a candidate less the baseline
    ranges            least and greatest values of sums and of first hits
    taken             of shares: the items by their net worth, with the sum down to each; the low end with its sign
    full_places, longer, longer_ideals    the DCG of the ideal with m more items of the highest grade
    shares_of_ideals  least and greatest values of shares
No more items is the value itself, which is compared with the ends later (rm_with_ends).
-#}
{% macro rm_ranges(pass) %}
{%- if not rankmetrics_sql.rm_has_ends(pass) -%}{{ return([]) }}{%- endif -%}
{%- set sums = pass.metrics | rejectattr('name', 'in', ['r', 'ndcg']) | list -%}
{%- set shares = pass.metrics | selectattr('name', 'in', ['r', 'ndcg']) | list -%}
{%- set ctes = rankmetrics_sql.rm_grade_of_unjudged(pass)
    + [rankmetrics_sql.rm_alone(pass), rankmetrics_sql.rm_net(pass)] -%}
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
{% macro rm_grade_of_unjudged(pass) %}
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

{#- also are more columns, aggregates over the rows of the items. -#}
{% macro rm_alone(pass, also=[]) %}
{%- set plan = pass.plan -%}
{%- set keys = plan.row_keys -%}
{%- set grade = 'CASE WHEN j.is_unjudged = 1 THEN h.highest ELSE j.relevance END' -%}
{%- set weights = pass.weights | map(attribute='name') | list -%}
{%- set columns = rankmetrics_sql.rm_columns_from('j', keys + ['rnk'] + pass.tie_names + weights) + [
    {'name': 'unjudged_item', 'sql': 'CASE WHEN j.is_unjudged = 1 THEN j.item_id END'},
    {'name': 'relevance', 'sql': grade},
] + (rankmetrics_sql.rm_columns_from('j', ['n_tied']) if pass.options.ties == 'expected' else []) -%}
{%- for gain in pass.gains -%}
    {%- do columns.append({'name': gain.name, 'sql': rankmetrics_sql.rm_gain(gain.gain, gain.rel, grade)}) -%}
{%- endfor -%}
{%- set worths = [] -%}
{%- for metric in pass.metrics -%}
    {%- set worth = rankmetrics_sql.rm_worth_of_items(metric) | trim -%}
    {%- do worths.append({'name': metric.column, 'sql': rankmetrics_sql.rm_as_double(worth)}) -%}
{%- endfor -%}
{%- set alone %}
    {{ rankmetrics_sql.rm_select(keys + ['unjudged_item'] + also + worths) }}
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
{%- set keys = rankmetrics_sql.rm_columns_from('a', plan.query_keys) + rankmetrics_sql.rm_columns_from('u', ['run_id'])
    + rankmetrics_sql.rm_columns_from('a', ['unjudged_item']) -%}
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
{%- set read = rankmetrics_sql.rm_columns_from('n', keys + ['unjudged_item']) -%}
{%- set columns = [] -%}
{%- for metric in metrics -%}
    {%- set name = metric.column -%}
    {%- set own = 'w.' ~ name -%}
    {%- if rankmetrics_sql.rm_decides_by_first(metric) -%}
        {%- for side in ['_up', '_down'] -%}
            {%- set first = 'CASE WHEN n.unjudged_item IS NULL THEN n.' ~ name ~ side ~ ' END' -%}
            {%- do read.extend(rankmetrics_sql.rm_columns_from('n', [name ~ side]) + [{
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
        {%- do read.extend(rankmetrics_sql.rm_columns_from('n', [name])) -%}
        {%- for end, sign in {'_low_end': '<', '_high_end': '>'}.items() -%}
            {%- set counts = 'w.unjudged_item IS NULL OR ' ~ own ~ ' ' ~ sign ~ ' 0' -%}
            {%- do columns.append({
                'name': name ~ end, 'sql': 'SUM(CASE WHEN ' ~ counts ~ ' THEN ' ~ own ~ ' ELSE 0 END)',
            }) -%}
        {%- endfor -%}
    {%- endif -%}
{%- endfor -%}
{%- set ranges %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('w', keys) + columns) }}
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
