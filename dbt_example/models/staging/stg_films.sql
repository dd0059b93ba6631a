select item_id, title, genres
from {{ source('raw', 'films') }}
