{#- The normal distribution, in SQL and as numbers. -#}

{#- The probability beyond a point from 0 on, of the rows s for all places n of 06_student.sql. -#}
{% macro rm_normal_beyond(point) %}
{%- set stretch = '2 / (1 + ' ~ point ~ ')' -%}
{%- set y = point ~ ' + ' ~ stretch ~ ' * n.distance' -%}
{%- set seen = 'n.weight * ' ~ rankmetrics_sql.rm_exp('-POWER(' ~ y ~ ', 2) / 2') -%}
{%- set height = rankmetrics_sql.rm_number(0.3989422804014327) -%}
{{ return('MAX(' ~ stretch ~ ') * ' ~ height ~ ' * SUM(' ~ rankmetrics_sql.rm_in_order(seen, 'n.distance') ~ ')') }}
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
{%- set density = 0.3989422804014327 / rankmetrics_sql.rm_exp_number(z * z / 2) -%}
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
{% macro rm_exp_number(power) %}
{%- set halved = power / 64 -%}
{%- set found = {'sum': 1, 'term': 1} -%}
{%- for step in range(1, 30) -%}
    {%- do found.update({'term': found.term * halved / step}) -%}
    {%- do found.update({'sum': found.sum + found.term}) -%}
{%- endfor -%}
{%- for turn in range(6) -%}{%- do found.update({'sum': found.sum * found.sum}) -%}{%- endfor -%}
{{ return(found.sum) }}
{% endmacro %}
