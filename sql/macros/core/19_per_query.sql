{#- per_query: one row per scored query, one double column per metric. -#}

{% macro rm_per_query(pass, marks=[]) %}
{%- if pass.plan.level in ['points', 'judged'] or rankmetrics_sql.rm_ends_with_rows(pass.plan) -%}
    {{ return([]) }}
{%- endif -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.per_query, rankmetrics_sql.rm_values_of_queries(pass, 4, marks), 'the metrics of each query'
)]) }}
{% endmacro %}

{#- Whether the rows of queries are the result: those of one ranking, whose columns have their names already. -#}
{% macro rm_ends_with_rows(plan) %}
{%- set is_result = plan.level == 'per_query' and plan.stored_values is none and plan.rankings | length == 1
    and not rankmetrics_sql.rm_is_predicted(plan) -%}
{{ return(is_result and not plan.attributes and plan.query_labels == plan.query_keys) }}
{% endmacro %}

{#- The SELECT of those rows, behind an indent; marks say by a 1 that a query is scored. -#}
{% macro rm_values_of_queries(pass, indent, marks) %}
{%- set plan = pass.plan -%}
{%- set known = 'MIN(r.' if plan.at_once else 'MAX(' -%}
{%- set columns = plan.result_keys + rankmetrics_sql.rm_each(known, plan.attribute_names) -%}
{%- for metric in pass.metrics -%}
    {%- do columns.extend(rankmetrics_sql.rm_value_columns(pass, metric, indent + 4)) -%}
{%- endfor -%}
{%- if plan.counts_faults -%}
    {%- set faults = 'SUM(CASE WHEN n_copies > 1 OR is_undefined > 0 THEN 1 ELSE 0 END)' -%}
    {%- do columns.append({'name': 'n_faults', 'sql': faults}) -%}
{%- endif -%}
{%- if plan.weight_names and plan.check != 'none' -%}
    {%- do columns.append({'name': 'n_unweighted', 'sql': 'CASE WHEN MAX(weight) IS NULL THEN 1 ELSE 0 END'}) -%}
{%- endif -%}
{%- if plan.counts_judged -%}
    {%- set first = 'rnk <= ' ~ plan.first_items ~ (' AND is_unjudged = 0' if pass.all_rows else '') -%}
    {%- set judged = 'COUNT(DISTINCT CASE WHEN ' ~ first ~ ' THEN rnk END)' if pass.subtopics
        else 'SUM(CASE WHEN ' ~ first ~ ' THEN 1 ELSE 0 END)' -%}
    {%- do columns.append({'name': 'n_judged_first', 'sql': judged}) -%}
{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_basis_of_list(pass)) -%}
{%- set scored = [rankmetrics_sql.rm_is_scored_by_rows(pass)] if plan.at_once
    else rankmetrics_sql.rm_each('MAX(', marks, ') = 1') | map(attribute='sql') | list -%}
{%- set clauses = [
    rankmetrics_sql.rm_select(columns, indent),
    'FROM ' ~ pass.stages.rows ~ (' AS r' if plan.at_once and plan.attributes else ''),
    'WHERE ' ~ rankmetrics_sql.rm_of_a_query(plan),
    'GROUP BY ' ~ plan.row_keys | join(', '),
] + (['HAVING ' ~ scored | join(' AND ')] if scored else []) -%}
{{ return(clauses | join('\n' ~ ' ' * indent)) }}
{% endmacro %}

{#- The columns of a metric: its value, and the parts that a value of all queries together is made of. -#}
{% macro rm_value_columns(pass, metric, indent) %}
{%- set custom = metric.expression is defined -%}
{%- if metric.of_lists -%}{{ return(rankmetrics_sql.rm_unknown([metric.column])) }}{%- endif -%}
{%- set expression = metric.expression if custom else rankmetrics_sql.rm_metric_expression(metric) -%}
{%- set value = rankmetrics_sql.rm_metric_value(pass, metric, expression | trim) -%}
{%- set columns = [{'name': metric.column, 'sql': value | trim | indent(indent)}] -%}
{%- for part in rankmetrics_sql.rm_parts(pass.plan, metric) -%}
    {%- set value = rankmetrics_sql.rm_metric_value(pass, metric, part.sql) -%}
    {%- do columns.append({'name': rankmetrics_sql.rm_part_column(metric, part), 'sql': value}) -%}
{%- endfor -%}
{%- for name in rankmetrics_sql.rm_end_columns(pass, metric) -%}
    {%- do columns.append({'name': name, 'sql': 'MAX(' ~ name ~ ')'}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The column of a part. -#}
{% macro rm_part_column(metric, part) %}
{{ return(metric.column ~ '_' ~ part.name) }}
{% endmacro %}

{#- The parts of a value over all queries together, if a metric has one. -#}
{% macro rm_parts(plan, metric) %}
{%- set levels = ['summary', 'curve', 'values', 'compare'] -%}
{%- set wanted = metric.has_parts and metric.aggregate == 'parts' and plan.level in levels -%}
{{ return(rankmetrics_sql.rm_metric_parts(metric) if wanted else []) }}
{% endmacro %}

{#-
The value of a metric as a double, whatever its expression; a query without relevant items may have another, and one of
which two items share a place, as they may where positions stay as given, has none where that counts, nor one that is
of two groups.
-#}
{% macro rm_metric_value(pass, metric, expression) %}
{%- set otherwise = metric.params.no_relevant if metric.params.no_relevant is defined else 0 -%}
{%- if otherwise != 0 or rankmetrics_sql.rm_is_guarded(metric) -%}
    {%- set not_a_number = rankmetrics_sql.rm_as_double("'NaN'") -%}
    {%- set otherwise = otherwise if otherwise in [0, 1] else not_a_number if otherwise == 'error' else 'NULL' -%}
    {%- set n_relevant = 'MAX(' ~ rankmetrics_sql.rm_n_relevant(metric.params.rel) ~ ')' -%}
    {%- set expression = 'CASE WHEN ' ~ n_relevant ~ ' > 0 THEN ' ~ expression ~ ' ELSE ' ~ otherwise ~ ' END' -%}
{%- endif -%}
{%- set reads_places = metric.reads_ranks and 'shared_places' not in metric.needs -%}
{%- if reads_places and pass.plan.options.position == 'given' -%}
    {%- set expression = 'CASE WHEN ' ~ rankmetrics_sql.rm_own_places(pass) ~ ' THEN ' ~ expression ~ ' END' -%}
{%- endif -%}
{%- if pass.plan.mixed_names and pass.plan.at_once -%}
    {%- set is_mixed = rankmetrics_sql.rm_is_mixed(pass.plan, 'run', 'r.') -%}
    {%- set expression = 'CASE WHEN ' ~ is_mixed ~ ' THEN NULL ELSE ' ~ expression ~ ' END' -%}
{%- elif pass.plan.mixed_names -%}
    {%- set expression = 'CASE WHEN MAX(is_mixed) = 0 THEN ' ~ expression ~ ' END' -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_of_rows(pass, expression))) }}
{% endmacro %}

{#- Whether each item of a list has a place of its own; with subtopics, an item has several rows. -#}
{% macro rm_own_places(pass) %}
{%- if pass.subtopics -%}{{ return('COUNT(DISTINCT rnk) = COUNT(DISTINCT item_id)') }}{%- endif -%}
{%- set by_bits = rankmetrics_sql.rm_distinct_by_bits('rnk') if pass.plan.counts_bits else none -%}
{{ return('COUNT(rnk) = ' ~ ('COUNT(DISTINCT rnk)' if by_bits is none else by_bits)) }}
{% endmacro %}
