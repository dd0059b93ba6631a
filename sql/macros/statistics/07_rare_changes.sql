{#-
What queries that did not change say of a loss. Their differences have no spread, so that t takes them for certain; yet
with n of n unchanged up to 1 - alpha^(1 / n) of all may change, 39 % of six. A claim that an effect lies within a
margin M needs, besides its test, one of
    50 queries that changed,
    an upper bound of the share that changes, times the largest change that the metric's range allows, of at most M,
    the same test showing better than no difference, where it claims not worse, or worse where it claims not better.
The bound is exact (Clopper & Pearson 1934): with k of n changed it is at most s where P(X <= k) <= alpha, X binomial of
n and s, alpha the level of the claim after the correction. It counts queries that are independent and weigh the same,
and a mean of them. Of clusters, weights and other aggregates 50 that changed are needed. Arms have no differences.
    rare_changes  each effect, a row for each number of changes up to the one seen, with its chance
-#}

{% macro rm_is_bounded(plan) %}
{%- if plan.options.design != 'paired' or not plan.shown -%}{{ return(false) }}{%- endif -%}
{%- for metric in plan.metrics if rankmetrics_sql.rm_margin_of(plan, metric) -%}{{ return(true) }}{%- endfor -%}
{{ return(false) }}
{% endmacro %}

{#- How many changes are enough whatever they are. -#}
{% macro rm_enough_changes() %}
{{ return(50) }}
{% endmacro %}

{#- By how much a metric may be worse, or differ; 0 if it is tested against no difference, or for a gain. -#}
{% macro rm_margin_of(plan, metric) %}
{%- if plan.limits is none -%}{{ return(plan.options.margin) }}{%- endif -%}
{%- set limit = rankmetrics_sql.rm_limit_of(plan, metric) -%}
{{ return(0 if limit is none or limit < 0 else limit) }}
{% endmacro %}

{#- By how much a condition lets a metric be worse; less than 0 if it has to be better, none if no condition asks. -#}
{% macro rm_limit_of(plan, metric) %}
{{ return((plan.limits or {})[metric.label] | default(none)) }}
{% endmacro %}

{#- By how much a metric has to be better; 0 where a loss is asked about. -#}
{% macro rm_gain_of(plan, metric) %}
{%- set limit = rankmetrics_sql.rm_limit_of(plan, metric) -%}
{{ return(0 if limit is none or limit > 0 else -limit) }}
{% endmacro %}

{#- Names of columns, where a claim is bounded. -#}
{% macro rm_if_bounded(plan, names) %}
{{ return(names if rankmetrics_sql.rm_is_bounded(plan) else []) }}
{% endmacro %}

{#- rare_changes, as all stages that an option adds: {stage, that effects are read from; ctes}. -#}
{% macro rm_rare_changes(plan) %}
{%- if not rankmetrics_sql.rm_is_bounded(plan) -%}{{ return({'stage': plan.stages.effects, 'ctes': []}) }}{%- endif -%}
{%- set keys = rankmetrics_sql.rm_effect_keys(plan) -%}
{%- set said = rankmetrics_sql.rm_effect_facts(plan) + ['degrees', 'relative_error', 'join_key']
    + (['bias_degrees'] if rankmetrics_sql.rm_bias_points(plan) else []) -%}
{%- set n = 's.n_human' if rankmetrics_sql.rm_is_predicted(plan) else rankmetrics_sql.rm_as_double('s.n_queries') -%}
{%- set chances = [] -%}
{%- for metric in plan.metrics -%}
    {%- do chances.append(rankmetrics_sql.rm_chance_of_changes(plan, metric, n)) -%}
{%- endfor -%}
{%- set steps = 'SUM(CASE WHEN i.n_changes > 0 AND i.n_changes <= s.n_that_changed THEN LN((' ~ n
    ~ ' - i.n_changes + 1) / i.n_changes) ELSE ' ~ rankmetrics_sql.rm_as_double('0') ~ ' END) OVER (PARTITION BY '
    ~ rankmetrics_sql.rm_qualified('s', rankmetrics_sql.rm_numbered_keys(plan)) | join(', ')
    ~ ' ORDER BY i.n_changes ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set numbers = [] -%}
{%- for number in range(rankmetrics_sql.rm_enough_changes()) -%}{%- do numbers.append([number]) -%}{%- endfor -%}
{%- set chance = rankmetrics_sql.rm_exp('r.patterns + r.chances') -%}
{%- set rows = rankmetrics_sql.rm_rows_of_numbers('p', ['n_changes'], numbers) -%}
{%- set rare_changes %}
    SELECT
        {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('r', keys + said)) }},
        CASE WHEN r.n_changes <= r.n_that_changed THEN {{ chance }} END AS chance
    FROM (
        SELECT
            {{ rankmetrics_sql.rm_lines(rankmetrics_sql.rm_columns_from('s', keys + said), 12) }},
            i.n_changes,
            {{ steps }} AS patterns,
            {{ rankmetrics_sql.rm_by_metric('s', chances) | indent(8) }} AS chances
        FROM {{ plan.stages.effects }} AS s
        LEFT JOIN (
            SELECT
                1 AS join_key,
                {{ rankmetrics_sql.rm_as_double('p.n_changes') }} AS n_changes
            FROM {{ rows | indent(8) }}
        ) AS i ON i.join_key = s.join_key
    ) AS r
{%- endset -%}
{{ return({'stage': plan.stages.rare_changes, 'ctes': [rankmetrics_sql.rm_cte(
    plan.stages.rare_changes, rare_changes,
    'each effect with the chance of so few changes, if changes as large as the metric allows came to the margin'
)]}) }}
{% endmacro %}

{#- The logarithm of s^i (1 - s)^(n - i), or NULL where no share s says how far an effect is. -#}
{% macro rm_chance_of_changes(plan, metric, n) %}
{%- set unknown = rankmetrics_sql.rm_as_double('NULL') -%}
{%- set margin = rankmetrics_sql.rm_margin_of(plan, metric) -%}
{%- set is_mean = metric.aggregate == 'mean' and metric.range and not plan.cluster_names and not plan.weight_names -%}
{%- if not margin or not is_mean -%}{{ return(unknown) }}{%- endif -%}
{%- set share = margin / (metric.range[1] - metric.range[0]) -%}
{%- if metric.label in plan.relative_limits -%}
    {{ return(rankmetrics_sql.rm_chance_of_relative_changes(rankmetrics_sql.rm_number(share) ~ ' * s.baseline', n)) }}
{%- endif -%}
{#- No change is larger than such a margin: what is that rare does not happen. -#}
{%- if share >= 1 -%}{{ return(rankmetrics_sql.rm_number('-1e6')) }}{%- endif -%}
{{ return('i.n_changes * LN(' ~ rankmetrics_sql.rm_number(share) ~ ') + (' ~ n ~ ' - i.n_changes) * LN('
    ~ rankmetrics_sql.rm_number((1 - share) | round(15)) ~ ')') }}
{% endmacro %}

{#- The same, where the share that comes to the margin is known with the baseline of an effect s alone. -#}
{% macro rm_chance_of_relative_changes(share, n) %}
{%- set some = 'CASE WHEN ' ~ share ~ ' > 0 AND ' ~ share ~ ' < 1 THEN ' ~ share ~ ' END' -%}
{{ return('CASE WHEN ' ~ share ~ ' >= 1 THEN ' ~ rankmetrics_sql.rm_number('-1e6') ~ ' ELSE i.n_changes * LN(' ~ some
    ~ ') + (' ~ n ~ ' - i.n_changes) * LN(1 - ' ~ some ~ ') END') }}
{% endmacro %}

{#- How far an effect s is from no difference, in errors; none where that is not asked. -#}
{% macro rm_gain_distance(plan) %}
{%- if not rankmetrics_sql.rm_is_bounded(plan) or plan.options.alternative == 'equivalence' -%}
    {{ return(none) }}
{%- endif -%}
{{ return('CASE WHEN s.standard_error > 0 THEN ABS(s.effect_size) / s.standard_error END') }}
{% endmacro %}

{#- Of an effect s the chance that the claim has in spite of what the test says: it is one where that is small. -#}
{% macro rm_unbounded(plan) %}
{%- if not rankmetrics_sql.rm_is_bounded(plan) -%}{{ return([]) }}{%- endif -%}
{%- set few = 's.n_that_changed < ' ~ rankmetrics_sql.rm_enough_changes() -%}
{%- set bound = 'COALESCE(s.rare, 1)' -%}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- set margin = rankmetrics_sql.rm_margin_of(plan, metric) -%}
    {%- set is_up = plan.options.alternative == 'greater' if plan.limits is none else metric.better != 'lower' -%}
    {%- set sign = ' > ' if is_up else ' < ' -%}
    {%- set limit = rankmetrics_sql.rm_number((-margin if is_up else margin) if margin else 0) -%}
    {%- set is_inside = rankmetrics_sql.rm_distance_from_null_of(plan, metric, 's.effect_size') ~ sign ~ '0'
        if metric.label in plan.relative_limits else 's.effect_size' ~ sign ~ limit -%}
    {%- set condition = few if plan.limits is none else few ~ ' AND ' ~ is_inside -%}
    {%- set chance = bound if plan.options.alternative == 'equivalence' else 'CASE WHEN s.effect_size' ~ sign
        ~ '0 AND s.beyond_gain < ' ~ bound ~ ' THEN s.beyond_gain ELSE ' ~ bound ~ ' END' -%}
    {%- do expressions.append(
        'CASE WHEN ' ~ condition ~ ' THEN ' ~ chance ~ ' WHEN s.n_that_changed >= 0 THEN 0 END' if margin
        else rankmetrics_sql.rm_as_double('0')
    ) -%}
{%- endfor -%}
{{ return([{'name': 'rare_chance', 'sql': rankmetrics_sql.rm_by_metric('s', expressions)}]) }}
{% endmacro %}

{#- The level of a claim to one side, after the correction of its place in the family. -#}
{% macro rm_claim_level(plan) %}
{%- if not rankmetrics_sql.rm_is_bounded(plan) -%}{{ return([]) }}{%- endif -%}
{%- set sides = 1 if plan.limits is none else 2 -%}
{%- set level = rankmetrics_sql.rm_number(((1 - plan.options.confidence_level) / sides) | round(15)) -%}
{%- if rankmetrics_sql.rm_needs_no_correction(plan) -%}
    {{ return([{'name': 'claim_level', 'sql': level}]) }}
{%- endif -%}
{%- set divisor = {
    'none': none, 'bonferroni': 'n_tests', 'holm': '(n_tests - place + 1)', 'bh': 'n_tests * place',
    'by': 'n_tests / ' ~ rankmetrics_sql.rm_harmonic(plan) ~ ' * place',
}[plan.options.correction] -%}
{{ return([{
    'name': 'claim_level',
    'sql': level if divisor is none else 'CASE WHEN pvalue IS NOT NULL THEN ' ~ level ~ ' / ' ~ divisor ~ ' END',
}]) }}
{% endmacro %}

{#- Whether what queries did not do is too little for the claim of a row p. -#}
{% macro rm_may_be_rare() %}
{{ return('p.rare_chance > p.claim_level') }}
{% endmacro %}

{#- The verdict of such a row, a branch of a CASE. -#}
{% macro rm_verdict_of_rare_changes(plan) %}
{%- if not rankmetrics_sql.rm_is_bounded(plan) -%}{{ return([]) }}{%- endif -%}
{{ return(['WHEN ' ~ rankmetrics_sql.rm_may_be_rare() ~ ' THEN ' ~ rankmetrics_sql.rm_inconclusive(plan)]) }}
{% endmacro %}

{#- Why. -#}
{% macro rm_reason_of_rare_changes(plan) %}
{%- if not rankmetrics_sql.rm_is_bounded(plan) -%}{{ return([]) }}{%- endif -%}
{%- set n = 'p.n_clusters' if plan.cluster_names else 'p.n_human' if rankmetrics_sql.rm_is_predicted(plan)
    else 'p.n_queries' -%}
{%- set units = 'clusters' if plan.cluster_names else 'queries' -%}
{%- set level = '1 - POWER(p.claim_level, 1 / ' ~ rankmetrics_sql.rm_as_double(n) ~ ')' -%}
{%- set unchanged = rankmetrics_sql.rm_concatenated([
    "'of '", rankmetrics_sql.rm_whole_number(n), "' unchanged " ~ units ~ " up to '",
    rankmetrics_sql.rm_percent('(' ~ level ~ ')'), "' % may change'",
]) -%}
{%- set some = rankmetrics_sql.rm_concatenated([
    rankmetrics_sql.rm_whole_number('FLOOR(p.n_that_changed)'), "' of '", rankmetrics_sql.rm_whole_number(n),
    "' " ~ units ~ ' changed, fewer than ' ~ rankmetrics_sql.rm_enough_changes() ~ ", so rare changes may be missed'",
]) -%}
{%- set chance = rankmetrics_sql.rm_number((1 - plan.options.confidence_level) | round(15)) -%}
{{ return([{
    'condition': 'p.n_units >= ' ~ rankmetrics_sql.rm_few_units() ~ ' AND p.corrected <= ' ~ chance ~ ' AND '
        ~ rankmetrics_sql.rm_may_be_rare(),
    'text': 'CASE WHEN p.n_that_changed > 0 THEN ' ~ some ~ ' ELSE ' ~ unchanged ~ ' END',
}]) }}
{% endmacro %}

{#- A whole number as text. -#}
{% macro rm_whole_number(sql) %}
{{ return('CAST(' ~ rankmetrics_sql.rm_as_integer(sql) ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')') }}
{% endmacro %}
