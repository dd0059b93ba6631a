{#-
What rows of impressions say beside metrics of requests: selects that any model can start from. relation has a row for
each item that a request was shown, with its position from 1 and a relevance of rel or more where it was clicked, as
from_events gives them; an item without a relevance was shown and not clicked.
-#}

{#- The first stage, of all columns. -#}
{% macro rm_impressions(relation) %}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_impressions', 'SELECT * FROM ' ~ relation,
    'the impressions as given', rankmetrics_sql.rm_hint_of_table(relation)
)]) }}
{% endmacro %}

{#- Whether an impression was clicked, and counts: only is a further condition. -#}
{% macro rm_was_clicked(relevance, rel, only=none) %}
{%- set grade = rankmetrics_sql.rm_over_row(relevance) -%}
{%- set clicked = ('' if only is none else only ~ ' AND ') ~ grade ~ ' >= ' ~ rankmetrics_sql.rm_number(rel) -%}
{{ return(rankmetrics_sql.rm_as_double('CASE WHEN ' ~ clicked ~ ' THEN 1 ELSE 0 END')) }}
{% endmacro %}

{#- The columns that rows are grouped by, each of which is one. -#}
{% macro rm_by_columns(by) %}
{%- set groups = rankmetrics_sql.rm_context(by) -%}
{%- for column in groups if not rankmetrics_sql.rm_is_column(column.name ~ '') -%}
    {%- do rankmetrics_sql.rm_raise('by: ' ~ column.name ~ ' is no column.') -%}
{%- endfor -%}
{{ return(groups) }}
{% endmacro %}

{#- The quantile of the normal distribution for an interval of this level. -#}
{% macro rm_point_of_level(confidence_level) %}
{%- set is_level = confidence_level is number and confidence_level is not boolean -%}
{%- if not is_level or confidence_level <= 0 or confidence_level > 0.99999 -%}
    {%- do rankmetrics_sql.rm_raise(
        'confidence_level: ' ~ confidence_level ~ ' is no number above 0 and at most 0.99999.'
    ) -%}
{%- endif -%}
{{ return(rankmetrics_sql.rm_normal_point(((1 - confidence_level) / 2) | round(15), 60)) }}
{% endmacro %}

{#- The ends of Wilson's interval (1927) of the column rate, a share of n; z as of rm_point_of_level. -#}
{% macro rm_wilson(n, z) %}
{%- set zz = rankmetrics_sql.rm_number(z * z) -%}
{%- set middle = '(rate + ' ~ zz ~ ' / (2 * ' ~ n ~ '))' -%}
{%- set spread = '(rate * (1 - rate) + ' ~ zz ~ ' / (4 * ' ~ n ~ ')) / ' ~ n -%}
{%- set reach = rankmetrics_sql.rm_number(z) ~ ' * SQRT(' ~ spread ~ ')' -%}
{%- set stretch = '(1 + ' ~ zz ~ ' / ' ~ n ~ ')' -%}
{{ return({
    'lower': '(' ~ middle ~ ' - ' ~ reach ~ ') / ' ~ stretch,
    'upper': '(' ~ middle ~ ' + ' ~ reach ~ ') / ' ~ stretch,
}) }}
{% endmacro %}
