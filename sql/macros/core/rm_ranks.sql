{#- From the run to judged: one row per retrieved item that has a judgment, with its rank. -#}

{#- ORDER BY of the ranking, from plan.order: a list of {name, column, descending}, most important first. -#}
{% macro rm_order(plan) %}
{%- set keys = [] -%}
{%- for key in plan.order -%}
    {%- do keys.append((key.name if key.column else rankmetrics_sql.rm_text('item_id')) ~ rankmetrics_sql.rm_direction(key)) -%}
{%- endfor -%}
{{ return(keys | join(', ')) }}
{% endmacro %}

{#- NULLs last or first as most engines have it, so that translations need no detour. -#}
{% macro rm_direction(key) %}
{{ return(' DESC NULLS LAST' if key.descending else ' ASC NULLS FIRST') }}
{% endmacro %}

{#- Ids of any type are ordered by the bytes of their text. -#}
{% macro rm_text(column) %}
{{ return('CAST(' ~ column ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')') }}
{% endmacro %}

{% macro rm_ranked(plan) %}
{%- set columns = plan.row_keys + ['item_id'] -%}
{%- if plan.check != 'none' -%}{%- do columns.append(plan.order[0].name ~ ' AS sort_value') -%}{%- endif -%}
{%- if plan.labelled -%}{%- do columns.append('relevance') -%}{%- endif -%}
{%- if plan.options.position == 'given' -%}
    {%- do columns.append(plan.order[0].name ~ ' AS rnk') -%}
{%- else -%}
    {%- do columns.append(rankmetrics_sql.rm_row_number(plan)) -%}
{%- endif -%}
{%- if plan.ties_counted -%}{%- do columns.extend(rankmetrics_sql.rm_tie_columns(plan)) -%}{%- endif -%}
{%- set ranked %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_run
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_ranked', ranked)]) }}
{% endmacro %}

{% macro rm_row_number(plan) %}
{%- set expression -%}
CAST(ROW_NUMBER() OVER (
            PARTITION BY {{ plan.row_keys | join(', ') }}
            ORDER BY {{ rankmetrics_sql.rm_order(plan) }}
        ) AS {{ rankmetrics_sql.rm_double_type() }}) AS rnk
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- n_above and n_through: items before the row's group of equal scores, and down to its end. -#}
{% macro rm_tie_columns(plan) %}
{%- set window = 'PARTITION BY ' ~ plan.row_keys | join(', ') ~ ' ORDER BY ' ~ plan.order[0].name ~ rankmetrics_sql.rm_direction(plan.order[0]) -%}
{{ return([
    'RANK() OVER (' ~ window ~ ') - 1 AS n_above',
    'COUNT(*) OVER (' ~ window ~ ' RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n_through',
]) }}
{% endmacro %}

{#- The judged rows of a relation r: those that the judgments q know, or those that carry a label. -#}
{% macro rm_judged_rows(plan) %}
{%- if plan.labelled -%}{{ return('WHERE r.relevance IS NOT NULL') }}{%- endif -%}
{{ return('INNER JOIN rankmetrics_qrels AS q ON ' ~ rankmetrics_sql.rm_same('q', 'r', plan.query_keys + ['item_id'])) }}
{% endmacro %}

{#- Window strategy: rank the whole run, then keep the judged items. -#}
{% macro rm_matched_by_window(plan) %}
{%- set columns = rankmetrics_sql.rm_qualified('r', plan.row_keys + ['item_id', 'rnk'] + plan.tie_names) + [plan.grade] -%}
{%- if plan.check != 'none' -%}{%- do columns.extend(rankmetrics_sql.rm_fault_columns(plan)) -%}{%- endif -%}
{%- set matched %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_ranked AS r
    {{ rankmetrics_sql.rm_judged_rows(plan) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_ranked(plan) + [rankmetrics_sql.rm_cte('rankmetrics_matched', matched)]) }}
{% endmacro %}

{#- What makes a judged row unfit: another row of the same item, a score that orders nothing, a grade that is none. -#}
{% macro rm_fault_columns(plan) %}
{%- set same_item = rankmetrics_sql.rm_qualified('r', plan.row_keys + ['item_id']) | join(', ') -%}
{{ return(['COUNT(*) OVER (PARTITION BY ' ~ same_item ~ ') AS n_copies', rankmetrics_sql.rm_is_undefined('r.sort_value', plan.grade)]) }}
{% endmacro %}

{% macro rm_is_undefined(sort_value, grade) %}
{%- set undefined = [sort_value ~ ' IS NULL', rankmetrics_sql.rm_is_nan(sort_value), rankmetrics_sql.rm_is_nan(grade)] -%}
{{ return('CASE WHEN ' ~ undefined | join(' OR ') ~ ' THEN 1 ELSE 0 END AS is_undefined') }}
{% endmacro %}

{#- Count strategy: a rank is one more than the number of items of the query that come before. -#}
{% macro rm_matched_by_count(plan) %}
{%- set names = [] -%}
{%- for key in plan.order if key.column -%}{%- do names.append(key.name) -%}{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_qualified('r', plan.row_keys + ['item_id'] + names) + [plan.grade] -%}
{%- if plan.check != 'none' -%}{%- do columns.append(rankmetrics_sql.rm_is_undefined('r.' ~ names[0], plan.grade)) -%}{%- endif -%}
{%- set found %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_run AS r
    {{ rankmetrics_sql.rm_judged_rows(plan) }}
    {%- if not plan.labelled %}
    {{ rankmetrics_sql.rm_always_true('r.' ~ names[0]) }}
    {%- endif %}
{%- endset -%}
{%- set grouped = rankmetrics_sql.rm_qualified('m', plan.row_keys + ['item_id']) -%}
{%- set counted = [] -%}
{%- do counted.append(rankmetrics_sql.rm_count_before(plan)) -%}
{%- if plan.ties_counted -%}{%- do counted.extend(rankmetrics_sql.rm_tie_counts(plan)) -%}{%- endif -%}
{%- if plan.check != 'none' -%}
    {%- do counted.append('COUNT(CASE WHEN r.item_id = m.item_id THEN 1 END) AS n_copies') -%}
{%- endif -%}
{%- for name in ['relevance'] + (['is_undefined'] if plan.check != 'none' else []) -%}
    {%- do counted.append('MAX(m.' ~ name ~ ') AS ' ~ name) -%}
{%- endfor -%}
{%- set matched %}
    SELECT
        {{ rankmetrics_sql.rm_lines(grouped + counted) }}
    FROM rankmetrics_run AS r
    INNER JOIN rankmetrics_found AS m ON {{ rankmetrics_sql.rm_same('m', 'r', plan.row_keys) }}
    GROUP BY {{ grouped | join(', ') }}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_found', found, 'materialized'), rankmetrics_sql.rm_cte('rankmetrics_matched', matched)]) }}
{% endmacro %}

{% macro rm_count_before(plan) %}
{%- set branches = [] -%}
{%- for key in plan.order -%}
    {%- set r = 'r.' ~ key.name if key.column else rankmetrics_sql.rm_text('r.item_id') -%}
    {%- set m = 'm.' ~ key.name if key.column else rankmetrics_sql.rm_text('m.item_id') -%}
    {%- do branches.append('WHEN ' ~ r ~ (' > ' if key.descending else ' < ') ~ m ~ ' THEN 1') -%}
    {%- if not loop.last -%}
        {%- do branches.append('WHEN ' ~ r ~ (' < ' if key.descending else ' > ') ~ m ~ ' OR r.' ~ key.name ~ ' IS NULL THEN 0') -%}
    {%- endif -%}
{%- endfor -%}
{%- set expression -%}
CAST(1 + SUM(CASE
            {{ branches | join('\n            ') }}
            ELSE 0
        END) AS {{ rankmetrics_sql.rm_double_type() }}) AS rnk
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{% macro rm_tie_counts(plan) %}
{%- set name = plan.order[0].name -%}
{%- set beats = ' >' if plan.order[0].descending else ' <' -%}
{{ return([
    'COUNT(CASE WHEN r.' ~ name ~ beats ~ ' m.' ~ name ~ ' THEN 1 END) AS n_above',
    'COUNT(CASE WHEN r.' ~ name ~ beats ~ '= m.' ~ name ~ ' THEN 1 END) AS n_through',
]) }}
{% endmacro %}

{#- Without the unjudged items the judged ones move up. -#}
{% macro rm_condensed(plan) %}
{%- if plan.options.unjudged != 'drop' -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_qualified('m', plan.matched_columns) -%}
{%- set condensed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        CAST(ROW_NUMBER() OVER (
            PARTITION BY {{ rankmetrics_sql.rm_qualified('m', plan.row_keys) | join(', ') }}
            ORDER BY m.rnk ASC NULLS FIRST
        ) AS {{ rankmetrics_sql.rm_double_type() }}) AS rnk
    FROM rankmetrics_matched AS m
    {%- if plan.options.depth is not none %}
    WHERE m.rnk <= {{ plan.options.depth }}
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_condensed', condensed)]) }}
{% endmacro %}

{#- judged: the rows that every metric aggregates, with the running columns that some need. -#}
{% macro rm_judged(plan) %}
{%- set dropped = plan.options.unjudged == 'drop' -%}
{%- set columns = rankmetrics_sql.rm_qualified('m', plan.row_keys + ['rnk'] + plan.matched_columns | reject('in', plan.row_keys) | list) -%}
{%- for gain in plan.gains -%}
    {%- do columns.append(rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'm.relevance') ~ ' AS ' ~ gain.name) -%}
{%- endfor -%}
{%- do columns.extend(rankmetrics_sql.rm_running_columns(plan)) -%}
{%- set judged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ 'rankmetrics_condensed' if dropped else 'rankmetrics_matched' }} AS m
    {%- if plan.options.depth is not none and not dropped %}
    WHERE m.rnk <= {{ plan.options.depth }}
    {%- endif %}
{%- endset -%}
{{ return(rankmetrics_sql.rm_condensed(plan) + [rankmetrics_sql.rm_cte('rankmetrics_judged', judged)]) }}
{% endmacro %}

{% macro rm_running_columns(plan) %}
{%- set window = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', plan.row_keys) | join(', ') ~ ' ORDER BY m.rnk ASC NULLS FIRST' -%}
{%- set columns = [] -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'relevant_so_far', ['rel']) -%}
    {%- set relevant = 'm.relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- do columns.append(rankmetrics_sql.rm_running_count(relevant, window) ~ ' AS ' ~ rankmetrics_sql.rm_relevant_so_far(values.rel)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'nonrelevant_so_far', ['rel']) -%}
    {%- set nonrelevant = 'm.relevance >= 0 AND m.relevance < ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- do columns.append(rankmetrics_sql.rm_running_count(nonrelevant, window) ~ ' AS ' ~ rankmetrics_sql.rm_nonrelevant_so_far(values.rel)) -%}
{%- endfor -%}
{%- for metric in plan.metrics if metric.has_columns -%}
    {%- for column in rankmetrics_sql.rm_metric_columns(metric, window) if column not in columns -%}
        {%- do columns.append(column) -%}
    {%- endfor -%}
{%- endfor -%}
{{ return(columns) }}
{% endmacro %}

{% macro rm_running_count(condition, window) %}
{%- set expression -%}
CAST(SUM(CASE WHEN {{ condition }} THEN 1 ELSE 0 END) OVER (
            {{ window }} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS {{ rankmetrics_sql.rm_double_type() }})
{%- endset -%}
{{ return(expression) }}
{% endmacro %}
