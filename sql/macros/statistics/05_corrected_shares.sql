{#-
Ends of a bootstrap interval corrected for bias and skewness: BCa (Efron 1987). Instead of the replicates that shares p
and 1 - p of all are below, those that are at P(b + (b + z) / (1 - a (b + z))), where P is the normal distribution and z
its point at p, or at 1 - p.
    b  the bias: the point of P at the share of replicates below what was observed; those that equal it count half.
       Where all are on one side, half of one counts as on the other.
    a  the acceleration, SUM(u^3) / (6 SUM(u^2)^1.5), of how much each query or cluster moves the value, u: of a mean it
       is the deviation, of clusters and by weights the sum of the weighted deviations, of the ratio of two means
       candidate * mean_baseline - baseline * mean_candidate. Of a mean it is that of the jackknife, of a ratio that of
       its logarithm. Without any spread it is 0. Beyond 1,000 queries they count themselves, and not their buckets.
-#}

{% macro rm_is_bias_corrected(plan) %}
{%- set drawn = plan.options.test if rankmetrics_sql.rm_is_comparison(plan.level) else plan.options.interval -%}
{{ return(drawn == 'bootstrap' and plan.options.bootstrap_interval == 'bca') }}
{% endmacro %}

{#- By the value that they move, as columns. -#}
{% macro rm_influences(plan, expressions) %}
{%- set found = {} -%}
{%- if rankmetrics_sql.rm_is_bias_corrected(plan) -%}
    {%- for value, sql in expressions.items() -%}
        {%- do found.update({value: {'name': value ~ '_influence', 'sql': sql}}) -%}
    {%- endfor -%}
{%- endif -%}
{{ return(found) }}
{% endmacro %}

{#- Their squares and cubes; of what is so small or large that no double holds its cube, nothing. -#}
{% macro rm_moments(influences) %}
{%- set columns = [] -%}
{%- set limits = [rankmetrics_sql.rm_number('1e-100'), rankmetrics_sql.rm_number('1e100')] | join(' AND ') -%}
{%- for value, influence in influences.items() -%}
    {%- set u = influence.name -%}
    {%- set begin = 'CASE WHEN ABS(' ~ u ~ ') BETWEEN ' ~ limits ~ ' THEN ' -%}
    {%- do columns.append({'name': value ~ '_squares', 'sql': begin ~ u ~ ' * ' ~ u ~ ' ELSE 0 END'}) -%}
    {%- do columns.append({'name': value ~ '_cubes', 'sql': begin ~ u ~ ' * ' ~ u ~ ' * ' ~ u ~ ' ELSE 0 END'}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- Rows that belong together as one. -#}
{% macro rm_added_up(keys, terms, others, relation) %}
{%- set added_up -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_each_sum(terms) + others, 12) }}
        FROM {{ relation | indent(4) }}
        GROUP BY {{ (keys + others) | join(', ') }}
    ) AS added_up
{%- endset -%}
{{ return(added_up) }}
{% endmacro %}

{#- What they come to in replicate 0, where every bucket b is once. -#}
{% macro rm_accelerations(influences) %}
{%- set columns = [] -%}
{%- for value in influences -%}
    {%- set squares = rankmetrics_sql.rm_compensated_sum('b.' ~ value ~ '_squares') -%}
    {%- set cubes = rankmetrics_sql.rm_compensated_sum('b.' ~ value ~ '_cubes') -%}
    {%- set skewness = cubes ~ ' / NULLIF(6 * ' ~ squares ~ ' * SQRT(' ~ squares ~ '), 0)' -%}
    {%- do columns.append({
        'name': value ~ '_acceleration',
        'sql': 'CASE WHEN d.replicate = 0 THEN COALESCE(' ~ skewness ~ ', 0) END',
    }) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- Of each value what was observed, with its acceleration, and how large replicates are. -#}
{% macro rm_facts_of_bias(values, over) %}
{%- set columns = [] -%}
{%- for value in values -%}
    {%- do columns.extend(rankmetrics_sql.rm_named({
        'found_' ~ value: 'MAX(CASE WHEN replicate = 0 THEN ' ~ value ~ ' END) ' ~ over,
        'largest_' ~ value: 'MAX(ABS(' ~ value ~ ')) ' ~ over,
        'acceleration_of_' ~ value: 'MAX(' ~ value ~ '_acceleration) ' ~ over,
    })) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#-
ordered, biased and corrected_shares. A MAX of what is the same in all rows, here and below: a planner that put one
stage into the next would write each out many times.
-#}
{% macro rm_corrected_shares(plan, values, known, ordered) %}
{%- set over = 'OVER (PARTITION BY effect_number)' -%}
{%- set sides = [] -%}
{%- set centres = [] -%}
{%- set inverted = [] -%}
{%- set biases = [] -%}
{%- set points = [] -%}
{%- set shares = [] -%}
{%- set of_bias = [] -%}
{%- set half = rankmetrics_sql.rm_number(0.5) -%}
{%- set beyond = rankmetrics_sql.rm_beyond_interval(plan) -%}
{%- set point = rankmetrics_sql.rm_number(rankmetrics_sql.rm_normal_point(beyond, 52)) -%}
{%- for value in values -%}
    {%- set n = 'NULLIF(n_' ~ value ~ 's, 0)' -%}
    {%- set share = 'share_below_' ~ value -%}
    {%- set centre = 'centre_of_' ~ value -%}
    {%- set bias = 'bias_of_' ~ value -%}
    {%- set rounding = 'largest_' ~ value ~ ' * ' ~ rankmetrics_sql.rm_number('1e-12') -%}
    {%- set distance = value ~ ' - found_' ~ value -%}
    {%- set below = 'WHEN replicate = 0 THEN 0 WHEN ' ~ distance ~ ' < -' ~ rounding ~ ' THEN 1' -%}
    {%- set equal = 'WHEN ' ~ distance ~ ' <= ' ~ rounding ~ ' THEN ' ~ half -%}
    {%- do sides.append({
        'name': share, 'sql': 'SUM(CASE ' ~ below ~ ' ' ~ equal ~ ' ELSE 0 END) ' ~ over ~ ' / ' ~ n,
    }) -%}
    {%- set least = half ~ ' / ' ~ n -%}
    {%- do centres.append({'name': centre, 'sql': rankmetrics_sql.rm_case([
        'WHEN found_' ~ value ~ ' IS NULL THEN NULL',
        'WHEN ' ~ share ~ ' < ' ~ least ~ ' THEN ' ~ least ~ ' - ' ~ half,
        'WHEN ' ~ share ~ ' > 1 - ' ~ least ~ ' THEN ' ~ half ~ ' - ' ~ least,
        'ELSE ' ~ share ~ ' - ' ~ half,
    ], '', 16)}) -%}
    {%- do inverted.extend([centre] + rankmetrics_sql.rm_normal_arguments(centre)) -%}
    {%- do biases.append({'name': bias, 'sql': 'MAX(' ~ rankmetrics_sql.rm_normal_inverse(centre) ~ ') ' ~ over}) -%}
    {%- do of_bias.append('acceleration_of_' ~ value) -%}
    {%- for end, sign in {'lower': ' - ', 'upper': ' + '}.items() -%}
        {%- set away = '(' ~ bias ~ sign ~ point ~ ')' -%}
        {%- set slowed = '(1 - acceleration_of_' ~ value ~ ' * ' ~ away ~ ')' -%}
        {%- set name = value ~ '_' ~ end -%}
        {%- do points.append({'name': name ~ '_point', 'sql': rankmetrics_sql.rm_case([
            'WHEN ' ~ slowed ~ ' > 0 THEN ' ~ bias ~ ' + ' ~ away ~ ' / ' ~ slowed,
            'WHEN ' ~ bias ~ ' IS NOT NULL THEN CASE WHEN ' ~ away ~ ' > 0 THEN 9 ELSE -9 END',
        ], '', 12)}) -%}
        {%- set normal = rankmetrics_sql.rm_normal_share(name ~ '_point') -%}
        {%- do shares.append({'name': name ~ '_share', 'sql': 'MAX(' ~ normal ~ ') ' ~ over}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set carried = known + of_bias -%}
{%- set observed = [] -%}
{%- for value in values -%}{%- do observed.extend(['found_' ~ value, 'largest_' ~ value]) -%}{%- endfor -%}
{%- set biased %}
    SELECT
        {{ rankmetrics_sql.rm_lines(carried + biases) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(carried + inverted, 12) }}
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(carried + centres, 16) }}
            FROM (
                SELECT
                    {{ rankmetrics_sql.rm_lines(carried + observed + sides, 20) }}
                FROM {{ plan.stages.ordered }}
            ) AS sides
        ) AS centres
    ) AS inverted
{%- endset -%}
{%- set is_effect = rankmetrics_sql.rm_is_comparison(plan.level) -%}
{%- set of_effect = ['bias_of_effect', 'acceleration_of_effect'] if is_effect else [] -%}
{%- set shares %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known + of_effect + shares) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(known + of_effect + points, 12) }}
        FROM {{ plan.stages.biased }}
    ) AS points
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        plan.stages.ordered, 'SELECT\n        ' ~ ordered ~ '\n    FROM ' ~ plan.stages.replicates,
        'the replicates of each effect in order of value, beside the observed effect'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.biased, biased,
        'with their bias, the normal quantile of the share of replicates below the observed effect'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.corrected_shares, shares,
        'with the shares of replicates at the ends of the interval, corrected for bias and skewness'
    ),
]) }}
{% endmacro %}
