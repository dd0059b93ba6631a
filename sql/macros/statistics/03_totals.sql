{#- How the values of the queries become one number: sums, means, weighted and geometric, medians and ratios. -#}

{#- The values of a metric, v, brought together over the queries as it declares. -#}
{% macro rm_total(plan, metric) %}
{%- if metric.of_lists -%}
    {{ return('MAX(v.value)') }}
{%- elif metric.aggregate == 'median' -%}
    {{ return('AVG(CASE WHEN 2 * v.value_number BETWEEN v.n_values AND v.n_values + 2 THEN v.value END)') }}
{%- elif metric.aggregate == 'parts' -%}
    {%- set sums = [] -%}
    {%- for part in rankmetrics_sql.rm_parts(plan, metric) -%}
        {%- do sums.append(rankmetrics_sql.rm_aggregated('sum', 'v.part_' ~ loop.index)) -%}
    {%- endfor -%}
    {{ return(rankmetrics_sql.rm_total_of_parts(metric, sums, 'COUNT(v.value)')) }}
{%- endif -%}
{%- if plan.weight_names and metric.aggregate in ['mean', 'geometric'] -%}
    {{ return(rankmetrics_sql.rm_weighted_mean(metric.aggregate)) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_aggregated(metric.aggregate, 'v.value')) }}
{% endmacro %}

{#-
The mean of values by the weights of their queries. A statement cannot refuse: where a weight is negative there is none,
and where one is no finite number neither is the mean. Sums are counts, whatever the weights.
-#}
{% macro rm_weighted_mean(aggregate, alias='v', column='value') %}
{%- set own = alias ~ '.' ~ column -%}
{%- set weight = alias ~ '.weight' -%}
{%- set value = rankmetrics_sql.rm_logarithm(own) if aggregate == 'geometric' else own -%}
{%- set sum = rankmetrics_sql.rm_aggregated('sum', weight ~ ' * ' ~ value, own ~ ' ASC, ' ~ weight) -%}
{%- set mean = sum ~ ' / NULLIF(' ~ rankmetrics_sql.rm_sum_of_weights(own, weight) ~ ', 0)' -%}
{%- set mean = 'EXP(' ~ mean ~ ')' if aggregate == 'geometric' else mean -%}
{{ return(rankmetrics_sql.rm_of_weights_that_count(alias, mean)) }}
{% endmacro %}

{% macro rm_of_weights_that_count(alias, mean) %}
{{ return('CASE WHEN MIN(' ~ alias ~ '.weight) >= 0 THEN ' ~ mean ~ ' END') }}
{% endmacro %}

{#- The logarithm that a geometric mean averages, with 0.00001 for anything less (trec_eval). -#}
{% macro rm_logarithm(column) %}
{%- set least = rankmetrics_sql.rm_number('1e-5') -%}
{{ return('LN(CASE WHEN ' ~ column ~ ' < ' ~ least ~ ' THEN ' ~ least ~ ' ELSE ' ~ column ~ ' END)') }}
{% endmacro %}

{#- A column over the queries of a group, added up from its least value on, or in another order. -#}
{% macro rm_aggregated(aggregate, column, order=none) %}
{%- set order = column if order is none else order -%}
{%- if aggregate == 'geometric' -%}
    {%- set logarithm = rankmetrics_sql.rm_logarithm(column) -%}
    {{ return('EXP(AVG(' ~ rankmetrics_sql.rm_in_order(logarithm, order) ~ '))') }}
{%- elif aggregate in ['mean', 'sum'] -%}
    {{ return(('AVG(' if aggregate == 'mean' else 'SUM(') ~ rankmetrics_sql.rm_in_order(column, order) ~ ')') }}
{%- endif -%}
{{ return(aggregate | upper ~ '(' ~ column ~ ')') }}
{% endmacro %}

{% macro rm_has_medians(plan) %}
{{ return('median' in plan.metrics | map(attribute='aggregate') | list) }}
{% endmacro %}

{#- numbered: the values by their size, to find those in the middle; not every engine has a median. -#}
{% macro rm_numbered(plan) %}
{%- if not rankmetrics_sql.rm_has_medians(plan) -%}{{ return([]) }}{%- endif -%}
{%- set keys = (['run_id'] if plan.multi else []) + rankmetrics_sql.rm_breakdown_keys(plan)[:1] + plan.group_names
    + ['metric_number'] -%}
{%- set names = rankmetrics_sql.rm_breakdown_keys(plan) + rankmetrics_sql.rm_value_names(plan) -%}
{%- set numbered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(names) }},
        ROW_NUMBER() OVER (PARTITION BY {{ keys | join(', ') }} ORDER BY value DESC NULLS LAST) AS value_number,
        COUNT(value) OVER (PARTITION BY {{ keys | join(', ') }}) AS n_values
    FROM {{ plan.stages.broken_down if plan.breakdowns else plan.stages.query_values }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    plan.stages.numbered, numbered,
    'the values in order of size, to find the median'
)]) }}
{% endmacro %}
