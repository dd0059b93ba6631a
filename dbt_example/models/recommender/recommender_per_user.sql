select run_id as system, user_id, segment, ndcg_at_10, rr_at_10, success_at_10, r_at_50, favourite_at_10
from (
    {{
        rankmetrics_sql.per_query(
            ref('stg_recommendations'),
            ['ndcg@10', 'rr@10', 'success@10', 'r@50', 'favourite@10'],
            qrels=ref('stg_rating_judgments'),
            columns={'query': 'user_id', 'position': 'position', 'run': 'system'},
            by='segment'
        )
    }}
) as per_query
