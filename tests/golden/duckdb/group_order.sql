-- rankmetrics_sql 0.1.0, summary for duckdb, written by rankmetrics sql or rm.sql
-- metrics rr@10, ndcg@10
-- tables run=impressions
-- assumed columns run.query_id, run.item_id, run.relevance, run.score, run.query_text
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM impressions GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- the retrieved items, one row per query and item (a score that is NaN is none)
rankmetrics_run AS NOT MATERIALIZED (
    SELECT
        s.query_id, s.item_id,
        NULLIF(CAST(s.score AS DOUBLE), CAST('NaN' AS DOUBLE)) AS score,
        CASE WHEN NOT ISNAN(CAST(s.score AS DOUBLE)) THEN s.score END AS raw_score,
        CASE WHEN s.item_id IS NOT NULL OR CAST(s.relevance AS DOUBLE) <= 0 THEN CAST(s.relevance AS DOUBLE) END AS relevance,
        s.query_text AS group_1
    FROM impressions AS s
),

-- the judgments in the labelled table, its items with a grade above 0, and a row for the others
rankmetrics_qrels AS (
    SELECT r.query_id, CASE WHEN r.relevance > 0 THEN r.item_id END AS item_id, MAX(r.relevance) AS relevance
    FROM rankmetrics_run AS r
    WHERE r.relevance IS NOT NULL
    GROUP BY r.query_id, CASE WHEN r.relevance > 0 THEN r.item_id END
),

-- the groups of each list, from columns of the run
rankmetrics_groups_of_run AS (
    SELECT
        g.query_id, MIN(g.group_1) AS group_1,
        CASE WHEN MIN(g.group_1) <> MAX(g.group_1) THEN 1 ELSE 0 END AS is_mixed
    FROM rankmetrics_run AS g
    GROUP BY g.query_id
),

-- the score of item 10 of each list, the lowest that matters
rankmetrics_kth_scores AS (
    SELECT query_id, LIST_EXTRACT(MAX(score, 10), 10) AS kth_score
    FROM rankmetrics_run
    GROUP BY query_id
),

-- the items with at least that score, so that only these are sorted
rankmetrics_contenders AS (
    SELECT r.query_id, r.item_id, r.score, r.raw_score, r.relevance
    FROM rankmetrics_run AS r
    INNER JOIN rankmetrics_kth_scores AS k ON k.query_id = r.query_id
    WHERE r.score >= k.kth_score OR k.kth_score IS NULL
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending
rankmetrics_ranked AS (
    SELECT
        query_id, item_id, relevance,
        CAST(ROW_NUMBER() OVER (
            PARTITION BY query_id
            ORDER BY score DESC NULLS LAST, raw_score DESC NULLS LAST, CAST(item_id AS VARCHAR) DESC NULLS LAST
        ) AS DOUBLE) AS rnk
    FROM rankmetrics_contenders
),

-- the facts of each judged query
rankmetrics_query_judgment_facts AS (
    SELECT
        query_id,
        LIST_SUM(LIST_TRANSFORM(
            MAX(CASE WHEN relevance > 0 THEN relevance ELSE 0 END, 10),
            LAMBDA gain, place: gain / LOG2(place + 1)
        )) AS ideal_dcg_linear_at_10
    FROM rankmetrics_qrels
    GROUP BY query_id
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows AS (
    SELECT
        r.query_id, MIN(r.rnk) AS rnk, MAX(r.relevance) AS relevance, CAST(NULL AS DOUBLE) AS ideal_dcg_linear_at_10,
        NULL AS group_1, 0 AS is_mixed, 0 AS is_judged,
        CASE WHEN MAX(r.relevance) > 0 THEN MAX(r.relevance) ELSE 0 END AS gain_linear
    FROM rankmetrics_ranked AS r
    WHERE r.relevance IS NOT NULL
    GROUP BY r.query_id, r.item_id
    UNION ALL
    SELECT
        b.query_id, NULL AS rnk, NULL AS relevance, NULL AS ideal_dcg_linear_at_10, b.group_1, b.is_mixed,
        0 AS is_judged, NULL AS gain_linear
    FROM rankmetrics_groups_of_run AS b
    UNION ALL
    SELECT
        b.query_id, NULL AS rnk, NULL AS relevance, b.ideal_dcg_linear_at_10, NULL AS group_1, 0 AS is_mixed,
        1 AS is_judged, NULL AS gain_linear
    FROM rankmetrics_query_judgment_facts AS b
),

-- the metrics of each query
rankmetrics_per_query AS (
    SELECT
        query_id, MAX(group_1) AS group_1,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN COALESCE(1 / MIN(CASE WHEN relevance >= 1 AND rnk <= 10 THEN rnk END), 0) END AS DOUBLE) AS rr_at_10,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN COALESCE(SUM(CASE WHEN rnk <= 10 THEN gain_linear / LOG2(rnk + 1) ELSE 0 END)
            / NULLIF(MAX(ideal_dcg_linear_at_10), 0), 0) END AS DOUBLE) AS ndcg_at_10
    FROM rankmetrics_rows
    WHERE query_id IS NOT NULL
    GROUP BY query_id
    HAVING MAX(is_judged) = 1
),

-- the metrics, numbered
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'rr@10' AS metric UNION ALL SELECT 2, 'ndcg@10'
),

-- the values, one row per query and metric
rankmetrics_values AS (
    SELECT
        q.query_id, q.group_1, m.metric_number, m.metric,
        CASE m.metric_number WHEN 1 THEN q.rr_at_10 WHEN 2 THEN q.ndcg_at_10 END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
),

-- the sets of groups with totals
rankmetrics_breakdowns AS (
    SELECT 1 AS breakdown_number, 'total' AS breakdown UNION ALL SELECT 2, 'query_text'
),

-- the values, repeated for each set of groups with totals
rankmetrics_broken_down AS (
    SELECT
        b.breakdown_number, b.breakdown, v.query_id, v.metric_number, v.metric, v.value,
        CASE WHEN b.breakdown_number = 2 THEN v.group_1 END AS group_1
    FROM rankmetrics_values AS v
    CROSS JOIN rankmetrics_breakdowns AS b
),

-- the summary, before it is put in order
rankmetrics_summed AS (
    SELECT
        v.breakdown_number, v.breakdown, v.group_1, v.metric_number, v.metric, AVG(v.value ORDER BY v.value ASC) AS value,
        COUNT(v.value) AS n_queries, COUNT(*) - COUNT(v.value) AS n_left_out
    FROM rankmetrics_broken_down AS v
    GROUP BY v.breakdown_number, v.breakdown, v.group_1, v.metric_number, v.metric
),

-- the summary, with the value that each group is ordered by
rankmetrics_beside_order_values AS (
    SELECT
        g.*,
        MAX(CASE WHEN g.metric_number = 2 THEN g.value END) OVER (
            PARTITION BY g.breakdown_number, g.group_1
        ) AS order_value
    FROM rankmetrics_summed AS g
    WHERE g.n_queries >= 30 OR g.breakdown_number = 1
),

-- the same, with the place of each group
rankmetrics_group_places AS (
    SELECT
        g.*,
        DENSE_RANK() OVER (
            PARTITION BY g.breakdown_number
            ORDER BY
                CASE WHEN g.order_value IS NULL THEN 1 ELSE 0 END ASC,
                g.order_value ASC,
                g.group_1 ASC NULLS FIRST
        ) AS group_place
    FROM rankmetrics_beside_order_values AS g
)

SELECT g.breakdown, g.group_1 AS query_text, g.metric, g.value, g.n_queries, g.n_left_out
FROM rankmetrics_group_places AS g
WHERE g.group_place <= 20
ORDER BY g.breakdown_number ASC, g.group_place ASC, g.metric_number ASC;
