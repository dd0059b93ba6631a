{#-
queries: one row per scored query (and run), with all that is known of it. Where rows alone reads them, it adds the
relations up itself.
-#}

{#-
What is known of a query beside its list:
    truth    the columns of the truth
    ctes     the relations with one row per list, or per query, that metrics bring along
    names    of all columns: those of the truth, n_retrieved, those of the relations
    branches the relations that know something: {relation, of_queries, mark, columns}, those with groups first, where
             of_queries says that it knows the same for every run
    stage    where it all stands: the truth itself where the judgments alone decide
    in_rows  whether rows stacks these relations itself
    marks    the columns of rows that say by a 1 that a query is scored
-#}
{% macro rm_facts(pass) %}
{%- set plan = pass.plan -%}
{%- set truth = rankmetrics_sql.rm_truth_columns(pass) -%}
{%- set relations = rankmetrics_sql.rm_relations(pass) -%}
{%- set names = truth | map(attribute='name') | list + (['n_retrieved'] if pass.counts_lists else []) -%}
{%- set ctes = [] -%}
{%- for relation in relations -%}
    {%- do names.extend(relation.columns) -%}
    {%- do ctes.extend(relation.ctes) -%}
{%- endfor -%}
{%- set truth_alone = names | length == truth | length and not plan.attributes and plan.query_list is none
    and pass.options.queries == 'judged' and (pass.truth_keys == plan.row_keys) -%}
{%- set branches = [] if truth_alone else rankmetrics_sql.rm_fact_branches(pass, truth, relations) -%}
{%- set in_rows = not truth_alone and rankmetrics_sql.rm_adds_up_facts_in_rows(pass) -%}
{{ return({
    'truth': truth,
    'ctes': ctes,
    'names': names,
    'branches': branches,
    'stage': pass.stages.query_judgment_facts if truth_alone else pass.stages.queries,
    'in_rows': in_rows,
    'marks': rankmetrics_sql.rm_universe_marks(pass) if in_rows and branches | length > 1
        else ['is_query'] if pass.marks_queries else [],
}) }}
{% endmacro %}

{#-
Whether rows can do without queries: it is added up by one GROUP BY anyway, nothing else reads what is known of a query,
and what one of the relations does not know is NULL, or the length of a list without items. PostgreSQL takes a column
for text whose first two branches are NULL: groups are of one side, and its branch is the second.
-#}
{% macro rm_adds_up_facts_in_rows(pass) %}
{{ return(
    pass.options.queries != 'retrieved'
    and not (
        rankmetrics_sql.rm_known_of(pass.plan, ['run'])
        and rankmetrics_sql.rm_known_of(pass.plan, ['qrels', 'query_list'])
    )
    and not rankmetrics_sql.rm_has_facts_on_rows(pass)
    and not pass.metrics | selectattr('of_lists') | list
) }}
{% endmacro %}

{#-
The relations of the pass's metrics, each {name, columns, ctes}, and of_queries where it is true; the ideal of lists
and the number of their first items are more of them.
-#}
{% macro rm_relations(pass) %}
{%- set relations = rankmetrics_sql.rm_shortened_ideal(pass) + rankmetrics_sql.rm_shown(pass)
    + rankmetrics_sql.rm_ranges(pass) -%}
{%- for metric in rankmetrics_sql.rm_with_stages(pass.metrics) -%}
    {%- set relation = rankmetrics_sql.rm_metric_relation(metric, pass) -%}
    {%- if relation is not none and relation not in relations -%}{%- do relations.append(relation) -%}{%- endif -%}
{%- endfor -%}
{{ return(relations) }}
{% endmacro %}

{#- The metrics that bring stages of their own along; the reciprocal rank does for expected ties only. -#}
{% macro rm_with_stages(metrics) %}
{%- set found = [] -%}
{%- for metric in metrics if metric.has_relation and (metric.name != 'rr' or metric.params.ties == 'expected') -%}
    {%- do found.append(metric) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{% macro rm_fact_branches(pass, truth, relations) %}
{%- set plan = pass.plan -%}
{%- set branches = [] -%}
{%- set of_run = rankmetrics_sql.rm_known_of(plan, ['run']) -%}
{%- set of_queries = rankmetrics_sql.rm_known_of(plan, ['qrels', 'query_list']) -%}
{%- if of_run -%}
    {%- do branches.append({
        'relation': plan.stages.groups_of_run, 'of_queries': false, 'mark': none, 'columns': of_run,
    }) -%}
{%- endif -%}
{%- if of_queries -%}
    {%- do branches.append({
        'relation': rankmetrics_sql.rm_groups_of_queries(plan), 'of_queries': true, 'mark': none, 'columns': of_queries,
    }) -%}
{%- endif -%}
{%- do branches.append({
    'relation': pass.stages.query_judgment_facts,
    'of_queries': pass.truth_keys == plan.query_keys,
    'mark': 'is_judged',
    'columns': truth | map(attribute='name') | list,
}) -%}
{%- if pass.counts_lists -%}
    {%- do branches.append({
        'relation': pass.stages.retrieved, 'of_queries': false, 'mark': 'is_retrieved', 'columns': ['n_retrieved'],
    }) -%}
{%- endif -%}
{%- for relation in relations -%}
    {%- do branches.append({
        'relation': relation.name,
        'of_queries': relation.of_queries is defined and relation.of_queries,
        'mark': none,
        'columns': relation.columns,
    }) -%}
{%- endfor -%}
{%- if plan.query_list is not none -%}
    {%- do branches.append({
        'relation': plan.stages.query_list, 'of_queries': true, 'mark': 'is_listed', 'columns': [],
    }) -%}
{%- endif -%}
{{ return(branches) }}
{% endmacro %}

{#-
What different relations know of a query is stacked and brought together by one GROUP BY: no planner can guess how many
rows a join of two derived relations has.
-#}
{% macro rm_queries(pass, facts) %}
{%- if not facts.branches or facts.in_rows -%}{{ return([]) }}{%- endif -%}
{%- set plan = pass.plan -%}
{%- if facts.branches | length == 1 -%}
    {%- set branch = facts.branches[0] -%}
    {%- set queries %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_branch_keys(pass, branch) + branch.columns) }}
    {{ rankmetrics_sql.rm_only_branch_from(pass, branch) }}
    {%- endset -%}
    {{ return([rankmetrics_sql.rm_cte(
        facts.stage, queries,
        'the scored queries, each with its facts'
    )]) }}
{%- endif -%}
{%- set marks = rankmetrics_sql.rm_universe_marks(pass) -%}
{%- set selects = [] -%}
{%- for branch in facts.branches -%}
    {%- do selects.append(rankmetrics_sql.rm_fact_select(pass, facts.names, branch, marks)) -%}
{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_columns_from('f', plan.row_keys)
    + rankmetrics_sql.rm_each('MAX(f.', plan.attribute_names + plan.mixed_names) -%}
{%- set counted = ['n_retrieved'] -%}
{%- if pass.options.queries == 'retrieved' -%}
    {%- do counted.extend(facts.truth | map(attribute='name') | list) -%}
{%- endif -%}
{%- for name in facts.names -%}
    {%- set known = 'MAX(f.' ~ name ~ ')' -%}
    {%- do columns.append({'name': name, 'sql': 'COALESCE(' ~ known ~ ', 0)' if name in counted else known}) -%}
{%- endfor -%}
{%- set conditions = [] -%}
{%- for mark in marks -%}{%- do conditions.append('MAX(f.' ~ mark ~ ') = 1') -%}{%- endfor -%}
{%- set queries %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ pass.stages.facts }} AS f
    GROUP BY {{ rankmetrics_sql.rm_qualified('f', plan.row_keys) | join(', ') }}
    HAVING {{ conditions | join(' AND ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        pass.stages.facts, selects | join('\n    UNION ALL\n    '),
        'the facts of each query, stacked from several stages'
    ),
    rankmetrics_sql.rm_cte(facts.stage, queries, 'the scored queries, each with its facts'),
]) }}
{% endmacro %}

{#-
What makes a query one of those that are scored, each a mark of one relation. Without judgments a list of queries says
all: whom nothing is shown has an empty list.
-#}
{% macro rm_universe_marks(pass) %}
{%- set queries = pass.options.queries -%}
{%- set marks = ['is_judged'] if queries != 'retrieved' else [] -%}
{%- set is_listed = pass.plan.query_list is not none -%}
{%- if queries == 'judged_retrieved' or queries == 'retrieved' and (pass.plan.has_judgments or not is_listed) -%}
    {%- do marks.append('is_retrieved') -%}
{%- endif -%}
{%- if is_listed -%}{%- do marks.append('is_listed') -%}{%- endif -%}
{{ return(marks) }}
{% endmacro %}

{#- One relation's rows of the stack: what it knows, and NULL for what the others know. -#}
{% macro rm_fact_select(pass, names, branch, marks) %}
{%- set columns = rankmetrics_sql.rm_branch_keys(pass, branch) -%}
{%- for name in pass.plan.attribute_names + pass.plan.mixed_names -%}
    {%- set known = name in branch.columns -%}
    {%- set unknown = rankmetrics_sql.rm_no_attributes(pass.plan, [name]) -%}
    {%- do columns.extend(rankmetrics_sql.rm_columns_from('b', [name]) if known else unknown) -%}
{%- endfor -%}
{%- for name in names -%}
    {%- set known = name in branch.columns -%}
    {%- do columns.extend(rankmetrics_sql.rm_columns_from('b', [name]) if known
        else rankmetrics_sql.rm_unknown([name])) -%}
{%- endfor -%}
{%- set columns = columns + rankmetrics_sql.rm_marks_of_branch(pass, branch, marks) -%}
{%- set from = rankmetrics_sql.rm_branch_from(pass, branch) -%}
{{ return('SELECT\n        ' ~ rankmetrics_sql.rm_lines(columns) ~ '\n    ' ~ from) }}
{% endmacro %}

{#- What the rows of a branch say of each mark. -#}
{% macro rm_marks_of_branch(pass, branch, marks) %}
{%- set columns = [] -%}
{%- for mark in marks -%}
    {%- set holds = '1' if mark in [branch.mark, 'is_query'] else '0' -%}
    {%- if mark == branch.mark and mark == 'is_judged' and pass.options.queries == 'judged_relevant' -%}
        {%- set n_relevant = rankmetrics_sql.rm_n_universe(pass.universe_rel) -%}
        {%- set holds = 'CASE WHEN b.' ~ n_relevant ~ ' > 0 THEN 1 ELSE 0 END' -%}
    {%- endif -%}
    {%- do columns.append({'name': mark, 'sql': holds}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- A relation made of the judgments alone: where no list has judgments of its own, it is the same for every run. -#}
{% macro rm_of_truth(pass, relation) %}
{{ return({'relation': relation, 'of_queries': pass.truth_keys == pass.plan.query_keys}) }}
{% endmacro %}

{#- The keys of a query in a relation b that may know the same for every run u. -#}
{% macro rm_branch_keys(pass, branch) %}
{%- set plan = pass.plan -%}
{%- if not (branch.of_queries and plan.multi) -%}
    {{ return(rankmetrics_sql.rm_columns_from('b', plan.row_keys)) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_columns_from('b', plan.query_keys) + rankmetrics_sql.rm_columns_from('u', ['run_id'])) }}
{% endmacro %}

{% macro rm_branch_from(pass, branch) %}
{%- set crossed = '\n    CROSS JOIN ' ~ pass.plan.stages.runs ~ ' AS u' -%}
{{ return('FROM ' ~ branch.relation ~ ' AS b' ~ (crossed if branch.of_queries and pass.plan.multi else '')) }}
{% endmacro %}

{#- The same of the only one, of which the judgments say which queries are scored. -#}
{% macro rm_only_branch_from(pass, branch) %}
{%- set from = rankmetrics_sql.rm_branch_from(pass, branch) -%}
{%- if pass.options.queries != 'judged_relevant' -%}{{ return(from) }}{%- endif -%}
{{ return(from ~ '\n    WHERE b.' ~ rankmetrics_sql.rm_n_universe(pass.universe_rel) ~ ' > 0') }}
{% endmacro %}
