{#-
Errors of queries that belong together, those of one user or day, whose values may be alike: CR1 (Liang & Zeger 1986),
G / (G - 1) * SUM(e * e) / n^2 over the G clusters, e what the deviations of one come to, with G - 1 degrees of freedom.
-#}

{#-
clustered: on each row p that has a value what its cluster comes to, for each deviation of the row {name: sql}, and how
many of its rows meet a condition. As all stages that an option adds: {stage, the rows that follow are made of; ctes;
names of its columns}.
-#}
{% macro rm_clustered(plan, stage, known, deviations, counted=none) %}
{%- if not plan.cluster_names -%}{{ return({'stage': stage, 'ctes': [], 'names': []}) }}{%- endif -%}
{%- set keys = rankmetrics_sql.rm_qualified('p', rankmetrics_sql.rm_numbered_keys(plan) + plan.cluster_names) -%}
{%- set over = 'OVER (PARTITION BY ' ~ keys | join(', ') ~ ')' -%}
{%- set columns = rankmetrics_sql.rm_kept('p', known) -%}
{%- for name, deviation in deviations.items() -%}
    {%- set sum = rankmetrics_sql.rm_aggregated('sum', deviation) ~ ' ' ~ over -%}
    {%- do columns.append({'name': name, 'sql': 'CASE WHEN ' ~ deviation ~ ' IS NOT NULL THEN ' ~ sum ~ ' END'}) -%}
{%- endfor -%}
{%- set n = 'COUNT(' ~ (deviations.values() | list)[0] ~ ') ' ~ over -%}
{%- do columns.append({'name': 'n_in_cluster', 'sql': rankmetrics_sql.rm_as_double(n)}) -%}
{%- set others = ['n_in_cluster'] + (['n_counted'] if counted else []) -%}
{%- if counted -%}
    {%- set number = 'COUNT(CASE WHEN ' ~ counted ~ ' THEN 1 END) ' ~ over -%}
    {%- do columns.append({'name': 'n_counted', 'sql': number}) -%}
{%- endif -%}
{%- set clustered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ stage }} AS p
{%- endset -%}
{{ return({
    'stage': plan.stages.clustered,
    'ctes': [rankmetrics_sql.rm_cte(
        plan.stages.clustered, clustered,
        'each value with what the deviations of its cluster come to'
    )],
    'names': (deviations.keys() | list) + others,
}) }}
{% endmacro %}

{#- What the rows say of their clusters: of each deviation the sum of squares over clusters, and how many there are. -#}
{% macro rm_cluster_sums(plan, alias, names) %}
{%- if not plan.cluster_names -%}{{ return([]) }}{%- endif -%}
{%- set n = alias ~ '.n_in_cluster' -%}
{%- set columns = [] -%}
{%- for name in names if name not in ['n_in_cluster', 'n_counted'] -%}
    {%- set sum = alias ~ '.' ~ name -%}
    {%- set squares = rankmetrics_sql.rm_aggregated('sum', sum ~ ' * ' ~ sum ~ ' / ' ~ n, sum ~ ' ASC, ' ~ n) -%}
    {%- do columns.append({'name': name ~ '_squares', 'sql': squares}) -%}
{%- endfor -%}
{%- set share = 'CASE WHEN ' ~ alias ~ '.' ~ names[0] ~ ' IS NOT NULL THEN 1 / ' ~ n ~ ' END' -%}
{%- do columns.append({'name': 'cluster_count', 'sql': 'ROUND(SUM(' ~ share ~ '))'}) -%}
{%- if 'n_counted' in names -%}
    {%- set differing = 'CASE WHEN ' ~ alias ~ '.n_counted > 0 AND ' ~ alias ~ '.' ~ names[0] ~ ' IS NOT NULL THEN 1 / '
        ~ n ~ ' ELSE 0 END' -%}
    {%- do columns.append({'name': 'n_clusters_that_differ', 'sql': 'ROUND(SUM(' ~ differing ~ '))'}) -%}
{%- endif -%}
{{ return(columns) }}
{% endmacro %}

{#- The error of a sum of values whose deviations come to such squares, and its degrees of freedom. -#}
{% macro rm_cluster_error(squares, clusters='cluster_count') %}
{{ return('CASE WHEN ' ~ clusters ~ ' > 1 THEN SQRT(' ~ squares ~ ' * ' ~ clusters ~ ' / (' ~ clusters
    ~ ' - 1)) END') }}
{% endmacro %}

{% macro rm_cluster_degrees(clusters='cluster_count') %}
{{ return('CASE WHEN ' ~ clusters ~ ' > 1 THEN ' ~ clusters ~ ' - 1 END') }}
{% endmacro %}

{#- What a result says of clusters: how many there are, a double in SQL, as a whole number. -#}
{% macro rm_n_clusters(plan, sql) %}
{{ return([{'name': 'n_clusters', 'sql': rankmetrics_sql.rm_as_integer(sql)}] if plan.cluster_names else []) }}
{% endmacro %}
