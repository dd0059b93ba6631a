{#-
The point of Student's t that a probability lies beyond: a first guess, and its correction by the probability beyond it.

A probability that is a number has a guess that needs one correction. With v = degrees * LN(1 + point^2 / degrees) it is
the polynomial in 1 / degrees that has the v of 1, 2, 3, 4, 8 and endless degrees of freedom; it misses a point by less
than 0.7 % where the probability is 0.005 or more, and by 5 % down to 0.000005, which the correction makes 3e-10. Those
of usual levels are known (generated/rm_guesses.sql).
-#}

{% macro rm_student_guess(degrees, probability) %}
{%- set terms = [] -%}
{%- for coefficient in rankmetrics_sql.rm_known_guesses().get(probability | string)
        or rankmetrics_sql.rm_guess_coefficients(probability) -%}
    {%- set power = 'POWER(' ~ degrees ~ ', -' ~ loop.index ~ ')' -%}
    {%- do terms.append(rankmetrics_sql.rm_number(coefficient | round(9)) ~ ' * ' ~ power) -%}
{%- endfor -%}
{%- set exponent = terms[:3] | join(' + ') ~ '\n            + ' ~ terms[3:] | join(' + ') -%}
{{ return('SQRT(' ~ degrees ~ ' * (EXP(' ~ exponent ~ ') - 1))') }}
{% endmacro %}

{#- By Newton's divided differences: from the constant on. -#}
{% macro rm_guess_coefficients(probability) %}
{%- set normal = rankmetrics_sql.rm_normal_point(probability) -%}
{%- set at = [0, 1 / 8, 1 / 4, 1 / 3, 1 / 2, 1] -%}
{%- set values = [normal * normal] -%}
{%- for degrees in [8, 4, 3, 2, 1] -%}
    {%- do values.append(rankmetrics_sql.rm_exponent_of_few(degrees, probability)) -%}
{%- endfor -%}
{%- set divided = {'values': values, 'first': [values[0]]} -%}
{%- for step in range(1, 6) -%}
    {%- set next = [] -%}
    {%- for i in range(6 - step) -%}
        {%- do next.append((divided['values'][i + 1] - divided['values'][i]) / (at[i + step] - at[i])) -%}
    {%- endfor -%}
    {%- do divided.update({'values': next, 'first': divided.first + [next[0]]}) -%}
{%- endfor -%}
{%- set found = {'polynomial': [divided.first[5]]} -%}
{%- for step in range(4, -1, -1) -%}
    {%- set shifted = [divided.first[step] - at[step] * found.polynomial[0]] -%}
    {%- for i in range(1, 5 - step) -%}
        {%- do shifted.append(found.polynomial[i - 1] - at[step] * found.polynomial[i]) -%}
    {%- endfor -%}
    {%- do found.update({'polynomial': shifted + [found.polynomial[4 - step]]}) -%}
{%- endfor -%}
{{ return(found.polynomial) }}
{% endmacro %}

{#-
That v of 1, 2, 3, 4 or 8 degrees of freedom, as a number. With the angle whose cotangent is point / SQRT(degrees),
which is found by halving, it is -2 * degrees * LN(its sine).
-#}
{% macro rm_exponent_of_few(degrees, probability) %}
{%- set ends = {'low': 0, 'high': 1.5707963267948966} -%}
{%- for turn in range(36) -%}
    {%- set middle = (ends.low + ends.high) / 2 -%}
    {%- set is_beyond = rankmetrics_sql.rm_tail_of_few(degrees, middle) > probability -%}
    {%- do ends.update({'high': middle} if is_beyond else {'low': middle}) -%}
{%- endfor -%}
{%- set sine = rankmetrics_sql.rm_sine(ends.high) -%}
{{ return(degrees * rankmetrics_sql.rm_natural_logarithm(1 / (sine * sine))) }}
{% endmacro %}

{#- The probability beyond such an angle (Abramowitz & Stegun 26.7.3 and 26.7.4). -#}
{% macro rm_tail_of_few(degrees, angle) %}
{%- set sine = rankmetrics_sql.rm_sine(angle) -%}
{%- set cosine = rankmetrics_sql.rm_sine(1.5707963267948966 - angle) -%}
{%- if degrees in [1, 3] -%}
    {{ return((angle - (sine * cosine if degrees == 3 else 0)) / 3.141592653589793) }}
{%- endif -%}
{%- set square = sine * sine -%}
{%- set series = {2: 1, 4: 1 + square / 2, 8: 1 + square / 2 * (1 + square * 3 / 4 * (1 + square * 5 / 6))} -%}
{{ return((1 - cosine * series[degrees]) / 2) }}
{% endmacro %}

{#- Of an angle from 0 to a right one. -#}
{% macro rm_sine(angle) %}
{%- set found = {'sum': angle, 'term': angle} -%}
{%- for step in range(1, 10) -%}
    {%- do found.update({'term': -found.term * angle * angle / (2 * step * (2 * step + 1))}) -%}
    {%- do found.update({'sum': found.sum + found.term}) -%}
{%- endfor -%}
{{ return(found.sum) }}
{% endmacro %}

{#- Of a number from 1 on, by Halley's steps, each of which comes nearer by up to 2. -#}
{% macro rm_natural_logarithm(number) %}
{%- set found = {'power': 0} -%}
{%- for turn in range(18) -%}
    {%- set grown = rankmetrics_sql.rm_exp_number(found.power) -%}
    {%- do found.update({'power': found.power + 2 * (number - grown) / (number + grown)}) -%}
{%- endfor -%}
{{ return(found.power) }}
{% endmacro %}

{#-
A guess of a probability that rows differ in, for two corrections: between 1 and 2.7 degrees of freedom by the points of
1 and 2, which are known, then Gaver & Kafadar 1984 with the normal point by Abramowitz & Stegun 26.2.23, and far out,
where Gaver & Kafadar miss with few degrees, the first two terms of the tail's series. rm_guess_facts has what it reads.
-#}
{% macro rm_guess_of_rows(degrees, probability, far) %}
{%- set root = probability ~ '_root' -%}
{%- set above = rankmetrics_sql.rm_polynomial(root, [2.515517, 0.802853, 0.010328]) -%}
{%- set below = rankmetrics_sql.rm_polynomial(root, [1, 1.432788, 0.189269, 0.001308]) -%}
{%- set power = 'POWER(' ~ root ~ ' - ' ~ above ~ ' / ' ~ below ~ ', 2) * (' ~ degrees ~ ' - '
    ~ rankmetrics_sql.rm_number(1.5) ~ ') / ((' ~ degrees ~ ' - 1) * (' ~ degrees ~ ' - 1))' -%}
{%- set x = '(' ~ rankmetrics_sql.rm_number(3.141592653589793) ~ ' * ' ~ probability ~ ')' -%}
{%- set of_one = '(1 / ' ~ x ~ ' - ' ~ x ~ ' / 3)' -%}
{%- set of_two = 'SQRT(1 / (2 * ' ~ probability ~ ' * (1 - ' ~ probability ~ ')) - 2)' -%}
{%- set second = degrees ~ ' * (' ~ degrees ~ ' + 1) / (2 * (' ~ degrees ~ ' + 2)) / ' ~ far -%}
{%- set guess -%}
CASE
            WHEN {{ degrees }} < {{ rankmetrics_sql.rm_number(2.7) }}
                THEN POWER({{ of_one }}, 2 / {{ degrees }} - 1) * POWER({{ of_two }}, 2 - 2 / {{ degrees }})
            WHEN {{ far }} > 2 * SQRT({{ degrees }}) THEN {{ far }} - {{ second }}
            ELSE SQRT({{ degrees }} * (EXP({{ power }}) - 1))
        END
{%- endset -%}
{{ return(guess) }}
{% endmacro %}

{#- Of a column with a probability the root of -2 LN, and of each point the first term's. -#}
{% macro rm_guess_facts(points, probability) %}
{%- set expressions = {probability ~ '_root': 'SQRT(-2 * LN(' ~ probability ~ '))'} -%}
{%- for point in points if point.beyond is string -%}
    {%- set exponent = 'LN(' ~ point.height ~ ' / ' ~ probability ~ ') / ' ~ point.degrees ~ ' + (1 - 1 / '
        ~ point.degrees ~ ') * LN(' ~ point.degrees ~ ') / 2' -%}
    {%- do expressions.update({point.name ~ '_far': 'EXP(' ~ exponent ~ ')'}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_named(expressions)) }}
{% endmacro %}

{#-
The correction: Halley's, of the logarithm of the tail by that of the point, nearly a line far out. Of a point x
with the density f and the tail p, steepness is x f.
-#}
{% macro rm_student_corrected(point, degrees, probability) %}
{%- set miss = 'LN(beyond_' ~ point ~ ' / ' ~ probability ~ ')' -%}
{%- set slope = 'steepness_of_' ~ point ~ ' / beyond_' ~ point -%}
{%- set square = point ~ ' * ' ~ point -%}
{%- set bend = '1 + ' ~ slope ~ ' - ' ~ square ~ ' * (' ~ degrees ~ ' + 1) / (' ~ degrees ~ ' + ' ~ square ~ ')' -%}
{%- set change = miss ~ ' / (' ~ slope ~ ' + (' ~ bend ~ ') * ' ~ miss ~ ' / 2)' -%}
{{ return(point ~ ' * EXP(' ~ change ~ ')') }}
{% endmacro %}
