{#- Several judges of the same items side by side. All that leaves the database are counts, and errors made of them. -#}

{#-
The counts of grades in each query, from which every measure of agreement is made. ``part`` says what of:
    judge      the items to which judge a gives grade x
    pair       the items to which judge a gives x and judge b gives y
    both       ordered pairs of grades x and y of an item, each a share of one over its judges less one (Krippendorff)
    two        those pairs, shares of all pairs of the item (Fleiss, Gwet)
    share      grades x of an item, shares of its judges
    judges     the items that x judges have
Items with one grade are in no pair. Numbers that a part does not have are 0.
-#}
{% macro rm_grade_counts(inputs) %}
{%- set keys = rankmetrics_sql.rm_query_keys(inputs[0].columns.query_id) -%}
{%- set ids = keys + ['item_id'] -%}
{%- set ctes, grades = [], [] -%}
{%- for input in inputs -%}
    {%- do ctes.extend(rankmetrics_sql.rm_checked_rows(input, '_' ~ loop.index)) -%}
    {%- do grades.append('SELECT ' ~ rankmetrics_sql.rm_qualified('r', ids) | join(', ')
        ~ ', ' ~ loop.index ~ ' AS judge, r.relevance AS grade FROM rankmetrics_rows_' ~ loop.index ~ ' AS r'
        ~ ' WHERE r.item_id IS NOT NULL AND r.relevance IS NOT NULL') -%}
{%- endfor -%}
{%- set counts %}
    SELECT
        {{ rankmetrics_sql.rm_lines(ids + ['grade', {'name': 'n', 'sql': rankmetrics_sql.rm_as_double('COUNT(*)')}]) }}
    FROM rankmetrics_grades
    GROUP BY {{ ids | join(', ') }}, grade
{%- endset -%}
{%- set judges %}
    SELECT
        {{ rankmetrics_sql.rm_lines(ids + [{'name': 'm', 'sql': 'SUM(n)'}]) }}
    FROM rankmetrics_grade_counts
    GROUP BY {{ ids | join(', ') }}
{%- endset -%}
{%- set no_number = rankmetrics_sql.rm_as_double('0') -%}
{%- set of_pair = 'FROM rankmetrics_grades AS s INNER JOIN rankmetrics_grades AS o ON '
    ~ rankmetrics_sql.rm_same('s', 'o', ids) ~ ' AND s.judge < o.judge' -%}
{%- set of_item = 'FROM rankmetrics_grade_counts AS s INNER JOIN rankmetrics_judges AS m ON '
    ~ rankmetrics_sql.rm_same('s', 'm', ids) -%}
{%- set of_two = of_item ~ ' INNER JOIN rankmetrics_grade_counts AS o ON '
    ~ rankmetrics_sql.rm_same('s', 'o', ids) ~ ' WHERE m.m > 1' -%}
{%- set pairs = 's.n * (o.n - CASE WHEN s.grade = o.grade THEN 1 ELSE 0 END)' -%}
{%- set parts = [
    ['judge', 's.judge', '0', 's.grade', no_number, 'COUNT(*)', 'FROM rankmetrics_grades AS s'],
    ['pair', 's.judge', 'o.judge', 's.grade', 'o.grade', 'COUNT(*)', of_pair],
    ['both', '0', '0', 's.grade', 'o.grade', 'SUM(' ~ pairs ~ ' / (m.m - 1))', of_two],
    ['two', '0', '0', 's.grade', 'o.grade', 'SUM(' ~ pairs ~ ' / (m.m * (m.m - 1)))', of_two],
    ['share', '0', '0', 's.grade', no_number, 'SUM(s.n / m.m)', of_item],
    ['judges', '0', '0', 's.m', no_number, 'COUNT(*)', 'FROM rankmetrics_judges AS s'],
] -%}
{%- set selects = [] -%}
{%- for part, a, b, x, y, n, source in parts -%}
    {%- set grouped = rankmetrics_sql.rm_qualified('s', keys) + ([a] if a != '0' else []) + ([b] if b != '0' else [])
        + [x] + ([y] if y != no_number else []) -%}
    {%- do selects.append('SELECT ' ~ rankmetrics_sql.rm_qualified('s', keys) | join(', ') ~ ", '" ~ part
        ~ "' AS part, " ~ a ~ ' AS a, ' ~ b ~ ' AS b, ' ~ x ~ ' AS x, ' ~ y ~ ' AS y, '
        ~ rankmetrics_sql.rm_as_double(n) ~ ' AS n\n    ' ~ source ~ '\n    GROUP BY ' ~ grouped | join(', ')) -%}
{%- endfor -%}
{{ return(ctes + [
    rankmetrics_sql.rm_cte('rankmetrics_grades', '\n    ' ~ grades | join('\n    UNION ALL\n    '),
        'the grades, one row per judge and item'),
    rankmetrics_sql.rm_cte('rankmetrics_grade_counts', counts, 'how many judges give an item each grade'),
    rankmetrics_sql.rm_cte('rankmetrics_judges', judges, 'how many judges an item has'),
    rankmetrics_sql.rm_cte('rankmetrics_counts', '\n    ' ~ selects | join('\n    UNION ALL\n    '),
        'what each query adds to the counts that measures of agreement are made of'),
]) }}
{% endmacro %}

{#- The counts of all queries. -#}
{% macro rm_check_agreement(inputs) %}
{%- set select -%}
SELECT
    part, a, b, x, y,
    SUM(n) AS n
FROM rankmetrics_counts
GROUP BY part, a, b, x, y
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(rankmetrics_sql.rm_grade_counts(inputs), select)) }}
{% endmacro %}

{#-
The standard error of each measure, by queries as clusters, and half of its interval: what a query adds to a measure is
its counts, each times the ``slope`` of the measure by it. The slopes are rows of numbers: which measure, a part by its
place in ``parts``, judges and grades.
-#}
{% macro rm_check_errors_of_agreement(inputs, slopes, parts, level) %}
{%- set keys = rankmetrics_sql.rm_query_keys(inputs[0].columns.query_id) -%}
{%- set names = ['measure', 'part', 'a', 'b', 'x', 'y', 'slope'] -%}
{%- set known = [] -%}
{%- for name in names -%}
    {%- do known.append({'name': name, 'sql': rankmetrics_sql.rm_as_double('p.' ~ name)}) -%}
{%- endfor -%}
{%- set slopes_stage %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known) }}
    FROM {{ rankmetrics_sql.rm_rows_of_numbers('p', names, slopes) }}
{%- endset -%}
{%- set places = [] -%}
{%- for part in parts -%}{%- do places.append("WHEN '" ~ part ~ "' THEN " ~ loop.index0) -%}{%- endfor -%}
{%- set added %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_qualified('c', keys)
            + ['p.measure', {'name': 'added', 'sql': 'SUM(c.n * p.slope)'}]) }}
    FROM rankmetrics_counts AS c
    INNER JOIN rankmetrics_slopes AS p
        ON p.part = CASE c.part {{ places | join(' ') }} END
        AND p.a = c.a AND p.b = c.b AND p.x = c.x AND p.y = c.y
    GROUP BY {{ (rankmetrics_sql.rm_qualified('c', keys) + ['p.measure']) | join(', ') }}
{%- endset -%}
{%- set n = rankmetrics_sql.rm_as_double('COUNT(*)') -%}
{%- set spread = 'SUM(added * added) - SUM(added) * SUM(added) / ' ~ n -%}
{%- set zero = rankmetrics_sql.rm_as_double('0') -%}
{%- set measured %}
    SELECT
        {{ rankmetrics_sql.rm_lines([
            'measure',
            {'name': 'degrees', 'sql': n ~ ' - 1'},
            {'name': 'standard_error', 'sql':
                'SQRT(CASE WHEN ' ~ spread ~ ' > 0 THEN ' ~ n ~ ' / (' ~ n ~ ' - 1) * (' ~ spread ~ ') ELSE ' ~ zero
                ~ ' END)'},
            {'name': 'join_key', 'sql': '1'},
        ]) }}
    FROM rankmetrics_added
    GROUP BY measure
    HAVING COUNT(*) > 1
{%- endset -%}
{%- set student = rankmetrics_sql.rm_student(
    ['measure'], ['degrees', 'standard_error'], [rankmetrics_sql.rm_point('half_width', (1 - level) / 2)]
) -%}
{%- set select -%}
SELECT
    measure,
    degrees,
    standard_error,
    half_width * standard_error AS half_width
FROM {{ student.stages.critical_values }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_question(
    rankmetrics_sql.rm_grade_counts(inputs) + [
        rankmetrics_sql.rm_cte('rankmetrics_slopes', slopes_stage, 'how much each count changes each measure'),
        rankmetrics_sql.rm_cte('rankmetrics_added', added, 'what each query adds to each measure'),
    ] + rankmetrics_sql.rm_with_points(student, measured),
    select
)) }}
{% endmacro %}
