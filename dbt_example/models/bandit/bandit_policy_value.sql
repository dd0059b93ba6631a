{#- What a policy that shows each of the 46 items alike would earn, said by the log of each policy: the random policy's own
    log, and that of Thompson sampling, which rarely shows what it has learnt to be bad. ess is how many rows of its own say as
    much. -#}
select run_id as policy, metric, value, n_queries
from (
    {{
        rankmetrics_sql.summary(
            ref('stg_bandit_impressions'),
            ['ips', 'snips', 'ess', 'clipped_weights(clip=10)'],
            columns={
                'query': 'request_id',
                'position': 'position',
                'relevance': 'clicked',
                'run': 'policy',
                'target': '1.0 / 46'
            }
        )
    }}
) as summary
