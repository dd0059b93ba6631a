-- The recommender that another one must not fall behind.
select user_id, item_id, position
from {{ ref('stg_recommendations') }}
where system = 'popularity'
