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

{% macro rm_moments_of_clusters(alias='') %}
{%- set total, n = alias ~ 'total', alias ~ 'n' -%}
{{ return(rankmetrics_sql.rm_as_columns({
    'squares': total ~ ' * ' ~ total, 'products': total ~ ' * ' ~ n, 'sizes': n ~ ' * ' ~ n,
})) }}
{% endmacro %}

{#- Of arms: the mean that values are taken from, lest their squares cancel. -#}
{% macro rm_mean_of_arms(plan) %}
{%- set each_question = (plan.group_names + ['metric_number']) | join(', ') -%}
{{ return([{'name': 'mean_of_all', 'sql': 'AVG(value) OVER (PARTITION BY ' ~ each_question ~ ')'}]) }}
{% endmacro %}

{#- Of pairs: the sums over the buckets b with the signs of a replicate d. -#}
{% macro rm_signed_sums() %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set sums = {} -%}
{%- for name in ['total', 'products'] -%}
    {%- do sums.update({name: rankmetrics_sql.rm_compensated_sum(times ~ ' * b.' ~ name)}) -%}
{%- endfor -%}
{%- for name in ['n', 'squares', 'sizes'] -%}
    {%- do sums.update({name: rankmetrics_sql.rm_compensated_sum('b.' ~ name)}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_as_columns(sums)) }}
{% endmacro %}

{#- The replicates from these sums, with the columns that they have beside. -#}
{% macro rm_of_signed_sums(sums, columns) %}
{%- set mean = 'total / NULLIF(n, 0)' -%}
{%- set variance = '(squares - 2 * ' ~ mean ~ ' * products + POWER(' ~ mean ~ ', 2) * sizes) / NULLIF(n * n, 0)' -%}
{%- set beside = columns[1:] -%}
{%- set replicates %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['effect_number', 'replicate'] + columns) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(
                ['effect_number', 'replicate'] + beside
                    + [{'name': 'difference', 'sql': mean}, {'name': 'variance', 'sql': variance}], 12
            ) }}
        FROM ({{ sums | indent(8) }}
        ) AS sums
    ) AS signed
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}
