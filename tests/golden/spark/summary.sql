-- rankmetrics_sql 0.1.0, summary for spark, written by rankmetrics sql or rm.sql
-- metrics ndcg@10, ap, rr@10, r@100
-- tables run=shop.runs, qrels=shop.labels
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM shop.runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM shop.labels GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- the retrieved items, one row per query and item (a score that is NaN is none)
rankmetrics_run AS (
    SELECT
        s.query_id, s.item_id,
        CASE WHEN ISNAN(CAST(s.score AS DOUBLE)) THEN NULL ELSE CAST(s.score AS DOUBLE) END AS score,
        CASE WHEN NOT ISNAN(CAST(s.score AS DOUBLE)) THEN s.score END AS raw_score
    FROM shop.runs AS s
),

-- the judgments, one row per query and item (a row without an item is a query with nothing relevant)
rankmetrics_qrels AS (
    SELECT s.query_id, s.item_id, MAX(CAST(s.relevance AS DOUBLE)) AS relevance
    FROM shop.labels AS s
    WHERE s.relevance IS NOT NULL AND (s.item_id IS NOT NULL OR CAST(s.relevance AS DOUBLE) <= 0)
    GROUP BY s.query_id, s.item_id
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending
rankmetrics_ranked AS (
    SELECT
        query_id, item_id,
        CAST(ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY score DESC, raw_score DESC, CAST(item_id AS STRING) DESC) AS DOUBLE) AS rnk
    FROM rankmetrics_run
),

-- the judged items of each ranking, with rank and grade
rankmetrics_matched AS (
    SELECT q.query_id, q.item_id, MIN(r.rnk) AS rnk, MAX(q.relevance) AS relevance
    FROM rankmetrics_ranked AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY q.query_id, q.item_id
),

-- the same rows, with gains and running counts
rankmetrics_judged AS (
    SELECT
        m.query_id, m.rnk, m.relevance,
        CASE WHEN m.relevance > 0 THEN m.relevance ELSE 0 END AS gain_linear,
        CAST(SUM(CASE WHEN m.relevance >= 1 THEN 1 ELSE 0 END) OVER (PARTITION BY m.query_id ORDER BY m.rnk ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) AS relevant_so_far_1
    FROM rankmetrics_matched AS m
),

-- the judgments in the ideal ranking, highest grade first
rankmetrics_ideal AS (
    SELECT
        query_id, relevance,
        CASE WHEN relevance > 0 THEN relevance ELSE 0 END AS gain_linear,
        CAST(ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS DOUBLE) AS ideal_rnk
    FROM rankmetrics_qrels
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows AS (
    SELECT
        query_id, rnk, relevance, gain_linear, relevant_so_far_1, CAST(NULL AS DOUBLE) AS n_relevant_1,
        CAST(NULL AS DOUBLE) AS ideal_dcg_linear_at_10
    FROM rankmetrics_judged
    UNION ALL
    SELECT
        query_id, NULL, NULL, NULL, NULL,
        CAST(SUM(CASE WHEN relevance >= 1 THEN 1 ELSE 0 END) AS DOUBLE) AS n_relevant_1,
        SUM(CASE WHEN ideal_rnk <= 10 THEN gain_linear / (LN(ideal_rnk + 1) / LN(CAST(2 AS DOUBLE))) ELSE 0 END) AS ideal_dcg_linear_at_10
    FROM rankmetrics_ideal
    GROUP BY query_id
),

-- the metrics of each query
rankmetrics_per_query AS (
    SELECT
        query_id,
        CAST(COALESCE(
            SUM(CASE WHEN rnk <= 10 THEN gain_linear / (LN(rnk + 1) / LN(CAST(2 AS DOUBLE))) ELSE 0 END) / NULLIF(MAX(ideal_dcg_linear_at_10), 0),
            0
        ) AS DOUBLE) AS ndcg_at_10,
        CAST(COALESCE(SUM(CASE WHEN relevance >= 1 THEN relevant_so_far_1 / rnk ELSE 0 END) / NULLIF(MAX(n_relevant_1), 0), 0) AS DOUBLE) AS ap,
        CAST(COALESCE(1 / MIN(CASE WHEN relevance >= 1 AND rnk <= 10 THEN rnk END), 0) AS DOUBLE) AS rr_at_10,
        CAST(COALESCE(CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 100 THEN 1 ELSE 0 END) AS DOUBLE) / NULLIF(MAX(n_relevant_1), 0), 0) AS DOUBLE) AS r_at_100
    FROM rankmetrics_rows
    WHERE query_id IS NOT NULL
    GROUP BY query_id
),

-- the metrics, numbered
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'ndcg@10' AS metric
    UNION ALL SELECT 2, 'ap'
    UNION ALL SELECT 3, 'rr@10'
    UNION ALL SELECT 4, 'r@100'
),

-- the values, one row per query and metric
rankmetrics_values AS (
    SELECT
        m.metric_number,
        CASE m.metric_number WHEN 1 THEN q.ndcg_at_10 WHEN 2 THEN q.ap WHEN 3 THEN q.rr_at_10 WHEN 4 THEN q.r_at_100 END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
)

SELECT m.metric, AVG(v.value) AS value, COUNT(v.value) AS n_queries
FROM rankmetrics_metrics AS m
LEFT JOIN rankmetrics_values AS v ON v.metric_number = m.metric_number
GROUP BY m.metric_number, m.metric
ORDER BY m.metric_number ASC;
