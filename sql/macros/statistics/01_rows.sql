{#- The results with a row per query, or per item of it, under the user's names. -#}

{#- The columns that say what a row is about: run, query, groups. -#}
{% macro rm_named_keys(plan, with_query=true) %}
{%- set columns = ['run_id'] if plan.multi else [] -%}
{%- for key in plan.query_keys if with_query -%}
    {%- set label = plan.query_labels[loop.index0] -%}
    {%- do columns.append(key if key == label else {'name': label, 'sql': key}) -%}
{%- endfor -%}
{%- for group in plan.groups -%}{%- do columns.append({'name': group.label, 'sql': group.name}) -%}{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_select_per_query(plan) %}
{%- set columns = rankmetrics_sql.rm_named_keys(plan) + plan.metrics | map(attribute='column') | list -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(columns + plan.fault_names, 4) }}
FROM {{ plan.stages.per_query }}
ORDER BY {{ rankmetrics_sql.rm_ascending(plan.row_keys) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}

{#- The rows that metrics aggregate: of each query its truth, of each judged item of its list the columns in use. -#}
{% macro rm_select_judged(plan, passes) %}
{%- if passes | length > 1 -%}
    {{ exceptions.raise_compiler_error(
        'rankmetrics_sql: metrics: the rows of judged are of one ranking; ask for metrics with the same options.'
    ) }}
{%- endif -%}
{%- set pass = passes[0] -%}
{%- set names = rankmetrics_sql.rm_facts(pass).names
    + rankmetrics_sql.rm_judged_columns(pass) | map(attribute='name') | list -%}
{%- set of_a_query = rankmetrics_sql.rm_of_a_query(plan) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_named_keys(plan) + names, 4) }}
FROM {{ pass.stages.rows }}
WHERE {{ of_a_query }} AND (rnk IS NOT NULL OR n_listed = 0){{ ' AND is_query = 1' if pass.marks_queries }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
