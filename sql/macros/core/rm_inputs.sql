{#- The user's relations under the package's own column names. Only the first stage of each reads all columns. -#}

{#- A user's column of the relation s; ids read from files are compared as text. -#}
{% macro rm_id(input, column) %}
{%- if input.text_ids -%}
    {%- set text = 'CAST(s.' ~ column ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')' -%}
    {{ return(rankmetrics_sql.rm_compared_by_bytes(text, column in input.collated)) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_key(input, column)) }}
{% endmacro %}

{#- A column of the relation s that rows are joined, grouped or told apart by: by its bytes, whatever its collation. -#}
{% macro rm_key(input, column, alias='s') %}
{{ return(rankmetrics_sql.rm_compared_by_bytes(alias ~ '.' ~ column, column in input.collated)) }}
{% endmacro %}

{% macro rm_query_columns(plan, input) %}
{%- set columns = [] -%}
{%- for column in input.columns.query_id -%}
    {%- do columns.append(rankmetrics_sql.rm_id(input, column) ~ ' AS ' ~ plan.query_keys[loop.index0]) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_group_columns(plan, relation, input) %}
{%- set columns = [] -%}
{%- for group in plan.groups if group.relation == relation -%}
    {%- do columns.append(rankmetrics_sql.rm_key(input, group.column) ~ ' AS ' ~ group.name) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_grade(input) %}
{{ return(rankmetrics_sql.rm_as_double('s.' ~ input.columns.relevance) ~ ' AS relevance') }}
{% endmacro %}

{% macro rm_run_columns(plan, input) %}
{%- set columns = [] -%}
{%- if input.name is not none -%}{%- do columns.append(rankmetrics_sql.rm_string(input.name) ~ ' AS run_id') -%}{%- endif -%}
{%- if input.columns.run_id -%}{%- do columns.append(rankmetrics_sql.rm_id(input, input.columns.run_id) ~ ' AS run_id') -%}{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_query_columns(plan, input)) -%}
{%- do columns.append(rankmetrics_sql.rm_id(input, input.columns.item_id) ~ ' AS item_id') -%}
{%- for key in plan.order -%}
    {%- set number = rankmetrics_sql.rm_as_double('s.' ~ input.columns[key.column]) -%}
    {%- do columns.append((rankmetrics_sql.rm_rounded_to_float32(number) if key.name == 'score_float32' else number) ~ ' AS ' ~ key.name) -%}
{%- endfor -%}
{%- if plan.labelled -%}{%- do columns.append(rankmetrics_sql.rm_grade(input)) -%}{%- endif -%}
{%- if input.columns.n_relevant -%}{%- do columns.append(rankmetrics_sql.rm_as_double('s.' ~ input.columns.n_relevant) ~ ' AS n_relevant_given') -%}{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_group_columns(plan, 'run', input)) -%}
{{ return(columns) }}
{% endmacro %}

{#-
The nearest number of 32 bits. What rounds to infinity stays above all others, and what rounds to 0 is 0: the cast itself
is an error there in some engines.
-#}
{% macro rm_rounded_to_float32(number) %}
{%- set beyond = rankmetrics_sql.rm_as_double('3.4028235677973366e38') -%}
{%- set rounded -%}
CASE
            WHEN {{ number }} >= {{ beyond }} THEN {{ rankmetrics_sql.rm_as_double('1e39') }}
            WHEN {{ number }} <= -{{ beyond }} THEN {{ rankmetrics_sql.rm_as_double('-1e39') }}
            WHEN ABS({{ number }}) <= {{ rankmetrics_sql.rm_as_double('7.006492321624085e-46') }} THEN {{ rankmetrics_sql.rm_as_double('0') }}
            ELSE {{ rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_as_float32(number)) }}
        END
{%- endset -%}
{{ return(rounded) }}
{% endmacro %}

{#- run: one row per retrieved item. -#}
{% macro rm_run(plan) %}
{%- set ctes = [] -%}
{%- set selects = [] -%}
{%- set kind = none if plan.runs | selectattr('is_query') | list else 'inlined' -%}
{%- for input in plan.runs -%}
    {%- set source = 'rankmetrics_run_source' ~ ('_' ~ loop.index if plan.runs | length > 1 else '') -%}
    {%- do ctes.append(rankmetrics_sql.rm_cte(source, 'SELECT * FROM ' ~ input.relation, kind)) -%}
    {%- set select -%}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_run_columns(plan, input)) }}
    FROM {{ source }} AS s
    {%- endset -%}
    {%- do selects.append(select | trim) -%}
{%- endfor -%}
{%- set imputed = plan.labelled and plan.options.impute is not none -%}
{%- set name = 'rankmetrics_run_given' if imputed else 'rankmetrics_run' -%}
{%- do ctes.append(rankmetrics_sql.rm_cte(name, selects | join('\n    UNION ALL\n    '), kind)) -%}
{%- if imputed -%}{%- do ctes.extend(rankmetrics_sql.rm_imputed(plan, 'rankmetrics_run', plan.row_keys, rankmetrics_sql.rm_run_names(plan))) -%}{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{#- The columns of rankmetrics_run beside its keys and grade. -#}
{% macro rm_run_names(plan) %}
{%- set names = ['item_id'] + plan.order | map(attribute='name') | list -%}
{%- if plan.runs[0].columns.n_relevant -%}{%- do names.append('n_relevant_given') -%}{%- endif -%}
{%- for group in plan.groups if group.relation == 'run' -%}{%- do names.append(group.name) -%}{%- endfor -%}
{{ return(names) }}
{% endmacro %}

{#- A grade, or what stands for one that is missing: cast, because in ClickHouse it must be able to be NULL behind a LEFT JOIN. -#}
{% macro rm_grade_or(grade, other) %}{{ return(rankmetrics_sql.rm_as_double('COALESCE(' ~ grade ~ ', ' ~ other ~ ')')) }}{% endmacro %}

{#- A missing grade becomes a number, or the mean or median of the grades that its query has. -#}
{% macro rm_imputed(plan, name, keys, others) %}
{%- set ctes = [] -%}
{%- set grade = rankmetrics_sql.rm_number(plan.options.impute) if plan.options.impute is number else 't.typical' -%}
{%- set columns = rankmetrics_sql.rm_qualified('g', keys + others) + [rankmetrics_sql.rm_grade_or('g.relevance', grade) ~ ' AS relevance'] -%}
{%- if plan.options.impute is not number -%}
    {%- do ctes.extend(rankmetrics_sql.rm_typical(name ~ '_typical', name ~ '_given', keys, 'relevance', plan.options.impute)) -%}
{%- endif -%}
{%- set imputed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ name }}_given AS g
    {%- if plan.options.impute is not number %}
    LEFT JOIN {{ name }}_typical AS t ON {{ rankmetrics_sql.rm_same('t', 'g', keys) }}
    {%- endif %}
{%- endset -%}
{%- do ctes.append(rankmetrics_sql.rm_cte(name, imputed)) -%}
{{ return(ctes) }}
{% endmacro %}

{#- qrels: one row per judgment. -#}
{% macro rm_qrels(plan) %}
{%- if plan.qrels is none -%}{{ return(rankmetrics_sql.rm_labelled_qrels(plan)) }}{%- endif -%}
{%- set imputed = plan.options.impute is not none -%}
{%- set columns = rankmetrics_sql.rm_query_columns(plan, plan.qrels) -%}
{%- do columns.append(rankmetrics_sql.rm_id(plan.qrels, plan.qrels.columns.item_id) ~ ' AS item_id') -%}
{%- if plan.subtopics -%}{%- do columns.append(rankmetrics_sql.rm_id(plan.qrels, plan.qrels.columns.subtopic) ~ ' AS subtopic') -%}{%- endif -%}
{%- do columns.append(rankmetrics_sql.rm_grade(plan.qrels)) -%}
{%- do columns.extend(rankmetrics_sql.rm_group_columns(plan, 'qrels', plan.qrels)) -%}
{%- set name = 'rankmetrics_subtopics' if plan.subtopics else 'rankmetrics_qrels' -%}
{%- set qrels %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_qrels_source AS s
    {%- if not imputed %}
    WHERE s.{{ plan.qrels.columns.relevance }} IS NOT NULL
    {%- endif %}
{%- endset -%}
{%- set ctes = [
    rankmetrics_sql.rm_cte('rankmetrics_qrels_source', 'SELECT * FROM ' ~ plan.qrels.relation),
    rankmetrics_sql.rm_cte(name ~ ('_given' if imputed else ''), qrels),
] -%}
{%- if imputed -%}
    {%- set others = ['item_id'] + (['subtopic'] if plan.subtopics else []) -%}
    {%- for group in plan.groups if group.relation == 'qrels' -%}{%- do others.append(group.name) -%}{%- endfor -%}
    {%- do ctes.extend(rankmetrics_sql.rm_imputed(plan, name, plan.query_keys, others)) -%}
{%- endif -%}
{%- if plan.subtopics -%}{%- do ctes.append(rankmetrics_sql.rm_items_of_subtopics(plan)) -%}{%- endif -%}
{{ return(ctes) }}
{% endmacro %}

{#- An item is as relevant as it is to the subtopic that it serves best. -#}
{% macro rm_items_of_subtopics(plan) %}
{%- set keys = plan.query_keys + ['item_id'] -%}
{%- set columns = keys + ['MAX(relevance) AS relevance'] -%}
{%- for group in plan.groups if group.relation == 'qrels' -%}{%- do columns.append('MIN(' ~ group.name ~ ') AS ' ~ group.name) -%}{%- endfor -%}
{%- set items %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_subtopics
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte('rankmetrics_qrels', items)) }}
{% endmacro %}

{#- The judgments that a labelled table carries itself: its rows with a grade. -#}
{% macro rm_labelled_qrels(plan) %}
{%- set columns = plan.row_keys + ['item_id', 'relevance'] -%}
{%- set present %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_run
    WHERE relevance IS NOT NULL
{%- endset -%}
{%- if not plan.runs[0].columns.n_relevant -%}
    {{ return([rankmetrics_sql.rm_cte('rankmetrics_qrels', present)]) }}
{%- endif -%}
{{ return([rankmetrics_sql.rm_digits()[0]] + rankmetrics_sql.rm_missed(plan) + [
    rankmetrics_sql.rm_cte('rankmetrics_qrels', present | trim ~ '\n    UNION ALL\n    ' ~ rankmetrics_sql.rm_missed_rows(plan)),
]) }}
{% endmacro %}

{#- How many relevant items a query has beyond those in its list, by the column that says how many there are. -#}
{% macro rm_missed(plan) %}
{%- set keys = plan.row_keys | join(', ') -%}
{%- set missed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.row_keys) }},
        FLOOR(MAX(n_relevant_given)) - SUM(CASE WHEN relevance >= {{ rankmetrics_sql.rm_number(plan.options.rel) }} THEN 1 ELSE 0 END) AS n_missed
    FROM rankmetrics_run
    GROUP BY {{ keys }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_missed', missed)]) }}
{% endmacro %}

{#-
One judgment per missed item, with the lowest grade that counts as relevant. They are counted digit by digit, each as far
as there are items, so that no list is held against all numbers.
-#}
{% macro rm_missed_rows(plan) %}
{%- set grade = 'CAST(' ~ rankmetrics_sql.rm_number(plan.options.rel) ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ')' -%}
{%- set columns = rankmetrics_sql.rm_qualified('m', plan.row_keys) + ['NULL AS item_id', grade ~ ' AS relevance'] -%}
{%- set number = [] -%}
{%- set joins = [] -%}
{%- for digit in ['e', 'd', 'c', 'b', 'a'] -%}
    {%- set worth = [10000, 1000, 100, 10, 1][loop.index0] -%}
    {%- do number.append((worth ~ ' * ' if worth > 1 else '') ~ digit ~ '.digit') -%}
    {%- do joins.append('INNER JOIN rankmetrics_digits AS ' ~ digit ~ ' ON ' ~ number | join(' + ') ~ ' < m.n_missed') -%}
{%- endfor -%}
{%- set rows -%}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_missed AS m
    {{ joins | join('\n    ') }}
{%- endset -%}
{{ return(rows | trim) }}
{% endmacro %}

{#- The whole numbers from 1 to 100,000 out of ten digits: no engine lacks a cross join. -#}
{% macro rm_digits() %}
{%- set digits = [] -%}
{%- for digit in range(10) -%}{%- do digits.append('SELECT ' ~ digit ~ ' AS digit') -%}{%- endfor -%}
{%- set positions %}
    SELECT 1 + a.digit + 10 * b.digit + 100 * c.digit + 1000 * d.digit + 10000 * e.digit AS list_position
    FROM rankmetrics_digits AS a
    CROSS JOIN rankmetrics_digits AS b
    CROSS JOIN rankmetrics_digits AS c
    CROSS JOIN rankmetrics_digits AS d
    CROSS JOIN rankmetrics_digits AS e
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_digits', digits | join('\n    UNION ALL ')),
    rankmetrics_sql.rm_cte('rankmetrics_numbers', positions),
]) }}
{% endmacro %}

{#- selected: the queries that a list names. -#}
{% macro rm_selected(plan) %}
{%- if plan.selected is none -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_query_columns(plan, plan.selected) + rankmetrics_sql.rm_group_columns(plan, 'selected', plan.selected) -%}
{%- set selected %}
    SELECT DISTINCT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_selected_source AS s
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_selected_source', 'SELECT * FROM ' ~ plan.selected.relation),
    rankmetrics_sql.rm_cte('rankmetrics_selected', selected),
]) }}
{% endmacro %}
