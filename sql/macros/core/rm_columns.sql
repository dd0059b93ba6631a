{#- The shared columns that metrics read. Each macro names one; the stages compute what the metrics asked for. -#}

{#- Rows of the list down to rank k, or all of them. -#}
{% macro rm_within(k=none) %}
{{ return('rnk >= 1' if k is none else 'rnk <= ' ~ k) }}
{% endmacro %}

{#- Whether the item is relevant and stands within rank k. -#}
{% macro rm_is_hit(rel, k=none) %}
{%- set relevant = 'relevance >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{{ return(relevant if k is none else relevant ~ ' AND ' ~ rankmetrics_sql.rm_within(k)) }}
{% endmacro %}

{#- How many relevant items stand within rank k, or are expected to. -#}
{% macro rm_hits(rel, k=none, ties=none) %}
{%- if ties == 'expected' and k is not none -%}
    {{ return(rankmetrics_sql.rm_as_double('SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel) ~ ' THEN ' ~ rankmetrics_sql.rm_share_within(k) ~ ' ELSE 0 END)')) }}
{%- endif -%}
{{ return('CAST(SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN 1 ELSE 0 END) AS ' ~ rankmetrics_sql.rm_double_type() ~ ')') }}
{% endmacro %}

{#- How many places precision is over. -#}
{% macro rm_list_length(k, precision_denominator, rel) %}
{%- if k is none -%}{{ return('MAX(n_retrieved)') }}{%- endif -%}
{%- if precision_denominator == 'min_k_retrieved' -%}
    {{ return(rankmetrics_sql.rm_lesser('MAX(n_retrieved)', k)) }}
{%- elif precision_denominator == 'min_k_relevant' -%}
    {{ return(rankmetrics_sql.rm_lesser('MAX(' ~ rankmetrics_sql.rm_n_relevant(rel) ~ ')', k)) }}
{%- endif -%}
{{ return(k | string) }}
{% endmacro %}

{% macro rm_lesser(one, other) %}
{{ return('CASE WHEN ' ~ one ~ ' < ' ~ other ~ ' THEN ' ~ one ~ ' ELSE ' ~ other ~ ' END') }}
{% endmacro %}

{#- Truth: one value per query, on a row of its own, so it is read as MAX(...); a metric with facts_on_rows has it on every row. -#}
{% macro rm_n_relevant(rel) %}
{{ return('n_relevant_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_n_nonrelevant(rel) %}
{{ return('n_nonrelevant_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{#- The column of an ideal: {gain, rel, k, discount, ideal_depth}. -#}
{% macro rm_ideal_dcg(ideal) %}
{%- set name = rankmetrics_sql.rm_gain_name(ideal.gain, ideal.rel) | replace('gain_', 'ideal_dcg_') -%}
{%- if ideal.ideal_depth == 'all_relevant' -%}{%- set name = 'full_dcg' -%}{%- endif -%}
{%- if ideal.ideal_depth == 'min_k_retrieved' -%}{%- set name = name ~ '_retrieved' -%}{%- endif -%}
{%- if ideal.discount != 'log2' -%}{%- set name = name ~ '_' ~ rankmetrics_sql.rm_slug(ideal.discount) -%}{%- endif -%}
{{ return(name if ideal.k is none or ideal.ideal_depth == 'uncut' else name ~ '_at_' ~ ideal.k) }}
{% endmacro %}

{#- The ideal DCG inside an aggregate over the judged rows of a query. -#}
{% macro rm_ideal_value(gain, rel, k, discount, ideal_depth) %}
{%- set ideal = {'gain': gain, 'rel': rel, 'k': k, 'discount': discount, 'ideal_depth': ideal_depth} -%}
{%- if ideal_depth == 'min_k_retrieved' -%}{{ return('COALESCE(MAX(' ~ rankmetrics_sql.rm_ideal_dcg(ideal) ~ '), 0)') }}{%- endif -%}
{%- if ideal_depth != 'present' -%}{{ return('MAX(' ~ rankmetrics_sql.rm_ideal_dcg(ideal) ~ ')') }}{%- endif -%}
{%- set name = rankmetrics_sql.rm_gain_name(gain, rel) -%}
{%- set rank = rankmetrics_sql.rm_present_rank(gain, rel) -%}
{%- set within = name ~ ' > 0' ~ (' AND ' ~ rank ~ ' <= ' ~ k if k is not none else '') -%}
{{ return('SUM(CASE WHEN ' ~ within ~ ' THEN ' ~ rankmetrics_sql.rm_discounted(name, rank, discount) ~ ' ELSE 0 END)') }}
{% endmacro %}

{#- The place that an item of the list would have if the list were sorted by gain. -#}
{% macro rm_present_rank(gain, rel) %}
{{ return('present_' ~ rankmetrics_sql.rm_ideal_rank(gain)) }}
{% endmacro %}

{#- The gains whose ideal is sought among the items present, one for each order that they make. -#}
{% macro rm_present_gains(metrics) %}
{%- set names = [] -%}
{%- set gains = [] -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, 'ideal_dcg', ['gain', 'rel', 'ideal_depth']) if values.ideal_depth == 'present' -%}
    {%- set name = rankmetrics_sql.rm_present_rank(values.gain, values.rel) -%}
    {%- if name not in names -%}
        {%- do names.append(name) -%}
        {%- do gains.append(values) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(gains) }}
{% endmacro %}

{#- A gain by the discount of its rank; a number is the base of a logarithm. -#}
{% macro rm_discounted(gain, rank, discount) %}
{%- if discount == 'none' -%}{{ return(gain) }}{%- endif -%}
{%- if discount == 'zipf' -%}{{ return(gain ~ ' / ' ~ rank) }}{%- endif -%}
{%- if discount == 'ln' -%}{{ return(gain ~ ' / LN(' ~ rank ~ ' + 1)') }}{%- endif -%}
{%- if discount == 'log2' -%}{{ return(gain ~ ' / ' ~ rankmetrics_sql.rm_log2(rank ~ ' + 1')) }}{%- endif -%}
{{ return(gain ~ ' * LN(' ~ rankmetrics_sql.rm_number(discount) ~ ') / LN(' ~ rank ~ ' + 1)') }}
{% endmacro %}

{#- Running counts down to and including the row. -#}
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

{#- The worth of a grade. Grades of 0 and below are worth nothing, unless a map says otherwise. -#}
{% macro rm_gain(gain, rel, grade) %}
{%- set double = rankmetrics_sql.rm_double_type() -%}
{%- set worth = 'CASE WHEN ' ~ grade ~ ' > 0 THEN ' ~ grade ~ ' ELSE 0 END' -%}
{%- if gain is mapping -%}
    {%- set branches = [] -%}
    {%- for key, value in gain.items() -%}
        {%- do branches.append('WHEN ' ~ grade ~ ' = ' ~ rankmetrics_sql.rm_number(key) ~ ' THEN ' ~ rankmetrics_sql.rm_number(value)) -%}
    {%- endfor -%}
    {%- do branches.append('WHEN ' ~ grade ~ ' > 0 THEN ' ~ grade) -%}
    {%- set worth = 'CASE ' ~ branches | join(' ') ~ ' ELSE 0 END' -%}
{%- elif gain == 'exp2' -%}
    {%- set worth = 'CASE WHEN ' ~ grade ~ ' > 0 THEN POWER(CAST(2 AS ' ~ double ~ '), ' ~ grade ~ ') - 1 ELSE 0 END' -%}
{%- elif gain == 'binary' -%}
    {%- set worth = 'CASE WHEN ' ~ grade ~ ' >= ' ~ rankmetrics_sql.rm_number(rel) ~ ' THEN 1 ELSE 0 END' -%}
{%- endif -%}
{{ return('CAST(' ~ worth ~ ' AS ' ~ double ~ ')') }}
{% endmacro %}

{#- The parameters of every metric that needs something, each distinct value once. -#}
{% macro rm_needed(metrics, need, keys) %}
{%- set found = [] -%}
{%- for metric in metrics if need in metric.needs -%}
    {%- set values = {} -%}
    {%- for key in keys -%}{%- do values.update({key: metric.params[key]}) -%}{%- endfor -%}
    {%- if values not in found -%}{%- do found.append(values) -%}{%- endif -%}
{%- endfor -%}
{{ return(found) }}
{% endmacro %}

{#- The gain columns in use, each as {name, gain, rel}. -#}
{% macro rm_gains(needed) %}
{%- set names = [] -%}
{%- set gains = [] -%}
{%- for values in needed -%}
    {%- set name = rankmetrics_sql.rm_gain_name(values.gain, values.rel) -%}
    {%- if name not in names -%}
        {%- do names.append(name) -%}
        {%- do gains.append({'name': name, 'gain': values.gain, 'rel': values.rel}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(gains) }}
{% endmacro %}
