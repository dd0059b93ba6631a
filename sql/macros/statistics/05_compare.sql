{#- compare: candidates against a baseline, query by query, or as arms that have queries of their own. -#}

{% macro rm_is_comparison(level) %}
{{ return(level in ['compare', 'compare_per_query', 'decompose', 'movements']) }}
{% endmacro %}

{#-
From the values to one row per candidate, group and metric, and what the distribution of t says of it; or to the pairs
themselves, or to what each group adds to the difference.
-#}
{% macro rm_comparison(plan) %}
{%- if plan.level == 'decompose' -%}{{ return(rankmetrics_sql.rm_decomposition(plan)) }}{%- endif -%}
{%- if plan.level == 'compare_per_query' -%}
    {{ return({'ctes': rankmetrics_sql.rm_pairs(plan), 'select': rankmetrics_sql.rm_select_pairs(plan)}) }}
{%- endif -%}
{%- set effects = rankmetrics_sql.rm_paired_effects(plan) if plan.options.design == 'paired'
    else rankmetrics_sql.rm_unpaired_effects(plan) -%}
{{ return({
    'ctes': effects + rankmetrics_sql.rm_tested_effects(plan),
    'select': rankmetrics_sql.rm_select_compare(plan),
}) }}
{% endmacro %}

{#- What the rows of an effect are told apart by. -#}
{% macro rm_effect_keys(plan) %}
{{ return(['run_id'] + plan.group_names + ['metric_number', 'metric']) }}
{% endmacro %}

{#- One expression for each metric by its aggregate; the others have an effect, and no error that is known. -#}
{% macro rm_by_aggregate(plan, alias, known, other=none) %}
{%- set unknown = rankmetrics_sql.rm_as_double('NULL') if other is none else other -%}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- do expressions.append(known[metric.aggregate] if metric.aggregate in known else unknown) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric(alias, expressions)) }}
{% endmacro %}

{#- A column as each metric brings it together. -#}
{% macro rm_by_own_aggregate(plan, alias, column) %}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- do expressions.append(rankmetrics_sql.rm_aggregated(metric.aggregate, alias ~ '.' ~ column)) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric(alias, expressions)) }}
{% endmacro %}

{#- A window over the values that one number of an effect is made of. -#}
{% macro rm_over_effect(plan, alias=none) %}
{%- set keys = ['run_id'] + plan.group_names + ['metric_number'] -%}
{%- set keys = keys if alias is none else rankmetrics_sql.rm_qualified(alias, keys) -%}
{{ return('OVER (PARTITION BY ' ~ keys | join(', ') ~ ')') }}
{% endmacro %}

{#- What the rows of the baseline say, on those of every run. -#}
{% macro rm_of_baseline(plan, expression, keys) %}
{%- set own = 'CASE WHEN run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) ~ ' THEN ' ~ expression ~ ' END' -%}
{{ return('MAX(' ~ own ~ ') OVER (PARTITION BY ' ~ (keys + ['metric_number']) | join(', ') ~ ')') }}
{% endmacro %}

{#-
Pairs each query of a candidate with the same query of the baseline, which a window finds: no join. Values that differ
by the rounding of their sums only are the same value.
-#}
{% macro rm_pairs(plan) %}
{%- set keys = ['run_id'] + plan.query_keys + plan.group_names + ['metric_number', 'metric'] -%}
{%- set beside %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        value AS own_value,
        {{ rankmetrics_sql.rm_of_baseline(plan, 'value', plan.query_keys) }} AS baseline_value,
        {{ rankmetrics_sql.rm_of_baseline(plan, '1', plan.query_keys) }} AS of_baseline
    FROM {{ plan.stages.query_values }}
{%- endset -%}
{%- set size = 'CASE WHEN ABS(baseline_value) > 1 THEN ABS(baseline_value) ELSE 1 END' -%}
{%- set rounding = rankmetrics_sql.rm_number('1e-12') ~ ' * ' ~ size -%}
{%- set pairs %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        of_baseline,
        CASE WHEN own_value IS NOT NULL THEN baseline_value END AS baseline_value,
        CASE
            WHEN ABS(own_value - baseline_value) <= {{ rounding }} THEN baseline_value
            WHEN baseline_value IS NOT NULL THEN own_value
        END AS candidate_value
    FROM {{ plan.stages.beside }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(plan.stages.beside, beside),
    rankmetrics_sql.rm_cte(plan.stages.pairs, pairs),
]) }}
{% endmacro %}

{#-
Both values of each query, those that differ most first. Contributions add up to the effect: of a mean each query has
one n-th of its difference.
-#}
{% macro rm_select_pairs(plan) %}
{%- if plan.options.design != 'paired' -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: design=unpaired has no pairs of values; level=values gives those of every query.'
    ) }}
{%- endif -%}
{%- set difference = 'p.candidate_value - p.baseline_value' -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(*) ' ~ rankmetrics_sql.rm_over_effect(plan, 'p')) -%}
{%- set contribution = rankmetrics_sql.rm_by_aggregate(
    plan, 'p', {'mean': '(' ~ difference ~ ') / ' ~ n, 'sum': difference}
) -%}
{%- set keys = rankmetrics_sql.rm_named_keys(plan, alias='p')[1:] -%}
{%- set columns = [{'name': 'baseline_run', 'sql': rankmetrics_sql.rm_string(plan.baseline)}] + keys
    + rankmetrics_sql.rm_kept('p', ['metric']) + [
    {'name': 'baseline', 'sql': 'p.baseline_value'},
    {'name': 'candidate', 'sql': 'p.candidate_value'},
    {'name': 'difference', 'sql': difference},
    {'name': 'contribution', 'sql': contribution},
] -%}
{%- set order = rankmetrics_sql.rm_ascending(['p.run_id', 'p.metric_number']) ~ ', ABS(' ~ difference
    ~ ') DESC NULLS LAST, ' ~ rankmetrics_sql.rm_ascending(rankmetrics_sql.rm_qualified('p', plan.query_keys)) -%}
{%- set select -%}
SELECT
    p.run_id AS run,
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM {{ plan.stages.pairs }} AS p
WHERE
    p.run_id <> {{ rankmetrics_sql.rm_string(plan.baseline) }}
    AND p.baseline_value IS NOT NULL
    AND p.candidate_value IS NOT NULL
ORDER BY {{ order }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The means first, so that what is spread around them is summed without cancellation. -#}
{% macro rm_paired_effects(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set over_effect = rankmetrics_sql.rm_over_effect(plan) -%}
{%- set differences %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + ['of_baseline', 'baseline_value', 'candidate_value']) }},
        candidate_value - baseline_value AS difference,
        AVG(candidate_value - baseline_value) {{ over_effect }} AS mean_difference,
        AVG(baseline_value) {{ over_effect }} AS mean_baseline,
        AVG(candidate_value) {{ over_effect }} AS mean_candidate
    FROM {{ plan.stages.pairs }}
{%- endset -%}
{%- set deviation = '(p.difference - p.mean_difference)' -%}
{%- set of_candidate = 'p.candidate_value / NULLIF(p.mean_candidate, 0)' -%}
{%- set relative = '(' ~ of_candidate ~ ' - p.baseline_value / NULLIF(p.mean_baseline, 0))' -%}
{%- set squares = rankmetrics_sql.rm_aggregated('sum', deviation ~ ' * ' ~ deviation, 'p.difference') -%}
{%- set relative_squares = rankmetrics_sql.rm_aggregated('sum', relative ~ ' * ' ~ relative, 'p.difference') -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(p.difference)') -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('p', keys)) }},
        {{ rankmetrics_sql.rm_by_own_aggregate(plan, 'p', 'baseline_value') | indent(4) }} AS baseline,
        {{ rankmetrics_sql.rm_by_own_aggregate(plan, 'p', 'candidate_value') | indent(4) }} AS candidate,
        {{ rankmetrics_sql.rm_by_own_aggregate(plan, 'p', 'difference') | indent(4) }} AS added_up,
        {{ squares }} AS squares,
        {{ relative_squares }} AS relative_squares,
        {{ n }} AS n,
        SUM(CASE WHEN p.difference > 0 THEN 1 ELSE 0 END) AS n_higher,
        SUM(CASE WHEN p.difference = 0 THEN 1 ELSE 0 END) AS n_ties,
        SUM(CASE WHEN p.difference < 0 THEN 1 ELSE 0 END) AS n_lower,
        COUNT(p.difference) AS n_queries,
        COUNT(*) AS n_rows,
        COUNT(p.of_baseline) AS n_rows_of_both
    FROM {{ plan.stages.differences }} AS p
    GROUP BY {{ rankmetrics_sql.rm_qualified('p', keys) | join(', ') }}
{%- endset -%}
{%- set beside_baseline %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            keys + ['baseline', 'candidate', 'added_up', 'squares', 'relative_squares', 'n', 'n_higher', 'n_ties',
            'n_lower', 'n_queries', 'n_rows', 'n_rows_of_both']
        ) }},
        COALESCE({{ rankmetrics_sql.rm_of_baseline(plan, 'n_rows', plan.group_names) }}, 0) AS n_rows_of_baseline
    FROM {{ plan.stages.sums }}
{%- endset -%}
{%- set variance = 'CASE WHEN n > 1 THEN squares / (n - 1) END' -%}
{%- set error = 'CASE WHEN n > 1 THEN SQRT(squares / (n - 1) / n) END' -%}
{%- set error_of_sum = 'CASE WHEN n > 1 THEN SQRT(squares / (n - 1) * n) END' -%}
{%- set relative_error = 'CASE WHEN n > 1 THEN SQRT(relative_squares / (n - 1) / n) END' -%}
{%- set deviation = 'SQRT(' ~ variance ~ ')' -%}
{%- set degrees = 'CASE WHEN n > 1 THEN n - 1 END' -%}
{%- set found = {
    'effect_size': rankmetrics_sql.rm_by_aggregate(
        plan, 's', {'mean': 'added_up', 'sum': 'added_up'}, other='candidate - baseline'
    ),
    'standard_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': error, 'sum': error_of_sum}),
    'degrees': degrees,
    'deviation': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': deviation, 'sum': deviation ~ ' * n'}),
    'relative_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': relative_error, 'sum': relative_error}),
    'relative_degrees': degrees,
} -%}
{%- set effects %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + ['baseline', 'candidate'] + rankmetrics_sql.rm_named(found)) }},
        {{ rankmetrics_sql.rm_lines(['n_higher', 'n_ties', 'n_lower', 'n_queries']) }},
        n_rows + n_rows_of_baseline - n_rows_of_both - n_queries AS n_left_out,
        1 AS always
    FROM {{ plan.stages.beside_baseline }} AS s
    WHERE run_id <> {{ rankmetrics_sql.rm_string(plan.baseline) }} AND n_queries > 0
{%- endset -%}
{{ return(rankmetrics_sql.rm_pairs(plan) + [
    rankmetrics_sql.rm_cte(plan.stages.differences, differences),
    rankmetrics_sql.rm_cte(plan.stages.sums, sums),
    rankmetrics_sql.rm_cte(plan.stages.beside_baseline, beside_baseline),
    rankmetrics_sql.rm_cte(plan.stages.effects, effects),
]) }}
{% endmacro %}

{#- Arms: each has queries of its own, and its variance too (Welch 1947). -#}
{% macro rm_unpaired_effects(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set over_effect = rankmetrics_sql.rm_over_effect(plan) -%}
{%- set centred %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + ['value']) }},
        AVG(value) {{ over_effect }} AS mean_value
    FROM {{ plan.stages.query_values }}
{%- endset -%}
{%- set deviation = '(p.value - p.mean_value)' -%}
{%- set squares = rankmetrics_sql.rm_aggregated('sum', deviation ~ ' * ' ~ deviation, 'p.value') -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(p.value)') -%}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('p', keys)) }},
        {{ rankmetrics_sql.rm_by_own_aggregate(plan, 'p', 'value') | indent(4) }} AS candidate,
        CASE WHEN COUNT(p.value) > 1 THEN {{ squares }} / ({{ n }} - 1) END AS variance,
        {{ n }} AS n,
        COUNT(p.value) AS n_values,
        COUNT(*) - COUNT(p.value) AS n_without
    FROM {{ plan.stages.differences }} AS p
    GROUP BY {{ rankmetrics_sql.rm_qualified('p', keys) | join(', ') }}
{%- endset -%}
{%- set of_baselines = [] -%}
{%- for name, own in {
    'baseline': 'candidate', 'baseline_variance': 'variance', 'baseline_n': 'n', 'baseline_values': 'n_values',
    'baseline_without': 'n_without',
}.items() -%}
    {%- do of_baselines.append({'name': name, 'sql': rankmetrics_sql.rm_of_baseline(plan, own, plan.group_names)}) -%}
{%- endfor -%}
{%- set beside_baseline %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + ['candidate', 'variance', 'n', 'n_values', 'n_without'] + of_baselines) }}
    FROM {{ plan.stages.sums }}
{%- endset -%}
{%- set own = '(variance / n)' -%}
{%- set of_baseline = '(baseline_variance / baseline_n)' -%}
{%- set own_relative = '(variance / n / NULLIF(candidate * candidate, 0))' -%}
{%- set relative_of_baseline = '(baseline_variance / baseline_n / NULLIF(baseline * baseline, 0))' -%}
{%- set error = 'SQRT(' ~ own ~ ' + ' ~ of_baseline ~ ')' -%}
{%- set relative_error = 'SQRT(' ~ own_relative ~ ' + ' ~ relative_of_baseline ~ ')' -%}
{%- set deviation = 'SQRT((variance + baseline_variance) / 2)' -%}
{%- set found = {
    'effect_size': 'candidate - baseline',
    'standard_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': error}),
    'degrees': rankmetrics_sql.rm_welch(own, of_baseline),
    'deviation': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': deviation}),
    'relative_error': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': relative_error}),
    'relative_degrees': rankmetrics_sql.rm_welch(own_relative, relative_of_baseline),
} -%}
{%- set of_pairs = rankmetrics_sql.rm_unknown(['n_higher', 'n_ties', 'n_lower']) -%}
{%- set effects %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + ['baseline', 'candidate'] + rankmetrics_sql.rm_named(found) + of_pairs) }},
        n_values + baseline_values AS n_queries,
        n_without + baseline_without AS n_left_out,
        1 AS always
    FROM {{ plan.stages.beside_baseline }} AS s
    WHERE run_id <> {{ rankmetrics_sql.rm_string(plan.baseline) }} AND n_values > 0 AND baseline_values > 0
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(plan.stages.differences, centred),
    rankmetrics_sql.rm_cte(plan.stages.sums, sums),
    rankmetrics_sql.rm_cte(plan.stages.beside_baseline, beside_baseline),
    rankmetrics_sql.rm_cte(plan.stages.effects, effects),
]) }}
{% endmacro %}

{#- Degrees of freedom of the sum of two variances of means. -#}
{% macro rm_welch(own, of_baseline) %}
{%- set sum = '(' ~ own ~ ' + ' ~ of_baseline ~ ')' -%}
{%- set parts = own ~ ' * ' ~ own ~ ' / (n - 1) + ' ~ of_baseline ~ ' * ' ~ of_baseline ~ ' / (baseline_n - 1)' -%}
{%- set condition = 'n > 1 AND baseline_n > 1 AND ' ~ sum ~ ' > 0' -%}
{{ return('CASE WHEN ' ~ condition ~ ' THEN ' ~ sum ~ ' * ' ~ sum ~ ' / (' ~ parts ~ ') END') }}
{% endmacro %}
