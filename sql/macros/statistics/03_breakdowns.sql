{#-
Totals of a summary: rows of fewer groups than those it is broken down by, down to none. A group of a row that is not
broken down by it is NULL, and so may a segment be; the column breakdown says which it is.
-#}

{#-
The sets of groups that a summary has rows of, each {name, group_names}. The request's rollup is true for every set, the
coarsest first; a list of sets, each of names; or false for the rows of all groups and no others.
-#}
{% macro rm_breakdowns(request, groups) %}
{%- if request.rollup is false -%}{{ return([]) }}{%- endif -%}
{%- set every = groups | map(attribute='name') | list -%}
{%- set sets = [] -%}
{%- for names in (rankmetrics_sql.rm_subsets(every) if request.rollup is true else request.rollup) -%}
    {%- set columns = every | select('in', names) | list -%}
    {%- if columns not in sets -%}{%- do sets.append(columns) -%}{%- endif -%}
{%- endfor -%}
{%- set breakdowns = [] -%}
{%- for names in sets -%}
    {%- set labels = groups | selectattr('name', 'in', names) | map(attribute='label')
        | map('replace', '"', '') | map('replace', '`', '') -%}
    {%- do breakdowns.append({'name': labels | join(', ') if names else 'total', 'group_names': names}) -%}
{%- endfor -%}
{{ return(breakdowns) }}
{% endmacro %}

{#- All subsets of some names, those with few of them first. -#}
{% macro rm_subsets(names) %}
{%- set state = {'sets': [[]]} -%}
{%- for name in names -%}
    {%- set longer = [] -%}
    {%- for subset in state.sets -%}{%- do longer.append(subset + [name]) -%}{%- endfor -%}
    {%- do state.update({'sets': state.sets + longer}) -%}
{%- endfor -%}
{%- set found = [] -%}
{%- for size in range(names | length + 1) -%}
    {%- for subset in state.sets if subset | length == size -%}{%- do found.append(subset) -%}{%- endfor -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#-
broken_down: the values once for each set. They are crossed with the sets, and so read once; engines that do not store a
CTE would compute them again for every branch of a UNION ALL.
-#}
{% macro rm_broken_down(plan) %}
{%- if not plan.breakdowns -%}{{ return([]) }}{%- endif -%}
{%- set names = rankmetrics_sql.rm_value_names(plan) | reject('in', plan.group_names) | list -%}
{%- set columns = rankmetrics_sql.rm_columns_from('b', rankmetrics_sql.rm_breakdown_keys(plan))
    + rankmetrics_sql.rm_columns_from('v', names) + rankmetrics_sql.rm_groups_of_set(plan, 'v') -%}
{%- set broken_down %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ plan.stages.query_values }} AS v
    CROSS JOIN {{ plan.stages.breakdowns }} AS b
{%- endset -%}
{{ return(rankmetrics_sql.rm_breakdown_names(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.broken_down, broken_down,
        'the values, repeated for each set of groups with totals'
    ),
]) }}
{% endmacro %}

{#- breakdowns: the sets, numbered. -#}
{% macro rm_breakdown_names(plan) %}
{%- if not plan.breakdowns -%}{{ return([]) }}{%- endif -%}
{%- set rows = [] -%}
{%- for breakdown in plan.breakdowns -%}
    {%- set name = rankmetrics_sql.rm_string(breakdown.name) -%}
    {%- do rows.append(rankmetrics_sql.rm_named({'breakdown_number': loop.index | string, 'breakdown': name})) -%}
{%- endfor -%}
{{ return([rankmetrics_sql.rm_cte(
    plan.stages.breakdowns, rankmetrics_sql.rm_constants(rows),
    'the sets of groups with totals'
)]) }}
{% endmacro %}

{#- The groups of a row: where it is crossed with the sets b, those of the set. -#}
{% macro rm_groups_of_set(plan, alias) %}
{%- if not plan.breakdowns -%}{{ return(rankmetrics_sql.rm_columns_from(alias, plan.group_names)) }}{%- endif -%}
{%- set columns = [] -%}
{%- for name in plan.group_names -%}
    {%- set numbers = [] -%}
    {%- for breakdown in plan.breakdowns if name in breakdown.group_names -%}
        {%- do numbers.append(plan.breakdowns.index(breakdown) + 1) -%}
    {%- endfor -%}
    {%- set condition = rankmetrics_sql.rm_is_one_of('b.breakdown_number', numbers) if numbers else '1 = 0' -%}
    {%- do columns.append({'name': name, 'sql': 'CASE WHEN ' ~ condition ~ ' THEN ' ~ alias ~ '.' ~ name ~ ' END'}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The columns that name the set of groups of a row. -#}
{% macro rm_breakdown_keys(plan) %}
{{ return(['breakdown_number', 'breakdown'] if plan.breakdowns else []) }}
{% endmacro %}
