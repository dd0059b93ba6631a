"""What no translated text may hold, because some dialect lacks it or means something else."""

from __future__ import annotations

from rankmetrics_sql.dialects import check_dialect

from .trap import (
    TRANSLATED,
    Trap,
    average_of_whole_numbers,
    call,
    captured,
    condition_as_value,
    in_code,
    pattern,
    shadowed,
    uncast_number,
    uncast_rows,
)

WITHOUT_VALUES = tuple(dialect for dialect in TRANSLATED if not check_dialect(dialect).values)
WITHOUT_HINTS = tuple(dialect for dialect in TRANSLATED if not check_dialect(dialect).cte_hints)
ALL = ("duckdb", *TRANSLATED)
LOG_IS_NATURAL = ("tsql", "fabric")  # which have no LN
OTHERS = tuple(dialect for dialect in TRANSLATED if dialect not in LOG_IS_NATURAL)

TRAPS = (
    Trap(
        "what clients, consoles and templates replace",
        ALL,
        in_code(r"{{|{%|\${|&|::| :| \?|\\"),
        (
            "SELECT a::INT FROM t",
            "SELECT a FROM t WHERE b = :b",
            "SELECT '{{ x }}' AS a",
            "SELECT a FROM t WHERE b = ?",
        ),
    ),
    Trap("a name with @, or a local variable", ALL, pattern("@"), ("SELECT a AS p@5 FROM t",)),
    Trap(
        "USING: the column of one side is gone",
        TRANSLATED,
        pattern(r"\bUSING\b"),
        ("SELECT a FROM t JOIN u USING (a)",),
    ),
    Trap("FILTER", TRANSLATED, pattern(r"\bFILTER\b"), ("SELECT SUM(a) FILTER (WHERE b > 0) AS s FROM t",)),
    Trap(
        "QUALIFY, which BigQuery takes beside WHERE only",
        TRANSLATED,
        pattern(r"\bQUALIFY\b"),
        ("SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1",),
    ),
    Trap("LIMIT, TOP", TRANSLATED, pattern(r"\b(LIMIT|TOP|FETCH)\b"), ("SELECT a FROM t LIMIT 1",)),
    Trap(
        "a star with exceptions", TRANSLATED, pattern(r"\b(EXCLUDE|EXCEPT|REPLACE)\b"), ("SELECT * EXCLUDE (a) FROM t",)
    ),
    Trap("GROUP BY ALL", TRANSLATED, pattern(r"\bGROUP BY ALL\b"), ("SELECT a FROM t GROUP BY ALL",)),
    Trap(
        "a named window",
        TRANSLATED,
        pattern(r"\bWINDOW\b|\bOVER \w"),
        ("SELECT SUM(a) OVER w AS s FROM t WINDOW w AS (ORDER BY b)",),
    ),
    Trap(
        "totals of groups in one GROUP BY",
        TRANSLATED,
        pattern(r"\b(ROLLUP|CUBE|GROUPING)\b"),
        ("SELECT a FROM t GROUP BY ROLLUP (a)", "SELECT a FROM t GROUP BY GROUPING SETS ((a), ())"),
    ),
    Trap(
        "medians and quantiles, which are approximate somewhere",
        TRANSLATED,
        pattern(r"\b(MEDIAN|QUANTILE\w*|PERCENTILE\w*|APPROX\w*|WITHIN GROUP)\b"),
        ("SELECT MEDIAN(a) AS m FROM t", "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) AS m FROM t"),
    ),
    Trap(
        "a standard deviation, which is of decimal numbers or missing somewhere",
        TRANSLATED,
        call("STD", "STDDEV", "STDDEV_SAMP", "STDDEV_POP", "VARIANCE", "VAR_SAMP", "VAR_POP", "STDEV", "CORR"),
        ("SELECT STDDEV_SAMP(a) AS s FROM t", "SELECT CORR(a, b) AS c FROM t"),
    ),
    Trap(
        "rows of an array, which are counted from 0 or from 1",
        TRANSLATED,
        pattern(r"\b(UNNEST|ORDINALITY|EXPLODE|POSEXPLODE|FLATTEN|OFFSET)\b"),
        ("SELECT x FROM t, UNNEST(a) WITH ORDINALITY AS u(x, i)", "SELECT POSEXPLODE(a) FROM t"),
    ),
    Trap("rows without a table", WITHOUT_VALUES, pattern(r"\bVALUES\b"), ("SELECT k FROM (VALUES (5), (10)) AS t(k)",)),
    Trap(
        "a number of rows without a table that is taken as it is, which is decimal",
        tuple(dialect for dialect in TRANSLATED if dialect not in WITHOUT_VALUES),
        uncast_rows,
        ("SELECT p.a, CAST(p.b AS DOUBLE) AS b FROM (VALUES (1.5e0, 2.5e0)) AS p(a, b)",),
        of_whole=True,
    ),
    Trap(
        "a table of numbers",
        TRANSLATED,
        call("RANGE", "GENERATE_SERIES", "SEQUENCE", "GENERATE_ARRAY"),
        ("SELECT i FROM GENERATE_SERIES(1, 10) AS t(i)",),
    ),
    Trap(
        "a hash, which is another number in another engine or version",
        TRANSLATED,
        call("HASH", "MD5", "SHA1", "HASHBYTES", "FARM_FINGERPRINT", "CHECKSUM"),
        ("SELECT MD5(a) AS h FROM t",),
    ),
    Trap(
        "an aggregate that several dialects lack",
        TRANSLATED,
        call("BOOL_OR", "BOOL_AND", "LOGICAL_OR", "ARG_MAX", "MAX_BY", "ANY_VALUE", "COUNTIF", "STRING_AGG", "LISTAGG"),
        ("SELECT BOOL_OR(a) AS b FROM t", "SELECT MAX_BY(a, b) AS c FROM t"),
    ),
    Trap(
        "a full join, which MySQL lacks",
        TRANSLATED,
        pattern(r"\bFULL\b"),
        ("SELECT t.a FROM t FULL JOIN u ON t.a = u.a",),
    ),
    Trap("a boolean", TRANSLATED, pattern(r"\b(TRUE|FALSE)\b"), ("SELECT a FROM t WHERE TRUE",)),
    Trap(
        "a condition as a value",
        TRANSLATED,
        condition_as_value,
        ("SELECT SUM(CAST(a > b AS INT)) AS n FROM t", "SELECT a IN (1, 2) AS is_one FROM t"),
    ),
    Trap(
        "a number with a point is decimal, and quotients of it have few digits",
        TRANSLATED,
        uncast_number,
        ("SELECT 1.0 / MIN(a) AS b FROM t", "SELECT a * 0.5 AS b FROM t", "SELECT 1e0 AS a FROM t"),
    ),
    Trap(
        "an average of whole numbers is one, or has few digits",
        TRANSLATED,
        average_of_whole_numbers,
        (
            "SELECT AVG(CASE WHEN a > 0 THEN 1 ELSE 0 END) AS b FROM t",
            "SELECT AVG(CASE WHEN a > 0 THEN 1 / 2 END) AS b FROM t",
        ),
    ),
    Trap(
        "a power of a decimal number has its digits",
        TRANSLATED,
        pattern(r"\bPOWER\(\d+(\.\d+)?,"),
        ("SELECT POWER(0.8, 2) AS a FROM t", "SELECT POWER(2, a) AS b FROM t"),
    ),
    Trap("POW, which another library makes sqlglot write", TRANSLATED, call("POW"), ("SELECT POW(a, 2) AS b FROM t",)),
    Trap(
        "a logarithm whose base differs, or that is of decimal numbers only",
        OTHERS,
        call("LOG", "LOG2", "LOG10"),
        ("SELECT LOG(a) AS b FROM t", "SELECT LOG(2, a) AS b FROM t", "SELECT LOG2(a) AS b FROM t"),
    ),
    Trap(
        "a logarithm with a base, or by a name that is missing there",
        LOG_IS_NATURAL,
        lambda statement: [*call("LN", "LOG2")(statement), *pattern(r"\bLOG\((?:\w+|\([^()]*\)), ")(statement)],
        ("SELECT LN(a) AS b FROM t", "SELECT LOG(a, 2) AS b FROM t"),
    ),
    Trap(
        "a hint of DuckDB's and PostgreSQL's",
        WITHOUT_HINTS,
        pattern(r"\bMATERIALIZED\b"),
        ("WITH a AS NOT MATERIALIZED (SELECT b FROM t) SELECT b FROM a",),
    ),
    Trap(
        "a column by the name of another that is read elsewhere in the same SELECT",
        ALL,
        shadowed,
        of_whole=True,
        samples=("SELECT a, MAX(b) AS b FROM t WHERE b > 0 GROUP BY a", "SELECT b + 1 AS b, b * 2 AS c FROM t"),
    ),
    Trap(
        "a stage by the name of a column, whose rows are then meant",
        ALL,
        captured,
        ("WITH place AS (SELECT 1 AS place) SELECT place FROM place",),
    ),
)
