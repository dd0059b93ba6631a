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

{#- How many relevant items stand within rank k. -#}
{% macro rm_hits(rel, k=none) %}
{{ return('CAST(SUM(CASE WHEN ' ~ rankmetrics_sql.rm_is_hit(rel, k) ~ ' THEN 1 ELSE 0 END) AS ' ~ rankmetrics_sql.rm_double_type() ~ ')') }}
{% endmacro %}

{#- Truth: one value per query, so inside an aggregate it is read as MAX(...). -#}
{% macro rm_n_relevant(rel) %}
{{ return('n_relevant_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_n_nonrelevant(rel) %}
{{ return('n_nonrelevant_' ~ rankmetrics_sql.rm_slug(rel)) }}
{% endmacro %}

{% macro rm_ideal_dcg(gain, rel, k=none) %}
{%- set name = rankmetrics_sql.rm_gain_name(gain, rel) | replace('gain_', 'ideal_dcg_') -%}
{{ return(name if k is none else name ~ '_at_' ~ k) }}
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

{#- The gain columns that metrics with a need use, each as {name, gain, rel}. -#}
{% macro rm_gains(metrics, need) %}
{%- set names = [] -%}
{%- set gains = [] -%}
{%- for values in rankmetrics_sql.rm_needed(metrics, need, ['gain', 'rel']) -%}
    {%- set name = rankmetrics_sql.rm_gain_name(values.gain, values.rel) -%}
    {%- if name not in names -%}
        {%- do names.append(name) -%}
        {%- do gains.append({'name': name, 'gain': values.gain, 'rel': values.rel}) -%}
    {%- endif -%}
{%- endfor -%}
{{ return(gains) }}
{% endmacro %}
