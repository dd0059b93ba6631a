-- A request is of the day in which it began, whatever is done with it later.
select
    application,
    action_name,
    query_id,
    client_id,
    timestamp,
    event_attributes,
    min(timestamp) over (partition by query_id) as requested_at
from {{ source('raw', 'log_events') }}
where timestamp < cast('{{ var("logged_until") }}' as timestamp)
