{#- How often items were clicked, beside what their positions let expect. -#}

{#-
Clicks over expected clicks of each item, or of what else by says: an impression at a position is expected to be
clicked as often as all impressions there are (Zhang & Jones 2007, WWW). 1 is as clicked as its positions.

by  the item, the query, or a list of columns
-#}
{% macro coec(relation, columns=none, by='item_id', rel=1) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set groups = rankmetrics_sql.rm_by_columns(by) -%}
{%- set names = groups | map(attribute='name') | list -%}
{%- set own = rankmetrics_sql.rm_source_columns({'position': 'position', 'relevance': 'relevance'}, columns) -%}
{%- set place = rankmetrics_sql.rm_over_row(own.position) -%}
{%- set clicked = rankmetrics_sql.rm_was_clicked(own.relevance, rel) -%}
{%- set expected %}
    SELECT
        {{ rankmetrics_sql.rm_lines(groups) }},
        {{ clicked }} AS was_clicked,
        AVG({{ clicked }}) OVER (PARTITION BY {{ place }}) AS expected
    FROM rankmetrics_impressions AS s
    WHERE {{ place }} IS NOT NULL
{%- endset -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(names, 4) }},
    COUNT(*) AS impressions,
    SUM(was_clicked) AS clicks,
    SUM(expected) AS expected_clicks,
    SUM(was_clicked) / NULLIF(SUM(expected), 0) AS coec
FROM rankmetrics_expected
GROUP BY {{ names | join(', ') }}
ORDER BY {{ names | join(', ') }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(
    rankmetrics_sql.rm_impressions(relation) + [rankmetrics_sql.rm_cte(
        'rankmetrics_expected', expected,
        'each impression, whether it was clicked, and the click rate at its position'
    )]
) ~ '\n\n' ~ select) }}
{% endmacro %}
