{#-
How much of the variance one query, or cluster, makes: the largest square of a deviation over the sum of all. If it is
a third, of an arm or run, relative intervals are too short, and if it is a quarter those of one mean: of lognormal
revenue of 100 users 87 and 73 of 100 hold the truth (docs/failures.md). Python and the command line warn of it.
-#}
{% macro rm_has_tails(plan) %}
{%- set is_told = 'tails' in plan.shown -%}
{{ return(is_told and (plan.level == 'compare' or rankmetrics_sql.rm_has_intervals(plan))) }}
{% endmacro %}

{#- The largest of these squares, of clusters those of their sums (05_clusters.sql). -#}
{% macro rm_largest_square(plan, square, alias) %}
{%- if not rankmetrics_sql.rm_has_tails(plan) -%}{{ return([]) }}{%- endif -%}
{%- set rest = 'NULLIF(1 - ' ~ alias ~ '.share_of_cluster, 0)' -%}
{%- set of_cluster = 'POWER(' ~ alias ~ '.in_cluster, 2) / ' ~ rest -%}
{{ return([{'name': 'largest_square', 'sql': 'MAX(' ~ (of_cluster if plan.cluster_names else square) ~ ')'}]) }}
{% endmacro %}

{#- The name of the column in a result that is not shown. -#}
{% macro rm_tail_names(plan) %}
{{ return(['largest_spread'] if rankmetrics_sql.rm_has_tails(plan) else []) }}
{% endmacro %}

{#- Squares of both values of pairs p, around their means: of the queries themselves, whatever cluster they are of. -#}
{% macro rm_tails_of_pairs(plan) %}
{%- if not rankmetrics_sql.rm_has_tails(plan) -%}{{ return([]) }}{%- endif -%}
{%- set columns = [] -%}
{%- for side in ['baseline', 'candidate'] -%}
    {%- set deviation = rankmetrics_sql.rm_weighed(plan, '(p.' ~ side ~ '_value - p.mean_' ~ side ~ ')') -%}
    {%- set square = 'CASE WHEN p.difference IS NOT NULL THEN POWER(' ~ deviation ~ ', 2) END' -%}
    {%- do columns.append({'name': 'largest_square_of_' ~ side, 'sql': 'MAX(' ~ square ~ ')'}) -%}
    {%- do columns.append({'name': 'squares_of_' ~ side, 'sql': 'SUM(' ~ square ~ ')'}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The larger share of both runs of pairs, or of both arms. A geometric mean, whose scale has no tails, has none. -#}
{% macro rm_largest_spread(plan) %}
{%- if not rankmetrics_sql.rm_has_tails(plan) -%}{{ return([]) }}{%- endif -%}
{%- set least = ' > POWER(' ~ rankmetrics_sql.rm_number('1e-9') ~ ' * s.' -%}
{%- set shares = [] -%}
{%- for side, before in {'baseline': 'baseline_', 'candidate': ''}.items() -%}
    {%- set of_arm = 's.' ~ ('plain_' if plan.covariate_names) ~ before -%}
    {%- set squares = 's.squares_of_' ~ side if plan.options.design == 'paired'
        else of_arm ~ 'in_cluster_squares' if plan.cluster_names
        else of_arm ~ 'variance' if plan.weight_names
        else 's.' ~ before ~ 'squares_in_strata' if plan.strata_names
        else '(s.' ~ before ~ 'n - 1) * ' ~ of_arm ~ 'variance' -%}
    {%- set largest = 's.largest_square_of_' ~ side if plan.options.design == 'paired'
        else 's.' ~ before ~ 'largest_square' -%}
    {%- do shares.append('COALESCE(CASE WHEN ' ~ squares ~ least ~ side ~ ', 2) THEN ' ~ largest ~ ' / (' ~ squares
        ~ ') END, 0)') -%}
{%- endfor -%}
{%- set larger = 'CASE WHEN ' ~ shares | join(' > ') ~ ' THEN ' ~ shares | join(' ELSE ') ~ ' END' -%}
{{ return([{'name': 'largest_spread', 'sql': rankmetrics_sql.rm_by_aggregate(
    plan, 's', {'mean': larger, 'sum': larger, 'linear': larger}
)}]) }}
{% endmacro %}
