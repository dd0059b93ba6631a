{#- retrieved: the length of each query's list; shown: the number of its items within a cutoff. -#}

{% macro rm_retrieved(pass) %}
{%- if not pass.counts_lists -%}{{ return([]) }}{%- endif -%}
{%- if pass.options.unjudged == 'drop' -%}{{ return(rankmetrics_sql.rm_retrieved_judged(pass)) }}{%- endif -%}
{%- set plan = pass.plan -%}
{%- set depth = pass.options.depth -%}
{#- Without judgments nothing else says of a query that its list is empty. -#}
{%- set rows = plan.stages.run if plan.has_judgments else rankmetrics_sql.rm_rows_of_runs(plan) -%}
{%- set count = 'COUNT(*)' if rows == plan.stages.run else 'COUNT(item_id)' -%}
{%- set length = count -%}
{%- if depth is not none and plan.options.position == 'given' -%}
    {%- set length = 'SUM(CASE WHEN ' ~ pass.order[0].name ~ ' <= ' ~ depth ~ ' THEN 1 ELSE 0 END)' -%}
{%- elif depth is not none -%}
    {%- set length = 'CASE WHEN ' ~ count ~ ' > ' ~ depth ~ ' THEN ' ~ depth ~ ' ELSE ' ~ count ~ ' END' -%}
{%- endif -%}
{%- set retrieved %}
    SELECT
        {{ rankmetrics_sql.rm_lines(plan.row_keys) }},
        {{ rankmetrics_sql.rm_as_double(length) }} AS n_retrieved
    FROM {{ rows }}
    GROUP BY {{ plan.row_keys | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(pass.stages.retrieved, retrieved, 'the length of each list')]) }}
{% endmacro %}

{#- A query whose items are all dropped still has been answered: its list has length 0. -#}
{% macro rm_retrieved_judged(pass) %}
{%- set keys = pass.plan.row_keys | join(', ') -%}
{%- set retrieved %}
    SELECT
        {{ rankmetrics_sql.rm_lines(pass.plan.row_keys) }},
        {{ rankmetrics_sql.rm_as_double('MAX(n_items)') }} AS n_retrieved
    FROM (
        SELECT {{ keys }}, rnk AS n_items FROM {{ pass.stages.condensed }}
        UNION ALL
        SELECT DISTINCT {{ keys }}, 0 AS n_items FROM {{ pass.plan.stages.run }}
    ) AS items
    GROUP BY {{ keys }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.retrieved, retrieved,
    'the length of each list, without its unjudged items'
)]) }}
{% endmacro %}

{#- The ideal of lists no longer than the one retrieved, as a relation of facts: one row per list. -#}
{% macro rm_shortened_ideal(pass) %}
{%- set columns = [] -%}
{%- set params = ['gain', 'rel', 'k', 'discount', 'ideal_depth'] -%}
{%- set ideals = rankmetrics_sql.rm_needed(pass.metrics, 'ideal_dcg', params) -%}
{%- for ideal in ideals if ideal.ideal_depth == 'min_k_retrieved' -%}
    {%- set within = rankmetrics_sql.rm_ideal_rank(ideal.gain) ~ ' <= n_retrieved' -%}
    {%- set sum = rankmetrics_sql.rm_ideal_sum(ideal, ideal.k, [within]) -%}
    {%- do columns.append({'name': rankmetrics_sql.rm_ideal_dcg(ideal), 'sql': sum}) -%}
{%- endfor -%}
{%- if not columns -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_distinct(columns) -%}
{%- set keys = pass.plan.row_keys -%}
{%- set ideal %}
    {{ rankmetrics_sql.rm_select(rankmetrics_sql.rm_columns_from('n', keys) + columns) }}
    FROM {{ pass.stages.retrieved }} AS n
    INNER JOIN {{ pass.stages.ideal }} AS i ON {{ rankmetrics_sql.rm_same('i', 'n', pass.truth_keys) }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('n', keys) | join(', ') }}
{%- endset -%}
{{ return([{
    'name': pass.stages.shortened_ideal,
    'ctes': [rankmetrics_sql.rm_cte(
        pass.stages.shortened_ideal, ideal,
        'the DCG of an ideal ranking no longer than the list'
    )],
    'columns': columns | map(attribute='name') | list,
}]) }}
{% endmacro %}

{#-
How many items of each list stand within a cutoff: as many as it has, unless positions have gaps (position=given) or
items are taken out of it.
-#}
{% macro rm_shown(pass) %}
{%- set cutoffs = rankmetrics_sql.rm_needed(pass.metrics, 'n_shown', ['k']) | rejectattr('k', 'none') | list -%}
{%- set first = {'k': pass.plan.first_items} -%}
{%- if pass.says_basis and not pass.counts_lists and first not in cutoffs -%}
    {%- do cutoffs.append(first) -%}
{%- endif -%}
{%- if not cutoffs -%}{{ return([]) }}{%- endif -%}
{%- set options = pass.options -%}
{%- set dropped = options.unjudged == 'drop' -%}
{%- set counts_places = dropped or pass.plan.options.position == 'given' -%}
{%- set place = 'rnk' if dropped else pass.order[0].name -%}
{%- set columns = [] -%}
{%- for cutoff in cutoffs -%}
    {%- set last = cutoff.k if options.depth is none else [cutoff.k, options.depth] | min -%}
    {%- set within = 'SUM(CASE WHEN ' ~ place ~ ' <= ' ~ last ~ ' THEN 1 ELSE 0 END)' -%}
    {%- set shown = within if counts_places else rankmetrics_sql.rm_lesser('COUNT(*)', last) -%}
    {%- set name = rankmetrics_sql.rm_n_shown(cutoff.k) -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_as_double(shown)}) -%}
{%- endfor -%}
{%- set shown %}
    {{ rankmetrics_sql.rm_select(pass.plan.row_keys + columns) }}
    FROM {{ pass.stages.condensed if dropped else pass.plan.stages.run }}
    GROUP BY {{ pass.plan.row_keys | join(', ') }}
{%- endset -%}
{{ return([{
    'name': pass.stages.shown,
    'ctes': [rankmetrics_sql.rm_cte(pass.stages.shown, shown, 'the number of items of each list within a cutoff')],
    'columns': columns | map(attribute='name') | list,
}]) }}
{% endmacro %}
