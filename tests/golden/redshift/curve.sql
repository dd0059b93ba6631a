-- rankmetrics_sql 0.1.0, curve for redshift, written by rankmetrics sql or rm.sql
-- metrics p k=1, p k=5, p k=10
-- tables run=runs, qrels=labels
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
-- The tables are not checked, so an item that a query has twice counts twice. rankmetrics evaluate checks.
WITH
-- what was retrieved, as it was given
rankmetrics_run_source AS (
    SELECT * FROM runs
),

-- what was retrieved, a row for each item of a list
rankmetrics_run AS (
    SELECT
        s.query_id AS query_id,
        s.item_id AS item_id,
        CAST(s.score AS DOUBLE PRECISION) AS score
    FROM rankmetrics_run_source AS s
),

-- the judgments as they were given
rankmetrics_qrels_source AS (
    SELECT * FROM labels
),

-- the judgments, a row for each item judged for a query
rankmetrics_qrels AS (
    SELECT
        s.query_id AS query_id,
        s.item_id AS item_id,
        CAST(s.relevance AS DOUBLE PRECISION) AS relevance
    FROM rankmetrics_qrels_source AS s
    WHERE s.relevance IS NOT NULL
),

-- the rank of each retrieved item, by score, the highest first, then by item, the last id first
rankmetrics_ranked AS (
    SELECT
        p.query_id,
        p.item_id,
        CAST(p.place AS DOUBLE PRECISION) AS rnk
    FROM (
        SELECT
            query_id,
            item_id,
            ROW_NUMBER() OVER (
                PARTITION BY query_id
                ORDER BY score DESC NULLS LAST, CAST(item_id AS VARCHAR(65535)) DESC NULLS LAST
            ) AS place
        FROM rankmetrics_run
    ) AS p
    WHERE p.place <= 10
),

-- the retrieved items that are judged, with their ranks and grades
rankmetrics_matched AS (
    SELECT
        r.query_id,
        r.item_id,
        r.rnk,
        q.relevance
    FROM rankmetrics_ranked AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
),

-- the retrieved items that are judged, with what the metrics read of them
rankmetrics_judged AS (
    SELECT
        m.query_id,
        m.rnk,
        m.relevance
    FROM rankmetrics_matched AS m
),

-- what the judgments say of each query
rankmetrics_truth AS (
    SELECT query_id FROM rankmetrics_qrels GROUP BY query_id
),

-- what the metrics read, the retrieved items that are judged, and a row with the facts of each query
rankmetrics_rows AS (
    SELECT
        query_id,
        rnk,
        relevance
    FROM rankmetrics_judged
    UNION ALL
    SELECT
        query_id,
        NULL AS rnk,
        NULL AS relevance
    FROM rankmetrics_truth
),

-- the values, a row for each scored query and a column for each metric
rankmetrics_per_query AS (
    SELECT
        query_id,
        CAST(CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 1 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) / 1 AS DOUBLE PRECISION) AS p_at_1,
        CAST(CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 5 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) / 5 AS DOUBLE PRECISION) AS p_at_5,
        CAST(CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) / 10 AS DOUBLE PRECISION) AS p_at_10
    FROM rankmetrics_rows
    WHERE query_id IS NOT NULL
    GROUP BY query_id
),

-- the metrics by their numbers
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, CAST(1 AS DOUBLE PRECISION) AS x
    UNION ALL
    SELECT 2 AS metric_number, CAST(5 AS DOUBLE PRECISION) AS x
    UNION ALL
    SELECT 3 AS metric_number, CAST(10 AS DOUBLE PRECISION) AS x
),

-- the values, a row for each query and metric
rankmetrics_values AS (
    SELECT
        q.query_id,
        m.metric_number,
        m.x,
        CASE m.metric_number WHEN 1 THEN q.p_at_1 WHEN 2 THEN q.p_at_5 WHEN 3 THEN q.p_at_10 END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
)

SELECT
    m.x,
    AVG(v.value) AS y,
    COUNT(CASE WHEN v.metric_number = m.metric_number THEN 1 END) AS n_queries
FROM rankmetrics_metrics AS m
LEFT JOIN rankmetrics_values AS v ON v.metric_number = m.metric_number
GROUP BY m.metric_number, m.x
ORDER BY m.metric_number ASC NULLS FIRST;
