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
{{ return(rankmetrics_sql.rm_by_bytes('CAST(' ~ column ~ ' AS ' ~ rankmetrics_sql.rm_text_type() ~ ')')) }}
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
{%- if plan.tie_names -%}{%- do columns.extend(rankmetrics_sql.rm_tie_columns(plan)) -%}{%- endif -%}
{%- set ranked %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_run
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_ranked' ~ plan.ranked_suffix, ranked)]) }}
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
    rankmetrics_sql.rm_count_through(plan.row_keys | join(', '), plan.order[0]) ~ ' AS n_through',
]) }}
{% endmacro %}

{#- The rows of a relation r that are kept: those that the judgments q know or that carry a label; or all of them. -#}
{% macro rm_kept_rows(plan) %}
{%- set lines = [] -%}
{%- if not plan.labelled -%}
    {%- set matches = rankmetrics_sql.rm_same('q', 'r', plan.query_keys + ['item_id']) -%}
    {%- do lines.append(('LEFT' if plan.all_rows else 'INNER') ~ ' JOIN ' ~ plan.qrels_name ~ ' AS q ON ' ~ matches) -%}
{%- endif -%}
{%- if plan.options.unjudged in ['mean', 'median'] -%}
    {%- do lines.append('LEFT JOIN rankmetrics_' ~ plan.options.unjudged ~ '_grades AS t ON ' ~ rankmetrics_sql.rm_same('t', 'r', rankmetrics_sql.rm_typical_keys(plan))) -%}
{%- endif -%}
{%- if plan.labelled and not plan.all_rows -%}{%- do lines.append('WHERE r.relevance IS NOT NULL') -%}{%- endif -%}
{{ return(lines | join('\n    ')) }}
{% endmacro %}

{#- The grade of a kept row, known or assumed. -#}
{% macro rm_kept_grade(plan) %}
{%- set grade = 'r.relevance' if plan.labelled else 'q.relevance' -%}
{%- if plan.options.unjudged in ['mean', 'median'] -%}{{ return(rankmetrics_sql.rm_grade_or(grade, 't.typical')) }}{%- endif -%}
{%- if plan.options.assumed_grade is none -%}{{ return(grade) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_grade_or(grade, rankmetrics_sql.rm_number(plan.options.assumed_grade))) }}
{% endmacro %}

{#- What a row has beside its keys: its grade, with a mark where it is assumed, and its subtopic. -#}
{% macro rm_kept_columns(plan) %}
{%- set columns = [] -%}
{%- if plan.options.subtopics -%}{%- do columns.append('q.subtopic') -%}{%- endif -%}
{%- set grade = rankmetrics_sql.rm_kept_grade(plan) -%}
{%- do columns.append(grade if grade in ['r.relevance', 'q.relevance'] else grade ~ ' AS relevance') -%}
{%- if plan.all_rows -%}
    {%- do columns.append('CASE WHEN ' ~ ('r' if plan.labelled else 'q') ~ '.relevance IS NULL THEN 1 ELSE 0 END AS is_unjudged') -%}
{%- endif -%}
{{ return(columns) }}
{% endmacro %}

{#- The mean or median grade of each query's judgments, for the items that have none. -#}
{% macro rm_typical_grades(plan) %}
{%- if plan.options.unjudged not in ['mean', 'median'] -%}{{ return([]) }}{%- endif -%}
{{ return(rankmetrics_sql.rm_typical('rankmetrics_' ~ plan.options.unjudged ~ '_grades', 'rankmetrics_qrels', rankmetrics_sql.rm_typical_keys(plan), 'relevance', plan.options.unjudged)) }}
{% endmacro %}

{% macro rm_typical_keys(plan) %}
{{ return(plan.row_keys if plan.own_truth else plan.query_keys) }}
{% endmacro %}

{#- Mean or median of a column by keys, as the column typical; the median out of row numbers, which every engine has. -#}
{% macro rm_typical(name, source, keys, column, how) %}
{%- set grouped = keys | join(', ') -%}
{%- set by = '\n    GROUP BY ' ~ grouped if keys else '' -%}
{%- if how == 'mean' -%}
    {%- set lines = rankmetrics_sql.rm_lines(keys + ['AVG(' ~ column ~ ') AS typical']) -%}
    {{ return([rankmetrics_sql.rm_cte(name, 'SELECT\n        ' ~ lines ~ '\n    FROM ' ~ source ~ by)]) }}
{%- endif -%}
{%- set over = 'PARTITION BY ' ~ grouped if keys else '' -%}
{%- set numbered %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + [column ~ ' AS typical_value']) }},
        ROW_NUMBER() OVER ({{ (over ~ ' ORDER BY ' ~ column ~ ' ASC NULLS FIRST') | trim }}) AS value_number,
        COUNT(*) OVER ({{ over }}) AS n_values
    FROM {{ source }}
    WHERE {{ column }} IS NOT NULL
{%- endset -%}
{%- set median %}
    SELECT
        {{ rankmetrics_sql.rm_lines(keys + ['AVG(typical_value) AS typical']) }}
    FROM {{ name }}_numbered
    WHERE 2 * value_number BETWEEN n_values AND n_values + 2
    {%- if keys %}
    GROUP BY {{ grouped }}
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte(name ~ '_numbered', numbered), rankmetrics_sql.rm_cte(name, median)]) }}
{% endmacro %}

{#- Window strategy: rank the whole run, then keep the judged items. -#}
{% macro rm_matched_by_window(plan) %}
{%- set columns = rankmetrics_sql.rm_qualified('r', plan.row_keys + ['item_id', 'rnk'] + plan.tie_names) + rankmetrics_sql.rm_kept_columns(plan) -%}
{%- if plan.check != 'none' -%}{%- do columns.extend(rankmetrics_sql.rm_fault_columns(plan)) -%}{%- endif -%}
{%- set matched %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_ranked{{ plan.ranked_suffix }} AS r
    {{ rankmetrics_sql.rm_kept_rows(plan) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_ranked(plan) + [rankmetrics_sql.rm_cte('rankmetrics_matched' ~ plan.matched_suffix, matched)]) }}
{% endmacro %}

{#- What makes a judged row unfit: another row of the same item, a score that orders nothing, a grade that is none. -#}
{% macro rm_fault_columns(plan) %}
{%- set same_item = rankmetrics_sql.rm_qualified('r', plan.row_keys + ['item_id']) + (['q.subtopic'] if plan.options.subtopics else []) -%}
{%- set copies = 'COUNT(*) OVER (PARTITION BY ' ~ same_item | join(', ') ~ ') AS n_copies' -%}
{{ return([copies, rankmetrics_sql.rm_is_undefined('r.sort_value', 'r.relevance' if plan.labelled else 'q.relevance')]) }}
{% endmacro %}

{% macro rm_is_undefined(sort_value, grade) %}
{%- set undefined = [sort_value ~ ' IS NULL', rankmetrics_sql.rm_is_nan(sort_value), rankmetrics_sql.rm_is_nan(grade)] -%}
{{ return('CASE WHEN ' ~ undefined | join(' OR ') ~ ' THEN 1 ELSE 0 END AS is_undefined') }}
{% endmacro %}

{#- Count strategy: a rank is one more than the number of items of the query that come before. -#}
{% macro rm_matched_by_count(plan) %}
{%- set names = [] -%}
{%- for key in plan.order if key.column -%}{%- do names.append(key.name) -%}{%- endfor -%}
{%- set columns = rankmetrics_sql.rm_qualified('r', plan.row_keys + ['item_id'] + names) + rankmetrics_sql.rm_kept_columns(plan) -%}
{%- if plan.check != 'none' -%}
    {%- do columns.append(rankmetrics_sql.rm_is_undefined('r.' ~ names[0], 'r.relevance' if plan.labelled else 'q.relevance')) -%}
{%- endif -%}
{%- set found %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM rankmetrics_run AS r
    {{ rankmetrics_sql.rm_kept_rows(plan) }}
    {%- if not plan.labelled %}
    {{ rankmetrics_sql.rm_always_true('r.' ~ names[0]) }}
    {%- endif %}
{%- endset -%}
{%- set grouped = rankmetrics_sql.rm_qualified('m', plan.row_keys + ['item_id']) -%}
{%- set counted = [] -%}
{%- do counted.append(rankmetrics_sql.rm_count_before(plan)) -%}
{%- if plan.tie_names -%}{%- do counted.extend(rankmetrics_sql.rm_tie_counts(plan)) -%}{%- endif -%}
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
    INNER JOIN rankmetrics_found{{ plan.matched_suffix }} AS m ON {{ rankmetrics_sql.rm_same('m', 'r', plan.row_keys) }}
    GROUP BY {{ grouped | join(', ') }}
{%- endset -%}
{{ return([
    rankmetrics_sql.rm_cte('rankmetrics_found' ~ plan.matched_suffix, found, 'materialized'),
    rankmetrics_sql.rm_cte('rankmetrics_matched' ~ plan.matched_suffix, matched),
]) }}
{% endmacro %}

{% macro rm_count_before(plan) %}
{%- set branches = [] -%}
{%- for key in plan.order -%}
    {%- set r = 'r.' ~ key.name if key.column else rankmetrics_sql.rm_text('r.item_id') -%}
    {%- set m = 'm.' ~ key.name if key.column else rankmetrics_sql.rm_text('m.item_id') -%}
    {%- if loop.last -%}
        {%- do branches.append('WHEN ' ~ r ~ (' > ' if key.descending else ' < ') ~ m ~ ' THEN 1') -%}
    {%- else -%}
        {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_comes_before('r', 'm', key) ~ ' THEN 1') -%}
        {%- do branches.append('WHEN ' ~ rankmetrics_sql.rm_comes_before('m', 'r', key) ~ ' THEN 0') -%}
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

{#- Whether a row comes before another by one key; NULL stands where rm_direction puts it. -#}
{% macro rm_comes_before(one, other, key) %}
{%- set a = one ~ '.' ~ key.name -%}
{%- set b = other ~ '.' ~ key.name -%}
{%- if key.descending -%}{{ return(a ~ ' > ' ~ b ~ ' OR (' ~ b ~ ' IS NULL AND ' ~ a ~ ' IS NOT NULL)') }}{%- endif -%}
{{ return(a ~ ' < ' ~ b ~ ' OR (' ~ a ~ ' IS NULL AND ' ~ b ~ ' IS NOT NULL)') }}
{% endmacro %}

{% macro rm_tie_counts(plan) %}
{%- set key = plan.order[0] -%}
{{ return([
    'COUNT(CASE WHEN ' ~ rankmetrics_sql.rm_comes_before('r', 'm', key) ~ ' THEN 1 END) AS n_above',
    'COUNT(*) - COUNT(CASE WHEN ' ~ rankmetrics_sql.rm_comes_before('m', 'r', key) ~ ' THEN 1 END) AS n_through',
]) }}
{% endmacro %}

{#-
Best and worst case: within a group of equal scores the judged items come in the order of their grades, before the unjudged
ones or after them.
-#}
{% macro rm_placed(plan) %}
{%- if plan.options.ties not in ['best', 'worst'] -%}{{ return([]) }}{%- endif -%}
{%- set best = plan.options.ties == 'best' -%}
{%- set group = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', plan.row_keys + ['n_above']) | join(', ') -%}
{%- set number = 'ROW_NUMBER() OVER (' ~ group ~ ' ORDER BY m.relevance ' ~ ('DESC NULLS LAST' if best else 'ASC NULLS FIRST') ~ ', m.rnk ASC NULLS FIRST)' -%}
{%- set columns = rankmetrics_sql.rm_qualified('m', plan.matched_columns) -%}
{%- set placed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        CAST({{ 'm.n_above' if best else 'm.n_through - COUNT(*) OVER (' ~ group ~ ')' }} + {{ number }} AS {{ rankmetrics_sql.rm_double_type() }}) AS rnk
    FROM rankmetrics_matched{{ plan.matched_suffix }} AS m
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_placed' ~ plan.suffix, placed)]) }}
{% endmacro %}

{#- Without the unjudged items the judged ones move up. -#}
{% macro rm_condensed(plan) %}
{%- if plan.options.unjudged != 'drop' -%}{{ return([]) }}{%- endif -%}
{%- set columns = rankmetrics_sql.rm_qualified('m', plan.matched_columns | reject('in', plan.tie_names) | list) -%}
{%- set partition = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', plan.row_keys) | join(', ') -%}
{%- if plan.options.ties == 'expected' -%}
    {%- do columns.append('RANK() OVER (' ~ partition ~ ' ORDER BY m.n_above ASC NULLS FIRST) - 1 AS n_above') -%}
    {%- do columns.append('RANK() OVER (' ~ partition ~ ' ORDER BY m.n_above ASC NULLS FIRST) - 1 + COUNT(*) OVER (' ~ partition ~ ', m.n_above) AS n_through') -%}
{%- else -%}
    {%- do columns.extend(rankmetrics_sql.rm_qualified('m', plan.tie_names)) -%}
{%- endif -%}
{%- set conditions = [] -%}
{%- if plan.options.depth is not none -%}{%- do conditions.append('m.rnk <= ' ~ plan.options.depth) -%}{%- endif -%}
{%- if plan.options.negative_grades == 'unjudged' -%}{%- do conditions.append('m.relevance >= 0') -%}{%- endif -%}
{%- set condensed %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }},
        CAST({{ 'DENSE_RANK' if plan.options.subtopics else 'ROW_NUMBER' }}() OVER (
            {{ partition }}
            ORDER BY m.rnk ASC NULLS FIRST
        ) AS {{ rankmetrics_sql.rm_double_type() }}) AS rnk
    FROM {{ rankmetrics_sql.rm_before_condensed(plan) }} AS m
    {%- if conditions %}
    WHERE {{ conditions | join(' AND ') }}
    {%- endif %}
{%- endset -%}
{{ return([rankmetrics_sql.rm_cte('rankmetrics_condensed' ~ plan.suffix, condensed)]) }}
{% endmacro %}

{% macro rm_before_condensed(plan) %}
{%- if plan.options.ties in ['best', 'worst'] -%}{{ return('rankmetrics_placed' ~ plan.suffix) }}{%- endif -%}
{{ return('rankmetrics_matched' ~ plan.matched_suffix) }}
{% endmacro %}

{#- judged: the rows that every metric aggregates, with the running columns that some need. -#}
{% macro rm_judged(plan) %}
{%- set dropped = plan.options.unjudged == 'drop' -%}
{%- set source = 'rankmetrics_condensed' ~ plan.suffix if dropped else rankmetrics_sql.rm_before_condensed(plan) -%}
{%- set columns = rankmetrics_sql.rm_qualified('m', plan.row_keys + ['rnk'] + plan.matched_columns | reject('in', plan.row_keys) | list) -%}
{%- for gain in plan.gains -%}
    {%- do columns.append(rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'm.relevance') ~ ' AS ' ~ gain.name) -%}
{%- endfor -%}
{%- do columns.extend(plan.judged_columns) -%}
{%- set judged %}
    SELECT
        {{ rankmetrics_sql.rm_lines(columns) }}
    FROM {{ source }} AS m
    {%- for line in rankmetrics_sql.rm_tied_joins(plan) %}
    {{ line }}
    {%- endfor %}
    {%- if plan.options.depth is not none and not dropped %}
    WHERE m.rnk <= {{ plan.options.depth }}
    {%- endif %}
{%- endset -%}
{%- set before = rankmetrics_sql.rm_placed(plan) + rankmetrics_sql.rm_condensed(plan) + rankmetrics_sql.rm_positions(plan) -%}
{{ return(before + [rankmetrics_sql.rm_cte('rankmetrics_judged' ~ plan.suffix, judged)]) }}
{% endmacro %}

{#- The names of the columns of judged beside the keys of its list; computed are those that it adds to the matched ones. -#}
{% macro rm_judged_names(plan, computed) %}
{%- set names = ['rnk'] + plan.matched_columns | reject('in', plan.row_keys) | list + plan.gains | map(attribute='name') | list -%}
{%- for column in computed -%}
    {%- do names.append(column.split(' AS ')[-1] | trim) -%}
{%- endfor -%}
{{ return(names) }}
{% endmacro %}

{% macro rm_running_columns(plan) %}
{%- set keys = plan.row_keys + (['subtopic'] if plan.options.subtopics else []) -%}
{%- set window = 'PARTITION BY ' ~ rankmetrics_sql.rm_qualified('m', keys) | join(', ') ~ ' ORDER BY m.rnk ASC NULLS FIRST' -%}
{%- set columns = [] -%}
{%- for gain in rankmetrics_sql.rm_present_gains(plan.metrics) -%}
    {%- set worth = rankmetrics_sql.rm_gain(gain.gain, gain.rel, 'm.relevance') -%}
    {%- do columns.append(rankmetrics_sql.rm_number_down(rankmetrics_sql.rm_qualified('m', plan.row_keys), worth if gain.gain is mapping else 'm.relevance', 'm.rnk') ~ ' AS ' ~ rankmetrics_sql.rm_present_rank(gain.gain, gain.rel)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'relevant_so_far', ['rel']) -%}
    {%- set relevant = 'm.relevance >= ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- do columns.append(rankmetrics_sql.rm_running_count(relevant, window) ~ ' AS ' ~ rankmetrics_sql.rm_relevant_so_far(values.rel)) -%}
{%- endfor -%}
{%- for values in rankmetrics_sql.rm_needed(plan.metrics, 'nonrelevant_so_far', ['rel']) -%}
    {%- set nonrelevant = 'm.relevance >= 0 AND m.relevance < ' ~ rankmetrics_sql.rm_number(values.rel) -%}
    {%- do columns.append(rankmetrics_sql.rm_running_count(nonrelevant, window) ~ ' AS ' ~ rankmetrics_sql.rm_nonrelevant_so_far(values.rel)) -%}
{%- endfor -%}
{%- for metric in plan.metrics if metric.has_columns -%}
    {%- for column in rankmetrics_sql.rm_metric_columns(metric, window) -%}
        {%- if column not in columns -%}{%- do columns.append(column) -%}{%- endif -%}
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
