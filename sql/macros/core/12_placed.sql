{#- Where a choice moves the matched rows: within their groups of equal scores (placed), or up (condensed). -#}

{#-
Best and worst case: within a group of equal scores the judged items come in the order of their grades, before the
unjudged ones or after them.
-#}
{% macro rm_placed(pass) %}
{%- if pass.options.ties not in ['best', 'worst'] -%}{{ return([]) }}{%- endif -%}
{%- set best = pass.options.ties == 'best' -%}
{%- set group = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', pass.plan.row_keys + ['n_above']) | join(', ') -%}
{%- set direction = 'DESC NULLS LAST' if best else 'ASC NULLS FIRST' -%}
{%- set order = 'm.relevance ' ~ direction ~ ', m.rnk ASC NULLS FIRST' -%}
{%- set before = 'm.n_above' if best else 'm.n_through - COUNT(*) OVER (' ~ group ~ ')' -%}
{%- set number = before ~ ' + ROW_NUMBER() OVER (' ~ group ~ ' ORDER BY ' ~ order ~ ')' -%}
{%- set placed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('m', rankmetrics_sql.rm_matched_names(pass))) }},
        {{ rankmetrics_sql.rm_as_double(number) }} AS rnk
    FROM {{ pass.stages.matched }} AS m
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.placed, placed,
    'the same rows, in the ' ~ pass.options.ties ~ ' order of the items with equal scores'
)]) }}
{% endmacro %}

{#- Without the unjudged items the judged ones move up. -#}
{% macro rm_condensed(pass) %}
{%- set options = pass.options -%}
{%- if options.unjudged != 'drop' -%}{{ return([]) }}{%- endif -%}
{%- set names = rankmetrics_sql.rm_matched_names(pass) | reject('in', pass.tie_names) | list -%}
{%- set columns = rankmetrics_sql.rm_columns_from('m', names) -%}
{%- set partition = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', pass.plan.row_keys) | join(', ') -%}
{%- if options.ties == 'expected' -%}
    {%- set above = 'RANK() OVER (' ~ partition ~ ' ORDER BY m.n_above ASC NULLS FIRST) - 1' -%}
    {%- set through = above ~ ' + COUNT(*) OVER (' ~ partition ~ ', m.n_above)' -%}
    {%- do columns.extend([{'name': 'n_above', 'sql': above}, {'name': 'n_through', 'sql': through}]) -%}
{%- else -%}
    {%- do columns.extend(rankmetrics_sql.rm_columns_from('m', pass.tie_names)) -%}
{%- endif -%}
{%- set conditions = [] -%}
{%- if options.depth is not none -%}{%- do conditions.append('m.rnk <= ' ~ options.depth) -%}{%- endif -%}
{%- if pass.all_rows -%}{%- do conditions.append('m.is_unjudged = 0') -%}{%- endif -%}
{%- if options.negative_grades == 'unjudged' -%}{%- do conditions.append('m.relevance >= 0') -%}{%- endif -%}
{%- set condensed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        CAST({{ 'DENSE_RANK' if pass.subtopics else 'ROW_NUMBER' }}() OVER (
            {{ partition }}
            ORDER BY m.rnk ASC NULLS FIRST
        ) AS {{ rankmetrics_sql.rm_double_type() }}) AS rnk
    FROM {{ rankmetrics_sql.rm_in_place(pass) }} AS m
    {%- if conditions %}
    WHERE {{ conditions | join(' AND ') }}
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.condensed, condensed,
    'the judged items alone, moved up to where the unjudged ones stood'
)]) }}
{% endmacro %}

{#- The stage whose rows stand at their ranks, before any move up. -#}
{% macro rm_in_place(pass) %}
{{ return(pass.stages.placed if pass.options.ties in ['best', 'worst'] else pass.stages.matched) }}
{% endmacro %}
