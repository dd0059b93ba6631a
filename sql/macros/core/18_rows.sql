{#-
rows: what the metrics of a query are added up from: its judged items, and one more row with what is known of the query.
They are stacked, not joined: whatever a planner believes of their number, it can do no more than read them once.
-#}
{% macro rm_rows(pass, judged, facts) %}
{%- set plan = pass.plan -%}
{%- set computed = pass.gains if pass.stages.judged == pass.stages.matched else [] -%}
{%- set gains = computed | map(attribute='name') | list -%}
{%- set names = judged | map(attribute='name') | reject('in', gains) | list -%}
{%- if computed and not rankmetrics_sql.rm_reads(pass, 'relevance') -%}
    {%- set names = names | reject('equalto', 'relevance') | list -%}
{%- endif -%}
{#- PostgreSQL would sort for ranks that nobody reads, and take 1.7 times as long. -#}
{%- set reads_ranks = pass.metrics | selectattr('reads_ranks') | list or plan.counts_judged
    or rankmetrics_sql.rm_reads(pass, 'rnk') -%}
{%- if rankmetrics_sql.rm_matches_in_rows(pass) and not reads_ranks -%}
    {%- set names = names | reject('equalto', 'rnk') | list -%}
{%- endif -%}
{%- set of_other_rows = rankmetrics_sql.rm_unknown(facts.names)
    + rankmetrics_sql.rm_no_attributes(plan, plan.attribute_names + plan.mixed_names)
    + rankmetrics_sql.rm_each_is(facts.marks, '0') -%}
{%- set judges = rankmetrics_sql.rm_judges_in_rows(pass, facts) -%}
{%- set before = rankmetrics_sql.rm_nulls(names, not judges) -%}
{%- set after = rankmetrics_sql.rm_nulls(gains, not judges) -%}
{%- set of_query = plan.row_keys + before + (facts.truth if judges else facts.names)
    + plan.attribute_names + plan.mixed_names + rankmetrics_sql.rm_each_is(facts.marks, '1') + after -%}
{%- set stacked %}
    {{ rankmetrics_sql.rm_rows_of_items(pass, plan.row_keys + names, of_other_rows, computed) }}
    {%- if facts.in_rows %}
    {%- for branch in facts.branches %}
    UNION ALL
    {{ rankmetrics_sql.rm_rows_of_branch(pass, facts, branch, before, after) }}
    {%- endfor %}
    {%- else %}
    UNION ALL
    {{ rankmetrics_sql.rm_select(of_query) }}
    {{ rankmetrics_sql.rm_from_truth(pass, facts) if judges else 'FROM ' ~ facts.stage }}
    {%- endif %}
{%- endset -%}
{%- set about = rankmetrics_sql.rm_about_kept(pass)
    ~ ', and a row for each query with its facts (planners misjudge a join)' -%}
{%- if not rankmetrics_sql.rm_has_facts_on_rows(pass) -%}
    {{ return([rankmetrics_sql.rm_cte(pass.stages.rows, stacked, about)]) }}
{%- endif -%}
{{ return([
    rankmetrics_sql.rm_cte(pass.stages.stacked, stacked, about),
    rankmetrics_sql.rm_rows_with_facts(pass, judged | map(attribute='name') | list, facts),
]) }}
{% endmacro %}

{#-
The rows of items: those of judged, or of the ranking where no other stage reads them; gains that judged has not are
computed here.
-#}
{% macro rm_rows_of_items(pass, names, others, gains) %}
{%- set is_matched = rankmetrics_sql.rm_matches_in_rows(pass) -%}
{%- set found = {} -%}
{%- if is_matched -%}
    {%- for column in rankmetrics_sql.rm_of_one_item(pass, rankmetrics_sql.rm_matched_columns(pass)) -%}
        {%- do found.update({column.name: column}) -%}
    {%- endfor -%}
{%- elif gains -%}
    {%- for column in rankmetrics_sql.rm_columns_from('m', names + ['relevance']) -%}
        {%- do found.update({column.name: column}) -%}
    {%- endfor -%}
{%- endif -%}
{%- set columns = [] -%}
{%- for name in names -%}{%- do columns.append(found.get(name, name)) -%}{%- endfor -%}
{%- set columns = columns + others -%}
{%- for gain in gains -%}
    {%- set worth = rankmetrics_sql.rm_gain(gain.gain, gain.rel, found['relevance'].sql) -%}
    {%- do columns.append({'name': gain.name, 'sql': worth}) -%}
{%- endfor -%}
{%- set from = rankmetrics_sql.rm_from_kept(pass, pass.stages.ranked) if is_matched
    else 'FROM ' ~ pass.stages.judged ~ (' AS m' if gains else '') -%}
{{ return(rankmetrics_sql.rm_select(columns) ~ '\n    ' ~ from) }}
{% endmacro %}

{#- Whether each row has the facts of its query, for what compares them. -#}
{% macro rm_has_facts_on_rows(pass) %}
{{ return(pass.plan.level in ['points', 'judged'] or 'facts_on_rows' in pass.needs) }}
{% endmacro %}

{#- The rows of one relation with facts: what it knows between what rows of items alone have. -#}
{% macro rm_rows_of_branch(pass, facts, branch, before, after) %}
{%- set columns = rankmetrics_sql.rm_branch_keys(pass, branch) + before -%}
{%- for name in facts.names + pass.plan.attribute_names + pass.plan.mixed_names -%}
    {#- A query without a list has one without items, and no group that is not known is mixed. -#}
    {%- set is_zero = name in pass.plan.mixed_names or name == 'n_retrieved' and branch.mark == 'is_judged' -%}
    {%- set unknown = '0' if is_zero else 'NULL' -%}
    {%- do columns.extend(rankmetrics_sql.rm_columns_from('b', [name]) if name in branch.columns
        else [{'name': name, 'sql': unknown}]) -%}
{%- endfor -%}
{%- set columns = columns + rankmetrics_sql.rm_marks_of_branch(pass, branch, facts.marks) + after -%}
{%- set from = rankmetrics_sql.rm_branch_from(pass, branch) if facts.branches | length > 1
    else rankmetrics_sql.rm_only_branch_from(pass, branch) -%}
{{ return(rankmetrics_sql.rm_select(columns) ~ '\n    ' ~ from) }}
{% endmacro %}

{#- Whether something behind the rows reads a column of items, relevance or rnk, and not only what is made of it. -#}
{% macro rm_reads(pass, column) %}
{%- if rankmetrics_sql.rm_has_facts_on_rows(pass) -%}{{ return(true) }}{%- endif -%}
{%- for metric in pass.metrics if not metric.of_lists -%}
    {%- set expression = metric.expression if metric.expression is defined
        else rankmetrics_sql.rm_metric_expression(metric) -%}
    {%- if column in expression -%}{{ return(true) }}{%- endif -%}
    {%- for part in rankmetrics_sql.rm_parts(pass.plan, metric) if column in part.sql -%}
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
