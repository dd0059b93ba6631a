{#- What the distribution of t says of effects: intervals, p-values, and their correction for how many are asked. -#}

{#-
One relation after the other, each a row per effect, or two where is_relative tells the effect itself from the logarithm
of candidate / baseline, whose interval is the relative one:
    measured                   estimate, error, degrees
    guessed                    with a first guess of the point that the confidence level asks for
    first_look, first_point    a correction of it by the probability beyond
    second_look, second_point  another; and the probability beyond the estimate's distance from 0 in errors
    bounded                    intervals and p-values, one row per effect again
    counted                    with its place among the p-values of its family
    adjusted                   with the p-value that its place makes of it
What is joined has one partner for all rows, and stands on the right of a LEFT JOIN: so no planner reads the effects,
and all that they are made of, once for each place.
-#}
{% macro rm_tested_effects(plan) %}
{%- set guessed = rankmetrics_sql.rm_guessed(plan) -%}
{%- set first_look = rankmetrics_sql.rm_look(plan, plan.stages.guessed, ['point']) -%}
{%- set first_point = rankmetrics_sql.rm_point(plan, plan.stages.first_look) -%}
{%- set second_look = rankmetrics_sql.rm_look(plan, plan.stages.first_point, ['point', 'distance']) -%}
{%- set second_point = rankmetrics_sql.rm_point(plan, plan.stages.second_look, ['beyond_distance']) -%}
{{ return([
    rankmetrics_sql.rm_places(plan),
    rankmetrics_sql.rm_cte(plan.stages.measured, rankmetrics_sql.rm_measured(plan)),
    rankmetrics_sql.rm_cte(plan.stages.guessed, guessed),
    rankmetrics_sql.rm_cte(plan.stages.first_look, first_look),
    rankmetrics_sql.rm_cte(plan.stages.first_point, first_point),
    rankmetrics_sql.rm_cte(plan.stages.second_look, second_look),
    rankmetrics_sql.rm_cte(plan.stages.second_point, second_point),
    rankmetrics_sql.rm_cte(plan.stages.bounded, rankmetrics_sql.rm_bounded(plan)),
    rankmetrics_sql.rm_cte(plan.stages.counted, rankmetrics_sql.rm_counted(plan)),
    rankmetrics_sql.rm_cte(plan.stages.adjusted, rankmetrics_sql.rm_adjusted(plan)),
]) }}
{% endmacro %}

{#- What is said of an effect beside its estimate. -#}
{% macro rm_effect_facts() %}
{{ return([
    'baseline', 'candidate', 'effect_size', 'standard_error', 'deviation', 'n_higher', 'n_ties', 'n_lower', 'n_queries',
    'n_left_out',
]) }}
{% endmacro %}

{#- The probability that lies beyond each end of an interval. -#}
{% macro rm_beyond_interval(plan) %}
{%- set beyond = 1 - plan.options.confidence_level -%}
{{ return((beyond / 2 if plan.options.alternative == 'two_sided' else beyond) | round(15)) }}
{% endmacro %}

{#- A MAX of one row, here and below: a planner that put one stage into the next would write each out many times. -#}
{% macro rm_measured(plan) %}
{%- set kinds = rankmetrics_sql.rm_kept('e', rankmetrics_sql.rm_effect_keys(plan))
    + rankmetrics_sql.rm_kept('k', ['is_relative']) -%}
{%- set logarithm = 'CASE WHEN e.candidate > 0 AND e.baseline > 0 THEN LN(e.candidate / e.baseline) END' -%}
{%- set columns = [] -%}
{%- for name in rankmetrics_sql.rm_effect_facts() + ['always'] -%}
    {%- do columns.append({'name': name, 'sql': 'MAX(e.' ~ name ~ ')'}) -%}
{%- endfor -%}
{%- set measured %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + columns) }},
        MAX(CASE k.is_relative WHEN 0 THEN e.effect_size ELSE {{ logarithm }} END) AS estimate,
        MAX(CASE k.is_relative WHEN 0 THEN e.standard_error ELSE e.relative_error END) AS error,
        MAX(CASE k.is_relative WHEN 0 THEN e.degrees ELSE e.relative_degrees END) AS degrees
    FROM {{ plan.stages.effects }} AS e
    LEFT JOIN (SELECT 1 AS always, 0 AS is_relative UNION ALL SELECT 1 AS always, 1 AS is_relative) AS k
        ON k.always = e.always
    GROUP BY {{ rankmetrics_sql.rm_qualified('e', rankmetrics_sql.rm_effect_keys(plan)) | join(', ') }}, k.is_relative
{%- endset -%}
{{ return(measured) }}
{% endmacro %}

{% macro rm_guessed(plan) %}
{%- set kinds = rankmetrics_sql.rm_effect_keys(plan) + ['is_relative'] + rankmetrics_sql.rm_effect_facts() -%}
{%- set guessed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + ['always', 'estimate', 'error', 'degrees']) }},
        CASE WHEN error > 0 THEN ABS(estimate) / error END AS distance,
        {{ rankmetrics_sql.rm_student_height('degrees') }} AS height,
        {{ rankmetrics_sql.rm_student_guess('degrees', rankmetrics_sql.rm_beyond_interval(plan)) }} AS point
    FROM {{ plan.stages.measured }}
{%- endset -%}
{{ return(guessed) }}
{% endmacro %}

{% macro rm_distribution_names() %}
{{ return(['always', 'estimate', 'error', 'degrees', 'distance', 'height', 'point']) }}
{% endmacro %}

{#- Of each of some points the probability beyond it. -#}
{% macro rm_look(plan, stage, points) %}
{%- set kinds = rankmetrics_sql.rm_effect_keys(plan) + ['is_relative'] -%}
{%- set known = rankmetrics_sql.rm_effect_facts() + rankmetrics_sql.rm_distribution_names() -%}
{%- set columns = rankmetrics_sql.rm_kept('s', kinds) -%}
{%- for name in known -%}{%- do columns.append({'name': name, 'sql': 'MAX(s.' ~ name ~ ')'}) -%}{%- endfor -%}
{%- for point in points -%}
    {%- do columns.append({'name': 'beyond_' ~ point, 'sql': rankmetrics_sql.rm_student_tail('s.' ~ point)}) -%}
{%- endfor -%}
{%- set look %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ stage }} AS s
    LEFT JOIN {{ plan.stages.places }} AS n ON n.always = s.always
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', kinds) | join(', ') }}
{%- endset -%}
{{ return(look) }}
{% endmacro %}

{#- The point as the probability beyond it corrects it. -#}
{% macro rm_point(plan, stage, others=[]) %}
{%- set kinds = rankmetrics_sql.rm_effect_keys(plan) + ['is_relative'] -%}
{%- set known = rankmetrics_sql.rm_effect_facts()
    + ['always', 'estimate', 'error', 'degrees', 'distance', 'height'] + others -%}
{%- set point %}
    SELECT
        {{ rankmetrics_sql.rm_lines(kinds + known) }},
        {{ rankmetrics_sql.rm_student_corrected(rankmetrics_sql.rm_beyond_interval(plan)) }} AS point
    FROM {{ stage }}
{%- endset -%}
{{ return(point) }}
{% endmacro %}

{% macro rm_bounded(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set alternative = plan.options.alternative -%}
{%- set columns = rankmetrics_sql.rm_kept('s', keys) -%}
{%- for name in rankmetrics_sql.rm_effect_facts() -%}
    {%- do columns.append({'name': name, 'sql': 'MAX(s.' ~ name ~ ')'}) -%}
{%- endfor -%}
{%- for kind in ['effect', 'relative'] -%}
    {%- set ends = {
        'lower': 's.estimate - s.error * s.point' if alternative != 'less' else 'NULL',
        'upper': 's.estimate + s.error * s.point' if alternative != 'greater' else 'NULL',
    } -%}
    {%- for end, estimate in ends.items() -%}
        {%- set bound = estimate if kind == 'effect' or estimate == 'NULL' else 'EXP(' ~ estimate ~ ') - 1' -%}
        {%- set is_known = ' AND s.estimate IS NOT NULL AND s.error IS NOT NULL' -%}
        {%- set number = '0' if kind == 'effect' else '1' ~ is_known -%}
        {%- set picked = 'MAX(CASE WHEN s.is_relative = ' ~ number ~ ' THEN ' ~ bound ~ ' END)' -%}
        {%- do columns.append({
            'name': kind ~ '_' ~ end,
            'sql': rankmetrics_sql.rm_as_double('NULL') if estimate == 'NULL' else picked,
        }) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set pvalue = rankmetrics_sql.rm_pvalue(alternative) -%}
{%- set bounded %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        MAX(CASE WHEN s.is_relative = 0 AND s.error > 0 THEN s.estimate / s.error END) AS statistic,
        MAX(CASE WHEN s.is_relative = 0 AND s.error IS NOT NULL THEN {{ pvalue }} END) AS pvalue
    FROM {{ plan.stages.second_point }} AS s
    GROUP BY {{ rankmetrics_sql.rm_qualified('s', keys) | join(', ') }}
{%- endset -%}
{{ return(bounded) }}
{% endmacro %}

{#- Without any spread a difference is certain, and no difference is none. -#}
{% macro rm_pvalue(alternative) %}
{%- set certain = 's.estimate ' ~ {'two_sided': '<>', 'greater': '>', 'less': '<'}[alternative] ~ ' 0' -%}
{%- set beyond = 's.beyond_distance' -%}
{%- set usual = '2 * ' ~ beyond -%}
{%- if alternative != 'two_sided' -%}
    {%- set usual = 'CASE WHEN ' ~ certain ~ ' THEN ' ~ beyond ~ ' ELSE 1 - ' ~ beyond ~ ' END' -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN s.error = 0 THEN CASE WHEN ' ~ certain ~ ' THEN 0 ELSE 1 END',
    'WHEN s.estimate = 0 THEN ' ~ ('1' if alternative == 'two_sided' else rankmetrics_sql.rm_number(0.5)),
    'ELSE ' ~ usual,
], '', 8)) }}
{% endmacro %}

{#- The columns that p-values are corrected within. -#}
{% macro rm_family(plan) %}
{%- set families = {'all': [], 'metric': ['metric_number'], 'group': plan.group_names} -%}
{{ return(families[plan.options.family]) }}
{% endmacro %}

{% macro rm_bounded_names() %}
{{ return(rankmetrics_sql.rm_effect_facts()
    + ['effect_lower', 'effect_upper', 'relative_lower', 'relative_upper', 'statistic', 'pvalue']) }}
{% endmacro %}

{% macro rm_counted(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set family = rankmetrics_sql.rm_family(plan) -%}
{%- set partition = 'PARTITION BY ' ~ family | join(', ') if family else '' -%}
{%- set known_first = 'ORDER BY CASE WHEN pvalue IS NULL THEN 1 ELSE 0 END ASC, ' -%}
{%- set order = rankmetrics_sql.rm_ascending(['pvalue'], ['run_id'] + plan.group_names, ['metric_number']) -%}
{%- set place = 'ROW_NUMBER() OVER (' ~ (partition ~ ' ' ~ known_first ~ order) | trim ~ ')' -%}
{%- set counted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_bounded_names()) }},
        {{ rankmetrics_sql.rm_as_double('COUNT(pvalue) OVER (' ~ partition ~ ')') }} AS n_tests,
        {{ rankmetrics_sql.rm_as_double(place) }} AS place
    FROM {{ plan.stages.bounded }}
{%- endset -%}
{{ return(counted) }}
{% endmacro %}

{#- Holm 1979, Bonferroni, Benjamini & Hochberg 1995, Benjamini & Yekutieli 2001. -#}
{% macro rm_adjusted(plan) %}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set family = rankmetrics_sql.rm_family(plan) -%}
{%- set partition = 'PARTITION BY ' ~ family | join(', ') ~ ' ' if family else '' -%}
{%- set so_far = 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- set from_least = 'OVER (' ~ partition ~ 'ORDER BY place ASC ' ~ so_far ~ ')' -%}
{%- set from_greatest = 'OVER (' ~ partition ~ 'ORDER BY place DESC ' ~ so_far ~ ')' -%}
{%- set step_up = 'MIN(pvalue * n_tests / place) ' ~ from_greatest -%}
{%- set harmonic = 'SUM(CASE WHEN pvalue IS NOT NULL THEN 1 / place END) OVER (' ~ partition | trim ~ ')' -%}
{%- set corrected = {
    'none': 'pvalue',
    'bonferroni': 'pvalue * n_tests',
    'holm': 'MAX(pvalue * (n_tests - place + 1)) ' ~ from_least,
    'bh': step_up,
    'by': step_up ~ ' * ' ~ harmonic,
}[plan.options.correction] -%}
{%- set adjusted %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + rankmetrics_sql.rm_bounded_names()) }},
        {{ corrected }} AS corrected
    FROM {{ plan.stages.counted }}
{%- endset -%}
{{ return(adjusted) }}
{% endmacro %}

{% macro rm_select_compare(plan) %}
{%- set named = rankmetrics_sql.rm_kept('p', plan.group_names) -%}
{%- set groups = [] -%}
{%- for group in plan.groups -%}{%- do groups.append({'name': group.label, 'sql': 'p.' ~ group.name}) -%}{%- endfor -%}
{%- set paired = plan.options.design == 'paired' -%}
{%- set superiority = '(p.n_higher + p.n_ties * ' ~ rankmetrics_sql.rm_number(0.5) ~ ') / p.n_queries' -%}
{%- set certain = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{%- set adjusted = 'CASE WHEN p.pvalue IS NULL THEN NULL WHEN p.corrected > 1 THEN 1 ELSE p.corrected END' -%}
{%- set order = rankmetrics_sql.rm_qualified('p', plan.group_names) -%}
{%- set counts = rankmetrics_sql.rm_kept('p', ['n_queries', 'n_higher', 'n_ties', 'n_lower', 'n_left_out']) -%}
{%- set select -%}
SELECT
    p.run_id AS run,
    {{ rankmetrics_sql.rm_string(plan.baseline) }} AS baseline_run,
    {{ rankmetrics_sql.rm_lines(groups + rankmetrics_sql.rm_kept('p', ['metric', 'baseline', 'candidate']), 4) }},
    p.effect_size AS effect_size,
    p.effect_lower AS effect_size_ci_lower,
    p.effect_upper AS effect_size_ci_upper,
    p.candidate / NULLIF(p.baseline, 0) - 1 AS rel_effect_size,
    p.relative_lower AS rel_effect_size_ci_lower,
    p.relative_upper AS rel_effect_size_ci_upper,
    p.standard_error AS standard_error,
    't' AS test,
    p.statistic AS statistic,
    p.pvalue AS pvalue,
    {{ adjusted }} AS pvalue_adj,
    CASE WHEN p.corrected <= {{ certain }} THEN 1 WHEN p.pvalue IS NOT NULL THEN 0 END AS significant,
    p.effect_size / NULLIF(p.deviation, 0) AS std_effect_size,
    {{ superiority if paired else rankmetrics_sql.rm_as_double('NULL') }} AS prob_superiority,
    {{ rankmetrics_sql.rm_lines(counts, 4) }}
FROM {{ plan.stages.adjusted }} AS p
ORDER BY {{ rankmetrics_sql.rm_ascending(['p.run_id'], order, ['p.metric_number']) }}
{%- endset -%}
{{ return(select) }}
{% endmacro %}
