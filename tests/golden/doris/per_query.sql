-- rankmetrics_sql 0.1.0, per_query for doris, written by rankmetrics sql or rm.sql
-- metrics ndcg(gain=exp2)@10, rr(ties=expected)@10, rr(ties=item_asc)@10
-- profile trec_eval
-- options zero_ideal=null
-- tables run=a query, qrels=labels
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM ( SELECT query_id, item_id, score -- of one day FROM runs WHERE
--     shown_on = '2026-11-01' ) t GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM labels GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- the retrieved items as given
rankmetrics_run_source AS (
    SELECT * FROM (
        SELECT query_id, item_id, score -- of one day
        FROM runs
        WHERE shown_on = '2026-11-01'
    ) AS u
),

-- the retrieved items, one row per query and item (a score that is NaN is none)
rankmetrics_run AS (
    SELECT s.query_id, s.item_id, CAST(s.score AS DOUBLE) AS score, s.score AS raw_score
    FROM rankmetrics_run_source AS s
),

-- the judgments, one row per query and item (a row without an item is a query with nothing relevant)
rankmetrics_qrels AS (
    SELECT s.query_id, s.item_id, MAX(CAST(s.relevance AS DOUBLE)) AS relevance
    FROM labels AS s
    WHERE s.relevance IS NOT NULL AND (s.item_id IS NOT NULL OR CAST(s.relevance AS DOUBLE) <= 0)
    GROUP BY s.query_id, s.item_id
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending, down to rank 10
rankmetrics_ranked_1 AS (
    SELECT p.query_id, p.item_id, CAST(p.place AS DOUBLE) AS rnk
    FROM (
        SELECT
            query_id, item_id,
            ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY score DESC, raw_score DESC, CAST(item_id AS STRING) DESC) AS place
        FROM rankmetrics_run
    ) AS p
    WHERE p.place <= 10
),

-- the judgments in the ideal ranking, highest grade first
rankmetrics_ideal AS (
    SELECT
        query_id,
        CASE WHEN relevance > 0 THEN POWER(CAST(2 AS DOUBLE), relevance) - 1 ELSE 0 END AS gain_exp2,
        CAST(ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS DOUBLE) AS ideal_rnk
    FROM rankmetrics_qrels
),

-- the facts of each judged query
rankmetrics_query_judgment_facts AS (
    SELECT
        query_id,
        SUM(CASE WHEN ideal_rnk <= 10 THEN gain_exp2 / (LN(ideal_rnk + 1) / LN(CAST(2 AS DOUBLE))) ELSE 0 END) AS ideal_dcg_exp2_at_10
    FROM rankmetrics_ideal
    GROUP BY query_id
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows_1 AS (
    SELECT
        q.query_id, MIN(r.rnk) AS rnk, CAST(NULL AS DOUBLE) AS ideal_dcg_exp2_at_10,
        CASE WHEN MAX(q.relevance) > 0 THEN POWER(CAST(2 AS DOUBLE), MAX(q.relevance)) - 1 ELSE 0 END AS gain_exp2
    FROM rankmetrics_ranked_1 AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY q.query_id, q.item_id
    UNION ALL
    SELECT query_id, NULL AS rnk, ideal_dcg_exp2_at_10, NULL AS gain_exp2 FROM rankmetrics_query_judgment_facts
),

-- the metrics of each query
rankmetrics_per_query_1 AS (
    SELECT
        query_id,
        CAST(SUM(CASE WHEN rnk <= 10 THEN gain_exp2 / (LN(rnk + 1) / LN(CAST(2 AS DOUBLE))) ELSE 0 END) / NULLIF(MAX(ideal_dcg_exp2_at_10), 0) AS DOUBLE) AS ndcg_gain_exp2_at_10
    FROM rankmetrics_rows_1
    WHERE query_id IS NOT NULL
    GROUP BY query_id
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending, down to rank 10
rankmetrics_ranked_2 AS (
    SELECT p.query_id, p.item_id, CAST(p.place AS DOUBLE) AS rnk, p.n_above, p.n_through
    FROM (
        SELECT
            query_id, item_id,
            ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY score DESC, raw_score DESC, CAST(item_id AS STRING) DESC) AS place,
            RANK() OVER (PARTITION BY query_id ORDER BY score DESC, raw_score DESC) - 1 AS n_above,
            COUNT(*) OVER (
                PARTITION BY query_id ORDER BY score DESC, raw_score DESC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS n_through
        FROM rankmetrics_run
    ) AS p
    WHERE p.n_above < 10
),

-- the judged items of each ranking, with rank and grade
rankmetrics_matched_2 AS (
    SELECT
        q.query_id, q.item_id, MIN(r.rnk) AS rnk, MIN(r.n_above) AS n_above, MIN(r.n_through) AS n_through,
        MAX(q.relevance) AS relevance
    FROM rankmetrics_ranked_2 AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY q.query_id, q.item_id
),

-- the same rows, with gains and running counts
rankmetrics_judged_2 AS (
    SELECT
        m.query_id, m.rnk, m.n_above, m.n_through, m.relevance, CAST(m.n_through - m.n_above AS DOUBLE) AS n_tied,
        CAST(SUM(CASE WHEN m.relevance >= 1 THEN 1 ELSE 0 END) OVER (PARTITION BY m.query_id, m.n_above) AS DOUBLE) AS tied_relevant_1,
        CAST(SUM(CASE WHEN m.relevance >= 1 THEN 1 ELSE 0 END) OVER (
            PARTITION BY m.query_id ORDER BY m.rnk ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) - SUM(CASE WHEN m.relevance >= 1 THEN 1 ELSE 0 END) OVER (
            PARTITION BY m.query_id, m.n_above ORDER BY m.rnk ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS DOUBLE) AS relevant_above_1,
        CAST(ROW_NUMBER() OVER (PARTITION BY m.query_id, m.n_above ORDER BY CASE WHEN m.relevance >= 1 THEN 1 ELSE 0 END DESC, m.rnk ASC) - 1 AS DOUBLE) AS tied_number_1
    FROM rankmetrics_matched_2 AS m
),

-- the groups of equal scores with a relevant item, numbered from the top
rankmetrics_expected_rr_1_at_10_2_groups AS (
    SELECT
        query_id, n_above, MAX(n_tied) AS n_tied, MAX(tied_relevant_1) AS n_hits,
        ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY n_above ASC) AS group_number
    FROM rankmetrics_judged_2
    WHERE tied_relevant_1 > 0
    GROUP BY query_id, n_above
),

-- the possible ranks of the first relevant item in the first such group, each with its probability
rankmetrics_expected_rr_1_at_10_2_places AS (
    SELECT
        g.query_id, p.rnk AS first_rnk,
        g.n_hits / (g.n_tied - (p.rnk - p.n_above) + 1) * EXP(COALESCE(
            SUM(LN(
                CASE WHEN g.n_tied - (p.rnk - p.n_above) + 1 > g.n_hits THEN
                    1 - g.n_hits / (g.n_tied - (p.rnk - p.n_above) + 1)
                END
            )) OVER (PARTITION BY g.query_id ORDER BY p.rnk ASC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
            0
        )) AS chance
    FROM rankmetrics_expected_rr_1_at_10_2_groups AS g
    INNER JOIN rankmetrics_ranked_2 AS p ON p.query_id = g.query_id AND p.n_above = g.n_above
    WHERE g.group_number = 1 AND (p.rnk - p.n_above) <= g.n_tied - g.n_hits + 1
),

-- the expected reciprocal rank of each list
rankmetrics_expected_rr_1_at_10_2 AS (
    SELECT query_id, SUM(CASE WHEN first_rnk <= 10 THEN chance / first_rnk ELSE 0 END) AS expected_rr_1_at_10
    FROM rankmetrics_expected_rr_1_at_10_2_places
    GROUP BY query_id
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows_2 AS (
    SELECT
        query_id, rnk, n_above, n_through, relevance, n_tied, tied_relevant_1, relevant_above_1, tied_number_1,
        CAST(NULL AS DOUBLE) AS ideal_dcg_exp2_at_10, CAST(NULL AS DOUBLE) AS expected_rr_1_at_10, 0 AS is_judged
    FROM rankmetrics_judged_2
    UNION ALL
    SELECT
        b.query_id, NULL AS rnk, NULL AS n_above, NULL AS n_through, NULL AS relevance, NULL AS n_tied,
        NULL AS tied_relevant_1, NULL AS relevant_above_1, NULL AS tied_number_1, b.ideal_dcg_exp2_at_10,
        NULL AS expected_rr_1_at_10, 1 AS is_judged
    FROM rankmetrics_query_judgment_facts AS b
    UNION ALL
    SELECT
        b.query_id, NULL AS rnk, NULL AS n_above, NULL AS n_through, NULL AS relevance, NULL AS n_tied,
        NULL AS tied_relevant_1, NULL AS relevant_above_1, NULL AS tied_number_1, NULL AS ideal_dcg_exp2_at_10,
        b.expected_rr_1_at_10, 0 AS is_judged
    FROM rankmetrics_expected_rr_1_at_10_2 AS b
),

-- the metrics of each query
rankmetrics_per_query_2 AS (
    SELECT query_id, CAST(COALESCE(MAX(expected_rr_1_at_10), 0) AS DOUBLE) AS rr_ties_expected_at_10
    FROM rankmetrics_rows_2
    WHERE query_id IS NOT NULL
    GROUP BY query_id
    HAVING MAX(is_judged) = 1
),

-- rank by score, highest first and none last, ties by bytes of the item id, ascending, down to rank 10
rankmetrics_ranked_3 AS (
    SELECT p.query_id, p.item_id, CAST(p.place AS DOUBLE) AS rnk
    FROM (
        SELECT
            query_id, item_id,
            ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY score DESC, raw_score DESC, CAST(item_id AS STRING) ASC) AS place
        FROM rankmetrics_run
    ) AS p
    WHERE p.place <= 10
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows_3 AS (
    SELECT q.query_id, MIN(r.rnk) AS rnk, MAX(q.relevance) AS relevance, CAST(NULL AS DOUBLE) AS ideal_dcg_exp2_at_10
    FROM rankmetrics_ranked_3 AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY q.query_id, q.item_id
    UNION ALL
    SELECT query_id, NULL AS rnk, NULL AS relevance, ideal_dcg_exp2_at_10 FROM rankmetrics_query_judgment_facts
),

-- the metrics of each query
rankmetrics_per_query_3 AS (
    SELECT
        query_id,
        CAST(COALESCE(1 / MIN(CASE WHEN relevance >= 1 AND rnk <= 10 THEN rnk END), 0) AS DOUBLE) AS rr_ties_item_asc_at_10
    FROM rankmetrics_rows_3
    WHERE query_id IS NOT NULL
    GROUP BY query_id
),

-- the values of each ranking, stacked
rankmetrics_passes AS (
    SELECT
        query_id, ndcg_gain_exp2_at_10, CAST(NULL AS DOUBLE) AS rr_ties_expected_at_10,
        CAST(NULL AS DOUBLE) AS rr_ties_item_asc_at_10
    FROM rankmetrics_per_query_1
    UNION ALL
    SELECT
        query_id, CAST(NULL AS DOUBLE) AS ndcg_gain_exp2_at_10, rr_ties_expected_at_10,
        CAST(NULL AS DOUBLE) AS rr_ties_item_asc_at_10
    FROM rankmetrics_per_query_2
    UNION ALL
    SELECT
        query_id, CAST(NULL AS DOUBLE) AS ndcg_gain_exp2_at_10, CAST(NULL AS DOUBLE) AS rr_ties_expected_at_10,
        rr_ties_item_asc_at_10
    FROM rankmetrics_per_query_3
),

-- the values of all rankings side by side, one row per query
rankmetrics_per_query AS (
    SELECT
        query_id, MAX(ndcg_gain_exp2_at_10) AS ndcg_gain_exp2_at_10,
        MAX(rr_ties_expected_at_10) AS rr_ties_expected_at_10, MAX(rr_ties_item_asc_at_10) AS rr_ties_item_asc_at_10
    FROM rankmetrics_passes
    GROUP BY query_id
)

SELECT query_id, ndcg_gain_exp2_at_10, rr_ties_expected_at_10, rr_ties_item_asc_at_10
FROM rankmetrics_per_query
ORDER BY query_id ASC;
