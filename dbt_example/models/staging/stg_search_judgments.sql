select query_id, item_id, relevance
from {{ source('raw', 'search_judgments') }}
