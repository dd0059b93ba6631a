{{
    rankmetrics_sql.summary(
        ref('stg_search_runs'),
        ['ndcg@10', 'p@5', 'bpref', 'ap', 'rr'],
        qrels=ref('stg_search_judgments'),
        run_column='run_id'
    )
}}
