{#-
Expected values over all orders of the items with equal scores (ties=expected). An item of a group that fills the ranks
n_above + 1 to n_through stands at each of them equally often, so what a metric adds up over ranks becomes the mean over
those ranks: a difference of running sums over the positions 1, 2, 3 ..., divided by the size of the group.
-#}

{#- The chance that an item stands within rank k. -#}
{% macro rm_share_within(k) %}
{{ return('CASE WHEN n_through <= ' ~ k ~ ' THEN 1 WHEN n_above >= ' ~ k ~ ' THEN 0 ELSE (' ~ k ~ ' - n_above) / n_tied END') }}
{% endmacro %}

{#- The weights of ranks in use, each as {name, sql, k}: a discount, 1/r for "weight_zipf", p^(r-1) for "weight_power". -#}
{% macro rm_rank_weights(metrics) %}
{%- set weights = [] -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'weight_discount', ['discount', 'k']) -%}
    {%- do weights.append(rankmetrics_sql.rm_rank_weight(values.discount, values.k)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'weight_zipf', ['k']) -%}
    {%- set weight = rankmetrics_sql.rm_rank_weight('zipf', values.k) -%}
    {%- if weight not in weights -%}{%- do weights.append(weight) -%}{%- endif -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'weight_power', ['p', 'k']) -%}
    {%- do weights.append({
        'name': rankmetrics_sql.rm_weight_name('power_' ~ rankmetrics_sql.rm_slug(values.p), values.k),
        'sql': rankmetrics_sql.rm_power(rankmetrics_sql.rm_number(values.p), 'rnk - 1'),
        'k': values.k,
    }) -%}
{%- endfor -%}
{{ return(weights) }}
{% endmacro %}

{% macro rm_rank_weight(discount, k) %}
{{ return({
    'name': rankmetrics_sql.rm_weight_name(rankmetrics_sql.rm_slug(discount), k),
    'sql': rankmetrics_sql.rm_discounted('1', 'rnk', discount),
    'k': k,
}) }}
{% endmacro %}

{#- The column with the mean weight of an item's ranks within k. -#}
{% macro rm_weight_name(kind, k=none) %}
{{ return('weight_' ~ kind ~ ('' if k is none else '_at_' ~ k)) }}
{% endmacro %}

{#- positions: the ranks that occur, with the sum of each weight down to them. -#}
{% macro rm_positions(plan) %}
{%- if not plan.weights -%}{{ return([]) }}{%- endif -%}
{%- set columns = ['rnk'] -%}
{%- for weight in plan.weights -%}
    {%- set term = weight.sql if weight.k is none else 'CASE WHEN rnk <= ' ~ weight.k ~ ' THEN ' ~ weight.sql ~ ' ELSE 0 END' -%}
    {%- do columns.append('SUM(' ~ term ~ ') OVER (ORDER BY rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS ' ~ weight.name) -%}
{%- endfor -%}
{%- set positions %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM (SELECT DISTINCT rnk FROM rankmetrics_ranked{{ plan.ranked_suffix }}) AS ranks
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_positions' ~ plan.suffix, positions)]) }}
{% endmacro %}

{% macro rm_tied_joins(plan) %}
{%- if not plan.weights -%}{{ return([]) }}{%- endif -%}
{{ return([
    'INNER JOIN rankmetrics_positions' ~ plan.suffix ~ ' AS l ON l.rnk = ' ~ rankmetrics_sql.rm_as_double('m.n_through'),
    'LEFT JOIN rankmetrics_positions' ~ plan.suffix ~ ' AS a ON a.rnk = ' ~ rankmetrics_sql.rm_as_double('m.n_above'),
]) }}
{% endmacro %}

{#- What judged rows have besides, where their place in a group of equal scores is left open. -#}
{% macro rm_tied_columns(plan) %}
{%- if plan.options.ties != 'expected' -%}{{ return([]) }}{%- endif -%}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set columns = ['CAST(m.n_through - m.n_above AS ' ~ double ~ ') AS n_tied'] -%}
{%- for weight in plan.weights -%}
    {%- do columns.append('(l.' ~ weight.name ~ ' - COALESCE(a.' ~ weight.name ~ ', 0)) / (m.n_through - m.n_above) AS ' ~ weight.name) -%}
{%- endfor -%}
{%- set query = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', plan.row_keys) | join(', ') -%}
{%- set group = query ~ ', m.n_above' -%}
{%- set down = ' ORDER BY m.rnk ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'tied_relevant', ['rel']) -%}
    {%- set relevant = 'CASE WHEN m.relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) ~ ' THEN 1 ELSE 0 END' -%}
    {%- set slug = rankmetrics_sql.rm_slug(values.rel) -%}
    {%- do columns.append('CAST(SUM(' ~ relevant ~ ') OVER (' ~ group ~ ') AS ' ~ double ~ ') AS tied_relevant_' ~ slug) -%}
    {%- do columns.append('CAST(SUM(' ~ relevant ~ ') OVER (' ~ query ~ down ~ ') - SUM(' ~ relevant ~ ') OVER (' ~ group ~ down ~ ') AS ' ~ double ~ ') AS relevant_above_' ~ slug) -%}
    {%- do columns.append('CAST(ROW_NUMBER() OVER (' ~ group ~ ' ORDER BY ' ~ relevant ~ ' DESC NULLS LAST, m.rnk ASC NULLS FIRST) - 1 AS ' ~ double ~ ') AS tied_number_' ~ slug) -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}
