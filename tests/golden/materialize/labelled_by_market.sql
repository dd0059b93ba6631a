-- rankmetrics_sql 0.1.0, summary for materialize, written by rankmetrics sql or rm.sql
-- metrics ndcg@10, rr
-- tables run=impressions
-- columns run.query_id=user_id, run.query_id=session_id, run.item_id=product_id, run.position=place
-- assumed columns run.relevance, run.market
-- The tables are not checked, so an item that a query has twice counts twice. rankmetrics evaluate checks.
WITH
-- what was retrieved, as it was given
rankmetrics_run_source AS (
    SELECT * FROM impressions
),

-- what was retrieved, a row for each item of a list
rankmetrics_run AS (
    SELECT
        s.user_id AS query_id_1,
        s.session_id AS query_id_2,
        s.product_id AS item_id,
        CAST(s.place AS DOUBLE PRECISION) AS given_position,
        CAST(s.relevance AS DOUBLE PRECISION) AS relevance,
        s.market AS group_1
    FROM rankmetrics_run_source AS s
),

-- the judgments that the labelled table carries, its rows with a grade
rankmetrics_qrels AS (
    SELECT
        query_id_1,
        query_id_2,
        item_id,
        relevance
    FROM rankmetrics_run
    WHERE relevance IS NOT NULL
),

-- what each list is of, by columns of the run
rankmetrics_groups_of_run AS (
    SELECT
        query_id_1,
        query_id_2,
        MIN(group_1) AS group_1
    FROM rankmetrics_run
    GROUP BY query_id_1, query_id_2
),

-- the rank of each retrieved item, by position, the lowest first, then by item, the last id first
rankmetrics_ranked AS (
    SELECT
        query_id_1,
        query_id_2,
        item_id,
        relevance,
        CAST(ROW_NUMBER() OVER (
            PARTITION BY query_id_1, query_id_2
            ORDER BY given_position ASC NULLS FIRST, CAST(item_id AS TEXT) DESC NULLS LAST
        ) AS DOUBLE PRECISION) AS rnk
    FROM rankmetrics_run
),

-- the retrieved items that are judged, with their ranks and grades
rankmetrics_matched AS (
    SELECT
        r.query_id_1,
        r.query_id_2,
        r.item_id,
        r.rnk,
        r.relevance
    FROM rankmetrics_ranked AS r
    WHERE r.relevance IS NOT NULL
),

-- the retrieved items that are judged, with what the metrics read of them
rankmetrics_judged AS (
    SELECT
        m.query_id_1,
        m.query_id_2,
        m.rnk,
        m.relevance,
        CAST(CASE WHEN m.relevance > 0 THEN m.relevance ELSE 0 END AS DOUBLE PRECISION) AS gain_linear
    FROM rankmetrics_matched AS m
),

-- each judgment with its place in the ideal ranking, the highest grade first
rankmetrics_ideal AS (
    SELECT
        query_id_1,
        query_id_2,
        relevance,
        CAST(CASE WHEN relevance > 0 THEN relevance ELSE 0 END AS DOUBLE PRECISION) AS gain_linear,
        CAST(ROW_NUMBER() OVER (PARTITION BY query_id_1, query_id_2 ORDER BY relevance DESC NULLS LAST) AS DOUBLE PRECISION) AS ideal_rnk
    FROM rankmetrics_qrels
),

-- what the judgments say of each query
rankmetrics_truth AS (
    SELECT
        query_id_1,
        query_id_2,
        SUM(
            CASE
                WHEN gain_linear > 0 AND ideal_rnk <= 10
                THEN CAST(gain_linear AS DOUBLE PRECISION) / (CAST(LN(ideal_rnk + 1) AS DOUBLE PRECISION) / LN(CAST(2 AS DOUBLE PRECISION)))
                ELSE 0
            END
        ) AS ideal_dcg_linear_at_10
    FROM rankmetrics_ideal
    GROUP BY query_id_1, query_id_2
),

-- what is known of each query, one source below the other
rankmetrics_facts AS (
    SELECT
        b.query_id_1,
        b.query_id_2,
        b.group_1,
        CAST(NULL AS DOUBLE PRECISION) AS ideal_dcg_linear_at_10,
        0 AS is_judged
    FROM rankmetrics_groups_of_run AS b
    UNION ALL
    SELECT
        b.query_id_1,
        b.query_id_2,
        NULL AS group_1,
        b.ideal_dcg_linear_at_10,
        1 AS is_judged
    FROM rankmetrics_truth AS b
),

-- the queries that are scored, with what is known of each
rankmetrics_queries AS (
    SELECT
        f.query_id_1,
        f.query_id_2,
        MAX(f.group_1) AS group_1,
        MAX(f.ideal_dcg_linear_at_10) AS ideal_dcg_linear_at_10
    FROM rankmetrics_facts AS f
    GROUP BY f.query_id_1, f.query_id_2
    HAVING
        MAX(f.is_judged) = 1
),

-- what the metrics read, the retrieved items that are judged, and a row with the facts of each query
rankmetrics_rows AS (
    SELECT
        query_id_1,
        query_id_2,
        rnk,
        relevance,
        gain_linear,
        CAST(NULL AS DOUBLE PRECISION) AS ideal_dcg_linear_at_10,
        NULL AS group_1
    FROM rankmetrics_judged
    UNION ALL
    SELECT
        query_id_1,
        query_id_2,
        NULL AS rnk,
        NULL AS relevance,
        NULL AS gain_linear,
        ideal_dcg_linear_at_10,
        group_1
    FROM rankmetrics_queries
),

-- the values, a row for each scored query and a column for each metric
rankmetrics_per_query AS (
    SELECT
        query_id_1,
        query_id_2,
        MAX(group_1) AS group_1,
        CAST(CASE
            WHEN MAX(ideal_dcg_linear_at_10) > 0
            THEN CAST(SUM(
                CASE
                    WHEN rnk <= 10
                    THEN CAST(gain_linear AS DOUBLE PRECISION) / (CAST(LN(rnk + 1) AS DOUBLE PRECISION) / LN(CAST(2 AS DOUBLE PRECISION)))
                    ELSE 0
                END
            ) AS DOUBLE PRECISION) / MAX(ideal_dcg_linear_at_10)
            ELSE 0
        END AS DOUBLE PRECISION) AS ndcg_at_10,
        CAST(COALESCE(CAST(1 AS DOUBLE PRECISION) / MIN(CASE WHEN relevance >= 1 THEN rnk END), 0) AS DOUBLE PRECISION) AS rr
    FROM rankmetrics_rows
    WHERE query_id_1 IS NOT NULL AND query_id_2 IS NOT NULL
    GROUP BY query_id_1, query_id_2
),

-- the metrics by their numbers
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'ndcg@10' AS metric
    UNION ALL
    SELECT 2 AS metric_number, 'rr' AS metric
),

-- the values, a row for each query and metric
rankmetrics_values AS (
    SELECT
        q.query_id_1,
        q.query_id_2,
        q.group_1,
        m.metric_number,
        m.metric,
        CASE m.metric_number WHEN 1 THEN q.ndcg_at_10 WHEN 2 THEN q.rr END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
)

SELECT
    v.group_1 AS market,
    v.metric,
    AVG(v.value) AS value,
    COUNT(*) AS n_queries
FROM rankmetrics_values AS v
GROUP BY v.group_1, v.metric_number, v.metric
ORDER BY v.group_1 ASC NULLS FIRST, v.metric_number ASC NULLS FIRST;
