{#-
Whether a log need not hand on the items that nothing was done with, see rm_select_rows_that_count: with positions as
they are given, what metrics add up are relevant items at their places. An item of grade 0 matters to those that count
all items, or others than the relevant ones, and where a choice gives it a gain or lets it move others. more names
what else metrics may read.
-#}
{% macro rm_relevant_rows_are_enough(level, metrics, options, more=[]) %}
{%- set levels = [
    'summary', 'sums', 'per_query', 'values', 'compare', 'compare_per_query', 'decompose', 'curve', 'curve_per_query',
] -%}
{%- if level not in levels or options.position != 'given' or options.impute is not none
    or options.duplicates == 'first' or options.strategy == 'count' -%}
    {{ return(false) }}
{%- endif -%}
{%- for metric in metrics if not rankmetrics_sql.rm_reads_relevant_rows_alone(metric, options, more) -%}
    {{ return(false) }}
{%- endfor -%}
{{ return(true) }}
{% endmacro %}

{% macro rm_reads_relevant_rows_alone(metric, options, more=[]) %}
{%- set choices = metric.ranking -%}
{%- set params = metric.params -%}
{%- set needs = ['gain', 'ideal_dcg', 'n_relevant', 'relevant_so_far', 'shared_places', 'facts_on_rows'] -%}
{%- set threshold = params.rel if params.rel is defined else options.rel -%}
{{ return(
    metric.expression is not defined
    and metric.shape == 'value'
    and not metric.of_lists
    and metric.needs | reject('in', needs + more) | list | length == 0
    and choices.unjudged == 'nonrelevant'
    and choices.judgments == 'all'
    and choices.queries in ['judged', 'judged_relevant']
    and choices.ties not in ['expected', 'best', 'worst']
    and threshold > 0
    and params.get('gain') is not mapping
    and params.get('ideal_depth', 'min_k') in ['min_k', 'uncut', 'all_relevant']
) }}
{% endmacro %}
