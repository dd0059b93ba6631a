select system, user_id, item_id, position
from {{ source('raw', 'recommendations') }}
