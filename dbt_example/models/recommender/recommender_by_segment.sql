select run_id as system, segment, metric, value, n_queries
from (
    {{
        rankmetrics_sql.summary(
            ref('stg_recommendations'),
            ['ndcg@10', 'rr@10', 'success@10', 'r@50'],
            qrels=ref('stg_rating_judgments'),
            columns={'query': 'user_id', 'position': 'position', 'run': 'system'},
            by='segment'
        )
    }}
) as summary
