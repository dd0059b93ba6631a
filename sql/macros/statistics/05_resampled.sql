{#- The statistics of an effect from its replicates: an error, a p-value, and the ends of an interval. -#}

{#- The names of these columns. -#}
{% macro rm_resampled_names(plan) %}
{%- if not rankmetrics_sql.rm_is_resampled(plan) -%}{{ return([]) }}{%- endif -%}
{%- if plan.level == 'summary' -%}{{ return(['drawn_error', 'drawn_lower', 'drawn_upper']) }}{%- endif -%}
{%- set of_intervals = ['drawn_lower', 'drawn_upper', 'relative_drawn_lower', 'relative_drawn_upper'] -%}
{%- set ways = ['enumerated'] if rankmetrics_sql.rm_enumerates(plan) else [] -%}
{{ return(['drawn_pvalue'] + ways + (of_intervals if plan.options.test == 'bootstrap' else [])) }}
{% endmacro %}

{#- resampled, from the replicates of each effect, z, in the order of their values; those without one are last. -#}
{% macro rm_resampled(plan, values) %}
{%- set over = 'OVER (PARTITION BY effect_number)' -%}
{%- set in_order = 'ROW_NUMBER() OVER (PARTITION BY effect_number ORDER BY CASE WHEN replicate = 0 OR NAME IS NULL'
    ~ ' THEN 1 ELSE 0 END ASC, NAME ASC)' -%}
{%- set corrected = rankmetrics_sql.rm_is_bias_corrected(plan) -%}
{%- set randomised = rankmetrics_sql.rm_is_randomised(plan) -%}
{%- set is_effect = rankmetrics_sql.rm_is_comparison(plan.level) -%}
{%- set mean = rankmetrics_sql.rm_aggregated('mean', 'CASE WHEN replicate > 0 THEN effect END', 'effect') -%}
{%- set columns = [{'name': 'mean_effect', 'sql': mean ~ ' ' ~ over}] -%}
{%- if randomised -%}
    {%- set columns = [{'name': 'found', 'sql': 'MAX(CASE WHEN replicate = 0 THEN effect END) ' ~ over}] -%}
{%- endif -%}
{%- if is_effect -%}{%- do columns.append({'name': 'largest', 'sql': 'MAX(ABS(effect)) ' ~ over}) -%}{%- endif -%}
{%- for name in values -%}
    {%- set n = 'COUNT(CASE WHEN replicate > 0 THEN ' ~ name ~ ' END) ' ~ over -%}
    {%- if not randomised -%}
        {%- do columns.append({'name': name ~ '_place', 'sql': in_order | replace('NAME', name)}) -%}
    {%- endif -%}
    {%- do columns.append({'name': 'n_' ~ name ~ 's', 'sql': rankmetrics_sql.rm_as_double(n)}) -%}
{%- endfor -%}
{%- set enumerates = rankmetrics_sql.rm_enumerates(plan) -%}
{%- set ways = ['enumerated'] if enumerates else [] -%}
{%- set deviation = '(z.effect - z.mean_effect)' -%}
{%- set squares = rankmetrics_sql.rm_aggregated(
    'sum', 'CASE WHEN z.replicate > 0 THEN ' ~ deviation ~ ' * ' ~ deviation ~ ' END', 'z.effect'
) -%}
{%- set n = 'MAX(z.n_effects)' -%}
{%- set said = rankmetrics_sql.rm_as_columns({
    'drawn_error': 'CASE WHEN ' ~ n ~ ' > 1 THEN SQRT(' ~ squares ~ ' / (' ~ n ~ ' - 1)) END',
}) -%}
{%- if randomised -%}
    {%- set said = rankmetrics_sql.rm_each('MAX(z.', ways)
        + rankmetrics_sql.rm_as_columns({'drawn_pvalue': rankmetrics_sql.rm_share_as_far(plan, n, enumerates)}) -%}
{%- endif -%}
{%- set below = rankmetrics_sql.rm_beyond_interval(plan) -%}
{%- set above = (1 - below) | round(15) -%}
{%- for column in values if not randomised -%}
    {%- set name = {'effect': 'drawn', 'ratio': 'relative_drawn'}[column] -%}
    {%- for end, share in {'lower': below, 'upper': above}.items() -%}
        {%- set share = 'z.' ~ column ~ '_' ~ end ~ '_share' if corrected else rankmetrics_sql.rm_number(share) -%}
        {%- do said.append({'name': name ~ '_' ~ end, 'sql': rankmetrics_sql.rm_quantile(column, share)}) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set known = ['effect_number', 'replicate'] + ways + values -%}
{%- set ordered = rankmetrics_sql.rm_lines(
    known + columns + (rankmetrics_sql.rm_facts_of_bias(values, over) if corrected else []), 8 if corrected else 12
) -%}
{%- set is_inverted = is_effect and not randomised -%}
{%- set places = rankmetrics_sql.rm_places_of_nothing(corrected) if is_inverted else [] -%}
{%- set resampled %}
    SELECT
        z.effect_number,
        {{ rankmetrics_sql.rm_lines(said + places) }}
    {%- if corrected %}
    FROM {{ plan.stages.corrected_shares }} AS z
    {%- else %}
    FROM (
        SELECT
            {{ ordered }}
        FROM {{ plan.stages.replicates }}
    ) AS z
    {%- endif %}
    GROUP BY z.effect_number
{%- endset -%}
{%- if is_inverted -%}
    {%- set resampled = rankmetrics_sql.rm_inverted(plan, resampled, said | map(attribute='name') | list, corrected) -%}
{%- endif -%}
{%- set shares = rankmetrics_sql.rm_corrected_shares(
    plan, values, known + columns | map(attribute='name') | list, ordered
) if corrected else [] -%}
{{ return(shares + [
    rankmetrics_sql.rm_cte(plan.stages.resampled, resampled, 'the results of the replicates for each effect'),
]) }}
{% endmacro %}

{#-
The share of replicates z that chance makes as far from no difference as what was found. Sums that are equal but for
rounding are, even those of 0, which is small beside the largest.
-#}
{% macro rm_share_as_far(plan, n, enumerates) %}
{%- set rounding = 'z.largest * ' ~ rankmetrics_sql.rm_number('1e-12') -%}
{%- set is_as_far = {
    'two_sided': 'ABS(z.effect) >= ABS(z.found) - ' ~ rounding,
    'greater': 'z.effect >= z.found - ' ~ rounding,
    'less': 'z.effect <= z.found + ' ~ rounding,
}[plan.options.alternative] -%}
{%- set as_far = 'SUM(CASE WHEN z.replicate > 0 AND ' ~ is_as_far ~ ' THEN 1 ELSE 0 END)' -%}
{%- set pvalue = rankmetrics_sql.rm_as_double('1 + ' ~ as_far) ~ ' / (' ~ n ~ ' + 1)' -%}
{%- if not enumerates -%}{{ return(pvalue) }}{%- endif -%}
{%- set all_patterns = rankmetrics_sql.rm_as_double(as_far) ~ ' / ' ~ n -%}
{{ return('CASE WHEN MAX(z.enumerated) > 0 THEN ' ~ all_patterns ~ ' ELSE ' ~ pvalue ~ ' END') }}
{% endmacro %}

{#- A quantile of the replicates, between the two that are next to it (Hyndman & Fan's seventh). -#}
{% macro rm_quantile(column, share) %}
{%- set wanted = '(z.n_' ~ column ~ 's - 1) * ' ~ share -%}
{%- set apart = 'ABS(z.' ~ column ~ '_place - 1 - ' ~ wanted ~ ')' -%}
{%- set is_one = 'z.replicate > 0 AND ' ~ apart ~ ' < 1' -%}
{{ return('SUM(CASE WHEN ' ~ is_one ~ ' THEN (1 - ' ~ apart ~ ') * z.' ~ column ~ ' END)') }}
{% endmacro %}

{#- The same as facts of the effects s: of sums those of all queries, and of what is no mean none. -#}
{% macro rm_drawn_facts(plan) %}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_resampled_names(plan) -%}
    {%- set own = 'z.' ~ name -%}
    {%- set is_share = name in ['drawn_pvalue', 'enumerated'] or name.startswith('relative') -%}
    {%- set known = {'mean': own, 'sum': own if is_share else own ~ ' * n'} -%}
    {%- do columns.append({'name': name, 'sql': rankmetrics_sql.rm_by_aggregate(plan, 's', known)}) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
