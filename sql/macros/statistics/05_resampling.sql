{#-
Effects, or values of a summary, of queries drawn again: the bootstrap (Efron 1979), which draws as many as there are,
with replacement; and randomisation (Fisher 1935), which gives each difference a sign by chance. What is drawn are the
clusters, or else the queries, numbered in the order of their bytes; beyond 1,000 of them buckets, into each of which
chance puts some. The same numbers are drawn in every engine: s * s + 48271 * s + 12345 modulo 2147483647, three times.
Each group is drawn by itself, as if there were no other: its units are numbered from 1 on, and groups of as many share
their draws.
    units       what each mean is made of, with the number of its unit
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

{#- The columns that tell units apart, beside their cluster. -#}
{% macro rm_unit_names(plan) %}
{{ return(plan.query_keys if plan.cluster_names or rankmetrics_sql.rm_is_resampled(plan) else []) }}
{% endmacro %}

{% macro rm_resampling(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- set are_arms = rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.design == 'unpaired' -%}
{%- set sample = rankmetrics_sql.rm_sample_of_arms(plan) if are_arms else rankmetrics_sql.rm_sample(plan) -%}
{%- set enumerates = rankmetrics_sql.rm_enumerates(plan) -%}
{%- set exchanges = are_arms and rankmetrics_sql.rm_is_randomised(plan) -%}
{{ return(rankmetrics_sql.rm_numbers(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.units, sample.units,
        'the terms of each mean, each with the number of the query or cluster that is drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.bucketed, rankmetrics_sql.rm_bucketed(plan, sample),
        'each with its bucket, because at most 1,000 buckets are drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.buckets,
        rankmetrics_sql.rm_buckets_of_few(plan, sample) if enumerates else rankmetrics_sql.rm_buckets(plan, sample),
        'the sums of each bucket, for each mean'
            ~ (', with numbers below 0 where all patterns of signs are few' if enumerates else '')
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.draws,
        rankmetrics_sql.rm_exchanged(plan) if exchanges else rankmetrics_sql.rm_draws(plan, sample),
        'whether each replicate gives each bucket to the candidate, by chance (replicate 0 as observed)'
            if exchanges
            else 'the sign of each bucket in each replicate, by chance, '
            ~ ('or of few in each pattern, ' if enumerates else '') ~ 'and 1 in replicate 0, which is what was observed'
            if rankmetrics_sql.rm_is_randomised(plan)
            else 'how often each replicate draws each bucket, and once in replicate 0, which is what was observed'
    ),
    rankmetrics_sql.rm_cte(plan.stages.replicates, sample.replicates, 'the effect in each replicate'),
] + rankmetrics_sql.rm_resampled(plan, sample.value_names)) }}
{% endmacro %}

{#-
What is drawn of pairs, or of a summary: of the rows of a stage the terms of the mean, total / n, and of the ratio of a
relative effect; and how much each row moves either, but for a factor that all have.
    units           the stage
    mean_keys, arm  what tells means apart; draws differ by the arm alone, and pairs have none
    terms           what is added up, with the moments of rows, or of units where adds_up
    sizes           of buckets, as rm_sizes_of_buckets has them
-#}
{% macro rm_sample(plan) %}
{%- set is_effect = rankmetrics_sql.rm_is_comparison(plan.level) -%}
{%- set randomised = rankmetrics_sql.rm_is_randomised(plan) -%}
{%- set weight = 'weight * ' if plan.weight_names and not is_effect else '' -%}
{%- set stage, value, mean = plan.stages.centred, 'own_value', 'own_mean' -%}
{%- set condition = 'own_value IS NOT NULL' ~ (' AND weight IS NOT NULL' if weight else '') -%}
{%- if is_effect -%}
    {%- set stage, value, mean = plan.stages.differences, 'difference', 'mean_difference' -%}
    {%- set condition = 'difference IS NOT NULL AND run_id <> ' ~ rankmetrics_sql.rm_string(plan.baseline) -%}
{%- endif -%}
{%- set terms = {'total': weight ~ value, 'n': 'weight' if weight else rankmetrics_sql.rm_as_double('1')} -%}
{%- set influences = {'effect': weight ~ '(' ~ value ~ ' - ' ~ mean ~ ')'} -%}
{%- if is_effect and not randomised -%}
    {%- do terms.update({'of_candidate': 'candidate_value', 'of_baseline': 'baseline_value'}) -%}
    {%- do influences.update({'ratio': 'candidate_value * mean_baseline - baseline_value * mean_candidate'}) -%}
{%- endif -%}
{%- set influences = rankmetrics_sql.rm_influences(plan, influences) -%}
{%- set studentised = randomised and plan.cluster_names | length > 0 -%}
{%- set groups = rankmetrics_sql.rm_drawn_groups(plan) -%}
{%- set units %}
    SELECT
        {{ rankmetrics_sql.rm_lines(['effect_number'] + rankmetrics_sql.rm_group_number(plan)
            + rankmetrics_sql.rm_named(terms) + influences.values() | list) }},
        DENSE_RANK() OVER ({{ 'PARTITION BY ' ~ groups | join(', ') ~ ' ' if groups
            }}ORDER BY {{ rankmetrics_sql.rm_order_of_units(plan) }}) AS unit
    FROM {{ stage }}
    WHERE {{ condition }}
{%- endset -%}
{{ return({
    'units': units,
    'mean_keys': ['effect_number'],
    'arm': [],
    'terms': terms.keys() | list,
    'influences': influences.values() | map(attribute='name') | list,
    'moments': rankmetrics_sql.rm_moments_of_clusters() if studentised else rankmetrics_sql.rm_moments(influences),
    'adds_up': plan.cluster_names and (studentised or influences | length > 0),
    'sizes': rankmetrics_sql.rm_sizes_of_buckets(),
    'value_names': ['effect', 'ratio'] if 'of_baseline' in terms else ['effect'],
    'replicates': rankmetrics_sql.rm_signed_replicates(plan) if studentised
        else rankmetrics_sql.rm_replicates(plan, terms, influences),
}) }}
{% endmacro %}

{#- How many buckets n_units have, which is whether each has one of its own, and into how many they fall otherwise. -#}
{% macro rm_sizes_of_buckets() %}
{{ return({
    'counted': {},
    'condition': none,
    'has_own': 'n_units <= 1000',
    'n_buckets': 'CASE WHEN n_units <= 1000 THEN n_units ELSE 1000 END',
    'most': '1000',
}) }}
{% endmacro %}

{% macro rm_bucketed(plan, sample) %}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set each_arm = rankmetrics_sql.rm_group_keys(plan) + sample.arm -%}
{%- set n_units = 'MAX(unit) OVER (' ~ ('PARTITION BY ' ~ each_arm | join(', ') if each_arm else '') ~ ')' -%}
{%- set counts = {'arm': 'arm'} if sample.arm else {} -%}
{%- do counts.update({'unit': 'unit', 'n_units': n_units}) -%}
{%- do counts.update(sample.sizes.counted) -%}
{%- set numbers = [] -%}
{%- for name, sql in counts.items() -%}
    {%- do numbers.append({'name': name, 'sql': 'CAST(' ~ sql ~ ' AS ' ~ integer ~ ')'}) -%}
{%- endfor -%}
{%- set summed = sample.terms + sample.influences -%}
{%- set counted -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(sample.mean_keys + summed + numbers, 12) }}
        FROM {{ plan.stages.units }}
    ) AS counted
{%- endset -%}
{%- if sample.adds_up -%}
    {%- set counted = rankmetrics_sql.rm_added_up(sample.mean_keys, summed, counts.keys() | list, counted) -%}
{%- endif -%}
{%- set drawn = rankmetrics_sql.rm_drawn(
    sample.mean_keys + summed + counts.keys() | list,
    'unit * 998244353' ~ rankmetrics_sql.rm_first(plan, sample.arm), counted
) -%}
{%- set sizes = sample.sizes -%}
{%- set bucket = 'CASE WHEN ' ~ sizes.has_own ~ ' THEN unit ELSE ' ~ rankmetrics_sql.rm_modulo('drawn', sizes.most)
    ~ ' + 1 END' -%}
{%- set bucketed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(sample.mean_keys + sample.arm + sample.terms + sample.moments) }},
        {{ sizes.n_buckets }} AS n_buckets,
        {{ bucket }} AS bucket
    FROM {{ drawn }}
    {%- if sizes.condition is not none %}
    WHERE {{ sizes.condition }}
    {%- endif %}
{%- endset -%}
{{ return(bucketed) }}
{% endmacro %}

{% macro rm_buckets(plan, sample) %}
{%- set keys = sample.mean_keys + sample.arm + ['bucket'] -%}
{%- set buckets %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_bucket_sums(sample)) }},
        MAX(n_buckets) AS n_buckets
    FROM {{ plan.stages.bucketed }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return(buckets) }}
{% endmacro %}

{#- How often each replicate counts each bucket, or with which sign. -#}
{% macro rm_draws(plan, sample) %}
{%- set randomised = rankmetrics_sql.rm_is_randomised(plan) -%}
{%- set by_size = rankmetrics_sql.rm_draws_by_size(plan) -%}
{%- set sizes = (sample.arm + by_size + ['bucket']) | join(', ') -%}
{%- set of_arm = 'DISTINCT ' ~ (sample.arm + by_size) | join(', ') if by_size
    else (sample.arm + ['MAX(n_buckets) AS n_buckets']) | join(', ') -%}
{%- set each_arm = ' GROUP BY arm' if sample.arm and not by_size else '' -%}
{%- set places = rankmetrics_sql.rm_places(
    plan, '(SELECT ' ~ of_arm ~ ' FROM ' ~ plan.stages.buckets ~ each_arm ~ ')', sample.arm + ['n_buckets']
) -%}
{%- set picked = rankmetrics_sql.rm_modulo('drawn', 'n_buckets') ~ ' + 1' -%}
{%- set keys = (['replicate'] + sample.arm + by_size) | join(', ') -%}
{%- set draws %}
    SELECT 0 AS replicate, {{ sizes }}, 1 AS times
    FROM {{ plan.stages.buckets }}
    GROUP BY {{ sizes }}
    UNION ALL
    {%- if randomised %}
    SELECT replicate, place AS bucket, CASE WHEN drawn < 1073741824 THEN 1 ELSE -1 END AS times
    FROM {{ places }}
    {{- rankmetrics_sql.rm_enumerated_draws(plan) }}
    {%- else %}
    SELECT {{ keys }}, {{ picked }} AS bucket, COUNT(*) AS times
    FROM {{ places }}
    GROUP BY {{ keys }}, {{ picked }}
    {%- endif %}
{%- endset -%}
{{ return(draws) }}
{% endmacro %}

{#- Of each replicate the places of the buckets of every arm b, each with a number by chance. -#}
{% macro rm_places(plan, arms, names) %}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set each_bucket -%}
(
        SELECT
            CAST(r.list_position AS {{ integer }}) AS replicate,
            CAST(p.list_position AS {{ integer }}) AS place,
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('b', names), 12) }}
        FROM {{ plan.stages.numbers }} AS r
        CROSS JOIN {{ plan.stages.numbers }} AS p
        CROSS JOIN {{ arms }} AS b
        WHERE r.list_position <= {{ plan.options.resamples }} AND p.list_position <= 1000
            AND p.list_position <= b.n_buckets
    ) AS each_bucket
{%- endset -%}
{%- set first = 'replicate * 1000003 + place * 998244353' ~ rankmetrics_sql.rm_first(plan, names) -%}
{{ return(rankmetrics_sql.rm_drawn(['replicate', 'place'] + names, first, each_bucket)) }}
{% endmacro %}

{#- The sums of the buckets b in each replicate, as the draws d have it; the first column numbers the effects. -#}
{% macro rm_sums_of_replicates(plan, columns, keys, same) %}
{%- set sums %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns[:1] + ['d.replicate'] + columns[1:]) }}
    FROM {{ plan.stages.buckets }} AS b
    INNER JOIN {{ plan.stages.draws }} AS d ON {{ rankmetrics_sql.rm_same('d', 'b', same) }}
    GROUP BY {{ keys | join(', ') }}, d.replicate
{%- endset -%}
{{ return(sums) }}
{% endmacro %}

{% macro rm_replicates(plan, terms, influences) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set n = 'b.n' if rankmetrics_sql.rm_is_randomised(plan) else times ~ ' * b.n' -%}
{%- set ratios = {'effect': [
    rankmetrics_sql.rm_compensated_sum(times ~ ' * b.total'), rankmetrics_sql.rm_compensated_sum(n),
]} -%}
{%- if 'of_baseline' in terms -%}
    {%- do ratios.update({'ratio': [
        rankmetrics_sql.rm_compensated_sum(times ~ ' * b.of_candidate'),
        rankmetrics_sql.rm_compensated_sum(times ~ ' * b.of_baseline'),
    ]}) -%}
{%- endif -%}
{%- set values = [] -%}
{%- for name, ratio in ratios.items() -%}
    {%- do values.append({'name': name, 'sql': ratio[0] ~ ' / NULLIF(' ~ ratio[1] ~ ', 0)'}) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_sums_of_replicates(
    plan, ['b.effect_number'] + values + rankmetrics_sql.rm_accelerations(influences)
        + rankmetrics_sql.rm_is_enumerated(plan), ['b.effect_number'],
    rankmetrics_sql.rm_draws_by_size(plan) + ['bucket']
)) }}
{% endmacro %}
