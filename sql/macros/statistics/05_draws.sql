{#- Numbers by chance, the same in every engine, and what tells apart the groups that are drawn by themselves. -#}

{#- The order that units are numbered in: that of the bytes of their cluster, or else of their query. -#}
{% macro rm_order_of_units(plan) %}
{%- set of_unit = [] -%}
{%- for name in rankmetrics_sql.rm_cluster_keys(plan) or plan.query_keys -%}
    {%- do of_unit.append(rankmetrics_sql.rm_text(name)) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_ascending([], of_unit) if plan.cluster_names
    else rankmetrics_sql.rm_ascending(of_unit)) }}
{% endmacro %}

{% macro rm_effect_number(plan) %}
{%- set is_joined = rankmetrics_sql.rm_is_resampled(plan) or rankmetrics_sql.rm_is_exact_rank_test(plan) -%}
{%- if not is_joined -%}{{ return([]) }}{%- endif -%}
{%- set keys = (['run_id'] if plan.multi or rankmetrics_sql.rm_is_comparison(plan.level) else [])
    + rankmetrics_sql.rm_breakdown_keys(plan)[:1] -%}
{%- set order = rankmetrics_sql.rm_ascending(keys, plan.group_names, ['metric_number']) -%}
{{ return([{'name': 'effect_number', 'sql': 'DENSE_RANK() OVER (ORDER BY ' ~ order ~ ')'}]) }}
{% endmacro %}

{#-
What a seed adds to the numbers that are drawn from: scrambled as they are, or a seed that is greater by the step of a
replicate would have the replicates of this one, but for the first. 0 adds nothing.
-#}
{% macro rm_seed(plan) %}
{%- set state = {'number': plan.options.seed | int} -%}
{%- for turn in range(3) if plan.options.seed | int > 0 -%}
    {%- do state.update({'number': (state.number * state.number + state.number * 48271 + 12345) % 2147483647}) -%}
{%- endfor -%}
{{ return(state.number | string) }}
{% endmacro %}

{#- Columns with a number by chance, drawn; the first that it is made of is a whole number at least 0. -#}
{% macro rm_drawn(columns, first, relation) %}
{%- set prime = 2147483647 -%}
{%- set state = {'sql': relation, 'number': rankmetrics_sql.rm_modulo(first, prime)} -%}
{%- for turn in range(4) -%}
    {%- set lines = rankmetrics_sql.rm_lines(columns + [{'name': 'drawn', 'sql': state.number}], 12) -%}
    {%- set select = '(\n        SELECT\n            ' ~ lines ~ '\n        FROM ' ~ state.sql ~ '\n    )' -%}
    {%- do state.update({
        'sql': select ~ ' AS drawn_' ~ (turn + 1),
        'number': rankmetrics_sql.rm_modulo('drawn * drawn + drawn * 48271 + 12345', prime),
    }) -%}
{%- endfor -%}
{{ return(state.sql) }}
{% endmacro %}

{#- The columns that tell apart the groups that are drawn separately. -#}
{% macro rm_drawn_groups(plan) %}
{{ return(rankmetrics_sql.rm_breakdown_keys(plan)[:1] + plan.group_names) }}
{% endmacro %}

{#- Their numbers, where there are groups. -#}
{% macro rm_group_number(plan) %}
{%- set groups = rankmetrics_sql.rm_drawn_groups(plan) -%}
{%- if not groups -%}{{ return([]) }}{%- endif -%}
{%- set order = rankmetrics_sql.rm_ascending([], groups) -%}
{{ return([{'name': 'group_number', 'sql': 'DENSE_RANK() OVER (ORDER BY ' ~ order ~ ')'}]) }}
{% endmacro %}

{% macro rm_group_keys(plan) %}
{{ return(['group_number'] if rankmetrics_sql.rm_drawn_groups(plan) else []) }}
{% endmacro %}

{#- Groups of as many buckets share what the bootstrap draws; a sign is that of its place, however many there are. -#}
{% macro rm_draws_by_size(plan) %}
{%- set has_groups = rankmetrics_sql.rm_drawn_groups(plan) | length > 0 -%}
{{ return(['n_buckets'] if has_groups and not rankmetrics_sql.rm_is_randomised(plan) else []) }}
{% endmacro %}

{#- What the first number of a unit or place has beside: the seed, and of arms how many steps of one. -#}
{% macro rm_first(plan, names) %}
{{ return((' + arm * 472882027' if 'arm' in names else '') ~ ' + ' ~ rankmetrics_sql.rm_seed(plan)) }}
{% endmacro %}

{#- The sums of columns under their names. -#}
{% macro rm_each_sum(names) %}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_aggregated('sum', name)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- What the buckets of a sample come to. -#}
{% macro rm_bucket_sums(sample) %}
{{ return(rankmetrics_sql.rm_each_sum(sample.terms + sample.moments | map(attribute='name') | list)) }}
{% endmacro %}
