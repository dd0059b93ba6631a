{#-
Statistics of what chance exchanges: the mean, or the difference of two, in its own errors (Chung & Romano 2013). A mean
alone would find differences where means are equal and the arms, or the clusters, are not equally large and spread. In
place of t = d / e there is d / SQRT(d^2 + e^2), which has the same order and is never infinite.
    squares, products, sizes    of clusters: SUM(T^2), SUM(T n), SUM(n^2), T the total and n the number of queries. With
                                a mean m, T - n m has the squares SUM(T^2) - 2 m SUM(T n) + m^2 SUM(n^2)
Of pairs without clusters SUM(T^2) survives all signs, and so the mean alone has the same order.
-#}

{% macro rm_bounded_statistic(difference, variance) %}
{%- set square = difference ~ ' * ' ~ difference -%}
{%- set positive = 'CASE WHEN ' ~ variance ~ ' > 0 THEN ' ~ variance ~ ' ELSE 0 END' -%}
{%- set is_tiny = 'ABS(' ~ difference ~ ') <= ' ~ rankmetrics_sql.rm_number('1e-12') -%}
{{ return('CASE WHEN ' ~ is_tiny ~ ' THEN 0 ELSE ' ~ difference ~ ' / SQRT(' ~ square ~ ' + ' ~ positive
    ~ ') END') }}
{% endmacro %}

{% macro rm_moments_of_clusters() %}
{{ return(rankmetrics_sql.rm_as_columns({'squares': 'total * total', 'products': 'total * n', 'sizes': 'n * n'})) }}
{% endmacro %}

{#- The variance of the mean from their sums, without the factor of how many clusters there are. -#}
{% macro rm_variance_of_clusters(before='') %}
{%- set n, mean = before ~ 'n', '(' ~ before ~ 'total / NULLIF(' ~ before ~ 'n, 0))' -%}
{{ return('(' ~ before ~ 'squares - 2 * ' ~ mean ~ ' * ' ~ before ~ 'products + ' ~ mean ~ ' * ' ~ mean ~ ' * '
    ~ before ~ 'sizes) / NULLIF(' ~ n ~ ' * ' ~ n ~ ', 0)') }}
{% endmacro %}

{#- Of pairs: from the sums over the buckets b with the signs of a replicate d, which change no square. -#}
{% macro rm_signed_replicates(plan) %}
{%- set columns = ['b.effect_number'] -%}
{%- for name, is_signed in {'total': true, 'products': true, 'n': false, 'squares': false, 'sizes': false}.items() -%}
    {%- set sign = rankmetrics_sql.rm_as_double('d.times') ~ ' * ' if is_signed else '' -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_compensated_sum(sign ~ 'b.' ~ name)}) -%}
{%- endfor -%}
{%- set ways = rankmetrics_sql.rm_is_enumerated(plan) -%}
{%- set sums = rankmetrics_sql.rm_sums_of_replicates(plan, columns + ways, ['b.effect_number'], ['bucket']) -%}
{{ return(rankmetrics_sql.rm_studentised(
    sums, 'total / NULLIF(n, 0)', rankmetrics_sql.rm_variance_of_clusters(), ways | map(attribute='name') | list
)) }}
{% endmacro %}

{#- The replicates from sums of a mean, or of two, with the columns that they have beside. -#}
{% macro rm_studentised(sums, difference, variance, beside=[]) %}
{%- set sides = [{'name': 'difference', 'sql': difference}, {'name': 'variance', 'sql': variance}] -%}
{%- set replicates %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['effect_number', 'replicate'] + beside) }},
        {{ rankmetrics_sql.rm_bounded_statistic('difference', 'variance') }} AS effect
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(['effect_number', 'replicate'] + beside + sides, 12) }}
        FROM ({{ sums | indent(8) }}
        ) AS sums
    ) AS apart
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}
