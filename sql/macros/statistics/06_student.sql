{#-
Student's t distribution in SQL that every engine has: the same digits in dbt, in Python and in each database.

The probability beyond a point is the integral of the density from there on. With y = point + stretch * (1 / s^2 - 1)
it is one over s from 0 to 1, whose integrand is smooth for any degrees of freedom from 1 on, so that 48 places of
Gauss and Legendre give ten digits or more, down to 1e-260.
-#}

{#- Of each place 1 / (s s) - 1, and its weight times dy / ds by the stretch. -#}
{% macro rm_student_places() %}
{{ return([
    (2648263.453262146, 13589818.61471776), (95558.65141033827, 216456.6122385645),
    (15870.199378125322, 22948.37188974583), (4624.055808273526, 4900.313271749836),
    (1808.8269543104047, 1510.32212091028), (848.6562544908817, 583.7655864866882),
    (450.5316396357617, 263.1496666297399), (261.562531102427, 132.60115324593775),
    (162.50133597250044, 72.70710510356092), (106.45914309438955, 42.598890418690324),
    (72.78043322513075, 26.328822209090134), (51.52296636315346, 17.005294640381965),
    (37.54819636240956, 11.396329812371688), (28.04034527188301, 7.880977135077043),
    (21.37900803136743, 5.599333964383096), (16.592048279432788, 4.072956627344758),
    (13.074966149869178, 3.0244994941971206), (10.43995658513284, 2.2873524081217202),
    (8.431317588367193, 1.7582434382020489), (6.876306940475937, 1.3713607003484058),
    (5.655671711276664, 1.0837144575420694), (4.685469028559923, 0.8665926691702363),
    (3.905564731689866, 0.7004309820160892), (3.272189144223665, 0.5716536128045329),
    (2.7530183037591054, 0.47068273474219535), (2.323862236936089, 0.39065766934850993),
    (1.9663965994722261, 0.3265948902384047), (1.6665842829684032, 0.27482738223104086),
    (1.413561065154298, 0.23262435827369946), (1.1988382604189503, 0.19792943225951248),
    (1.0157250698356979, 0.16917783467472683), (0.8589052509830004, 0.14516715278521103),
    (0.72412354729837, 0.12496481423531945), (0.6079511017223498, 0.10784111743438746),
    (0.5076083360210402, 0.09322023627609911), (0.42083007531675665, 0.08064401237360963),
    (0.34576203581021625, 0.06974493937102803), (0.28088081718301217, 0.06022581874230598),
    (0.22493167161541217, 0.05184430097961853), (0.1768798383689374, 0.04440103348768903),
    (0.13587232405878535, 0.03773049062911668), (0.10120780137315433, 0.03169381087546546),
    (0.0723128803719626, 0.026173143441231703), (0.04872343690509928, 0.021067134401747373),
    (0.03007000320915809, 0.01628727723941306), (0.016066458480425094, 0.011754940377978867),
    (0.006501357695701371, 0.0073991284935891926), (0.0012301264938170409, 0.0031591663631072805),
]) }}
{% endmacro %}

{#- places: where the density is looked at, and what each look counts. -#}
{% macro rm_places(plan) %}
{%- set rows = [] -%}
{%- for distance, weight in rankmetrics_sql.rm_student_places() -%}
    {%- set numbers = rankmetrics_sql.rm_number(distance) ~ ' AS distance, ' ~ rankmetrics_sql.rm_number(weight) -%}
    {%- do rows.append('SELECT 1 AS always, ' ~ numbers ~ ' AS weight') -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_cte(plan.stages.places, '\n    ' ~ rows | join('\n    UNION ALL '))) }}
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

{#- The correction of such a point by the probability beyond it: Newton's, and a term for the slope of the density. -#}
{% macro rm_student_corrected(probability) %}
{%- set density = '(height * ' ~ rankmetrics_sql.rm_student_shape('point', 'degrees') ~ ')' -%}
{%- set step = '(beyond_point - ' ~ rankmetrics_sql.rm_number(probability) ~ ') / ' ~ density -%}
{%- set slope = 'point * (degrees + 1) / (degrees + point * point) / 2' -%}
{{ return('point + ' ~ step ~ ' * (1 + ' ~ step ~ ' * ' ~ slope ~ ')') }}
{% endmacro %}

{#- The point that a probability below a half lies beyond, of the normal distribution, as a number: by halving. -#}
{% macro rm_normal_point(probability) %}
{%- set ends = {'low': 0, 'high': 20} -%}
{%- for turn in range(30) -%}
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
