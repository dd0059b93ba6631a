-- rankmetrics_sql 0.1.0, compare for doris, written by rankmetrics sql or rm.sql
-- metrics rr@10, num_rel_ret
-- tables old=old_runs, new=new_runs, qrels=labels
-- assumed columns run.query_id, run.item_id, run.score, qrels.query_id, qrels.item_id, qrels.relevance
-- The tables are not checked. An item that a list has twice counts once, at its best rank, and a judgment that stands
--     twice as two. rankmetrics evaluate checks.
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM old_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM new_runs GROUP BY query_id, item_id HAVING COUNT(*) > 1
-- SELECT query_id, item_id, COUNT(*) AS n_rows FROM labels GROUP BY query_id, item_id HAVING COUNT(*) > 1
WITH
-- what was retrieved, a row for each item of a list, all runs together
rankmetrics_run AS (
    SELECT
        'old' AS run_id, s.query_id AS query_id, s.item_id AS item_id, CAST(s.score AS DOUBLE) AS score
    FROM old_runs AS s
    UNION ALL
    SELECT
        'new' AS run_id, s.query_id AS query_id, s.item_id AS item_id, CAST(s.score AS DOUBLE) AS score
    FROM new_runs AS s
),

-- the judgments, a row for each item judged for a query
rankmetrics_qrels AS (
    SELECT
        s.query_id AS query_id, s.item_id AS item_id, CAST(s.relevance AS DOUBLE) AS relevance
    FROM labels AS s
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
        run_id, query_id, item_id,
        CAST(ROW_NUMBER() OVER (PARTITION BY run_id, query_id ORDER BY score DESC, CAST(item_id AS STRING) DESC) AS DOUBLE) AS rnk
    FROM rankmetrics_run
),

-- the retrieved items that are judged, with their ranks and grades
rankmetrics_matched AS (
    SELECT
        r.run_id, r.query_id, r.item_id, MIN(r.rnk) AS rnk, MAX(q.relevance) AS relevance
    FROM rankmetrics_ranked AS r
    INNER JOIN rankmetrics_qrels AS q ON q.query_id = r.query_id AND q.item_id = r.item_id
    GROUP BY r.run_id, r.query_id, r.item_id
),

-- what the judgments say of each query
rankmetrics_truth AS (
    SELECT query_id FROM rankmetrics_qrels
    GROUP BY query_id
),

-- the queries that are scored, with what is known of each
rankmetrics_queries AS (
    SELECT
        u.run_id, b.query_id
    FROM rankmetrics_truth AS b
    CROSS JOIN rankmetrics_runs AS u
),

-- what the metrics read, the retrieved items that are judged, and a row with the facts of each query
rankmetrics_rows AS (
    SELECT
        run_id, query_id, rnk, relevance
    FROM rankmetrics_matched
    UNION ALL
    SELECT
        run_id, query_id, NULL AS rnk, NULL AS relevance
    FROM rankmetrics_queries
),

-- the values, a row for each scored query and a column for each metric
rankmetrics_per_query AS (
    SELECT
        run_id, query_id,
        CAST(COALESCE(1 / MIN(CASE WHEN relevance >= 1 AND rnk <= 10 THEN rnk END), 0) AS DOUBLE) AS rr_at_10,
        CAST(CAST(SUM(CASE WHEN relevance >= 1 THEN 1 ELSE 0 END) AS DOUBLE) AS DOUBLE) AS num_rel_ret
    FROM rankmetrics_rows
    WHERE run_id IS NOT NULL AND query_id IS NOT NULL
    GROUP BY run_id, query_id
),

-- the metrics by their numbers
rankmetrics_metrics AS (
    SELECT 1 AS metric_number, 'rr@10' AS metric
    UNION ALL
    SELECT 2 AS metric_number, 'num_rel_ret' AS metric
),

-- the values, a row for each query and metric
rankmetrics_values AS (
    SELECT
        q.run_id, q.query_id, m.metric_number, m.metric,
        CASE m.metric_number WHEN 1 THEN q.rr_at_10 WHEN 2 THEN q.num_rel_ret END AS `value`
    FROM rankmetrics_per_query AS q
    CROSS JOIN rankmetrics_metrics AS m
),

-- each value beside that of the baseline for the same query
rankmetrics_beside AS (
    SELECT
        run_id, query_id, metric_number, metric, `value` AS own_value,
        MAX(CASE WHEN run_id = 'old' THEN `value` END) OVER (PARTITION BY query_id, metric_number) AS baseline_own,
        MAX(CASE WHEN run_id = 'old' THEN 1 END) OVER (PARTITION BY query_id, metric_number) AS of_baseline
    FROM rankmetrics_values
),

-- the pairs of values, where those that differ by no more than rounding are equal
rankmetrics_pairs AS (
    SELECT
        run_id, query_id, metric_number, metric, of_baseline,
        CASE WHEN own_value IS NOT NULL THEN baseline_own END AS baseline_value,
        CASE
            WHEN ABS(own_value - baseline_own) <= CAST(1e-12 AS DOUBLE) * CASE WHEN ABS(baseline_own) > 1 THEN ABS(baseline_own) ELSE 1 END THEN baseline_own
            WHEN baseline_own IS NOT NULL THEN own_value
        END AS candidate_value
    FROM rankmetrics_beside
),

-- the difference of each pair of values, beside the means of its effect
rankmetrics_differences AS (
    SELECT
        run_id, metric_number, metric, of_baseline, baseline_value, candidate_value,
        candidate_value - baseline_value AS difference,
        AVG(candidate_value - baseline_value) OVER (PARTITION BY run_id, metric_number) AS mean_difference,
        AVG(baseline_value) OVER (PARTITION BY run_id, metric_number) AS mean_baseline,
        AVG(candidate_value) OVER (PARTITION BY run_id, metric_number) AS mean_candidate
    FROM rankmetrics_pairs
),

-- what the pairs of each effect come to, its means, squares and counts
rankmetrics_sums AS (
    SELECT
        p.run_id, p.metric_number, p.metric,
        CASE WHEN p.metric_number = 2 THEN SUM(p.baseline_value) ELSE AVG(p.baseline_value) END AS baseline,
        CASE WHEN p.metric_number = 2 THEN SUM(p.candidate_value) ELSE AVG(p.candidate_value) END AS candidate,
        CASE WHEN p.metric_number = 2 THEN SUM(p.difference) ELSE AVG(p.difference) END AS added_up,
        SUM((p.difference - p.mean_difference) * (p.difference - p.mean_difference)) AS squares,
        SUM(
            (p.candidate_value / NULLIF(p.mean_candidate, 0) - p.baseline_value / NULLIF(p.mean_baseline, 0)) * (p.candidate_value / NULLIF(p.mean_candidate, 0) - p.baseline_value / NULLIF(p.mean_baseline, 0))
        ) AS relative_squares,
        CAST(COUNT(p.difference) AS DOUBLE) AS n,
        SUM(CASE WHEN p.difference > 0 THEN 1 ELSE 0 END) AS n_higher,
        SUM(CASE WHEN p.difference = 0 THEN 1 ELSE 0 END) AS n_ties,
        SUM(CASE WHEN p.difference < 0 THEN 1 ELSE 0 END) AS n_lower,
        COUNT(p.difference) AS n_queries, COUNT(*) AS n_rows, COUNT(p.of_baseline) AS n_rows_of_both
    FROM rankmetrics_differences AS p
    GROUP BY p.run_id, p.metric_number, p.metric
),

-- each effect beside what the baseline has, without what rounding alone leaves
rankmetrics_beside_baseline AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, n, n_higher, n_ties, n_lower, n_queries, n_rows,
        n_rows_of_both,
        CASE
            WHEN ABS(s.added_up) <= CAST(1e-12 AS DOUBLE) * (1 + ABS(s.baseline)) THEN 0
            ELSE s.added_up
        END AS added_up,
        CASE
            WHEN s.squares <= s.n * POWER(CAST(1e-12 AS DOUBLE) * (1 + ABS(s.baseline)), 2) THEN 0
            ELSE s.squares
        END AS squares,
        CASE
            WHEN s.relative_squares <= s.n * POWER(CAST(1e-12 AS DOUBLE), 2) THEN 0
            ELSE s.relative_squares
        END AS relative_squares,
        COALESCE(MAX(CASE WHEN run_id = 'old' THEN n_rows END) OVER (PARTITION BY metric_number), 0) AS n_rows_of_baseline
    FROM rankmetrics_sums AS s
),

-- the effects, a row for each candidate, group and metric, with their errors
rankmetrics_effects AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, added_up AS effect_size,
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
        CASE WHEN n > 1 THEN n - 1 END AS relative_degrees,
        n_higher, n_ties, n_lower, n_queries, s.n_higher + s.n_lower AS n_units,
        n_rows + n_rows_of_baseline - n_rows_of_both - n_queries AS n_left_out,
        1 AS always
    FROM rankmetrics_beside_baseline AS s
    WHERE run_id <> 'old' AND n_queries > 0
),

-- where the density of a distribution is looked at beyond a point, and what each look counts
rankmetrics_places AS (
    SELECT 1 AS always, CAST(4309650252.819479 AS DOUBLE) AS distance, CAST(33173064629.25302 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(29540090.434996795 AS DOUBLE) AS distance, CAST(100368953.15440238 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(1999467.7510583403 AS DOUBLE) AS distance, CAST(4336586.484867682 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(314538.69859107997 AS DOUBLE) AS distance, CAST(499889.0143360537 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(76992.76869360331 AS DOUBLE) AS distance, CAST(96378.32370098596 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(24765.51434656995 AS DOUBLE) AS distance, CAST(25524.15526221176 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(9593.719467696485 AS DOUBLE) AS distance, CAST(8387.608999117752 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(4253.505853305248 AS DOUBLE) AS distance, CAST(3222.960147461727 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(2089.653011986466 AS DOUBLE) AS distance, CAST(1394.5329012768025 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(1112.9483630000036 AS DOUBLE) AS distance, CAST(662.3861341305561 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(632.7409951718948 AS DOUBLE) AS distance, CAST(339.2292493914757 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(379.6482775495222 AS DOUBLE) AS distance, CAST(184.86301980721402 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(238.3349338901854 AS DOUBLE) AS distance, CAST(106.13492068183372 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(155.49579163701588 AS DOUBLE) AS distance, CAST(63.70480846974785 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(104.8671564402435 AS DOUBLE) AS distance, CAST(39.73269708409141 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(72.78610955420486 AS DOUBLE) AS distance, CAST(25.62472707622152 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(51.804512631208084 AS DOUBLE) AS distance, CAST(17.020348757204516 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(37.69337073045992 AS DOUBLE) AS distance, CAST(11.604769746287843 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(27.964001024654987 AS DOUBLE) AS distance, CAST(8.099467163817609 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(21.104665557802452 AS DOUBLE) AS distance, CAST(5.773036120114092 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(16.170693599735767 AS DOUBLE) AS distance, CAST(4.193745509231869 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(12.55655833151149 AS DOUBLE) AS distance, CAST(3.0994841437669955 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(9.865094707348387 AS DOUBLE) AS distance, CAST(2.3270253391226587 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(7.8303050764779805 AS DOUBLE) AS distance, CAST(1.7723498288787032 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(6.2706129182213575 AS DOUBLE) AS distance, CAST(1.3677599046769875 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(5.059886961890633 AS DOUBLE) AS distance, CAST(1.0683390954387815 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(4.10909316199255 AS DOUBLE) AS distance, CAST(0.8437528485346234 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(3.354446635149259 AS DOUBLE) AS distance, CAST(0.6731764550513264 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(2.7496215539297224 AS DOUBLE) AS distance, CAST(0.5420952386570572 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(2.260542968177488 AS DOUBLE) AS distance, CAST(0.4402489010898107 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(1.8618505190553556 AS DOUBLE) AS distance, CAST(0.3602884747690261 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(1.5344625673075396 AS DOUBLE) AS distance, CAST(0.296884992827504 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(1.263875684725687 AS DOUBLE) AS distance, CAST(0.2461292331720388 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(1.0389625842535026 AS DOUBLE) AS distance, CAST(0.20512191252950068 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.8511124220480539 AS DOUBLE) AS distance, CAST(0.17169028576650172 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.6936092310284274 AS DOUBLE) AS distance, CAST(0.14418977274886366 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.5611779507974088 AS DOUBLE) AS distance, CAST(0.12136350108159792 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.4496497413246854 AS DOUBLE) AS distance, CAST(0.10224176370233314 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.35571310988388594 AS DOUBLE) AS distance, CAST(0.08606928876874811 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.2767274156236854 AS DOUBLE) AS distance, CAST(0.07225208753808253 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.2105821804726531 AS DOUBLE) AS distance, CAST(0.06031821356411777 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.15559038362829503 AS DOUBLE) AS distance, CAST(0.049888490195790516 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.11040723800336538 AS DOUBLE) AS distance, CAST(0.04065443274592025 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.07396829504660785 AS DOUBLE) AS distance, CAST(0.03236139331700152 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.04544240126202981 AS DOUBLE) AS distance, CAST(0.02479551415070419 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.024196229224651145 AS DOUBLE) AS distance, CAST(0.017773491353939564 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.009767869779926386 AS DOUBLE) AS distance, CAST(0.011134712576500618 AS DOUBLE) AS weight
    UNION ALL
    SELECT 1 AS always, CAST(0.001845757078635879 AS DOUBLE) AS distance, CAST(0.004741663279551924 AS DOUBLE) AS weight
),

-- each estimate with its error and degrees of freedom
rankmetrics_measured AS (
    SELECT
        e.run_id, e.metric_number, e.metric, k.in_logarithms, MAX(e.baseline) AS baseline,
        MAX(e.candidate) AS candidate, MAX(e.effect_size) AS effect_size,
        MAX(e.standard_error) AS standard_error, MAX(e.deviation) AS deviation, MAX(e.n_higher) AS n_higher,
        MAX(e.n_ties) AS n_ties, MAX(e.n_lower) AS n_lower, MAX(e.n_units) AS n_units,
        MAX(e.n_queries) AS n_queries, MAX(e.n_left_out) AS n_left_out, MAX(e.always) AS always,
        MAX(
            CASE k.in_logarithms
                WHEN 0 THEN e.effect_size
                ELSE CASE WHEN e.candidate > 0 AND e.baseline > 0 THEN LN(e.candidate / e.baseline) END
            END
        ) AS estimate,
        MAX(
            CASE
                WHEN e.standard_error > 0 OR e.effect_size = 0 THEN CASE k.in_logarithms WHEN 0 THEN e.standard_error ELSE e.relative_error END
            END
        ) AS error,
        MAX(CASE k.in_logarithms WHEN 0 THEN e.degrees ELSE e.relative_degrees END) AS degrees
    FROM rankmetrics_effects AS e
    LEFT JOIN (
        SELECT 1 AS always, 0 AS in_logarithms
        UNION ALL
        SELECT 1 AS always, 1 AS in_logarithms
    ) AS k
        ON k.always = e.always
    GROUP BY e.run_id, e.metric_number, e.metric, k.in_logarithms
),

-- with a first guess of how many errors wide the interval is
rankmetrics_guessed AS (
    SELECT
        run_id, metric_number, metric, in_logarithms, baseline, candidate, effect_size, standard_error,
        deviation, n_higher, n_ties, n_lower, n_units, n_queries, n_left_out, always, estimate, error,
        degrees,
        CASE WHEN error > 0 THEN ABS(s.estimate) / error END AS distance,
        SQRT((degrees / 2 + CAST(7.75 AS DOUBLE)) / (CAST(3.141592653589793 AS DOUBLE) * degrees)) * (
            1 + (
                CAST(0.015625 AS DOUBLE) - (
                    CAST(0.0023193359375 AS DOUBLE) - CAST(0.0012035369873046875 AS DOUBLE) / ((degrees / 2 + CAST(7.75 AS DOUBLE)) * (degrees / 2 + CAST(7.75 AS DOUBLE)))
                ) / ((degrees / 2 + CAST(7.75 AS DOUBLE)) * (degrees / 2 + CAST(7.75 AS DOUBLE)))
            ) / ((degrees / 2 + CAST(7.75 AS DOUBLE)) * (degrees / 2 + CAST(7.75 AS DOUBLE)))
        ) * (degrees) / (degrees + 1) * (degrees + 2) / (degrees + 3) * (degrees + 4) / (degrees + 5) * (degrees + 6) / (degrees + 7) * (degrees + 8) / (degrees + 9) * (degrees + 10) / (degrees + 11) * (degrees + 12) / (degrees + 13) * (degrees + 14) / (degrees + 15) AS height,
        CASE
            WHEN degrees < CAST(2.7 AS DOUBLE) THEN POWER(CAST(12.706215508571713 AS DOUBLE), 2 / degrees - 1) * POWER(SQRT(CAST(18.51282051282051 AS DOUBLE)), 2 - 2 / degrees)
            ELSE SQRT(
                degrees * (
                    EXP(
                        CAST(3.8414588800754337 AS DOUBLE) * (degrees - CAST(1.5 AS DOUBLE)) / ((degrees - 1) * (degrees - 1))
                    ) - 1
                )
            )
        END AS point
    FROM rankmetrics_measured AS s
),

-- with the probability beyond that guess
rankmetrics_first_look AS (
    SELECT
        s.run_id, s.metric_number, s.metric, s.in_logarithms, MAX(s.baseline) AS baseline,
        MAX(s.candidate) AS candidate, MAX(s.effect_size) AS effect_size,
        MAX(s.standard_error) AS standard_error, MAX(s.deviation) AS deviation, MAX(s.n_higher) AS n_higher,
        MAX(s.n_ties) AS n_ties, MAX(s.n_lower) AS n_lower, MAX(s.n_units) AS n_units,
        MAX(s.n_queries) AS n_queries, MAX(s.n_left_out) AS n_left_out, MAX(s.always) AS always,
        MAX(s.estimate) AS estimate, MAX(s.error) AS error, MAX(s.degrees) AS degrees,
        MAX(s.distance) AS distance, MAX(s.height) AS height, MAX(s.point) AS point,
        MAX(
            s.height * CASE WHEN s.point < 1 THEN 1 ELSE (s.degrees + s.point * s.point) / (s.point * (s.degrees + 1)) END
        ) * SUM(
            n.weight * EXP(
                -(s.degrees + 1) / 2 * LN(
                    1 + POWER(
                        s.point + CASE WHEN s.point < 1 THEN 1 ELSE (s.degrees + s.point * s.point) / (s.point * (s.degrees + 1)) END * n.distance,
                        2
                    ) / s.degrees
                )
            )
        ) AS beyond_point
    FROM rankmetrics_guessed AS s
    LEFT JOIN rankmetrics_places AS n ON n.always = s.always
    GROUP BY s.run_id, s.metric_number, s.metric, s.in_logarithms
),

-- with the guess corrected by it, once
rankmetrics_first_point AS (
    SELECT
        run_id, metric_number, metric, in_logarithms, baseline, candidate, effect_size, standard_error,
        deviation, n_higher, n_ties, n_lower, n_units, n_queries, n_left_out, always, estimate, error,
        degrees, distance, height,
        point + (beyond_point - CAST(0.025 AS DOUBLE)) / (height * EXP(-(degrees + 1) / 2 * LN(1 + POWER(point, 2) / degrees))) * (
            1 + (beyond_point - CAST(0.025 AS DOUBLE)) / (height * EXP(-(degrees + 1) / 2 * LN(1 + POWER(point, 2) / degrees))) * point * (degrees + 1) / (degrees + point * point) / 2
        ) AS point
    FROM rankmetrics_first_look
),

-- with the probability beyond the corrected one
rankmetrics_second_look AS (
    SELECT
        s.run_id, s.metric_number, s.metric, s.in_logarithms, MAX(s.baseline) AS baseline,
        MAX(s.candidate) AS candidate, MAX(s.effect_size) AS effect_size,
        MAX(s.standard_error) AS standard_error, MAX(s.deviation) AS deviation, MAX(s.n_higher) AS n_higher,
        MAX(s.n_ties) AS n_ties, MAX(s.n_lower) AS n_lower, MAX(s.n_units) AS n_units,
        MAX(s.n_queries) AS n_queries, MAX(s.n_left_out) AS n_left_out, MAX(s.always) AS always,
        MAX(s.estimate) AS estimate, MAX(s.error) AS error, MAX(s.degrees) AS degrees,
        MAX(s.distance) AS distance, MAX(s.height) AS height, MAX(s.point) AS point,
        MAX(
            s.height * CASE WHEN s.point < 1 THEN 1 ELSE (s.degrees + s.point * s.point) / (s.point * (s.degrees + 1)) END
        ) * SUM(
            n.weight * EXP(
                -(s.degrees + 1) / 2 * LN(
                    1 + POWER(
                        s.point + CASE WHEN s.point < 1 THEN 1 ELSE (s.degrees + s.point * s.point) / (s.point * (s.degrees + 1)) END * n.distance,
                        2
                    ) / s.degrees
                )
            )
        ) AS beyond_point,
        MAX(
            s.height * CASE
                WHEN s.distance < 1 THEN 1
                ELSE (s.degrees + s.distance * s.distance) / (s.distance * (s.degrees + 1))
            END
        ) * SUM(
            n.weight * EXP(
                -(s.degrees + 1) / 2 * LN(
                    1 + POWER(
                        s.distance + CASE
                            WHEN s.distance < 1 THEN 1
                            ELSE (s.degrees + s.distance * s.distance) / (s.distance * (s.degrees + 1))
                        END * n.distance,
                        2
                    ) / s.degrees
                )
            )
        ) AS beyond_distance
    FROM rankmetrics_first_point AS s
    LEFT JOIN rankmetrics_places AS n ON n.always = s.always
    GROUP BY s.run_id, s.metric_number, s.metric, s.in_logarithms
),

-- with that corrected too, which is how many errors wide the interval is
rankmetrics_second_point AS (
    SELECT
        run_id, metric_number, metric, in_logarithms, baseline, candidate, effect_size, standard_error,
        deviation, n_higher, n_ties, n_lower, n_units, n_queries, n_left_out, always, estimate, error,
        degrees, distance, height, beyond_distance,
        point + (beyond_point - CAST(0.025 AS DOUBLE)) / (height * EXP(-(degrees + 1) / 2 * LN(1 + POWER(point, 2) / degrees))) * (
            1 + (beyond_point - CAST(0.025 AS DOUBLE)) / (height * EXP(-(degrees + 1) / 2 * LN(1 + POWER(point, 2) / degrees))) * point * (degrees + 1) / (degrees + point * point) / 2
        ) AS point
    FROM rankmetrics_second_look
),

-- intervals and p-values, a row for each effect
rankmetrics_bounded AS (
    SELECT
        s.run_id, s.metric_number, s.metric, MAX(s.baseline) AS baseline, MAX(s.candidate) AS candidate,
        MAX(s.effect_size) AS effect_size, MAX(s.standard_error) AS standard_error,
        MAX(s.deviation) AS deviation, MAX(s.n_higher) AS n_higher, MAX(s.n_ties) AS n_ties,
        MAX(s.n_lower) AS n_lower, MAX(s.n_units) AS n_units, MAX(s.n_queries) AS n_queries,
        MAX(s.n_left_out) AS n_left_out,
        MAX(CASE s.in_logarithms WHEN 0 THEN s.estimate - s.error * s.point END) AS effect_lower,
        MAX(
            CASE
                WHEN s.in_logarithms = 1 AND s.estimate - s.error * s.point < 700 THEN EXP(s.estimate - s.error * s.point) - 1
            END
        ) AS relative_lower,
        MAX(CASE s.in_logarithms WHEN 0 THEN s.estimate + s.error * s.point END) AS effect_upper,
        MAX(
            CASE
                WHEN s.in_logarithms = 1 AND s.estimate + s.error * s.point < 700 THEN EXP(s.estimate + s.error * s.point) - 1
            END
        ) AS relative_upper,
        MAX(CASE WHEN s.in_logarithms = 0 AND s.error > 0 THEN s.estimate / s.error END) AS statistic,
        MAX(
            CASE
                WHEN s.in_logarithms = 0 AND s.error IS NOT NULL THEN CASE
                    WHEN s.error = 0 THEN CASE WHEN s.estimate <> 0 THEN 0 ELSE 1 END
                    WHEN s.estimate = 0 THEN 1
                    ELSE 2 * s.beyond_distance
                END
            END
        ) AS pvalue
    FROM rankmetrics_second_point AS s
    GROUP BY s.run_id, s.metric_number, s.metric
),

-- each with its place among the p-values of its family
rankmetrics_counted AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, effect_size, standard_error, deviation, n_higher,
        n_ties, n_lower, n_units, n_queries, n_left_out, effect_lower, effect_upper, relative_lower,
        relative_upper, statistic, pvalue,
        CAST(COUNT(pvalue) OVER () AS DOUBLE) AS n_tests,
        CAST(ROW_NUMBER() OVER (ORDER BY CASE WHEN pvalue IS NULL THEN 1 ELSE 0 END ASC, pvalue ASC, run_id ASC, metric_number ASC) AS DOUBLE) AS place
    FROM rankmetrics_bounded
),

-- each with the p-value that this place makes of it
rankmetrics_adjusted AS (
    SELECT
        run_id, metric_number, metric, baseline, candidate, effect_size, standard_error, deviation, n_higher,
        n_ties, n_lower, n_units, n_queries, n_left_out, effect_lower, effect_upper, relative_lower,
        relative_upper, statistic, pvalue,
        CASE
            WHEN pvalue IS NOT NULL THEN MAX(pvalue * (n_tests - place + 1)) OVER (ORDER BY place ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        END AS corrected
    FROM rankmetrics_counted
)

SELECT
    p.run_id AS run, 'old' AS baseline_run, p.metric, p.baseline, p.candidate, p.effect_size,
    p.effect_lower AS effect_size_ci_lower, p.effect_upper AS effect_size_ci_upper,
    p.candidate / NULLIF(p.baseline, 0) - 1 AS rel_effect_size,
    p.relative_lower AS rel_effect_size_ci_lower,
    p.relative_upper AS rel_effect_size_ci_upper,
    p.standard_error, 't' AS test, p.statistic, p.pvalue,
    CASE WHEN p.corrected > 1 THEN 1 ELSE p.corrected END AS pvalue_adj,
    CASE
        WHEN p.corrected <= CAST(0.05 AS DOUBLE) THEN 1
        WHEN p.corrected > CAST(0.05 AS DOUBLE) THEN 0
    END AS significant,
    CASE
        WHEN p.n_units < 6 THEN 'too few queries'
        WHEN p.corrected IS NULL THEN 'no test'
        WHEN p.corrected > CAST(0.05 AS DOUBLE) THEN 'not clear'
        WHEN p.effect_size > 0 THEN 'better'
        WHEN p.effect_size < 0 THEN 'worse'
        ELSE 'not clear'
    END AS verdict,
    p.effect_size / NULLIF(p.deviation, 0) AS std_effect_size,
    (p.n_higher + p.n_ties * CAST(0.5 AS DOUBLE)) / p.n_queries AS prob_superiority,
    p.n_queries, p.n_higher, p.n_ties, p.n_lower, p.n_left_out, p.n_units,
    CAST(0.95 AS DOUBLE) AS confidence_level, 'two_sided' AS alternative, 'holm' AS correction,
    CAST(0 AS DOUBLE) AS margin
FROM rankmetrics_adjusted AS p
ORDER BY p.run_id ASC, p.metric_number ASC;
