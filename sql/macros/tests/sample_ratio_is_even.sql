{#-
The arms of an experiment must have as many queries as its design gives them: a chi-squared test of the counts. Arms
that differ more than chance allows were not filled at random, and what they are compared by says nothing (Fabijan et
al. 2019, KDD). A query in several arms is left out of all counts, as experimentation platforms do: it is of no single
one. A row without an arm is of none.
-#}

{% test sample_ratio_is_even(
    model, columns=none, shares=none, error_below=none, warn_below=none, by=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- do rankmetrics_sql.rm_refuse_others('sample_ratio_is_even', kwargs, [
    'columns', 'shares', 'error_below', 'warn_below', 'by',
]) -%}
{%- set limits = {'error_below': error_below, 'warn_below': warn_below} -%}
{%- set named = rankmetrics_sql.rm_test_columns(model, 'run', {'arm': column_name, 'query_id': 'query_id'}, columns) -%}
{{ return(adapter.dispatch('test_sample_ratio_is_even', 'rankmetrics_sql')(
    model, named.arm, named.query_id, shares, limits, rankmetrics_sql.rm_checked_by(by)
)) }}
{% endtest %}

{% macro default__test_sample_ratio_is_even(model, arm, query, shares, limits, by) %}
{%- set test = 'sample_ratio_is_even' -%}
{%- if arm is none -%}
    {%- do rankmetrics_sql.rm_test_fail(test, "name the column of the arm: columns={'arm': ...}.") -%}
{%- endif -%}
{%- set keys = rankmetrics_sql.rm_source_keys(query) -%}
{%- set groups = rankmetrics_sql.rm_test_groups(by) -%}
{%- set text = 'CAST(s.' ~ arm ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')' -%}
{%- set queries %}
    SELECT DISTINCT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_columns_from('s', groups)) }},
        {{ text }} AS arm
    FROM rankmetrics_test_source AS s
    WHERE {{ rankmetrics_sql.rm_all_known(keys | map(attribute='sql') | list + ['s.' ~ arm]) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_sample_ratio(test, [
    rankmetrics_sql.rm_test_source(model),
    rankmetrics_sql.rm_cte('rankmetrics_test_queries', queries, 'the queries and their arms'),
], keys | map(attribute='name') | list, groups, shares, limits)) }}
{% endmacro %}

{#- The probability below which arms differ more than chance allows. -#}
{% macro rm_sample_ratio_level() %}
{{ return(0.001) }}
{% endmacro %}

{#-
The arms, where they differ too much, by themselves or in each group; the last of the stages, rankmetrics_test_queries,
has a row for each unit and arm, and group. What a unit is called by are the keys. Of several groups p-values are
corrected for how many there are (Bonferroni).
-#}
{% macro rm_sample_ratio(test, stages, keys, groups, shares, limits) %}
{%- set has_limits = limits.values() | reject('none') | list | length > 0 -%}
{%- set error_below = limits.error_below if has_limits else rankmetrics_sql.rm_sample_ratio_level() -%}
{%- set of_group = 'OVER (' ~ ('PARTITION BY ' ~ groups | join(', ') if groups else '') ~ ')' -%}
{%- set of_unit = ' OVER (PARTITION BY ' ~ keys | join(', ') ~ ')' -%}
{%- set in_group = ' OVER (PARTITION BY ' ~ (keys + groups) | join(', ') ~ ')' -%}
{%- set units %}
    SELECT
        {{ rankmetrics_sql.rm_lines(groups + ['arm']) }},
        CASE WHEN MIN(arm){{ of_unit }} = MAX(arm){{ of_unit }} THEN 1 ELSE 0 END AS is_of_one,
        CASE WHEN arm = MIN(arm){{ in_group }} THEN 1 ELSE 0 END AS is_first
    FROM rankmetrics_test_queries
{%- endset -%}
{%- set designed -%}
    SELECT {{ (rankmetrics_sql.rm_qualified('g', groups) + ['d.arm']) | join(', ') }}, 0 AS n, 0 AS n_several, d.share
        FROM ({{ rankmetrics_sql.rm_test_designed(test, shares) }}) AS d
        {%- if groups %}
        CROSS JOIN (SELECT DISTINCT {{ groups | join(', ') }} FROM rankmetrics_test_queries) AS g
        {%- endif %}
{%- endset -%}
{%- set counted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(groups + ['arm']) }},
        {{ rankmetrics_sql.rm_as_double('SUM(n)') }} AS n_queries,
        {{ rankmetrics_sql.rm_as_double('SUM(n_several)') }} AS n_several,
        {{ rankmetrics_sql.rm_as_double('SUM(share)') }} AS share
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(groups + ['arm'], 12) }},
            is_of_one AS n,
            (1 - is_of_one) * is_first AS n_several,
            0 AS share
        FROM rankmetrics_test_units
        UNION ALL
        {{ designed }}
    ) AS arms
    GROUP BY {{ (groups + ['arm']) | join(', ') }}
{%- endset -%}
{%- set designed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(groups + ['arm', 'n_queries']) }},
        SUM(n_queries) {{ of_group }} * share / NULLIF(SUM(share) {{ of_group }}, 0) AS n_expected,
        SUM(n_several) {{ of_group }} AS n_in_several_arms,
        {{ rankmetrics_sql.rm_as_double('COUNT(*) OVER ()') }} / COUNT(*) {{ of_group }} AS n_groups,
        {{ rankmetrics_sql.rm_as_double('COUNT(*) ' ~ of_group) }} - 1 AS degrees
    FROM rankmetrics_test_counted
{%- endset -%}
{%- set apart = '(n_queries - n_expected)' -%}
{%- set counts = ['n_queries', 'n_expected', 'n_in_several_arms'] -%}
{%- set distant %}
    SELECT
        {{ rankmetrics_sql.rm_lines(groups + ['arm'] + counts + ['n_groups', 'degrees']) }},
        SUM({{ apart }} * {{ apart }} / NULLIF(n_expected, 0)) {{ of_group }} AS statistic,
        MIN(n_expected) {{ of_group }} AS least_expected,
        1 AS join_key
    FROM rankmetrics_test_designed
{%- endset -%}
{%- set start = 'SQRT(t.statistic)' -%}
{%- set stretch = 'CASE WHEN t.statistic <= t.degrees THEN SQRT(t.degrees) WHEN t.statistic <= 1 THEN 1 ELSE 1 / '
    ~ start ~ ' END' -%}
{%- set place = '(' ~ start ~ ' + ' ~ stretch ~ ' * n.distance)' -%}
{%- set density = 'POWER(' ~ place ~ ', t.degrees - 1) * '
    ~ rankmetrics_sql.rm_exp('-' ~ place ~ ' * ' ~ place ~ ' / 2') -%}
{%- set beyond = 'SUM(' ~ rankmetrics_sql.rm_in_order('n.weight * ' ~ density, 'n.distance') ~ ')' -%}
{%- set whole = rankmetrics_sql.rm_test_chi_whole('t.degrees') -%}
{%- set own = rankmetrics_sql.rm_qualified('t', groups + ['arm']) -%}
{%- set tested %}
    SELECT
        {{ rankmetrics_sql.rm_lines(own) }},
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_each('MAX(t.', counts + ['statistic', 'join_key'])) }},
        MAX(CASE WHEN t.least_expected > 0 THEN t.n_groups * {{ stretch }} / {{ whole }} END) * {{ beyond }} AS pvalue
    FROM rankmetrics_test_distant AS t
    LEFT JOIN rankmetrics_test_quadrature_nodes AS n ON n.join_key = t.join_key
    GROUP BY {{ own | join(', ') }}
{%- endset -%}
{%- set values %}
    SELECT
        {{ rankmetrics_sql.rm_lines(own + rankmetrics_sql.rm_qualified('t', counts + ['statistic'])) }},
        CASE WHEN t.pvalue > 1 THEN 1 ELSE t.pvalue END AS pvalue,
        {{ rankmetrics_sql.rm_test_number(test, 'error_below', error_below) }} AS error_below,
        {{ rankmetrics_sql.rm_test_number(test, 'warn_below', limits.get('warn_below')) }} AS warn_below
    FROM (SELECT 1 AS join_key) AS e
    LEFT JOIN rankmetrics_test_tested AS t ON t.join_key = e.join_key
{%- endset -%}
{%- set columns = groups + ['arm'] + counts + ['statistic', 'pvalue', 'error_below', 'warn_below'] -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    columns, unusable='pvalue IS NULL', error='pvalue < error_below', warn='pvalue < warn_below'
) -%}
{{ return(rankmetrics_sql.rm_test_query(stages + [
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_units', units,
        'whether each query is in one arm alone, and the row that counts it otherwise'
    ),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_counted', counted,
        'the number of queries of each arm, and its share by design'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_test_designed', designed, 'with its expected number'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_distant', distant,
        'the chi-squared statistic over all arms'
    ),
    rankmetrics_sql.rm_quadrature_nodes('rankmetrics_test_quadrature_nodes'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_tested', tested,
        'with its p-value'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_test_values', values, 'the arms with their limits'),
    levels,
], columns + ['severity_level'])) }}
{% endmacro %}

{#- The arms of the design with their shares, or equal shares for the arms found. -#}
{% macro rm_test_designed(test, shares) %}
{%- if shares is none -%}{{ return('SELECT DISTINCT arm, 1 AS share FROM rankmetrics_test_queries') }}{%- endif -%}
{%- if shares is not mapping or shares | length < 2 -%}
    {%- do rankmetrics_sql.rm_test_fail(
        test, 'shares maps two arms or more to their shares, as {control: 0.9, new: 0.1}; not ' ~ shares ~ '.'
    ) -%}
{%- endif -%}
{%- set rows = [] -%}
{%- for arm, share in shares.items() -%}
    {%- if share is not number or share is boolean or share <= 0 -%}
        {%- do rankmetrics_sql.rm_test_fail(test, 'shares: ' ~ arm ~ ' has ' ~ share ~ ', no number above 0.') -%}
    {%- endif -%}
    {%- set name = rankmetrics_sql.rm_string(arm ~ '') -%}
    {%- do rows.append('SELECT ' ~ name ~ ' AS arm, ' ~ rankmetrics_sql.rm_number(share) ~ ' AS share') -%}
{%- endfor -%}
{{ return(rows | join(' UNION ALL ')) }}
{% endmacro %}

{#-
The integral from 0 on of what the tail is the rest of, z^(degrees - 1) e^(-z^2 / 2), of up to 13 arms:
2^(degrees / 2 - 1) Γ(degrees / 2).
-#}
{% macro rm_test_chi_whole(degrees) %}
{%- set wholes = [1.2533141373155003, 1] -%}
{%- for more in range(1, 11) -%}{%- do wholes.append(wholes[more - 1] * more) -%}{%- endfor -%}
{%- set branches = [] -%}
{%- for whole in wholes -%}
    {%- do branches.append('WHEN ' ~ loop.index ~ ' THEN ' ~ rankmetrics_sql.rm_number(whole)) -%}
{%- endfor -%}
{{ return('CASE ' ~ degrees ~ ' ' ~ branches | join(' ') ~ ' END') }}
{% endmacro %}
