-- rankmetrics_sql 0.1.0, summary for teradata, written by rankmetrics sql or rm.sql
-- metrics average_popularity@10, ild@10, catalogue_coverage@10
-- options queries=retrieved
-- tables run=runs, items=films
-- assumed columns run.query_id, run.item_id, run.score, items.item_id, items.popularity, items.category
-- The tables are not checked. Of an item that stands twice the best rank and the highest grade count.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- the retrieved items, one row per query and item (a score that is NaN is none)
rankmetrics_run AS (
    SELECT
        CAST(s.query_id AS VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC) AS query_id,
        CAST(s.item_id AS VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC) AS item_id,
        CAST(s.score AS DOUBLE PRECISION) AS score, s.score AS raw_score, CAST(NULL AS DOUBLE PRECISION) AS relevance,
        CAST(s.market AS VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC) AS group_1
    FROM runs AS s
),

-- the judgments in the labelled table, its rows with a grade
rankmetrics_qrels AS (
    SELECT r.query_id, r.item_id, r.relevance FROM rankmetrics_run AS r WHERE r.relevance IS NOT NULL
),

-- the catalogue, with its columns renamed
rankmetrics_catalogue AS (
    SELECT
        CAST(s.item_id AS VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC) AS item_id,
        CAST(s.popularity AS DOUBLE PRECISION) AS popularity,
        CAST(s.category AS VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC) AS category
    FROM films AS s
    WHERE s.item_id IS NOT NULL
),

-- the facts of each item in the catalogue
rankmetrics_items AS (
    SELECT item_id, 1 AS in_catalogue, MAX(popularity) AS popularity, COUNT(DISTINCT category) AS n_categories
    FROM rankmetrics_catalogue
    GROUP BY item_id
),

-- the categories of each item
rankmetrics_categories AS (
    SELECT DISTINCT item_id, category FROM rankmetrics_catalogue WHERE category IS NOT NULL
),

-- the groups of each list, from columns of the run
rankmetrics_groups_of_run AS (
    SELECT
        g.query_id, MIN(g.group_1) AS group_1,
        CASE WHEN MIN(g.group_1) <> MAX(g.group_1) THEN 1 ELSE 0 END AS is_mixed
    FROM rankmetrics_run AS g
    GROUP BY g.query_id
),

-- rank by score, highest first and none last, ties by bytes of the item id, descending, down to rank 10
rankmetrics_ranked AS (
    SELECT p.query_id, p.item_id, p.relevance, CAST(p.place AS DOUBLE PRECISION) AS rnk
    FROM (
        SELECT
            query_id, item_id, relevance,
            ROW_NUMBER() OVER (
                PARTITION BY query_id
                ORDER BY score DESC, raw_score DESC, CAST(item_id AS VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC) DESC
            ) AS place
        FROM rankmetrics_run
    ) AS p
    WHERE p.place <= 10
),

-- all retrieved items, with rank and grade
rankmetrics_matched AS (
    SELECT
        r.query_id, r.item_id, MIN(r.rnk) AS rnk, MAX(r.relevance) AS relevance,
        MIN(CASE WHEN r.relevance IS NULL THEN 1 ELSE 0 END) AS is_unjudged,
        MAX(COALESCE(i.in_catalogue, 0)) AS in_catalogue, MAX(CAST(i.popularity AS DOUBLE PRECISION)) AS popularity,
        MAX(CAST(COALESCE(i.n_categories, 0) AS DOUBLE PRECISION)) AS n_categories
    FROM rankmetrics_ranked AS r
    LEFT JOIN rankmetrics_items AS i ON i.item_id = r.item_id
    GROUP BY r.query_id, r.item_id
),

-- the facts of each judged query
rankmetrics_query_judgment_facts AS (
    SELECT query_id FROM rankmetrics_qrels GROUP BY query_id
),

-- the length of each list
rankmetrics_retrieved AS (
    SELECT query_id, CAST(COUNT(*) AS DOUBLE PRECISION) AS n_retrieved FROM rankmetrics_run GROUP BY query_id
),

-- the items of each list with a row for each of their categories
rankmetrics_shown_categories AS (
    SELECT m.query_id, m.rnk, m.item_id, m.in_catalogue, m.popularity, m.n_categories, c.category
    FROM rankmetrics_matched AS m
    INNER JOIN rankmetrics_categories AS c ON c.item_id = m.item_id
),

-- the pairs of items that share a category, with the numbers of shared and of all categories
rankmetrics_shared_categories_jaccard_at_10_by_category AS (
    SELECT a.query_id, CAST(COUNT(*) AS DOUBLE PRECISION) AS n_shared, MAX(a.n_categories + b.n_categories) AS n_of_both
    FROM rankmetrics_shown_categories AS a
    INNER JOIN rankmetrics_shown_categories AS b
        ON b.query_id = a.query_id AND b.category = a.category AND b.rnk > a.rnk
    WHERE b.rnk <= 10
    GROUP BY a.query_id, a.rnk, b.rnk
),

-- the sums over the categories of its items, for each list
rankmetrics_shared_categories_jaccard_at_10 AS (
    SELECT query_id, CAST(SUM(n_shared / (n_of_both - n_shared)) AS DOUBLE PRECISION) AS shared_categories_jaccard_at_10
    FROM rankmetrics_shared_categories_jaccard_at_10_by_category
    GROUP BY query_id
),

-- the facts of each query, stacked from several stages
rankmetrics_facts AS (
    SELECT
        b.query_id, b.group_1, b.is_mixed, CAST(NULL AS DOUBLE PRECISION) AS n_retrieved,
        CAST(NULL AS DOUBLE PRECISION) AS shared_categories_jaccard_at_10,
        0 AS is_retrieved
    FROM rankmetrics_groups_of_run AS b
    UNION ALL
    SELECT
        b.query_id, NULL AS group_1, 0 AS is_mixed, CAST(NULL AS DOUBLE PRECISION) AS n_retrieved,
        CAST(NULL AS DOUBLE PRECISION) AS shared_categories_jaccard_at_10,
        0 AS is_retrieved
    FROM rankmetrics_query_judgment_facts AS b
    UNION ALL
    SELECT
        b.query_id, NULL AS group_1, 0 AS is_mixed, b.n_retrieved,
        CAST(NULL AS DOUBLE PRECISION) AS shared_categories_jaccard_at_10,
        1 AS is_retrieved
    FROM rankmetrics_retrieved AS b
    UNION ALL
    SELECT
        b.query_id, NULL AS group_1, 0 AS is_mixed, CAST(NULL AS DOUBLE PRECISION) AS n_retrieved,
        b.shared_categories_jaccard_at_10, 0 AS is_retrieved
    FROM rankmetrics_shared_categories_jaccard_at_10 AS b
),

-- the scored queries, each with its facts
rankmetrics_queries AS (
    SELECT
        f.query_id, MAX(f.group_1) AS group_1, MAX(f.is_mixed) AS is_mixed,
        COALESCE(MAX(f.n_retrieved), 0) AS n_retrieved,
        MAX(f.shared_categories_jaccard_at_10) AS shared_categories_jaccard_at_10
    FROM rankmetrics_facts AS f
    GROUP BY f.query_id
    HAVING MAX(f.is_retrieved) = 1
),

-- all retrieved items, and a row for each query with its facts (planners misjudge a join)
rankmetrics_rows AS (
    SELECT
        query_id, rnk, item_id, in_catalogue, popularity, n_categories, relevance, is_unjudged,
        CAST(NULL AS DOUBLE PRECISION) AS n_retrieved,
        CAST(NULL AS DOUBLE PRECISION) AS shared_categories_jaccard_at_10,
        NULL AS group_1, 0 AS is_mixed
    FROM rankmetrics_matched
    UNION ALL
    SELECT
        query_id, NULL AS rnk, NULL AS item_id, NULL AS in_catalogue, NULL AS popularity, NULL AS n_categories,
        NULL AS relevance, NULL AS is_unjudged, n_retrieved, shared_categories_jaccard_at_10, group_1, is_mixed
    FROM rankmetrics_queries
),

-- the metrics of each query
rankmetrics_per_query AS (
    SELECT
        query_id, MAX(group_1) AS group_1,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN AVG(CASE WHEN rnk <= 10 THEN COALESCE(popularity, 0) END) END AS DOUBLE PRECISION) AS average_popularity_at_10,
        CAST(CASE WHEN MAX(is_mixed) = 0 THEN CASE
            WHEN CAST(SUM(CASE WHEN rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) > 1 THEN (
                CAST(SUM(CASE WHEN rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) * (CAST(SUM(CASE WHEN rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) - 1) / 2 - CAST(SUM(CASE WHEN rnk <= 10 AND n_categories = 0 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) * (CAST(SUM(CASE WHEN rnk <= 10 AND n_categories = 0 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) - 1) / 2 - COALESCE(MAX(shared_categories_jaccard_at_10), 0)
            ) / (
                CAST(SUM(CASE WHEN rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) * (CAST(SUM(CASE WHEN rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) - 1) / 2
            )
            WHEN CAST(SUM(CASE WHEN rnk <= 10 THEN 1 ELSE 0 END) AS DOUBLE PRECISION) = 1 THEN 0
        END END AS DOUBLE PRECISION) AS intra_list_diversity_at_10,
        CAST(NULL AS DOUBLE PRECISION) AS catalogue_coverage_at_10
    FROM rankmetrics_rows
    WHERE query_id IS NOT NULL
    GROUP BY query_id
),

-- the metrics, numbered
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'average_popularity@10' AS metric FROM (SELECT 1 AS one) AS nothing
    UNION ALL SELECT 2, 'ild@10' FROM (SELECT 1 AS one) AS nothing
    UNION ALL SELECT 3, 'catalogue_coverage@10' FROM (SELECT 1 AS one) AS nothing
),

-- the values, one row per query and metric
rankmetrics_values AS (
    SELECT
        q.query_id, q.group_1, m.metric_number, m.metric,
        CASE m.metric_number
            WHEN 1 THEN q.average_popularity_at_10
            WHEN 2 THEN q.intra_list_diversity_at_10
            WHEN 3 THEN q.catalogue_coverage_at_10
        END AS "value"
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
),

-- the items that the scored lists show, for each row of the summary
rankmetrics_exposed_items AS (
    SELECT q.group_1, m.item_id, m.rnk, m.in_catalogue
    FROM rankmetrics_matched AS m
    INNER JOIN rankmetrics_queries AS q ON q.query_id = m.query_id
    WHERE q.query_id IS NOT NULL
),

-- the scored lists, for each row of the summary
rankmetrics_scored AS (
    SELECT q.group_1, 1 AS is_list FROM rankmetrics_queries AS q WHERE q.query_id IS NOT NULL
),

-- the number of lists that show each item within the cutoff
rankmetrics_exposures_at_10_counted AS (
    SELECT group_1, item_id, CAST(COUNT(*) AS DOUBLE PRECISION) AS n_lists, MAX(in_catalogue) AS in_catalogue
    FROM rankmetrics_exposed_items
    WHERE rnk <= 10
    GROUP BY group_1, item_id
),

-- each shown item with its facts, and a row with the facts of all lists together
rankmetrics_exposures_at_10 AS (
    SELECT
        group_1, n_lists, in_catalogue, CAST(NULL AS DOUBLE PRECISION) AS n_queries,
        CAST(NULL AS DOUBLE PRECISION) AS n_items
    FROM rankmetrics_exposures_at_10_counted
    UNION ALL
    SELECT
        group_1, NULL AS n_lists, NULL AS in_catalogue, CAST(COUNT(*) AS DOUBLE PRECISION) AS n_queries,
        CAST((SELECT COUNT(*) FROM rankmetrics_items) AS DOUBLE PRECISION) AS n_items
    FROM rankmetrics_scored
    GROUP BY group_1
),

-- the metrics that have one value over all lists
rankmetrics_of_lists AS (
    SELECT e.group_1, m.metric_number, CASE m.metric_number WHEN 3 THEN e.catalogue_coverage_at_10 END AS "value"
    FROM (
        SELECT
            group_1,
            CASE WHEN MAX(n_queries) > 0 THEN CAST(COALESCE(SUM(in_catalogue), 0) / MAX(n_items) AS DOUBLE PRECISION) END AS catalogue_coverage_at_10
        FROM rankmetrics_exposures_at_10
        GROUP BY group_1
    ) AS e
    CROSS JOIN rankmetrics_metrics AS m
    WHERE m.metric_number = 3
),

-- the summary, before it is put in order
rankmetrics_summed AS (
    SELECT
        v.group_1, v.metric_number, v.metric,
        CASE WHEN v.metric_number = 3 THEN MAX(v."value") ELSE AVG(v."value") END AS "value",
        CASE WHEN v.metric_number = 3 THEN COUNT(*) ELSE COUNT(v."value") END AS n_queries,
        CASE WHEN v.metric_number = 3 THEN 0 ELSE COUNT(*) - COUNT(v."value") END AS n_left_out
    FROM rankmetrics_values AS v
    GROUP BY v.group_1, v.metric_number, v.metric
),

-- the summary, with the metrics that have one value over all lists
rankmetrics_together AS (
    SELECT
        group_1, metric_number, MAX(metric) AS metric, MAX("value") AS "value", MAX(n_queries) AS n_queries,
        MAX(n_left_out) AS n_left_out
    FROM (
        SELECT group_1, metric_number, metric, "value", n_queries, n_left_out FROM rankmetrics_summed
        UNION ALL
        SELECT group_1, metric_number, NULL AS metric, "value", NULL AS n_queries, NULL AS n_left_out
        FROM rankmetrics_of_lists
    ) AS t
    GROUP BY group_1, metric_number
)

SELECT g.group_1 AS market, g.metric, g."value", g.n_queries, g.n_left_out
FROM rankmetrics_together AS g
ORDER BY g.group_1 ASC, g.metric_number ASC;
