{#-
The p-value of a bootstrap is that of its interval: the smallest alpha whose interval leaves out no difference, so that
an effect is significant where its interval at that level does. Replicates in order are a line between each and the next
(Hyndman & Fan's seventh quantile), on which 0 is at the shares
    share_through    of the last place that is not above 0: a lower end beyond it leaves 0 out
    share_before     of the first that is not below 0: an upper end before it does
These differ where replicates are 0. Of percentiles the tails beyond are p. Of BCa (05_corrected_shares.sql) an end is
at the share P(b + x / (1 - a x)), x = b + z: of w, the point of a share less b, it is z = w / (1 + a w) - b. Where
1 + a w is not above 0 no tail is small or large enough for an end to come to the share. Nothing that is drawn knows
more than 1 / (replicates + 1) on a side.
-#}

{#- Of the replicates z of an effect: how many are not above 0, and how many below, with those next to 0. -#}
{% macro rm_places_of_nothing(corrected) %}
{%- set tiny = 'z.largest * ' ~ rankmetrics_sql.rm_number('1e-12') -%}
{%- set sums = {} -%}
{%- for name, sides in {
    'through': ['<= ' ~ tiny, '> ' ~ tiny], 'before': ['< -' ~ tiny, '>= -' ~ tiny],
}.items() -%}
    {%- set is_there = 'z.replicate > 0 AND z.effect ' ~ sides[0] -%}
    {%- set is_after = 'z.replicate > 0 AND z.effect ' ~ sides[1] -%}
    {%- do sums.update({
        'n_' ~ name: rankmetrics_sql.rm_as_double('SUM(CASE WHEN ' ~ is_there ~ ' THEN 1 ELSE 0 END)'),
        'last_' ~ name: 'MAX(CASE WHEN ' ~ is_there ~ ' THEN z.effect END)',
        'next_' ~ name: 'MIN(CASE WHEN ' ~ is_after ~ ' THEN z.effect END)',
    }) -%}
{%- endfor -%}
{%- do sums.update({'n_drawn': 'MAX(z.n_effects)'}) -%}
{%- if corrected -%}
    {%- do sums.update({'bias': 'MAX(z.bias_of_effect)', 'acceleration': 'MAX(z.acceleration_of_effect)'}) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_as_columns(sums)) }}
{% endmacro %}

{#- The share that a place between two replicates has. -#}
{% macro rm_share_of_place(name) %}
{%- set between = '-last_' ~ name ~ ' / NULLIF(next_' ~ name ~ ' - last_' ~ name ~ ', 0)' -%}
{{ return('CASE WHEN n_drawn > 0 AND n_' ~ name ~ ' = 0 THEN 0 WHEN n_drawn > 0 AND n_' ~ name
    ~ ' = n_drawn THEN 1 ELSE (n_' ~ name ~ ' - 1 + ' ~ between ~ ') / NULLIF(n_drawn - 1, 0) END') }}
{% endmacro %}

{#- resampled, from a query of the sums of each effect: the same with p-values in place of what they are made of. -#}
{% macro rm_inverted(plan, sums, said, corrected) %}
{%- set carried = ['effect_number'] + said -%}
{%- set counts = ['n_drawn'] + (['n_through', 'n_before'] if corrected else []) -%}
{%- set shares = rankmetrics_sql.rm_as_columns({
    'share_through': rankmetrics_sql.rm_share_of_place('through'),
    'share_before': rankmetrics_sql.rm_share_of_place('before'),
}) -%}
{%- set moments = ['bias', 'acceleration'] if corrected else [] -%}
{%- set placed -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(carried + counts + moments + shares, 12) }}
        FROM ({{ sums | indent(8) }}
        ) AS drawn
    ) AS placed
{%- endset -%}
{%- set tails = {'through': 'share_through', 'before': '1 - share_before'} -%}
{%- if corrected -%}
    {%- set placed = rankmetrics_sql.rm_points_of_shares(placed, carried + counts + moments) -%}
    {%- set tails = {
        'through': rankmetrics_sql.rm_corrected_tail('through', '0', '1'),
        'before': rankmetrics_sql.rm_corrected_tail('before', '1', '0'),
    } -%}
{%- endif -%}
{%- set tails = [{'name': 'tail_through', 'sql': tails.through}, {'name': 'tail_before', 'sql': tails.before}] -%}
{%- set lesser = 'CASE WHEN tail_through < tail_before THEN tail_through ELSE tail_before END' -%}
{%- set tail = {'greater': 'tail_through', 'less': 'tail_before', 'two_sided': lesser}[plan.options.alternative] -%}
{%- set sides = 2 if plan.options.alternative == 'two_sided' else 1 -%}
{%- set bounded = rankmetrics_sql.rm_case([
    'WHEN tail IS NULL THEN NULL',
    'WHEN tail * (n_drawn + 1) <= 1 THEN ' ~ rankmetrics_sql.rm_as_double(sides) ~ ' / (n_drawn + 1)',
    'WHEN ' ~ sides ~ ' * tail < 1 THEN ' ~ sides ~ ' * tail',
    'ELSE 1',
], '', 8) -%}
{%- set inverted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(carried + [{'name': 'drawn_pvalue', 'sql': bounded}]) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(carried + ['n_drawn', {'name': 'tail', 'sql': tail}], 12) }}
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(carried + ['n_drawn'] + tails, 16) }}
            FROM {{ placed | indent(8) }}
        ) AS tails
    ) AS nearer
{%- endset -%}
{{ return(inverted) }}
{% endmacro %}

{#-
The same with the points of the normal distribution that ends at these shares would come from. A MAX of one row: a
planner that put one level into the next would write each out many times.
-#}
{% macro rm_points_of_shares(placed, carried) %}
{%- set names = ['through', 'before'] -%}
{%- set shares = ['share_through', 'share_before'] -%}
{%- set half, least = rankmetrics_sql.rm_number(0.5), rankmetrics_sql.rm_number('1e-11') -%}
{%- set centres, inverted, points, distances = {}, [], {}, {} -%}
{%- set once = rankmetrics_sql.rm_each('MAX(i.', carried[1:]) -%}
{%- for name in names -%}
    {%- set share, centre = 'share_' ~ name, 'centre_' ~ name -%}
    {%- do centres.update({centre: 'CASE WHEN ' ~ share ~ ' > ' ~ least ~ ' AND ' ~ share ~ ' < 1 - ' ~ least ~ ' THEN '
        ~ share ~ ' - ' ~ half ~ ' END'}) -%}
    {%- do inverted.extend(rankmetrics_sql.rm_normal_arguments(centre)) -%}
    {%- do points.update({
        'point_' ~ name: 'MAX(' ~ rankmetrics_sql.rm_normal_inverse('i.' ~ centre) ~ ' - i.bias)',
    }) -%}
    {%- set x = rankmetrics_sql.rm_point_by_acceleration('i.point_' ~ name, 'i.' ~ share, 'i.acceleration') -%}
    {%- do distances.update({
        'distance_' ~ name: 'MAX(' ~ (x ~ ' - i.bias' if name == 'through' else 'i.bias - ' ~ x) ~ ')',
    }) -%}
{%- endfor -%}
{%- set tested -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(
                ['i.effect_number'] + once + rankmetrics_sql.rm_as_columns(distances), 12
            ) }}
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(
                    ['i.effect_number'] + once + rankmetrics_sql.rm_each('MAX(i.', shares)
                        + rankmetrics_sql.rm_as_columns(points), 16
                ) }}
            FROM (
                SELECT
                    {{ rankmetrics_sql.rm_lines(carried + shares + (centres.keys() | list) + inverted, 20) }}
                FROM (
                    SELECT
                        {{ rankmetrics_sql.rm_lines(carried + shares + rankmetrics_sql.rm_as_columns(centres), 24) }}
                    FROM {{ placed | indent(16) }}
                ) AS centres
            ) AS i
            GROUP BY i.effect_number
        ) AS i
        GROUP BY i.effect_number
    ) AS tested
{%- endset -%}
{{ return(tested) }}
{% endmacro %}

{#- w / (1 + a w) of a point w, or what that comes near to where the point or the share is without end. -#}
{% macro rm_point_by_acceleration(w, share, a) %}
{%- set is_low = w ~ ' IS NULL AND ' ~ share ~ ' < ' ~ rankmetrics_sql.rm_number(0.5) -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN ' ~ is_low ~ ' THEN CASE WHEN ' ~ a ~ ' < 0 THEN 1 / ' ~ a ~ ' ELSE -30 END',
    'WHEN ' ~ w ~ ' IS NULL THEN CASE WHEN ' ~ a ~ ' > 0 THEN 1 / ' ~ a ~ ' ELSE 30 END',
    'WHEN 1 + ' ~ a ~ ' * ' ~ w ~ ' > 0 THEN ' ~ w ~ ' / (1 + ' ~ a ~ ' * ' ~ w ~ ')',
    'WHEN ' ~ w ~ ' < 0 THEN -30',
    'ELSE 30',
], '', 12)) }}
{% endmacro %}

{#- The probability that is left beyond an end which comes to 0; of all or no replicates on a side it is certain. -#}
{% macro rm_corrected_tail(name, of_none, of_all) %}
{{ return('CASE WHEN n_' ~ name ~ ' = 0 THEN ' ~ of_none ~ ' WHEN n_' ~ name ~ ' = n_drawn THEN ' ~ of_all ~ ' ELSE '
    ~ rankmetrics_sql.rm_normal_share('distance_' ~ name) ~ ' END') }}
{% endmacro %}
