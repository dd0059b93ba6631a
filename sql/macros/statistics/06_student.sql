{#-
Student's t distribution in SQL that every engine has: the same digits in dbt, in Python and in each database.

The probability beyond a point is the integral of the density from there on. With y = point + stretch * (1 / s^3 - 1)
it is one over s from 0 to 1, whose integrand is smooth for any degrees of freedom from 1 on (with s^2 it is not between
1 and 1.3), so that 48 places of Gauss and Legendre give nine digits or more, down to 1e-260.
-#}

{#- Of each place 1 / s^3 - 1, and its weight times dy / ds by the stretch. -#}
{% macro rm_student_places() %}
{{ return([
    (4309650252.819479, 33173064629.25302), (29540090.434996795, 100368953.15440238),
    (1999467.7510583403, 4336586.484867682), (314538.69859107997, 499889.0143360537),
    (76992.76869360331, 96378.32370098596), (24765.51434656995, 25524.15526221176),
    (9593.719467696485, 8387.608999117752), (4253.505853305248, 3222.960147461727),
    (2089.653011986466, 1394.5329012768025), (1112.9483630000036, 662.3861341305561),
    (632.7409951718948, 339.2292493914757), (379.6482775495222, 184.86301980721402),
    (238.3349338901854, 106.13492068183372), (155.49579163701588, 63.70480846974785),
    (104.8671564402435, 39.73269708409141), (72.78610955420486, 25.62472707622152),
    (51.804512631208084, 17.020348757204516), (37.69337073045992, 11.604769746287843),
    (27.964001024654987, 8.099467163817609), (21.104665557802452, 5.773036120114092),
    (16.170693599735767, 4.193745509231869), (12.55655833151149, 3.0994841437669955),
    (9.865094707348387, 2.3270253391226587), (7.8303050764779805, 1.7723498288787032),
    (6.2706129182213575, 1.3677599046769875), (5.059886961890633, 1.0683390954387815),
    (4.10909316199255, 0.8437528485346234), (3.354446635149259, 0.6731764550513264),
    (2.7496215539297224, 0.5420952386570572), (2.260542968177488, 0.4402489010898107),
    (1.8618505190553556, 0.3602884747690261), (1.5344625673075396, 0.296884992827504),
    (1.263875684725687, 0.2461292331720388), (1.0389625842535026, 0.20512191252950068),
    (0.8511124220480539, 0.17169028576650172), (0.6936092310284274, 0.14418977274886366),
    (0.5611779507974088, 0.12136350108159792), (0.4496497413246854, 0.10224176370233314),
    (0.35571310988388594, 0.08606928876874811), (0.2767274156236854, 0.07225208753808253),
    (0.2105821804726531, 0.06031821356411777), (0.15559038362829503, 0.049888490195790516),
    (0.11040723800336538, 0.04065443274592025), (0.07396829504660785, 0.03236139331700152),
    (0.04544240126202981, 0.02479551415070419), (0.024196229224651145, 0.017773491353939564),
    (0.009767869779926386, 0.011134712576500618), (0.001845757078635879, 0.004741663279551924),
]) }}
{% endmacro %}

{#- places: where the density is looked at, and what each look counts. -#}
{% macro rm_places(stage) %}
{%- set rows = [] -%}
{%- for distance, weight in rankmetrics_sql.rm_student_places() -%}
    {%- set numbers = rankmetrics_sql.rm_number(distance) ~ ' AS distance, ' ~ rankmetrics_sql.rm_number(weight) -%}
    {%- do rows.append('SELECT 1 AS always, ' ~ numbers ~ ' AS weight') -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_cte(
    stage, '\n    ' ~ rows | join('\n    UNION ALL '),
    'where the density of a distribution is looked at beyond a point, and what each look counts'
)) }}
{% endmacro %}

{#- How far the places reach beyond a point. -#}
{% macro rm_student_stretch(point, degrees) %}
{%- set beyond = '(' ~ degrees ~ ' + ' ~ point ~ ' * ' ~ point ~ ') / (' ~ point ~ ' * (' ~ degrees ~ ' + 1))' -%}
{{ return('CASE WHEN ' ~ point ~ ' < 1 THEN 1 ELSE ' ~ beyond ~ ' END') }}
{% endmacro %}

{#- What is in the density beside its height: (1 + y^2 / degrees) ^ (-(degrees + 1) / 2). -#}
{% macro rm_student_shape(y, degrees) %}
{%- set logarithm = 'LN(1 + POWER(' ~ y ~ ', 2) / ' ~ degrees ~ ')' -%}
{{ return(rankmetrics_sql.rm_exp('-(' ~ degrees ~ ' + 1) / 2 * ' ~ logarithm)) }}
{% endmacro %}

{#- The probability beyond a point, of the rows s for all places n. -#}
{% macro rm_student_tail(point) %}
{%- set stretch = rankmetrics_sql.rm_student_stretch(point, 's.degrees') -%}
{%- set y = point ~ ' + ' ~ stretch ~ ' * n.distance' -%}
{%- set seen = 'n.weight * ' ~ rankmetrics_sql.rm_student_shape(y, 's.degrees') -%}
{%- set looked_at = 'SUM(' ~ rankmetrics_sql.rm_in_order(seen, 'n.distance') ~ ')' -%}
{{ return('MAX(s.height * ' ~ stretch ~ ') * ' ~ looked_at) }}
{% endmacro %}

{#- The same of the normal distribution, for a point from 0 on. -#}
{% macro rm_normal_beyond(point) %}
{%- set stretch = 'CASE WHEN ' ~ point ~ ' < 1 THEN 1 ELSE 1 / ' ~ point ~ ' END' -%}
{%- set y = point ~ ' + ' ~ stretch ~ ' * n.distance' -%}
{%- set seen = 'n.weight * ' ~ rankmetrics_sql.rm_exp('-POWER(' ~ y ~ ', 2) / 2') -%}
{%- set height = rankmetrics_sql.rm_number(0.3989422804014327) -%}
{{ return('MAX(' ~ stretch ~ ') * ' ~ height ~ ' * SUM(' ~ rankmetrics_sql.rm_in_order(seen, 'n.distance') ~ ')') }}
{% endmacro %}

{#-
The height of the density at 0: Γ((d + 1) / 2) / (Γ(d / 2) √(π d)). The ratio of the two is known where the argument is
large: it is that of an argument larger by 8, and what it takes to come there.
-#}
{% macro rm_student_height(degrees) %}
{%- set steps = [] -%}
{%- for step in range(8) -%}
    {%- set above = degrees ~ (' + ' ~ 2 * step if step else '') -%}
    {%- do steps.append('(' ~ above ~ ') / (' ~ degrees ~ ' + ' ~ (2 * step + 1) ~ ')') -%}
{%- endfor -%}
{%- set u = '(' ~ degrees ~ ' / 2 + ' ~ rankmetrics_sql.rm_number(7.75) ~ ')' -%}
{%- set square = '(' ~ u ~ ' * ' ~ u ~ ')' -%}
{%- set height -%}
SQRT({{ u }} / ({{ rankmetrics_sql.rm_number(3.141592653589793) }} * {{ degrees }}))
            * (1 + ({{ rankmetrics_sql.rm_number(1 / 64) }}
                - ({{ rankmetrics_sql.rm_number(19 / 8192) }}
                - {{ rankmetrics_sql.rm_number(631 / 524288) }} / {{ square }}) / {{ square }}) / {{ square }})
            * {{ steps[:4] | join(' * ') }}
            * {{ steps[4:] | join(' * ') }}
{%- endset -%}
{{ return(height) }}
{% endmacro %}

{#-
A first guess of the point that a probability lies beyond, for the rows of two corrections: Gaver & Kafadar 1984, and
between 1 and 2 degrees of freedom, whose points are known, as both say.
-#}
{% macro rm_student_guess(degrees, probability) %}
{%- set z = rankmetrics_sql.rm_normal_point(probability) -%}
{%- set x = 3.141592653589793 * probability -%}
{%- set of_one = rankmetrics_sql.rm_number(1 / x - x / 3) -%}
{%- set both = 2 * probability -%}
{%- set of_two = 'SQRT(' ~ rankmetrics_sql.rm_number(2 / (both * (2 - both)) - 2) ~ ')' -%}
{%- set power = rankmetrics_sql.rm_number(z * z) ~ ' * (' ~ degrees ~ ' - ' ~ rankmetrics_sql.rm_number(1.5)
    ~ ') / ((' ~ degrees ~ ' - 1) * (' ~ degrees ~ ' - 1))' -%}
{%- set guess -%}
CASE
            WHEN {{ degrees }} < {{ rankmetrics_sql.rm_number(2.7) }}
                THEN POWER({{ of_one }}, 2 / {{ degrees }} - 1) * POWER({{ of_two }}, 2 - 2 / {{ degrees }})
            ELSE SQRT({{ degrees }} * (EXP({{ power }}) - 1))
        END
{%- endset -%}
{{ return(guess) }}
{% endmacro %}

{#-
The same guess of a probability that rows differ in: the normal point by Abramowitz & Stegun 26.2.23, and far out, where
Gaver & Kafadar miss with few degrees, the first two terms of the tail's series. rm_guess_facts has what it reads.
-#}
{% macro rm_guess_of_rows(degrees, probability) %}
{%- set root = probability ~ '_root' -%}
{%- set far = probability ~ '_far' -%}
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

{#- Of a column with a probability, beside the height of the density: the root of -2 LN, and the first term's point. -#}
{% macro rm_guess_facts(degrees, probability) %}
{%- set far = 'EXP(LN(height / ' ~ probability ~ ') / ' ~ degrees ~ ' + (1 - 1 / ' ~ degrees ~ ') * LN(' ~ degrees
    ~ ') / 2)' -%}
{{ return(rankmetrics_sql.rm_named({
    probability ~ '_root': 'SQRT(-2 * LN(' ~ probability ~ '))',
    probability ~ '_far': far,
})) }}
{% endmacro %}

{#- A polynomial of a column, by Horner's rule, from the constant on. -#}
{% macro rm_polynomial(column, coefficients) %}
{%- set found = {'sql': rankmetrics_sql.rm_number(coefficients[-1])} -%}
{%- for coefficient in (coefficients[:-1] | reverse) -%}
    {%- do found.update({
        'sql': '(' ~ rankmetrics_sql.rm_number(coefficient) ~ ' + ' ~ column ~ ' * ' ~ found.sql ~ ')',
    }) -%}
{%- endfor -%}
{{ return(found.sql) }}
{% endmacro %}

{#-
The correction of such a point by the probability beyond it: Newton's, and a term for the slope of the density. Far out
the tail is a power of the point, so that in logarithms it is Newton's alone, and a guess may miss by a multiple.
-#}
{% macro rm_student_corrected(probability, in_tail=false) %}
{%- set density = '(height * ' ~ rankmetrics_sql.rm_student_shape('point', 'degrees') ~ ')' -%}
{%- if in_tail -%}
    {%- set ratio = 'LN(beyond_point / ' ~ probability ~ ')' -%}
    {{ return('point * ' ~ rankmetrics_sql.rm_exp(ratio ~ ' * beyond_point / (point * ' ~ density ~ ')')) }}
{%- endif -%}
{%- set step = '(beyond_point - ' ~ probability ~ ') / ' ~ density -%}
{%- set slope = 'point * (degrees + 1) / (degrees + point * point) / 2' -%}
{{ return('point + ' ~ step ~ ' * (1 + ' ~ step ~ ' * ' ~ slope ~ ')') }}
{% endmacro %}

{#-
The point of the normal distribution that a probability lies below, of columns with a probability less a half: Wichura's
AS 241 (1988), to 1e-15 down to a probability of 1e-11. It reads rm_normal_arguments.
-#}
{% macro rm_normal_inverse(centred) %}
{%- set near = centred ~ '_near' -%}
{%- set far = centred ~ '_far' -%}
{%- set above_near = rankmetrics_sql.rm_polynomial(near, [
    3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
    67265.770927008700853, 33430.575583588128105, 2509.0809287301226727,
]) -%}
{%- set below_near = rankmetrics_sql.rm_polynomial(near, [
    1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867,
    39307.895800092710610, 28729.085735721942674, 5226.4952788528545610,
]) -%}
{%- set above_far = rankmetrics_sql.rm_polynomial(far, [
    1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
    1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 0.000774545014278341407640,
]) -%}
{%- set below_far = rankmetrics_sql.rm_polynomial(far, [
    1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550, 0.148103976427480074590,
    0.0151986665636164571966, 0.000547593808499534494600, '1.05075007164441684324e-9',
]) -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN ABS(' ~ centred ~ ') <= ' ~ rankmetrics_sql.rm_number(0.425) ~ ' THEN ' ~ centred ~ ' * ' ~ above_near
        ~ ' / ' ~ below_near,
    'WHEN ' ~ centred ~ ' < 0 THEN -' ~ above_far ~ ' / ' ~ below_far,
    'ELSE ' ~ above_far ~ ' / ' ~ below_far,
], '', 8)) }}
{% endmacro %}

{#- Of a column with a probability less a half. -#}
{% macro rm_normal_arguments(centred) %}
{{ return(rankmetrics_sql.rm_named({
    centred ~ '_near': rankmetrics_sql.rm_number(0.180625) ~ ' - ' ~ centred ~ ' * ' ~ centred,
    centred ~ '_far': 'SQRT(-LN(' ~ rankmetrics_sql.rm_number(0.5) ~ ' - ABS(' ~ centred ~ '))) - '
        ~ rankmetrics_sql.rm_number(1.6),
})) }}
{% endmacro %}

{#- The probability below a point of the normal distribution, of a column: Hart's 5666 (1968, after West 2009). -#}
{% macro rm_normal_share(point) %}
{%- set size = 'ABS(' ~ point ~ ')' -%}
{%- set above = rankmetrics_sql.rm_polynomial(size, [
    220.206867912376, 221.213596169931, 112.079291497871, 33.912866078383, 6.37396220353165, 0.700383064443688,
    0.0352624965998911,
]) -%}
{%- set below = rankmetrics_sql.rm_polynomial(size, [
    440.413735824752, 793.826512519948, 637.333633378831, 296.564248779674, 86.7807322029461, 16.064177579207,
    1.75566716318264, 0.0883883476483184,
]) -%}
{%- set tail = rankmetrics_sql.rm_exp('-' ~ point ~ ' * ' ~ point ~ ' / 2') ~ ' * ' ~ above ~ ' / ' ~ below -%}
{{ return('CASE WHEN ' ~ point ~ ' > 0 THEN 1 - ' ~ tail ~ ' ELSE ' ~ tail ~ ' END') }}
{% endmacro %}

{#- The point that a probability below a half lies beyond, of the normal distribution, as a number: by halving. -#}
{% macro rm_normal_point(probability, turns=30) %}
{%- set ends = {'low': 0, 'high': 20} -%}
{%- for turn in range(turns) -%}
    {%- set middle = (ends.low + ends.high) / 2 -%}
    {%- if rankmetrics_sql.rm_normal_tail(middle) > probability -%}
        {%- do ends.update({'low': middle}) -%}
    {%- else -%}
        {%- do ends.update({'high': middle}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(ends.high) }}
{% endmacro %}

{#- The probability beyond a point from 0 on: by Laplace's fraction far out, by the density's series near 0. -#}
{% macro rm_normal_tail(z) %}
{%- set density = 0.3989422804014327 / rankmetrics_sql.rm_growth(z * z / 2) -%}
{%- set found = {'sum': z, 'term': z} -%}
{%- if z > 3 -%}
    {%- do found.update({'sum': z}) -%}
    {%- for step in range(40, 0, -1) -%}{%- do found.update({'sum': z + step / found.sum}) -%}{%- endfor -%}
    {{ return(density / found.sum) }}
{%- endif -%}
{%- for step in range(1, 40) -%}
    {%- do found.update({'term': found.term * z * z / (2 * step + 1)}) -%}
    {%- do found.update({'sum': found.sum + found.term}) -%}
{%- endfor -%}
{{ return(0.5 - density * found.sum) }}
{% endmacro %}

{#- e to a power from 0 on, as a number. -#}
{% macro rm_growth(power) %}
{%- set halved = power / 64 -%}
{%- set found = {'sum': 1, 'term': 1} -%}
{%- for step in range(1, 30) -%}
    {%- do found.update({'term': found.term * halved / step}) -%}
    {%- do found.update({'sum': found.sum + found.term}) -%}
{%- endfor -%}
{%- for turn in range(6) -%}{%- do found.update({'sum': found.sum * found.sum}) -%}{%- endfor -%}
{{ return(found.sum) }}
{% endmacro %}
