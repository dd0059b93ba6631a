-- The release that the next one must not fall behind.
select query_id, item_id, score
from {{ ref('stg_search_runs') }}
where run_id = 'covidex.sim'
