-- rankmetrics_sql 0.1.0, curve for duckdb, written by rankmetrics sql or rm.sql
-- metrics p k=1, p k=5, p k=10
-- tables run=impressions
-- columns run.query_id=user_id, run.query_id=session_id, run.item_id=product_id, run.position=place
-- assumed columns run.relevance, run.market
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT user_id, session_id, product_id, COUNT(*) AS n_rows FROM impressions GROUP BY user_id, session_id, product_id
--     HAVING COUNT(*) > 1
WITH
-- the retrieved items, one row per query and item
rankmetrics_run AS NOT MATERIALIZED (
    SELECT
        s.user_id AS query_id_1, s.session_id AS query_id_2, s.product_id AS item_id,
        CAST(s.place AS DOUBLE) AS given_position, s.place AS raw_position,
        CASE WHEN s.product_id IS NOT NULL OR CAST(s.relevance AS DOUBLE) <= 0 THEN CAST(s.relevance AS DOUBLE) END AS relevance,
        s.market AS group_1
    FROM impressions AS s
),

-- the judgments in the labelled table, its items with a grade above 0, and a row for the others
rankmetrics_qrels AS (
    SELECT
        r.query_id_1, r.query_id_2, CASE WHEN r.relevance > 0 THEN r.item_id END AS item_id,
        MAX(r.relevance) AS relevance
    FROM rankmetrics_run AS r
    WHERE r.relevance IS NOT NULL
    GROUP BY r.query_id_1, r.query_id_2, CASE WHEN r.relevance > 0 THEN r.item_id END
),

-- the groups of each list, from columns of the run
rankmetrics_groups_of_run AS (
    SELECT
        g.query_id_1, g.query_id_2, MIN(g.group_1) AS group_1,
        CASE WHEN MIN(g.group_1) <> MAX(g.group_1) THEN 1 ELSE 0 END AS is_mixed
    FROM rankmetrics_run AS g
    GROUP BY g.query_id_1, g.query_id_2
),

-- the score of item 10 of each list, the lowest that matters
rankmetrics_kth_scores AS (
    SELECT query_id_1, query_id_2, LIST_EXTRACT(MIN(given_position, 10), 10) AS kth_score
    FROM rankmetrics_run
    GROUP BY query_id_1, query_id_2
),

-- the items with at least that score, so that only these are sorted
rankmetrics_contenders AS (
    SELECT r.query_id_1, r.query_id_2, r.item_id, r.given_position, r.raw_position, r.relevance
    FROM rankmetrics_run AS r
    INNER JOIN rankmetrics_kth_scores AS k ON k.query_id_1 = r.query_id_1 AND k.query_id_2 = r.query_id_2
    WHERE NOT r.given_position > k.kth_score OR r.given_position IS NULL OR k.kth_score IS NULL
),

-- rank by position, lowest first, ties by bytes of the item id, descending
rankmetrics_ranked AS (
    SELECT
        query_id_1, query_id_2, item_id, relevance,
        CAST(ROW_NUMBER() OVER (
            PARTITION BY query_id_1, query_id_2
            ORDER BY given_position ASC NULLS FIRST, raw_position ASC NULLS FIRST, CAST(item_id AS VARCHAR) DESC NULLS LAST
        ) AS DOUBLE) AS rnk
    FROM rankmetrics_contenders
),

-- the facts of each judged query
rankmetrics_query_judgment_facts AS (
    SELECT query_id_1, query_id_2
    FROM rankmetrics_qrels
    GROUP BY query_id_1, query_id_2
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows AS (
    SELECT
        r.query_id_1, r.query_id_2, MIN(r.rnk) AS rnk, MAX(r.relevance) AS relevance, NULL AS group_1, 0 AS is_mixed,
        0 AS is_judged
    FROM rankmetrics_ranked AS r
    WHERE r.relevance IS NOT NULL
    GROUP BY r.query_id_1, r.query_id_2, r.item_id
    UNION ALL
    SELECT b.query_id_1, b.query_id_2, NULL AS rnk, NULL AS relevance, b.group_1, b.is_mixed, 0 AS is_judged
    FROM rankmetrics_groups_of_run AS b
    UNION ALL
    SELECT b.query_id_1, b.query_id_2, NULL AS rnk, NULL AS relevance, NULL AS group_1, 0 AS is_mixed, 1 AS is_judged
    FROM rankmetrics_query_judgment_facts AS b
),

-- the metrics of each query
rankmetrics_per_query AS (
    SELECT
        query_id_1, query_id_2, MAX(group_1) AS group_1,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 1 THEN 1 ELSE 0 END) AS DOUBLE) / 1 END AS DOUBLE) AS p_at_1,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 5 THEN 1 ELSE 0 END) AS DOUBLE) / 5 END AS DOUBLE) AS p_at_5,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE) / 10 END AS DOUBLE) AS p_at_10
    FROM rankmetrics_rows
    WHERE query_id_1 IS NOT NULL AND query_id_2 IS NOT NULL
    GROUP BY query_id_1, query_id_2
    HAVING MAX(is_judged) = 1
),

-- the metrics, numbered
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, CAST(1 AS DOUBLE) AS x
    UNION ALL SELECT 2, CAST(5 AS DOUBLE)
    UNION ALL SELECT 3, CAST(10 AS DOUBLE)
),

-- the values, one row per query and metric
rankmetrics_values AS (
    SELECT
        q.query_id_1, q.query_id_2, q.group_1, m.metric_number, m.x,
        CASE m.metric_number WHEN 1 THEN q.p_at_1 WHEN 2 THEN q.p_at_5 WHEN 3 THEN q.p_at_10 END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
)

SELECT v.group_1 AS market, v.x, AVG(v.value ORDER BY v.value ASC) AS y, COUNT(v.value) AS n_queries
FROM rankmetrics_values AS v
GROUP BY v.group_1, v.metric_number, v.x
ORDER BY v.group_1 ASC NULLS FIRST, v.metric_number ASC;
