{#-
Effects, or values of a summary, of queries drawn again: the bootstrap (Efron 1979), which draws as many as there are,
with replacement; and randomisation (Fisher 1935), which gives each difference a sign by chance. What is drawn are the
clusters, or else the queries, numbered in the order of their bytes; beyond 1,000 of them buckets, into each of which
chance puts some. The same numbers are drawn in every engine: s * s + 48271 * s + 12345 modulo 2147483647, three times.
Each group is drawn by itself, as if there were no other: its units are numbered from 1 on, and groups of as many share
their draws.
    units       what each effect is the mean of, with the number of its unit
    bucketed    with its bucket
    buckets     what the buckets come to
    draws       how often each replicate counts each bucket; replicate 0 counts all of them once
    replicates  the effect in each of them
    resampled   of each effect what its replicates say
An effect of so few units that all patterns of their signs are no more than the replicates has each pattern once, or as
often, rather than some by chance (Fisher's own test); its buckets are its units, with numbers below 0.
and where ends are corrected for bias (BCa, 05_corrected_shares.sql) between the last two
    ordered           the replicates of each effect in the order of their values
    biased            with how far their median is from what was observed
    corrected_shares  with the shares of them that the ends of an interval are at
-#}

{% macro rm_is_resampled(plan) %}
{%- if rankmetrics_sql.rm_is_comparison(plan.level) -%}
    {{ return(plan.options.test in ['bootstrap', 'randomisation']) }}
{%- endif -%}
{{ return(plan.level == 'summary' and plan.options.interval == 'bootstrap') }}
{% endmacro %}

{% macro rm_is_randomised(plan) %}
{{ return(rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.test == 'randomisation') }}
{% endmacro %}

{#-
What is drawn: of the rows of a stage the terms of the mean, total / n, and of the ratio of a relative effect; and how
much each row moves either, but for a factor that all have.
-#}
{% macro rm_draw_source(plan) %}
{%- if rankmetrics_sql.rm_is_comparison(plan.level) -%}
    {{ return({
        'stage': plan.stages.differences,
        'condition': 'difference IS NOT NULL AND run_id <> ' ~ rankmetrics_sql.rm_string(plan.baseline),
        'terms': {
            'total': 'difference', 'n': rankmetrics_sql.rm_as_double('1'), 'of_candidate': 'candidate_value',
            'of_baseline': 'baseline_value',
        },
        'influences': {
            'effect': 'difference - mean_difference',
            'ratio': 'candidate_value * mean_baseline - baseline_value * mean_candidate',
        },
        'randomised': rankmetrics_sql.rm_is_randomised(plan),
    }) }}
{%- endif -%}
{%- set weighed = plan.weight_names | length > 0 -%}
{{ return({
    'stage': plan.stages.centred,
    'condition': 'own_value IS NOT NULL' ~ (' AND weight IS NOT NULL' if weighed else ''),
    'terms': {
        'total': 'weight * own_value' if weighed else 'own_value',
        'n': 'weight' if weighed else rankmetrics_sql.rm_as_double('1'),
    },
    'influences': {'effect': ('weight * ' if weighed else '') ~ '(own_value - own_mean)'},
    'randomised': false,
}) }}
{% endmacro %}

{#- The columns that tell units apart, beside their cluster. -#}
{% macro rm_unit_names(plan) %}
{{ return(plan.query_keys if plan.cluster_names or rankmetrics_sql.rm_is_resampled(plan) else []) }}
{% endmacro %}

{% macro rm_resampling(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- set most = 1000 -%}
{%- set order = rankmetrics_sql.rm_order_of_units(plan) -%}
{%- set source = rankmetrics_sql.rm_draw_source(plan) -%}
{%- set influences = rankmetrics_sql.rm_influences(plan, source.influences) -%}
{%- set moved = influences.values() | map(attribute='name') | list -%}
{%- set moments = rankmetrics_sql.rm_moments(influences) -%}
{%- set studentised = source.randomised and plan.cluster_names | length > 0 -%}
{%- set moments = rankmetrics_sql.rm_moments_of_clusters() if studentised else moments -%}
{%- set terms = source.terms.keys() | list -%}
{%- set summed = terms + moments | map(attribute='name') | list -%}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set has_groups = rankmetrics_sql.rm_drawn_groups(plan) | length > 0 -%}
{%- set units %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['effect_number'] + rankmetrics_sql.rm_group_number(plan)
            + rankmetrics_sql.rm_named(source.terms) + influences.values() | list) }},
        DENSE_RANK() OVER ({{ rankmetrics_sql.rm_each_group(plan) }}ORDER BY {{ order }}) AS unit
    FROM {{ source.stage }}
    WHERE {{ source.condition }}
{%- endset -%}
{%- set counted -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(['effect_number'] + terms + moved, 12) }},
            CAST(unit AS {{ integer }}) AS unit,
            CAST(MAX(unit) OVER ({{ 'PARTITION BY group_number' if has_groups }}) AS {{ integer }}) AS n_units
        FROM {{ plan.stages.units }}
    ) AS counted
{%- endset -%}
{%- if (moved or studentised) and plan.cluster_names -%}
    {%- set counted = rankmetrics_sql.rm_added_up(['effect_number'], terms + moved, ['unit', 'n_units'], counted) -%}
{%- endif -%}
{%- set seed = rankmetrics_sql.rm_seed(plan) -%}
{%- set known = ['effect_number'] + terms + moved + ['unit', 'n_units'] -%}
{%- set bucket = 'CASE WHEN n_units <= ' ~ most ~ ' THEN unit ELSE ' ~ rankmetrics_sql.rm_modulo('drawn', most)
    ~ ' + 1 END' -%}
{%- set bucketed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['effect_number'] + terms + moments) }},
        CASE WHEN n_units <= {{ most }} THEN n_units ELSE {{ most }} END AS n_buckets,
        {{ bucket }} AS bucket
    FROM {{ rankmetrics_sql.rm_drawn(known, 'unit * 998244353 + ' ~ seed, counted) }}
{%- endset -%}
{%- set buckets %}
    SELECT
        effect_number,
        bucket,
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_each_sum(summed)) }},
        MAX(n_buckets) AS n_buckets
    FROM {{ plan.stages.bucketed }}
    GROUP BY effect_number, bucket
{%- endset -%}
{%- set enumerates = rankmetrics_sql.rm_enumerates(plan) -%}
{%- if enumerates -%}
    {%- set buckets = rankmetrics_sql.rm_buckets_of_few(plan, summed, most) -%}
{%- endif -%}
{#- A sign is that of its place, however many places there are. -#}
{%- set by_size = has_groups and not source.randomised -%}
{%- set sizes = ['n_buckets'] if by_size else [] -%}
{%- set each_bucket -%}
(
        SELECT
            CAST(r.list_position AS {{ integer }}) AS replicate,
            CAST(p.list_position AS {{ integer }}) AS place,
            b.n_buckets
        FROM {{ plan.stages.numbers }} AS r
        CROSS JOIN {{ plan.stages.numbers }} AS p
        CROSS JOIN ({{ rankmetrics_sql.rm_sizes_of_draws(plan, by_size) }}) AS b
        WHERE r.list_position <= {{ plan.options.resamples }} AND p.list_position <= {{ most }}
            AND p.list_position <= b.n_buckets
    ) AS each_bucket
{%- endset -%}
{%- set first = 'replicate * 1000003 + place * 998244353 + ' ~ seed -%}
{%- set drawn = rankmetrics_sql.rm_drawn(['replicate', 'place', 'n_buckets'], first, each_bucket) -%}
{%- set picked = rankmetrics_sql.rm_modulo('drawn', 'n_buckets') ~ ' + 1' -%}
{%- set draws %}
    SELECT 0 AS replicate, {{ (sizes + ['bucket']) | join(', ') }}, 1 AS times
    FROM {{ plan.stages.buckets }}
    GROUP BY {{ (sizes + ['bucket']) | join(', ') }}
    UNION ALL
    {%- if source.randomised %}
    SELECT replicate, place AS bucket, CASE WHEN drawn < 1073741824 THEN 1 ELSE -1 END AS times
    FROM {{ drawn }}
    {%- if enumerates %}
    UNION ALL
    SELECT
        CAST(r.list_position AS {{ integer }}) AS replicate,
        CAST(-p.place AS {{ integer }}) AS bucket,
        {{ rankmetrics_sql.rm_enumerated_sign() }} AS times
    FROM {{ plan.stages.numbers }} AS r
    CROSS JOIN (
        {{ rankmetrics_sql.rm_sizes_of_bits(plan) }}
    ) AS p
    WHERE r.list_position <= {{ 2 * rankmetrics_sql.rm_halves_of_patterns(plan)[-1] }}
    {%- endif %}
    {%- else %}
    SELECT {{ (['replicate'] + sizes) | join(', ') }}, {{ picked }} AS bucket, COUNT(*) AS times
    FROM {{ drawn }}
    GROUP BY {{ (['replicate'] + sizes) | join(', ') }}, {{ picked }}
    {%- endif %}
{%- endset -%}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set n_drawn = rankmetrics_sql.rm_compensated_sum('b.n' if source.randomised else times ~ ' * b.n') -%}
{%- set total = rankmetrics_sql.rm_compensated_sum(times ~ ' * b.total') -%}
{%- set values = [{'name': 'effect', 'sql': total ~ ' / NULLIF(' ~ n_drawn ~ ', 0)'}] -%}
{%- if source.terms.of_baseline is defined -%}
    {%- set of_candidate = rankmetrics_sql.rm_compensated_sum(times ~ ' * b.of_candidate') -%}
    {%- set of_baseline = rankmetrics_sql.rm_compensated_sum(times ~ ' * b.of_baseline') -%}
    {%- do values.append({'name': 'ratio', 'sql': of_candidate ~ ' / NULLIF(' ~ of_baseline ~ ', 0)'}) -%}
{%- endif -%}
{%- set statistic = rankmetrics_sql.rm_bounded_statistic('difference', 'variance') -%}
{%- set values = [{'name': 'effect', 'sql': statistic}] if studentised else values -%}
{%- set is_enumerated = rankmetrics_sql.rm_as_double('MAX(CASE WHEN b.bucket < 0 THEN 1 ELSE 0 END)') -%}
{%- set ways = [{'name': 'enumerated', 'sql': is_enumerated}] if enumerates else [] -%}
{%- set replicates %}
    SELECT
        b.effect_number,
        d.replicate,
        {{ rankmetrics_sql.rm_lines(
            (rankmetrics_sql.rm_signed_sums() if studentised else values)
                + rankmetrics_sql.rm_accelerations(influences) + ways
        ) }}
    FROM {{ plan.stages.buckets }} AS b
    INNER JOIN {{ plan.stages.draws }} AS d ON {{ rankmetrics_sql.rm_same('d', 'b', sizes + ['bucket']) }}
    GROUP BY b.effect_number, d.replicate
{%- endset -%}
{%- if studentised -%}
    {%- set replicates = rankmetrics_sql.rm_of_signed_sums(replicates, values + ways | map(attribute='name') | list) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_numbers(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.units, units,
        'the terms of the mean of each effect, each with the number of the query or cluster that is drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.bucketed, bucketed,
        'each with its bucket, because at most 1,000 buckets are drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.buckets, buckets,
        'the sums of each bucket, for each effect, with numbers below 0 where all patterns of signs are few'
            if enumerates
            else 'the sums of each bucket, for each effect'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.draws, draws,
        'the sign of each bucket in each replicate, by chance, or of few in each pattern, and 1 in replicate 0, '
            ~ 'which is what was observed'
            if enumerates
            else 'the sign of each bucket in each replicate, by chance, and 1 in replicate 0, '
            ~ 'which is what was observed'
            if source.randomised
            else 'how often each replicate draws each bucket, and once in replicate 0, which is what was observed'
    ),
    rankmetrics_sql.rm_cte(plan.stages.replicates, replicates, 'the effect in each replicate'),
] + rankmetrics_sql.rm_resampled(plan, values | map(attribute='name') | list)) }}
{% endmacro %}
