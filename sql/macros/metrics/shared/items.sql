{#-
What the metrics of the items shown share, judged or not: their rows are all items of a list, each with what is known of
it (needs: in_catalogue, popularity, n_categories), or, of all lists together, what rm_exposures says.
-#}

{#- How many items stand within rank k. -#}
{% macro rm_n_within(k) %}
{{ return(rankmetrics_sql.rm_as_double('SUM(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN 1 ELSE 0 END)')) }}
{% endmacro %}

{#- The mean of what an item is worth over those within rank k; NULL where there is none. -#}
{% macro rm_mean_within(worth, k) %}
{{ return('AVG(CASE WHEN ' ~ rankmetrics_sql.rm_within(k) ~ ' THEN ' ~ worth ~ ' END)') }}
{% endmacro %}

{#- n things make so many pairs. -#}
{% macro rm_n_pairs(n) %}
{{ return(n ~ ' * (' ~ n ~ ' - 1) / 2') }}
{% endmacro %}

{#-
A relation with one row per list, an aggregate over the categories of its items within rank k. Its rows are
shown_categories, one per item of a list and category, or what others makes of them: {name, sql}.
-#}
{% macro rm_categories_relation(pass, column, aggregate, k, others=none) %}
{%- set keys = pass.plan.row_keys -%}
{%- set name = rankmetrics_sql.rm_metric_stage(column, pass.suffix) -%}
{%- set shown %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('m', keys + ['rnk'] + pass.item_names)) }},
        c.category
    FROM {{ pass.stages.judged }} AS m
    INNER JOIN {{ pass.plan.stages.categories }} AS c ON c.item_id = m.item_id
{%- endset -%}
{%- set of_lists %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        {{ rankmetrics_sql.rm_as_double(aggregate) }} AS {{ column }}
    FROM {{ pass.stages.shown_categories if others is none else others.name }}
    {%- if others is none %}
    WHERE {{ rankmetrics_sql.rm_within(k) }}
    {%- endif %}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return({
    'name': name,
    'columns': [column],
    'ctes': [rankmetrics_sql.rm_cte(
        pass.stages.shown_categories, shown,
        'the items of each list with a row for each of their categories'
    )]
        + ([] if others is none else [others]) + [rankmetrics_sql.rm_cte(
            name, of_lists,
            'the sums over the categories of its items, for each list'
        )],
}) }}
{% endmacro %}
