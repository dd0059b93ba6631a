-- A month is the sum of its days: no event is read again.
select
    application,
    cast({{ dbt.date_trunc('month', 'logged_on') }} as date) as logged_month,
    metric,
    sum(main_sum) / sum(users) as value,
    cast(sum(users) as bigint) as n_queries,
    case
        when sum(users) > 1
            then sqrt((sum(main_sum_squares) - sum(main_sum) * sum(main_sum) / sum(users)) / (sum(users) - 1) / sum(users))
    end as standard_error
from {{ ref('log_sums_per_day') }}
group by 1, 2, 3
