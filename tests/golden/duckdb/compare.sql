-- rankmetrics_sql 0.1.0, compare for duckdb, written by rankmetrics sql or rm.sql
-- metrics rr@10, num_rel_ret
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
        0 AS is_judged
    FROM rankmetrics_ranked AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY q.query_id, r.run_id, q.item_id
    UNION ALL
    SELECT b.query_id, u.run_id, NULL AS rnk, NULL AS relevance, 0 AS n_retrieved, 1 AS is_judged
    FROM rankmetrics_query_judgment_facts AS b
    CROSS JOIN rankmetrics_runs AS u
    UNION ALL
    SELECT b.query_id, b.run_id, NULL AS rnk, NULL AS relevance, b.n_retrieved, 0 AS is_judged
    FROM rankmetrics_retrieved AS b
),

-- the metrics of each query
rankmetrics_per_query AS (
    SELECT
        run_id, query_id,
        CAST(COALESCE(1 / MIN(CASE WHEN relevance >= 1 AND rnk <= 10 THEN rnk END), 0) AS DOUBLE) AS rr_at_10,
        CAST(CAST(SUM(CASE WHEN relevance >= 1 THEN 1 ELSE 0 END) AS DOUBLE) AS DOUBLE) AS num_rel_ret,
        CASE WHEN MAX(n_retrieved) < 10 THEN MAX(n_retrieved) ELSE 10 END AS n_first,
        SUM(CASE WHEN rnk <= 10 THEN 1 ELSE 0 END) AS n_first_judged
    FROM rankmetrics_rows
    WHERE query_id IS NOT NULL AND run_id IS NOT NULL
    GROUP BY query_id, run_id
    HAVING MAX(is_judged) = 1
),

-- the metrics of each query beside those of the baseline for the same query
rankmetrics_with_baseline_values AS (
    SELECT
        run_id, query_id, n_first, n_first_judged, rr_at_10, num_rel_ret,
        MAX(CASE WHEN run_id = 'old' THEN rr_at_10 END) OVER (PARTITION BY query_id) AS baseline_rr_at_10,
        MAX(CASE WHEN run_id = 'old' THEN num_rel_ret END) OVER (PARTITION BY query_id) AS baseline_num_rel_ret,
        MAX(CASE WHEN run_id = 'old' THEN n_first END) OVER (PARTITION BY query_id) AS baseline_n_first,
        MAX(CASE WHEN run_id = 'old' THEN n_first_judged END) OVER (PARTITION BY query_id) AS baseline_n_first_judged,
        MAX(CASE WHEN run_id = 'old' THEN 1 END) OVER (PARTITION BY query_id) AS of_baseline
    FROM rankmetrics_per_query
),

-- the metrics, numbered
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'rr@10' AS metric UNION ALL SELECT 2, 'num_rel_ret'
),

-- the values, one row per query and metric
rankmetrics_values AS (
    SELECT
        q.query_id, q.run_id, m.metric_number, m.metric,
        CASE m.metric_number WHEN 1 THEN q.rr_at_10 WHEN 2 THEN q.num_rel_ret END AS value,
        CASE m.metric_number WHEN 1 THEN q.baseline_rr_at_10 WHEN 2 THEN q.baseline_num_rel_ret END AS baseline_own,
        q.baseline_n_first, q.baseline_n_first_judged, q.of_baseline, q.n_first, q.n_first_judged
    FROM rankmetrics_with_baseline_values AS q
    CROSS JOIN rankmetrics_metrics AS m
),

-- the pairs of values, made equal if only rounding separates them
rankmetrics_pairs AS (
    SELECT
        run_id, query_id, metric_number, metric, n_first, n_first_judged, baseline_n_first, baseline_n_first_judged,
        of_baseline,
        CASE WHEN value IS NOT NULL THEN baseline_own END AS baseline_value,
        CASE
            WHEN ABS(value - baseline_own) <= CAST(1e-12 AS DOUBLE) * CASE WHEN ABS(baseline_own) > 1 THEN ABS(baseline_own) ELSE 1 END THEN baseline_own
            WHEN baseline_own IS NOT NULL THEN value
        END AS candidate_value
    FROM rankmetrics_values
),

-- the difference of each pair of values, beside the means of its effect
rankmetrics_differences AS (
    SELECT
        run_id, metric_number, metric, n_first, n_first_judged, baseline_n_first, baseline_n_first_judged, of_baseline,
        baseline_value, candidate_value,
        candidate_value - baseline_value AS difference,
        AVG(candidate_value - baseline_value ORDER BY candidate_value - baseline_value ASC) OVER (PARTITION BY run_id, metric_number) AS mean_difference,
        AVG(baseline_value ORDER BY baseline_value ASC) OVER (PARTITION BY run_id, metric_number) AS mean_baseline,
        AVG(candidate_value ORDER BY candidate_value ASC) OVER (PARTITION BY run_id, metric_number) AS mean_candidate
    FROM rankmetrics_pairs
),

-- the means, sums of squares and counts of each effect
rankmetrics_sums AS (
    SELECT
        p.run_id, p.metric_number, p.metric,
        CASE
            WHEN p.metric_number = 2 THEN SUM(p.baseline_value ORDER BY p.baseline_value ASC)
            ELSE MAX(p.mean_baseline)
        END AS baseline,
        CASE
            WHEN p.metric_number = 2 THEN SUM(p.candidate_value ORDER BY p.candidate_value ASC)
            ELSE MAX(p.mean_candidate)
        END AS candidate,
        CASE
            WHEN p.metric_number = 2 THEN SUM(p.difference ORDER BY p.difference ASC)
            ELSE MAX(p.mean_difference)
        END AS mean_difference,
        SUM((p.difference - p.mean_difference) * (p.difference - p.mean_difference) ORDER BY p.difference ASC) AS squares,
        SUM((p.candidate_value / NULLIF(p.mean_candidate, 0) - p.baseline_value / NULLIF(p.mean_baseline, 0)) * (p.candidate_value / NULLIF(p.mean_candidate, 0) - p.baseline_value / NULLIF(p.mean_baseline, 0)) ORDER BY p.baseline_value ASC, p.candidate_value ASC) AS relative_squares,
        CAST(COUNT(p.difference) AS DOUBLE) AS n,
        SUM(CASE WHEN p.difference > 0 THEN 1 ELSE 0 END) AS n_higher,
        SUM(CASE WHEN p.difference = 0 THEN 1 ELSE 0 END) AS n_ties,
        SUM(CASE WHEN p.difference < 0 THEN 1 ELSE 0 END) AS n_lower,
        COUNT(p.difference) AS n_queries,
        COUNT(*) AS n_rows,
        COUNT(p.of_baseline) AS n_rows_of_both,
        SUM(CASE WHEN p.difference IS NOT NULL THEN p.n_first END) AS n_first,
        SUM(CASE WHEN p.difference IS NOT NULL THEN p.n_first_judged END) AS n_first_judged,
        SUM(CASE WHEN p.difference IS NOT NULL THEN p.baseline_n_first END) AS baseline_n_first,
        SUM(CASE WHEN p.difference IS NOT NULL THEN p.baseline_n_first_judged END) AS baseline_n_first_judged
    FROM rankmetrics_differences AS p
    GROUP BY p.run_id, p.metric_number, p.metric
),

-- each effect beside the row count of the baseline, with differences below 1e-12 (relative) set to 0
rankmetrics_beside_baseline AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, n, n_higher, n_ties, n_lower, n_queries, n_rows,
        n_rows_of_both, n_first, n_first_judged, baseline_n_first, baseline_n_first_judged,
        CASE WHEN ABS(s.mean_difference) <= CAST(1e-12 AS DOUBLE) * (1 + ABS(s.baseline)) THEN 0 ELSE s.mean_difference END AS mean_difference,
        CASE WHEN s.squares <= s.n * POWER(CAST(1e-12 AS DOUBLE) * (1 + ABS(s.baseline)), 2) THEN 0 ELSE s.squares END AS squares,
        CASE WHEN s.relative_squares <= s.n * POWER(CAST(1e-12 AS DOUBLE), 2) THEN 0 ELSE s.relative_squares END AS relative_squares,
        COALESCE(MAX(CASE WHEN run_id = 'old' THEN n_rows END) OVER (PARTITION BY metric_number), 0) AS n_rows_of_baseline
    FROM rankmetrics_sums AS s
),

-- the effects, a row for each candidate, group and metric, with their errors
rankmetrics_effects AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, mean_difference AS effect_size,
        CASE
            WHEN s.metric_number = 2 THEN CASE WHEN n > 1 THEN SQRT(squares / (n - 1) * n) END
            ELSE CASE WHEN n > 1 THEN SQRT(squares / (n - 1) / n) END
        END AS standard_error,
        CASE WHEN n > 1 THEN n - 1 END AS degrees,
        CASE
            WHEN s.metric_number = 2 THEN SQRT(CASE WHEN n > 1 THEN squares / (n - 1) END) * n
            ELSE SQRT(CASE WHEN n > 1 THEN squares / (n - 1) END)
        END AS deviation,
        CASE WHEN n > 1 THEN SQRT(relative_squares / (n - 1) / n) END AS relative_error,
        n_higher, n_ties, n_lower, n_queries,
        CAST(s.baseline_n_first_judged AS DOUBLE) / NULLIF(s.baseline_n_first, 0) AS judged_baseline,
        CAST(s.n_first_judged AS DOUBLE) / NULLIF(s.n_first, 0) AS judged_candidate,
        s.n_higher + s.n_lower AS n_units,
        1 AS join_key,
        n_rows + n_rows_of_baseline - n_rows_of_both - n_queries AS n_left_out
    FROM rankmetrics_beside_baseline AS s
    WHERE run_id <> 'old' AND n_queries > 0
),

-- the nodes and weights of the quadrature that integrates the tail of a distribution
rankmetrics_quadrature_nodes AS (
    SELECT
        1 AS join_key, CAST(p.distance AS DOUBLE) AS distance, CAST(p.weight AS DOUBLE) AS weight
    FROM (
        VALUES
        (4309650252.8195e0, 33173064629.253e0), (29540090.434997e0, 100368953.1544e0), (1999467.7510583e0, 4336586.4848677e0), (314538.69859108e0, 499889.01433605e0), (76992.768693603e0, 96378.323700986e0), (24765.51434657e0, 25524.155262212e0),
        (9593.7194676965e0, 8387.6089991178e0), (4253.5058533052e0, 3222.9601474617e0), (2089.6530119865e0, 1394.5329012768e0), (1112.948363e0, 662.38613413056e0), (632.74099517189e0, 339.22924939148e0), (379.64827754952e0, 184.86301980721e0),
        (238.33493389019e0, 106.13492068183e0), (155.49579163702e0, 63.704808469748e0), (104.86715644024e0, 39.732697084091e0), (72.786109554205e0, 25.624727076222e0), (51.804512631208e0, 17.020348757205e0), (37.69337073046e0, 11.604769746288e0),
        (27.964001024655e0, 8.0994671638176e0), (21.104665557802e0, 5.7730361201141e0), (16.170693599736e0, 4.1937455092319e0), (12.556558331511e0, 3.099484143767e0), (9.8650947073484e0, 2.3270253391227e0), (7.830305076478e0, 1.7723498288787e0),
        (6.2706129182214e0, 1.367759904677e0), (5.0598869618906e0, 1.0683390954388e0), (4.1090931619925e0, 0.84375284853462e0), (3.3544466351493e0, 0.67317645505133e0), (2.7496215539297e0, 0.54209523865706e0), (2.2605429681775e0, 0.44024890108981e0),
        (1.8618505190554e0, 0.36028847476903e0), (1.5344625673075e0, 0.2968849928275e0), (1.2638756847257e0, 0.24612923317204e0), (1.0389625842535e0, 0.2051219125295e0), (0.85111242204805e0, 0.1716902857665e0), (0.69360923102843e0, 0.14418977274886e0),
        (0.56117795079741e0, 0.1213635010816e0), (0.44964974132469e0, 0.10224176370233e0), (0.35571310988389e0, 0.086069288768748e0), (0.27672741562369e0, 0.072252087538083e0), (0.21058218047265e0, 0.060318213564118e0), (0.1555903836283e0, 0.049888490195791e0),
        (0.11040723800337e0, 0.04065443274592e0), (0.073968295046608e0, 0.032361393317002e0), (0.04544240126203e0, 0.024795514150704e0), (0.024196229224651e0, 0.01777349135394e0), (0.0097678697799264e0, 0.011134712576501e0), (0.0018457570786359e0, 0.0047416632795519e0)
    ) AS p (distance, weight)
),

-- each effect with its errors, and a first guess of the half-width of its interval in these
rankmetrics_measured AS (
    SELECT
        s.run_id, s.metric_number, s.metric, s.baseline, s.candidate, s.effect_size, s.standard_error, s.deviation,
        s.n_higher, s.n_ties, s.n_lower, s.n_units, s.n_queries, s.n_left_out, s.judged_baseline, s.judged_candidate,
        s.join_key, s.degrees,
        CASE WHEN s.standard_error > 0 OR s.effect_size = 0 THEN s.standard_error END AS error,
        CASE WHEN s.candidate > 0 AND s.baseline > 0 THEN LN(s.candidate / s.baseline) END AS relative_estimate,
        CASE WHEN s.standard_error > 0 OR s.effect_size = 0 THEN s.relative_error END AS relative_error,
        CASE WHEN s.standard_error > 0 THEN ABS(s.effect_size) / s.standard_error END AS distance,
        SQRT((2 * s.degrees + 31) / 4 / (CAST(3.141592653589793 AS DOUBLE) * s.degrees))
            * (1 + POWER((2 * s.degrees + 31) / 4, -2) / 64 - 19 * POWER((2 * s.degrees + 31) / 4, -4) / 8192 + 631 * POWER((2 * s.degrees + 31) / 4, -6) / 524288)
            * (s.degrees * (s.degrees + 2) * (s.degrees + 4) * (s.degrees + 6) * (s.degrees + 8) * (s.degrees + 10) * (s.degrees + 12) * (s.degrees + 14))
            / ((s.degrees + 1) * (s.degrees + 3) * (s.degrees + 5) * (s.degrees + 7) * (s.degrees + 9) * (s.degrees + 11) * (s.degrees + 13) * (s.degrees + 15)) AS height,
        SQRT(s.degrees * (EXP(CAST(3.84145888 AS DOUBLE) * POWER(s.degrees, -1) + CAST(1.917160014 AS DOUBLE) * POWER(s.degrees, -2) + CAST(-0.065437073 AS DOUBLE) * POWER(s.degrees, -3)
            + CAST(-1.658039744 AS DOUBLE) * POWER(s.degrees, -4) + CAST(1.484983175 AS DOUBLE) * POWER(s.degrees, -5) + CAST(-0.429769525 AS DOUBLE) * POWER(s.degrees, -6)) - 1)) AS point
    FROM rankmetrics_effects AS s
),

-- with the tail probability beyond that, by quadrature
rankmetrics_tail_probabilities AS (
    SELECT
        s.run_id, s.metric_number, s.metric, MAX(s.baseline) AS baseline, MAX(s.candidate) AS candidate,
        MAX(s.effect_size) AS effect_size, MAX(s.standard_error) AS standard_error, MAX(s.deviation) AS deviation,
        MAX(s.n_higher) AS n_higher, MAX(s.n_ties) AS n_ties, MAX(s.n_lower) AS n_lower, MAX(s.n_units) AS n_units,
        MAX(s.n_queries) AS n_queries, MAX(s.n_left_out) AS n_left_out, MAX(s.judged_baseline) AS judged_baseline,
        MAX(s.judged_candidate) AS judged_candidate, MAX(s.error) AS error,
        MAX(s.relative_estimate) AS relative_estimate, MAX(s.relative_error) AS relative_error,
        MAX(s.degrees) AS degrees, MAX(s.point) AS point,
        MAX(s.point * s.height * EXP(-(s.degrees + 1) / 2 * LN(1 + POWER(s.point, 2) / s.degrees))) AS steepness_of_point,
        MAX(s.height * 2 * (s.degrees + s.point * s.point) / (s.degrees + s.point * (s.degrees + 1))) * SUM(n.weight * EXP(-(s.degrees + 1) / 2 * LN(1 + POWER(s.point + 2 * (s.degrees + s.point * s.point) / (s.degrees + s.point * (s.degrees + 1)) * n.distance, 2) / s.degrees)) ORDER BY n.distance ASC) AS beyond_point,
        MAX(s.height * 2 * (s.degrees + s.distance * s.distance) / (s.degrees + s.distance * (s.degrees + 1))) * SUM(n.weight * EXP(-(s.degrees + 1) / 2 * LN(1 + POWER(s.distance + 2 * (s.degrees + s.distance * s.distance) / (s.degrees + s.distance * (s.degrees + 1)) * n.distance, 2) / s.degrees)) ORDER BY n.distance ASC) AS beyond_distance
    FROM rankmetrics_measured AS s
    LEFT JOIN rankmetrics_quadrature_nodes AS n ON n.join_key = s.join_key
    GROUP BY s.run_id, s.metric_number, s.metric
),

-- with the half-width of the interval, the corrected guess
rankmetrics_critical_values AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, effect_size, standard_error, deviation, n_higher, n_ties,
        n_lower, n_units, n_queries, n_left_out, judged_baseline, judged_candidate, error, relative_estimate,
        relative_error,
        point * EXP(LN(beyond_point / CAST(0.025 AS DOUBLE)) / (steepness_of_point / beyond_point + (1 + steepness_of_point / beyond_point - point * point * (degrees + 1) / (degrees + point * point)) * LN(beyond_point / CAST(0.025 AS DOUBLE)) / 2)) AS point,
        CASE WHEN error > 0 THEN s.effect_size / error END AS statistic,
        CASE WHEN s.error IS NOT NULL THEN CASE
            WHEN s.error = 0 THEN CASE WHEN s.effect_size <> 0 THEN 0 ELSE 1 END
            WHEN s.effect_size = 0 THEN 1
            ELSE 2 * s.beyond_distance
        END END AS pvalue
    FROM rankmetrics_tail_probabilities AS s
),

-- each with the rank of its p-value in its family
rankmetrics_pvalue_ranks AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, effect_size, standard_error, deviation, n_higher, n_ties,
        n_lower, n_units, n_queries, n_left_out, judged_baseline, judged_candidate, error, relative_estimate,
        relative_error, point, statistic, pvalue,
        CAST(COUNT(pvalue) OVER () AS DOUBLE) AS n_tests,
        CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN pvalue IS NULL THEN 1 ELSE 0 END ASC, pvalue ASC, run_id ASC NULLS FIRST, metric_number ASC) AS DOUBLE) AS place
    FROM rankmetrics_critical_values
),

-- each with its corrected p-value
rankmetrics_adjusted AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, effect_size, standard_error, deviation, n_higher, n_ties,
        n_lower, n_units, n_queries, n_left_out, judged_baseline, judged_candidate, error, relative_estimate,
        relative_error, point, statistic, pvalue,
        CASE WHEN pvalue IS NOT NULL THEN MAX(pvalue * (n_tests - place + 1)) OVER (ORDER BY place ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) END AS corrected
    FROM rankmetrics_pvalue_ranks
)

SELECT
    p.run_id AS run,
    'old' AS baseline_run,
    a.metric AS metric, p.baseline, p.candidate, p.effect_size,
    p.effect_size - p.error * p.point AS effect_size_ci_lower, p.effect_size + p.error * p.point AS effect_size_ci_upper,
    p.candidate / NULLIF(p.baseline, 0) - 1 AS rel_effect_size,
    CASE WHEN p.relative_estimate - p.relative_error * p.point < 700 THEN EXP(p.relative_estimate - p.relative_error * p.point) - 1 END AS rel_effect_size_ci_lower,
    CASE WHEN p.relative_estimate + p.relative_error * p.point < 700 THEN EXP(p.relative_estimate + p.relative_error * p.point) - 1 END AS rel_effect_size_ci_upper,
    p.standard_error,
    't' AS test,
    p.statistic, p.pvalue,
    CASE WHEN p.corrected > 1 THEN 1 ELSE p.corrected END AS pvalue_adj,
    CASE WHEN p.corrected <= CAST(0.05 AS DOUBLE) THEN 1 WHEN p.corrected IS NOT NULL THEN 0 END AS significant,
    CASE
        WHEN COALESCE(p.n_queries, 0) = 0 THEN 'no common query'
        WHEN p.n_units = 0 AND p.effect_size = 0 AND p.n_queries >= 6 THEN 'no difference'
        WHEN p.n_units < 6 THEN 'too few queries'
        WHEN p.corrected IS NULL THEN 'no test'
        WHEN p.corrected > CAST(0.05 AS DOUBLE) THEN 'inconclusive'
        WHEN p.effect_size > 0 THEN 'better'
        WHEN p.effect_size < 0 THEN 'worse'
        ELSE 'inconclusive'
    END AS verdict,
    CASE
        WHEN (ABS(p.judged_candidate - p.judged_baseline) > CAST(0.050000000001 AS DOUBLE) OR p.judged_candidate < CAST(0.5 AS DOUBLE) OR p.judged_baseline < CAST(0.5 AS DOUBLE))
                AND p.judged_candidate IS NOT NULL AND p.judged_baseline IS NOT NULL
                AND (SELECT MIN(j.relevance) FROM rankmetrics_qrels AS j WHERE j.item_id IS NOT NULL) < 1
            THEN CAST(CAST(FLOOR(100 * p.judged_candidate + CAST(1e-9 AS DOUBLE)) AS INTEGER) AS VARCHAR) || ' % of ' || p.run_id || ' is judged against ' || CAST(CAST(FLOOR(100 * p.judged_baseline + CAST(1e-9 AS DOUBLE)) AS INTEGER) AS VARCHAR) || ' % of ' || 'old'
    END AS reason,
    p.effect_size / NULLIF(p.deviation, 0) AS std_effect_size,
    (p.n_higher + p.n_ties * CAST(0.5 AS DOUBLE)) / p.n_queries AS prob_superiority,
    p.n_queries, p.n_higher, p.n_ties, p.n_lower, p.n_left_out, p.n_units, p.judged_baseline, p.judged_candidate,
    CAST(0.95 AS DOUBLE) AS confidence_level, 'two_sided' AS alternative, 'holm' AS correction,
    CAST(0 AS DOUBLE) AS margin
FROM rankmetrics_metrics AS a
LEFT JOIN rankmetrics_adjusted AS p ON p.metric_number = a.metric_number
ORDER BY p.run_id ASC, a.metric_number ASC;
