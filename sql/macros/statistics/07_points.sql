{#-
How many errors wide intervals are, and how probable a distance from what is tested is: one relation after the other,
each with a row for each estimate.
    guessed                    with a first guess of each point, and the height of the density; effects have these
                               from the stage measured on, which needs no stage more
    tail_probabilities         with the probability beyond each point, and beyond the distance
    critical_values            with the points corrected by it
    second_look, second_point  once more, where rows differ in the probability that is asked for
What is joined has one partner for all rows, and stands on the right of a LEFT JOIN: so no planner reads the estimates,
and all that they are made of, once for each place.
-#}

{#-
What is looked for.
    stages    the names of the relations that lead to it
    row_keys  what the rows are told apart by
    said      what else they say
    points    the points, as rm_point has them
    distance  of an estimate from what is tested, in errors; none where that is not asked
    degrees   of freedom that the probability beyond that has; none of the normal distribution
    gain      another distance, from no difference where that is not what is tested, or none
-#}
{% macro rm_student(row_keys, said, points, distance=none, degrees='degrees', gain=none) %}
{{ return({
    'stages': rankmetrics_sql.rm_plan_stages(),
    'row_keys': row_keys,
    'said': said,
    'points': points,
    'distance': distance,
    'degrees': degrees,
    'gain': gain,
}) }}
{% endmacro %}

{#- A point of the distribution with some degrees of freedom; beyond it lies a probability, a number or a column. -#}
{% macro rm_point(name, beyond, degrees='degrees', height='height') %}
{{ return({'name': name, 'beyond': beyond, 'degrees': degrees, 'height': height}) }}
{% endmacro %}

{#- The relations from measured on, up to the points; more are columns made of the rows s of the last but one. -#}
{% macro rm_with_points(student, measured, more=[]) %}
{%- set known = [rankmetrics_sql.rm_cte(
    student.stages.measured, measured, 'each estimate with its error and degrees of freedom'
)] -%}
{%- if not student.points and student.distance is none -%}
    {{ return(known + rankmetrics_sql.rm_critical_values(student, student.stages.measured, more)) }}
{%- endif -%}
{{ return([rankmetrics_sql.rm_quadrature_nodes(student.stages.quadrature_nodes)] + known
    + rankmetrics_sql.rm_points(student, student.stages.measured, more)) }}
{% endmacro %}

{% macro rm_points(student, source, more=[]) %}
{{ return([rankmetrics_sql.rm_cte(
    student.stages.guessed, rankmetrics_sql.rm_guessed(student, source),
    'with a first guess of the half-width of the interval, in standard errors'
)] + rankmetrics_sql.rm_tail_probabilities(student, student.stages.guessed, more)) }}
{% endmacro %}

{#- The relations from the guesses of a stage on. -#}
{% macro rm_tail_probabilities(student, guessed, more) %}
{%- set about = 'with the half-width of the interval, the corrected guess' if student.points
    else 'with the statistic and the p-value' -%}
{{ return([rankmetrics_sql.rm_cte(
    student.stages.tail_probabilities,
    rankmetrics_sql.rm_look(student, guessed, rankmetrics_sql.rm_looks_again(student)),
    'with the tail probability beyond that, by quadrature'
)] + rankmetrics_sql.rm_critical_values(student, student.stages.tail_probabilities, more, about)) }}
{% endmacro %}

{#- The columns that a look reads: degrees of freedom, each with the height of its density. -#}
{% macro rm_heights(student) %}
{%- set heights = {} -%}
{%- for point in student.points -%}{%- do heights.update({point.degrees: point.height}) -%}{%- endfor -%}
{%- if student.distance is not none and student.degrees is not none -%}
    {%- do heights.update({student.degrees: 'height' if student.degrees == 'degrees' else 'own_height'}) -%}
{%- endif -%}
{{ return(heights) }}
{% endmacro %}

{% macro rm_height_columns(student, alias='') %}
{%- set columns = [] -%}
{%- for degrees, height in rankmetrics_sql.rm_heights(student).items() -%}
    {%- do columns.append({'name': height, 'sql': rankmetrics_sql.rm_student_height(alias ~ degrees)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The columns that a look reads beside the ones that rows carry anyway. -#}
{% macro rm_read_by_looks(student) %}
{%- set looks = student.points or student.distance is not none -%}
{%- set columns = (['join_key'] if looks else []) + rankmetrics_sql.rm_heights(student).keys() | list -%}
{{ return(columns | reject('in', student.said) | list) }}
{% endmacro %}

{#- The columns computed from rows s for a look: the distance from the tested value, heights, and guesses of points. -#}
{% macro rm_guesses(student) %}
{%- set columns = [{'name': 'distance', 'sql': student.distance}] if student.distance is not none else [] -%}
{%- if student.gain is not none -%}{%- do columns.append({'name': 'gain', 'sql': student.gain}) -%}{%- endif -%}
{%- do columns.extend(rankmetrics_sql.rm_height_columns(student, 's.')) -%}
{%- for point in student.points -%}
    {%- set degrees = 's.' ~ point.degrees -%}
    {%- set guess = rankmetrics_sql.rm_student_guess(degrees, point.beyond) if point.beyond is number
        else rankmetrics_sql.rm_guess_of_rows(degrees, 's.' ~ point.beyond, 's.' ~ point.name ~ '_far') -%}
    {%- do columns.append({'name': point.name, 'sql': guess}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_guessed(student, source) %}
{%- set guessed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(student.row_keys + student.said + rankmetrics_sql.rm_read_by_looks(student)
            + rankmetrics_sql.rm_guesses(student)) }}
    FROM {{ source }} AS s
{%- endset -%}
{{ return(guessed) }}
{% endmacro %}

{#- Expressions by their names as columns, which are laid out already. -#}
{% macro rm_as_columns(expressions) %}
{%- set columns = [] -%}
{%- for name, sql in expressions.items() -%}{%- do columns.append({'name': name, 'sql': sql}) -%}{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The probability beyond each point, and beyond the distance. A MAX of one row keeps planners from repeating it. -#}
{% macro rm_look(student, stage, looks_again=false) %}
{%- set heights = rankmetrics_sql.rm_heights(student) -%}
{%- set known = student.said + heights.keys() | reject('in', student.said) | list
    + student.points | map(attribute='name') | list
    + (heights.values() | list + ['join_key'] if looks_again else []) -%}
{%- set columns = rankmetrics_sql.rm_columns_from('s', student.row_keys) + rankmetrics_sql.rm_each('MAX(s.', known) -%}
{%- for point in student.points -%}
    {%- set at, degrees, height = 's.' ~ point.name, 's.' ~ point.degrees, 's.' ~ point.height -%}
    {%- set density = height ~ ' * ' ~ rankmetrics_sql.rm_student_shape(at, degrees) -%}
    {%- do columns.extend(rankmetrics_sql.rm_as_columns({
        'steepness_of_' ~ point.name: 'MAX(' ~ at ~ ' * ' ~ density ~ ')',
        'beyond_' ~ point.name: rankmetrics_sql.rm_student_tail(at, degrees, height),
    })) -%}
{%- endfor -%}
{%- if student.distance is not none -%}
    {%- set tail = rankmetrics_sql.rm_normal_beyond('s.distance') if student.degrees is none
        else rankmetrics_sql.rm_student_tail(
            's.distance', 's.' ~ student.degrees, 's.' ~ heights[student.degrees]
        ) -%}
    {%- do columns.append({'name': 'beyond_distance', 'sql': tail}) -%}
{%- endif -%}
{%- if student.gain is not none -%}
    {%- set tail = rankmetrics_sql.rm_student_tail('s.gain', 's.degrees', 's.height') -%}
    {%- do columns.append({'name': 'beyond_gain', 'sql': tail}) -%}
{%- endif -%}
{%- set look %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ stage }} AS s
    LEFT JOIN {{ student.stages.quadrature_nodes }} AS n ON n.join_key = s.join_key
    {%- if student.row_keys %}
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', student.row_keys) | join(', ') }}
    {%- endif %}
{%- endset -%}
{{ return(look) }}
{% endmacro %}

{#- Whether points are corrected twice, as rows differ in their probability. -#}
{% macro rm_looks_again(student) %}
{{ return(student.points | rejectattr('beyond', 'number') | list | length > 0) }}
{% endmacro %}

{#- The stage critical_values, and where points are corrected twice the stages after it. -#}
{% macro rm_critical_values(student, stage, more=[], about='with the statistic and the p-value') %}
{%- if not rankmetrics_sql.rm_looks_again(student) -%}
    {{ return([rankmetrics_sql.rm_cte(
        student.stages.critical_values, rankmetrics_sql.rm_corrected(student, stage, more), about
    )]) }}
{%- endif -%}
{%- set heights = rankmetrics_sql.rm_heights(student) -%}
{%- set known = heights.keys() | list + heights.values() | list + ['join_key'] -%}
{{ return([
    rankmetrics_sql.rm_cte(
        student.stages.critical_values, rankmetrics_sql.rm_corrected(student, stage, known),
        'with the corrected guess'
    ),
    rankmetrics_sql.rm_cte(
        student.stages.second_look, rankmetrics_sql.rm_look(student, student.stages.critical_values),
        'with the tail probability beyond the corrected guess'
    ),
    rankmetrics_sql.rm_cte(
        student.stages.second_point, rankmetrics_sql.rm_corrected(student, student.stages.second_look, more), about
    ),
]) }}
{% endmacro %}

{% macro rm_corrected(student, stage, more) %}
{%- set points = {} -%}
{%- for point in student.points -%}
    {%- set beyond = rankmetrics_sql.rm_number(point.beyond) if point.beyond is number else point.beyond -%}
    {%- do points.update({
        point.name: rankmetrics_sql.rm_student_corrected(point.name, point.degrees, beyond),
    }) -%}
{%- endfor -%}
{%- set corrected %}
    SELECT
        {{ rankmetrics_sql.rm_lines(student.row_keys + student.said + rankmetrics_sql.rm_as_columns(points) + more) }}
    FROM {{ stage }} AS s
{%- endset -%}
{{ return(corrected) }}
{% endmacro %}
