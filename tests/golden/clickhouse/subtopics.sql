-- rankmetrics_sql 0.1.0, summary for clickhouse, written by rankmetrics sql or rm.sql
-- metrics alpha_ndcg@2, err_ia@5
-- tables run=runs, qrels=labels
-- columns qrels.subtopic=intent
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, intent, COUNT(*) AS n_rows FROM labels GROUP BY query_id, item_id, intent HAVING COUNT(*) >
--     1
WITH
-- the retrieved items, one row per query and item (a score that is NaN is none)
rankmetrics_run AS (
    SELECT
        s.query_id AS query_id, s.item_id AS item_id,
        CASE WHEN isNaN(CAST(s.score AS Nullable(Float64))) THEN NULL ELSE CAST(s.score AS Nullable(Float64)) END AS score,
        CASE WHEN NOT isNaN(CAST(s.score AS Nullable(Float64))) THEN s.score END AS raw_score
    FROM runs AS s
),

-- the judgments, one row per query, item and subtopic (a row without an item is a query with nothing relevant)
rankmetrics_subtopics AS (
    SELECT
        s.query_id AS query_id, s.item_id AS item_id, s.intent AS subtopic,
        MAX(CAST(s.relevance AS Nullable(Float64))) AS relevance
    FROM labels AS s
    WHERE s.relevance IS NOT NULL AND (s.item_id IS NOT NULL OR CAST(s.relevance AS Nullable(Float64)) <= 0)
    GROUP BY s.query_id, s.item_id, s.intent
),

-- the grade of each item, the highest over its subtopics
rankmetrics_qrels AS (
    SELECT query_id, item_id, MAX(relevance) AS relevance FROM rankmetrics_subtopics GROUP BY query_id, item_id
),

-- the score of item 5 of each list, the lowest that matters
rankmetrics_kth_scores AS (
    SELECT
        query_id,
        arrayElementOrNull(arrayPartialReverseSort(5, groupArrayIf(score, NOT isNaN(score))), 5) AS kth_score
    FROM rankmetrics_run
    GROUP BY query_id
),

-- the items with at least that score, so that only these are sorted
rankmetrics_contenders AS (
    SELECT r.query_id AS query_id, r.item_id AS item_id, r.score AS score, r.raw_score AS raw_score
    FROM rankmetrics_run AS r
    INNER JOIN rankmetrics_kth_scores AS k ON k.query_id = r.query_id
    WHERE r.score >= k.kth_score OR k.kth_score IS NULL
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending
rankmetrics_ranked AS (
    SELECT
        query_id, item_id,
        CAST(ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY score DESC, raw_score DESC, CAST(item_id AS Nullable(String)) DESC) AS Nullable(Float64)) AS rnk
    FROM rankmetrics_contenders
),

-- the judged items of each ranking, with rank and grade
rankmetrics_matched AS (
    SELECT
        q.query_id AS query_id, q.item_id AS item_id, MIN(r.rnk) AS rnk, q.subtopic AS subtopic,
        MAX(q.relevance) AS relevance
    FROM rankmetrics_ranked AS r
    INNER JOIN rankmetrics_subtopics AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY q.query_id, q.item_id, q.subtopic
),

-- the same rows, with gains and running counts
rankmetrics_judged AS (
    SELECT
        m.query_id AS query_id, m.rnk AS rnk, m.subtopic AS subtopic, m.relevance AS relevance,
        CAST(SUM(CASE WHEN m.relevance >= 1 THEN 1 ELSE 0 END) OVER (
            PARTITION BY m.query_id, m.subtopic
            ORDER BY m.rnk ASC NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS Nullable(Float64)) AS relevant_so_far_1
    FROM rankmetrics_matched AS m
),

-- the facts of each judged query
rankmetrics_query_judgment_facts_subtopics AS (
    SELECT
        query_id,
        CAST(COUNT(DISTINCT CASE WHEN relevance >= 1 THEN subtopic END) AS Nullable(Float64)) AS n_subtopics_1
    FROM rankmetrics_subtopics
    GROUP BY query_id
),

-- the start of the ideal ranking, each relevant pair of item and subtopic, with no item taken yet
rankmetrics_greedy_alpha_0_5_rel_1_0 AS (
    SELECT
        query_id, item_id, subtopic, CAST(0 AS Nullable(Float64)) AS turn, CAST(0 AS Nullable(Float64)) AS n_taken,
        CAST(0 AS Nullable(Float64)) AS gain, CAST(2 AS Nullable(Float64)) AS place
    FROM rankmetrics_subtopics
    WHERE relevance >= 1
),

-- turn 1 of the ideal ranking, where place 1 adds the most gain to the items before it
rankmetrics_greedy_alpha_0_5_rel_1_1 AS (
    SELECT
        query_id, item_id, subtopic, turn + 1 AS turn,
        n_taken + MAX(CASE WHEN place = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY query_id, subtopic) AS n_taken,
        gain, place
    FROM (
        SELECT
            query_id, item_id, subtopic, turn, n_taken, gain,
            CAST(DENSE_RANK() OVER (PARTITION BY query_id ORDER BY item_gain DESC, CAST(item_id AS Nullable(String)) DESC) AS Nullable(Float64)) AS place
        FROM (
            SELECT
                query_id, item_id, subtopic, turn, n_taken, POWER(CAST(0.5 AS Nullable(Float64)), n_taken) AS gain,
                FLOOR(
                    1000000000000 * SUM(POWER(CAST(0.5 AS Nullable(Float64)), n_taken)) OVER (PARTITION BY query_id, item_id) + CAST(0.5 AS Nullable(Float64))
                ) AS item_gain
            FROM rankmetrics_greedy_alpha_0_5_rel_1_0
            WHERE place > 1
        ) AS candidates
    ) AS ordered
),

-- turn 2 of the ideal ranking, where place 1 adds the most gain to the items before it
rankmetrics_greedy_alpha_0_5_rel_1_2 AS (
    SELECT
        query_id, item_id, subtopic, turn + 1 AS turn,
        n_taken + MAX(CASE WHEN place = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY query_id, subtopic) AS n_taken,
        gain, place
    FROM (
        SELECT
            query_id, item_id, subtopic, turn, n_taken, gain,
            CAST(DENSE_RANK() OVER (PARTITION BY query_id ORDER BY item_gain DESC, CAST(item_id AS Nullable(String)) DESC) AS Nullable(Float64)) AS place
        FROM (
            SELECT
                query_id, item_id, subtopic, turn, n_taken, POWER(CAST(0.5 AS Nullable(Float64)), n_taken) AS gain,
                FLOOR(
                    1000000000000 * SUM(POWER(CAST(0.5 AS Nullable(Float64)), n_taken)) OVER (PARTITION BY query_id, item_id) + CAST(0.5 AS Nullable(Float64))
                ) AS item_gain
            FROM rankmetrics_greedy_alpha_0_5_rel_1_1
            WHERE place > 1
        ) AS candidates
    ) AS ordered
),

-- the items of the ideal ranking, one per turn
rankmetrics_greedy_alpha_0_5_rel_1 AS (
    SELECT query_id, turn, gain, place FROM rankmetrics_greedy_alpha_0_5_rel_1_1 WHERE place = 1
    UNION ALL
    SELECT query_id, turn, gain, place FROM rankmetrics_greedy_alpha_0_5_rel_1_2 WHERE place = 1
),

-- the gain of the ideal ranking of each query, each turn weighted by its rank
rankmetrics_ideal_gain_log2_alpha_0_5_rel_1_at_2 AS (
    SELECT
        query_id,
        SUM(gain / (LN(turn + 1) / LN(CAST(2 AS Nullable(Float64))))) AS ideal_gain_log2_alpha_0_5_rel_1_at_2
    FROM rankmetrics_greedy_alpha_0_5_rel_1
    WHERE place = 1 AND turn <= 2
    GROUP BY query_id
),

-- the ten digits
rankmetrics_digits AS (
    SELECT 0 AS digit
    UNION ALL SELECT 1 AS digit
    UNION ALL SELECT 2 AS digit
    UNION ALL SELECT 3 AS digit
    UNION ALL SELECT 4 AS digit
    UNION ALL SELECT 5 AS digit
    UNION ALL SELECT 6 AS digit
    UNION ALL SELECT 7 AS digit
    UNION ALL SELECT 8 AS digit
    UNION ALL SELECT 9 AS digit
),

-- the whole numbers from 1 to 100,000
rankmetrics_numbers AS (
    SELECT 1 + a.digit + 10 * b.digit + 100 * c.digit + 1000 * d.digit + 10000 * e.digit AS list_position
    FROM rankmetrics_digits AS a
    CROSS JOIN rankmetrics_digits AS b
    CROSS JOIN rankmetrics_digits AS c
    CROSS JOIN rankmetrics_digits AS d
    CROSS JOIN rankmetrics_digits AS e
),

-- the gain down to each rank if every item serves the same subtopic
rankmetrics_full_gain_zipf_alpha_0_5_at_5_through AS (
    SELECT
        CAST(list_position AS Nullable(Float64)) AS n_places,
        SUM(POWER(CAST(0.5 AS Nullable(Float64)), list_position - 1) / list_position) OVER (
            ORDER BY list_position ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS full_gain_zipf_alpha_0_5_at_5
    FROM rankmetrics_numbers
    WHERE list_position <= 5
),

-- that gain at the cutoff, for each query
rankmetrics_full_gain_zipf_alpha_0_5_at_5 AS (
    SELECT l.query_id AS query_id, p.full_gain_zipf_alpha_0_5_at_5 AS full_gain_zipf_alpha_0_5_at_5
    FROM rankmetrics_query_judgment_facts_subtopics AS l
    INNER JOIN rankmetrics_full_gain_zipf_alpha_0_5_at_5_through AS p ON p.n_places = CAST(5 AS Nullable(Float64))
),

-- the judged items of each ranking, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows AS (
    SELECT
        query_id, rnk, subtopic, relevance, relevant_so_far_1, CAST(NULL AS Nullable(Float64)) AS n_subtopics_1,
        CAST(NULL AS Nullable(Float64)) AS ideal_gain_log2_alpha_0_5_rel_1_at_2,
        CAST(NULL AS Nullable(Float64)) AS full_gain_zipf_alpha_0_5_at_5,
        0 AS is_judged
    FROM rankmetrics_judged
    UNION ALL
    SELECT
        b.query_id AS query_id, NULL AS rnk, NULL AS subtopic, NULL AS relevance, NULL AS relevant_so_far_1,
        b.n_subtopics_1 AS n_subtopics_1, NULL AS ideal_gain_log2_alpha_0_5_rel_1_at_2,
        NULL AS full_gain_zipf_alpha_0_5_at_5, 1 AS is_judged
    FROM rankmetrics_query_judgment_facts_subtopics AS b
    UNION ALL
    SELECT
        b.query_id AS query_id, NULL AS rnk, NULL AS subtopic, NULL AS relevance, NULL AS relevant_so_far_1,
        NULL AS n_subtopics_1,
        b.ideal_gain_log2_alpha_0_5_rel_1_at_2 AS ideal_gain_log2_alpha_0_5_rel_1_at_2,
        NULL AS full_gain_zipf_alpha_0_5_at_5, 0 AS is_judged
    FROM rankmetrics_ideal_gain_log2_alpha_0_5_rel_1_at_2 AS b
    UNION ALL
    SELECT
        b.query_id AS query_id, NULL AS rnk, NULL AS subtopic, NULL AS relevance, NULL AS relevant_so_far_1,
        NULL AS n_subtopics_1, NULL AS ideal_gain_log2_alpha_0_5_rel_1_at_2,
        b.full_gain_zipf_alpha_0_5_at_5 AS full_gain_zipf_alpha_0_5_at_5,
        0 AS is_judged
    FROM rankmetrics_full_gain_zipf_alpha_0_5_at_5 AS b
),

-- the metrics of each query
rankmetrics_per_query AS (
    SELECT
        query_id,
        CAST(COALESCE(
            SUM(CASE
                WHEN relevance >= 1 AND rnk <= 2
                THEN POWER(CAST(0.5 AS Nullable(Float64)), relevant_so_far_1 - 1) / (LN(rnk + 1) / LN(CAST(2 AS Nullable(Float64))))
                ELSE 0
            END) / MAX(ideal_gain_log2_alpha_0_5_rel_1_at_2),
            0
        ) AS Nullable(Float64)) AS alpha_ndcg_at_2,
        CAST(COALESCE(
            SUM(CASE
                WHEN relevance >= 1 AND rnk <= 5 THEN POWER(CAST(0.5 AS Nullable(Float64)), relevant_so_far_1 - 1) / rnk
                ELSE 0
            END) / nullIf(MAX(n_subtopics_1) * MAX(full_gain_zipf_alpha_0_5_at_5), 0),
            0
        ) AS Nullable(Float64)) AS err_ia_at_5
    FROM rankmetrics_rows
    WHERE query_id IS NOT NULL
    GROUP BY query_id
    HAVING MAX(is_judged) = 1
),

-- the metrics, numbered
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'alpha_ndcg@2' AS metric UNION ALL SELECT 2, 'err_ia@5'
),

-- the values, one row per query and metric
rankmetrics_values AS (
    SELECT
        m.metric_number AS metric_number,
        CASE m.metric_number WHEN 1 THEN q.alpha_ndcg_at_2 WHEN 2 THEN q.err_ia_at_5 END AS value
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
)

SELECT m.metric AS metric, AVG(v.value) AS value, COUNT(v.value) AS n_queries
FROM rankmetrics_metrics AS m
LEFT JOIN rankmetrics_values AS v ON v.metric_number = m.metric_number
GROUP BY m.metric_number, m.metric
ORDER BY m.metric_number ASC NULLS FIRST;
