{#- Effects of few units, which have each pattern of their signs rather than some by chance. -#}

{#- Whether effects of few units have all patterns of signs, and how many units these are. -#}
{% macro rm_enumerates(plan) %}
{%- set randomised = rankmetrics_sql.rm_is_randomised(plan) -%}
{{ return(randomised and plan.options.design == 'paired' and plan.options.exact == 'auto') }}
{% endmacro %}

{#- Whether a replicate is of all patterns, as a column. -#}
{% macro rm_is_enumerated(plan) %}
{%- set has_few = rankmetrics_sql.rm_as_double('MAX(CASE WHEN b.bucket < 0 THEN 1 ELSE 0 END)') -%}
{{ return([{'name': 'enumerated', 'sql': has_few}] if rankmetrics_sql.rm_enumerates(plan) else []) }}
{% endmacro %}

{#- Half of how many patterns the signs of 1, 2, 3 ... units have, as far as the replicates reach. -#}
{% macro rm_halves_of_patterns(plan) %}
{%- set halves = [1] -%}
{%- for units in range(2, 17) -%}
    {%- if halves[-1] * 4 <= plan.options.resamples -%}{%- do halves.append(halves[-1] * 2) -%}{%- endif -%}
{%- endfor -%}
{{ return(halves) }}
{% endmacro %}

{#- The buckets: those of an effect with few units, each of which has one, are numbered within it, from -1 down. -#}
{% macro rm_buckets_of_few(plan, sample) %}
{%- set sums, added_up = [], [] -%}
{%- for column in rankmetrics_sql.rm_bucket_sums(sample) -%}
    {%- do sums.append({'name': column.name, 'sql': 'b.sum_of_' ~ column.name}) -%}
    {%- do added_up.append({'name': 'sum_of_' ~ column.name, 'sql': column.sql}) -%}
{%- endfor -%}
{%- set is_few = 'b.n_own <= ' ~ rankmetrics_sql.rm_halves_of_patterns(plan) | length ~ ' AND b.n_of_all < 1000' -%}
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

{#-
Further draws, of few units, from those of other effects. A place has how long its sign stays: that is its bit of the
numbers from 1 to 2^units.
-#}
{% macro rm_enumerated_draws(plan) %}
{%- if not rankmetrics_sql.rm_enumerates(plan) -%}{{ return('') }}{%- endif -%}
{%- set halves = rankmetrics_sql.rm_halves_of_patterns(plan) -%}
{%- set integer = rankmetrics_sql.rm_bigint_type() -%}
{%- set places = [] -%}
{%- for half in halves -%}
    {%- do places.append('SELECT ' ~ loop.index ~ ' AS place, ' ~ half ~ ' AS half') -%}
{%- endfor -%}
{%- set left = rankmetrics_sql.rm_modulo('r.list_position', '(2 * p.half)') -%}
{%- set draws %}
    UNION ALL
    SELECT
        CAST(r.list_position AS {{ integer }}) AS replicate,
        CAST(-p.place AS {{ integer }}) AS bucket,
        CASE WHEN {{ left }} < p.half THEN 1 ELSE -1 END AS times
    FROM {{ plan.stages.numbers }} AS r
    CROSS JOIN (
        {{ places | join('\n        UNION ALL ') }}
    ) AS p
    WHERE r.list_position <= {{ 2 * halves[-1] }}
{%- endset -%}
{{ return(draws) }}
{% endmacro %}
