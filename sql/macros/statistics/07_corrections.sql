{#- p-values corrected for how many are asked, within a family. -#}

{#- The stages from critical_values on; names are those of its columns beside the keys. -#}
{% macro rm_corrections(plan, names, stage=none) %}
{%- set source = plan.stages.critical_values if stage is none else stage -%}
{%- set is_counted = not rankmetrics_sql.rm_needs_no_correction(plan) -%}
{%- set counted = [rankmetrics_sql.rm_cte(
    plan.stages.pvalue_ranks, rankmetrics_sql.rm_pvalue_ranks(plan, source, names),
    'each with the rank of its p-value in its family'
)] if is_counted else [] -%}
{%- set source = plan.stages.pvalue_ranks if is_counted else source -%}
{%- set placed = ['n_tests', 'place'] if rankmetrics_sql.rm_is_levelled(plan) else [] -%}
{{ return(counted + [rankmetrics_sql.rm_cte(
    plan.stages.adjusted, rankmetrics_sql.rm_adjusted(plan, names + placed, source),
    'each with its corrected p-value' if is_counted else 'each with its p-value, which needs no correction'
)]) }}
{% endmacro %}

{#- Whether p-values stay as they are: none is wanted otherwise, or there is one test alone. -#}
{% macro rm_needs_no_correction(plan) %}
{%- if rankmetrics_sql.rm_has_sample_sizes(plan) or rankmetrics_sql.rm_is_levelled(plan) -%}
    {{ return(false) }}
{%- endif -%}
{{ return(plan.options.correction == 'none' or rankmetrics_sql.rm_is_one_test(plan)) }}
{% endmacro %}

{#- Whether it can be seen that there is one test alone. -#}
{% macro rm_is_one_test(plan) %}
{%- set one_candidate = plan.runs[0].name is not none and plan.runs | length == 2 -%}
{{ return(one_candidate and plan.metrics | length == plan.n_ends and not plan.group_names) }}
{% endmacro %}

{#- A window over the tests of a family, in the given order. -#}
{% macro rm_over_family(plan, order='') %}
{%- set columns = {'all': [], 'metric': ['metric_number'], 'group': rankmetrics_sql.rm_groups_of_pairs(plan)}[
    plan.options.family
] + rankmetrics_sql.rm_family_of_ends(plan) -%}
{%- set family = 'PARTITION BY ' ~ columns | join(', ') if columns else '' -%}
{{ return('OVER (' ~ (family ~ ' ' ~ order) | trim ~ ')') }}
{% endmacro %}

{#- The rows of a stage with the place of their p-values; names are those of its columns beside the keys. -#}
{% macro rm_pvalue_ranks(plan, stage, names) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set known_first = 'ORDER BY CASE WHEN pvalue IS NULL THEN 1 ELSE 0 END ASC, ' -%}
{%- set order = rankmetrics_sql.rm_ascending(['pvalue'], ['run_id'] + plan.group_names, ['metric_number']) -%}
{%- set place = 'ROW_NUMBER() ' ~ rankmetrics_sql.rm_over_family(plan, known_first ~ order) -%}
{%- set n_tests = 'COUNT(pvalue) ' ~ rankmetrics_sql.rm_over_family(plan) -%}
{%- set counted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + names) }},
        {{ rankmetrics_sql.rm_as_double(n_tests) }} AS n_tests,
        {{ rankmetrics_sql.rm_as_double(place) }} AS place
    FROM {{ stage }}
{%- endset -%}
{{ return(counted) }}
{% endmacro %}

{#- Holm 1979, Bonferroni, Benjamini & Hochberg 1995, Benjamini & Yekutieli 2001. -#}
{% macro rm_adjusted(plan, names, source) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set so_far = ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set from_least = rankmetrics_sql.rm_over_family(plan, 'ORDER BY place ASC' ~ so_far) -%}
{%- set from_greatest = rankmetrics_sql.rm_over_family(plan, 'ORDER BY place DESC' ~ so_far) -%}
{%- set step_up = 'MIN(pvalue * n_tests / place) ' ~ from_greatest -%}
{%- set harmonic = rankmetrics_sql.rm_harmonic(plan) -%}
{%- set corrected = {
    'none': 'pvalue',
    'bonferroni': 'pvalue * n_tests',
    'holm': 'MAX(pvalue * (n_tests - place + 1)) ' ~ from_least,
    'bh': step_up,
    'by': step_up ~ ' * ' ~ harmonic,
}[plan.options.correction] if not rankmetrics_sql.rm_needs_no_correction(plan) else 'pvalue' -%}
{%- set adjusted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + names) }},
        {{ rankmetrics_sql.rm_lines([
            {'name': 'corrected', 'sql': 'CASE WHEN pvalue IS NOT NULL THEN ' ~ corrected ~ ' END'},
        ] + rankmetrics_sql.rm_claim_level(plan) + rankmetrics_sql.rm_planned_level(plan)) }}
    FROM {{ source }}
{%- endset -%}
{{ return(adjusted) }}
{% endmacro %}

{#- 1 + 1 / 2 + 1 / 3 ... of as many as the tests of a family. -#}
{% macro rm_harmonic(plan) %}
{%- set shares = 'CASE WHEN pvalue IS NOT NULL THEN 1 / place END' -%}
{{ return(rankmetrics_sql.rm_aggregated('sum', shares, 'place') ~ ' ' ~ rankmetrics_sql.rm_over_family(plan)) }}
{% endmacro %}
