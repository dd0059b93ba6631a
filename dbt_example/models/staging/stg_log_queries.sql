select query_id, application, client_id, user_query, timestamp
from {{ source('raw', 'log_queries') }}
where timestamp < cast('{{ var("logged_until") }}' as timestamp)
