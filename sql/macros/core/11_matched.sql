{#-
matched: the kept rows, judged or all, each with its rank and grade. Where rows alone reads them, they are its first
branch.
-#}

{% macro rm_matched(pass) %}
{%- set typical = rankmetrics_sql.rm_typical_grades(pass) -%}
{%- if pass.by_count -%}{{ return(typical + rankmetrics_sql.rm_matched_by_count(pass)) }}{%- endif -%}
{%- set ranked = typical + rankmetrics_sql.rm_ranked(pass) -%}
{%- if rankmetrics_sql.rm_matches_in_rows(pass) -%}{{ return(ranked) }}{%- endif -%}
{{ return(ranked + rankmetrics_sql.rm_matched_by_window(pass)) }}
{% endmacro %}

{#- Whether nothing but rows of this one pass reads the kept rows. -#}
{% macro rm_matches_in_rows(pass) %}
{%- set sharing = pass.plan.rankings | selectattr('matched_by', 'equalto', pass.matched_by) | list -%}
{{ return(
    pass.stages.judged == pass.stages.matched
    and sharing | length == 1
    and not pass.by_count
    and pass.assumed_grade is none
    and pass.options.unjudged not in ['mean', 'median']
    and not pass.gains | selectattr('gain', 'mapping') | list
    and not pass.ranged
    and not pass.truth_of_lists
    and not pass.plan.counts_faults
    and not rankmetrics_sql.rm_has_facts_on_rows(pass)
    and not rankmetrics_sql.rm_with_stages(pass.metrics)
    and not pass.metrics | selectattr('of_lists') | list
) }}
{% endmacro %}

{#- The names of its columns beside the rank. -#}
{% macro rm_matched_names(pass) %}
{{ return(
    pass.plan.row_keys + pass.item_names + (['subtopic'] if pass.subtopics else []) + pass.tie_names
    + (['score'] if pass.plan.reads_scores else []) + ['relevance'] + pass.plan.carried
    + (['is_unjudged'] if pass.all_rows else []) + (['n_copies', 'is_undefined'] if pass.plan.counts_faults else [])
) }}
{% endmacro %}

{#- Window strategy: rank the whole run, then keep the judged items. -#}
{% macro rm_matched_by_window(pass) %}
{%- set plan = pass.plan -%}
{%- set columns = rankmetrics_sql.rm_matched_columns(pass) -%}
{%- if plan.counts_faults -%}
    {%- set same_item = rankmetrics_sql.rm_item_keys(pass) | join(', ') -%}
    {%- set copies = 'COUNT(*) OVER (PARTITION BY ' ~ same_item ~ ')' -%}
    {%- do columns.append({'name': 'n_copies', 'sql': copies}) -%}
    {%- do columns.append(rankmetrics_sql.rm_is_undefined(pass, 'r.sort_value')) -%}
{%- endif -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.matched, rankmetrics_sql.rm_select_kept(pass, pass.stages.ranked, columns),
    rankmetrics_sql.rm_about_kept(pass) ~ ', with rank and grade'
)]) }}
{% endmacro %}

{% macro rm_matched_columns(pass) %}
{%- set read = ['score'] if pass.plan.reads_scores else [] -%}
{{ return(
    rankmetrics_sql.rm_matched_keys(pass)
    + rankmetrics_sql.rm_columns_from('r', ['rnk'] + pass.tie_names + read)
    + rankmetrics_sql.rm_graded_columns(pass)
) }}
{% endmacro %}

{#- Count strategy: a rank is one more than the number of items of the query that come before. -#}
{% macro rm_matched_by_count(pass) %}
{%- set plan = pass.plan -%}
{%- set checked = plan.counts_faults -%}
{%- set sorted_by = pass.order | selectattr('column') | map(attribute='name') | list -%}
{%- set read = ['score'] if plan.reads_scores else [] -%}
{%- set kept = sorted_by + (read | reject('in', sorted_by) | list) -%}
{%- set columns = rankmetrics_sql.rm_matched_keys(pass) + rankmetrics_sql.rm_columns_from('r', kept)
    + rankmetrics_sql.rm_graded_columns(pass) -%}
{%- if checked -%}{%- do columns.append(rankmetrics_sql.rm_is_undefined(pass, 'r.' ~ sorted_by[0])) -%}{%- endif -%}
{%- set always = none if plan.labelled else rankmetrics_sql.rm_always_true('r.' ~ sorted_by[0]) -%}
{%- set found = rankmetrics_sql.rm_select_kept(pass, plan.stages.run, columns, always) -%}
{%- set keys = plan.row_keys + ['item_id'] -%}
{%- set counted = [{'name': 'rnk', 'sql': rankmetrics_sql.rm_count_before(pass)}] -%}
{%- if pass.tie_names -%}
    {%- do counted.extend(rankmetrics_sql.rm_tie_counts(rankmetrics_sql.rm_tie_keys(pass))) -%}
{%- endif -%}
{%- if checked -%}
    {%- do counted.append({'name': 'n_copies', 'sql': 'COUNT(CASE WHEN r.item_id = m.item_id THEN 1 END)'}) -%}
{%- endif -%}
{%- set same = read + ['relevance'] + plan.carried + (['is_undefined'] if checked else []) -%}
{%- do counted.extend(rankmetrics_sql.rm_each('MAX(m.', same)) -%}
{%- set matched %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('m', keys) + counted) }}
    FROM {{ plan.stages.run }} AS r
    INNER JOIN {{ pass.stages.found }} AS m ON {{ rankmetrics_sql.rm_same('m', 'r', plan.row_keys) }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('m', keys) | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte(
        pass.stages.found, found,
        rankmetrics_sql.rm_about_kept(pass) ~ ', with their grades'
    ),
    rankmetrics_sql.rm_cte(
        pass.stages.matched, matched,
        'the same with their ranks, one more than the items before, ' ~ rankmetrics_sql.rm_about_order(pass)
    ),
]) }}
{% endmacro %}

{% macro rm_count_before(pass) %}
{%- set branches = [] -%}
{%- for key in pass.order -%}
    {%- set r = 'r.' ~ key.name if key.column else rankmetrics_sql.rm_text('r.item_id') -%}
    {%- set m = 'm.' ~ key.name if key.column else rankmetrics_sql.rm_text('m.item_id') -%}
    {%- if loop.last -%}
        {%- do branches.append('WHEN ' ~ r ~ (' > ' if key.descending else ' < ') ~ m ~ ' THEN 1') -%}
    {%- else -%}
        {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_comes_before('r', 'm', key) ~ ' THEN 1') -%}
        {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_comes_before('m', 'r', key) ~ ' THEN 0') -%}
    {%- endif -%}
{%- endfor -%}
{%- set expression -%}
CAST(1 + SUM(CASE
            {{ branches | join('\n            ') }}
            ELSE 0
        END) AS {{ rankmetrics_sql.rm_double_type() }})
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- Whether a row comes before another by one key; NULL stands where rm_direction puts it. -#}
{% macro rm_comes_before(one, other, key) %}
{%- set a = one ~ '.' ~ key.name -%}
{%- set b = other ~ '.' ~ key.name -%}
{%- if key.descending -%}{{ return(a ~ ' > ' ~ b ~ ' OR (' ~ b ~ ' IS NULL AND ' ~ a ~ ' IS NOT NULL)') }}{%- endif -%}
{{ return(a ~ ' < ' ~ b ~ ' OR (' ~ a ~ ' IS NULL AND ' ~ b ~ ' IS NOT NULL)') }}
{% endmacro %}

{#- n_above and n_through, counted. -#}
{% macro rm_tie_counts(keys) %}
{%- set above = 'COUNT(' ~ rankmetrics_sql.rm_one_if_before('r', 'm', keys) ~ ')' -%}
{%- set below = 'COUNT(' ~ rankmetrics_sql.rm_one_if_before('m', 'r', keys) ~ ')' -%}
{{ return([{'name': 'n_above', 'sql': above}, {'name': 'n_through', 'sql': 'COUNT(*) - ' ~ below}]) }}
{% endmacro %}

{#- 1 for a row that comes before another by the first key in which they differ; else NULL. -#}
{% macro rm_one_if_before(one, other, keys) %}
{%- set branches = [] -%}
{%- for key in keys -%}
    {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_comes_before(one, other, key) ~ ' THEN 1') -%}
    {%- if not loop.last -%}
        {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_comes_before(other, one, key) ~ ' THEN NULL') -%}
    {%- endif -%}
{%- endfor -%}
{{ return('CASE ' ~ branches | join(' ') ~ ' END') }}
{% endmacro %}

{#- The rows of a stage r that are kept, with a condition more; of an item its best row where no check refuses two. -#}
{% macro rm_select_kept(pass, stage, columns, condition=none) %}
{{ return(
    rankmetrics_sql.rm_select(rankmetrics_sql.rm_of_one_item(pass, columns)) ~ '\n    '
    ~ rankmetrics_sql.rm_from_kept(pass, stage, condition)
) }}
{% endmacro %}

{% macro rm_from_kept(pass, stage, condition=none) %}
{%- set clauses = ['FROM ' ~ stage ~ ' AS r', rankmetrics_sql.rm_kept_rows(pass)]
    + ([condition] if condition is not none else [])
    + (['GROUP BY ' ~ rankmetrics_sql.rm_item_keys(pass) | join(', ')] if pass.counts_once else []) -%}
{{ return(clauses | select | join('\n    ')) }}
{% endmacro %}

{#- What tells an item of a list from the others, and its rows where it has one for each of its subtopics. -#}
{% macro rm_item_keys(pass) %}
{{ return(
    rankmetrics_sql.rm_matched_keys(pass) | map(attribute='sql') | list + (['q.subtopic'] if pass.subtopics else [])
) }}
{% endmacro %}

{#-
The keys of a kept row. The judgments name its query where every kept row has one: a run that names it by another type
('7' and 7, which some engines join) would else be grouped apart from the facts of its query. Counted ranks compare the
text of the run's own item ids.
-#}
{% macro rm_matched_keys(pass) %}
{%- set plan = pass.plan -%}
{%- set judged = 'r' if plan.labelled or pass.all_rows else 'q' -%}
{{ return(
    rankmetrics_sql.rm_columns_from(judged, plan.query_keys)
    + rankmetrics_sql.rm_columns_from('r', ['run_id'] if plan.multi else [])
    + rankmetrics_sql.rm_columns_from('r' if pass.by_count else judged, ['item_id'])
) }}
{% endmacro %}

{#-
The columns of matched rows, where nothing has looked for items that stand twice in a list: such an item counts once, at
its best rank and with its highest grade.
-#}
{% macro rm_of_one_item(pass, columns) %}
{%- if not pass.counts_once -%}{{ return(columns) }}{%- endif -%}
{%- set keys = rankmetrics_sql.rm_item_keys(pass) -%}
{%- set lowest = ['rnk', 'given_position', 'raw_position', 'is_unjudged'] + pass.tie_names -%}
{%- set found = [] -%}
{%- for column in columns -%}
    {%- set sql = column if column is string else column.sql -%}
    {%- set name = sql.split('.')[-1] if column is string else column.name -%}
    {%- set best = 'MIN(' if name in lowest else 'MAX(' -%}
    {%- do found.append(column if sql in keys else {'name': name, 'sql': best ~ sql ~ ')'}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- The kept rows of a relation r: the judged or labelled ones, or every row. -#}
{% macro rm_kept_rows(pass) %}
{%- set plan = pass.plan -%}
{%- set lines = [] -%}
{%- if not plan.labelled -%}
    {%- set matches = rankmetrics_sql.rm_same('q', 'r', plan.query_keys + ['item_id']) -%}
    {%- set join = 'LEFT' if pass.all_rows else 'INNER' -%}
    {%- do lines.append(join ~ ' JOIN ' ~ pass.stages.judgments ~ ' AS q ON ' ~ matches) -%}
{%- endif -%}
{%- if pass.options.unjudged in ['mean', 'median'] -%}
    {%- set matches = rankmetrics_sql.rm_same('t', 'r', rankmetrics_sql.rm_typical_keys(plan)) -%}
    {%- do lines.append('LEFT JOIN ' ~ pass.stages.typical_grades ~ ' AS t ON ' ~ matches) -%}
{%- endif -%}
{%- if rankmetrics_sql.rm_item_columns(pass.item_needs) -%}
    {%- do lines.append('LEFT JOIN ' ~ plan.stages.each_item ~ ' AS i ON i.item_id = r.item_id') -%}
{%- endif -%}
{%- if plan.labelled and not pass.all_rows -%}{%- do lines.append('WHERE r.relevance IS NOT NULL') -%}{%- endif -%}
{{ return(lines | join('\n    ')) }}
{% endmacro %}

{#- What a row has beside its keys: its subtopic, its grade, with a mark where that is assumed, and what is carried. -#}
{% macro rm_graded_columns(pass) %}
{%- set judged = 'r' if pass.plan.labelled else 'q' -%}
{%- set columns = rankmetrics_sql.rm_columns_from('q', ['subtopic']) if pass.subtopics else [] -%}
{%- set other = 't.typical' if pass.options.unjudged in ['mean', 'median'] else pass.assumed_grade -%}
{%- if other is none -%}
    {%- do columns.extend(rankmetrics_sql.rm_columns_from(judged, ['relevance'])) -%}
{%- else -%}
    {%- set other = other if other is string else rankmetrics_sql.rm_number(other) -%}
    {%- set grade = rankmetrics_sql.rm_grade_or(judged ~ '.relevance', other) -%}
    {%- do columns.append({'name': 'relevance', 'sql': grade}) -%}
{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_columns_from(judged, pass.plan.carried)) -%}
{%- if pass.all_rows -%}
    {%- set unjudged = 'CASE WHEN ' ~ judged ~ '.relevance IS NULL THEN 1 ELSE 0 END' -%}
    {%- do columns.append({'name': 'is_unjudged', 'sql': unjudged}) -%}
{%- endif -%}
{{ return(columns + rankmetrics_sql.rm_item_columns(pass.item_needs)) }}
{% endmacro %}

{#- The mean or median grade of each query's judgments, for the items that have none. -#}
{% macro rm_typical_grades(pass) %}
{%- set how = pass.options.unjudged -%}
{%- if how not in ['mean', 'median'] -%}{{ return([]) }}{%- endif -%}
{%- set keys = rankmetrics_sql.rm_typical_keys(pass.plan) -%}
{{ return(rankmetrics_sql.rm_typical(pass.stages.typical_grades, pass.plan.stages.qrels, keys, 'relevance', how)) }}
{% endmacro %}

{% macro rm_typical_keys(plan) %}
{{ return(plan.row_keys if plan.own_truth else plan.query_keys) }}
{% endmacro %}

{#- Whether a score orders nothing, or a grade is none. -#}
{% macro rm_is_undefined(pass, sort_value) %}
{%- set grade = 'r.relevance' if pass.plan.labelled else 'q.relevance' -%}
{%- set undefined = [
    sort_value ~ ' IS NULL', rankmetrics_sql.rm_is_nan(sort_value), rankmetrics_sql.rm_is_nan(grade),
] -%}
{{ return({'name': 'is_undefined', 'sql': 'CASE WHEN ' ~ undefined | join(' OR ') ~ ' THEN 1 ELSE 0 END'}) }}
{% endmacro %}

{#- Which rows those are, in the words of a comment. -#}
{% macro rm_about_kept(pass) %}
{{ return('all retrieved items' if pass.all_rows else 'the judged items of each ranking') }}
{% endmacro %}
