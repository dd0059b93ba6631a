{#-
Values that the judgments of people for some of the queries make right, and those of a model for all of them precise
(Angelopoulos, Duchi & Zrnic 2023, PPI++). Of n queries with both, y the metric by people and f by the model, and N
with the model's alone:
    value    = mean_n(y) + lambda * (mean_N(f) - mean_n(f))
    lambda   = cov_n(y, f) / ((1 + n / N) * var(f)), var over all queries, within 0 ... 1
    variance = var_n(y - lambda * f) / n + lambda^2 * var_N(f) / N
A pair of runs has differences for y and f; each arm has a lambda of its own. As the delta method (02_linear.sql) does,
each query gets a term of a mean, so that what follows takes the terms like any other values:
    with both        value + M / n * (y - lambda * f, less its mean), M = n + N
    with f alone     value + M / N * lambda * (f less its mean)
Their mean is the value. Their deviations are stretched by SQRT((1 - P) / (1 - p)), p the share of the query, or its
cluster, among those judged by the same, and P among all: so their squares come to the variance, of clusters that of
CR2 (05_clusters.sql) in either part. Degrees of freedom are those of the n queries, times (n - 2) / (n - 1), because
lambda is estimated: simulation (docs/judges.md) finds that intervals then hold from n = 10 on.
With N < 2, or where all f are alike, lambda is 0 and the value is the mean of people.
    predicted_means  each value by people and by the model, beside their means
    tuned            with lambda
    powered          with the term of each query
-#}

{% macro rm_is_predicted(plan) %}
{{ return(plan.human_qrels is not none) }}
{% endmacro %}

{#- How many queries people must have judged. -#}
{% macro rm_fewest_human() %}
{{ return(10) }}
{% endmacro %}

{#- The column of values by the model, beside those by people. -#}
{% macro rm_prediction_names(plan) %}
{{ return(['predicted'] if rankmetrics_sql.rm_is_predicted(plan) else []) }}
{% endmacro %}

{#- The columns of the metrics by the model, a row per query. -#}
{% macro rm_predicted_columns(plan, metrics) %}
{%- set names = [] -%}
{%- for metric in metrics if rankmetrics_sql.rm_is_predicted(plan) -%}
    {%- do names.append('predicted_' ~ metric.column) -%}
{%- endfor -%}
{{ return(names) }}
{% endmacro %}

{#- The value by the model of a row of one pass. -#}
{% macro rm_picked_prediction(plan, pass, prefix='') %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{{ return([{
    'name': prefix ~ 'predicted', 'sql': rankmetrics_sql.rm_picked_value(plan, pass, prefix ~ 'predicted_'),
}]) }}
{% endmacro %}

{#- Both values of a pair by the model, equal where only rounding separates them. -#}
{% macro rm_predicted_pair(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{%- set rounding = rankmetrics_sql.rm_number('1e-12') ~ ' * (1 + ABS(baseline_predicted))' -%}
{%- set is_equal = 'ABS(predicted - baseline_predicted) <= ' ~ rounding -%}
{{ return(['baseline_predicted', {
    'name': 'candidate_predicted', 'sql': 'CASE WHEN ' ~ is_equal ~ ' THEN baseline_predicted ELSE predicted END',
}]) }}
{% endmacro %}

{#- The same plan by the judgments of people alone; what is known of queries otherwise, the model's side says. -#}
{% macro rm_human_plan(plan) %}
{%- set own, stages = {}, {} -%}
{%- do stages.update(plan.stages) -%}
{%- do stages.update({
    'qrels_source': plan.stages.human_qrels_source, 'qrels': plan.stages.human_qrels,
    'subtopics': plan.stages.human_subtopics,
}) -%}
{%- do own.update(plan) -%}
{%- do own.update({
    'qrels': plan.human_qrels, 'check': 'none', 'counts_faults': false, 'counts_judged': false, 'stages': stages,
}) -%}
{%- for name in ['groups', 'group_names', 'cluster_names', 'attributes', 'attribute_names', 'mixed_names',
    'count_names', 'fault_names', 'basis_names'] -%}
    {%- do own.update({name: []}) -%}
{%- endfor -%}
{{ return(own) }}
{% endmacro %}

{#- The judgments of people. -#}
{% macro rm_human_qrels(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{%- set plan = rankmetrics_sql.rm_human_plan(plan) -%}
{{ return(rankmetrics_sql.rm_qrels(plan)) }}
{% endmacro %}

{#-
The passes once more by the judgments of people, over the same ranks: {ctes, passes whose rows have the values of both}.
What the model's stages have made already is read from there.
-#}
{% macro rm_judged_twice(plan, passes, made) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return({'ctes': [], 'passes': passes}) }}{%- endif -%}
{%- set known = made | map(attribute='name') | list -%}
{%- set ctes = [] -%}
{%- set merged = [] -%}
{%- for ranking in plan.rankings -%}
    {%- set pass = passes[loop.index0] -%}
    {%- for cte in rankmetrics_sql.rm_ctes_of_people(plan, ranking) if cte.name not in known -%}
        {%- do ctes.append(rankmetrics_sql.rm_cte(cte.name, cte.sql, cte.about ~ ', by people', cte.hint)) -%}
    {%- endfor -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(
        pass.stages.judged_twice, rankmetrics_sql.rm_beside_predictions(plan, pass),
        'the metrics of each query by people, and by the model'
    )) -%}
    {%- set stages, both = {}, {} -%}
    {%- do stages.update(pass.stages) -%}
    {%- do stages.update({'per_query': pass.stages.judged_twice}) -%}
    {%- do both.update(pass) -%}
    {%- do both.update({'stages': stages}) -%}
    {%- do merged.append(both) -%}
{%- endfor -%}
{{ return({'ctes': ctes, 'passes': merged}) }}
{% endmacro %}

{#- The stages of a ranking by people. -#}
{% macro rm_ctes_of_people(plan, ranking) %}
{%- set pass = rankmetrics_sql.rm_human_pass(plan, ranking) -%}
{{ return(rankmetrics_sql.rm_pass_ctes(pass)) }}
{% endmacro %}

{#- A pass by people: ranks, and the lengths of lists where judgments do not decide these, are those of the model's. -#}
{% macro rm_human_pass(plan, ranking) %}
{%- set plan = rankmetrics_sql.rm_human_plan(plan) -%}
{%- set pass = rankmetrics_sql.rm_pass(plan, ranking) -%}
{%- set shared = ['kth_scores', 'contenders', 'ranked']
    + (['retrieved'] if ranking.options.unjudged != 'drop' else []) -%}
{%- set judgments = [plan.stages.qrels, plan.stages.subtopics] -%}
{%- set own, stages = {}, {} -%}
{%- for key in pass.stages -%}
    {%- set name = pass.stages[key] -%}
    {%- do stages.update({key: name if key in shared or name in judgments else name ~ '_human'}) -%}
{%- endfor -%}
{%- do own.update(pass) -%}
{%- do own.update({'suffix': pass.suffix ~ '_human', 'judged_suffix': '_human', 'stages': stages}) -%}
{{ return(own) }}
{% endmacro %}

{#- A row per query that either side scores: by people, whose columns have the names of metrics, and by the model. -#}
{% macro rm_beside_predictions(plan, pass) %}
{%- set others = plan.attribute_names + plan.fault_names + plan.basis_names -%}
{%- set metrics = pass.metrics | map(attribute='column') | list -%}
{%- set predicted = rankmetrics_sql.rm_predicted_columns(plan, pass.metrics) -%}
{%- set by_model = [] -%}
{#- ClickHouse would read the NULL that has the name of a column. -#}
{%- for name in metrics -%}
    {%- do by_model.append({'name': predicted[loop.index0], 'sql': 'q.' ~ name}) -%}
{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_columns_from('b', plan.row_keys)
    + rankmetrics_sql.rm_each('MAX(b.', others + metrics + predicted) -%}
{%- set beside %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM (
        {{ rankmetrics_sql.rm_select(
            rankmetrics_sql.rm_columns_from('q', plan.row_keys + others) + by_model
            + rankmetrics_sql.rm_unknown(metrics), 8
        ) }}
        FROM {{ pass.stages.per_query }} AS q
        UNION ALL
        {{ rankmetrics_sql.rm_select(
            plan.row_keys + rankmetrics_sql.rm_no_attributes(plan, others) + rankmetrics_sql.rm_nulls(predicted)
            + metrics, 8
        ) }}
        FROM {{ pass.stages.per_query ~ '_human' }}
    ) AS b
    GROUP BY {{ rankmetrics_sql.rm_qualified('b', plan.row_keys) | join(', ') }}
{%- endset -%}
{{ return(beside) }}
{% endmacro %}

{#- powered: the values v, and linear_value what they are as terms of a mean, each over the rows with the same keys. -#}
{% macro rm_powered(plan, stage, names, keys) %}
{%- set means = ['t.mean_human', 't.mean_labelled', 't.mean_others'] -%}
{{ return(rankmetrics_sql.rm_powered_stages(
    plan, stage, names, keys, {'human': 'v.value', 'predicted': 'v.predicted'},
    {'linear_value': rankmetrics_sql.rm_term('t.human', 't.predicted', means)}
)) }}
{% endmacro %}

{#- The same of pairs: the candidate's term is the baseline's and that of their difference. -#}
{% macro rm_powered_pairs(plan, names) %}
{%- set baseline = rankmetrics_sql.rm_term(
    't.human_baseline', 't.predicted_baseline', ['t.mean_human_baseline', 't.mean_labelled_baseline',
    't.mean_others_baseline']
) -%}
{%- set means = ['t.mean_human', 't.mean_labelled', 't.mean_others'] -%}
{%- set difference = rankmetrics_sql.rm_term('t.human', 't.predicted', means) -%}
{%- set keys = ['run_id'] + plan.group_names + ['metric_number'] -%}
{{ return(rankmetrics_sql.rm_powered_stages(plan, plan.stages.pairs, names, keys, {
    'human': 'v.candidate_value - v.baseline_value', 'predicted': 'v.candidate_predicted - v.baseline_predicted',
    'human_baseline': 'CASE WHEN v.candidate_value IS NOT NULL THEN v.baseline_value END',
    'predicted_baseline': 'CASE WHEN v.candidate_predicted IS NOT NULL THEN v.baseline_predicted END',
}, {'baseline_value': baseline, 'candidate_value': baseline ~ '\n        + ' ~ difference})) }}
{% endmacro %}

{#- The term of a query t, with the means by people, and by the model over the same queries and over the others. -#}
{% macro rm_term(human, predicted, means) %}
{%- set value = means[0] ~ ' + t.ppi_lambda * COALESCE(' ~ means[2] ~ ' - ' ~ means[1] ~ ', 0)' -%}
{%- set labelled = 't.n_all / t.n_human * (' ~ human ~ ' - ' ~ means[0] ~ ' - t.ppi_lambda * (' ~ predicted ~ ' - '
    ~ means[1] ~ '))' -%}
{%- set other = 't.n_all / NULLIF(t.n_predicted, 0) * t.ppi_lambda * (' ~ predicted ~ ' - ' ~ means[2] ~ ')' -%}
{{ return('CASE WHEN t.n_human >= ' ~ rankmetrics_sql.rm_fewest_human() ~ ' AND t.n_unpredicted = 0 THEN ' ~ value
    ~ '\n        + CASE WHEN t.human IS NOT NULL THEN ' ~ labelled ~ '\n        ELSE ' ~ other ~ ' END END') }}
{% endmacro %}

{#- The stages: {stage, ctes}. values are what is predicted, by name, SQL over v; terms what is made of it, over t. -#}
{% macro rm_powered_stages(plan, stage, names, keys, values, terms) %}
{%- set each = rankmetrics_sql.rm_qualified('v', keys) -%}
{%- set over = 'OVER (PARTITION BY ' ~ each | join(', ') ~ ')' -%}
{%- set in_cluster = 'OVER (PARTITION BY ' ~ (each + rankmetrics_sql.rm_cluster_keys(plan, 'v')) | join(', ') ~ ')' -%}
{%- set counts = {
    'n_human': 'COUNT(v.human)',
    'n_predicted': 'COUNT(CASE WHEN v.human IS NULL THEN v.predicted END)',
} -%}
{%- set means = {} -%}
{%- for name, sql in counts.items() -%}
    {%- do means.update({name: rankmetrics_sql.rm_as_double(sql ~ ' ' ~ over)}) -%}
    {%- if plan.cluster_names -%}
        {%- do means.update({name ~ '_in_cluster': rankmetrics_sql.rm_as_double(sql ~ ' ' ~ in_cluster)}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set unpredicted = 'COUNT(CASE WHEN v.human IS NOT NULL AND v.predicted IS NULL THEN 1 END)' -%}
{%- do means.update({'n_unpredicted': unpredicted ~ ' ' ~ over}) -%}
{%- for end in ['', '_baseline'] if 'human' ~ end in values -%}
    {%- for name, own in {
        'mean_human' ~ end: 'v.human' ~ end,
        'mean_labelled' ~ end: 'CASE WHEN v.human IS NOT NULL THEN v.predicted' ~ end ~ ' END',
        'mean_others' ~ end: 'CASE WHEN v.human IS NULL THEN v.predicted' ~ end ~ ' END',
    }.items() -%}
        {%- do means.update({name: rankmetrics_sql.rm_aggregated('mean', own) ~ ' ' ~ over}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set given = [] -%}
{%- for name, sql in values.items() -%}{%- do given.append({'name': name, 'sql': sql}) -%}{%- endfor -%}
{%- set names_alone = names | reject('in', values) | list -%}
{%- set carried = names_alone + values.keys() | list -%}
{%- set predicted_means %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', carried) + rankmetrics_sql.rm_named(means)) }}
    FROM (
        {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('v', names_alone) + given, 8) }}
        FROM {{ stage }} AS v
    ) AS v
{%- endset -%}
{%- set carried = carried + means.keys() | list -%}
{%- set human, bias = '(v.human - v.mean_human)', '(v.predicted - v.mean_labelled - v.human + v.mean_human)' -%}
{%- set labelled = 'CASE WHEN v.human IS NOT NULL THEN v.predicted - v.mean_labelled END' -%}
{%- set other = 'CASE WHEN v.human IS NULL THEN v.predicted - v.mean_others END' -%}
{%- set products = {
    'products': rankmetrics_sql.rm_aggregated('sum', human ~ ' * (v.predicted - v.mean_labelled)') ~ ' ' ~ over,
    'human_squares': rankmetrics_sql.rm_aggregated('sum', human ~ ' * ' ~ human) ~ ' ' ~ over,
    'labelled_squares': rankmetrics_sql.rm_aggregated('sum', 'POWER(' ~ labelled ~ ', 2)') ~ ' ' ~ over,
    'other_squares': 'COALESCE(' ~ rankmetrics_sql.rm_aggregated('sum', 'POWER(' ~ other ~ ', 2)') ~ ' ' ~ over
        ~ ', 0)',
} -%}
{%- for name, deviation in {'human_deviations': human, 'bias_deviations': bias}.items() -%}
    {%- do products.update({name: rankmetrics_sql.rm_aggregated('sum', deviation) ~ ' ' ~ in_cluster
        if plan.cluster_names else deviation}) -%}
{%- endfor -%}
{%- if plan.cluster_names -%}
    {%- set others_in_cluster = 'CASE WHEN v.human IS NULL THEN v.n_predicted_in_cluster END' -%}
    {%- do products.update({'most_in_cluster': 'MAX(' ~ others_in_cluster ~ ') ' ~ over}) -%}
{%- endif -%}
{%- set several = 'v.n_predicted >= 2' ~ (' AND v.most_in_cluster < v.n_predicted' if plan.cluster_names else '') -%}
{%- set all_squares = '(v.labelled_squares + v.other_squares + v.n_human * v.n_predicted / (v.n_human + v.n_predicted)'
    ~ ' * POWER(v.mean_labelled - v.mean_others, 2))' -%}
{%- set tiny = '(v.n_human + v.n_predicted) * POWER(' ~ rankmetrics_sql.rm_number('1e-12')
    ~ ' * (1 + ABS(v.mean_others)), 2)' -%}
{%- set slope = 'v.products / NULLIF(v.n_human - 1, 0) / ((1 + v.n_human / NULLIF(v.n_predicted, 0)) * ' ~ all_squares
    ~ ' / NULLIF(v.n_human + v.n_predicted - 1, 0))' -%}
{%- set tuned %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('t', carried + products.keys() | list)) }},
        t.n_human + t.n_predicted AS n_all,
        CASE WHEN t.slope > 1 THEN 1 WHEN t.slope > 0 THEN t.slope ELSE 0 END AS ppi_lambda,
        CASE WHEN t.slope IS NOT NULL THEN 1 ELSE 0 END AS is_tuned
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', carried + products.keys() | list), 12) }},
            CASE WHEN {{ several }} AND {{ all_squares }} > {{ tiny }} THEN {{ slope }} END AS slope
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(
                    rankmetrics_sql.rm_columns_from('v', carried) + rankmetrics_sql.rm_named(products), 16
                ) }}
            FROM {{ plan.stages.predicted_means }} AS v
        ) AS v
    ) AS t
{%- endset -%}
{%- set powered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_columns_from('t', names) + rankmetrics_sql.rm_named(terms)
            + rankmetrics_sql.rm_named(rankmetrics_sql.rm_said_of_terms(plan))
        ) }}
    FROM {{ plan.stages.tuned }} AS t
{%- endset -%}
{{ return({'stage': plan.stages.powered, 'ctes': [
    rankmetrics_sql.rm_cte(
        plan.stages.predicted_means, predicted_means, 'each value by people and by the model, beside their means'
    ),
    rankmetrics_sql.rm_cte(plan.stages.tuned, tuned, 'with lambda, how much the predictions count'),
    rankmetrics_sql.rm_cte(plan.stages.powered, powered, 'with the term of each query in the prediction-powered mean'),
]}) }}
{% endmacro %}

{#- What a row t says beside its term, by name. -#}
{% macro rm_said_of_terms(plan) %}
{%- set clustered = plan.cluster_names | length > 0 -%}
{%- set of_human = 't.n_human_in_cluster' if clustered else '1' -%}
{%- set of_other = 't.n_predicted_in_cluster' if clustered else '1' -%}
{%- set of_all = '(t.n_human_in_cluster + t.n_predicted_in_cluster)' if clustered else '1' -%}
{%- set is_labelled = 'CASE WHEN t.human IS NOT NULL THEN ' -%}
{%- set part = is_labelled ~ of_human ~ ' / t.n_human ELSE ' ~ of_other ~ ' / NULLIF(t.n_predicted, 0) END' -%}
{%- set apart = 't.labelled_squares / NULLIF((t.n_human - 1) * t.n_human, 0) + t.other_squares'
    ~ ' / NULLIF((t.n_predicted - 1) * t.n_predicted, 0)' -%}
{{ return({
    'n_human': 't.n_human', 'n_predicted': 't.n_predicted', 'n_unpredicted': 't.n_unpredicted',
    'ppi_lambda': 'CASE WHEN t.n_human >= ' ~ rankmetrics_sql.rm_fewest_human() ~ ' THEN t.ppi_lambda END',
    'is_tuned': 't.is_tuned', 'mean_human': 't.mean_human',
    'mean_predicted': '(t.n_human * t.mean_labelled + t.n_predicted * COALESCE(t.mean_others, 0)) / NULLIF(t.n_all, 0)',
    'mean_bias': 't.mean_labelled - t.mean_human',
    'kept_degrees': 'CASE WHEN t.is_tuned = 1 THEN (t.n_human - 2) / NULLIF(t.n_human - 1, 0) ELSE 1 END',
    'human_difference': 't.human',
    'human_deviation': 'SQRT(t.human_squares / NULLIF(t.n_human - 1, 0))',
    'human_share': is_labelled ~ of_human ~ ' / t.n_human END',
    'human_once': is_labelled ~ rankmetrics_sql.rm_as_double('1') ~ (' / ' ~ of_human if clustered else '') ~ ' END',
    'human_deviations': is_labelled ~ 't.human_deviations END',
    'bias_deviations': is_labelled ~ 't.bias_deviations END',
    'has_changed': 'CASE WHEN t.human <> 0 OR (t.human IS NOT NULL AND t.predicted <> 0) THEN 1 ELSE 0 END',
    'apart': '(t.mean_labelled - t.mean_others) / NULLIF(SQRT(' ~ apart ~ '), 0)',
    'stretch': 'COALESCE(SQRT((1 - ' ~ of_all ~ ' / t.n_all) / NULLIF(1 - ' ~ part ~ ', 0)), 1)',
}) }}
{% endmacro %}

{#- The names of these columns, where there are any. -#}
{% macro rm_term_names(plan) %}
{{ return(rankmetrics_sql.rm_said_of_terms(plan).keys() | list if rankmetrics_sql.rm_is_predicted(plan) else []) }}
{% endmacro %}

{#- A deviation of a row, as it counts in an error. -#}
{% macro rm_stretched(plan, alias, deviation) %}
{{ return(alias ~ '.stretch * ' ~ deviation if rankmetrics_sql.rm_is_predicted(plan) else deviation) }}
{% endmacro %}

{#- What the rows of an effect, or of a value of a summary, say of both sides. -#}
{% macro rm_prediction_sums(plan, alias='p') %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{%- set share, once = alias ~ '.human_share', alias ~ '.human_once' -%}
{%- set sums = {
    'human_degrees': rankmetrics_sql.rm_degrees_of_shares(share, once, false),
    'human_units': 'ROUND(SUM(' ~ once ~ '))',
} -%}
{%- for name in ['human', 'bias'] -%}
    {%- set deviation = alias ~ '.' ~ name ~ '_deviations' -%}
    {%- set square = once ~ ' * ' ~ deviation ~ ' * ' ~ deviation ~ ' / NULLIF(1 - ' ~ share ~ ', 0)' -%}
    {%- set order = deviation ~ ' ASC, ' ~ share -%}
    {%- do sums.update({name ~ '_variance': rankmetrics_sql.rm_aggregated('sum', square, order)
        ~ ' / NULLIF(POWER(MAX(' ~ alias ~ '.n_human), 2), 0)'}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_each('MAX(' ~ alias ~ '.', [
    'n_human', 'n_predicted', 'n_unpredicted', 'ppi_lambda', 'mean_human', 'mean_predicted', 'mean_bias', 'is_tuned',
    'kept_degrees', 'human_deviation', 'apart',
]) + rankmetrics_sql.rm_named(sums)) }}
{% endmacro %}

{#- The degrees of freedom of a row whose columns begin so. -#}
{% macro rm_human_degrees(alias, before='') %}
{%- set start = (alias ~ '.' if alias else '') ~ before -%}
{{ return('(' ~ start ~ 'human_degrees * ' ~ start ~ 'kept_degrees)') }}
{% endmacro %}

{#- The names of these sums. -#}
{% macro rm_prediction_sum_names(plan) %}
{{ return(rankmetrics_sql.rm_prediction_sums(plan) | map(attribute='name') | list) }}
{% endmacro %}

{#- How many queries a mean is of: those with a value, which is none of terms where people judged too few. -#}
{% macro rm_count_of_terms(plan, alias, value) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return('COUNT(' ~ value ~ ')') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_as_integer('COALESCE(MAX(' ~ alias ~ '.n_human + ' ~ alias ~ '.n_predicted), 0)')) }}
{% endmacro %}
