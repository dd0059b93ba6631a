{#- The user's relations under the package's own column names. Only the first stage of each reads all columns. -#}

{#- A user's column of the relation s; ids read from files are compared as text. -#}
{% macro rm_id(input, column) %}
{%- if input.text_ids -%}{{ return('CAST(s.' ~ column ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')') }}{%- endif -%}
{{ return('s.' ~ column) }}
{% endmacro %}

{% macro rm_query_columns(plan, input) %}
{%- set columns = [] -%}
{%- for column in input.columns.query_id -%}
    {%- do columns.append(rankmetrics_sql.rm_id(input, column) ~ ' AS ' ~ plan.query_keys[loop.index0]) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_group_columns(plan, relation) %}
{%- set columns = [] -%}
{%- for group in plan.groups if group.relation == relation -%}
    {%- do columns.append('s.' ~ group.column ~ ' AS ' ~ group.name) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_grade(input) %}
{{ return('CAST(s.' ~ input.columns.relevance ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ') AS relevance') }}
{% endmacro %}

{% macro rm_run_columns(plan, input) %}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set columns = [] -%}
{%- if input.name is not none -%}{%- do columns.append(rankmetrics_sql.rm_string(input.name) ~ ' AS run_id') -%}{%- endif -%}
{%- if input.columns.run_id -%}{%- do columns.append(rankmetrics_sql.rm_id(input, input.columns.run_id) ~ ' AS run_id') -%}{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_query_columns(plan, input)) -%}
{%- do columns.append(rankmetrics_sql.rm_id(input, input.columns.item_id) ~ ' AS item_id') -%}
{%- for key in plan.order if key.column -%}
    {%- do columns.append('CAST(s.' ~ input.columns[key.column] ~ ' AS ' ~ double ~ ') AS ' ~ key.name) -%}
{%- endfor -%}
{%- if plan.labelled -%}{%- do columns.append(rankmetrics_sql.rm_grade(input)) -%}{%- endif -%}
{%- if input.columns.n_relevant -%}{%- do columns.append('CAST(s.' ~ input.columns.n_relevant ~ ' AS ' ~ double ~ ') AS n_relevant_given') -%}{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_group_columns(plan, 'run')) -%}
{{ return(columns) }}
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
{%- do ctes.append(rankmetrics_sql.rm_cte('rankmetrics_run', selects | join('\n    UNION ALL\n    '), kind)) -%}
{{ return(ctes) }}
{% endmacro %}

{#- qrels: one row per judgment. -#}
{% macro rm_qrels(plan) %}
{%- if plan.qrels is none -%}{{ return(rankmetrics_sql.rm_labelled_qrels(plan)) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_query_columns(plan, plan.qrels) -%}
{%- do columns.append(rankmetrics_sql.rm_id(plan.qrels, plan.qrels.columns.item_id) ~ ' AS item_id') -%}
{%- do columns.append(rankmetrics_sql.rm_grade(plan.qrels)) -%}
{%- do columns.extend(rankmetrics_sql.rm_group_columns(plan, 'qrels')) -%}
{%- set qrels %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_qrels_source AS s
    WHERE s.{{ plan.qrels.columns.relevance }} IS NOT NULL
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_qrels_source', 'SELECT * FROM ' ~ plan.qrels.relation),
    rankmetrics_sql.rm_cte('rankmetrics_qrels', qrels),
]) }}
{% endmacro %}

{#- The judgments that a labelled table carries itself: its rows with a grade. -#}
{% macro rm_labelled_qrels(plan) %}
{%- set columns = plan.truth_keys + ['item_id', 'relevance'] -%}
{%- set present %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_run
    WHERE relevance IS NOT NULL
{%- endset -%}
{%- if not plan.runs[0].columns.n_relevant -%}
    {{ return([rankmetrics_sql.rm_cte('rankmetrics_qrels', present)]) }}
{%- endif -%}
{{ return(rankmetrics_sql.rm_digits() + rankmetrics_sql.rm_missed(plan) + [
    rankmetrics_sql.rm_cte('rankmetrics_qrels', present | trim ~ '\n    UNION ALL\n    ' ~ rankmetrics_sql.rm_missed_rows(plan)),
]) }}
{% endmacro %}

{#- How many relevant items a query has beyond those in its list, by the column that says how many there are. -#}
{% macro rm_missed(plan) %}
{%- set keys = plan.truth_keys | join(', ') -%}
{%- set missed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.truth_keys) }},
        MAX(n_relevant_given) - SUM(CASE WHEN relevance >= {{ rankmetrics_sql.rm_number(plan.options.rel) }} THEN 1 ELSE 0 END) AS n_missed
    FROM rankmetrics_run
    GROUP BY {{ keys }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_missed', missed)]) }}
{% endmacro %}

{#- One judgment per missed item, with the lowest grade that counts as relevant. -#}
{% macro rm_missed_rows(plan) %}
{%- set grade = 'CAST(' ~ rankmetrics_sql.rm_number(plan.options.rel) ~ ' AS ' ~ rankmetrics_sql.rm_double_type() ~ ')' -%}
{%- set columns = rankmetrics_sql.rm_qualified('m', plan.truth_keys) + ['NULL AS item_id', grade ~ ' AS relevance'] -%}
{%- set rows -%}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_missed AS m
    INNER JOIN rankmetrics_positions AS p ON p.list_position <= m.n_missed
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
    rankmetrics_sql.rm_cte('rankmetrics_positions', positions),
]) }}
{% endmacro %}

{#- selected: the queries that a list names. -#}
{% macro rm_selected(plan) %}
{%- if plan.selected is none -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_query_columns(plan, plan.selected) + rankmetrics_sql.rm_group_columns(plan, 'selected') -%}
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
