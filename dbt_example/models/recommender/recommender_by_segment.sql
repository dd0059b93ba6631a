select run_id as system, segment, metric, value, n_queries
from (
    {{
        rankmetrics_sql.summary(
            ref('stg_recommendations'),
            ['ndcg@10', 'rr@10', 'success@10', 'r@50'],
            qrels=ref('stg_rating_judgments'),
            query_column='user_id',
            score_column=none,
            position_column='position',
            run_column='system',
            group_by='segment'
        )
    }}
) as summary
