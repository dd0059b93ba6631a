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
{%- set every_pair = rankmetrics_sql.rm_every_pair(plan) -%}
{%- set plan = rankmetrics_sql.rm_plan_of_pairs(plan) -%}
{%- if plan.level == 'compare_per_query' -%}
    {{ return({
        'ctes': every_pair + rankmetrics_sql.rm_pairs(plan), 'select': rankmetrics_sql.rm_select_pairs(plan),
    }) }}
{%- endif -%}
{%- set every_metric = rankmetrics_sql.rm_every_metric(plan) -%}
{%- set plan = rankmetrics_sql.rm_plan_of_ends(plan) -%}
{%- set effects = rankmetrics_sql.rm_paired_effects(plan) if plan.options.design == 'paired'
    else rankmetrics_sql.rm_unpaired_effects(plan) -%}
{{ return({
    'ctes': every_pair + effects + rankmetrics_sql.rm_tested_effects(plan) + rankmetrics_sql.rm_ruled(plan)
        + every_metric,
    'select': rankmetrics_sql.rm_select_compare(plan),
}) }}
{% endmacro %}

{#- Whether a row of beside_baseline is of a run or arm that shares queries, or a group, with the baseline. -#}
{% macro rm_has_effect(plan) %}
{#- Arms that have no stratum in common have a row that says so. -#}
{%- set several = 'n_queries > 0' if plan.options.design == 'paired'
    else 'n_values + n_outside_strata > 0' if plan.strata_names else 'n_values > 0 AND baseline_values > 0' -%}
{{ return('run_id <> ' ~ rankmetrics_sql.rm_string(plan.baseline) ~ ' AND ' ~ several) }}
{% endmacro %}

{#- How many queries such a row is of, those of both arms. -#}
{% macro rm_n_of_effect(plan) %}
{{ return('n_queries' if plan.options.design == 'paired' else 'n_values + baseline_values') }}
{% endmacro %}

{#- The condition that groups have enough queries, where that is asked for: the others are in no family of tests. -#}
{% macro rm_and_many(plan) %}
{%- if plan.min_queries is none -%}{{ return('') }}{%- endif -%}
{{ return(' AND ' ~ rankmetrics_sql.rm_n_of_effect(plan) ~ ' >= ' ~ rankmetrics_sql.rm_number(plan.min_queries)) }}
{% endmacro %}

{#- How many rows of groups have too few, on each row, for a comparison to say. -#}
{% macro rm_effects_left_out(plan) %}
{%- if 'left_out' not in plan.shown -%}{{ return([]) }}{%- endif -%}
{%- set counted -%}
(
        SELECT COUNT(*)
        FROM {{ plan.stages.adjusted_arms if plan.strata_names else plan.stages.beside_baseline }}
        WHERE
            {{ rankmetrics_sql.rm_has_effect(plan) }}
            AND {{ rankmetrics_sql.rm_n_of_effect(plan) }} < {{ rankmetrics_sql.rm_number(plan.min_queries) }}
            AND metric_number <= {{ plan.metrics | length // plan.n_ends }}
    )
{%- endset -%}
{{ return([{'name': 'n_groups_left_out', 'sql': counted}]) }}
{% endmacro %}

{#- The columns that tell effects apart. -#}
{% macro rm_effect_keys(plan) %}
{{ return(['run_id'] + plan.group_names + ['metric_number', 'metric']) }}
{% endmacro %}

{#-
One expression for each metric by its aggregate; the others have an effect, and no error that is known. A value made of
parts is 'linear' where its error is that of a mean, a geometric mean 'logarithmic' where that of logarithms is.
-#}
{% macro rm_by_aggregate(plan, alias, known, other=none) %}
{%- set unknown = rankmetrics_sql.rm_as_double('NULL') if other is none else other -%}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- set kind = 'linear' if rankmetrics_sql.rm_is_linear(metric)
        else 'logarithmic' if rankmetrics_sql.rm_is_logarithmic(plan, metric) else metric.aggregate -%}
    {%- do expressions.append(known[kind] if kind in known else unknown) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric(alias, expressions)) }}
{% endmacro %}

{#-
A column as each metric brings it together; where it is one of logarithms, if it can be, another aggregate. Its mean
stands on each row.
-#}
{% macro rm_by_own_aggregate(plan, alias, column, mean, of_logarithms=none) %}
{%- set own = alias ~ '.' ~ column -%}
{%- set mean = 'MAX(' ~ alias ~ '.' ~ mean ~ ')' -%}
{%- set mean = rankmetrics_sql.rm_of_weights_that_count(alias, mean) if plan.weight_names else mean -%}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- set aggregate = 'mean' if metric.aggregate == 'parts' else metric.aggregate -%}
    {%- if of_logarithms is not none and rankmetrics_sql.rm_is_logarithmic(plan, metric) -%}
        {%- set aggregate = of_logarithms -%}
    {%- endif -%}
    {%- do expressions.append(
        mean if aggregate == 'mean'
        else rankmetrics_sql.rm_weighted_mean(aggregate, alias, column)
            if aggregate == 'geometric' and plan.weight_names
        else rankmetrics_sql.rm_aggregated(aggregate, own)
    ) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric(alias, expressions)) }}
{% endmacro %}

{#- Rounds to 0 what the rounding of sums leaves beside values of a size; squares are compared as deviations. -#}
{% macro rm_beyond_rounding(sql, size, squares_of=none) %}
{%- set tiny = rankmetrics_sql.rm_number('1e-12') ~ (' * (1 + ABS(' ~ size ~ '))' if size else '') -%}
{%- set is_tiny = 'ABS(' ~ sql ~ ') <= ' ~ tiny if squares_of is none
    else sql ~ ' <= ' ~ squares_of ~ ' * POWER(' ~ tiny ~ ', 2)' -%}
{{ return('CASE WHEN ' ~ is_tiny ~ ' THEN 0 ELSE ' ~ sql ~ ' END') }}
{% endmacro %}

{#- Whether a number is one: scores that metrics read may be without end, and so is what is made of them. -#}
{% macro rm_is_finite(sql) %}
{{ return('ABS(' ~ sql ~ ') <= ' ~ rankmetrics_sql.rm_number('1.7e308')) }}
{% endmacro %}

{#-
Whether an effect may be made of values that are no finite numbers: of scores, or of gains where nobody looks at grades
and values, as Python does.
-#}
{% macro rm_may_be_infinite(plan) %}
{%- if plan.reads_scores or not rankmetrics_sql.rm_has_every_metric(plan) -%}
    {{ return(plan.reads_scores) }}
{%- endif -%}
{%- for metric in plan.metrics if 'gain' in metric.needs or 'ideal_dcg' in metric.needs -%}
    {{ return(true) }}
{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{#- Whether both means of a row s are finite numbers, as only then their difference is one. -#}
{% macro rm_are_finite() %}
{{ return(rankmetrics_sql.rm_is_finite('s.candidate - s.baseline')) }}
{% endmacro %}

{#- The columns of the effects s, NULL where a value is not finite; those named in null_anyway are it by themselves. -#}
{% macro rm_of_finite_values(plan, columns, are_finite, null_anyway=[]) %}
{%- if not rankmetrics_sql.rm_may_be_infinite(plan) -%}{{ return(columns) }}{%- endif -%}
{%- set known = [] -%}
{%- for column in columns -%}
    {%- set own = column if column is mapping else {'name': column, 'sql': 's.' ~ column} -%}
    {%- set is_value = own.name in ['baseline', 'candidate'] -%}
    {%- set is_known = rankmetrics_sql.rm_is_finite(own.sql) if is_value else are_finite -%}
    {%- do known.append(own if own.name in null_anyway
        else {'name': own.name, 'sql': 'CASE WHEN ' ~ is_known ~ ' THEN ' ~ own.sql ~ ' END'}) -%}
{%- endfor -%}
{{ return(known) }}
{% endmacro %}

{#- A window over the values that one number of an effect is made of, or one of a stratum. -#}
{% macro rm_over_effect(plan, alias=none) %}
{%- set keys = ['run_id'] + plan.group_names + ['metric_number'] + plan.strata_names -%}
{%- set keys = keys if alias is none else rankmetrics_sql.rm_qualified(alias, keys) -%}
{{ return('OVER (PARTITION BY ' ~ keys | join(', ') ~ ')') }}
{% endmacro %}

{#- A value of the baseline on the rows of every run. -#}
{% macro rm_of_baseline(plan, expression, keys) %}
{%- set own = 'CASE WHEN run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) ~ ' THEN ' ~ expression ~ ' END' -%}
{{ return('MAX(' ~ own ~ ') OVER (PARTITION BY ' ~ keys | join(', ') ~ ')') }}
{% endmacro %}

{#-
Whether those of the baseline stand beside a query's values before these get a row each: the window then has as many
rows as there are lists, not as many as values. Where pairs of runs are made of the values, or these were stored, there
are no such rows.
-#}
{% macro rm_stands_beside(plan) %}
{%- set is_paired = plan.level in ['compare', 'compare_per_query'] and plan.options.design == 'paired' -%}
{{ return(is_paired and not plan.all_pairs and plan.stored_values is none) }}
{% endmacro %}

{#- What values say of the baseline, {name: what it is of the values there}. -#}
{% macro rm_said_of_baseline(plan) %}
{%- set said = {'baseline_own': 'value'} -%}
{%- for name in rankmetrics_sql.rm_prediction_names(plan) + plan.basis_names -%}
    {%- do said.update({'baseline_' ~ name: name}) -%}
{%- endfor -%}
{%- for name in rankmetrics_sql.rm_part_names(plan) -%}{%- do said.update({'baseline_' ~ name: name}) -%}{%- endfor -%}
{%- do said.update({'of_baseline': '1'}) -%}
{{ return(said) }}
{% endmacro %}

{#-
with_baseline_values: the columns of the metrics of one pass, each beside that of the baseline. As all stages that an
option adds: {stage, that the values are read from; ctes; columns, of what the values say of the baseline}.
-#}
{% macro rm_with_baseline_values(plan, pass, parts) %}
{%- if not rankmetrics_sql.rm_stands_beside(plan) -%}
    {{ return({'stage': pass.stages.per_query, 'ctes': [], 'columns': []}) }}
{%- endif -%}
{%- set own = [] -%}
{%- for metric in pass.metrics -%}
    {%- do own.append(metric.column) -%}
    {%- for part in rankmetrics_sql.rm_parts(plan, metric) -%}
        {%- do own.append(rankmetrics_sql.rm_part_column(metric, part)) -%}
    {%- endfor -%}
{%- endfor -%}
{%- do own.extend(rankmetrics_sql.rm_predicted_columns(plan, pass.metrics)) -%}
{%- set of_baseline = {} -%}
{%- for name in own + plan.basis_names -%}
    {%- do of_baseline.update({'baseline_' ~ name: name}) -%}
{%- endfor -%}
{%- do of_baseline.update({'of_baseline': '1'}) -%}
{%- set columns = plan.result_keys + plan.group_names + rankmetrics_sql.rm_facts_of_queries(plan) + own -%}
{%- for metric in pass.metrics -%}{%- do columns.extend(rankmetrics_sql.rm_end_columns(pass, metric)) -%}{%- endfor -%}
{%- for name, expression in of_baseline.items() -%}
    {%- set value = rankmetrics_sql.rm_of_baseline(plan, expression, plan.query_keys) -%}
    {%- do columns.append({'name': name, 'sql': value}) -%}
{%- endfor -%}
{%- set beside %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ pass.stages.per_query }}
{%- endset -%}
{{ return({
    'stage': pass.stages.with_baseline_values,
    'ctes': [rankmetrics_sql.rm_cte(
        pass.stages.with_baseline_values, beside,
        'the metrics of each query beside those of the baseline for the same query'
    )],
    'columns': [{'name': 'baseline_own', 'sql': rankmetrics_sql.rm_picked_value(plan, pass, 'baseline_')}]
        + rankmetrics_sql.rm_picked_prediction(plan, pass, 'baseline_')
        + rankmetrics_sql.rm_picked_parts(plan, pass, parts, 'baseline_')
        + rankmetrics_sql.rm_columns_from('q', rankmetrics_sql.rm_basis_of_baseline(plan) + ['of_baseline']),
}) }}
{% endmacro %}

{#- The columns that say which pair of values a row is of, and what belongs to its query. -#}
{% macro rm_keys_of_pairs(plan) %}
{{ return(['run_id'] + plan.query_keys + plan.group_names + ['metric_number', 'metric'] + plan.cluster_names
    + plan.weight_names) }}
{% endmacro %}

{#- beside: the same of values that have a row each. -#}
{% macro rm_values_beside(plan) %}
{%- if rankmetrics_sql.rm_stands_beside(plan) -%}
    {{ return({'stage': plan.stages.query_values, 'ctes': []}) }}
{%- endif -%}
{%- set of_pair = plan.pair_names + plan.query_keys + ['metric_number'] -%}
{%- set columns = rankmetrics_sql.rm_keys_of_pairs(plan) + ['value'] + rankmetrics_sql.rm_prediction_names(plan)
    + rankmetrics_sql.rm_part_names(plan)
    + rankmetrics_sql.rm_end_names(plan) + plan.basis_names -%}
{%- for name, own in rankmetrics_sql.rm_said_of_baseline(plan).items() -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_of_baseline(plan, own, of_pair)}) -%}
{%- endfor -%}
{%- set beside %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ rankmetrics_sql.rm_values_of_pairs(plan) }}
{%- endset -%}
{{ return({'stage': plan.stages.with_baseline_values, 'ctes': [rankmetrics_sql.rm_cte(
    plan.stages.with_baseline_values, beside, 'each value beside that of the baseline for the same query'
)]}) }}
{% endmacro %}

{#-
Pairs each query of a candidate with the same query of the baseline, which a window finds: no join. Values that differ
by the rounding of their sums only are the same value.
-#}
{% macro rm_pairs(plan) %}
{%- set beside = rankmetrics_sql.rm_with_ends(plan, rankmetrics_sql.rm_values_beside(plan)) -%}
{%- set parts = [] -%}
{%- for name in rankmetrics_sql.rm_part_names(plan) -%}
    {%- do parts.extend(['baseline_' ~ name, {'name': 'candidate_' ~ name, 'sql': name}]) -%}
{%- endfor -%}
{%- set size = 'CASE WHEN ABS(baseline_own) > 1 THEN ABS(baseline_own) ELSE 1 END' -%}
{%- set rounding = rankmetrics_sql.rm_number('1e-12') ~ ' * ' ~ size -%}
{%- set pairs %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_keys_of_pairs(plan) + parts + rankmetrics_sql.rm_predicted_pair(plan)
            + rankmetrics_sql.rm_basis_of_pairs(plan)
        ) }},
        of_baseline,
        CASE WHEN value IS NOT NULL THEN baseline_own END AS baseline_value,
        CASE
            WHEN ABS(value - baseline_own) <= {{ rounding }} THEN baseline_own
            WHEN baseline_own IS NOT NULL THEN value
        END AS candidate_value
    FROM {{ beside.stage }}
{%- endset -%}
{{ return(beside.ctes + [
    rankmetrics_sql.rm_cte(
        plan.stages.pairs, pairs,
        'the pairs of values, made equal if only rounding separates them'
    ),
]) }}
{% endmacro %}

{#-
Both values of each query, those that differ most first. Contributions add up to the effect: of a mean each query has
one n-th of its difference.
-#}
{% macro rm_select_pairs(plan) %}
{%- set difference = 'p.candidate_value - p.baseline_value' -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(*) ' ~ rankmetrics_sql.rm_over_effect(plan, 'p')) -%}
{%- set share = '(' ~ difference ~ ') / ' ~ n -%}
{%- if plan.weight_names -%}
    {%- set weights = rankmetrics_sql.rm_aggregated('sum', 'p.weight') ~ ' '
        ~ rankmetrics_sql.rm_over_effect(plan, 'p') -%}
    {%- set share = 'p.weight * (' ~ difference ~ ') / NULLIF(' ~ weights ~ ', 0)' -%}
{%- endif -%}
{%- set contribution = rankmetrics_sql.rm_by_aggregate(plan, 'p', {'mean': share, 'sum': difference}) -%}
{%- set baseline = rankmetrics_sql.rm_baseline_column(plan) -%}
{%- set keys = rankmetrics_sql.rm_named_keys(plan, alias='p')[1:] | reject('in', baseline) | list -%}
{%- set columns = baseline + keys
    + rankmetrics_sql.rm_columns_from('p', ['metric']) + [
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
