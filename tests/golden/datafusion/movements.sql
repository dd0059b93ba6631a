-- rankmetrics_sql 0.1.0, movements within 5 for datafusion, written by rankmetrics sql or rm.sql
-- options queries=retrieved
-- tables old=old_runs, new=new_runs, qrels=labels
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
-- The tables are not checked. An item that a list has twice counts once, at its best rank, and a judgment that stands
--     twice as two. rankmetrics evaluate checks.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM old_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM new_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM labels GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- what was retrieved, as it was given, run 1
rankmetrics_run_source_1 AS (
    SELECT * FROM old_runs
),

-- what was retrieved, as it was given, run 2
rankmetrics_run_source_2 AS (
    SELECT * FROM new_runs
),

-- what was retrieved, a row for each item of a list, all runs together
rankmetrics_run AS (
    SELECT
        'old' AS run_id,
        s.query_id AS query_id,
        s.item_id AS item_id,
        NULLIF(CAST(s.score AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION)) AS score
    FROM rankmetrics_run_source_1 AS s
    UNION ALL
    SELECT
        'new' AS run_id,
        s.query_id AS query_id,
        s.item_id AS item_id,
        NULLIF(CAST(s.score AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION)) AS score
    FROM rankmetrics_run_source_2 AS s
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

-- the names of the runs
rankmetrics_runs AS (
    SELECT 'old' AS run_id
    UNION ALL
    SELECT 'new' AS run_id
),

-- the rank of each retrieved item, by score, the highest first, then by item, the last id first
rankmetrics_ranked AS (
    SELECT
        p.run_id,
        p.query_id,
        p.item_id,
        CAST(p.place AS DOUBLE PRECISION) AS rnk
    FROM (
        SELECT
            run_id,
            query_id,
            item_id,
            ROW_NUMBER() OVER (
                PARTITION BY run_id, query_id
                ORDER BY score DESC NULLS LAST, CAST(item_id AS TEXT) DESC NULLS LAST
            ) AS place
        FROM rankmetrics_run
    ) AS p
    WHERE p.place <= 5
),

-- all retrieved items, with their ranks and grades
rankmetrics_matched AS (
    SELECT
        r.run_id,
        r.query_id,
        r.item_id,
        MIN(r.rnk) AS rnk,
        MAX(q.relevance) AS relevance,
        MIN(CASE WHEN q.relevance IS NULL THEN 1 ELSE 0 END) AS is_unjudged
    FROM rankmetrics_ranked AS r
    LEFT JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY r.run_id, r.query_id, r.item_id
),

-- all retrieved items, with what the metrics read of them
rankmetrics_judged AS (
    SELECT
        m.run_id,
        m.query_id,
        m.rnk,
        m.item_id,
        m.relevance,
        m.is_unjudged
    FROM rankmetrics_matched AS m
),

-- the runs that are held against the baseline
rankmetrics_candidates AS (
    SELECT 'new' AS run_id
),

-- the ranks of each item in a candidate and in the baseline side by side
rankmetrics_moved AS (
    SELECT
        c.run_id,
        m.query_id,
        m.item_id,
        MIN(CASE WHEN m.run_id = 'old' THEN CAST(m.rnk AS INT) END) AS baseline_rank,
        MIN(CASE WHEN m.run_id <> 'old' THEN CAST(m.rnk AS INT) END) AS candidate_rank,
        MAX(CASE WHEN m.is_unjudged = 0 THEN m.relevance END) AS grade
    FROM rankmetrics_judged AS m
    CROSS JOIN rankmetrics_candidates AS c
    WHERE
        m.run_id IS NOT NULL
        AND m.query_id IS NOT NULL
        AND m.rnk <= 5
        AND (m.run_id = c.run_id OR m.run_id = 'old')
    GROUP BY c.run_id, m.query_id, m.item_id
)

SELECT
    t.run_id AS run,
    'old' AS baseline_run,
    t.query_id,
    t.item_id,
    t.baseline_rank,
    t.candidate_rank,
    CASE
        WHEN t.baseline_rank IS NULL
        THEN 'entered'
        WHEN t.candidate_rank IS NULL
        THEN 'left'
        WHEN t.candidate_rank < t.baseline_rank
        THEN 'up'
        WHEN t.candidate_rank > t.baseline_rank
        THEN 'down'
        ELSE 'same'
    END AS movement,
    t.grade AS relevance
FROM rankmetrics_moved AS t
ORDER BY
    t.run_id ASC NULLS FIRST,
    t.query_id ASC NULLS FIRST,
    CASE WHEN t.candidate_rank IS NULL THEN 1 ELSE 0 END ASC NULLS FIRST,
    t.candidate_rank ASC NULLS FIRST,
    t.baseline_rank ASC NULLS FIRST;
