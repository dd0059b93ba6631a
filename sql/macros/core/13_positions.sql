{#-
positions: the ranks that occur, with the sum of each weight down to them, for expected values over all orders of the
items with equal scores (ties=expected). An item of a group that fills the ranks n_above + 1 to n_through stands at
each of them equally often, so what a metric adds up over ranks becomes the mean over those ranks: a difference of
running sums over the positions 1, 2, 3 ..., divided by the size of the group.
-#}

{% macro rm_positions(pass) %}
{%- if not pass.weights -%}{{ return([]) }}{%- endif -%}
{%- set down = 'OVER (ORDER BY rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)' -%}
{%- set columns = ['rnk'] -%}
{%- for weight in pass.weights -%}
    {%- set within = 'CASE WHEN rnk <= ' ~ weight.k ~ ' THEN ' ~ weight.sql ~ ' ELSE 0 END' -%}
    {%- set term = weight.sql if weight.k is none else within -%}
    {%- do columns.append({'name': weight.name, 'sql': 'SUM(' ~ term ~ ') ' ~ down}) -%}
{%- endfor -%}
{%- set positions %}
    {{ rankmetrics_sql.rm_select(columns) }}
    FROM (SELECT DISTINCT rnk FROM {{ pass.stages.ranked }}) AS ranks
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(
    pass.stages.positions, positions,
    'the ranks that occur, with the weights of the ranks added up down to each'
)]) }}
{% endmacro %}

{#-
The weights of ranks in use, each as {name, sql, k}: a discount, 1/r for "weight_zipf", p^(r-1) for "weight_power".
-#}
{% macro rm_rank_weights(metrics) %}
{%- set weights = [] -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'weight_discount', ['discount', 'k']) -%}
    {%- do weights.append(rankmetrics_sql.rm_rank_weight(values.discount, values.k)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'weight_zipf', ['k']) -%}
    {%- do weights.append(rankmetrics_sql.rm_rank_weight('zipf', values.k)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'weight_power', ['p', 'k']) -%}
    {%- do weights.append({
        'name': rankmetrics_sql.rm_weight_name('power_' ~ rankmetrics_sql.rm_slug(values.p), values.k),
        'sql': rankmetrics_sql.rm_power(rankmetrics_sql.rm_number(values.p), 'rnk - 1'),
        'k': values.k,
    }) -%}
{%- endfor -%}
{{ return(rankmetrics_sql.rm_distinct(weights)) }}
{% endmacro %}

{% macro rm_rank_weight(discount, k) %}
{{ return({
    'name': rankmetrics_sql.rm_weight_name(rankmetrics_sql.rm_slug(discount), k),
    'sql': rankmetrics_sql.rm_discounted('1', 'rnk', discount),
    'k': k,
}) }}
{% endmacro %}

{#- The joins that bring the sums of weights to the rows m. -#}
{% macro rm_tied_joins(pass) %}
{%- if not pass.weights -%}{{ return([]) }}{%- endif -%}
{%- set through = rankmetrics_sql.rm_as_double('m.n_through') -%}
{%- set above = rankmetrics_sql.rm_as_double('m.n_above') -%}
{{ return([
    'INNER JOIN ' ~ pass.stages.positions ~ ' AS l ON l.rnk = ' ~ through,
    'LEFT JOIN ' ~ pass.stages.positions ~ ' AS a ON a.rnk = ' ~ above,
]) }}
{% endmacro %}

{#- The columns of judged rows for ties, whose order is open. -#}
{% macro rm_tied_columns(pass) %}
{%- if pass.options.ties != 'expected' -%}{{ return([]) }}{%- endif -%}
{%- set n_tied = rankmetrics_sql.rm_as_double('m.n_through - m.n_above') -%}
{%- set columns = [{'name': 'n_tied', 'sql': n_tied}] -%}
{%- for weight in pass.weights -%}
    {%- set sum = '(l.' ~ weight.name ~ ' - COALESCE(a.' ~ weight.name ~ ', 0))' -%}
    {%- do columns.append({'name': weight.name, 'sql': sum ~ ' / ' ~ n_tied}) -%}
{%- endfor -%}
{%- set query = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', pass.plan.row_keys) | join(', ') -%}
{%- set group = query ~ ', m.n_above' -%}
{%- set down = ' ORDER BY m.rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- for values in rankmetrics_sql.rm_needed(pass.metrics, 'tied_relevant', ['rel']) -%}
    {%- set relevant = 'CASE WHEN m.relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) ~ ' THEN 1 ELSE 0 END' -%}
    {%- set slug = rankmetrics_sql.rm_slug(values.rel) -%}
    {%- set so_far = 'SUM(' ~ relevant ~ ') OVER (' ~ query ~ down ~ ')' -%}
    {%- set so_far_in_group = 'SUM(' ~ relevant ~ ') OVER (' ~ group ~ down ~ ')' -%}
    {%- set order = relevant ~ ' DESC NULLS LAST, m.rnk ASC NULLS FIRST' -%}
    {%- for name, number in {
        'tied_relevant_': 'SUM(' ~ relevant ~ ') OVER (' ~ group ~ ')',
        'relevant_above_': so_far ~ ' - ' ~ so_far_in_group,
        'tied_number_': 'ROW_NUMBER() OVER (' ~ group ~ ' ORDER BY ' ~ order ~ ') - 1',
    }.items() -%}
        {%- do columns.append({'name': name ~ slug, 'sql': rankmetrics_sql.rm_as_double(number)}) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
