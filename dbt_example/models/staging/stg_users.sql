select user_id, n_earlier_ratings, case when n_earlier_ratings >= 100 then 'heavy' else 'light' end as segment
from {{ source('raw', 'users') }}
