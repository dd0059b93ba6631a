select run_id, query_id, item_id, score
from {{ source('raw', 'search_runs') }}
