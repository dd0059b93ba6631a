{#- The arms of an experiment, and how many units each has. -#}

{#- The names of the runs that a column tells apart, those whose rows have no item as well. -#}
{% macro rm_check_arms(input) %}
{%- set select = 'SELECT DISTINCT r.run_id\nFROM rankmetrics_rows AS r' -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_checked_rows(input, every=true), select)) }}
{% endmacro %}

{#-
A row for each arm, and group, whether the arms have as many units as their shares say or not: the test
sample_ratio_is_even of what they were asked, of which severity 2 is a mismatch. A unit is a query, or the cluster that
it is of; the others say which queries count. The arguments are those of rm_checked_units.
-#}
{% macro rm_check_sample_ratio(runs, others, keys, groups, shares) %}
{{ return(rankmetrics_sql.rm_sample_ratio(
    'sample_ratio_is_even',
    rankmetrics_sql.rm_checked_units(runs, others, keys, groups),
    keys or rankmetrics_sql.rm_query_keys(runs[0].input.columns.query_id),
    groups,
    shares,
    {'error_below': rankmetrics_sql.rm_sample_ratio_level(), 'warn_below': 2}
)) }}
{% endmacro %}

{#- How many clusters have queries in several groups; keys are the name of the cluster, the arguments as above. -#}
{% macro rm_check_clusters_in_groups(inputs, others, keys, groups) %}
{%- set ctes = rankmetrics_sql.rm_checked_units(inputs, others, keys, groups) -%}
{%- set columns = rankmetrics_sql.rm_qualified('t', keys + groups) | join(', ') -%}
{%- set select -%}
SELECT COUNT(*)
FROM (
    SELECT u.{{ keys[0] }}
    FROM (SELECT DISTINCT {{ columns }} FROM rankmetrics_test_queries AS t) AS u
    GROUP BY u.{{ keys[0] }}
    HAVING COUNT(*) > 1
) AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(ctes, select)) }}
{% endmacro %}

{#-
The units of each arm. Runs and others are records {input, columns}: of the groups the columns that are theirs, by name.
keys are the names of those that are the unit, none for the query; groups of the others.
-#}
{% macro rm_checked_units(runs, others, keys, groups) %}
{%- set of_query = rankmetrics_sql.rm_query_keys(runs[0].input.columns.query_id) -%}
{%- set ctes, arms, joins, found = [], [], [], {} -%}
{%- for side in runs + others -%}
    {%- set number = '_' ~ loop.index -%}
    {%- set names = rankmetrics_sql.rm_qualified('r', of_query) -%}
    {%- set own = names + rankmetrics_sql.rm_each('MAX(r.', side.columns.keys() | list) -%}
    {%- set is_run = loop.index <= runs | length -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(side.input, number, side.columns, true)) -%}
    {%- if is_run -%}
        {%- set arm = 'r.run_id' if side.input.columns.run_id else rankmetrics_sql.rm_string(side.input.name) -%}
        {%- set names = names + (['r.run_id'] if side.input.columns.run_id else []) -%}
        {%- do arms.append('SELECT ' ~ rankmetrics_sql.rm_lines(own + [{'name': 'arm', 'sql': arm}], 12)
            ~ ' FROM rankmetrics_rows' ~ number ~ ' AS r GROUP BY ' ~ names | join(', ')) -%}
    {%- else -%}
        {%- do joins.append('INNER JOIN (SELECT ' ~ rankmetrics_sql.rm_lines(own, 12) ~ ' FROM rankmetrics_rows'
            ~ number ~ ' AS r GROUP BY ' ~ names | join(', ') ~ ') AS o' ~ number ~ ' ON '
            ~ rankmetrics_sql.rm_same('o' ~ number, 'a', of_query)) -%}
    {%- endif -%}
    {%- for name in side.columns -%}
        {%- do found.update({name: ('a' if is_run else 'o' ~ number) ~ '.' ~ name}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set unit = [] -%}
{%- for key in keys or of_query -%}{%- do unit.append(found.get(key, 'a.' ~ key)) -%}{%- endfor -%}
{%- set columns = unit + ['a.arm'] -%}
{%- for group in groups -%}{%- do columns.append(found[group]) -%}{%- endfor -%}
{%- set units %}
    SELECT DISTINCT {{ columns | join(', ') }}
    FROM (
        {{ arms | join('\n        UNION ALL ') }}
    ) AS a
    {{ joins | join('\n    ') }}
    WHERE {{ rankmetrics_sql.rm_all_known(unit + ['a.arm']) }}
{%- endset -%}
{{ return(ctes + [rankmetrics_sql.rm_cte('rankmetrics_test_queries', units, 'the units of each arm')]) }}
{% endmacro %}
