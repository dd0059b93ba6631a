{#- ranked: one row per retrieved item, with its rank. -#}

{% macro rm_ranked(pass) %}
{%- set plan = pass.plan -%}
{%- set sort_value = pass.order[0].name -%}
{%- set columns = plan.row_keys + ['item_id'] -%}
{%- if plan.check != 'none' -%}{%- do columns.append({'name': 'sort_value', 'sql': sort_value}) -%}{%- endif -%}
{%- if plan.labelled -%}{%- do columns.append('relevance') -%}{%- endif -%}
{%- if plan.options.position == 'given' -%}
    {%- do columns.append({'name': 'rnk', 'sql': sort_value}) -%}
{%- else -%}
    {%- do columns.append({'name': 'rnk', 'sql': rankmetrics_sql.rm_row_number(pass)}) -%}
{%- endif -%}
{%- if pass.tie_names -%}{%- do columns.extend(rankmetrics_sql.rm_tie_columns(pass)) -%}{%- endif -%}
{%- set ranked %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ plan.stages.run }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(pass.stages.ranked, ranked)]) }}
{% endmacro %}

{% macro rm_row_number(pass) %}
{%- set keys = [] -%}
{%- for key in pass.order -%}
    {%- set column = key.name if key.column else rankmetrics_sql.rm_text('item_id') -%}
    {%- do keys.append(column ~ rankmetrics_sql.rm_direction(key)) -%}
{%- endfor -%}
{%- set expression -%}
CAST(ROW_NUMBER() OVER (
            PARTITION BY {{ pass.plan.row_keys | join(', ') }}
            ORDER BY {{ keys | join(', ') }}
        ) AS {{ rankmetrics_sql.rm_double_type() }})
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- NULLs last or first as most engines have it, so that translations need no detour. -#}
{% macro rm_direction(key) %}
{{ return(' DESC NULLS LAST' if key.descending else ' ASC NULLS FIRST') }}
{% endmacro %}

{#- Ids of any type are ordered by the bytes of their text. -#}
{% macro rm_text(column) %}
{{ return(rankmetrics_sql.rm_by_bytes('CAST(' ~ column ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')')) }}
{% endmacro %}

{#- n_above and n_through: items before the row's group of equal scores, and down to its end. -#}
{% macro rm_tie_columns(pass) %}
{%- set key = pass.order[0] -%}
{%- set list = pass.plan.row_keys | join(', ') -%}
{%- set window = 'PARTITION BY ' ~ list ~ ' ORDER BY ' ~ key.name ~ rankmetrics_sql.rm_direction(key) -%}
{{ return([
    {'name': 'n_above', 'sql': 'RANK() OVER (' ~ window ~ ') - 1'},
    {'name': 'n_through', 'sql': rankmetrics_sql.rm_count_through(list, key)},
]) }}
{% endmacro %}
