{#- What Python asks of the rows that judgments from clicks are made of. -#}

{#-
What became of the requests and pairs of the same rows: used, or left out and why. Requests without an item are none.
The texts that another differs from in case or spaces alone, and the positions above the last that show nothing.
-#}
{% macro rm_quality_of_judgments(relation, by, columns, rel, min_impressions, normalise, has_place) %}
{%- set searched = rankmetrics_sql.rm_searched(relation, by, 'ctr', columns, rel, none, normalise) -%}
{%- set unknown, two, ends = [], [], [] -%}
{%- for text in searched.texts -%}
    {%- do unknown.append('MIN(' ~ text ~ ') IS NULL') -%}
    {%- do two.append('MIN(' ~ text ~ ') <> MAX(' ~ text ~ ')') -%}
    {%- do ends.append({'name': searched.searches[loop.index0], 'sql': 'MAX(' ~ text ~ ')'}) -%}
{%- endfor -%}
{%- set requests %}
    SELECT
        {{ rankmetrics_sql.rm_lines(ends) }},
        CASE
            WHEN {{ two | join(' OR ') }} THEN 'two texts'
            WHEN {{ unknown | join(' OR ') }} THEN 'no text'
        END AS fault
    FROM rankmetrics_shown
    GROUP BY {{ searched.requests | join(', ') }}
    HAVING COUNT(item_id) > 0
{%- endset -%}
{%- set keys = searched.searches | join(', ') -%}
{%- set counted %}
    SELECT {{ keys }}, item_id, CASE WHEN COUNT(*) >= {{ min_impressions }} THEN 1 ELSE 0 END AS is_kept
    FROM rankmetrics_searched
    GROUP BY {{ keys }}, item_id
{%- endset -%}
{%- set judged %}
    SELECT {{ keys }}, MAX(is_kept) AS is_judged
    FROM rankmetrics_counted_pairs
    GROUP BY {{ keys }}
{%- endset -%}
{%- set reasons %}
    SELECT
        'requests' AS input,
        COALESCE(r.fault, CASE WHEN j.is_judged = 1 THEN 'used' ELSE 'no pair is kept' END) AS reason
    FROM rankmetrics_requests AS r
    LEFT JOIN rankmetrics_judged_texts AS j ON {{ rankmetrics_sql.rm_same('j', 'r', searched.searches) }}
    UNION ALL
    SELECT 'pairs' AS input, CASE WHEN is_kept = 1 THEN 'used' ELSE 'too few impressions' END AS reason
    FROM rankmetrics_counted_pairs
{%- endset -%}
{%- set select -%}
SELECT input, reason, COUNT(*) AS n_rows
FROM rankmetrics_reasons
GROUP BY input, reason
{%- if searched.texts | length == 1 %}
UNION ALL
SELECT 'texts' AS input, 'alike' AS reason, SUM(n) AS n_rows
FROM (
    SELECT COUNT(*) AS n
    FROM rankmetrics_judged_texts
    GROUP BY TRIM(LOWER(CAST(search_1 AS {{ rankmetrics_sql.rm_text_type() }})))
    HAVING COUNT(*) > 1
) AS alike
{%- endif %}
{%- if has_place %}
UNION ALL
SELECT 'positions' AS input, 'no impression' AS reason, MAX(place) - COUNT(DISTINCT place) AS n_rows
FROM rankmetrics_shown
WHERE item_id IS NOT NULL AND place = FLOOR(place)
{%- endif %}
ORDER BY input ASC, reason ASC
{%- endset -%}
{{ return(rankmetrics_sql.rm_with(searched.stages + [
    rankmetrics_sql.rm_texts_of_requests(searched, 'ctr'),
    rankmetrics_sql.rm_searched_rows(searched, 'ctr', 'all'),
    rankmetrics_sql.rm_cte('rankmetrics_counted_pairs', counted, 'each text and item, and whether it is kept'),
    rankmetrics_sql.rm_cte('rankmetrics_judged_texts', judged, 'each text, and whether one of its items is kept'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_requests', requests, 'each request that showed an item, and why it is left out'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_reasons', reasons, 'the requests and pairs, used or left out'),
]) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- How many graded actions are about an item that was not shown. -#}
{% macro rm_count_not_shown(log) %}
{%- set select = "SELECT COUNT(*) AS n_rows\nFROM rankmetrics_action_rows\nWHERE reason = 'not shown'" -%}
{{ return(rankmetrics_sql.rm_with(rankmetrics_sql.rm_shown_items(log) + rankmetrics_sql.rm_credited(log))
    ~ '\n\n' ~ select) }}
{% endmacro %}
