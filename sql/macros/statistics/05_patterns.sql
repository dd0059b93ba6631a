{#- Effects of few units, which have each pattern of their signs rather than some by chance. -#}

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
