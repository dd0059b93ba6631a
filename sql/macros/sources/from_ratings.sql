{#-
Ratings and what was predicted for them: a row per user and item, ordered by the prediction, with the rating as its
relevance, or 1 where it reaches a threshold, else 0. A rating that is NULL is none: such an item is not judged. A row
without a prediction is not ranked; judgments_from_ratings has it too.

relation   one row per user and item
columns    what the user calls user, item, rating, and predicted, the score that a model gives
threshold  the least rating that is relevant; none where the rating itself is the grade
context    more columns to hand on
-#}
{% macro from_ratings(relation, columns=none, threshold=none, context=[]) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_rating_columns(columns) -%}
{{ return(rankmetrics_sql.rm_rated(
    relation, own, threshold, context, [{'name': 'score', 'sql': rankmetrics_sql.rm_over_row(own.predicted)}]
)) }}
{% endmacro %}

{#- The ratings as judgments, whether something was predicted for them or not. -#}
{% macro judgments_from_ratings(relation, columns=none, threshold=none, context=[]) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{{ return(rankmetrics_sql.rm_rated(relation, rankmetrics_sql.rm_rating_columns(columns), threshold, context)) }}
{% endmacro %}

{#- The rows whose user and item are known, and those other columns. -#}
{% macro rm_rated(relation, own, threshold, context, others=[]) %}
{%- set keys = rankmetrics_sql.rm_source_keys(own.user)
    + [{'name': 'item_id', 'sql': rankmetrics_sql.rm_over_row(own.item_id)}] + others -%}
{%- set rating = rankmetrics_sql.rm_over_row(own.rating) -%}
{%- set grade -%}
    CASE WHEN {{ rating }} >= {{ threshold }} THEN 1 WHEN {{ rating }} IS NOT NULL THEN 0 END
{%- endset -%}
{%- set relevance = {'name': 'relevance', 'sql': rating if threshold is none else grade} -%}
{%- set select -%}
SELECT
    {{ rankmetrics_sql.rm_lines(keys + [relevance] + rankmetrics_sql.rm_context(context), 4) }}
FROM rankmetrics_ratings AS s
WHERE {{ rankmetrics_sql.rm_all_known(keys | map(attribute='sql')) }}
{%- endset -%}
{{ return(rankmetrics_sql.rm_with([rankmetrics_sql.rm_ratings_given(relation)]) ~ '\n\n' ~ select) }}
{% endmacro %}

{#- How many rows have a prediction and a rating, or one of them, and why the others are of no use. -#}
{% macro quality_of_ratings(relation, columns=none, threshold=none, context=[]) %}
{%- if not execute -%}{{ return('') }}{%- endif -%}
{%- set own = rankmetrics_sql.rm_rating_columns(columns) -%}
{%- set users = rankmetrics_sql.rm_source_keys(own.user) | map(attribute='sql') | list -%}
{%- set predicted = rankmetrics_sql.rm_over_row(own.predicted) -%}
{%- set rating = rankmetrics_sql.rm_over_row(own.rating) -%}
{%- set reasons %}
    SELECT
        CASE
            WHEN {{ rankmetrics_sql.rm_any_unknown(users) }} THEN 'no user'
            WHEN {{ rankmetrics_sql.rm_over_row(own.item_id) }} IS NULL THEN 'no item'
            WHEN {{ predicted }} IS NULL AND {{ rating }} IS NULL THEN 'no prediction and no rating'
            WHEN {{ predicted }} IS NULL THEN 'used, not predicted'
            WHEN {{ rating }} IS NULL THEN 'used, not rated'
            ELSE 'used'
        END AS reason
    FROM rankmetrics_ratings AS s
{%- endset -%}
{{ return(rankmetrics_sql.rm_with([
    rankmetrics_sql.rm_ratings_given(relation), rankmetrics_sql.rm_cte(
        'rankmetrics_reasons', reasons,
        'whether each row is used, or why it is set aside'
    ),
]) ~ '\n\n' ~ rankmetrics_sql.rm_select_quality([{'name': 'ratings', 'stage': 'rankmetrics_reasons'}])) }}
{% endmacro %}

{% macro rm_ratings_given(relation) %}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_ratings', 'SELECT * FROM ' ~ relation,
    'the ratings as given'
)) }}
{% endmacro %}

{#- The columns of a source of ratings by what they mean. -#}
{% macro rm_rating_columns(columns) %}
{{ return(rankmetrics_sql.rm_source_columns({
    'user': 'user_id', 'item_id': 'item_id', 'rating': 'rating', 'predicted': 'predicted',
}, columns)) }}
{% endmacro %}
