{#-
Geometric means, compared by t: their ratio is e to the mean L of what the logarithms of both values differ by, so that
t tests L, and the relative interval is that of L. The difference of both means is L times their logarithmic mean,
(candidate - baseline) / L, and so is its error that of L: its interval leaves out 0 exactly where that of L does. What
the level of both means owes to chance is not in it.
-#}

{#- Whether a comparison has the values of a metric as logarithms; what is drawn, and ranks, are of values. -#}
{% macro rm_is_logarithmic(plan, metric) %}
{%- set is_asked = rankmetrics_sql.rm_is_comparison(plan.level) and plan.options.test == 't' -%}
{{ return(is_asked and metric.aggregate == 'geometric') }}
{% endmacro %}

{% macro rm_has_logarithms(plan) %}
{%- set found = [] -%}
{%- for metric in plan.metrics -%}
    {%- if rankmetrics_sql.rm_is_logarithmic(plan, metric) -%}{%- do found.append(metric) -%}{%- endif -%}
{%- endfor -%}
{{ return(found | length > 0) }}
{% endmacro %}

{#- An expression over the rows of an alias; another for metrics that are compared in logarithms. -#}
{% macro rm_or_in_logarithms(plan, alias, usual, in_logarithms) %}
{%- if not rankmetrics_sql.rm_has_logarithms(plan) -%}{{ return(usual) }}{%- endif -%}
{%- set expressions = [] -%}
{%- for metric in plan.metrics -%}
    {%- do expressions.append(in_logarithms if rankmetrics_sql.rm_is_logarithmic(plan, metric) else usual) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_by_metric(alias, expressions)) }}
{% endmacro %}

{#- The difference of the values of a pair. -#}
{% macro rm_difference(plan, alias) %}
{%- set in_logarithms = rankmetrics_sql.rm_logarithm('candidate_value') ~ ' - '
    ~ rankmetrics_sql.rm_logarithm('baseline_value') -%}
{{ return(rankmetrics_sql.rm_or_in_logarithms(plan, alias, 'candidate_value - baseline_value', in_logarithms)) }}
{% endmacro %}

{#- The logarithmic mean of a baseline and a candidate, whose logarithms differ by so much. -#}
{% macro rm_logarithmic_mean(difference, baseline='s.baseline', candidate='s.candidate') %}
{%- set series = '(1 + ' ~ difference ~ ' / 2 * (1 + ' ~ difference ~ ' / 3 * (1 + ' ~ difference ~ ' / 4)))' -%}
{{ return(rankmetrics_sql.rm_case([
    'WHEN ABS(' ~ difference ~ ') < ' ~ rankmetrics_sql.rm_number('1e-3') ~ ' THEN ' ~ baseline ~ ' * ' ~ series,
    'ELSE (' ~ candidate ~ ' - ' ~ baseline ~ ') / ' ~ difference,
], '', 8)) }}
{% endmacro %}
