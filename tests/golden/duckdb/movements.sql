-- rankmetrics_sql 0.1.0, movements within 5 for duckdb, written by rankmetrics sql or rm.sql
-- options queries=retrieved
-- tables old=old_runs, new=new_runs, qrels=labels
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM old_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM new_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM labels GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- the retrieved items, one row per query and item, all runs together (a score that is NaN is none)
rankmetrics_run AS NOT MATERIALIZED (
    SELECT
        'old' AS run_id, s.query_id, s.item_id,
        NULLIF(CAST(s.score AS DOUBLE), CAST('NaN' AS DOUBLE)) AS score,
        CASE WHEN NOT ISNAN(CAST(s.score AS DOUBLE)) THEN s.score END AS raw_score
    FROM old_runs AS s
    UNION ALL
    SELECT
        'new' AS run_id, s.query_id, s.item_id,
        NULLIF(CAST(s.score AS DOUBLE), CAST('NaN' AS DOUBLE)) AS score,
        CASE WHEN NOT ISNAN(CAST(s.score AS DOUBLE)) THEN s.score END AS raw_score
    FROM new_runs AS s
),

-- the judgments, one row per query and item (a row without an item is a query with nothing relevant)
rankmetrics_qrels AS NOT MATERIALIZED (
    SELECT s.query_id, s.item_id, MAX(CAST(s.relevance AS DOUBLE)) AS relevance
    FROM labels AS s
    WHERE s.relevance IS NOT NULL AND (s.item_id IS NOT NULL OR CAST(s.relevance AS DOUBLE) <= 0)
    GROUP BY s.query_id, s.item_id
),

-- the names of the runs
rankmetrics_runs AS (
    SELECT 'old' AS run_id UNION ALL SELECT 'new'
),

-- the score of item 5 of each list, the lowest that matters
rankmetrics_kth_scores AS (
    SELECT query_id, run_id, LIST_EXTRACT(MAX(score, 5), 5) AS kth_score
    FROM rankmetrics_run
    GROUP BY query_id, run_id
),

-- the items with at least that score, so that only these are sorted
rankmetrics_contenders AS (
    SELECT r.query_id, r.run_id, r.item_id, r.score, r.raw_score
    FROM rankmetrics_run AS r
    INNER JOIN rankmetrics_kth_scores AS k ON k.query_id = r.query_id AND k.run_id = r.run_id
    WHERE r.score >= k.kth_score OR k.kth_score IS NULL
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending
rankmetrics_ranked AS (
    SELECT
        query_id, run_id, item_id,
        CAST(ROW_NUMBER() OVER (
            PARTITION BY query_id, run_id
            ORDER BY score DESC NULLS LAST, raw_score DESC NULLS LAST, CAST(item_id AS VARCHAR) DESC NULLS LAST
        ) AS DOUBLE) AS rnk
    FROM rankmetrics_contenders
),

-- all retrieved items, with rank and grade
rankmetrics_matched AS (
    SELECT
        r.query_id, r.run_id, r.item_id, MIN(r.rnk) AS rnk, MAX(q.relevance) AS relevance,
        MIN(CASE WHEN q.relevance IS NULL THEN 1 ELSE 0 END) AS is_unjudged
    FROM rankmetrics_ranked AS r
    LEFT JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY r.query_id, r.run_id, r.item_id
),

-- the candidates
rankmetrics_candidates AS (
    SELECT 'new' AS run_id
),

-- the ranks of each item in a candidate and in the baseline side by side
rankmetrics_moved AS (
    SELECT
        c.run_id, m.query_id, m.item_id,
        MIN(CASE WHEN m.run_id = 'old' THEN CAST(m.rnk AS INTEGER) END) AS baseline_rank,
        MIN(CASE WHEN m.run_id <> 'old' THEN CAST(m.rnk AS INTEGER) END) AS candidate_rank,
        MAX(CASE WHEN m.is_unjudged = 0 THEN m.relevance END) AS grade
    FROM rankmetrics_matched AS m
    CROSS JOIN rankmetrics_candidates AS c
    WHERE m.query_id IS NOT NULL AND m.run_id IS NOT NULL AND m.rnk <= 5
        AND (m.run_id = c.run_id OR m.run_id = 'old')
    GROUP BY c.run_id, m.query_id, m.item_id
)

SELECT
    t.run_id AS run,
    'old' AS baseline_run, t.query_id, t.item_id, t.baseline_rank, t.candidate_rank,
    CASE
        WHEN t.baseline_rank IS NULL THEN 'entered'
        WHEN t.candidate_rank IS NULL THEN 'left'
        WHEN t.candidate_rank < t.baseline_rank THEN 'up'
        WHEN t.candidate_rank > t.baseline_rank THEN 'down'
        ELSE 'same'
    END AS movement,
    t.grade AS relevance
FROM rankmetrics_moved AS t
ORDER BY
    t.run_id ASC, t.query_id ASC,
    CASE WHEN t.candidate_rank IS NULL THEN 1 ELSE 0 END ASC, t.candidate_rank ASC NULLS FIRST, t.baseline_rank ASC NULLS FIRST;
