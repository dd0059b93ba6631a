{#-
What rows of impressions say beside metrics of requests: selects that any model can start from. relation has a row for
each item that a request was shown, with its position from 1 and a relevance of rel or more where it was clicked, as
from_events gives them; an item without a relevance was shown and not clicked.
-#}

{#- The first stage, of all columns. -#}
{% macro rm_impressions(relation) %}
{{ return([rankmetrics_sql.rm_cte(
    'rankmetrics_impressions', 'SELECT * FROM ' ~ relation,
    'the impressions as given'
)]) }}
{% endmacro %}

{% macro rm_was_clicked(relevance, rel) %}
{%- set grade = rankmetrics_sql.rm_over_row(relevance) -%}
{%- set clicked = 'CASE WHEN ' ~ grade ~ ' >= ' ~ rankmetrics_sql.rm_number(rel) ~ ' THEN 1 ELSE 0 END' -%}
{{ return(rankmetrics_sql.rm_as_double(clicked)) }}
{% endmacro %}
