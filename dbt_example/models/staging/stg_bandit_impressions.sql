select policy, request_id, item_id, position, clicked, propensity
from {{ source('raw', 'bandit_impressions') }}
