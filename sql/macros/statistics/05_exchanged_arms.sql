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
        FROM {{ rankmetrics_sql.rm_places(plan, pairs, names) | indent(4) }}
    ) AS in_order
{%- endset -%}
{{ return(draws) }}
{% endmacro %}

{#- As rm_sizes_of_buckets; of arms that differ too much in size, nothing is exchanged. -#}
{% macro rm_sizes_of_both(plan) %}
{%- set each_group = 'OVER (' ~ ('PARTITION BY group_number' if rankmetrics_sql.rm_group_keys(plan) else '') ~ ')' -%}
{%- set of_baseline = 'MAX(CASE WHEN is_baseline = 1 THEN unit ELSE 0 END) ' ~ each_group -%}
{%- set of_largest = 'MAX(CASE WHEN is_baseline = 0 THEN unit ELSE 0 END) ' ~ each_group -%}
{%- set share = rankmetrics_sql.rm_as_double('1000 * n_units') ~ ' / n_of_both + ' ~ rankmetrics_sql.rm_number(0.5) -%}
{%- set most = 'CAST(FLOOR(' ~ share ~ ') AS ' ~ rankmetrics_sql.rm_bigint_type() ~ ')' -%}
{{ return({
    'counted': {'n_of_baseline': of_baseline, 'n_of_both': of_baseline ~ ' + ' ~ of_largest},
    'condition': 'n_of_both <= 1000 OR (100 * n_units >= n_of_both AND 100 * n_of_baseline >= n_of_both)',
    'has_own': 'n_of_both <= 1000',
    'n_buckets': 'CASE WHEN n_of_both <= 1000 THEN n_units ELSE ' ~ most ~ ' END',
    'most': most,
}) }}
{% endmacro %}

{% macro rm_moments_to_exchange(plan) %}
{%- if not plan.cluster_names -%}{{ return([{'name': 'squares', 'sql': 'total * total'}]) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_moments_of_clusters()
    + [{'name': 'n_clusters', 'sql': rankmetrics_sql.rm_as_double('1')}]) }}
{% endmacro %}

{#- Of each replicate the sums of both arms that it makes, and of these Welch's t. -#}
{% macro rm_replicates_by_exchange(plan) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set candidate = 'MAX(CASE WHEN b.arm = d.candidate_arm THEN b.effect_number END)' -%}
{%- set columns = [{'name': 'effect_number', 'sql': candidate}] -%}
{%- set terms = ['total', 'n'] + rankmetrics_sql.rm_moments_to_exchange(plan) | map(attribute='name') | list -%}
{%- for arm, share in {'own': times, 'other': '(1 - ' ~ times ~ ')'}.items() -%}
    {%- for term in terms -%}
        {%- set sum = rankmetrics_sql.rm_compensated_sum(share ~ ' * b.' ~ term) -%}
        {%- do columns.append({'name': arm ~ '_' ~ term, 'sql': sum}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set sums = rankmetrics_sql.rm_sums_of_replicates(
    plan, columns, ['b.question_number', 'd.candidate_arm'], rankmetrics_sql.rm_group_keys(plan) + ['arm', 'bucket']
) -%}
{%- set variance = rankmetrics_sql.rm_variance_of_exchanged(plan, 'own') ~ '\n                + '
    ~ rankmetrics_sql.rm_variance_of_exchanged(plan, 'other') -%}
{{ return(rankmetrics_sql.rm_studentised(
    sums, 'own_total / NULLIF(own_n, 0) - other_total / NULLIF(other_n, 0)', variance
)) }}
{% endmacro %}

{#- The variance of the mean of an arm in a replicate; of one query or cluster it is not known, and counts as 0. -#}
{% macro rm_variance_of_exchanged(plan, arm) %}
{%- set total, n, squares = arm ~ '_total', arm ~ '_n', arm ~ '_squares' -%}
{%- if not plan.cluster_names -%}
    {{ return('COALESCE((' ~ squares ~ ' - ' ~ total ~ ' * (' ~ total ~ ' / NULLIF(' ~ n ~ ', 0))) / NULLIF(' ~ n
        ~ ' * (' ~ n ~ ' - 1), 0), 0)') }}
{%- endif -%}
{%- set clusters = arm ~ '_n_clusters' -%}
{{ return('COALESCE(' ~ rankmetrics_sql.rm_variance_of_clusters(arm ~ '_') ~ ' * ' ~ clusters ~ ' / NULLIF('
    ~ clusters ~ ' - 1, 0), 0)') }}
{% endmacro %}
