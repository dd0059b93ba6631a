{#- judged: the rows that every metric aggregates, with the running columns that some need. -#}

{% macro rm_judged(pass, columns) %}
{%- if pass.stages.judged == pass.stages.matched -%}{{ return([]) }}{%- endif -%}
{%- set dropped = pass.options.unjudged == 'drop' -%}
{%- set judged %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('m', pass.plan.row_keys) + columns) }}
    FROM {{ pass.stages.condensed if dropped else rankmetrics_sql.rm_in_place(pass) }} AS m
    {%- for line in rankmetrics_sql.rm_tied_joins(pass) %}
    {{ line }}
    {%- endfor %}
    {%- if pass.options.depth is not none and not dropped %}
    WHERE m.rnk <= {{ pass.options.depth }}
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.judged, judged,
    'the same rows, with gains and running counts'
)]) }}
{% endmacro %}

{#-
Whether the metrics read nothing but what matched has: then that is judged, and there is no other stage. Nor is there
for gains that rows alone reads, which computes them itself.
-#}
{% macro rm_reads_as_matched(ranking) %}
{%- set others = ranking.truth_of_lists or rankmetrics_sql.rm_with_stages(ranking.metrics)
    or ranking.metrics | selectattr('of_lists') | list -%}
{%- set computed = ['relevant_so_far', 'nonrelevant_so_far'] + (['gain'] if others else []) -%}
{%- for metric in ranking.metrics -%}
    {%- for need in metric.needs if need in computed -%}{{ return(false) }}{%- endfor -%}
{%- endfor -%}
{{ return(
    ranking.options.ties not in ['expected', 'best', 'worst']
    and ranking.options.unjudged != 'drop'
    and ranking.options.depth is none
    and not ranking.metrics | selectattr('has_columns') | list
    and not rankmetrics_sql.rm_present_gains(ranking.metrics)
) }}
{% endmacro %}

{#- Its columns beside the keys of the list, in terms of a matched row m. A new one is one entry here. -#}
{% macro rm_judged_columns(pass) %}
{%- set matched = rankmetrics_sql.rm_matched_names(pass) | reject('in', pass.plan.row_keys) | list -%}
{%- set columns = rankmetrics_sql.rm_columns_from('m', ['rnk'] + matched) -%}
{%- for gain in pass.gains -%}
    {%- do columns.append({'name': gain.name, 'sql': rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'm.relevance')}) -%}
{%- endfor -%}
{%- for gain in rankmetrics_sql.rm_present_gains(pass.metrics) -%}
    {%- do columns.append(rankmetrics_sql.rm_present_place(pass, gain)) -%}
{%- endfor -%}
{%- set keys = pass.plan.row_keys + (['subtopic'] if pass.subtopics else []) -%}
{%- set partition = rankmetrics_sql.rm_qualified('m', keys) | join(', ') -%}
{%- set window = 'PARTITION BY ' ~ partition ~ ' ORDER BY m.rnk ASC NULLS FIRST' -%}
{%- for values in rankmetrics_sql.rm_needed(pass.metrics, 'relevant_so_far', ['rel']) -%}
    {%- set relevant = 'm.relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- set name = rankmetrics_sql.rm_relevant_so_far(values.rel) -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_running_count(relevant, window)}) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(pass.metrics, 'nonrelevant_so_far', ['rel']) -%}
    {%- set nonrelevant = 'm.relevance >= 0 AND m.relevance < ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- set name = rankmetrics_sql.rm_nonrelevant_so_far(values.rel) -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_running_count(nonrelevant, window)}) -%}
{%- endfor -%}
{%- for metric in pass.metrics if metric.has_columns -%}
    {%- do columns.extend(rankmetrics_sql.rm_metric_columns(metric, window)) -%}
{%- endfor -%}
{%- if rankmetrics_sql.rm_marks_shared_places(pass.plan) -%}
    {%- set at_place = 'COUNT(*) OVER (PARTITION BY ' ~ partition ~ ', m.rnk)' -%}
    {%- do columns.append({'name': 'n_at_place', 'sql': at_place}) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_distinct(columns + rankmetrics_sql.rm_tied_columns(pass))) }}
{% endmacro %}

{#- Whether rows say how many items stand at their place: a list with two at one has no points of its own. -#}
{% macro rm_marks_shared_places(plan) %}
{{ return(plan.level == 'points' and plan.options.position == 'given') }}
{% endmacro %}

{#- The place that an item would have if its list were sorted by gain. -#}
{% macro rm_present_place(pass, gain) %}
{%- set keys = rankmetrics_sql.rm_qualified('m', pass.plan.row_keys) -%}
{%- set worth = 'm.relevance' -%}
{%- if gain.gain is mapping -%}{%- set worth = rankmetrics_sql.rm_gain(gain.gain, gain.rel, worth) -%}{%- endif -%}
{{ return({
    'name': rankmetrics_sql.rm_present_rank(gain.gain),
    'sql': rankmetrics_sql.rm_number_down(keys, worth, 'm.rnk'),
}) }}
{% endmacro %}

{% macro rm_running_count(condition, window) %}
{%- set expression -%}
CAST(SUM(CASE WHEN {{ condition }} THEN 1 ELSE 0 END) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS {{ rankmetrics_sql.rm_double_type() }})
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
