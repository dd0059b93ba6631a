-- rankmetrics_sql 0.1.0, decompose for duckdb, written by rankmetrics sql or rm.sql
-- metrics rr, p@5
-- options queries=judged_retrieved
-- tables september=september_runs, october=october_runs, qrels=labels
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance, qrels.market
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM september_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM october_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM labels GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- the retrieved items, one row per query and item, all runs together (a score that is NaN is none)
rankmetrics_run AS NOT MATERIALIZED (
    SELECT
        'september' AS run_id, s.query_id, s.item_id,
        NULLIF(CAST(s.score AS DOUBLE), CAST('NaN' AS DOUBLE)) AS score,
        CASE WHEN NOT ISNAN(CAST(s.score AS DOUBLE)) THEN s.score END AS raw_score
    FROM september_runs AS s
    UNION ALL
    SELECT
        'october' AS run_id, s.query_id, s.item_id,
        NULLIF(CAST(s.score AS DOUBLE), CAST('NaN' AS DOUBLE)) AS score,
        CASE WHEN NOT ISNAN(CAST(s.score AS DOUBLE)) THEN s.score END AS raw_score
    FROM october_runs AS s
),

-- the judgments, one row per query and item (a row without an item is a query with nothing relevant)
rankmetrics_qrels_repeated AS NOT MATERIALIZED (
    SELECT s.query_id, s.item_id, CAST(s.relevance AS DOUBLE) AS relevance, s.market AS group_1
    FROM labels AS s
    WHERE s.relevance IS NOT NULL AND (s.item_id IS NOT NULL OR CAST(s.relevance AS DOUBLE) <= 0)
),

-- the same rows, keeping the highest of several grades
rankmetrics_qrels AS NOT MATERIALIZED (
    SELECT query_id, item_id, MAX(relevance) AS relevance, MIN(group_1) AS group_1
    FROM rankmetrics_qrels_repeated
    GROUP BY query_id, item_id
),

-- the names of the runs
rankmetrics_runs AS (
    SELECT 'september' AS run_id UNION ALL SELECT 'october'
),

-- the groups of each query, from columns of the judgments
rankmetrics_groups_of_qrels AS (
    SELECT
        g.query_id, MIN(g.group_1) AS group_1,
        CASE WHEN MIN(g.group_1) <> MAX(g.group_1) THEN 1 ELSE 0 END AS is_mixed
    FROM rankmetrics_qrels_repeated AS g
    GROUP BY g.query_id
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending
rankmetrics_ranked AS (
    SELECT
        query_id, run_id, item_id,
        CAST(ROW_NUMBER() OVER (
            PARTITION BY query_id, run_id
            ORDER BY score DESC NULLS LAST, raw_score DESC NULLS LAST, CAST(item_id AS VARCHAR) DESC NULLS LAST
        ) AS DOUBLE) AS rnk
    FROM rankmetrics_run
),

-- the facts of each judged query
rankmetrics_query_judgment_facts AS (
    SELECT query_id
    FROM rankmetrics_qrels
    GROUP BY query_id
),

-- the length of each list
rankmetrics_retrieved AS (
    SELECT
        query_id, run_id,
        CAST(COUNT(*) AS DOUBLE) AS n_retrieved
    FROM rankmetrics_run
    GROUP BY query_id, run_id
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows AS (
    SELECT
        q.query_id, r.run_id, MIN(r.rnk) AS rnk, MAX(q.relevance) AS relevance, CAST(NULL AS DOUBLE) AS n_retrieved,
        NULL AS group_1, 0 AS is_mixed, 0 AS is_judged, 0 AS is_retrieved
    FROM rankmetrics_ranked AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY q.query_id, r.run_id, q.item_id
    UNION ALL
    SELECT
        b.query_id, u.run_id, NULL AS rnk, NULL AS relevance, NULL AS n_retrieved, b.group_1, b.is_mixed, 0 AS is_judged,
        0 AS is_retrieved
    FROM rankmetrics_groups_of_qrels AS b
    CROSS JOIN rankmetrics_runs AS u
    UNION ALL
    SELECT
        b.query_id, u.run_id, NULL AS rnk, NULL AS relevance, 0 AS n_retrieved, NULL AS group_1, 0 AS is_mixed,
        1 AS is_judged, 0 AS is_retrieved
    FROM rankmetrics_query_judgment_facts AS b
    CROSS JOIN rankmetrics_runs AS u
    UNION ALL
    SELECT
        b.query_id, b.run_id, NULL AS rnk, NULL AS relevance, b.n_retrieved, NULL AS group_1, 0 AS is_mixed,
        0 AS is_judged, 1 AS is_retrieved
    FROM rankmetrics_retrieved AS b
),

-- the metrics of each query
rankmetrics_per_query AS (
    SELECT
        run_id, query_id, MAX(group_1) AS group_1,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN COALESCE(1 / MIN(CASE WHEN relevance >= 1 THEN rnk END), 0) END AS DOUBLE) AS rr,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN CAST(SUM(CASE WHEN relevance >= 1 AND rnk <= 5 THEN 1 ELSE 0 END) AS DOUBLE) / 5 END AS DOUBLE) AS p_at_5
    FROM rankmetrics_rows
    WHERE query_id IS NOT NULL AND run_id IS NOT NULL
    GROUP BY query_id, run_id
    HAVING MAX(is_judged) = 1 AND MAX(is_retrieved) = 1
),

-- the metrics, numbered
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'rr' AS metric UNION ALL SELECT 2, 'p@5'
),

-- the values, one row per query and metric
rankmetrics_values AS (
    SELECT
        q.query_id, q.run_id, q.group_1, m.metric_number, m.metric,
        CASE m.metric_number WHEN 1 THEN q.rr WHEN 2 THEN q.p_at_5 END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
),

-- the mean and the number of values of each run, group and metric
rankmetrics_grouped AS (
    SELECT
        v.run_id, v.group_1, v.metric_number, v.metric,
        AVG(v.value ORDER BY v.value ASC) AS mean_value,
        COUNT(v.value) AS n_values
    FROM rankmetrics_values AS v
    GROUP BY v.run_id, v.group_1, v.metric_number, v.metric
    HAVING COUNT(v.value) > 0
),

-- the candidates
rankmetrics_candidates AS (
    SELECT 'october' AS run_id
),

-- the means of each candidate and of the baseline side by side, by group
rankmetrics_sides AS (
    SELECT
        c.run_id, g.group_1, g.metric_number, g.metric,
        MAX(CASE WHEN g.run_id = 'september' THEN g.mean_value END) AS baseline,
        COALESCE(MAX(CASE WHEN g.run_id = 'september' THEN g.n_values END), 0) AS n_baseline,
        MAX(CASE WHEN g.run_id <> 'september' THEN g.mean_value END) AS candidate,
        COALESCE(MAX(CASE WHEN g.run_id <> 'september' THEN g.n_values END), 0) AS n_candidate
    FROM rankmetrics_grouped AS g
    CROSS JOIN rankmetrics_candidates AS c
    WHERE g.run_id = c.run_id OR g.run_id = 'september'
    GROUP BY c.run_id, g.group_1, g.metric_number, g.metric
),

-- with the share of queries that each group has on either side
rankmetrics_shares AS (
    SELECT
        run_id, group_1, metric_number, metric, baseline, candidate, n_baseline, n_candidate,
        n_baseline / NULLIF(CAST(SUM(n_baseline) OVER (PARTITION BY run_id, metric_number) AS DOUBLE), 0) AS baseline_share,
        n_candidate / NULLIF(CAST(SUM(n_candidate) OVER (PARTITION BY run_id, metric_number) AS DOUBLE), 0) AS candidate_share
    FROM rankmetrics_sides
),

-- what each group adds to the difference, by ranking, by mix, and because it entered or left
rankmetrics_terms AS (
    SELECT
        run_id, group_1, metric_number, metric, baseline, candidate, n_baseline, n_candidate,
        CASE
            WHEN n_baseline > 0 AND n_candidate > 0 THEN (baseline_share + candidate_share) / 2 * (candidate - baseline)
            ELSE CAST(0 AS DOUBLE)
        END AS ranking,
        CASE
            WHEN n_baseline > 0 AND n_candidate > 0 THEN (baseline + candidate) / 2 * (candidate_share - baseline_share)
            ELSE CAST(0 AS DOUBLE)
        END AS mix,
        CASE
            WHEN n_baseline = 0 THEN candidate_share * candidate
            WHEN n_candidate = 0 THEN -baseline_share * baseline
            ELSE CAST(0 AS DOUBLE)
        END AS entered_or_left
    FROM rankmetrics_shares
    WHERE baseline_share IS NOT NULL AND candidate_share IS NOT NULL
)

SELECT
    t.run_id AS run,
    'september' AS baseline_run, t.group_1 AS market, t.metric, t.baseline, t.candidate, t.n_baseline, t.n_candidate,
    t.ranking, t.mix, t.entered_or_left, t.ranking + t.mix + t.entered_or_left AS contribution
FROM rankmetrics_terms AS t
ORDER BY
    t.run_id ASC, t.metric_number ASC,
    ABS(t.ranking + t.mix + t.entered_or_left) DESC NULLS LAST,
    t.group_1 ASC NULLS FIRST;
