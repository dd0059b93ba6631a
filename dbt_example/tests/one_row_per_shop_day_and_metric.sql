-- Incremental runs leave no day twice.
select application, logged_on, metric, count(*) as n_rows
from {{ ref('log_sums_per_day') }}
group by 1, 2, 3
having count(*) > 1
