{#-
Tests of ranks: Wilcoxon 1945 without the queries that tie, the sign test, and Mann & Whitney 1947 with its correction
for continuity; ties share their places. Numbers that differ by less than 1e-12 tie. They are by the normal distribution
unless few pairs differ, see 05_exact_ranks.sql; Brunner & Munzel's is in 05_brunner_munzel.sql.
-#}

{% macro rm_is_rank_test(plan) %}
{%- set by_ranks = plan.options.test in ['wilcoxon', 'sign', 'mann_whitney', 'brunner_munzel'] -%}
{{ return(by_ranks and rankmetrics_sql.rm_is_comparison(plan.level)) }}
{% endmacro %}

{% macro rm_ranks_arms(plan) %}
{{ return(plan.options.test in ['mann_whitney', 'brunner_munzel'] and rankmetrics_sql.rm_is_rank_test(plan)) }}
{% endmacro %}

{#-
What a test of ranks says of an effect: its statistic, how far it is from what chance would give, in errors, and of
Wilcoxon's on which side.
-#}
{% macro rm_rank_test_names(plan) %}
{%- if not rankmetrics_sql.rm_is_rank_test(plan) -%}{{ return([]) }}{%- endif -%}
{{ return(['rank_statistic', 'score'] + (['superiority'] if rankmetrics_sql.rm_ranks_arms(plan) else [])
    + (['rank_side'] if plan.options.test == 'wilcoxon' else []) + rankmetrics_sql.rm_brunner_munzel_names(plan)
    + (['exact_pvalue'] if rankmetrics_sql.rm_is_exact_rank_test(plan) else [])) }}
{% endmacro %}

{% macro rm_rounded_size(size) %}
{%- set scaled = size ~ ' * ' ~ rankmetrics_sql.rm_number('1e12') -%}
{{ return('FLOOR(' ~ scaled ~ ' + ' ~ rankmetrics_sql.rm_number(0.5) ~ ')') }}
{% endmacro %}

{#- by_size: the differences by their size, each with the first and the last place of those of that size. -#}
{% macro rm_placed_differences(plan, stage, known) %}
{%- if plan.options.test != 'wilcoxon' -%}{{ return({'stage': stage, 'ctes': []}) }}{%- endif -%}
{%- set keys = (rankmetrics_sql.rm_numbered_keys(plan) + ['differs']) | join(', ') -%}
{%- set size = rankmetrics_sql.rm_rounded_size('ABS(difference)') -%}
{%- set alike = [{'name': 'n_alike', 'sql': 'COUNT(*) OVER (PARTITION BY ' ~ keys ~ ')'}]
    if rankmetrics_sql.rm_is_exact_rank_test(plan) else [] -%}
{%- set by_size %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known + alike) }},
        RANK() OVER (PARTITION BY {{ keys }} ORDER BY {{ size }} ASC) AS first_place,
        {{ rankmetrics_sql.rm_count_through(keys, [{'name': size, 'descending': false}]) }} AS last_place
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('p', known), 12) }},
            CASE WHEN p.difference <> 0 THEN 1 ELSE 0 END AS differs
        FROM {{ stage }} AS p
    ) AS d
{%- endset -%}
{{ return({'stage': plan.stages.by_size, 'ctes': [rankmetrics_sql.rm_cte(
    plan.stages.by_size, by_size,
    'the differences in order of size, with the first and last rank of equal sizes'
)]}) }}
{% endmacro %}

{#-
by_size: the values of arms, numbered by their size; cumulative_counts: how many of the baseline come before, and how
many of the baseline and of the own arm are equal; cumulative_counts_with_ties: the same number for all that are equal.
-#}
{% macro rm_placed_values(plan, stage, known) %}
{%- if not rankmetrics_sql.rm_ranks_arms(plan) -%}{{ return({'stage': stage, 'ctes': []}) }}{%- endif -%}
{%- set own_place = rankmetrics_sql.rm_own_place(plan) -%}
{%- set arms = plan.group_names + ['metric_number', 'is_known'] -%}
{%- set is_baseline = 'run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set of_baseline = 'SUM(CASE WHEN ' ~ is_baseline ~ ' THEN 1 ELSE 0 END) OVER (PARTITION BY ' -%}
{%- set by_size %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known + ['is_known'] + own_place) }},
        DENSE_RANK() OVER (
            PARTITION BY {{ arms | join(', ') }} ORDER BY {{ rankmetrics_sql.rm_rounded_size('value') }} ASC
        ) AS size_number
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('p', known), 12) }},
            CASE WHEN p.value IS NULL THEN 0 ELSE 1 END AS is_known
        FROM {{ stage }} AS p
    ) AS v
{%- endset -%}
{%- set places = own_place | map(attribute='name') | list -%}
{%- set frame = ' ORDER BY size_number ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set cumulative %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known + ['is_known', 'size_number'] + places) }},
        {{ of_baseline }}{{ arms | join(', ') }}{{ frame }} AS cumulative_count,
        {{ of_baseline }}{{ (arms + ['size_number']) | join(', ') }}) AS n_equal_of_baseline,
        COUNT(*) OVER (PARTITION BY {{ (['run_id'] + arms + ['size_number']) | join(', ') }}) AS n_equal
    FROM {{ plan.stages.by_size }}
{%- endset -%}
{%- set with_ties %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known + ['n_equal_of_baseline', 'n_equal'] + places) }},
        MAX(cumulative_count) OVER (
            PARTITION BY {{ (arms + ['size_number']) | join(', ') }}
        ) AS cumulative_count_with_ties
    FROM {{ plan.stages.cumulative_counts }}
{%- endset -%}
{{ return({
    'stage': plan.stages.cumulative_counts_with_ties,
    'ctes': [
        rankmetrics_sql.rm_cte(plan.stages.by_size, by_size, 'the values of the arms in order of size'),
        rankmetrics_sql.rm_cte(
            plan.stages.cumulative_counts, cumulative,
            'with the numbers of lower and of equal values in the baseline'
        ),
        rankmetrics_sql.rm_cte(plan.stages.cumulative_counts_with_ties, with_ties, 'the same for all equal values'),
    ],
}) }}
{% endmacro %}

{#- The sums of ranks; t ties reduce the variance by t * t - 1 for each row. -#}
{% macro rm_rank_sums(plan) %}
{%- if plan.options.test == 'brunner_munzel' -%}{{ return(rankmetrics_sql.rm_placement_sums()) }}{%- endif -%}
{%- if plan.options.test not in ['wilcoxon', 'mann_whitney'] -%}{{ return([]) }}{%- endif -%}
{%- if plan.options.test == 'wilcoxon' -%}
    {%- set equal = rankmetrics_sql.rm_as_double('p.last_place - p.first_place + 1') -%}
    {%- set place = rankmetrics_sql.rm_as_double('p.first_place + p.last_place') ~ ' / 2' -%}
    {{ return(rankmetrics_sql.rm_named({
        'higher_places': 'SUM(CASE WHEN p.difference > 0 THEN ' ~ place ~ ' ELSE 0 END)',
        'lower_places': 'SUM(CASE WHEN p.difference < 0 THEN ' ~ place ~ ' ELSE 0 END)',
        'tied_places': 'SUM(CASE WHEN p.difference <> 0 THEN ' ~ equal ~ ' * ' ~ equal ~ ' - 1 ELSE 0 END)',
    })) }}
{%- endif -%}
{%- set equal = rankmetrics_sql.rm_as_double('p.n_equal') -%}
{%- set of_baseline = rankmetrics_sql.rm_as_double('p.n_equal_of_baseline') -%}
{%- set sums = {
    'above': 'p.cumulative_count_with_ties - ' ~ of_baseline ~ ' / 2',
    'tied_places': equal ~ ' * ' ~ equal ~ ' - 1',
    'tied_with_baseline': '3 * ' ~ of_baseline ~ ' * (' ~ of_baseline ~ ' + ' ~ equal ~ ')',
} -%}
{{ return(rankmetrics_sql.rm_sums_of_known(sums)) }}
{% endmacro %}

{#- Sums over the rows p of an arm that have a value, {name: what each adds}. -#}
{% macro rm_sums_of_known(sums) %}
{%- set columns = [] -%}
{%- for name, term in sums.items() -%}
    {%- do columns.append({'name': name, 'sql': 'SUM(CASE WHEN p.value IS NOT NULL THEN ' ~ term ~ ' ELSE 0 END)'}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The statistic and the score of a statistic that chance would give a mean and a variance; for the alternative. -#}
{% macro rm_scored(plan, statistic, difference, variance, correction='') %}
{%- set towards = {'two_sided': 'ABS(' ~ difference ~ ')', 'greater': '(' ~ difference ~ ')',
    'less': '-(' ~ difference ~ ')'}[plan.options.alternative] -%}
{%- set score = '(' ~ towards ~ correction ~ ') / SQRT(' ~ variance ~ ')' -%}
{{ return(rankmetrics_sql.rm_named({
    'rank_statistic': statistic,
    'score': 'CASE WHEN ' ~ variance ~ ' > 0 THEN ' ~ score ~ ' END',
})) }}
{% endmacro %}

{#- Of pairs: Wilcoxon's, or the signs alone. -#}
{% macro rm_rank_test_of_pairs(plan) %}
{%- set m = rankmetrics_sql.rm_as_double('(s.n_higher + s.n_lower)') -%}
{%- if plan.options.test == 'sign' -%}
    {%- set statistic = rankmetrics_sql.rm_as_double('s.n_higher') -%}
    {{ return(rankmetrics_sql.rm_scored(plan, statistic, 's.n_higher - s.n_lower', m)) }}
{%- elif plan.options.test != 'wilcoxon' -%}
    {{ return([]) }}
{%- endif -%}
{%- set least = 'CASE WHEN higher_places < lower_places THEN higher_places ELSE lower_places END' -%}
{%- set statistic = least if plan.options.alternative == 'two_sided' else 'higher_places' -%}
{%- set variance = '(' ~ m ~ ' * (' ~ m ~ ' + 1) * (2 * ' ~ m ~ ' + 1) / 24 - tied_places / 48)' -%}
{%- set side = 'higher_places - ' ~ m ~ ' * (' ~ m ~ ' + 1) / 4' -%}
{{ return(rankmetrics_sql.rm_scored(plan, statistic, side, variance) + [{'name': 'rank_side', 'sql': side}]) }}
{% endmacro %}

{#- Of arms: Mann and Whitney's, or Brunner and Munzel's. -#}
{% macro rm_rank_test_of_arms(plan) %}
{%- if plan.options.test == 'brunner_munzel' -%}{{ return(rankmetrics_sql.rm_brunner_munzel(plan)) }}{%- endif -%}
{%- if plan.options.test != 'mann_whitney' -%}{{ return([]) }}{%- endif -%}
{%- set n = '(n + baseline_n)' -%}
{%- set tied = '(tied_places + tied_with_baseline + baseline_tied_places)' -%}
{%- set variance = '(n * baseline_n / 12 * (' ~ n ~ ' + 1 - ' ~ tied ~ ' / (' ~ n ~ ' * (' ~ n ~ ' - 1))))' -%}
{%- set half = ' - ' ~ rankmetrics_sql.rm_number(0.5) -%}
{{ return(rankmetrics_sql.rm_scored(plan, 'above', 'above - n * baseline_n / 2', variance, half)
    + [{'name': 'superiority', 'sql': 'above / (n * baseline_n)'}]) }}
{% endmacro %}

{#- The probability beyond a score, from 0 on; a score that is none says that nothing differs. -#}
{% macro rm_rank_pvalue(plan) %}
{%- if plan.options.test == 'brunner_munzel' -%}
    {{ return(rankmetrics_sql.rm_brunner_munzel_pvalue(plan.options.alternative)) }}
{%- endif -%}
{%- set beyond = 's.beyond_distance' -%}
{%- set branches = ['WHEN s.exact_pvalue IS NOT NULL THEN s.exact_pvalue']
    if rankmetrics_sql.rm_is_exact_rank_test(plan) else [] -%}
{%- set branches = branches + (['WHEN s.score > 0 THEN 2 * ' ~ beyond] if plan.options.alternative == 'two_sided'
    else ['WHEN s.score > 0 THEN ' ~ beyond, 'WHEN s.score <= 0 THEN 1 - ' ~ beyond]) -%}
{%- if branches | length == 1 -%}{{ return('CASE ' ~ branches[0] ~ ' ELSE 1 END') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_case(branches + ['ELSE 1'], '', 8)) }}
{% endmacro %}
