-- A row per item shown: its position from 1, whatever the application counts from, and what was done with it.
{{
    rankmetrics_sql.from_ubi(
        ref('stg_log_queries'),
        ref('stg_log_events'),
        grades={'click': 1, 'add_to_cart': 2},
        context=['application', 'requested_at']
    )
}}
