{#- The shared columns that metrics read. Each macro names one; the stages compute what the metrics asked for. -#}

{#- Truth, one value per query, read as MAX(...): on a row of its own, or on all where a metric has facts_on_rows. -#}
{% macro rm_n_relevant(rel) %}
{{ return('n_relevant_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_n_nonrelevant(rel) %}
{{ return('n_nonrelevant_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{#- How many items of the list stand within rank k. -#}
{% macro rm_n_shown(k) %}
{{ return('n_shown_at_' ~ k) }}
{% endmacro %}

{#- How many subtopics of the query have a relevant item. -#}
{% macro rm_n_subtopics(rel) %}
{{ return('n_subtopics_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{#- How many relevant items make a query one of those with a relevant item. -#}
{% macro rm_n_universe(rel) %}
{{ return('n_relevant_universe_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{#- The column of an ideal: {gain, rel, k, discount, ideal_depth}. -#}
{% macro rm_ideal_dcg(ideal) %}
{%- set name = rankmetrics_sql.rm_gain_name(ideal.gain, ideal.rel) | replace('gain_', 'ideal_dcg_') -%}
{%- if ideal.ideal_depth == 'all_relevant' -%}{%- set name = 'full_dcg' -%}{%- endif -%}
{%- if ideal.ideal_depth == 'min_k_retrieved' -%}{%- set name = name ~ '_retrieved' -%}{%- endif -%}
{%- if ideal.discount != 'log2' -%}{%- set name = name ~ '_' ~ rankmetrics_sql.rm_slug(ideal.discount) -%}{%- endif -%}
{{ return(name if ideal.k is none or ideal.ideal_depth == 'uncut' else name ~ '_at_' ~ ideal.k) }}
{% endmacro %}

{#- Of the row: running counts down to and including it. -#}
{% macro rm_relevant_so_far(rel) %}
{{ return('relevant_so_far_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_nonrelevant_so_far(rel) %}
{{ return('nonrelevant_so_far_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_gain_name(gain, rel) %}
{%- if gain is mapping -%}{{ return('gain_map_' ~ rankmetrics_sql.rm_slug(gain)) }}{%- endif -%}
{%- if gain == 'binary' -%}{{ return('gain_binary_' ~ rankmetrics_sql.rm_slug(rel)) }}{%- endif -%}
{{ return('gain_' ~ gain) }}
{% endmacro %}

{#- The place of a judgment in the best possible ranking. Gains that grow with the grade share one order. -#}
{% macro rm_ideal_rank(gain) %}
{{ return('ideal_rnk' if gain is not mapping else 'ideal_rnk_map_' ~ rankmetrics_sql.rm_slug(gain)) }}
{% endmacro %}

{#- The place that an item of the list would have if the list were sorted by gain. -#}
{% macro rm_present_rank(gain) %}
{{ return('present_' ~ rankmetrics_sql.rm_ideal_rank(gain)) }}
{% endmacro %}

{#- The mean weight of an item's ranks within k, for ties=expected. -#}
{% macro rm_weight_name(weight, k=none) %}
{{ return('weight_' ~ weight ~ ('' if k is none else '_at_' ~ k)) }}
{% endmacro %}

{#- The worth of a grade. Grades of 0 and below are worth nothing, unless a map says otherwise. -#}
{% macro rm_gain(gain, rel, grade) %}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set worth = 'CASE WHEN ' ~ grade ~ ' > 0 THEN ' ~ grade ~ ' ELSE 0 END' -%}
{%- if gain is mapping -%}
    {%- set branches = [] -%}
    {%- for key, value in gain.items() -%}
        {%- set known = rankmetrics_sql.rm_number(key) ~ ' THEN ' ~ rankmetrics_sql.rm_number(value) -%}
        {%- do branches.append('WHEN ' ~ grade ~ ' = ' ~ known) -%}
    {%- endfor -%}
    {%- do branches.append('WHEN ' ~ grade ~ ' > 0 THEN ' ~ grade) -%}
    {%- set worth = 'CASE ' ~ branches | join(' ') ~ ' ELSE 0 END' -%}
{%- elif gain == 'exp2' -%}
    {%- set power = 'POWER(CAST(2 AS ' ~ double ~ '), ' ~ grade ~ ')' -%}
    {%- set worth = 'CASE WHEN ' ~ grade ~ ' > 0 THEN ' ~ power ~ ' - 1 ELSE 0 END' -%}
{%- elif gain == 'binary' -%}
    {%- set worth = 'CASE WHEN ' ~ grade ~ ' >= ' ~ rankmetrics_sql.rm_number(rel) ~ ' THEN 1 ELSE 0 END' -%}
{%- endif -%}
{#- Grades are doubles, and so are their powers. -#}
{{ return(worth if gain in ['linear', 'exp2'] else 'CAST(' ~ worth ~ ' AS ' ~ double ~ ')') }}
{% endmacro %}

{#- A gain by the discount of its rank; a number is the base of a logarithm. -#}
{% macro rm_discounted(gain, rank, discount) %}
{%- if discount == 'none' -%}{{ return(gain) }}{%- endif -%}
{%- if discount == 'zipf' -%}{{ return(gain ~ ' / ' ~ rank) }}{%- endif -%}
{%- if discount == 'ln' -%}{{ return(gain ~ ' / LN(' ~ rank ~ ' + 1)') }}{%- endif -%}
{%- if discount == 'log2' -%}{{ return(gain ~ ' / ' ~ rankmetrics_sql.rm_log2(rank ~ ' + 1')) }}{%- endif -%}
{%- if discount == 'log2_rank' -%}
    {{ return(gain ~ ' / CASE WHEN ' ~ rank ~ ' <= 2 THEN 1 ELSE ' ~ rankmetrics_sql.rm_log2(rank) ~ ' END') }}
{%- endif -%}
{{ return(gain ~ ' * LN(' ~ rankmetrics_sql.rm_number(discount) ~ ') / LN(' ~ rank ~ ' + 1)') }}
{% endmacro %}

{#- Divides one number by another; if the divisor is 0, the result is 0 or the given value. -#}
{% macro rm_ratio(above, below, otherwise=0) %}
{%- if (above ~ below) | length < 70 -%}
    {{ return('COALESCE(' ~ above ~ ' / NULLIF(' ~ below ~ ', 0), ' ~ otherwise ~ ')') }}
{%- endif -%}
{%- set expression -%}
COALESCE(
    {{ above }}
    / NULLIF({{ below }}, 0),
    {{ otherwise }}
)
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- A sum by another: 0 where the other is, and NULL without a row. -#}
{% macro rm_ratio_of_sums(above, below) %}
{{ return(rankmetrics_sql.rm_ratio(above, below, otherwise=below)) }}
{% endmacro %}

{#- Places from the highest value down; the next key, where rows of equal values are not alike. -#}
{% macro rm_number_down(keys, sorted_by, next=none) %}
{%- set expression -%}
CAST(ROW_NUMBER() OVER (
            PARTITION BY {{ keys | join(', ') }}
            ORDER BY {{ sorted_by }} DESC NULLS LAST{{ ', ' ~ next ~ ' ASC NULLS FIRST' if next else '' }}
        ) AS {{ rankmetrics_sql.rm_double_type() }})
{%- endset -%}
{{ return(expression) }}
{% endmacro %}

{#- The gain columns in use, each once, as {name, gain, rel}. -#}
{% macro rm_gains(needed) %}
{%- set gains = {} -%}
{%- for values in needed -%}
    {%- set name = rankmetrics_sql.rm_gain_name(values.gain, values.rel) -%}
    {%- if name not in gains -%}
        {%- do gains.update({name: {'name': name, 'gain': values.gain, 'rel': values.rel}}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(gains.values() | list) }}
{% endmacro %}

{#- The gains whose ideal is sought among the items present, one for each order that they make. -#}
{% macro rm_present_gains(metrics) %}
{%- set gains = {} -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'ideal_dcg', ['gain', 'rel', 'ideal_depth']) -%}
    {%- set name = rankmetrics_sql.rm_present_rank(values.gain) if values.ideal_depth == 'present' else none -%}
    {%- if name is not none and name not in gains -%}{%- do gains.update({name: values}) -%}{%- endif -%}
{%- endfor -%}
{{ return(gains.values() | list) }}
{% endmacro %}
