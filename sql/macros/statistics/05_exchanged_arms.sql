{#- Randomisation of arms, whose queries are exchanged. 05_resampled_arms.sql says how, and what its columns are. -#}

{#- Of each candidate the buckets of both arms in an order by chance: as many as it has are first, and then its own. -#}
{% macro rm_exchanged(plan) %}
{%- set groups = rankmetrics_sql.rm_group_keys(plan) -%}
{%- set of_group = groups | join ~ ', ' if groups else '' -%}
{%- set candidates = '(SELECT ' ~ of_group ~ 'arm AS candidate_arm, MAX(n_buckets) AS n_of_candidate FROM '
    ~ plan.stages.buckets ~ ' WHERE is_baseline = 0 GROUP BY ' ~ of_group ~ 'arm)' -%}
{%- set of_both = 'b.is_baseline = 1 OR b.arm = c.candidate_arm' -%}
{%- set of_both = 'c.group_number = b.group_number AND (' ~ of_both ~ ')' if groups else of_both -%}
{%- set of_group_b = 'b.group_number, ' if groups else '' -%}
{%- set of_both_arms = of_group_b ~ 'c.candidate_arm, b.arm' -%}
{%- set sizes = 'MAX(c.n_of_candidate) AS n_of_candidate, MAX(b.n_buckets) AS n_buckets' -%}
{%- set is_own = 'CASE WHEN turn <= n_of_candidate THEN 1 ELSE 0 END' -%}
{%- set pairs -%}
(
            SELECT {{ of_both_arms }}, {{ sizes }}
            FROM {{ plan.stages.buckets }} AS b
            CROSS JOIN {{ candidates }} AS c
            WHERE {{ of_both }}
            GROUP BY {{ of_both_arms }}
        )
{%- endset -%}
{%- set names = groups + ['candidate_arm', 'arm', 'n_of_candidate', 'n_buckets'] -%}
{%- set turn = 'ROW_NUMBER() OVER (PARTITION BY ' ~ of_group
    ~ 'candidate_arm, replicate ORDER BY drawn ASC, arm ASC, place ASC)' -%}
{%- set draws %}
    SELECT
        0 AS replicate,
        {{ of_group_b }}c.candidate_arm,
        b.arm,
        b.bucket,
        MAX(CASE WHEN b.arm = c.candidate_arm THEN 1 ELSE 0 END) AS times
    FROM {{ plan.stages.buckets }} AS b
    CROSS JOIN {{ candidates }} AS c
    WHERE {{ of_both }}
    GROUP BY {{ of_both_arms }}, b.bucket
    UNION ALL
    SELECT replicate, {{ of_group }}candidate_arm, arm, bucket, {{ is_own }} AS times
    FROM (
        SELECT
            replicate,
            {{ of_group }}candidate_arm,
            arm,
            place AS bucket,
            n_of_candidate,
            {{ turn }} AS turn
        FROM {{ rankmetrics_sql.rm_places_of_arms(plan, pairs, names) | indent(4) }}
    ) AS in_order
{%- endset -%}
{{ return(draws) }}
{% endmacro %}

{#- The sums of each bucket that statistics are made of; those of clusters are of each cluster as a whole. -#}
{% macro rm_buckets_to_exchange(plan, keys) %}
{%- set source, own_n = plan.stages.bucketed ~ ' AS c', 'COUNT(*)' -%}
{%- if plan.cluster_names -%}
    {%- set own_n = 'SUM(c.n)' -%}
    {%- set source -%}
(
        SELECT
            {{ rankmetrics_sql.rm_lines(keys, 12) }},
            {{ rankmetrics_sql.rm_aggregated('sum', 'total') }} AS total,
            {{ rankmetrics_sql.rm_as_double('COUNT(*)') }} AS n,
            MAX(n_buckets) AS n_buckets
        FROM {{ plan.stages.bucketed }}
        GROUP BY {{ (keys + ['unit']) | join(', ') }}
    ) AS c
    {%- endset -%}
{%- endif -%}
{%- set moments = rankmetrics_sql.rm_moments_of_clusters('c.') if plan.cluster_names
    else [{'name': 'squares', 'sql': 'c.total * c.total'}] -%}
{%- set columns = [] -%}
{%- for moment in moments -%}
    {%- do columns.append({'name': moment.name, 'sql': rankmetrics_sql.rm_aggregated('sum', moment.sql)}) -%}
{%- endfor -%}
{%- if plan.cluster_names -%}
    {%- do columns.append({'name': 'n_clusters', 'sql': rankmetrics_sql.rm_as_double('COUNT(*)')}) -%}
{%- endif -%}
{%- set buckets %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('c', keys)) }},
        {{ rankmetrics_sql.rm_aggregated('sum', 'c.total') }} AS total,
        {{ rankmetrics_sql.rm_as_double(own_n) }} AS n,
        {{ rankmetrics_sql.rm_lines(columns) }},
        MAX(c.n_buckets) AS n_buckets
    FROM {{ source }}
    GROUP BY {{ rankmetrics_sql.rm_qualified('c', keys) | join(', ') }}
{%- endset -%}
{{ return(buckets) }}
{% endmacro %}

{#- Of each replicate the sums of both arms that it makes, and of these Welch's t. -#}
{% macro rm_replicates_by_exchange(plan) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set groups = rankmetrics_sql.rm_group_keys(plan) -%}
{%- set terms = ['total', 'n', 'squares'] + (['products', 'sizes', 'n_clusters'] if plan.cluster_names else []) -%}
{%- set sums = [] -%}
{%- for arm, share in {'own': times, 'other': '(1 - ' ~ times ~ ')'}.items() -%}
    {%- for term in terms -%}
        {%- set sum = rankmetrics_sql.rm_compensated_sum(share ~ ' * b.' ~ term) -%}
        {%- do sums.append({'name': arm ~ '_' ~ term, 'sql': sum}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set same_bucket = rankmetrics_sql.rm_same('d', 'b', groups + ['arm', 'bucket']) -%}
{%- set variance = rankmetrics_sql.rm_variance_of_exchanged(plan, 'own') ~ '\n                + '
    ~ rankmetrics_sql.rm_variance_of_exchanged(plan, 'other') -%}
{%- set replicates %}
    SELECT
        effect_number,
        replicate,
        {{ rankmetrics_sql.rm_bounded_statistic('difference', 'variance') }} AS effect
    FROM (
        SELECT
            effect_number,
            replicate,
            own_total / NULLIF(own_n, 0) - other_total / NULLIF(other_n, 0) AS difference,
            {{ variance }} AS variance
        FROM (
            SELECT
                MAX(CASE WHEN b.arm = d.candidate_arm THEN b.effect_number END) AS effect_number,
                d.replicate,
                {{ rankmetrics_sql.rm_lines(sums, 16) }}
            FROM {{ plan.stages.buckets }} AS b
            INNER JOIN {{ plan.stages.draws }} AS d ON {{ same_bucket }}
            GROUP BY b.question_number, d.candidate_arm, d.replicate
        ) AS sums
    ) AS exchanged
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}

{#- The variance of the mean of an arm in a replicate; of one query or cluster it is not known, and counts as 0. -#}
{% macro rm_variance_of_exchanged(plan, arm) %}
{%- set total, n, squares = arm ~ '_total', arm ~ '_n', arm ~ '_squares' -%}
{%- if not plan.cluster_names -%}
    {{ return('COALESCE((' ~ squares ~ ' - ' ~ total ~ ' * (' ~ total ~ ' / NULLIF(' ~ n ~ ', 0))) / NULLIF(' ~ n
        ~ ' * (' ~ n ~ ' - 1), 0), 0)') }}
{%- endif -%}
{%- set mean = '(' ~ total ~ ' / NULLIF(' ~ n ~ ', 0))' -%}
{%- set clusters = arm ~ '_n_clusters' -%}
{{ return('COALESCE((' ~ squares ~ ' - 2 * ' ~ mean ~ ' * ' ~ arm ~ '_products + ' ~ mean ~ ' * ' ~ mean ~ ' * ' ~ arm
    ~ '_sizes) / NULLIF(' ~ n ~ ' * ' ~ n ~ ', 0) * ' ~ clusters ~ ' / NULLIF(' ~ clusters ~ ' - 1, 0), 0)') }}
{% endmacro %}
