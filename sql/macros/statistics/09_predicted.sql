{#- What a result says of predictions beside its value or effect (02_predicted.sql): both sides, bias, and reasons. -#}

{#- The point that the interval of the bias reaches to. -#}
{% macro rm_bias_points(plan) %}
{%- set is_shown = rankmetrics_sql.rm_is_predicted(plan)
    and (not rankmetrics_sql.rm_is_comparison(plan.level) or 'interval' in plan.shown) -%}
{%- set beyond = ((1 - plan.options.confidence_level) / 2) | round(15) -%}
{{ return([rankmetrics_sql.rm_point('bias_point', beyond, 'bias_degrees', 'bias_height')] if is_shown else []) }}
{% endmacro %}

{#- Its error and degrees of freedom, of the values g of a summary. -#}
{% macro rm_bias_of_values(plan) %}
{{ return({'bias_error': 'SQRT(g.bias_variance)', 'bias_degrees': 'g.human_degrees'}
    if rankmetrics_sql.rm_is_predicted(plan) else {}) }}
{% endmacro %}

{% macro rm_bias_names(plan) %}
{{ return(['bias_error'] if rankmetrics_sql.rm_is_predicted(plan) else []) }}
{% endmacro %}

{#- What effects say of predictions, by name. -#}
{% macro rm_effect_prediction_names(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{{ return(['mean_human', 'mean_predicted', 'mean_bias', 'bias_error', 'ppi_lambda', 'n_human', 'n_predicted',
    'n_unpredicted', 'human_variance', 'least_human', 'least_predicted', 'is_tuned', 'apart']
    + (['baseline_ppi_lambda'] if plan.options.design != 'paired' else [])) }}
{% endmacro %}

{#- The same of pairs s. -#}
{% macro rm_facts_of_pair_predictions(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_columns_from('s', [
    'mean_human', 'mean_predicted', 'mean_bias', 'ppi_lambda', 'n_human', 'n_predicted', 'n_unpredicted',
    'human_variance', 'is_tuned', 'apart',
]) + rankmetrics_sql.rm_named({
    'bias_error': 'SQRT(s.bias_variance)', 'bias_degrees': 's.human_degrees', 'least_human': 's.n_human',
    'least_predicted': 's.n_predicted',
})) }}
{% endmacro %}

{#- The same of arms s: differences, and of both arms together or the smaller one. -#}
{% macro rm_facts_of_arm_predictions(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{%- set columns = {} -%}
{%- for name in ['mean_human', 'mean_predicted', 'mean_bias'] -%}
    {%- do columns.update({name: 's.' ~ name ~ ' - s.baseline_' ~ name}) -%}
{%- endfor -%}
{%- for name in ['n_human', 'n_predicted', 'n_unpredicted', 'human_variance'] -%}
    {%- do columns.update({name: 's.' ~ name ~ ' + s.baseline_' ~ name}) -%}
{%- endfor -%}
{%- for name, of in {'least_human': 'n_human', 'least_predicted': 'n_predicted', 'is_tuned': 'is_tuned'}.items() -%}
    {%- do columns.update({name: rankmetrics_sql.rm_lesser('s.' ~ of, 's.baseline_' ~ of)}) -%}
{%- endfor -%}
{%- set own, other = 's.bias_variance', 's.baseline_bias_variance' -%}
{%- do columns.update({
    'ppi_lambda': 's.ppi_lambda', 'baseline_ppi_lambda': 's.baseline_ppi_lambda',
    'apart': 'CASE WHEN ABS(s.apart) < ABS(s.baseline_apart) THEN s.baseline_apart ELSE s.apart END',
    'bias_error': 'SQRT(' ~ own ~ ' + ' ~ other ~ ')',
    'bias_degrees': 'POWER(' ~ own ~ ' + ' ~ other ~ ', 2) / NULLIF(POWER(' ~ own ~ ', 2) / s.human_degrees + POWER('
        ~ other ~ ', 2) / s.baseline_human_degrees, 0)',
}) -%}
{{ return(rankmetrics_sql.rm_named(columns)) }}
{% endmacro %}

{#- The columns of a result about predictions, of rows with an alias; own is by people and by the model its name. -#}
{% macro rm_columns_of_predictions(plan, alias, own, error) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{%- set dot = alias ~ '.' -%}
{%- set columns = {
    'human_' ~ own: dot ~ 'mean_human',
    'predicted_' ~ own: dot ~ 'mean_predicted',
    'bias': dot ~ 'mean_bias',
    'bias_ci_lower': dot ~ 'mean_bias - ' ~ dot ~ 'bias_error * ' ~ dot ~ 'bias_point',
    'bias_ci_upper': dot ~ 'mean_bias + ' ~ dot ~ 'bias_error * ' ~ dot ~ 'bias_point',
    'ppi_lambda': dot ~ 'ppi_lambda',
} -%}
{%- if rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.design != 'paired' -%}
    {%- do columns.update({'baseline_ppi_lambda': dot ~ 'baseline_ppi_lambda'}) -%}
{%- endif -%}
{%- for name in ['n_human', 'n_predicted'] -%}
    {%- do columns.update({name: rankmetrics_sql.rm_as_integer('COALESCE(' ~ dot ~ name ~ ', 0)')}) -%}
{%- endfor -%}
{%- do columns.update({
    'effective_n': dot ~ 'n_human * ' ~ dot ~ 'human_variance / NULLIF(POWER(' ~ error ~ ', 2), 0)',
}) -%}
{{ return(rankmetrics_sql.rm_named(columns)) }}
{% endmacro %}

{#- The same of a summary's values g. -#}
{% macro rm_predicted_facts(plan) %}
{{ return(rankmetrics_sql.rm_columns_of_predictions(plan, 'g', 'value', 'g.error')) }}
{% endmacro %}

{#- Why a value of a summary is less than it seems, or none. -#}
{% macro rm_reason_of_values(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{%- set branches = [] -%}
{%- for reason in rankmetrics_sql.rm_reasons_of_predictions('g', 'n_human', 'n_predicted') -%}
    {%- do branches.append('WHEN ' ~ reason.condition ~ ' THEN ' ~ reason.text) -%}
{%- endfor -%}
{{ return([{'name': 'reason', 'sql': rankmetrics_sql.rm_case(branches, '', 0) | indent(4)}]) }}
{% endmacro %}

{#- The reasons of a row, one at most. -#}
{% macro rm_reasons_of_predictions(alias, n_human, n_predicted) %}
{%- set dot = alias ~ '.' -%}
{%- set fewest = rankmetrics_sql.rm_fewest_human() -%}
{%- set is_known = dot ~ 'n_unpredicted = 0 AND ' ~ dot ~ n_human ~ ' >= ' ~ fewest ~ ' AND ' -%}
{{ return([
    {'condition': dot ~ 'n_unpredicted > 0', 'text': "'labelled queries lack predicted judgments'"},
    {'condition': dot ~ 'n_unpredicted = 0 AND ' ~ dot ~ n_human ~ ' < ' ~ fewest,
        'text': "'fewer than " ~ fewest ~ " queries have human judgments'"},
    {'condition': is_known ~ dot ~ n_predicted ~ ' < 2', 'text': "'no other queries, so the human mean'"},
    {'condition': is_known ~ dot ~ n_predicted ~ ' >= 2 AND ' ~ dot ~ 'is_tuned = 0',
        'text': "'predictions do not differ, so the human mean'"},
]) }}
{% endmacro %}

{#- Those of an effect p. -#}
{% macro rm_reason_of_predictions(plan) %}
{%- if not rankmetrics_sql.rm_is_predicted(plan) -%}{{ return([]) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_reasons_of_predictions('p', 'least_human', 'least_predicted')) }}
{% endmacro %}

{#- What only warnings read. -#}
{% macro rm_hidden_predictions(plan) %}
{%- set is_told = rankmetrics_sql.rm_is_predicted(plan) and rankmetrics_sql.rm_has_tails(plan) -%}
{{ return(['n_unpredicted', 'apart'] if is_told else []) }}
{% endmacro %}
