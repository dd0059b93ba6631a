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

{#- Whether effects of few units have all patterns of signs, and how many units these are. -#}
{% macro rm_enumerates(plan) %}
{%- set randomises = rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.test == 'randomisation' -%}
{{ return(randomises and plan.options.design == 'paired' and plan.options.exact == 'auto') }}
{% endmacro %}

{#- Half of how many patterns the signs of 1, 2, 3 ... units have, as far as the replicates reach. -#}
{% macro rm_halves_of_patterns(plan) %}
{%- set halves = [1] -%}
{%- for units in range(2, 17) -%}
    {%- if halves[-1] * 4 <= plan.options.resamples -%}{%- do halves.append(halves[-1] * 2) -%}{%- endif -%}
{%- endfor -%}
{{ return(halves) }}
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
        'randomised': plan.options.test == 'randomisation',
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

{#- What they say of an effect. -#}
{% macro rm_resampled_names(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- if plan.level == 'summary' -%}{{ return(['drawn_error', 'drawn_lower', 'drawn_upper']) }}{%- endif -%}
{%- set of_intervals = ['drawn_lower', 'drawn_upper', 'relative_drawn_lower', 'relative_drawn_upper'] -%}
{%- set ways = ['enumerated'] if rankmetrics_sql.rm_enumerates(plan) else [] -%}
{{ return(['drawn_pvalue'] + ways + (of_intervals if plan.options.test == 'bootstrap' else [])) }}
{% endmacro %}

{#- What tells the units apart, beside their cluster. -#}
{% macro rm_unit_names(plan) %}
{{ return(plan.query_keys if plan.cluster_names or rankmetrics_sql.rm_is_resampled(plan) else []) }}
{% endmacro %}

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

{% macro rm_resampling(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- set most = 1000 -%}
{%- set order = rankmetrics_sql.rm_order_of_units(plan) -%}
{%- set source = rankmetrics_sql.rm_draw_source(plan) -%}
{%- set influences = rankmetrics_sql.rm_influences(plan, source.influences) -%}
{%- set moved = influences.values() | map(attribute='name') | list -%}
{%- set moments = rankmetrics_sql.rm_moments(influences) -%}
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
{%- if moved and plan.cluster_names -%}
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
    {%- set buckets = rankmetrics_sql.rm_buckets_of_few(plan, terms, most) -%}
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
{%- set is_enumerated = rankmetrics_sql.rm_as_double('MAX(CASE WHEN b.bucket < 0 THEN 1 ELSE 0 END)') -%}
{%- set ways = [{'name': 'enumerated', 'sql': is_enumerated}] if enumerates else [] -%}
{%- set replicates %}
    SELECT
        b.effect_number,
        d.replicate,
        {{ rankmetrics_sql.rm_lines(values + rankmetrics_sql.rm_accelerations(influences) + ways) }}
    FROM {{ plan.stages.buckets }} AS b
    INNER JOIN {{ plan.stages.draws }} AS d ON {{ rankmetrics_sql.rm_same('d', 'b', sizes + ['bucket']) }}
    GROUP BY b.effect_number, d.replicate
{%- endset -%}
{{ return(rankmetrics_sql.rm_numbers(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.units, units,
        'the terms of the mean of each effect, each with the number of the query or cluster that is drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.bucketed, bucketed,
        'each with its bucket, because no more than 1,000 are drawn from'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.buckets, buckets,
        'what each bucket comes to, for each effect, with numbers below 0 where all patterns of signs are few'
            if enumerates
            else 'what each bucket comes to, for each effect'
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

{#- What the groups are told apart by that are drawn by themselves. -#}
{% macro rm_drawn_groups(plan) %}
{{ return(rankmetrics_sql.rm_breakdown_keys(plan)[:1] + plan.group_names) }}
{% endmacro %}

{#- Their numbers, where there are groups, and a window over each of them. -#}
{% macro rm_group_number(plan) %}
{%- set groups = rankmetrics_sql.rm_drawn_groups(plan) -%}
{%- if not groups -%}{{ return([]) }}{%- endif -%}
{%- set order = rankmetrics_sql.rm_ascending([], groups) -%}
{{ return([{'name': 'group_number', 'sql': 'DENSE_RANK() OVER (ORDER BY ' ~ order ~ ')'}]) }}
{% endmacro %}

{% macro rm_each_group(plan, names=[]) %}
{%- set keys = names + rankmetrics_sql.rm_drawn_groups(plan) -%}
{{ return('PARTITION BY ' ~ keys | join(', ') ~ ' ' if keys else '') }}
{% endmacro %}

{#- How many buckets there are to draw from: of each size that a group has, or the most. -#}
{% macro rm_sizes_of_draws(plan, by_size) %}
{%- if not by_size -%}{{ return('SELECT MAX(n_buckets) AS n_buckets FROM ' ~ plan.stages.buckets) }}{%- endif -%}
{{ return('SELECT DISTINCT n_buckets FROM ' ~ plan.stages.buckets) }}
{% endmacro %}

{#- The sums of columns under their names. -#}
{% macro rm_each_sum(names) %}
{%- set columns = [] -%}
{%- for name in names -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_aggregated('sum', name)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{#- The buckets: those of an effect with few units, each of which has one, are numbered within it, from -1 down. -#}
{% macro rm_buckets_of_few(plan, terms, most) %}
{%- set sums = [] -%}
{%- for term in terms -%}{%- do sums.append({'name': term, 'sql': 'b.sum_of_' ~ term}) -%}{%- endfor -%}
{%- set added_up = [] -%}
{%- for term in terms -%}
    {%- do added_up.append({'name': 'sum_of_' ~ term, 'sql': rankmetrics_sql.rm_aggregated('sum', term)}) -%}
{%- endfor -%}
{%- set is_few = 'b.n_own <= ' ~ rankmetrics_sql.rm_halves_of_patterns(plan) | length ~ ' AND b.n_of_all < ' ~ most -%}
{%- set buckets %}
    SELECT
        b.effect_number,
        CASE WHEN {{ is_few }} THEN -b.place ELSE b.own_bucket END AS bucket,
        {{ rankmetrics_sql.rm_lines(sums) }},
        CASE WHEN {{ is_few }} THEN NULL ELSE b.n_of_all END AS n_buckets
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(['effect_number', 'own_bucket', 'n_of_all']
                + added_up | map(attribute='name') | list, 12) }},
            CAST(
                ROW_NUMBER() OVER (PARTITION BY effect_number ORDER BY own_bucket ASC)
                AS {{ rankmetrics_sql.rm_bigint_type() }}
            ) AS place,
            COUNT(*) OVER (PARTITION BY effect_number) AS n_own
        FROM (
            SELECT
                effect_number,
                bucket AS own_bucket,
                {{ rankmetrics_sql.rm_lines(added_up, 16) }},
                MAX(n_buckets) AS n_of_all
            FROM {{ plan.stages.bucketed }}
            GROUP BY effect_number, bucket
        ) AS added_up
    ) AS b
{%- endset -%}
{{ return(buckets) }}
{% endmacro %}

{#- The places of few units, each with how long its sign stays: of the numbers from 1 to 2^units its bit. -#}
{% macro rm_sizes_of_bits(plan) %}
{%- set sizes = [] -%}
{%- for half in rankmetrics_sql.rm_halves_of_patterns(plan) -%}
    {%- do sizes.append('SELECT ' ~ loop.index ~ ' AS place, ' ~ half ~ ' AS half') -%}
{%- endfor -%}
{{ return(sizes | join('\n        UNION ALL ')) }}
{% endmacro %}

{% macro rm_enumerated_sign() %}
{%- set left = rankmetrics_sql.rm_modulo('r.list_position', '(2 * p.half)') -%}
{{ return('CASE WHEN ' ~ left ~ ' < p.half THEN 1 ELSE -1 END') }}
{% endmacro %}

{#- resampled, from the replicates of each effect, z, in the order of their values; those without one are last. -#}
{% macro rm_resampled(plan, values) %}
{%- set over = 'OVER (PARTITION BY effect_number)' -%}
{%- set in_order = 'ROW_NUMBER() OVER (PARTITION BY effect_number ORDER BY CASE WHEN replicate = 0 OR NAME IS NULL'
    ~ ' THEN 1 ELSE 0 END ASC, NAME ASC)' -%}
{%- set corrected = rankmetrics_sql.rm_is_bias_corrected(plan) -%}
{%- set columns = [
    {'name': 'found', 'sql': 'MAX(CASE WHEN replicate = 0 THEN effect END) ' ~ over},
    {
        'name': 'mean_effect',
        'sql': rankmetrics_sql.rm_aggregated('mean', 'CASE WHEN replicate > 0 THEN effect END', 'effect') ~ ' ' ~ over,
    },
] -%}
{%- for name in values -%}
    {%- set n = 'COUNT(CASE WHEN replicate > 0 THEN ' ~ name ~ ' END) ' ~ over -%}
    {%- do columns.append({'name': name ~ '_place', 'sql': in_order | replace('NAME', name)}) -%}
    {%- do columns.append({'name': 'n_' ~ name ~ 's', 'sql': rankmetrics_sql.rm_as_double(n)}) -%}
{%- endfor -%}
{%- set rounding = 'ABS(z.found) * ' ~ rankmetrics_sql.rm_number('1e-12') -%}
{%- set enumerates = rankmetrics_sql.rm_enumerates(plan) -%}
{%- set ways = ['enumerated'] if enumerates else [] -%}
{%- set by_chance = 'z.effect' if plan.options.test == 'randomisation' else 'z.effect - z.found' -%}
{%- set is_as_far = {
    'two_sided': 'ABS(' ~ by_chance ~ ') >= ABS(z.found) - ' ~ rounding,
    'greater': by_chance ~ ' >= z.found - ' ~ rounding,
    'less': by_chance ~ ' <= z.found + ' ~ rounding,
}[plan.options.alternative] -%}
{%- set as_far = 'SUM(CASE WHEN z.replicate > 0 AND ' ~ is_as_far ~ ' THEN 1 ELSE 0 END)' -%}
{%- set deviation = '(z.effect - z.mean_effect)' -%}
{%- set squares = rankmetrics_sql.rm_aggregated(
    'sum', 'CASE WHEN z.replicate > 0 THEN ' ~ deviation ~ ' * ' ~ deviation ~ ' END', 'z.effect'
) -%}
{%- set n = 'MAX(z.n_effects)' -%}
{%- set said = [
    {'name': 'drawn_error', 'sql': 'CASE WHEN ' ~ n ~ ' > 1 THEN SQRT(' ~ squares ~ ' / (' ~ n ~ ' - 1)) END'},
] -%}
{%- if rankmetrics_sql.rm_is_comparison(plan.level) -%}
    {%- set pvalue = rankmetrics_sql.rm_as_double('1 + ' ~ as_far) ~ ' / (' ~ n ~ ' + 1)' -%}
    {%- if enumerates -%}
        {%- set all_patterns = rankmetrics_sql.rm_as_double(as_far) ~ ' / ' ~ n -%}
        {%- set pvalue = 'CASE WHEN MAX(z.enumerated) > 0 THEN ' ~ all_patterns ~ ' ELSE ' ~ pvalue ~ ' END' -%}
        {%- do said.append({'name': 'enumerated', 'sql': 'MAX(z.enumerated)'}) -%}
    {%- endif -%}
    {%- do said.append({'name': 'drawn_pvalue', 'sql': pvalue}) -%}
{%- endif -%}
{%- set below = rankmetrics_sql.rm_beyond_interval(plan) -%}
{%- set above = (1 - below) | round(15) -%}
{%- for column in values -%}
    {%- set name = {'effect': 'drawn', 'ratio': 'relative_drawn'}[column] -%}
    {%- for end, share in {'lower': below, 'upper': above}.items() -%}
        {%- set share = 'z.' ~ column ~ '_' ~ end ~ '_share' if corrected else rankmetrics_sql.rm_number(share) -%}
        {%- do said.append({'name': name ~ '_' ~ end, 'sql': rankmetrics_sql.rm_quantile(column, share)}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set known = ['effect_number', 'replicate'] + ways + values -%}
{%- set ordered = rankmetrics_sql.rm_lines(
    known + columns + (rankmetrics_sql.rm_facts_of_bias(values, over) if corrected else []), 8 if corrected else 12
) -%}
{%- set resampled %}
    SELECT
        z.effect_number,
        {{ rankmetrics_sql.rm_lines(said) }}
    {%- if corrected %}
    FROM {{ plan.stages.corrected_shares }} AS z
    {%- else %}
    FROM (
        SELECT
            {{ ordered }}
        FROM {{ plan.stages.replicates }}
    ) AS z
    {%- endif %}
    GROUP BY z.effect_number
{%- endset -%}
{%- set shares = rankmetrics_sql.rm_corrected_shares(
    plan, values, known + columns | map(attribute='name') | list, ordered
) if corrected else [] -%}
{{ return(shares + [
    rankmetrics_sql.rm_cte(plan.stages.resampled, resampled, 'what the replicates say of each effect'),
]) }}
{% endmacro %}

{#- A quantile of the replicates, between the two that are next to it (Hyndman & Fan's seventh). -#}
{% macro rm_quantile(column, share) %}
{%- set wanted = '(z.n_' ~ column ~ 's - 1) * ' ~ share -%}
{%- set apart = 'ABS(z.' ~ column ~ '_place - 1 - ' ~ wanted ~ ')' -%}
{%- set is_one = 'z.replicate > 0 AND ' ~ apart ~ ' < 1' -%}
{{ return('SUM(CASE WHEN ' ~ is_one ~ ' THEN (1 - ' ~ apart ~ ') * z.' ~ column ~ ' END)') }}
{% endmacro %}

{#- The same as facts of the effects s: of sums those of all queries, and of what is no mean none. -#}
{% macro rm_drawn_facts(plan) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_resampled_names(plan) -%}
    {%- set own = 'z.' ~ name -%}
    {%- set is_share = name in ['drawn_pvalue', 'enumerated'] or name.startswith('relative') -%}
    {%- set known = {'mean': own, 'sum': own if is_share else own ~ ' * n'} -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_by_aggregate(plan, 's', known)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
