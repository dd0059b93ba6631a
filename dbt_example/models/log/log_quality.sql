-- How many rows of the log are used, and why the others are not; they add up to all there are.
{{ rankmetrics_sql.quality_of_ubi(ref('stg_log_queries'), ref('stg_log_events'), grades={'click': 1, 'add_to_cart': 2}) }}
