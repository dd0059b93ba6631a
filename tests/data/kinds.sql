-- Tables of the kinds of test_roads_of_kinds.py.
CREATE TABLE a1_old AS SELECT 'q' || n AS query_id, item_id, score
    FROM range(40) r(n), (VALUES ('a', 2), ('b', 1)) i(item_id, score);
CREATE TABLE a1_new AS SELECT 'q' || n AS query_id, item_id, score
    FROM range(40) r(n), (VALUES ('x', 3), ('y', 2), ('a', 1)) i(item_id, score) WHERE n % 4 > 0
    UNION ALL SELECT 'q' || n, item_id, score FROM range(40) r(n), (VALUES ('a', 2), ('x', 1)) i(item_id, score)
    WHERE n % 4 = 0;
CREATE TABLE a1_qrels AS SELECT 'q' || n AS query_id, item_id, relevance
    FROM range(40) r(n), (VALUES ('a', 1), ('b', 0)) i(item_id, relevance);

CREATE TABLE a2_strange AS SELECT query_id, 'D' || item_id AS item_id, score FROM a1_old;

CREATE TABLE a3_runs (retriever TEXT, query_id TEXT, item_id TEXT, score INT);
INSERT INTO a3_runs VALUES ('bm25', 'q', 'b', 2), ('bm25', 'q', 'a', 1), ('dense', 'q', 'a', 9), ('dense', 'q', 'b', 3);
CREATE TABLE a3_qrels AS SELECT 'q' AS query_id, 'a' AS item_id, 1 AS relevance;

CREATE TABLE a4_run AS FROM (VALUES ('q', 'a', 3), ('q', 'b', 2)) t(query_id, item_id, score);
CREATE TABLE a4_qrels AS FROM (VALUES ('q', 'a', 1), ('q', 'a', 1), ('q', 'b', 1)) t(query_id, item_id, relevance);

CREATE TABLE a5_qrels AS FROM (VALUES ('p', 'a', 1), ('q', 'a', 1), ('r', 'a', 0)) t(query_id, item_id, relevance);
CREATE TABLE a5_run AS SELECT query_id, item_id, 1 AS score FROM a5_qrels;

CREATE TABLE a6_run AS SELECT 'q' AS query_id, chr(CAST(97 + n AS INT)) AS item_id, 1 AS score FROM range(8) r(n);
CREATE TABLE a6_qrels AS SELECT 'q' AS query_id, 'f' AS item_id, 1 AS relevance;

CREATE TABLE b8_rated AS SELECT u AS user_id, i AS item_id, -i AS score,
    CASE i WHEN 0 THEN 5 WHEN 9 THEN 1 END AS rating FROM range(4) a(u), range(10) b(i);

CREATE TABLE b9_shown AS SELECT n AS request_id, item_id, item_id AS position, 'u' || least(n % 40, 19) AS user_id,
    CASE WHEN least(n % 40, 19) < 10 THEN 'old' ELSE 'new' END AS arm FROM range(400) a(n), range(1, 4) b(item_id);
CREATE TABLE b9_done AS SELECT n AS request_id, 1 + n % 3 AS item_id, 'click' AS event_type, n AS number
    FROM range(400) a(n);

CREATE TABLE b10_run AS SELECT 'q' || n AS query_id, i AS item_id, -i AS score FROM range(9) a(n), range(10) b(i);
CREATE TABLE b10_qrels AS SELECT 'q' || n AS query_id, i AS item_id, (i = 0)::INT AS relevance
    FROM range(4) a(n), range(0, 10, 5) b(i);

CREATE TABLE c11_run (query_id TEXT, item_id TEXT, score BIGINT);
INSERT INTO c11_run VALUES ('q', 'a', 1790000000000000002), ('q', 'b', 1790000000000000001);

CREATE TABLE c12_shown AS SELECT n AS request_id, i AS item_id, i AS position FROM range(20) a(n), range(1, 4) b(i);
INSERT INTO c12_shown VALUES (0, 99, -1);
CREATE TABLE c12_done AS SELECT n AS request_id, 1 AS item_id, 'click' AS event_type FROM range(20) a(n);

CREATE TABLE c13_shown AS SELECT n AS request_id, i AS item_id, i - 1 + (n >= 20)::INT AS position
    FROM range(100) a(n), range(1, 4) b(i);
CREATE TABLE c13_done AS SELECT n AS request_id, 1 AS item_id, 'click' AS event_type FROM range(100) a(n);

CREATE TABLE c14_lists AS FROM (VALUES ('u1', ['a']), ('u2', CAST([] AS TEXT[]))) t(query_id, items);

CREATE TABLE c16_run AS SELECT 'q' || n AS query_id, item_id, score,
    CASE WHEN n < 6 THEN CAST('NaN' AS DOUBLE) ELSE n END AS who, CASE WHEN n < 6 THEN CAST('NaN' AS DOUBLE) ELSE 1 END AS w
    FROM range(12) a(n), (VALUES ('a', 2), ('b', 1)) t(item_id, score);
CREATE TABLE c16_qrels AS SELECT 'q' || n AS query_id, CASE WHEN n < 6 THEN 'b' ELSE 'a' END AS item_id, 1 AS relevance
    FROM range(12) a(n);

CREATE TABLE c17_run AS FROM (VALUES ('q', 'a', 10), ('q', 'b', 9)) t(query_id, item_id, score);
CREATE TABLE c18_qrels AS FROM (VALUES ('q', 'a', true), ('q', 'b', false)) t(query_id, item_id, relevance);

CREATE TABLE c20_drafts AS FROM (VALUES ('r', 'x', 'A', 0), ('r', 'y', 'b', 1), ('s', 'x', 'A', 1), ('s', 'y', 'B', 0))
    t(request_id, item_id, team, clicked);

CREATE TABLE a1_runs AS SELECT 'old' AS run_id, * FROM a1_old UNION ALL SELECT 'new', * FROM a1_new;

CREATE TABLE c17_qrels AS FROM (VALUES ('q', 'a', 9), ('q', 'b', 10)) t(query_id, item_id, stars);
