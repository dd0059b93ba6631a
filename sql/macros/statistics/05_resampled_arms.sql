{#-
Effects of arms whose queries are drawn again. The bootstrap draws as many as each arm has, of its own (Efron &
Tibshirani 1993); randomisation exchanges the queries of a candidate and the baseline, as many as each has (Fisher 1935,
Pitman 1937). What is drawn are clusters, or else queries, numbered in each arm; a cluster of both arms counts as two.
Beyond 1,000 of them there are buckets: of the bootstrap 1,000 of each arm, of randomisation as many for the baseline
and the largest candidate together, so that those of every arm are about equally large; where an arm would have fewer
than ten, its replicates say little, and there are none. Stages as of pairs (05_resampling.sql), and in them
    question_number  of the group and metric that arms are compared by
    arm              the number of the run; candidate_arm that of the run whose queries are exchanged
    times            of the bootstrap how often a replicate counts a bucket; of randomisation whether it gives it to the
                     candidate, 1, or to the baseline, 0
-#}

{% macro rm_resampling_of_arms(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- set randomised = plan.options.test == 'randomisation' -%}
{%- set replicates = rankmetrics_sql.rm_replicates_by_exchange(plan) if randomised
    else rankmetrics_sql.rm_replicates_of_arms(plan) -%}
{%- set values = ['effect'] if randomised else ['effect', 'ratio'] -%}
{{ return(rankmetrics_sql.rm_numbers(plan) + [
    rankmetrics_sql.rm_cte(
        plan.stages.units, rankmetrics_sql.rm_units_of_arms(plan),
        'the values of each arm, each with the number of the query or cluster that is drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.bucketed, rankmetrics_sql.rm_bucketed_arms(plan, randomised),
        'each with its bucket, because no more than 1,000 are drawn from'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.buckets, rankmetrics_sql.rm_buckets_of_arms(plan),
        'what each bucket comes to, for each arm, group and metric'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.draws,
        rankmetrics_sql.rm_exchanged(plan) if randomised else rankmetrics_sql.rm_draws_of_arms(plan),
        'whether each replicate gives each bucket to the candidate, by chance (replicate 0 as observed)'
            if randomised
            else 'how often each replicate draws each bucket, and once in replicate 0, which is what was observed'
    ),
    rankmetrics_sql.rm_cte(plan.stages.replicates, replicates, 'the effect in each replicate'),
] + rankmetrics_sql.rm_resampled(plan, values)) }}
{% endmacro %}

{#- What a bucket is known by, and with which the draws of two arms differ. -#}
{% macro rm_bucket_keys() %}
{{ return(['effect_number', 'question_number', 'arm', 'is_baseline']) }}
{% endmacro %}

{% macro rm_first_of_arm(plan) %}
{{ return(' + arm * 472882027 + ' ~ rankmetrics_sql.rm_seed(plan)) }}
{% endmacro %}

{% macro rm_units_of_arms(plan) %}
{%- set of_unit = [] -%}
{%- for name in plan.cluster_names or plan.query_keys -%}
    {%- do of_unit.append(rankmetrics_sql.rm_text(name)) -%}
{%- endfor -%}
{%- set order = rankmetrics_sql.rm_ascending([], of_unit) if plan.cluster_names
    else rankmetrics_sql.rm_ascending(of_unit) -%}
{%- set question = rankmetrics_sql.rm_ascending([], plan.group_names, ['metric_number']) -%}
{%- set is_baseline = 'run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set units %}
    SELECT
        effect_number,
        DENSE_RANK() OVER (ORDER BY {{ question }}) AS question_number,
        DENSE_RANK() OVER (ORDER BY {{ rankmetrics_sql.rm_text('run_id') }} ASC) AS arm,
        CASE WHEN {{ is_baseline }} THEN 1 ELSE 0 END AS is_baseline,
        value AS total,
        DENSE_RANK() OVER (PARTITION BY run_id ORDER BY {{ order }}) AS unit
    FROM {{ plan.stages.differences }}
    WHERE value IS NOT NULL
{%- endset -%}
{{ return(units) }}
{% endmacro %}

{% macro rm_bucketed_arms(plan, randomised) %}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set known = ['effect_number', 'question_number', 'is_baseline', 'total', 'arm', 'unit', 'n_units'] -%}
{%- set columns = [
    {'name': 'arm', 'sql': 'CAST(arm AS ' ~ integer ~ ')'},
    {'name': 'unit', 'sql': 'CAST(unit AS ' ~ integer ~ ')'},
    {'name': 'n_units', 'sql': 'CAST(MAX(unit) OVER (PARTITION BY arm) AS ' ~ integer ~ ')'},
] -%}
{%- set n_buckets = 'CASE WHEN n_units <= 1000 THEN n_units ELSE 1000 END' -%}
{%- set has_own = 'n_units <= 1000' -%}
{%- if randomised -%}
    {%- set of_baseline = 'MAX(CASE WHEN is_baseline = 1 THEN unit ELSE 0 END) OVER ()' -%}
    {%- set of_largest = 'MAX(CASE WHEN is_baseline = 0 THEN unit ELSE 0 END) OVER ()' -%}
    {%- do columns.append({'name': 'n_of_baseline', 'sql': 'CAST(' ~ of_baseline ~ ' AS ' ~ integer ~ ')'}) -%}
    {%- do columns.append({
        'name': 'n_of_both', 'sql': 'CAST(' ~ of_baseline ~ ' + ' ~ of_largest ~ ' AS ' ~ integer ~ ')',
    }) -%}
    {%- set known = known + ['n_of_baseline', 'n_of_both'] -%}
    {%- set share = rankmetrics_sql.rm_as_double('1000 * n_units') ~ ' / n_of_both + '
        ~ rankmetrics_sql.rm_number(0.5) -%}
    {%- set n_buckets = 'CASE WHEN n_of_both <= 1000 THEN n_units ELSE CAST(FLOOR(' ~ share ~ ') AS ' ~ integer
        ~ ') END' -%}
    {%- set has_own = 'n_of_both <= 1000' -%}
{%- endif -%}
{%- set counted -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(['effect_number', 'question_number', 'is_baseline', 'total'] + columns, 12) }}
        FROM {{ plan.stages.units }}
    ) AS counted
{%- endset -%}
{%- set first = 'unit * 998244353' ~ rankmetrics_sql.rm_first_of_arm(plan) -%}
{%- set bucketed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_bucket_keys() + ['total', 'n_buckets']) }},
        CASE WHEN {{ has_own }} THEN unit ELSE {{ rankmetrics_sql.rm_modulo('drawn', 'n_buckets') }} + 1 END AS bucket
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(known + ['drawn', {'name': 'n_buckets', 'sql': n_buckets}], 12) }}
        FROM {{ rankmetrics_sql.rm_drawn(known, first, counted) | indent(4) }}
        {%- if randomised %}
        WHERE n_of_both <= 1000 OR (100 * n_units >= n_of_both AND 100 * n_of_baseline >= n_of_both)
        {%- endif %}
    ) AS b
{%- endset -%}
{{ return(bucketed) }}
{% endmacro %}

{% macro rm_buckets_of_arms(plan) %}
{%- set keys = rankmetrics_sql.rm_bucket_keys() + ['bucket'] -%}
{%- set buckets %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys) }},
        {{ rankmetrics_sql.rm_aggregated('sum', 'total') }} AS total,
        {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n,
        MAX(n_buckets) AS n_buckets
    FROM {{ plan.stages.bucketed }}
    GROUP BY {{ keys | join(', ') }}
{%- endset -%}
{{ return(buckets) }}
{% endmacro %}

{#- Of each replicate the places of the buckets of every arm, each with a number by chance. -#}
{% macro rm_places_of_arms(plan, arms, names) %}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set each_bucket -%}
(
        SELECT
            CAST(r.list_position AS {{ integer }}) AS replicate,
            CAST(p.list_position AS {{ integer }}) AS place,
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_kept('b', names), 12) }}
        FROM {{ plan.stages.numbers }} AS r
        CROSS JOIN {{ plan.stages.numbers }} AS p
        CROSS JOIN {{ arms }} AS b
        WHERE r.list_position <= {{ plan.options.resamples }} AND p.list_position <= 1000
            AND p.list_position <= b.n_buckets
    ) AS each_bucket
{%- endset -%}
{%- set first = 'replicate * 1000003 + place * 998244353' ~ rankmetrics_sql.rm_first_of_arm(plan) -%}
{{ return(rankmetrics_sql.rm_drawn(['replicate', 'place'] + names, first, each_bucket)) }}
{% endmacro %}

{% macro rm_draws_of_arms(plan) %}
{%- set arms = '(SELECT arm, MAX(n_buckets) AS n_buckets FROM ' ~ plan.stages.buckets ~ ' GROUP BY arm)' -%}
{%- set drawn = rankmetrics_sql.rm_places_of_arms(plan, arms, ['arm', 'n_buckets']) -%}
{%- set picked = rankmetrics_sql.rm_modulo('drawn', 'n_buckets') ~ ' + 1' -%}
{%- set draws %}
    SELECT 0 AS replicate, arm, bucket, 1 AS times
    FROM {{ plan.stages.buckets }}
    GROUP BY arm, bucket
    UNION ALL
    SELECT replicate, arm, {{ picked }} AS bucket, COUNT(*) AS times
    FROM {{ drawn }}
    GROUP BY replicate, arm, {{ picked }}
{%- endset -%}
{{ return(draws) }}
{% endmacro %}

{#- A candidate beside the baseline, of the same group, metric and replicate. -#}
{% macro rm_replicates_of_arms(plan) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set keys = ['effect_number', 'question_number', 'is_baseline'] -%}
{%- set of_bucket = rankmetrics_sql.rm_kept('b', keys) -%}
{%- set over = 'OVER (PARTITION BY question_number, replicate)' -%}
{%- set of_baseline = 'MAX(CASE WHEN is_baseline = 1 THEN mean_value END) ' ~ over -%}
{%- set replicates %}
    SELECT
        effect_number,
        replicate,
        mean_value - of_baseline AS effect,
        mean_value / NULLIF(of_baseline, 0) AS ratio
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(
                keys + ['replicate', 'mean_value', {'name': 'of_baseline', 'sql': of_baseline}], 12
            ) }}
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(of_bucket, 16) }},
                d.replicate,
                {{ rankmetrics_sql.rm_compensated_sum(times ~ ' * b.total') }}
                    / NULLIF(SUM({{ times }} * b.n), 0) AS mean_value
            FROM {{ plan.stages.buckets }} AS b
            INNER JOIN {{ plan.stages.draws }} AS d ON d.arm = b.arm AND d.bucket = b.bucket
            GROUP BY {{ rankmetrics_sql.rm_qualified('b', keys) | join(', ') }}, d.replicate
        ) AS means
    ) AS beside
    WHERE is_baseline = 0
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}

{#- Of each candidate the buckets of both arms in an order by chance: as many as it has are first, and then its own. -#}
{% macro rm_exchanged(plan) %}
{%- set candidates = '(SELECT arm AS candidate_arm, MAX(n_buckets) AS n_of_candidate FROM ' ~ plan.stages.buckets
    ~ ' WHERE is_baseline = 0 GROUP BY arm)' -%}
{%- set of_both = 'b.is_baseline = 1 OR b.arm = c.candidate_arm' -%}
{%- set pairs -%}
(
            SELECT c.candidate_arm, b.arm, MAX(c.n_of_candidate) AS n_of_candidate, MAX(b.n_buckets) AS n_buckets
            FROM {{ plan.stages.buckets }} AS b
            CROSS JOIN {{ candidates }} AS c
            WHERE {{ of_both }}
            GROUP BY c.candidate_arm, b.arm
        )
{%- endset -%}
{%- set names = ['candidate_arm', 'arm', 'n_of_candidate', 'n_buckets'] -%}
{%- set turn = 'ROW_NUMBER() OVER (PARTITION BY candidate_arm, replicate ORDER BY drawn ASC, arm ASC, place ASC)' -%}
{%- set draws %}
    SELECT
        0 AS replicate,
        c.candidate_arm,
        b.arm,
        b.bucket,
        MAX(CASE WHEN b.arm = c.candidate_arm THEN 1 ELSE 0 END) AS times
    FROM {{ plan.stages.buckets }} AS b
    CROSS JOIN {{ candidates }} AS c
    WHERE {{ of_both }}
    GROUP BY c.candidate_arm, b.arm, b.bucket
    UNION ALL
    SELECT replicate, candidate_arm, arm, bucket, CASE WHEN turn <= n_of_candidate THEN 1 ELSE 0 END AS times
    FROM (
        SELECT
            replicate,
            candidate_arm,
            arm,
            place AS bucket,
            n_of_candidate,
            {{ turn }} AS turn
        FROM {{ rankmetrics_sql.rm_places_of_arms(plan, pairs, names) | indent(4) }}
    ) AS in_order
{%- endset -%}
{{ return(draws) }}
{% endmacro %}

{% macro rm_replicates_by_exchange(plan) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set others = '(1 - ' ~ times ~ ')' -%}
{%- set replicates %}
    SELECT
        MAX(CASE WHEN b.arm = d.candidate_arm THEN b.effect_number END) AS effect_number,
        d.replicate,
        {{ rankmetrics_sql.rm_compensated_sum(times ~ ' * b.total') }} / NULLIF(SUM({{ times }} * b.n), 0)
            - {{ rankmetrics_sql.rm_compensated_sum(others ~ ' * b.total') }}
            / NULLIF(SUM({{ others }} * b.n), 0) AS effect
    FROM {{ plan.stages.buckets }} AS b
    INNER JOIN {{ plan.stages.draws }} AS d ON d.arm = b.arm AND d.bucket = b.bucket
    GROUP BY b.question_number, d.candidate_arm, d.replicate
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}

{#- What the replicates z say of an effect s: of means only, and of arms that both have an error. -#}
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
number of replicates gets there.
-#}
{% macro rm_bootstrapped_pvalue_of_arms(plan) %}
{%- if plan.options.test != 'bootstrap' -%}{{ return('z.drawn_pvalue') }}{%- endif -%}
{%- set n = 's.cluster_count' if plan.cluster_names else 's.n' -%}
{%- set baseline_n = 's.baseline_cluster_count' if plan.cluster_names else 's.baseline_n' -%}
{%- set sides = 2 if plan.options.alternative == 'two_sided' else 1 -%}
{%- set most = rankmetrics_sql.rm_most_of_small_arm(sides * (plan.options.resamples + 1)) -%}
{%- set larger = 'CASE WHEN ' ~ n ~ ' > ' ~ baseline_n ~ ' THEN ' ~ n ~ ' ELSE ' ~ baseline_n ~ ' END' -%}
{%- set ways = [] -%}
{%- for place in range(1, most + 1) -%}
    {%- set is_there = n ~ ' >= ' ~ place ~ ' AND ' ~ baseline_n ~ ' >= ' ~ place -%}
    {%- set more = '(' ~ larger ~ ' + ' ~ place ~ ') / ' ~ place -%}
    {%- do ways.append('CASE WHEN ' ~ is_there ~ ' THEN ' ~ more ~ ' ELSE 1 END') -%}
{%- endfor -%}
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
