{#- The statistics of arms that come from replicates. -#}

{#- The columns of an effect s from its replicates z, for means only, and where both arms have an error. -#}
{% macro rm_drawn_facts_of_arms(plan) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_resampled_names(plan) -%}
    {%- set drawn = rankmetrics_sql.rm_bootstrapped_pvalue_of_arms(plan) if name == 'drawn_pvalue' else 'z.' ~ name -%}
    {%- set own = 'CASE WHEN s.n > 1 AND s.baseline_n > 1 THEN ' ~ drawn ~ ' END' -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_by_aggregate(plan, 's', {'mean': own})}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#-
What is drawn of two arms cannot know more than in how many ways their units could have been shared out, C(n1 + n2, n1):
2 of them are as far apart as any, or 1 to one side. Where the smaller arm has more units than rm_most_of_small_arm, no
number of replicates gets there. A cluster of both arms could have its queries there and here, or the other way round.
-#}
{% macro rm_bootstrapped_pvalue_of_arms(plan) %}
{%- if plan.options.test != 'bootstrap' -%}{{ return('z.drawn_pvalue') }}{%- endif -%}
{%- set n = '(s.cluster_count - s.n_in_baseline)' if plan.cluster_names else 's.n' -%}
{%- set baseline_n = '(s.baseline_cluster_count - s.n_in_baseline)' if plan.cluster_names else 's.baseline_n' -%}
{%- set sides = 2 if plan.options.alternative == 'two_sided' else 1 -%}
{%- set most = rankmetrics_sql.rm_most_of_small_arm(sides * (plan.options.resamples + 1)) -%}
{%- set larger = 'CASE WHEN ' ~ n ~ ' > ' ~ baseline_n ~ ' THEN ' ~ n ~ ' ELSE ' ~ baseline_n ~ ' END' -%}
{%- set ways = [] -%}
{%- for place in range(1, most + 1) -%}
    {%- set is_there = n ~ ' >= ' ~ place ~ ' AND ' ~ baseline_n ~ ' >= ' ~ place -%}
    {%- set more = '(' ~ larger ~ ' + ' ~ place ~ ') / ' ~ place -%}
    {%- do ways.append('CASE WHEN ' ~ is_there ~ ' THEN ' ~ more ~ ' ELSE 1 END') -%}
{%- endfor -%}
{%- if plan.cluster_names -%}
    {%- set turned = 'CASE WHEN s.n_in_baseline < 60 THEN s.n_in_baseline ELSE 60 END' -%}
    {%- do ways.append('POWER(' ~ rankmetrics_sql.rm_as_double(2) ~ ', ' ~ turned ~ ')') -%}
{%- endif -%}
{%- set least = rankmetrics_sql.rm_as_double(sides) ~ ' / (' ~ ways | join(' * ') ~ ')' -%}
{%- set is_small = n ~ ' <= ' ~ most ~ ' OR ' ~ baseline_n ~ ' <= ' ~ most -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN CASE WHEN ' ~ is_small ~ ' THEN ' ~ least ~ ' END > z.drawn_pvalue THEN ' ~ least,
    'ELSE z.drawn_pvalue',
], '', 8)) }}
{% endmacro %}

{#- The most units of an arm, beside another of as many, that can be shared out in no more than so many ways. -#}
{% macro rm_most_of_small_arm(ways) %}
{%- set found = {'most': 1, 'ways': 2} -%}
{%- for size in range(2, 1000) if found.ways < ways -%}
    {%- do found.update({'most': size, 'ways': found.ways * (4 * size - 2) / size}) -%}
{%- endfor -%}
{{ return(found.most) }}
{% endmacro %}
