-- A mean over users and months: the per-query table is enough, nothing is ranked again.
select
    system,
    cast({{ dbt.date_trunc('year', 'rated_month') }} as date) as rated_year,
    avg(ndcg_at_10) as ndcg_at_10,
    avg(rr_at_10) as rr_at_10,
    avg(r_at_50) as r_at_50,
    count(*) as n_queries
from {{ ref('recommender_per_month') }}
group by 1, 2
