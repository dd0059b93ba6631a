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

{#- What is drawn of arms, as rm_sample says. -#}
{% macro rm_sample_of_arms(plan) %}
{%- set randomised = rankmetrics_sql.rm_is_randomised(plan) -%}
{{ return({
    'units': rankmetrics_sql.rm_units_of_arms(plan, randomised),
    'mean_keys': ['effect_number'] + (rankmetrics_sql.rm_group_keys(plan) if randomised else [])
        + ['question_number', 'is_baseline'],
    'arm': ['arm'],
    'terms': ['total', 'n'],
    'influences': [],
    'moments': rankmetrics_sql.rm_moments_to_exchange(plan) if randomised else [],
    'adds_up': randomised and plan.cluster_names,
    'sizes': rankmetrics_sql.rm_sizes_of_both(plan) if randomised else rankmetrics_sql.rm_sizes_of_buckets(),
    'value_names': ['effect'] if randomised else ['effect', 'ratio'],
    'replicates': rankmetrics_sql.rm_replicates_by_exchange(plan) if randomised
        else rankmetrics_sql.rm_replicates_of_arms(plan),
}) }}
{% endmacro %}

{#- Windows over a start of another's order are apart: MariaDB 10.11 sorts once for all, and may then be wrong. -#}
{% macro rm_units_of_arms(plan, randomised) %}
{%- set order = rankmetrics_sql.rm_order_of_units(plan) -%}
{%- set question = rankmetrics_sql.rm_ascending([], plan.group_names, ['metric_number']) -%}
{%- set is_baseline = 'run_id = ' ~ rankmetrics_sql.rm_string(plan.baseline) -%}
{%- set groups = rankmetrics_sql.rm_group_keys(plan) -%}
{%- set each_group = 'PARTITION BY ' ~ groups | join(', ') ~ ' ' if groups else '' -%}
{%- set each_arm = 'PARTITION BY ' ~ (['run_id'] + groups) | join(', ') ~ ' ' -%}
{%- set each_question = (plan.group_names + ['metric_number']) | join(', ') -%}
{%- set mean_of_all = {'name': 'mean_of_all', 'sql': 'AVG(value) OVER (PARTITION BY ' ~ each_question ~ ')'} -%}
{%- set numbers = rankmetrics_sql.rm_group_number(plan)
    + [{'name': 'question_number', 'sql': 'DENSE_RANK() OVER (ORDER BY ' ~ question ~ ')'}] -%}
{%- set arm = 'DENSE_RANK() OVER (' ~ each_group ~ 'ORDER BY ' ~ rankmetrics_sql.rm_text('run_id') ~ ' ASC)' -%}
{%- set columns = ['effect_number'] + groups + ['question_number'] + rankmetrics_sql.rm_named({
    'arm': arm,
    'is_baseline': 'CASE WHEN ' ~ is_baseline ~ ' THEN 1 ELSE 0 END',
    'total': rankmetrics_sql.rm_beyond_rounding('(value - mean_of_all)', 'mean_of_all') if randomised else 'value',
    'n': rankmetrics_sql.rm_as_double('1'),
    'unit': 'DENSE_RANK() OVER (' ~ each_arm ~ 'ORDER BY ' ~ order ~ ')',
}) -%}
{%- if plan.cluster_names -%}
    {%- set of_all = 'DENSE_RANK() OVER (' ~ each_group ~ 'ORDER BY ' ~ order ~ ')' -%}
    {%- set columns = columns + [{'name': 'unit_of_all', 'sql': of_all}] -%}
{%- endif -%}
{%- set read = ['effect_number', 'run_id'] + plan.query_keys + plan.cluster_names + ['value'] + numbers
    + ([mean_of_all] if randomised else []) -%}
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
{%- set known = ['effect_number'] + groups + ['question_number', 'is_baseline', 'total', 'n'] -%}
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

{#- A candidate beside the baseline, of the same group, metric and replicate. -#}
{% macro rm_replicates_of_arms(plan) %}
{%- set times = rankmetrics_sql.rm_as_double('d.times') -%}
{%- set keys = ['effect_number', 'question_number', 'is_baseline'] -%}
{%- set mean = rankmetrics_sql.rm_compensated_sum(times ~ ' * b.total') ~ ' / NULLIF(SUM(' ~ times ~ ' * b.n), 0)' -%}
{%- set means = rankmetrics_sql.rm_sums_of_replicates(
    plan, rankmetrics_sql.rm_columns_from('b', keys) + [{'name': 'mean_value', 'sql': mean}],
    rankmetrics_sql.rm_qualified('b', keys), ['arm'] + rankmetrics_sql.rm_draws_by_size(plan) + ['bucket']
) -%}
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
        FROM ({{ means | indent(8) }}
        ) AS means
    ) AS beside
    WHERE is_baseline = 0
{%- endset -%}
{{ return(replicates) }}
{% endmacro %}
