{#-
items: one row per item of the catalogue; categories: one per item and category. What the user names has a row for each
category of an item, or one for each item where there are none.
-#}

{% macro rm_items(plan) %}
{%- if plan.catalogue is none or not plan.item_needs -%}{{ return([]) }}{%- endif -%}
{%- set input = plan.catalogue -%}
{%- set columns = rankmetrics_sql.rm_id_columns(input, []) -%}
{%- if 'popularity' in plan.item_needs -%}
    {%- set popularity = rankmetrics_sql.rm_as_double('s.' ~ input.columns.popularity) -%}
    {%- do columns.append({'name': 'popularity', 'sql': popularity}) -%}
{%- endif -%}
{%- set categorised = 'n_categories' in plan.item_needs or 'categories' in plan.item_needs -%}
{%- if categorised -%}
    {%- do columns.append({'name': 'category', 'sql': rankmetrics_sql.rm_key(input, input.columns.category)}) -%}
{%- endif -%}
{%- set about = 'the catalogue as given' -%}
{%- set source = rankmetrics_sql.rm_read(input, plan.stages.items_source, about) -%}
{%- set catalogue %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM {{ source.name }} AS s
    WHERE s.{{ input.columns.item_id }} IS NOT NULL
{%- endset -%}
{%- set of_item = ['item_id'] -%}
{%- set beside_others = [] -%}
{%- for fact in rankmetrics_sql.rm_item_facts(plan.item_needs) -%}
    {%- if fact.of_rows is defined -%}
        {%- do of_item.append({'name': fact.name, 'sql': fact.of_rows}) -%}
    {%- else -%}
        {%- do beside_others.append({'name': fact.name, 'sql': fact.of_items}) -%}
    {%- endif -%}
{%- endfor -%}
{%- set own = of_item[1:] | map(attribute='name') | list -%}
{%- set items %}
    {{ rankmetrics_sql.rm_select(of_item) }}
    FROM {{ plan.stages.catalogue }}
    GROUP BY item_id
{%- endset -%}
{%- set placed %}
    {{ rankmetrics_sql.rm_select(['item_id'] + own + beside_others) }}
    FROM ({{ items }}
    ) AS items
{%- endset -%}
{%- set categories %}
    SELECT DISTINCT
        item_id,
        category
    FROM {{ plan.stages.catalogue }}
    WHERE category IS NOT NULL
{%- endset -%}
{{ return(source.stages + [
    rankmetrics_sql.rm_cte(plan.stages.catalogue, catalogue, 'the catalogue, with its columns renamed'),
    rankmetrics_sql.rm_cte(
        plan.stages.each_item, placed if beside_others else items,
        'the facts of each item in the catalogue'
    ),
] + ([rankmetrics_sql.rm_cte(
    plan.stages.categories, categories,
    'the categories of each item'
)] if 'categories' in plan.item_needs else [])) }}
{% endmacro %}

{#-
What metrics may read of an item, by the names that their headers have in needs: of_rows is an aggregate over its rows
of the catalogue, or of_items a window over all items with those; of_row is what a row of a list has of it, where i may
be nothing. A new one is one entry here. in_catalogue, which rows are told apart by, is no double: not every engine does
that.
-#}
{% macro rm_known_item_facts() %}
{%- set popular = 'CASE WHEN popularity > 0 THEN popularity END' -%}
{%- set place = 'DENSE_RANK() OVER (ORDER BY ' ~ popular ~ ' DESC NULLS LAST)' -%}
{%- set place = 'CASE WHEN popularity > 0 THEN ' ~ place ~ ' END' -%}
{{ return([
    {'name': 'in_catalogue', 'of_rows': '1', 'of_row': 'COALESCE(i.in_catalogue, 0)'},
    {'name': 'popularity', 'of_rows': 'MAX(popularity)', 'of_row': rankmetrics_sql.rm_as_double('i.popularity')},
    {'name': 'popularity_place', 'of_items': place, 'of_row': rankmetrics_sql.rm_as_double('i.popularity_place')},
    {'name': 'n_items', 'of_items': 'COUNT(*) OVER ()', 'of_row': rankmetrics_sql.rm_as_double('i.n_items')},
    {
        'name': 'n_categories', 'of_rows': 'COUNT(DISTINCT category)',
        'of_row': rankmetrics_sql.rm_as_double('COALESCE(i.n_categories, 0)'),
    },
]) }}
{% endmacro %}

{#- The columns that the relation of items has for such needs. -#}
{% macro rm_item_facts(needs) %}
{%- set known = rankmetrics_sql.rm_known_item_facts() -%}
{{ return(known | selectattr('name', 'in', ['in_catalogue'] + needs) | list) }}
{% endmacro %}

{#- The columns of items that metrics need. -#}
{% macro rm_item_needs(metrics) %}
{%- set needs = [] -%}
{%- for metric in metrics -%}{%- do needs.extend(metric.needs) -%}{%- endfor -%}
{%- set known = rankmetrics_sql.rm_known_item_facts() | map(attribute='name') | list + ['categories'] -%}
{{ return(known | select('in', needs) | list) }}
{% endmacro %}

{#- Those of them that a row has as a column, in the words of a select list over the items i. -#}
{% macro rm_item_columns(needs) %}
{%- set columns = [] -%}
{%- for fact in rankmetrics_sql.rm_item_facts(needs) if fact.name in needs -%}
    {%- do columns.append({'name': fact.name, 'sql': fact.of_row}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
