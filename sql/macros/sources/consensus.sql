{#-
One set of judgments of the grades of several judges: a row for each query and item with at least min_judges grades.
n_judges is how many grades there are, and agreement the share of their pairs that are equal (NULL of one).

relation    the grades, a row for each query, item and judge; no judge grades an item twice
rule        majority: the most frequent grade; median: the middle one, of an even number the mean of the middle two;
            mean; lowest; highest
columns     what the user calls query, item and relevance
ties        of majority, where several grades are most frequent: the lowest or the highest of them, or drop the item
min_judges  items with fewer grades are left out
-#}
{% macro consensus(relation, rule='median', columns=none, ties='lowest', min_judges=1) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- for name, value, known in [
    ['rule', rule, ['majority', 'median', 'mean', 'lowest', 'highest']], ['ties', ties, ['lowest', 'highest', 'drop']],
] if value not in known -%}
    {%- do rankmetrics_sql.rm_raise('consensus: ' ~ name ~ ' is ' ~ known[:-1] | join(', ') ~ ' or ' ~ known[-1]
        ~ ', not ' ~ rankmetrics_sql.rm_written_value(value) ~ '.') -%}
{%- endfor -%}
{%- if min_judges is not integer or min_judges < 1 -%}
    {%- do rankmetrics_sql.rm_raise('consensus: min_judges is a whole number from 1 on, not '
        ~ rankmetrics_sql.rm_written_value(min_judges) ~ '.') -%}
{%- endif -%}
{%- set own = rankmetrics_sql.rm_source_columns({
    'query_id': 'query_id', 'item_id': 'item_id', 'relevance': 'relevance',
}, columns) -%}
{%- set keys = rankmetrics_sql.rm_source_keys(own.query_id)
    + [{'name': 'item_id', 'sql': rankmetrics_sql.rm_over_row(own.item_id)}] -%}
{%- set ids = keys | map(attribute='name') | list -%}
{%- set number = rankmetrics_sql.rm_as_double(rankmetrics_sql.rm_over_row(own.relevance)) -%}
{%- set grade = rankmetrics_sql.rm_null_for_nan(number) -%}
{%- set grades %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + [{'name': 'grade', 'sql': grade}]) }}
    FROM rankmetrics_given AS s
{%- endset -%}
{%- set counts %}
    SELECT
        {{ rankmetrics_sql.rm_lines(ids + ['grade', {'name': 'n', 'sql': rankmetrics_sql.rm_as_double('COUNT(*)')}]) }}
    FROM rankmetrics_grades
    WHERE {{ rankmetrics_sql.rm_all_known(ids + ['grade']) }}
    GROUP BY {{ ids | join(', ') }}, grade
{%- endset -%}
{%- set of_item = 'PARTITION BY ' ~ ids | join(', ') -%}
{%- set ranked %}
    SELECT
        {{ rankmetrics_sql.rm_lines(ids + ['grade', 'n',
            {'name': 'm', 'sql': 'SUM(n) OVER (' ~ of_item ~ ')'},
            {'name': 'most', 'sql': 'MAX(n) OVER (' ~ of_item ~ ')'},
            {'name': 'n_up_to', 'sql': 'SUM(n) OVER (' ~ of_item
                ~ ' ORDER BY grade ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)'},
        ]) }}
    FROM rankmetrics_grade_counts
{%- endset -%}
{%- set frequent = 'CASE WHEN n = most THEN grade END' -%}
{%- set middle = "(MIN(CASE WHEN 2 * n_up_to >= m THEN grade END)"
    ~ " + MIN(CASE WHEN 2 * n_up_to > m THEN grade END)) / 2" -%}
{%- set relevance = {
    'majority': ('MAX(' if ties == 'highest' else 'MIN(') ~ frequent ~ ')',
    'median': middle,
    'mean': 'SUM(grade * n) / SUM(n)',
    'lowest': 'MIN(grade)',
    'highest': 'MAX(grade)',
}[rule] -%}
{%- set kept = (['MAX(m) >= ' ~ min_judges] if min_judges > 1 else [])
    + (['COUNT(' ~ frequent ~ ') = 1'] if rule == 'majority' and ties == 'drop' else []) -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(ids + [
        {'name': 'relevance', 'sql': relevance},
        {'name': 'n_judges', 'sql': 'MAX(m)'},
        {'name': 'agreement', 'sql': 'SUM(n * (n - 1)) / NULLIF(MAX(m) * (MAX(m) - 1), 0)'},
    ], 4) }}
FROM rankmetrics_grades_in_order
GROUP BY {{ ids | join(', ') }}
{%- if kept %}
HAVING {{ kept | join(' AND ') }}
{%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with([
    rankmetrics_sql.rm_cte('rankmetrics_given', 'SELECT * FROM ' ~ relation, 'the grades as given'),
    rankmetrics_sql.rm_cte('rankmetrics_grades', grades, 'the grades, one row per judge and item'),
    rankmetrics_sql.rm_cte('rankmetrics_grade_counts', counts, 'how many judges give an item each grade'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_grades_in_order', ranked,
        'with the judges of the item, its most frequent grade, and a running count'
    ),
]) ~ '\n\n' ~ select) }}
{% endmacro %}
