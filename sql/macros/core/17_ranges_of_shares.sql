{#- Ranges of shares of the judgments, which more items change: recall and nDCG (17_ranges.sql says how). -#}

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
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('w', keys + ['target']) + [
        {'name': 'total', 'sql': 'SUM(w.worth) ' ~ down},
        {'name': 'n_more', 'sql': rankmetrics_sql.rm_as_double('COUNT(w.item_within) ' ~ down)},
    ]) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('n', keys + ['unjudged_item']), 12) }},
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
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('t', keys) + ratios) }}
    FROM {{ pass.stages.taken }} AS t
    CROSS JOIN {{ pass.stages.highest_grade }} AS h
    LEFT JOIN {{ pass.stages.query_judgment_facts }} AS q
        ON {{ rankmetrics_sql.rm_same('q', 't', pass.plan.query_keys) }}
    {%- if ideals %}
    LEFT JOIN {{ pass.stages.longer_ideals }} AS i ON {{ rankmetrics_sql.rm_same('i', 't', pass.plan.query_keys) }}
        {{- ' AND i.n_more = ' ~ rankmetrics_sql.rm_no_more_than(pass, 't.n_more') }}
    {%- endif %}
    WHERE t.n_more > 0
    GROUP BY {{ rankmetrics_sql.rm_qualified('t', keys) | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.taken, taken, 'the items by what they add (of low ends what they take), with the sums down to each'
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
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('j', keys) + full) }}
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
    {%- if k is not none -%}
        {%- set term = 'CASE WHEN ' ~ place ~ ' <= ' ~ k ~ ' THEN ' ~ term ~ ' ELSE 0 END' -%}
    {%- endif -%}
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
    {{ rankmetrics_sql.rm_select(
        rankmetrics_sql.rm_columns_from('m', keys + ['n_more']) + rankmetrics_sql.rm_columns_from('h', ['highest'])
        + added
    ) }}
    FROM (
        SELECT DISTINCT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('t', keys) + [
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
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('l', keys + ['n_more']) + sums) }}
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
