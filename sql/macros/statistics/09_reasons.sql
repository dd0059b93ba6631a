{#-
What a verdict rests on, where that is less than it seems: all reasons of a row p, joined by "; ", or NULL. Each is
{condition, text}, both SQL over p; a new one is one entry here.
-#}

{% macro rm_reasons(plan) %}
{%- set of_ends = {'condition': rankmetrics_sql.rm_ends_differ(), 'text': "'unjudged items decide'"} -%}
{{ return(rankmetrics_sql.rm_reason_of_judged_shares(plan) + ([of_ends] if plan.n_ends > 1 else [])
    + rankmetrics_sql.rm_reason_of_rare_changes(plan) + rankmetrics_sql.rm_reason_of_predictions(plan)) }}
{% endmacro %}

{#-
Few items of a run are judged, or fewer than of the other: 0.55 is not more than five points above 0.5, whatever the
rounding of their difference says. Silent where nothing is judged not relevant, where the rows are their own judgments
or ratings, and where the caller says that unjudged items are not relevant.
-#}
{% macro rm_reason_of_judged_shares(plan) %}
{%- set numbers = [] -%}
{%- for metric in plan.metrics if metric.reads_judgments and not metric.says_nonrelevant
    and metric.ranking.unjudged == 'nonrelevant' -%}
    {%- do numbers.append(plan.metrics.index(metric) + 1) -%}
{%- endfor -%}
{%- if not plan.basis_names or plan.own_truth or not numbers -%}{{ return([]) }}{%- endif -%}
{%- set half = rankmetrics_sql.rm_number(0.5) -%}
{%- set apart = 'ABS(p.judged_candidate - p.judged_baseline) > ' ~ rankmetrics_sql.rm_number('0.050000000001') -%}
{%- set conditions = [
    '(' ~ apart ~ ' OR p.judged_candidate < ' ~ half ~ ' OR p.judged_baseline < ' ~ half ~ ')',
    'p.judged_candidate IS NOT NULL AND p.judged_baseline IS NOT NULL',
    rankmetrics_sql.rm_lowest_judged_grade(plan) ~ ' < ' ~ rankmetrics_sql.rm_number(plan.options.rel),
] -%}
{%- if numbers | length < plan.metrics | length -%}
    {%- do conditions.append(rankmetrics_sql.rm_is_one_of('p.metric_number', numbers)) -%}
{%- endif -%}
{%- set candidate = rankmetrics_sql.rm_text_of_name(plan, 'p.run_id') -%}
{%- set baseline = rankmetrics_sql.rm_text_of_name(plan, 'p.baseline_run') if plan.all_pairs
    else rankmetrics_sql.rm_string(plan.baseline) -%}
{{ return([{
    'condition': conditions | join('\n            AND '),
    'text': rankmetrics_sql.rm_concatenated([
        rankmetrics_sql.rm_percent('p.judged_candidate'), "' % of '", candidate, "' is judged against '",
        rankmetrics_sql.rm_percent('p.judged_baseline'), "' % of '", baseline,
    ]),
}]) }}
{% endmacro %}

{#- The name of a run, which is no text where a column of the user's has another type. -#}
{% macro rm_text_of_name(plan, name) %}
{%- set is_text = plan.runs | selectattr('columns.run_id') | list | length == 0 -%}
{{ return(name if is_text else 'CAST(' ~ name ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')') }}
{% endmacro %}

{#- A share in whole percents, rounded down, as text: 100 is all of it. What rounding took from one comes back. -#}
{% macro rm_percent(share) %}
{%- set percents = 'FLOOR(100 * ' ~ share ~ ' + ' ~ rankmetrics_sql.rm_number('1e-9') ~ ')' -%}
{{ return('CAST(' ~ rankmetrics_sql.rm_as_integer(percents) ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')') }}
{% endmacro %}

{% macro rm_reason(plan) %}
{%- set reasons = rankmetrics_sql.rm_reasons(plan) -%}
{%- set type = rankmetrics_sql.rm_text_type() -%}
{%- if not reasons -%}{{ return('CAST(NULL AS ' ~ type ~ ')') }}{%- endif -%}
{%- if reasons | length == 1 -%}
    {{ return(rankmetrics_sql.rm_case(['WHEN ' ~ reasons[0].condition ~ '\n        THEN ' ~ reasons[0].text], '', 0)) }}
{%- endif -%}
{%- set conditions = [] -%}
{%- set texts = [] -%}
{%- for reason in reasons -%}
    {%- do conditions.append('(' ~ reason.condition ~ ')') -%}
    {%- set text = rankmetrics_sql.rm_concatenated(["'; '", reason.text]) -%}
    {%- do texts.append('CASE WHEN ' ~ reason.condition ~ ' THEN ' ~ text ~ " ELSE '' END") -%}
{%- endfor -%}
{{ return('CASE WHEN ' ~ conditions | join(' OR ') ~ ' THEN SUBSTR('
    ~ rankmetrics_sql.rm_concatenated(texts) ~ ', 3) END') }}
{% endmacro %}
