{{
    rankmetrics_sql.per_query(
        ref('stg_search_runs'),
        ['ndcg@10', 'p@5', 'bpref', 'ap', 'rr'],
        qrels=ref('stg_search_judgments'),
        columns={'run': 'run_id'}
    )
}}
