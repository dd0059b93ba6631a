{#- ranked: one row per retrieved item that can have a rank that counts, with its rank. -#}

{% macro rm_ranked(pass) %}
{%- set plan = pass.plan -%}
{%- set sort_value = pass.order[0].name -%}
{%- set columns = plan.row_keys + ['item_id'] -%}
{%- if plan.counts_faults -%}{%- do columns.append({'name': 'sort_value', 'sql': sort_value}) -%}{%- endif -%}
{%- if plan.reads_scores -%}{%- do columns.append('score') -%}{%- endif -%}
{%- if plan.labelled -%}{%- do columns.extend(['relevance'] + plan.carried) -%}{%- endif -%}
{%- set ties = rankmetrics_sql.rm_tie_columns(pass) if pass.tie_names else [] -%}
{%- set given = plan.options.position == 'given' -%}
{%- set rank = sort_value if given else rankmetrics_sql.rm_row_number(pass) -%}
{%- if pass.deepest is not none and not pass.by_kth_score -%}
    {{ return([rankmetrics_sql.rm_cte(
        pass.stages.ranked, rankmetrics_sql.rm_first_ranks(pass, columns, [{'name': 'place', 'sql': rank}] + ties),
        'rank ' ~ rankmetrics_sql.rm_about_order(pass) ~ ', down to rank ' ~ pass.deepest
    )]) }}
{%- endif -%}
{%- set numbered = {'name': 'rnk', 'sql': rank if given else rankmetrics_sql.rm_as_double(rank)} -%}
{%- set ranked %}
    {{ rankmetrics_sql.rm_select(columns + [numbered] + ties) }}
    FROM {{ pass.stages.contenders if pass.by_kth_score else plan.stages.run }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_contenders(pass) + [rankmetrics_sql.rm_cte(
    pass.stages.ranked, ranked, 'rank ' ~ rankmetrics_sql.rm_about_order(pass)
)]) }}
{% endmacro %}

{#-
The ranks that count, and whole groups of equal scores where those are asked for. Engines stop numbering a list there,
if what they compare is the number itself and no cast of it.
-#}
{% macro rm_first_ranks(pass, columns, numbers) %}
{%- set kept = [] -%}
{%- for column in columns -%}
    {%- do kept.extend(rankmetrics_sql.rm_columns_from('p', [column if column is string else column.name])) -%}
{%- endfor -%}
{%- set rank = {'name': 'rnk', 'sql': rankmetrics_sql.rm_as_double('p.place')} -%}
{%- set ranked %}
    {{ rankmetrics_sql.rm_select(kept + [rank] + rankmetrics_sql.rm_columns_from('p', pass.tie_names)) }}
    FROM (
        {{ rankmetrics_sql.rm_select(columns + numbers) | indent(4) }}
        FROM {{ pass.plan.stages.run }}
    ) AS p
    WHERE {{ 'p.n_above < ' if pass.tie_names else 'p.place <= ' }}{{ pass.deepest }}
{%- endset -%}
{{ return(ranked) }}
{% endmacro %}

{% macro rm_row_number(pass) %}
{%- set keys = [] -%}
{%- for key in pass.order -%}
    {%- set column = key.name if key.column else rankmetrics_sql.rm_text('item_id') -%}
    {%- do keys.append(column ~ rankmetrics_sql.rm_direction(key)) -%}
{%- endfor -%}
{%- set expression -%}
ROW_NUMBER() OVER (
            PARTITION BY {{ pass.plan.row_keys | join(', ') }}
            ORDER BY {{ keys | join(', ') }}
        )
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
{%- set keys = rankmetrics_sql.rm_tie_keys(pass) -%}
{%- set list = pass.plan.row_keys | join(', ') -%}
{%- set window = 'PARTITION BY ' ~ list ~ ' ORDER BY ' ~ rankmetrics_sql.rm_sorted_by(keys) -%}
{{ return([
    {'name': 'n_above', 'sql': 'RANK() OVER (' ~ window ~ ') - 1'},
    {'name': 'n_through', 'sql': rankmetrics_sql.rm_count_through(list, keys)},
]) }}
{% endmacro %}

{#-
The columns that sort a ranking; the item id, which has no column of its own here, ends every list. A score or position
of an unknown type is one key as a double, and a second one, is_raw, as it is: it may hold whole numbers or decimals
that a double would round.
-#}
{% macro rm_order_keys(request, options) %}
{%- set columns = request.runs[0].columns -%}
{%- set has_unknown_types = request.runs | selectattr('exact', 'none') | list | length > 0 -%}
{%- set sorts_by_raw = has_unknown_types and request.options.position != 'given' -%}
{%- set keys = [] -%}
{%- if columns.score is not none -%}
    {%- set is_double = options.score_type == 'double' -%}
    {%- set name = 'score' if is_double else 'score_float32' -%}
    {%- do keys.append({'name': name, 'column': 'score', 'descending': true, 'is_raw': false}) -%}
    {%- if sorts_by_raw and is_double -%}
        {%- do keys.append({'name': 'raw_score', 'column': 'score', 'descending': true, 'is_raw': true}) -%}
    {%- endif -%}
{%- endif -%}
{%- if columns.score is none or options.ties in ['rank', 'input'] -%}
    {%- do keys.append({'name': 'given_position', 'column': 'position', 'descending': false, 'is_raw': false}) -%}
    {%- if sorts_by_raw and columns.score is none -%}
        {%- do keys.append({'name': 'raw_position', 'column': 'position', 'descending': false, 'is_raw': true}) -%}
    {%- endif -%}
{%- endif -%}
{%- do keys.append({
    'name': 'item_id', 'column': none, 'descending': options.ties != 'item_asc', 'is_raw': false,
}) -%}
{{ return(keys) }}
{% endmacro %}

{#- The keys in which items that tie are equal: the first, as a double and as it is. -#}
{% macro rm_tie_keys(pass) %}
{{ return(pass.order[:1] + (pass.order[1:] | selectattr('is_raw') | list)) }}
{% endmacro %}

{#- What stands behind ORDER BY for keys that are columns. -#}
{% macro rm_sorted_by(keys) %}
{%- set sorted = [] -%}
{%- for key in keys -%}{%- do sorted.append(key.name ~ rankmetrics_sql.rm_direction(key)) -%}{%- endfor -%}
{{ return(sorted | join(', ')) }}
{% endmacro %}

{#- How a rank is found, in the words of a comment. -#}
{% macro rm_about_order(pass) %}
{%- if pass.plan.options.position == 'given' -%}{{ return('by position, as it is given') }}{%- endif -%}
{%- set words = [] -%}
{%- for key in pass.order | rejectattr('is_raw') -%}
    {%- set by = 'by ' if loop.first else 'ties by ' if loop.index == 2 else 'then by ' -%}
    {%- set first = 'highest first' if key.descending else 'lowest first' -%}
    {%- set direction = 'descending' if key.descending else 'ascending' -%}
    {%- do words.append(by ~ (key.column ~ ', ' ~ first ~ (' and none last' if key.descending else '')
        if key.column else 'bytes of the item id, ' ~ direction)) -%}
{%- endfor -%}
{{ return(words | join(', ')) }}
{% endmacro %}
