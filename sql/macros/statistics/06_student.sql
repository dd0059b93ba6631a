{#-
Student's t distribution in SQL that every engine has: the same digits in dbt, in Python and in each database.

The probability beyond a point is the integral of the density from there on. With y = point + stretch * (1 / s^3 - 1)
it is one over s from 0 to 1, whose integrand is smooth for any degrees of freedom from 1 on (with s^2 it is not between
1 and 1.3), so that 48 places of Gauss and Legendre give ten digits or more, down to 1e-250.
-#}

{#- Of each place 1 / s^3 - 1, and its weight times dy / ds by the stretch. -#}
{% macro rm_student_places() %}
{{ return([
    (4309650252.8195, 33173064629.253), (29540090.434997, 100368953.1544), (1999467.7510583, 4336586.4848677),
    (314538.69859108, 499889.01433605), (76992.768693603, 96378.323700986), (24765.51434657, 25524.155262212),
    (9593.7194676965, 8387.6089991178), (4253.5058533052, 3222.9601474617), (2089.6530119865, 1394.5329012768),
    (1112.948363, 662.38613413056), (632.74099517189, 339.22924939148), (379.64827754952, 184.86301980721),
    (238.33493389019, 106.13492068183), (155.49579163702, 63.704808469748), (104.86715644024, 39.732697084091),
    (72.786109554205, 25.624727076222), (51.804512631208, 17.020348757205), (37.69337073046, 11.604769746288),
    (27.964001024655, 8.0994671638176), (21.104665557802, 5.7730361201141), (16.170693599736, 4.1937455092319),
    (12.556558331511, 3.099484143767), (9.8650947073484, 2.3270253391227), (7.830305076478, 1.7723498288787),
    (6.2706129182214, 1.367759904677), (5.0598869618906, 1.0683390954388), (4.1090931619925, 0.84375284853462),
    (3.3544466351493, 0.67317645505133), (2.7496215539297, 0.54209523865706), (2.2605429681775, 0.44024890108981),
    (1.8618505190554, 0.36028847476903), (1.5344625673075, 0.2968849928275), (1.2638756847257, 0.24612923317204),
    (1.0389625842535, 0.2051219125295), (0.85111242204805, 0.1716902857665), (0.69360923102843, 0.14418977274886),
    (0.56117795079741, 0.1213635010816), (0.44964974132469, 0.10224176370233), (0.35571310988389, 0.086069288768748),
    (0.27672741562369, 0.072252087538083), (0.21058218047265, 0.060318213564118), (0.1555903836283, 0.049888490195791),
    (0.11040723800337, 0.04065443274592), (0.073968295046608, 0.032361393317002), (0.04544240126203, 0.024795514150704),
    (0.024196229224651, 0.01777349135394), (0.0097678697799264, 0.011134712576501),
    (0.0018457570786359, 0.0047416632795519),
]) }}
{% endmacro %}

{#- places: where the density is looked at, and what each look counts. -#}
{% macro rm_quadrature_nodes(stage) %}
{%- set names = ['distance', 'weight'] -%}
{%- set places = rankmetrics_sql.rm_rows_of_numbers('p', names, rankmetrics_sql.rm_student_places()) -%}
{%- set columns = [{'name': 'join_key', 'sql': '1'}] -%}
{%- for name in names -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_as_double('p.' ~ name)}) -%}
{%- endfor -%}
{%- set rows %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ places }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_cte(
    stage, rows, 'the nodes and weights of the quadrature that integrates the tail of a distribution'
)) }}
{% endmacro %}

{#- The density divided by its height: (1 + y^2 / degrees) ^ (-(degrees + 1) / 2). -#}
{% macro rm_student_shape(y, degrees) %}
{%- set logarithm = 'LN(1 + POWER(' ~ y ~ ', 2) / ' ~ degrees ~ ')' -%}
{{ return(rankmetrics_sql.rm_exp('-(' ~ degrees ~ ' + 1) / 2 * ' ~ logarithm)) }}
{% endmacro %}

{#-
The probability beyond a point, of the rows s for all places n. The nodes are stretched to twice the density over its
slope, far out.
-#}
{% macro rm_student_tail(point, degrees, height) %}
{%- set above = '2 * (' ~ degrees ~ ' + ' ~ point ~ ' * ' ~ point ~ ')' -%}
{%- set stretch = above ~ ' / (' ~ degrees ~ ' + ' ~ point ~ ' * (' ~ degrees ~ ' + 1))' -%}
{%- set y = point ~ ' + ' ~ stretch ~ ' * n.distance' -%}
{%- set seen = 'n.weight * ' ~ rankmetrics_sql.rm_student_shape(y, degrees) -%}
{%- set beyond = 'SUM(' ~ rankmetrics_sql.rm_in_order(seen, 'n.distance') ~ ')' -%}
{{ return('MAX(' ~ height ~ ' * ' ~ stretch ~ ') * ' ~ beyond) }}
{% endmacro %}

{#-
The height of the density at 0: Γ((d + 1) / 2) / (Γ(d / 2) √(π d)). The ratio of the two is known where the argument is
large: it is that of an argument larger by 8, and what it takes to come there.
-#}
{% macro rm_student_height(degrees) %}
{%- set u = '(2 * ' ~ degrees ~ ' + 31) / 4' -%}
{%- set above = [degrees] -%}
{%- set below = [] -%}
{%- for step in range(1, 16) -%}
    {%- do (below if step % 2 else above).append('(' ~ degrees ~ ' + ' ~ step ~ ')') -%}
{%- endfor -%}
{%- set height -%}
SQRT({{ u }} / ({{ rankmetrics_sql.rm_number(3.141592653589793) }} * {{ degrees }}))
            * (1 + POWER({{ u }}, -2) / 64 - 19 * POWER({{ u }}, -4) / 8192 + 631 * POWER({{ u }}, -6) / 524288)
            * ({{ above | join(' * ') }})
            / ({{ below | join(' * ') }})
{%- endset -%}
{{ return(height) }}
{% endmacro %}
