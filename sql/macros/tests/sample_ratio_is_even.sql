{#-
The arms of an experiment must have as many queries as its design gives them: a chi-squared test of the counts. Arms
that differ more than chance allows were not filled at random, and what they are compared by says nothing (Fabijan et
al. 2019, KDD). Of a query in two arms both have one; a row without an arm is of none.
-#}

{% test sample_ratio_is_even(
    model, arm_column=none, query_column='query_id', shares=none, error_below=none, warn_below=none, column_name=none
) %}
{{ config(fail_calc='count(*)', warn_if='> 0', error_if='> 0 and max(severity_level) >= 2') }}
{%- set limits = {'error_below': error_below, 'warn_below': warn_below} -%}
{%- set arm = column_name if arm_column is none else arm_column -%}
{{ return(adapter.dispatch('test_sample_ratio_is_even', 'rankmetrics_sql')(model, arm, query_column, shares, limits)) }}
{% endtest %}

{% macro default__test_sample_ratio_is_even(model, arm_column, query_column, shares, limits) %}
{%- set test = 'sample_ratio_is_even' -%}
{%- do rankmetrics_sql.rm_test_require(test, {'arm_column': arm_column}) -%}
{%- set has_limits = limits.error_below is not none or limits.warn_below is not none -%}
{%- set error_below = limits.error_below if has_limits else 0.001 -%}
{%- set keys = rankmetrics_sql.rm_source_keys(query_column) -%}
{%- set arm = 'CAST(s.' ~ arm_column ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')' -%}
{%- set queries %}
    SELECT DISTINCT
        {{ rankmetrics_sql.rm_lines(keys) }},
        {{ arm }} AS arm
    FROM rankmetrics_test_source AS s
    WHERE {{ rankmetrics_sql.rm_all_known(keys | map(attribute='sql') | list + ['s.' ~ arm_column]) }}
{%- endset -%}
{%- set counted %}
    SELECT
        arm,
        {{ rankmetrics_sql.rm_as_double('SUM(n)') }} AS n_queries,
        {{ rankmetrics_sql.rm_as_double('SUM(share)' if shares else '1') }} AS share
    FROM (
        SELECT arm, 1 AS n, 0 AS share
        FROM rankmetrics_test_queries
        {{- rankmetrics_sql.rm_test_designed(test, shares) }}
    ) AS arms
    GROUP BY arm
{%- endset -%}
{%- set designed %}
    SELECT
        arm,
        n_queries,
        SUM(n_queries) OVER () * share / NULLIF(SUM(share) OVER (), 0) AS n_expected,
        {{ rankmetrics_sql.rm_as_double('COUNT(*) OVER ()') }} - 1 AS degrees
    FROM rankmetrics_test_counted
{%- endset -%}
{%- set apart = '(n_queries - n_expected)' -%}
{%- set distant %}
    SELECT
        arm,
        n_queries,
        n_expected,
        degrees,
        SUM({{ apart }} * {{ apart }} / NULLIF(n_expected, 0)) OVER () AS statistic,
        MIN(n_expected) OVER () AS least_expected,
        1 AS always
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
{%- set tested %}
    SELECT
        t.arm,
        {{ rankmetrics_sql.rm_lines(
            rankmetrics_sql.rm_each('MAX(t.', ['n_queries', 'n_expected', 'statistic', 'always'])
        ) }},
        MAX(CASE WHEN t.least_expected > 0 THEN {{ stretch }} / {{ whole }} END) * {{ beyond }} AS pvalue
    FROM rankmetrics_test_distant AS t
    LEFT JOIN rankmetrics_test_places AS n ON n.always = t.always
    GROUP BY t.arm
{%- endset -%}
{%- set values %}
    SELECT
        t.arm,
        t.n_queries,
        t.n_expected,
        t.statistic,
        CASE WHEN t.pvalue > 1 THEN 1 ELSE t.pvalue END AS pvalue,
        {{ rankmetrics_sql.rm_test_number(test, 'error_below', error_below) }} AS error_below,
        {{ rankmetrics_sql.rm_test_number(test, 'warn_below', limits.warn_below) }} AS warn_below
    FROM (SELECT 1 AS always) AS e
    LEFT JOIN rankmetrics_test_tested AS t ON t.always = e.always
{%- endset -%}
{%- set columns = ['arm', 'n_queries', 'n_expected', 'statistic', 'pvalue', 'error_below', 'warn_below'] -%}
{%- set levels = rankmetrics_sql.rm_test_levels(
    columns, unusable='pvalue IS NULL', error='pvalue < error_below', warn='pvalue < warn_below'
) -%}
{{ return(rankmetrics_sql.rm_test_query([
    rankmetrics_sql.rm_test_source(model),
    rankmetrics_sql.rm_cte('rankmetrics_test_queries', queries, 'the queries and their arms'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_counted', counted,
        'how many queries each arm has, and its share by design'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_test_designed', designed, 'with how many it should have'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_distant', distant,
        'how far all arms are from that, the statistic of the chi-squared test'
    ),
    rankmetrics_sql.rm_places('rankmetrics_test_places'),
    rankmetrics_sql.rm_cte(
        'rankmetrics_test_tested', tested,
        'with the probability of being as far or farther by chance'
    ),
    rankmetrics_sql.rm_cte('rankmetrics_test_values', values, 'the arms with the limits that they are held against'),
    levels,
], columns + ['severity_level'])) }}
{% endmacro %}

{#- The arms of the design with their shares, without a query. -#}
{% macro rm_test_designed(test, shares) %}
{%- if shares is none -%}{{ return('') }}{%- endif -%}
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
    {%- do rows.append(
        '\n        UNION ALL SELECT ' ~ name ~ ' AS arm, 0 AS n, ' ~ rankmetrics_sql.rm_number(share) ~ ' AS share'
    ) -%}
{%- endfor -%}
{{ return(rows | join('')) }}
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
