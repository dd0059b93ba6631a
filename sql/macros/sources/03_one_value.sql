{#-
A request has one arm, and one value of each group, whatever its impressions say. Where they name two arms nobody knows
which of them it was, so it is in none. Where they name two groups, the rows that are handed on name both, so that an
evaluation by that group gives the request no value.
-#}

{#- The names of the columns of these roles. -#}
{% macro rm_of_role(log, roles) %}
{{ return(log.context | selectattr('role', 'in', roles) | map(attribute='name') | list) }}
{% endmacro %}

{#- The condition that impressions name two values of one of some columns; an impression with NULL names none. -#}
{% macro rm_name_two(names, alias='') %}
{%- set conditions = [] -%}
{%- for name in names -%}
    {%- do conditions.append('MIN(' ~ alias ~ name ~ ') <> MAX(' ~ alias ~ name ~ ')') -%}
{%- endfor -%}
{{ return(conditions | join(' OR ')) }}
{% endmacro %}

{#-
disagreeing: the requests of two arms or groups, with the last of their groups, as the first is in other rows; among the
impressions i of a FROM.
-#}
{% macro rm_disagreeing(log, from) %}
{%- set known = rankmetrics_sql.rm_of_role(log, ['arm', 'group']) -%}
{%- if not known -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_columns_from('i', log.names) -%}
{%- for column in log.context if rankmetrics_sql.rm_of_role(log, ['group']) -%}
    {%- set last = 'MAX(i.' if column.role == 'group' else 'MIN(i.' -%}
    {%- do columns.append({'name': column.name, 'sql': last ~ column.name ~ ')'}) -%}
{%- endfor -%}
{%- do columns.append(rankmetrics_sql.rm_has_two_arms(log, 'i.')) -%}
{%- set disagreeing %}
    {{ rankmetrics_sql.rm_select(columns) }}
    {{ from }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('i', log.names) | join(', ') }}
    HAVING {{ rankmetrics_sql.rm_name_two(known, 'i.') }}
{%- endset -%}
{%- set arms, groups = rankmetrics_sql.rm_of_role(log, ['arm']), rankmetrics_sql.rm_of_role(log, ['group']) -%}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_disagreeing', disagreeing,
    'the requests whose impressions name two ' ~ ('arms' if arms else '') ~ (' or ' if arms and groups else '')
        ~ ('groups' if groups else '')
)]) }}
{% endmacro %}

{#- Whether a group of impressions names two arms, as a column. -#}
{% macro rm_has_two_arms(log, alias) %}
{%- set arms = rankmetrics_sql.rm_of_role(log, ['arm']) -%}
{%- set two = 'CASE WHEN ' ~ rankmetrics_sql.rm_name_two(arms, alias) ~ ' THEN 1 ELSE 0 END' if arms else '0' -%}
{%- if not rankmetrics_sql.rm_of_role(log, ['group']) -%}{%- set two = '1' -%}{%- endif -%}
{{ return({'name': 'has_two_arms', 'sql': two}) }}
{% endmacro %}

{#- What leaves out the rows of requests of two arms. -#}
{% macro rm_of_one_arm(log, begin=' AND', alias='i') %}
{%- if not rankmetrics_sql.rm_of_role(log, ['arm']) -%}{{ return('') }}{%- endif -%}
{%- set same = rankmetrics_sql.rm_same('d', alias, log.names) -%}
{%- if rankmetrics_sql.rm_of_role(log, ['group']) -%}{%- set same = 'd.has_two_arms = 1 AND ' ~ same -%}{%- endif -%}
{{ return(begin ~ ' NOT EXISTS (SELECT 1 FROM rankmetrics_disagreeing AS d WHERE ' ~ same ~ ')') }}
{% endmacro %}

{#- What adds a row without an item for each request of two groups, which has the last of them. -#}
{% macro rm_last_groups(log, judged) %}
{%- if not rankmetrics_sql.rm_of_role(log, ['group']) -%}{{ return('') }}{%- endif -%}
{%- set weighted = log.propensity is not none or log.propensities -%}
{%- set columns = rankmetrics_sql.rm_each('i.', log.names, '') + rankmetrics_sql.rm_nulls(['item_id'])
    + [{'name': 'position', 'sql': '0'}, {'name': 'relevance', 'sql': '0'}] + rankmetrics_sql.rm_handed_on(log)
    + ([{'name': 'propensity', 'sql': '1'}] if weighted and judged == 'rankmetrics_graded' else [])
    + rankmetrics_sql.rm_handed_numbers(log) -%}
{%- set select %}
UNION ALL
SELECT
    {{ rankmetrics_sql.rm_lines(columns, 4) }}
FROM rankmetrics_disagreeing AS i
{%- if log.queries_context %}
LEFT JOIN rankmetrics_logged AS q ON {{ rankmetrics_sql.rm_same('q', 'i', log.names) }}
{%- endif %}
WHERE i.has_two_arms = 0
{%- if log.requests == 'clicked' %} AND EXISTS (
    SELECT 1
    FROM {{ judged }} AS g
    WHERE {{ 'g.relevance > 0 AND ' if judged == 'rankmetrics_judged_items'
        else 'g.grade IS NOT NULL AND ' if log.types else '' -}}
        {{ rankmetrics_sql.rm_same('g', 'i', log.names) }}
)
{%- endif %}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
