-- Four and a half stars are a favourite, three and a half a good film; the rest is judged and not relevant.
select
    ratings.user_id,
    ratings.item_id,
    case when ratings.rating >= 4.5 then 2 when ratings.rating >= 3.5 then 1 else 0 end as relevance,
    ratings.rated_month,
    users.segment
from {{ ref('stg_ratings') }} as ratings
inner join {{ ref('stg_users') }} as users on ratings.user_id = users.user_id
