with candidate as (
    select query_id, item_id, score
    from {{ ref('stg_search_runs') }}
    where run_id = 'covidex.t5'
)

select
    run,
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
            baseline=ref('search_baseline'),
            candidate='candidate',
            metrics=['ndcg@10', 'p@5', 'ap', 'rr'],
            qrels=ref('stg_search_judgments')
        )
    }}
) as comparison
