-- The months that grew by a day at a time, against a month computed from all of the log.
with computed as (
    {{
        rankmetrics_sql.summary(
            ref('log_impressions'),
            ['ndcg@10', 'rr@10', 'ctr@10', 'abandonment'],
            columns={'position': 'position', 'time': 'requested_at'},
            by='application',
            period='month'
        )
    }}
)

select coalesce(m.application, c.application) as application, coalesce(m.metric, c.metric) as metric, m.value, c.value as expected
from {{ ref('log_by_month') }} as m
full outer join computed as c
    on m.application = c.application and m.logged_month = c.period and m.metric = c.metric
where coalesce(m.n_queries <> c.n_queries or abs(m.value - c.value) > 1e-12, true)
