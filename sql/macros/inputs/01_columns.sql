{#- The user's columns under the package's own names. Only what stands for a relation s reads all of its columns. -#}

{#-
The user's relation, with a column for each expression over its row, so that all that follows reads columns only. A
relation in brackets that has a name of its own, as dbt writes one, can have no other.
-#}
{% macro rm_source(input) %}
{%- if not input.expressions -%}{{ return('SELECT * FROM ' ~ input.relation) }}{%- endif -%}
{%- set relation = (input.relation ~ '') | trim -%}
{%- set is_named = relation[:1] == '(' and relation[-1:] != ')' -%}
{%- set select -%}
    SELECT
        s.*,
        {{ rankmetrics_sql.rm_lines(input.expressions) }}
    FROM {{ '(SELECT * FROM ' ~ relation ~ ')' if is_named else relation }} AS s
{%- endset -%}
{{ return(select | trim) }}
{% endmacro %}

{#-
What stands behind FROM for the user's relation, {stages, name}: the name of a table by itself; a query, a function, or
expressions over the row have a stage of their own.
-#}
{% macro rm_read(input, stage, about, hint=none) %}
{%- if not (input.expressions or input.is_query or '(' in input.relation ~ '') -%}
    {{ return({'stages': [], 'name': input.relation}) }}
{%- endif -%}
{{ return({
    'stages': [rankmetrics_sql.rm_cte(stage, rankmetrics_sql.rm_source(input), about, hint)], 'name': stage
}) }}
{% endmacro %}

{#- A user's column of the relation s; ids read from files are compared as text. -#}
{% macro rm_id(input, column) %}
{%- set id = 's.' ~ column -%}
{%- if input.text_ids -%}{%- set id = 'CAST(' ~ id ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')' -%}{%- endif -%}
{{ return(rankmetrics_sql.rm_compared_by_bytes(id, column in input.collated)) }}
{% endmacro %}

{#- A column of the relation s that rows are joined, grouped or told apart by: by its bytes, whatever its collation. -#}
{% macro rm_key(input, column, alias='s') %}
{{ return(rankmetrics_sql.rm_compared_by_bytes(alias ~ '.' ~ column, column in input.collated)) }}
{% endmacro %}

{#- A column of a group or a cluster: NaN, which only a column of floats has, is no value of either, as NULL. -#}
{% macro rm_group_key(input, column) %}
{%- set key = rankmetrics_sql.rm_key(input, column) -%}
{{ return(rankmetrics_sql.rm_null_for_nan(key) if column in input.floats else key) }}
{% endmacro %}

{#-
What rows are sorted by, a score or a position: a double, or the number itself where it is known to be a whole number or
a decimal that a double would round. A score that is NaN is NULL.
-#}
{% macro rm_sort_value(input, meaning) %}
{%- set column = input.columns[meaning] -%}
{%- set is_exact = input.exact is not none and column in input.exact -%}
{%- set number = 's.' ~ column if is_exact else rankmetrics_sql.rm_as_double('s.' ~ column) -%}
{%- set may_be_nan = meaning == 'score' and (not is_exact or column in input.floats) -%}
{{ return(rankmetrics_sql.rm_null_for_nan(number) if may_be_nan else number) }}
{% endmacro %}

{#- The column of a score or position as it is; NULL where the double is, so that the two agree on NaN. -#}
{% macro rm_raw_sort_value(input, meaning) %}
{%- set raw = 's.' ~ input.columns[meaning] -%}
{%- set number = rankmetrics_sql.rm_as_double(raw) -%}
{%- if meaning != 'score' or rankmetrics_sql.rm_null_for_nan(number) == number -%}{{ return(raw) }}{%- endif -%}
{{ return('CASE WHEN NOT ' ~ rankmetrics_sql.rm_is_nan(number) ~ ' THEN ' ~ raw ~ ' END') }}
{% endmacro %}

{#- The names of the columns that name a query, of which there may be several. -#}
{% macro rm_query_keys(columns) %}
{%- if columns | length < 2 -%}{{ return(['query_id']) }}{%- endif -%}
{%- set keys = [] -%}
{%- for column in columns -%}{%- do keys.append('query_id_' ~ loop.index) -%}{%- endfor -%}
{{ return(keys) }}
{% endmacro %}

{#- What names a row: the run where a column says it, the query, the item, the subtopic that it is judged for. -#}
{% macro rm_id_columns(input, query_keys) %}
{%- set meant = [['run_id', input.columns.run_id]] -%}
{%- for column in input.columns.query_id -%}{%- do meant.append([query_keys[loop.index0], column]) -%}{%- endfor -%}
{%- do meant.extend([['item_id', input.columns.item_id], ['subtopic', input.columns.subtopic]]) -%}
{%- set columns = [] -%}
{%- for pair in meant if pair[1] -%}
    {%- set sql = rankmetrics_sql.rm_id(input, pair[1]) -%}
    {%- set is_named_so = sql == 's.' ~ pair[0] -%}
    {%- do columns.extend(
        rankmetrics_sql.rm_columns_from('s', [pair[0]]) if is_named_so else [{'name': pair[0], 'sql': sql}]
    ) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- What stands of the queries in a relation, run, qrels or query_list: groups, clusters, and their numbers. -#}
{% macro rm_attribute_columns(plan, relation, input) %}
{%- set columns = [] -%}
{%- for group in plan.attributes if group.relation == relation and group.column is defined -%}
    {%- do columns.append({'name': group.name, 'sql': rankmetrics_sql.rm_group_key(input, group.column)}) -%}
{%- endfor -%}
{%- for name in plan.weight_names + plan.covariate_names if input.columns[name] -%}
    {%- set number = rankmetrics_sql.rm_as_double('s.' ~ input.columns[name]) -%}
    {%- set known = rankmetrics_sql.rm_null_for_nan(number) -%}
    {%- set own = rankmetrics_sql.rm_as_weight(known) if name in plan.weight_names else known -%}
    {%- do columns.append({'name': name, 'sql': own}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- Their names. -#}
{% macro rm_attributes_of(plan, relations) %}
{{ return(plan.attributes | selectattr('relation', 'in', relations) | map(attribute='name') | list) }}
{% endmacro %}

{#- Of those, the groups of a result, of which a query has one value each. -#}
{% macro rm_groups_in(plan, relations) %}
{%- set numbers = plan.weight_names + plan.covariate_names -%}
{%- set groups = rankmetrics_sql.rm_attributes_of(plan, relations) | reject('in', numbers) | list -%}
{{ return(groups if plan.mixed_names else []) }}
{% endmacro %}

{#- What the stage of those relations says of a query: these attributes, and whether its groups are mixed. -#}
{% macro rm_known_of(plan, relations) %}
{%- set names = rankmetrics_sql.rm_attributes_of(plan, relations) -%}
{{ return(names + (plan.mixed_names if rankmetrics_sql.rm_groups_in(plan, relations) else [])) }}
{% endmacro %}

{#-
What is not known of queries in a branch of a UNION ALL: a number is a double, a group of any type, and no group that is
not known is mixed.
-#}
{% macro rm_no_attributes(plan, names) %}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- if name in plan.weight_names + plan.covariate_names -%}
        {%- do columns.extend(rankmetrics_sql.rm_unknown([name])) -%}
    {%- else -%}
        {%- do columns.append({'name': name, 'sql': '0' if name in plan.mixed_names else 'NULL'}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The grade, none where there are no judgments at all. -#}
{% macro rm_grade(input) %}
{%- set grade = 'NULL' if input.columns.relevance is none else 's.' ~ input.columns.relevance -%}
{{ return({'name': 'relevance', 'sql': rankmetrics_sql.rm_as_double(grade)}) }}
{% endmacro %}

{#- The grade of what a list shows: a row without an item shows nothing that could be relevant. -#}
{% macro rm_grade_of_shown(input) %}
{%- set grade = rankmetrics_sql.rm_grade(input) -%}
{%- if input.clean or input.columns.relevance is none -%}{{ return(grade) }}{%- endif -%}
{%- set known = 'CASE WHEN ' ~ rankmetrics_sql.rm_is_of_item(input) ~ ' THEN ' ~ grade.sql ~ ' END' -%}
{{ return({'name': 'relevance', 'sql': known}) }}
{% endmacro %}

{#- Whether a row s may be judged: it names an item, or keeps a query without relevant items among the judged. -#}
{% macro rm_is_of_item(input) %}
{%- set grade = rankmetrics_sql.rm_as_double('s.' ~ input.columns.relevance) -%}
{{ return('s.' ~ input.columns.item_id ~ ' IS NOT NULL OR ' ~ grade ~ ' <= 0') }}
{% endmacro %}

{#- The columns of a judgment beside its grade, as far as metrics read them. -#}
{% macro rm_carried_columns(plan, input) %}
{%- set columns = [] -%}
{%- for meaning in plan.carried -%}
    {%- do columns.append({'name': meaning, 'sql': rankmetrics_sql.rm_as_double('s.' ~ input.columns[meaning])}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#-
The nearest number of 32 bits. What rounds to infinity stays above all others, and what rounds to 0 is 0: the cast
itself is an error there in some engines. NaN is NULL.
-#}
{% macro rm_rounded_to_float32(number) %}
{%- set beyond = rankmetrics_sql.rm_as_double('3.4028235677973366e38') -%}
{%- set nothing = rankmetrics_sql.rm_as_double('7.006492321624085e-46') -%}
{%- set rounded -%}
CASE
            WHEN {{ rankmetrics_sql.rm_is_nan(number) }} THEN NULL
            WHEN {{ number }} >= {{ beyond }} THEN {{ rankmetrics_sql.rm_as_double('1e39') }}
            WHEN {{ number }} <= -{{ beyond }} THEN {{ rankmetrics_sql.rm_as_double('-1e39') }}
            WHEN ABS({{ number }}) <= {{ nothing }} THEN {{ rankmetrics_sql.rm_as_double('0') }}
            ELSE {{ rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_as_float32(number)) }}
        END
{%- endset -%}
{{ return(rounded) }}
{% endmacro %}

{#-
The hint of a user's table, see rm_cte_hint: a filter passes where one ranking has no stages that are read twice.
-#}
{% macro rm_hint_of_inputs(plan) %}
{%- set alike = plan.rankings | length == 1 and plan.options.strategy != 'count'
    and plan.rankings[0].options.ties != 'expected' -%}
{{ return('passing' if alike and not rankmetrics_sql.rm_with_stages(plan.metrics) else 'inlined') }}
{% endmacro %}
