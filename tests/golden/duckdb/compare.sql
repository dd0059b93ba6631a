-- rankmetrics_sql 0.1.0, compare for duckdb
-- metrics ndcg@10, num_rel_ret
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
WITH rankmetrics_run_source_1 AS NOT MATERIALIZED (
    SELECT * FROM old_runs
),

rankmetrics_run_source_2 AS NOT MATERIALIZED (
    SELECT * FROM new_runs
),

rankmetrics_run AS NOT MATERIALIZED (
    SELECT
        'old' AS run_id,
        s.query_id AS query_id,
        s.item_id AS item_id,
        CAST(s.score AS DOUBLE) AS score
    FROM rankmetrics_run_source_1 AS s
    UNION ALL
    SELECT
        'new' AS run_id,
        s.query_id AS query_id,
        s.item_id AS item_id,
        CAST(s.score AS DOUBLE) AS score
    FROM rankmetrics_run_source_2 AS s
),

rankmetrics_qrels_source AS NOT MATERIALIZED (
    SELECT * FROM labels
),

rankmetrics_qrels AS NOT MATERIALIZED (
    SELECT
        s.query_id AS query_id,
        s.item_id AS item_id,
        CAST(s.relevance AS DOUBLE) AS relevance
    FROM rankmetrics_qrels_source AS s
    WHERE s.relevance IS NOT NULL
),

rankmetrics_runs AS (
    SELECT 'old' AS run_id
    UNION ALL SELECT 'new' AS run_id
),

rankmetrics_ranked AS (
    SELECT
        run_id,
        query_id,
        item_id,
        CAST(ROW_NUMBER() OVER (
            PARTITION BY run_id, query_id
            ORDER BY score DESC NULLS LAST, CAST(item_id AS VARCHAR) DESC NULLS LAST
        ) AS DOUBLE) AS rnk
    FROM rankmetrics_run
),

rankmetrics_matched AS (
    SELECT
        r.run_id,
        r.query_id,
        r.item_id,
        r.rnk,
        q.relevance
    FROM rankmetrics_ranked AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
),

rankmetrics_judged AS (
    SELECT
        m.run_id,
        m.query_id,
        m.rnk,
        m.relevance,
        CAST(CASE WHEN m.relevance > 0 THEN m.relevance ELSE 0 END AS DOUBLE) AS gain_linear
    FROM rankmetrics_matched AS m
),

rankmetrics_truth AS (
    SELECT
        query_id,
        LIST_SUM(LIST_TRANSFORM(
            MAX(CAST(CASE WHEN relevance > 0 THEN relevance ELSE 0 END AS DOUBLE), 10),
            LAMBDA gain, place: gain / LOG2(place + 1)
        )) AS ideal_dcg_linear_at_10
    FROM rankmetrics_qrels
    GROUP BY query_id
),

rankmetrics_queries AS (
    SELECT
        u.run_id,
        b.query_id,
        ideal_dcg_linear_at_10
    FROM rankmetrics_truth AS b
    CROSS JOIN rankmetrics_runs AS u
),

rankmetrics_rows AS (
    SELECT
        run_id,
        query_id,
        rnk,
        relevance,
        gain_linear,
        CAST(NULL AS DOUBLE) AS ideal_dcg_linear_at_10
    FROM rankmetrics_judged
    UNION ALL
    SELECT
        run_id,
        query_id,
        NULL AS rnk,
        NULL AS relevance,
        NULL AS gain_linear,
        ideal_dcg_linear_at_10
    FROM rankmetrics_queries
),

rankmetrics_per_query AS (
    SELECT
        run_id,
        query_id,
        CAST(CASE
            WHEN MAX(ideal_dcg_linear_at_10) > 0 THEN SUM(CASE WHEN rnk <= 10 THEN gain_linear / LOG2(rnk + 1) ELSE 0 END)
                / MAX(ideal_dcg_linear_at_10)
            ELSE 0
        END AS DOUBLE) AS ndcg_at_10,
        CAST(CAST(SUM(CASE WHEN relevance >= 1 THEN 1 ELSE 0 END) AS DOUBLE) AS DOUBLE) AS num_rel_ret
    FROM rankmetrics_rows
    WHERE run_id IS NOT NULL AND query_id IS NOT NULL
    GROUP BY run_id, query_id
),

rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'ndcg@10' AS metric
    UNION ALL SELECT 2 AS metric_number, 'num_rel_ret' AS metric
),

rankmetrics_values AS (
    SELECT
        q.run_id,
        q.query_id,
        m.metric_number,
        m.metric,
        CASE m.metric_number WHEN 1 THEN q.ndcg_at_10 WHEN 2 THEN q.num_rel_ret END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
),

rankmetrics_beside AS (
    SELECT
        run_id,
        query_id,
        metric_number,
        metric,
        value AS own_value,
        MAX(CASE WHEN run_id = 'old' THEN value END) OVER (PARTITION BY query_id, metric_number) AS baseline_value
    FROM rankmetrics_values
),

rankmetrics_pairs AS (
    SELECT
        run_id,
        query_id,
        metric_number,
        metric,
        baseline_value,
        CASE
            WHEN ABS(own_value - baseline_value) <= CAST(1e-12 AS DOUBLE) * CASE WHEN ABS(baseline_value) > 1 THEN ABS(baseline_value) ELSE 1 END THEN baseline_value
            ELSE own_value
        END AS candidate_value
    FROM rankmetrics_beside
    WHERE run_id <> 'old' AND baseline_value IS NOT NULL AND own_value IS NOT NULL
),

rankmetrics_differences AS (
    SELECT
        run_id,
        query_id,
        metric_number,
        metric,
        baseline_value,
        candidate_value,
        candidate_value - baseline_value AS difference,
        AVG(candidate_value - baseline_value) OVER (PARTITION BY run_id, metric_number) AS mean_difference
    FROM rankmetrics_pairs
)

SELECT
    p.run_id,
    p.metric,
    CASE
        WHEN p.metric_number = 2 THEN SUM(p.baseline_value ORDER BY p.baseline_value ASC)
        ELSE AVG(p.baseline_value ORDER BY p.baseline_value ASC)
    END AS baseline,
    CASE
        WHEN p.metric_number = 2 THEN SUM(p.candidate_value ORDER BY p.candidate_value ASC)
        ELSE AVG(p.candidate_value ORDER BY p.candidate_value ASC)
    END AS candidate,
    CASE
        WHEN p.metric_number = 2 THEN SUM(p.difference ORDER BY p.difference ASC)
        ELSE AVG(p.difference ORDER BY p.difference ASC)
    END AS difference,
    SUM(CASE WHEN p.difference > 0 THEN 1 ELSE 0 END) AS n_higher,
    SUM(CASE WHEN p.difference = 0 THEN 1 ELSE 0 END) AS n_ties,
    SUM(CASE WHEN p.difference < 0 THEN 1 ELSE 0 END) AS n_lower,
    CASE
        WHEN COUNT(*) > 1 THEN SQRT(
            SUM((p.difference - p.mean_difference) * (p.difference - p.mean_difference) ORDER BY p.difference ASC)
            / CAST(COUNT(*) - 1 AS DOUBLE)
            / CAST(COUNT(*) AS DOUBLE)
        ) * CASE WHEN p.metric_number = 2 THEN COUNT(*) ELSE 1 END
    END AS standard_error,
    COUNT(*) AS n_queries
FROM rankmetrics_differences AS p
GROUP BY p.run_id, p.metric_number, p.metric
ORDER BY p.run_id ASC, p.metric_number ASC;
