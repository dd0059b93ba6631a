{#-
Caps: values above an amount count as that. Where a share is named, the amount is the smallest value with that share of
the positive ones at or below it, over all runs or arms and groups together: they have the same. Of a ratio of sums its
numerator is capped, query by query. So are the values that clusters add up.
-#}

{#- The stage of the values as they are. -#}
{% macro rm_stage_of_values(plan) %}
{{ return(plan.stages.uncapped if plan.caps else plan.stages.query_values) }}
{% endmacro %}

{#- What of a row v is capped for a metric: its value, or the first part of a ratio. -#}
{% macro rm_capped_name(plan, metric) %}
{{ return('part_1' if rankmetrics_sql.rm_parts(plan, metric) else 'value') }}
{% endmacro %}

{#- The columns that hold it, with those of the baseline beside a row. -#}
{% macro rm_capped_columns(plan) %}
{%- set names = ['value'] + (['part_1'] if 'part_1' in rankmetrics_sql.rm_part_names(plan) else []) -%}
{%- set found = {} -%}
{%- for name in names -%}
    {%- do found.update({name: name, ('baseline_own' if name == 'value' else 'baseline_' ~ name): name}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- query_values: the values again, none above its cap. -#}
{% macro rm_capped(plan) %}
{%- if not plan.caps -%}{{ return([]) }}{%- endif -%}
{%- set names = rankmetrics_sql.rm_value_names(plan) -%}
{%- set capped = rankmetrics_sql.rm_capped_columns(plan) -%}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- set numbers = rankmetrics_sql.rm_numbers_capped(plan, capped[name]) if name in capped else [] -%}
    {%- set is_one_of = '' if numbers | length == plan.caps | length
        else rankmetrics_sql.rm_is_one_of('v.metric_number', numbers) ~ ' AND ' -%}
    {%- do columns.append({
        'name': name, 'sql': 'CASE WHEN ' ~ is_one_of ~ 'v.' ~ name ~ ' > v.cap THEN v.cap ELSE v.' ~ name ~ ' END',
    } if numbers else rankmetrics_sql.rm_columns_from('v', [name])[0]) -%}
{%- endfor -%}
{%- set has_shares = plan.caps.values() | rejectattr('share', 'none') | list | length > 0 -%}
{%- set capped_values %}
    {{ rankmetrics_sql.rm_select(columns + (rankmetrics_sql.rm_columns_from('v', ['cap']) if has_shares else [])) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', names), 12) }},
            {{ rankmetrics_sql.rm_cap(plan, has_shares) | indent(8) }} AS cap
        FROM {{ rankmetrics_sql.rm_sizes_placed(plan, names) if has_shares else plan.stages.uncapped }} AS v
    ) AS v
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    plan.stages.query_values, capped_values,
    'the values, none above its cap' ~ (', a quantile of the positive ones of all runs' if has_shares else '')
)]) }}
{% endmacro %}

{#- The numbers of the metrics that have a cap on this column. -#}
{% macro rm_numbers_capped(plan, name) %}
{%- set numbers = [] -%}
{%- for metric in plan.metrics if metric.label in plan.caps -%}
    {%- if rankmetrics_sql.rm_capped_name(plan, metric) == name -%}
        {%- do numbers.append(plan.metrics.index(metric) + 1) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(numbers) }}
{% endmacro %}

{#- The cap of a row v: an amount, or the smallest value with a share of the positive ones at or below it. -#}
{% macro rm_cap(plan, has_shares) %}
{%- set caps = [] -%}
{%- for metric in plan.metrics -%}
    {%- set cap = plan.caps[metric.label] | default({'amount': 'NULL', 'share': none}) -%}
    {%- set positive = 'v.size > 0 AND v.n_positive + 1 - v.place >= ' ~ rankmetrics_sql.rm_number(cap.share)
        ~ ' * v.n_positive - ' ~ rankmetrics_sql.rm_number('1e-9') -%}
    {%- set quantile = 'MIN(CASE WHEN ' ~ positive ~ ' THEN v.size END) OVER (PARTITION BY v.metric_number)' -%}
    {%- do caps.append(rankmetrics_sql.rm_as_double(cap.amount) if cap.share is none else quantile) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric('v', caps)) }}
{% endmacro %}

{#-
The values, with their places from the largest on, and how many are positive. Their size is a column of its own:
DataFusion loses the order of a window by an expression of what it is partitioned by.
-#}
{% macro rm_sizes_placed(plan, names) %}
{%- set sizes = [] -%}
{%- for metric in plan.metrics -%}
    {%- do sizes.append('v.' ~ rankmetrics_sql.rm_capped_name(plan, metric)) -%}
{%- endfor -%}
{%- set placed %}(
            SELECT
                {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', names + ['size']), 16) }},
                ROW_NUMBER() OVER (PARTITION BY v.metric_number ORDER BY v.size DESC NULLS LAST) AS place,
                {{ rankmetrics_sql.rm_as_double(
                    'COUNT(CASE WHEN v.size > 0 THEN 1 END) OVER (PARTITION BY v.metric_number)'
                ) }} AS n_positive
            FROM (
                SELECT
                    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('v', names), 20) }},
                    {{ rankmetrics_sql.rm_by_metric('v', sizes) | indent(16) }} AS size
                FROM {{ plan.stages.uncapped }} AS v
            ) AS v
        )
{%- endset -%}
{{ return(placed) }}
{% endmacro %}

{#- The column with the cap of an effect p. -#}
{% macro rm_cap_columns(plan) %}
{%- if not plan.caps -%}{{ return([]) }}{%- endif -%}
{%- set caps = [] -%}
{%- for metric in plan.metrics -%}
    {%- set cap = plan.caps[metric.label] | default(none) -%}
    {%- set quantile = '(SELECT MAX(v.cap) FROM ' ~ plan.stages.query_values ~ ' AS v WHERE v.metric_number = '
        ~ loop.index ~ ')' -%}
    {%- do caps.append(
        rankmetrics_sql.rm_as_double('NULL') if cap is none
        else quantile if cap.share is not none else rankmetrics_sql.rm_as_double(cap.amount)
    ) -%}
{%- endfor -%}
{{ return([{'name': 'cap', 'sql': rankmetrics_sql.rm_by_metric('p', caps)}]) }}
{% endmacro %}

{#-
Caps by metric, as they are given, {label: {amount, share}}: a number, or a text such as '99%'. Only metrics without an
upper bound have one.
-#}
{% macro rm_caps_by_label(caps, metrics) %}
{%- set found = {} -%}
{%- if caps is none -%}{{ return(found) }}{%- endif -%}
{%- if caps is not mapping or not caps -%}
    {%- do rankmetrics_sql.rm_raise('cap: ' ~ rankmetrics_sql.rm_written_value(caps)
        ~ " names no metric. Pass an amount for each metric, such as {'cg@1': 40}.") -%}
{%- endif -%}
{%- set labels = metrics | map(attribute='label') | list -%}
{%- set in_lower_case = labels | map('lower') | list -%}
{%- for name, given in caps.items() -%}
    {%- if name | lower not in in_lower_case -%}
        {%- do rankmetrics_sql.rm_refuse_unknown('cap: ' ~ rankmetrics_sql.rm_written_value(name)
            ~ ' is not one of the metrics.', name | string, labels) -%}
    {%- endif -%}
    {%- set metric = metrics[in_lower_case.index(name | lower)] -%}
    {%- if metric.range -%}
        {%- do rankmetrics_sql.rm_raise('cap: ' ~ metric.label ~ ' is at most ' ~ metric.range[1]
            ~ ', so a cap has no use. Cap metrics without an upper bound, such as cg@1.') -%}
    {%- elif metric.ranking.unjudged == 'bounds' -%}
        {%- do rankmetrics_sql.rm_raise('cap: ' ~ metric.label
            ~ ' has a range of effects with unjudged=bounds, which a cap does not have.'
            ~ ' Take unjudged=nonrelevant, or omit the cap.') -%}
    {%- endif -%}
    {%- do found.update({metric.label: rankmetrics_sql.rm_parsed_cap(metric.label, given)}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- An amount above 0, or a share of less than all. -#}
{% macro rm_parsed_cap(label, given) %}
{%- set text = given | string | trim -%}
{%- set is_share = given is string and text[-1:] == '%' -%}
{%- set number = rankmetrics_sql.rm_as_number_if_any(text[:-1] | trim if is_share else given) -%}
{%- set is_number = number is number and number is not boolean -%}
{%- if not is_number or not (number > 0 and number < (100 if is_share else 1e301)) -%}
    {%- do rankmetrics_sql.rm_raise('cap: ' ~ rankmetrics_sql.rm_written_value(given) ~ ' of ' ~ label
        ~ " is no amount above 0, and no share such as '99%'. Pass {'" ~ label ~ "': 40}.") -%}
{%- endif -%}
{{ return({'amount': none if is_share else number | float, 'share': number / 100 if is_share else none}) }}
{% endmacro %}
