with candidate as (
    select user_id, item_id, position
    from {{ ref('stg_recommendations') }}
    where system = 'itemknn'
)

select
    segment,
    metric,
    baseline,
    candidate,
    effect_size,
    effect_size_ci_lower,
    effect_size_ci_upper,
    pvalue_adj,
    verdict,
    n_higher,
    n_ties,
    n_lower,
    standard_error,
    n_queries
from (
    {{
        rankmetrics_sql.compare(
            baseline=ref('recommender_baseline'),
            candidate='candidate',
            metrics=['ndcg@10', 'r@50'],
            qrels=ref('stg_rating_judgments'),
            columns={'query': 'user_id', 'position': 'position'},
            by='segment'
        )
    }}
) as comparison
