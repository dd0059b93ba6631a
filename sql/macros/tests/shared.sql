{#-
What the generic tests share. A test returns the rows that broke and nothing else; severity_level is 1 for a warning and
2 for an error. What cannot be judged, because it is NULL or not a number, is an error: nothing passes by being absent.
-#}

{#-
The statement: its stages, and of the last, rankmetrics_test_levels, the rows that broke; none on --empty relations.
-#}
{% macro rm_test_query(ctes, columns) %}
{%- set is_empty = flags.EMPTY is defined and flags.EMPTY -%}
{%- set select -%}
SELECT
    {{ columns | join(',\n    ') }}
FROM rankmetrics_test_levels
WHERE severity_level > 0{{ ' AND 1 = 0' if is_empty else '' }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(ctes) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- The level of each row, out of conditions on its columns; too few queries make a warning of an error. -#}
{% macro rm_test_levels(columns, unusable, error, warn, demoted=none, settled=none, reasons=none, reason='NULL') %}
{%- set level = '2' if demoted is none else 'CASE WHEN ' ~ demoted ~ ' THEN 1 ELSE 2 END' -%}
{%- set levels %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        {%- if reasons is not none %}
        {{ rankmetrics_sql.rm_test_reason(reasons, reason) }},
        {%- endif %}
        CASE
            WHEN {{ unusable }} THEN 2
            {%- if settled is not none %}
            WHEN {{ settled }} THEN 0
            {%- endif %}
            WHEN {{ error }} THEN {{ level }}
            WHEN {{ warn }} THEN 1
            ELSE 0
        END AS severity_level
    FROM rankmetrics_test_values
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_test_levels', levels,
    'how severe each row is, 0 nothing, 1 a warning, 2 or more an error'
)) }}
{% endmacro %}

{% macro rm_test_lacking(column) %}
{{ return(column ~ ' IS NULL OR ' ~ rankmetrics_sql.rm_is_nan(column)) }}
{% endmacro %}

{#- Rounding is no drop: what differs by less counts as equal. -#}
{% macro rm_test_floor() %}
{{ return(rankmetrics_sql.rm_number('1e-12')) }}
{% endmacro %}

{#- A drop as a share of the earlier value; a drop from 0 exceeds any share. -#}
{% macro rm_test_share(drop, baseline) %}
{%- set small = 'ABS(' ~ drop ~ ') <= ' ~ rankmetrics_sql.rm_test_floor() -%}
{%- set share = '(' ~ drop ~ ') / ABS(' ~ baseline ~ ')' -%}
{%- set beyond = ' WHEN ' ~ drop ~ ' > 0 THEN ' ~ rankmetrics_sql.rm_number('1e300') ~ ' ELSE 0 END' -%}
{{ return('CASE WHEN ' ~ small ~ ' THEN 0 WHEN ' ~ baseline ~ ' <> 0 THEN ' ~ share ~ beyond) }}
{% endmacro %}

{% macro rm_test_too_few(min_queries) %}
{{ return(none if min_queries is none else 'n_queries < min_queries') }}
{% endmacro %}

{% macro rm_test_fail(test, message) %}
{{ exceptions.raise_compiler_error('rankmetrics_sql: ' ~ test ~ ': ' ~ message) }}
{% endmacro %}

{#- One of these arguments at least must be given. -#}
{% macro rm_test_require(test, given) %}
{%- for value in given.values() if rankmetrics_sql.rm_or_null(value) is not none -%}{{ return(none) }}{%- endfor -%}
{%- do rankmetrics_sql.rm_test_fail(test, 'give at least one of ' ~ given | join(', ') ~ '.') -%}
{% endmacro %}

{#- A number of the user's as a double; NULL where there is none. Text is read too, which is what env_var gives. -#}
{% macro rm_test_number(test, argument, value) %}
{%- set value = rankmetrics_sql.rm_or_null(value) -%}
{%- set is_text = value is string and rankmetrics_sql.rm_is_number(value | trim) -%}
{%- if value is not none and value is not number and not is_text -%}
    {%- do rankmetrics_sql.rm_test_fail(test, argument ~ ' must be a number, not '
        ~ rankmetrics_sql.rm_written_value(value) ~ '.') -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_as_double('NULL' if value is none else value)) }}
{% endmacro %}

{#- A threshold: one number for all metrics, or a mapping with a number for some of them, by name. -#}
{% macro rm_test_limit(test, argument, value, labels, column) %}
{%- if value is not mapping -%}{{ return(rankmetrics_sql.rm_test_number(test, argument, value)) }}{%- endif -%}
{%- set branches = [] -%}
{%- for label, limit in value.items() -%}
    {%- if label not in labels -%}
        {%- set valid = '. Valid: ' ~ labels | join(', ') ~ '.' -%}
        {%- do rankmetrics_sql.rm_test_fail(test, argument ~ ': there is no '
            ~ rankmetrics_sql.rm_written_value(label) ~ valid) -%}
    {%- endif -%}
    {%- set number = rankmetrics_sql.rm_test_number(test, argument, limit) -%}
    {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_string(label) ~ ' THEN ' ~ number) -%}
{%- endfor -%}
{%- if not branches -%}{{ return(rankmetrics_sql.rm_test_number(test, argument, none)) }}{%- endif -%}
{{ return('CASE ' ~ column ~ ' ' ~ branches | join(' ') ~ ' END') }}
{% endmacro %}

{#- The metrics asked for with their labels as in the results, and which way is better. -#}
{% macro rm_test_metrics(metrics, arguments, compared=false) %}
{%- set known = rankmetrics_sql.rm_known_metrics() -%}
{%- set found = [] -%}
{%- set choices = rankmetrics_sql.rm_project_choices(arguments.options, arguments.profile) -%}
{%- for metric in rankmetrics_sql.rm_resolved_metrics(metrics, choices, compared) -%}
    {%- set better = known[metric.name].better if metric.name in known else 'higher' -%}
    {%- do found.append({'label': metric.label, 'better': better}) -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- One row per metric that must have a value; a join with the values shows the metrics without one. -#}
{% macro rm_test_expected(labels) %}
{%- set rows = [] -%}
{%- for label in labels -%}
    {%- do rows.append('SELECT ' ~ rankmetrics_sql.rm_string(label) ~ ' AS metric') -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_test_expected', rows | join('\n    UNION ALL '),
    'the metrics that must have a value'
)) }}
{% endmacro %}

{% macro rm_test_source(model) %}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_test_source', 'SELECT * FROM ' ~ model, 'the model that is tested')) }}
{% endmacro %}

{#- The names that groups have in a result. -#}
{% macro rm_test_groups(by) %}
{%- set names = [] -%}
{%- for column in rankmetrics_sql.rm_group_list(by) -%}
    {%- do names.append(rankmetrics_sql.rm_split_side(column).name) -%}
{%- endfor -%}
{{ return(names) }}
{% endmacro %}

{#- A long table has a column called metric already, which then names the rows. -#}
{% macro rm_test_named(groups, label) %}
{{ return([] if 'metric' in groups else [{'name': 'metric', 'sql': rankmetrics_sql.rm_string(label)}]) }}
{% endmacro %}

{#- The row of a validity test: what is wrong, where, and how many rows it is about. -#}
{% macro rm_test_problems(ctes, keys, selects, sought, warn_on, found=['found_value']) %}
{%- if not selects -%}{%- do rankmetrics_sql.rm_test_fail('ignore', 'nothing is left to look for.') -%}{%- endif -%}
{%- do ctes.append(rankmetrics_sql.rm_cte(
    'rankmetrics_test_values', selects | join('\n    UNION ALL\n    '),
    'the problems found, one row each'
)) -%}
{%- set columns = ['problem'] + keys + found + ['n_rows'] -%}
{%- set warned = [] -%}
{%- for problem in sought if problem in rankmetrics_sql.rm_as_list(warn_on) -%}
    {%- do warned.append(rankmetrics_sql.rm_string(problem)) -%}
{%- endfor -%}
{%- set warn = 'problem IN (' ~ warned | join(', ') ~ ')' if warned else '1 = 0' -%}
{%- do ctes.append(rankmetrics_sql.rm_test_levels(columns, '1 = 0', 'NOT (' ~ warn ~ ')', warn)) -%}
{{ return(rankmetrics_sql.rm_test_query(ctes, columns + ['severity_level'])) }}
{% endmacro %}

{#- The problems to look for; misspelt names are refused. -#}
{% macro rm_test_sought(test, known, warn_on, ignore) %}
{%- for argument, names in {'warn_on': warn_on, 'ignore': ignore}.items() -%}
    {%- for name in rankmetrics_sql.rm_as_list(names) if name not in known -%}
        {%- set valid = '. Valid: ' ~ known | join(', ') ~ '.' -%}
        {%- do rankmetrics_sql.rm_test_fail(test, argument ~ ': there is no '
            ~ rankmetrics_sql.rm_written_value(name) ~ valid) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set sought = [] -%}
{%- for name in known if name not in rankmetrics_sql.rm_as_list(ignore) -%}{%- do sought.append(name) -%}{%- endfor -%}
{{ return(sought) }}
{% endmacro %}

{#- Rows that have one of the problems themselves: {problem: condition}; the first that holds names it. -#}
{% macro rm_test_faulty_rows(source, keys, value, conditions) %}
{%- set branches = [] -%}
{%- set wrong = [] -%}
{%- for problem, condition in conditions.items() -%}
    {%- do branches.append('WHEN ' ~ condition ~ ' THEN ' ~ rankmetrics_sql.rm_string(problem)) -%}
    {%- do wrong.append('(' ~ condition ~ ')') -%}
{%- endfor -%}
{%- if not branches -%}{{ return([]) }}{%- endif -%}
{%- set select -%}
    SELECT
        CASE
            {{ branches | join('\n            ') }}
        END AS problem,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', keys)) }},
        {{ value }} AS found_value,
        1 AS n_rows
    FROM {{ source }} AS s
    WHERE {{ wrong | join(' OR ') }}
{%- endset -%}
{{ return([select | trim]) }}
{% endmacro %}

{#- Keys that occur in several rows; another test reports incomplete keys. -#}
{% macro rm_test_duplicates(keys, sought) %}
{%- if 'duplicate' not in sought -%}{{ return([]) }}{%- endif -%}
{%- set names = rankmetrics_sql.rm_qualified('s', keys) -%}
{%- set select -%}
    SELECT
        'duplicate' AS problem,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', keys)) }},
        {{ rankmetrics_sql.rm_number('NULL') }} AS found_value,
        COUNT(*) AS n_rows
    FROM rankmetrics_test_source AS s
    WHERE {{ names | join(' IS NOT NULL AND ') }} IS NOT NULL
    GROUP BY {{ names | join(', ') }}
    HAVING COUNT(*) > 1
{%- endset -%}
{{ return([select | trim]) }}
{% endmacro %}

{#- A relation without rows; MIN of nothing is a NULL of the right type. -#}
{% macro rm_test_no_rows(keys, sought) %}
{%- if 'no_rows' not in sought -%}{{ return([]) }}{%- endif -%}
{%- set select -%}
    SELECT
        'no_rows' AS problem,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_each('MIN(s.', keys)) }},
        {{ rankmetrics_sql.rm_number('NULL') }} AS found_value,
        COUNT(*) AS n_rows
    FROM rankmetrics_test_source AS s
    HAVING COUNT(*) = 0
{%- endset -%}
{{ return([select | trim]) }}
{% endmacro %}

{#- Why a row can say nothing, {reason: condition}, in words; where it can, what its verdict says, or NULL. -#}
{% macro rm_test_reason(conditions, reason) %}
{%- set branches = [] -%}
{%- for reason, condition in conditions.items() -%}
    {%- do branches.append('WHEN ' ~ condition ~ ' THEN ' ~ rankmetrics_sql.rm_string(reason)) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_case(branches + ['ELSE ' ~ reason], indent=8) ~ ' AS reason') }}
{% endmacro %}
