{#-
Errors of queries that belong together, those of one user or day, whose values may be alike: CR2 (Bell & McCaffrey
2002), SUM(e * e / (1 - p)) / n^2 over the clusters, e what the deviations of one come to and p its share of the
queries, with 1 / (SUM(p^2) + SUM(p^2 / (1 - p))^2 - SUM(p^4 / (1 - p)^2)) degrees of freedom. Of G clusters that are
equally large that is G / (G - 1) * SUM(e * e) / n^2 with G - 1.
A query whose column is NULL belongs to no other: it is a cluster by itself.
-#}

{#- The columns that tell clusters apart: the cluster's, and the query's where no cluster is known. -#}
{% macro rm_cluster_keys(plan, alias=none) %}
{%- set dot = '' if alias is none else alias ~ '.' -%}
{%- set keys = [] -%}
{%- for cluster in plan.cluster_names -%}
    {%- do keys.append(dot ~ cluster) -%}
    {%- for key in plan.query_keys -%}
        {%- do keys.append('CASE WHEN ' ~ dot ~ cluster ~ ' IS NULL THEN ' ~ dot ~ key ~ ' END') -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(keys) }}
{% endmacro %}

{#-
clustered: on each row p that has a value what its cluster comes to, for each deviation of the row {name: sql}, and how
many of its rows meet a condition. A row counts in the share of its cluster as much as it weighs. As all stages that an
option adds: {stage, the rows that follow are made of; ctes; names of its columns}.
-#}
{% macro rm_clustered(plan, stage, known, deviations, counted=none, weight='1') %}
{%- if not plan.cluster_names -%}{{ return({'stage': stage, 'ctes': [], 'names': []}) }}{%- endif -%}
{%- set keys = rankmetrics_sql.rm_qualified('p', rankmetrics_sql.rm_numbered_keys(plan))
    + rankmetrics_sql.rm_cluster_keys(plan, 'p') -%}
{%- set over = 'OVER (PARTITION BY ' ~ keys | join(', ') ~ ')' -%}
{%- set columns = rankmetrics_sql.rm_columns_from('p', known) -%}
{%- for name, deviation in deviations.items() -%}
    {%- set sum = rankmetrics_sql.rm_aggregated('sum', deviation) ~ ' ' ~ over -%}
    {%- do columns.append({'name': name, 'sql': 'CASE WHEN ' ~ deviation ~ ' IS NOT NULL THEN ' ~ sum ~ ' END'}) -%}
{%- endfor -%}
{%- set n = 'COUNT(' ~ (deviations.values() | list)[0] ~ ') ' ~ over -%}
{#- A cluster without a weight has none, which engines that compute both branches of a CASE may divide by. -#}
{%- set own = rankmetrics_sql.rm_as_double(n) -%}
{%- set own = own if weight == '1' else 'NULLIF(' ~ own ~ ', 0)' -%}
{%- do columns.append({'name': 'n_in_cluster', 'sql': own}) -%}
{%- set of_effect = rankmetrics_sql.rm_qualified('p', rankmetrics_sql.rm_numbered_keys(plan)) | join(', ') -%}
{%- set counts = 'CASE WHEN ' ~ (deviations.values() | list)[0] ~ ' IS NOT NULL THEN ' ~ weight ~ ' END' -%}
{%- set sum = 'SUM(' ~ counts ~ ')' if weight == '1' else rankmetrics_sql.rm_aggregated('sum', counts, weight) -%}
{%- set total = sum ~ ' OVER (PARTITION BY ' ~ of_effect ~ ')' -%}
{%- set share = rankmetrics_sql.rm_as_double(sum ~ ' ' ~ over) ~ ' / NULLIF(' ~ total ~ ', 0)' -%}
{%- do columns.append({'name': 'share_of_cluster', 'sql': share}) -%}
{%- set others = ['n_in_cluster', 'share_of_cluster'] + (['n_counted'] if counted else []) -%}
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
        'each value with the sum of the deviations in its cluster'
    )],
    'names': (deviations.keys() | list) + others,
}) }}
{% endmacro %}

{#-
What the rows say of their clusters: of each deviation the sum of squares over clusters, as they count, how many there
are, and the degrees of freedom that these squares have.
-#}
{% macro rm_cluster_sums(plan, alias, names) %}
{%- if not plan.cluster_names -%}{{ return([]) }}{%- endif -%}
{%- set n = alias ~ '.n_in_cluster' -%}
{%- set columns = [] -%}
{%- set share = alias ~ '.share_of_cluster' -%}
{%- set rest = 'NULLIF(1 - ' ~ share ~ ', 0)' -%}
{%- for name in names if name not in ['n_in_cluster', 'n_counted', 'share_of_cluster'] -%}
    {%- set sum = alias ~ '.' ~ name -%}
    {%- set square = sum ~ ' * ' ~ sum ~ ' / ' ~ n ~ ' / ' ~ rest -%}
    {%- set squares = rankmetrics_sql.rm_aggregated('sum', square, sum ~ ' ASC, ' ~ n ~ ' ASC, ' ~ share) -%}
    {%- do columns.append({'name': name ~ '_squares', 'sql': squares}) -%}
{%- endfor -%}
{%- set is_there = alias ~ '.' ~ names[0] ~ ' IS NOT NULL' -%}
{%- set once = 'CASE WHEN ' ~ is_there ~ ' THEN 1 / ' ~ n ~ ' END' -%}
{%- do columns.append({'name': 'cluster_count', 'sql': 'ROUND(SUM(' ~ once ~ '))'}) -%}
{%- do columns.append({'name': 'largest_share', 'sql': 'MAX(' ~ share ~ ')'}) -%}
{%- set degrees = rankmetrics_sql.rm_degrees_of_shares(share, once, plan.weight_names | length > 0) -%}
{%- do columns.append({'name': 'cluster_degrees', 'sql': degrees}) -%}
{%- set differs = alias ~ '.n_counted > 0 AND ' ~ is_there -%}
{%- set each = share ~ ' / ' ~ n -%}
{%- if plan.weight_names -%}
    {%- do columns.append({
        'name': 'n_effective', 'sql': rankmetrics_sql.rm_effective_units(each, is_there, '1 / ' ~ n),
    }) -%}
{%- endif -%}
{%- if 'n_counted' in names and plan.weight_names -%}
    {%- do columns.append({
        'name': 'n_differing', 'sql': rankmetrics_sql.rm_effective_units(each, differs, '1 / ' ~ n),
    }) -%}
{%- elif 'n_counted' in names -%}
    {%- set differing = 'CASE WHEN ' ~ differs ~ ' THEN 1 / ' ~ n ~ ' ELSE 0 END' -%}
    {%- do columns.append({'name': 'n_clusters_that_differ', 'sql': 'ROUND(SUM(' ~ differing ~ '))'}) -%}
{%- endif -%}
{{ return(columns) }}
{% endmacro %}

{#-
The degrees of freedom of clusters with these shares, each row being a part of one, or one by itself. Where one of them
is nearly all, as by weights one may be, it is 1, and rounding would leave another number.
-#}
{% macro rm_degrees_of_shares(share, once=none, by_weights=true) %}
{%- set rest = 'NULLIF(1 - ' ~ share ~ ', 0)' -%}
{%- set moments = [] -%}
{%- for term in [
    share ~ ' * ' ~ share,
    share ~ ' * ' ~ share ~ ' / ' ~ rest,
    'POWER(' ~ share ~ ' * ' ~ share ~ ' / ' ~ rest ~ ', 2)',
] -%}
    {%- set counted = term if once is none else once ~ ' * ' ~ term -%}
    {%- do moments.append(rankmetrics_sql.rm_aggregated('sum', counted, share)) -%}
{%- endfor -%}
{%- set inverse = moments[0] ~ ' + POWER(' ~ moments[1] ~ ', 2) - ' ~ moments[2] -%}
{%- set degrees = '1 / NULLIF(' ~ inverse ~ ', 0)' -%}
{%- set nearly_all = 'MAX(' ~ share ~ ') > ' ~ rankmetrics_sql.rm_number('0.999996') -%}
{{ return('CASE WHEN ' ~ nearly_all ~ ' THEN 1 ELSE ' ~ degrees ~ ' END' if by_weights else degrees) }}
{% endmacro %}

{#- Whether there are several clusters, or queries of n, as far as doubles see; before is the prefix of the columns. -#}
{% macro rm_are_several(plan, before='', n='n') %}
{%- set parts = [before ~ ('cluster_count' if plan.cluster_names else n) ~ ' > 1'] -%}
{%- if plan.weight_names -%}{%- do parts.append(before ~ 'largest_share < 1') -%}{%- endif -%}
{{ return(parts | join(' AND ')) }}
{% endmacro %}

{#- The error of a sum of values whose deviations come to such squares. -#}
{% macro rm_cluster_error(plan, squares, before='', n='n') %}
{{ return('CASE WHEN ' ~ rankmetrics_sql.rm_are_several(plan, before, n) ~ ' THEN SQRT(' ~ squares ~ ') END') }}
{% endmacro %}

{#-
The columns of clusters in a result: their number, as a whole number, and the share of the largest, of weights that of
the query with the largest.
-#}
{% macro rm_n_clusters(plan, n, share) %}
{%- if not plan.cluster_names -%}
    {{ return([{'name': 'largest_weight_share', 'sql': share}] if plan.weight_names else []) }}
{%- endif -%}
{{ return([
    {'name': 'n_clusters', 'sql': rankmetrics_sql.rm_as_integer(n)},
    {'name': 'largest_cluster_share', 'sql': share},
]) }}
{% endmacro %}
