{#-
Ratings and what was predicted for them: a row per user and item, ordered by the prediction, with the rating as its
relevance, or 1 where it reaches a threshold, else 0. A rating that is NULL is none: such an item is not judged. A row
without a prediction is not ranked; judgments_from_ratings has it too.

relation          one row per user and item
predicted_column  the score that a model gives
threshold         the least rating that is relevant; none where the rating itself is the grade
context           more columns to hand on
-#}
{% macro from_ratings(
    relation, user_column='user_id', item_column='item_id', rating_column='rating', predicted_column='predicted',
    threshold=none, context=[]
) %}
{{ return(rankmetrics_sql.rm_rated(
    relation, user_column, item_column, rating_column, threshold, context,
    [{'name': 'score', 'sql': rankmetrics_sql.rm_over_row(predicted_column)}]
)) }}
{% endmacro %}

{#- The ratings as judgments, whether something was predicted for them or not. -#}
{% macro judgments_from_ratings(
    relation, user_column='user_id', item_column='item_id', rating_column='rating', threshold=none, context=[]
) %}
{{ return(rankmetrics_sql.rm_rated(relation, user_column, item_column, rating_column, threshold, context)) }}
{% endmacro %}

{#- The rows whose user and item are known, and those other columns. -#}
{% macro rm_rated(relation, user_column, item_column, rating_column, threshold, context, others=[]) %}
{%- set keys = rankmetrics_sql.rm_source_keys(user_column)
    + [{'name': 'item_id', 'sql': rankmetrics_sql.rm_over_row(item_column)}] + others -%}
{%- set rating = rankmetrics_sql.rm_over_row(rating_column) -%}
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
{% macro quality_of_ratings(
    relation, user_column='user_id', item_column='item_id', rating_column='rating', predicted_column='predicted',
    threshold=none, context=[]
) %}
{%- set users = rankmetrics_sql.rm_source_keys(user_column) | map(attribute='sql') | list -%}
{%- set predicted = rankmetrics_sql.rm_over_row(predicted_column) -%}
{%- set rating = rankmetrics_sql.rm_over_row(rating_column) -%}
{%- set reasons %}
    SELECT
        CASE
            WHEN {{ rankmetrics_sql.rm_any_unknown(users) }} THEN 'no user'
            WHEN {{ rankmetrics_sql.rm_over_row(item_column) }} IS NULL THEN 'no item'
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
        'what became of each row, or why it is set aside'
    ),
]) ~ '\n\n' ~ rankmetrics_sql.rm_select_quality([{'name': 'ratings', 'stage': 'rankmetrics_reasons'}])) }}
{% endmacro %}

{% macro rm_ratings_given(relation) %}
{{ return(rankmetrics_sql.rm_cte(
    'rankmetrics_ratings', 'SELECT * FROM ' ~ relation,
    'the ratings as they were given'
)) }}
{% endmacro %}
