select user_id, item_id, rating, rated_at, cast({{ dbt.date_trunc('month', 'rated_at') }} as date) as rated_month
from {{ source('raw', 'ratings') }}
where rated_at < cast('{{ var("rated_until") }}' as timestamp)
