{#-
rows: what the metrics of a query are added up from: its judged items, and one more row with what is known of the query.
They are stacked, not joined: whatever a planner believes of their number, it can do no more than read them once.
-#}
{% macro rm_rows(pass, judged, facts) %}
{%- set plan = pass.plan -%}
{%- set computes = pass.gains and pass.stages.judged == pass.stages.matched -%}
{%- set judged = judged if not computes or rankmetrics_sql.rm_reads_grades(pass)
    else judged | rejectattr('name', 'equalto', 'relevance') | list -%}
{%- set names = judged | map(attribute='name') | list -%}
{%- set marked = pass.marks_queries -%}
{%- set gains = pass.gains | map(attribute='name') | list if computes else [] -%}
{%- set of_item = (rankmetrics_sql.rm_columns_from('m', plan.row_keys + (names | reject('in', gains) | list))
    if computes
    else plan.row_keys + names)
    + rankmetrics_sql.rm_unknown(facts.names)
    + rankmetrics_sql.rm_no_attributes(plan, plan.attribute_names + plan.mixed_names)
    + ([{'name': 'is_query', 'sql': '0'}] if marked else [])
    + (judged | selectattr('name', 'in', gains) | list) -%}
{%- set of_query = plan.row_keys + rankmetrics_sql.rm_nulls(names | reject('in', gains) | list) + facts.names
    + plan.attribute_names + plan.mixed_names + ([{'name': 'is_query', 'sql': '1'}] if marked else [])
    + rankmetrics_sql.rm_nulls(gains) -%}
{%- set stacked %}
    {{ rankmetrics_sql.rm_select(of_item) }}
    FROM {{ pass.stages.judged }}{{ ' AS m' if computes }}
    UNION ALL
    {{ rankmetrics_sql.rm_select(of_query) }}
    {%- if rankmetrics_sql.rm_knows_queries_alone(pass, facts) %}
    FROM {{ pass.stages.truth_source }}
    GROUP BY {{ pass.truth_keys | join(', ') }}
    {%- else %}
    FROM {{ facts.stage }}
    {%- endif %}
{%- endset -%}
{%- set about = rankmetrics_sql.rm_about_kept(pass)
    ~ ', and a row for each query with its facts (planners misjudge a join)' -%}
{%- if plan.level not in ['points', 'judged'] and 'facts_on_rows' not in pass.needs -%}
    {{ return([rankmetrics_sql.rm_cte(pass.stages.rows, stacked, about)]) }}
{%- endif -%}
{{ return([
    rankmetrics_sql.rm_cte(pass.stages.stacked, stacked, about),
    rankmetrics_sql.rm_rows_with_facts(pass, names, facts),
]) }}
{% endmacro %}

{#- Whether something reads the grades themselves behind the rows, and not only gains that are made of them. -#}
{% macro rm_reads_grades(pass) %}
{%- if pass.plan.level in ['points', 'judged'] or 'facts_on_rows' in pass.needs -%}{{ return(true) }}{%- endif -%}
{%- for metric in pass.metrics if not metric.of_lists -%}
    {%- set expression = metric.expression if metric.expression is defined
        else rankmetrics_sql.rm_metric_expression(metric) -%}
    {%- if 'relevance' in expression -%}{{ return(true) }}{%- endif -%}
    {%- for part in rankmetrics_sql.rm_parts(pass.plan, metric) if 'relevance' in part.sql -%}
        {{ return(true) }}
    {%- endfor -%}
{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{#- For what compares a row with a fact of its query, such as its rank with the number of relevant items. -#}
{% macro rm_rows_with_facts(pass, judged_names, facts) %}
{%- set plan = pass.plan -%}
{%- set over = ') OVER (PARTITION BY ' ~ rankmetrics_sql.rm_qualified('s', plan.row_keys) | join(', ') ~ ')' -%}
{%- set known = facts.names + plan.attribute_names + plan.mixed_names + (['is_query'] if pass.marks_queries else []) -%}
{%- set columns = rankmetrics_sql.rm_columns_from('s', plan.row_keys + judged_names)
    + rankmetrics_sql.rm_each('MAX(s.', known, over) -%}
{%- if plan.level == 'judged' -%}
    {%- do columns.append({'name': 'n_listed', 'sql': 'COUNT(s.rnk' ~ over}) -%}
{%- endif -%}
{%- if rankmetrics_sql.rm_marks_shared_places(plan) -%}
    {%- do columns.append({'name': 'most_at_place', 'sql': 'MAX(s.n_at_place' ~ over}) -%}
{%- endif -%}
{%- set rows %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ pass.stages.stacked }} AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(pass.stages.rows, rows, 'the same rows, each with the facts of its query')) }}
{% endmacro %}

{#- A row whose run or query has no name belongs to none. -#}
{% macro rm_of_a_query(plan, alias=none) %}
{%- set conditions = [] -%}
{%- for key in (plan.row_keys if alias is none else rankmetrics_sql.rm_qualified(alias, plan.row_keys)) -%}
    {%- do conditions.append(key ~ ' IS NOT NULL') -%}
{%- endfor -%}
{{ return(conditions | join(' AND ')) }}
{% endmacro %}
