{#-
Effects of arms whose queries are drawn again. The bootstrap draws as many as each arm has, of its own (Efron &
Tibshirani 1993); randomisation exchanges the queries of a candidate and the baseline, as many as each has (Fisher 1935,
Pitman 1937). What is drawn are clusters, or else queries, numbered in each arm of a group. Where a cluster is in
several arms, the clusters of all arms are numbered and drawn together, each with its queries of every arm; to exchange
such a cluster would change no arm, and so randomisation has no replicates.
Beyond 1,000 of them there are buckets: of the bootstrap 1,000 of each arm, of randomisation as many for the baseline
and the largest candidate together, so that those of every arm are about equally large; where an arm would have fewer
than ten, its replicates say little, and there are none. Stages as of pairs (05_resampling.sql), and in them
    question_number  of the group and metric that arms are compared by
    group_number     of the group, where there are groups
    arm              the number of the run, or 1 where all are drawn together; candidate_arm that of the run whose
                     queries are exchanged
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
        plan.stages.units, rankmetrics_sql.rm_units_of_arms(plan, randomised),
        'the values of each arm, each with the number of the query or cluster that is drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.bucketed, rankmetrics_sql.rm_bucketed_arms(plan, randomised),
        'each with its bucket, because at most 1,000 buckets are drawn'
    ),
    rankmetrics_sql.rm_cte(
        plan.stages.buckets, rankmetrics_sql.rm_buckets_of_arms(plan),
        'the sums of each bucket, for each arm, group and metric'
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
{% macro rm_bucket_keys(plan) %}
{{ return(['effect_number'] + rankmetrics_sql.rm_group_keys(plan) + ['question_number', 'arm', 'is_baseline']) }}
{% endmacro %}

{#- The column that tells groups apart, where there are groups. -#}
{% macro rm_group_keys(plan) %}
{{ return(rankmetrics_sql.rm_group_number(plan) | map(attribute='name') | list) }}
{% endmacro %}

{% macro rm_first_of_arm(plan) %}
{{ return(' + arm * 472882027 + ' ~ rankmetrics_sql.rm_seed(plan)) }}
{% endmacro %}

{#- Windows over a start of another's order are apart: MariaDB 10.11 sorts once for all, and may then be wrong. -#}
{% macro rm_units_of_arms(plan, randomised) %}
{%- set order = rankmetrics_sql.rm_order_of_units(plan) -%}
{%- set question = rankmetrics_sql.rm_ascending([], plan.group_names, ['metric_number']) -%}
{%- set is_baseline = 'run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set groups = rankmetrics_sql.rm_group_keys(plan) -%}
{%- set each_group = 'PARTITION BY ' ~ groups | join(', ') ~ ' ' if groups else '' -%}
{%- set each_arm = 'PARTITION BY ' ~ (['run_id'] + groups) | join(', ') ~ ' ' -%}
{%- set numbers = rankmetrics_sql.rm_group_number(plan)
    + [{'name': 'question_number', 'sql': 'DENSE_RANK() OVER (ORDER BY ' ~ question ~ ')'}] -%}
{%- set arm = 'DENSE_RANK() OVER (' ~ each_group ~ 'ORDER BY ' ~ rankmetrics_sql.rm_text('run_id') ~ ' ASC)' -%}
{%- set columns = ['effect_number'] + groups + ['question_number'] + rankmetrics_sql.rm_named({
    'arm': arm,
    'is_baseline': 'CASE WHEN ' ~ is_baseline ~ ' THEN 1 ELSE 0 END',
    'total': rankmetrics_sql.rm_beyond_rounding('(value - mean_of_all)', 'mean_of_all') if randomised else 'value',
    'unit': 'DENSE_RANK() OVER (' ~ each_arm ~ 'ORDER BY ' ~ order ~ ')',
}) -%}
{%- if plan.cluster_names -%}
    {%- set of_all = 'DENSE_RANK() OVER (' ~ each_group ~ 'ORDER BY ' ~ order ~ ')' -%}
    {%- set columns = columns + [{'name': 'unit_of_all', 'sql': of_all}] -%}
{%- endif -%}
{%- set read = ['effect_number', 'run_id'] + plan.query_keys + plan.cluster_names + ['value'] + numbers
    + (rankmetrics_sql.rm_mean_of_arms(plan) if randomised else []) -%}
{%- set units %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(read, 12) }}
        FROM {{ plan.stages.differences }}
        WHERE value IS NOT NULL
    ) AS asked
{%- endset -%}
{{ return(rankmetrics_sql.rm_units_together(plan, units, randomised) if plan.cluster_names else units) }}
{% endmacro %}

{#- The units where one may be of several arms: all of a group are numbered together where one is. -#}
{% macro rm_units_together(plan, units, randomised) %}
{%- set groups = rankmetrics_sql.rm_group_keys(plan) -%}
{%- set known = ['effect_number'] + groups + ['question_number', 'is_baseline', 'total'] -%}
{%- set own = ['arm', 'unit', 'unit_of_all'] -%}
{%- set each_unit = 'OVER (PARTITION BY ' ~ (groups + ['unit_of_all']) | join(', ') ~ ')' -%}
{%- set is_shared = 'CASE WHEN MIN(arm) ' ~ each_unit ~ ' < MAX(arm) ' ~ each_unit ~ ' THEN 1 ELSE 0 END' -%}
{%- set each_group = 'PARTITION BY group_number' if groups else '' -%}
{%- set together %}
    SELECT
        {{ rankmetrics_sql.rm_lines(known) }},
        {%- if randomised %}
        arm,
        unit
        {%- else %}
        CASE WHEN are_shared = 1 THEN 1 ELSE arm END AS arm,
        CASE WHEN are_shared = 1 THEN unit_of_all ELSE unit END AS unit
        {%- endif %}
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(known + own, 12) }},
            MAX(is_shared) OVER ({{ each_group }}) AS are_shared
        FROM (
            SELECT
                {{ rankmetrics_sql.rm_lines(known + own, 16) }},
                {{ is_shared }} AS is_shared
            FROM ({{ units | indent(12) }}
            ) AS numbered
        ) AS placed
    ) AS shared
    {%- if randomised %}
    WHERE are_shared = 0
    {%- endif %}
{%- endset -%}
{{ return(together) }}
{% endmacro %}

{% macro rm_bucketed_arms(plan, randomised) %}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set groups = rankmetrics_sql.rm_group_keys(plan) -%}
{%- set carried = ['effect_number'] + groups + ['question_number', 'is_baseline', 'total'] -%}
{%- set known = carried + ['arm', 'unit', 'n_units'] -%}
{%- set each_arm = 'PARTITION BY ' ~ (groups + ['arm']) | join(', ') -%}
{%- set each_group = 'OVER (' ~ ('PARTITION BY group_number' if groups else '') ~ ')' -%}
{%- set columns = [
    {'name': 'arm', 'sql': 'CAST(arm AS ' ~ integer ~ ')'},
    {'name': 'unit', 'sql': 'CAST(unit AS ' ~ integer ~ ')'},
    {'name': 'n_units', 'sql': 'CAST(MAX(unit) OVER (' ~ each_arm ~ ') AS ' ~ integer ~ ')'},
] -%}
{%- set n_buckets = 'CASE WHEN n_units <= 1000 THEN n_units ELSE 1000 END' -%}
{%- set has_own = 'n_units <= 1000' -%}
{%- if randomised -%}
    {%- set of_baseline = 'MAX(CASE WHEN is_baseline = 1 THEN unit ELSE 0 END) ' ~ each_group -%}
    {%- set of_largest = 'MAX(CASE WHEN is_baseline = 0 THEN unit ELSE 0 END) ' ~ each_group -%}
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
            {{ rankmetrics_sql.rm_lines(carried + columns, 12) }}
        FROM {{ plan.stages.units }}
    ) AS counted
{%- endset -%}
{%- set of_unit = ['unit'] if randomised and plan.cluster_names else [] -%}
{%- set first = 'unit * 998244353' ~ rankmetrics_sql.rm_first_of_arm(plan) -%}
{%- set bucketed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_bucket_keys(plan) + of_unit + ['total', 'n_buckets']) }},
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
{%- set keys = rankmetrics_sql.rm_bucket_keys(plan) + ['bucket'] -%}
{%- if rankmetrics_sql.rm_is_randomised(plan) -%}
    {{ return(rankmetrics_sql.rm_buckets_to_exchange(plan, keys)) }}
{%- endif -%}
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
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('b', names), 12) }}
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
{%- set sizes = ['n_buckets'] if rankmetrics_sql.rm_drawn_groups(plan) else [] -%}
{%- set arms = '(SELECT DISTINCT arm, n_buckets FROM ' ~ plan.stages.buckets ~ ')' if sizes
    else '(SELECT arm, MAX(n_buckets) AS n_buckets FROM ' ~ plan.stages.buckets ~ ' GROUP BY arm)' -%}
{%- set keys = (['arm'] + sizes) | join(', ') -%}
{%- set drawn = rankmetrics_sql.rm_places_of_arms(plan, arms, ['arm', 'n_buckets']) -%}
{%- set picked = rankmetrics_sql.rm_modulo('drawn', 'n_buckets') ~ ' + 1' -%}
{%- set draws %}
    SELECT 0 AS replicate, {{ keys }}, bucket, 1 AS times
    FROM {{ plan.stages.buckets }}
    GROUP BY {{ keys }}, bucket
    UNION ALL
    SELECT replicate, {{ keys }}, {{ picked }} AS bucket, COUNT(*) AS times
    FROM {{ drawn }}
    GROUP BY replicate, {{ keys }}, {{ picked }}
{%- endset -%}
{{ return(draws) }}
{% endmacro %}

{#- A candidate beside the baseline, of the same group, metric and replicate. -#}
{% macro rm_replicates_of_arms(plan) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set keys = ['effect_number', 'question_number', 'is_baseline'] -%}
{%- set of_bucket = rankmetrics_sql.rm_columns_from('b', keys) -%}
{%- set sizes = ['n_buckets'] if rankmetrics_sql.rm_drawn_groups(plan) else [] -%}
{%- set same_bucket = rankmetrics_sql.rm_same('d', 'b', ['arm'] + sizes + ['bucket']) -%}
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
            INNER JOIN {{ plan.stages.draws }} AS d ON {{ same_bucket }}
            GROUP BY {{ rankmetrics_sql.rm_qualified('b', keys) | join(', ') }}, d.replicate
        ) AS means
    ) AS beside
    WHERE is_baseline = 0
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}
