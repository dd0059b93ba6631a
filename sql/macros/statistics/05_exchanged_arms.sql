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

{% macro rm_replicates_by_exchange(plan) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set others = '(1 - ' ~ times ~ ')' -%}
{%- set groups = rankmetrics_sql.rm_group_keys(plan) -%}
{%- set replicates %}
    SELECT
        MAX(CASE WHEN b.arm = d.candidate_arm THEN b.effect_number END) AS effect_number,
        d.replicate,
        {{ rankmetrics_sql.rm_compensated_sum(times ~ ' * b.total') }} / NULLIF(SUM({{ times }} * b.n), 0)
            - {{ rankmetrics_sql.rm_compensated_sum(others ~ ' * b.total') }}
            / NULLIF(SUM({{ others }} * b.n), 0) AS effect
    FROM {{ plan.stages.buckets }} AS b
    INNER JOIN {{ plan.stages.draws }} AS d ON {{ rankmetrics_sql.rm_same('d', 'b', groups + ['arm', 'bucket']) }}
    GROUP BY b.question_number, d.candidate_arm, d.replicate
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}
