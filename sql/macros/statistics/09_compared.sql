{#- The result of a comparison: a row for each effect. -#}

{% macro rm_select_compare(plan) %}
{%- if plan.shown | length < 2 -%}{{ return(rankmetrics_sql.rm_select_shown(plan)) }}{%- endif -%}
{%- set sequential = rankmetrics_sql.rm_is_sequential(plan) -%}
{%- set chance = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{%- set baseline = rankmetrics_sql.rm_baseline_column(plan) -%}
{%- set keys = rankmetrics_sql.rm_named_keys(plan, with_query=false, alias='p')[1:] -%}
{%- set groups = keys | reject('in', baseline) | list -%}
{%- set counts = ['n_queries', 'n_higher', 'n_ties', 'n_lower', 'n_left_out', 'n_units'] + plan.count_names
    + (['variance_reduction'] if rankmetrics_sql.rm_is_adjusted(plan) else [])
    + rankmetrics_sql.rm_strata_facts(plan) -%}
{%- set degrees = rankmetrics_sql.rm_named(
    {'degrees_of_freedom': 'p.effect_degrees'} if rankmetrics_sql.rm_degrees_of_groups(plan) else {}
) -%}
{%- set shares = rankmetrics_sql.rm_columns_from('p', rankmetrics_sql.rm_judged_share_names(plan))
    if plan.basis_names else rankmetrics_sql.rm_unknown(['judged_baseline', 'judged_candidate']) -%}
{%- set ends = rankmetrics_sql.rm_interval_ends(plan) -%}
{%- set stage = plan.stages.ruled if plan.n_ends > 1 else rankmetrics_sql.rm_last_stage(plan) -%}
{%- set found = {
    'effect_size_ci_lower': ends.effect_lower,
    'effect_size_ci_upper': ends.effect_upper,
    'rel_effect_size': 'p.candidate / NULLIF(p.baseline, 0) - 1',
    'rel_effect_size_ci_lower': ends.relative_lower,
    'rel_effect_size_ci_upper': ends.relative_upper,
} -%}
{%- set is_whole = rankmetrics_sql.rm_has_every_metric(plan) -%}
{%- set metric = [{'name': 'metric', 'sql': 'a.metric'}] if is_whole
    else rankmetrics_sql.rm_columns_from('p', ['metric']) -%}
{%- set tested = {
    'pvalue_adj': 'CASE WHEN p.corrected > 1 THEN 1 ELSE p.corrected END',
    'significant': 'CASE WHEN p.corrected <= ' ~ chance ~ ' THEN 1 WHEN p.corrected IS NOT NULL THEN 0 END',
    'verdict': rankmetrics_sql.rm_verdict(plan),
    'reason': rankmetrics_sql.rm_reason(plan),
    'std_effect_size': 'p.effect_size / NULLIF(p.deviation, 0)',
} -%}
{%- set superiority = [{'name': 'prob_superiority', 'sql': rankmetrics_sql.rm_superiority(plan)}] -%}
{%- set asked = {
    'confidence_level': rankmetrics_sql.rm_number(plan.options.confidence_level),
    'alternative': rankmetrics_sql.rm_string(plan.options.alternative),
    'correction': rankmetrics_sql.rm_string(plan.options.correction),
    'margin': rankmetrics_sql.rm_as_double(plan.options.margin),
} -%}
{%- set select -%}
SELECT
    p.run_id AS run,
    {{ rankmetrics_sql.rm_lines(baseline + groups, 4) }},
    {{ rankmetrics_sql.rm_lines(
        metric + rankmetrics_sql.rm_measured_means(plan) + rankmetrics_sql.rm_columns_from('p', ['effect_size']), 4
    ) }},
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_named(found), 4) }},
    {{ rankmetrics_sql.rm_lines(
        rankmetrics_sql.rm_effect_ends(plan) + rankmetrics_sql.rm_columns_from('p', ['standard_error']), 4
    ) }},
    {{ rankmetrics_sql.rm_string('sequential' if sequential else plan.options.test) }} AS test,
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('p', ['statistic', 'pvalue']), 4) }},
    {{ rankmetrics_sql.rm_lines(
        rankmetrics_sql.rm_named(tested) + superiority + rankmetrics_sql.rm_columns_from('p', counts) + degrees + shares
            + rankmetrics_sql.rm_columns_of_predictions(plan, 'p', 'effect_size', 'p.standard_error')
            + rankmetrics_sql.rm_cap_columns(plan)
            + rankmetrics_sql.rm_power_columns(plan) + rankmetrics_sql.rm_method(plan)
            + rankmetrics_sql.rm_named(asked) + rankmetrics_sql.rm_all_faults(plan)
            + rankmetrics_sql.rm_effects_left_out(plan)
            + rankmetrics_sql.rm_columns_from(
                'p', rankmetrics_sql.rm_tail_names(plan) + rankmetrics_sql.rm_hidden_predictions(plan)
            ), 4
    ) }}
{%- if is_whole %}
FROM {{ plan.stages.metrics }} AS a
LEFT JOIN {{ stage }} AS p ON p.metric_number = a.metric_number
{%- else %}
FROM {{ stage }} AS p
{%- if plan.n_ends > 1 %}
WHERE p.end_number = 0
{%- endif %}
{%- endif %}
ORDER BY {{ rankmetrics_sql.rm_ascending(
    ['p.run_id'], rankmetrics_sql.rm_qualified('p', plan.group_names),
    ['a.metric_number' if is_whole else 'p.metric_number']
) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- Whether a metric without an effect has a row that says so: nobody has looked at what the statement reads. -#}
{% macro rm_has_every_metric(plan) %}
{{ return('nothing' in plan.shown) }}
{% endmacro %}

{#- The metrics as a stage, so that one without a common query has a row, too; of several the values have read it. -#}
{% macro rm_every_metric(plan) %}
{{ return([rankmetrics_sql.rm_metrics_stage(plan)] if rankmetrics_sql.rm_has_every_metric(plan) else []) }}
{% endmacro %}

{% macro rm_last_stage(plan) %}
{%- if not plan.shown -%}{{ return(plan.stages.effects) }}{%- endif -%}
{%- if rankmetrics_sql.rm_has_sample_sizes(plan) -%}{{ return(plan.stages.needed) }}{%- endif -%}
{{ return(plan.stages.second_point if rankmetrics_sql.rm_is_levelled(plan) else plan.stages.adjusted) }}
{% endmacro %}

{#- The columns of a comparison that a dbt test reads, without an order. -#}
{% macro rm_select_shown(plan) %}
{%- set corrected = 'CASE WHEN p.corrected > 1 THEN 1 ELSE p.corrected END' -%}
{%- set columns = rankmetrics_sql.rm_named_keys(plan, with_query=false, alias='p')[1:]
    + rankmetrics_sql.rm_columns_from('p', ['metric']) + rankmetrics_sql.rm_measured_means(plan)
    + rankmetrics_sql.rm_columns_from('p', ['effect_size', 'standard_error', 'n_queries'])
    + (rankmetrics_sql.rm_named({
        'pvalue_adj': corrected, 'verdict': rankmetrics_sql.rm_verdict(plan), 'reason': rankmetrics_sql.rm_reason(plan),
    }) if plan.shown else []) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM {{ plan.stages.ruled if plan.n_ends > 1 else rankmetrics_sql.rm_last_stage(plan) }} AS p
{%- if plan.n_ends > 1 %}
WHERE p.end_number = 0
{%- endif %}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- How probable a better value is than a worse one, in the direction of the metric; half of what is equal counts. -#}
{% macro rm_superiority(plan) %}
{%- set half = rankmetrics_sql.rm_number(0.5) -%}
{%- set is_ranked = rankmetrics_sql.rm_ranks_arms(plan) -%}
{%- if plan.options.design != 'paired' and not is_ranked -%}
    {{ return(rankmetrics_sql.rm_as_double('NULL')) }}
{%- endif -%}
{%- set of_pairs = ' + p.n_ties * ' ~ half ~ ') / ' ~ ('NULLIF(p.n_human, 0)' if rankmetrics_sql.rm_is_predicted(plan)
    else 'p.n_queries') -%}
{%- set by_direction = {
    'higher': 'p.superiority' if is_ranked else '(p.n_higher' ~ of_pairs,
    'lower': '1 - p.superiority' if is_ranked else '(p.n_lower' ~ of_pairs,
} -%}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}{%- do expressions.append(by_direction[metric.better]) -%}{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('p', expressions)) }}
{% endmacro %}

{#- How many faults the rows behind all values have, baseline or not, on each row: nothing is handed on but effects. -#}
{% macro rm_all_faults(plan) %}
{%- set columns = [] -%}
{%- for name in plan.fault_names -%}
    {%- set sum = '(SELECT SUM(v.' ~ name ~ ') FROM ' ~ plan.stages.query_values ~ ' AS v)' -%}
    {%- do columns.append({'name': name, 'sql': 'p.n_unweighted' if name == 'n_unweighted' else sum}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
