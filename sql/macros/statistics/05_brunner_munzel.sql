{#-
Brunner & Munzel 2000: is a value of the candidate likelier above one of the baseline, whatever spread each arm has?
The placement of a value is how many values of the other arm are below it; half of those that equal it count. With S^2
the variance of the placements of an arm, and `above` the sum of those of the candidate,
    statistic = (above - n m / 2) / SQRT(n S_n^2 + m S_m^2),
by Student's t with the degrees of freedom of Welch & Satterthwaite. Arms that do not overlap have placements without a
spread: 2 of C(n + m, n) ways to share out their values are as far apart, or 1 to one side, and that is the p-value.
-#}

{% macro rm_brunner_munzel_names(plan) %}
{{ return(['rank_degrees', 'least_pvalue'] if plan.options.test == 'brunner_munzel' else []) }}
{% endmacro %}

{#- The place of a value in its own arm. -#}
{% macro rm_own_place(plan) %}
{%- if plan.options.test != 'brunner_munzel' -%}{{ return([]) }}{%- endif -%}
{%- set own_arm = ['run_id'] + plan.group_names + ['metric_number', 'is_known'] -%}
{{ return([{'name': 'own_place', 'sql': 'RANK() OVER (PARTITION BY ' ~ own_arm | join(', ') ~ ' ORDER BY '
    ~ rankmetrics_sql.rm_rounded_size('value') ~ ' ASC)'}]) }}
{% endmacro %}

{#-
Sums over the values p of an arm: of its placements and their squares, and of what the squares of the baseline's lack of
m n^2. These rise by c (2 b + c) where a baseline's value passes c equal ones of the candidate above b others, and by
c b + c^2 / 4 where it equals them; each of the c rows has its part.
-#}
{% macro rm_placement_sums() %}
{%- set of_baseline = rankmetrics_sql.rm_as_double('p.n_equal_of_baseline') -%}
{%- set equal = rankmetrics_sql.rm_as_double('p.n_equal') -%}
{%- set below = rankmetrics_sql.rm_as_double('p.own_place - 1') -%}
{%- set placement = '(p.cumulative_count_with_ties - ' ~ of_baseline ~ ' / 2)' -%}
{%- set sums = {
    'above': placement,
    'above_squares': placement ~ ' * ' ~ placement,
    'below_lacks': 'p.cumulative_count_with_ties * (2 * ' ~ below ~ ' + ' ~ equal ~ ') - '
        ~ of_baseline ~ ' * (' ~ below ~ ' + ' ~ equal ~ ' / 4)',
} -%}
{{ return(rankmetrics_sql.rm_sums_of_known(sums)) }}
{% endmacro %}

{#- Of an effect s; the variances are those of the placements, times the number of values. -#}
{% macro rm_brunner_munzel(plan) %}
{%- set below = '(n * baseline_n - above)' -%}
{%- set own = 'n * (above_squares - above * (above / n)) / NULLIF(n - 1, 0)' -%}
{%- set of_baseline = 'baseline_n * (baseline_n * n * n - below_lacks - ' ~ below ~ ' * (' ~ below
    ~ ' / baseline_n)) / NULLIF(baseline_n - 1, 0)' -%}
{%- set variance = '(' ~ own ~ ' + ' ~ of_baseline ~ ')' -%}
{%- set difference = 'above - n * baseline_n / 2' -%}
{%- set parts = 'POWER(' ~ own ~ ', 2) / NULLIF(n - 1, 0) + POWER(' ~ of_baseline
    ~ ', 2) / NULLIF(baseline_n - 1, 0)' -%}
{%- set found = rankmetrics_sql.rm_scored(
    plan, 'CASE WHEN ' ~ variance ~ ' > 0 THEN (' ~ difference ~ ') / SQRT(' ~ variance ~ ') END', difference, variance
) -%}
{%- set degrees = 'CASE WHEN ' ~ variance ~ ' > 0 THEN POWER(' ~ variance ~ ', 2) / (' ~ parts ~ ') END' -%}
{{ return(found + [
    {'name': 'superiority', 'sql': 'above / (n * baseline_n)'},
    {'name': 'rank_degrees', 'sql': degrees},
    {'name': 'least_pvalue', 'sql': 'CASE WHEN above = 0 OR above = n * baseline_n THEN '
        ~ ('2 * ' if plan.options.alternative == 'two_sided' else '') ~ rankmetrics_sql.rm_one_way() ~ ' END'},
]) }}
{% endmacro %}

{#- One of C(n + m, n), by Stirling's series for the logarithms of the factorials. -#}
{% macro rm_one_way() %}
{%- set n, m = rankmetrics_sql.rm_log_factorial('n'), rankmetrics_sql.rm_log_factorial('baseline_n') -%}
{%- set both = rankmetrics_sql.rm_log_factorial('(n + baseline_n)') -%}
{{ return(rankmetrics_sql.rm_exp(n ~ ' + ' ~ m ~ ' - ' ~ both)) }}
{% endmacro %}

{#- Of a number from 0 on: that of one larger by 8, for which the series is good to 1e-12, less the factors between. -#}
{% macro rm_log_factorial(number) %}
{%- set x = '(' ~ number ~ ' + 9)' -%}
{%- set factors = [] -%}
{%- for step in range(1, 9) -%}{%- do factors.append('(' ~ number ~ ' + ' ~ step ~ ')') -%}{%- endfor -%}
{%- set terms = ['(' ~ x ~ ' - ' ~ rankmetrics_sql.rm_number(0.5) ~ ') * LN(' ~ x ~ ') - ' ~ x
    ~ ' + ' ~ rankmetrics_sql.rm_number(0.9189385332046728) ~ ' + 1 / (12 * ' ~ x ~ ')'] -%}
{%- for power, divisor in {3: -360, 5: 1260, 7: -1680}.items() -%}
    {%- do terms.append('POWER(' ~ x ~ ', -' ~ power ~ ') / ' ~ divisor) -%}
{%- endfor -%}
{{ return('(' ~ terms | join(' + ') ~ ' - LN(' ~ factors | join(' * ') ~ '))') }}
{% endmacro %}

{#- Of an effect s; arms whose values are all equal say nothing, and two values in one arm are needed elsewhere. -#}
{% macro rm_brunner_munzel_pvalue(alternative) %}
{%- set half = rankmetrics_sql.rm_number(0.5) -%}
{%- set beyond = 's.beyond_distance' -%}
{%- set is_towards = {'greater': 's.superiority > ', 'less': 's.superiority < ', 'two_sided': 's.superiority <> '} -%}
{{ return(rankmetrics_sql.rm_case(
    ['WHEN s.least_pvalue IS NOT NULL THEN CASE WHEN ' ~ is_towards[alternative] ~ half
        ~ ' THEN s.least_pvalue ELSE 1 END',
    'WHEN s.score > 0 THEN ' ~ ('2 * ' if alternative == 'two_sided' else '') ~ beyond]
    + (['WHEN s.score <= 0 THEN 1 - ' ~ beyond] if alternative != 'two_sided' else [])
    + ['WHEN s.superiority = ' ~ half ~ ' THEN 1'], '', 8
)) }}
{% endmacro %}
