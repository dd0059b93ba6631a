{#-
Effects of queries drawn again: the bootstrap (Efron 1979), which draws as many as there are, with replacement; and
randomisation (Fisher 1935), which gives each difference a sign by chance. What is drawn are the clusters, or else the
queries, numbered in the order of their bytes; beyond 1,000 of them buckets, into each of which chance puts some. The
same numbers are drawn in every engine: s * s + 48271 * s + 12345 modulo 2147483647, three times.
    units       the differences of each effect, with the number of their unit
    bucketed    with its bucket
    buckets     what the buckets come to
    draws       how often each replicate counts each bucket; replicate 0 counts all of them once
    replicates  the effect in each of them
    resampled   of each effect what its replicates say
-#}

{% macro rm_is_resampled(plan) %}
{%- set resamples = plan.options.test in ['bootstrap', 'randomisation'] -%}
{{ return(resamples and rankmetrics_sql.rm_is_comparison(plan.level)) }}
{% endmacro %}

{#- What they say of an effect. -#}
{% macro rm_resampled_names(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- set of_intervals = ['drawn_lower', 'drawn_upper', 'relative_drawn_lower', 'relative_drawn_upper'] -%}
{{ return(['drawn_pvalue'] + (of_intervals if plan.options.test == 'bootstrap' else [])) }}
{% endmacro %}

{#- What tells the units apart, and the number of the effect, which joins what is said of it. -#}
{% macro rm_unit_names(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{{ return([] if plan.cluster_names else plan.query_keys) }}
{% endmacro %}

{% macro rm_effect_number(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- set order = rankmetrics_sql.rm_ascending(['run_id'], plan.group_names, ['metric_number']) -%}
{{ return([{'name': 'effect_number', 'sql': 'DENSE_RANK() OVER (ORDER BY ' ~ order ~ ')'}]) }}
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

{% macro rm_resampling(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- set stages = plan.stages -%}
{%- set most = 1000 -%}
{%- set of_unit = [] -%}
{%- for name in plan.cluster_names or plan.query_keys -%}
    {%- do of_unit.append(rankmetrics_sql.rm_text(name)) -%}
{%- endfor -%}
{%- set order = rankmetrics_sql.rm_ascending([], of_unit) if plan.cluster_names
    else rankmetrics_sql.rm_ascending(of_unit) -%}
{%- set terms = ['difference', 'baseline_value', 'candidate_value'] -%}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set units %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['effect_number'] + terms) }},
        DENSE_RANK() OVER (ORDER BY {{ order }}) AS unit
    FROM {{ stages.differences }}
    WHERE difference IS NOT NULL AND run_id <> {{ rankmetrics_sql.rm_string(plan.baseline) }}
{%- endset -%}
{%- set counted -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(['effect_number'] + terms, 12) }},
            CAST(unit AS {{ integer }}) AS unit,
            CAST(MAX(unit) OVER () AS {{ integer }}) AS n_units
        FROM {{ stages.units }}
    ) AS counted
{%- endset -%}
{%- set seed = plan.options.seed ~ '' -%}
{%- set known = ['effect_number'] + terms + ['unit', 'n_units'] -%}
{%- set bucket = 'CASE WHEN n_units <= ' ~ most ~ ' THEN unit ELSE ' ~ rankmetrics_sql.rm_modulo('drawn', most)
    ~ ' + 1 END' -%}
{%- set bucketed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['effect_number'] + terms) }},
        CASE WHEN n_units <= {{ most }} THEN n_units ELSE {{ most }} END AS n_buckets,
        {{ bucket }} AS bucket
    FROM {{ rankmetrics_sql.rm_drawn(known, 'unit * 998244353 + ' ~ seed, counted) }}
{%- endset -%}
{%- set buckets %}
    SELECT
        effect_number,
        bucket,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_each('SUM(', terms)) }},
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n,
        MAX(n_buckets) AS n_buckets
    FROM {{ stages.bucketed }}
    GROUP BY effect_number, bucket
{%- endset -%}
{%- set each_bucket -%}
(
        SELECT
            CAST(r.list_position AS {{ integer }}) AS replicate,
            CAST(p.list_position AS {{ integer }}) AS place,
            b.n_buckets
        FROM {{ stages.numbers }} AS r
        CROSS JOIN {{ stages.numbers }} AS p
        CROSS JOIN (SELECT MAX(n_buckets) AS n_buckets FROM {{ stages.buckets }}) AS b
        WHERE r.list_position <= {{ plan.options.resamples }} AND p.list_position <= {{ most }}
            AND p.list_position <= b.n_buckets
    ) AS each_bucket
{%- endset -%}
{%- set first = 'replicate * 1000003 + place * 998244353 + ' ~ seed -%}
{%- set drawn = rankmetrics_sql.rm_drawn(['replicate', 'place', 'n_buckets'], first, each_bucket) -%}
{%- set picked = rankmetrics_sql.rm_modulo('drawn', 'n_buckets') ~ ' + 1' -%}
{%- set draws %}
    SELECT 0 AS replicate, bucket, 1 AS times
    FROM {{ stages.buckets }}
    GROUP BY bucket
    UNION ALL
    {%- if plan.options.test == 'bootstrap' %}
    SELECT replicate, {{ picked }} AS bucket, COUNT(*) AS times
    FROM {{ drawn }}
    GROUP BY replicate, {{ picked }}
    {%- else %}
    SELECT replicate, place AS bucket, CASE WHEN drawn < 1073741824 THEN 1 ELSE -1 END AS times
    FROM {{ drawn }}
    {%- endif %}
{%- endset -%}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set n_drawn = 'SUM(' ~ times ~ ' * b.n)' if plan.options.test == 'bootstrap' else 'SUM(b.n)' -%}
{%- set replicates %}
    SELECT
        b.effect_number,
        d.replicate,
        SUM({{ times }} * b.difference) / NULLIF({{ n_drawn }}, 0) AS effect,
        SUM({{ times }} * b.candidate_value) / NULLIF(SUM({{ times }} * b.baseline_value), 0) AS ratio
    FROM {{ stages.buckets }} AS b
    INNER JOIN {{ stages.draws }} AS d ON d.bucket = b.bucket
    GROUP BY b.effect_number, d.replicate
{%- endset -%}
{{ return(rankmetrics_sql.rm_numbers(plan) + [
    rankmetrics_sql.rm_cte(stages.units, units),
    rankmetrics_sql.rm_cte(stages.bucketed, bucketed),
    rankmetrics_sql.rm_cte(stages.buckets, buckets),
    rankmetrics_sql.rm_cte(stages.draws, draws),
    rankmetrics_sql.rm_cte(stages.replicates, replicates),
    rankmetrics_sql.rm_cte(stages.resampled, rankmetrics_sql.rm_resampled(plan)),
]) }}
{% endmacro %}

{#- The replicates of each effect, z, in the order of their values; those without one are last. -#}
{% macro rm_resampled(plan) %}
{%- set over = 'OVER (PARTITION BY effect_number)' -%}
{%- set in_order = 'ROW_NUMBER() OVER (PARTITION BY effect_number ORDER BY CASE WHEN replicate = 0 OR NAME IS NULL'
    ~ ' THEN 1 ELSE 0 END ASC, NAME ASC)' -%}
{%- set columns = [
    {'name': 'found', 'sql': 'MAX(CASE WHEN replicate = 0 THEN effect END) ' ~ over},
    {'name': 'mean_effect', 'sql': 'AVG(CASE WHEN replicate > 0 THEN effect END) ' ~ over},
] -%}
{%- for name in ['effect', 'ratio'] -%}
    {%- set n = 'COUNT(CASE WHEN replicate > 0 THEN ' ~ name ~ ' END) ' ~ over -%}
    {%- do columns.append({'name': name ~ '_place', 'sql': in_order | replace('NAME', name)}) -%}
    {%- do columns.append({'name': 'n_' ~ name ~ 's', 'sql': rankmetrics_sql.rm_as_double(n)}) -%}
{%- endfor -%}
{%- set rounding = 'ABS(z.found) * ' ~ rankmetrics_sql.rm_number('1e-12') -%}
{%- set by_chance = 'z.effect - z.found' if plan.options.test == 'bootstrap' else 'z.effect' -%}
{%- set is_as_far = {
    'two_sided': 'ABS(' ~ by_chance ~ ') >= ABS(z.found) - ' ~ rounding,
    'greater': by_chance ~ ' >= z.found - ' ~ rounding,
    'less': by_chance ~ ' <= z.found + ' ~ rounding,
}[plan.options.alternative] -%}
{%- set as_far = 'SUM(CASE WHEN z.replicate > 0 AND ' ~ is_as_far ~ ' THEN 1 ELSE 0 END)' -%}
{%- set deviation = '(z.effect - z.mean_effect)' -%}
{%- set squares = 'SUM(CASE WHEN z.replicate > 0 THEN ' ~ deviation ~ ' * ' ~ deviation ~ ' END)' -%}
{%- set n = 'MAX(z.n_effects)' -%}
{%- set said = [
    {'name': 'drawn_pvalue', 'sql': rankmetrics_sql.rm_as_double('1 + ' ~ as_far) ~ ' / (' ~ n ~ ' + 1)'},
    {'name': 'drawn_error', 'sql': 'CASE WHEN ' ~ n ~ ' > 1 THEN SQRT(' ~ squares ~ ' / (' ~ n ~ ' - 1)) END'},
] -%}
{%- set below = rankmetrics_sql.rm_beyond_interval(plan) -%}
{%- set above = (1 - below) | round(15) -%}
{%- for name, column in {'drawn': 'effect', 'relative_drawn': 'ratio'}.items() -%}
    {%- do said.append({'name': name ~ '_lower', 'sql': rankmetrics_sql.rm_quantile(column, below)}) -%}
    {%- do said.append({'name': name ~ '_upper', 'sql': rankmetrics_sql.rm_quantile(column, above)}) -%}
{%- endfor -%}
{%- set resampled %}
    SELECT
        z.effect_number,
        {{ rankmetrics_sql.rm_lines(said) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(['effect_number', 'replicate', 'effect', 'ratio'] + columns, 12) }}
        FROM {{ plan.stages.replicates }}
    ) AS z
    GROUP BY z.effect_number
{%- endset -%}
{{ return(resampled) }}
{% endmacro %}

{#- A quantile of the replicates, between the two that are next to it (Hyndman & Fan's seventh). -#}
{% macro rm_quantile(column, share) %}
{%- set wanted = '(z.n_' ~ column ~ 's - 1) * ' ~ rankmetrics_sql.rm_number(share) -%}
{%- set apart = 'ABS(z.' ~ column ~ '_place - 1 - ' ~ wanted ~ ')' -%}
{%- set is_one = 'z.replicate > 0 AND ' ~ apart ~ ' < 1' -%}
{{ return('SUM(CASE WHEN ' ~ is_one ~ ' THEN (1 - ' ~ apart ~ ') * z.' ~ column ~ ' END)') }}
{% endmacro %}

{#- The same as facts of the effects s: of sums those of all queries, and of what is no mean none. -#}
{% macro rm_drawn_facts(plan) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_resampled_names(plan) -%}
    {%- set own = 'z.' ~ name -%}
    {%- set is_share = name == 'drawn_pvalue' or name.startswith('relative') -%}
    {%- set known = {'mean': own, 'sum': own if is_share else own ~ ' * n'} -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_by_aggregate(plan, 's', known)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
