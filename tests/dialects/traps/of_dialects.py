"""What one dialect, or a few, refuse or read in another way."""

from __future__ import annotations

from .trap import (
    Trap,
    aggregate_without_frame,
    call,
    in_code,
    in_text,
    ordered_inside,
    pattern,
    quoted_here_only,
    reads_nothing,
    sorted_by_a_start,
    unnamed_capitals,
    untreated_key,
    untyped_text,
    whole_division,
)

SQL_SERVER = ("tsql", "fabric")
CAPITALS = ("exasol", "oracle", "snowflake")
TRINO = ("trino", "athena", "presto")
SPARK = ("spark", "databricks", "hive")
MYSQL = ("mysql", "doris", "starrocks")
WHOLE_QUOTIENTS = (
    "postgres",
    "redshift",
    "vertica",
    "datafusion",
    "materialize",
    "sqlite",
    "teradata",
    *TRINO,
    *SQL_SERVER,
)

_WITHIN = r"(?:[^()]|\([^()]*\))*?"  # up to the end of the brackets

TEXTS = (
    Trap(
        "ids in the order of a language, not of their bytes",
        ("postgres",),
        pattern(rf"ORDER BY {_WITHIN}\bCAST\(\w+ AS TEXT\)(?! COLLATE)|ORDER BY {_WITHIN}\bitem_id\b(?! AS)"),
        ("SELECT a FROM t ORDER BY score DESC, CAST(item_id AS TEXT) DESC", "SELECT a FROM t ORDER BY item_id"),
    ),
    Trap(
        "ids that are equal in spite of their case or accents",
        ("mysql", "tsql", "teradata", "sqlite"),
        untreated_key,
        ("SELECT s.product AS item_id FROM rankmetrics_run_source AS s",),
    ),
    Trap(
        "text that is equal in spite of its case",
        ("teradata",),
        pattern(r"\bVARCHAR\(\d+\)(?! CHARACTER SET UNICODE CASESPECIFIC)"),
        ("SELECT CAST(a AS VARCHAR(10)) AS b FROM t",),
    ),
    Trap(
        "text without a length, which is cut short or refused",
        (*SQL_SERVER, "teradata", "exasol", "vertica"),
        pattern(r"\bN?VARCHAR\b(?!\()|\bTEXT\b"),
        ("SELECT CAST(a AS VARCHAR) AS b FROM t", "SELECT CAST(a AS TEXT) AS b FROM t"),
    ),
    Trap(
        "TEXT, which is cut at 256 bytes", ("redshift",), pattern(r"\bTEXT\b"), ("SELECT CAST(a AS TEXT) AS b FROM t",)
    ),
    Trap("text with a length", SPARK, pattern(r"\bVARCHAR\b"), ("SELECT CAST(a AS VARCHAR(9)) AS b FROM t",)),
    Trap(
        "VARCHAR and INT, to which nothing is cast",
        ("mysql",),
        pattern(r"\bAS (VARCHAR|TEXT|INT)\b"),
        ("SELECT CAST(a AS INT) AS b FROM t",),
    ),
    Trap(
        "windows that MariaDB 10.11 sorts for at once, and by the longest",
        ("mysql",),
        sorted_by_a_start,
        (
            "SELECT RANK() OVER (ORDER BY a) AS x, RANK() OVER (ORDER BY a ASC, b) AS y,"
            " RANK() OVER (PARTITION BY a ORDER BY c) AS z FROM t",
        ),
        of_whole=True,  # in a piece, keys that are the same may be written in two ways
    ),
    Trap("two bars, which are OR", MYSQL, pattern(r"\|\|"), ("SELECT a || b AS c FROM t",)),
    Trap("two bars for ||", SQL_SERVER, pattern(r"\|\|"), ("SELECT a || b AS c FROM t",)),
    Trap(
        "a collation behind a cast of the user's text, which has lost it",
        SQL_SERVER,
        pattern(r"CAST\(s\.\w+ AS VARCHAR[^)]*\)+ COLLATE"),
        ("SELECT CAST(s.a AS VARCHAR(9)) COLLATE Latin1_General_BIN2 AS b FROM t AS s",),
    ),
    Trap(
        "types that it lacks",
        ("fabric",),
        pattern(r"\bNVARCHAR\b|\(MAX\)"),
        ("SELECT CAST(a AS NVARCHAR(9)) AS b FROM t",),
    ),
    Trap(
        "a collation, which it does not read",
        ("datafusion", "materialize"),
        pattern(r"\bCOLLATE\b"),
        ('SELECT a COLLATE "C" AS b FROM t',),
    ),
    Trap(
        "large text, which is not compared", ("oracle",), pattern(r"\bCLOB\b"), ("SELECT CAST(a AS CLOB) AS b FROM t",)
    ),
    Trap(
        "the empty text, which is NULL", ("oracle",), in_code(r"(?<!')''(?!')"), ("SELECT COALESCE(a, '') AS b FROM t",)
    ),
    Trap(
        "a text of unknown type: failed to find conversion function from unknown to text",
        ("redshift",),
        untyped_text,
        ("WITH a AS (SELECT 'x' AS b) SELECT b FROM a ORDER BY b",),
    ),
    Trap(
        "a name in double quotes, which is a text where it is not known",
        ("sqlite",),
        pattern('"'),
        ('SELECT "y" * 2 AS a FROM t',),
    ),
)

NUMBERS = (
    Trap(
        "a quotient of whole numbers is whole",
        WHOLE_QUOTIENTS,
        whole_division,
        ("SELECT a / b AS c FROM t", "SELECT COUNT(a) / 2 AS c FROM t"),
        of_whole=True,
    ),
    Trap(
        "doubles that are decimal numbers",
        ("oracle",),
        pattern(r"\bDOUBLE PRECISION\b|\bFLOAT\b"),
        ("SELECT CAST(a AS FLOAT) AS b FROM t",),
    ),
    Trap(
        "a type of 38 digits",
        ("snowflake",),
        pattern(r"\b(NUMBER|DECIMAL|NUMERIC)\b"),
        ("SELECT CAST(a AS NUMBER) AS b FROM t",),
    ),
    Trap(
        "a type by another name",
        TRINO,
        pattern(r"\bDOUBLE PRECISION\b|\bAS (FLOAT|TEXT|STRING)\b"),
        ("SELECT CAST(a AS DOUBLE PRECISION) AS b FROM t",),
    ),
    Trap("a type by another name", SQL_SERVER, pattern(r"\bAS DOUBLE\b"), ("SELECT CAST(a AS DOUBLE) AS b FROM t",)),
    Trap(
        "a type without NULL, of which a join makes 0",
        ("clickhouse",),
        pattern(r"\bAS (Float|Int|U?Int|String)\w*\)"),
        ("SELECT CAST(a AS Float64) AS b FROM t",),
    ),
    Trap(
        "LEAST, GREATEST, newer than most servers",
        SQL_SERVER,
        call("LEAST", "GREATEST"),
        ("SELECT GREATEST(a, b) AS c FROM t",),
    ),
    Trap(
        "the row before the first, which may have 0",
        ("clickhouse",),
        pattern(r"(?<!COALESCE\()\b(?i:lag|lead)\w*\("),
        ("SELECT LAG(a) OVER (ORDER BY b) AS c FROM t",),
    ),
)

CLAUSES = (
    Trap(
        "an order in a stage or view: Msg 1033",
        SQL_SERVER,
        ordered_inside,
        (
            "WITH a AS (SELECT b FROM t ORDER BY b) SELECT b FROM a",
            "SELECT b FROM (SELECT b FROM t UNION ALL SELECT b FROM u ORDER BY b) AS v",
        ),
    ),
    Trap(
        "where NULLs are",
        (*SQL_SERVER, "mysql", "doris", "teradata"),
        pattern(r"\bNULLS\b"),
        ("SELECT SUM(a) OVER (ORDER BY b DESC NULLS LAST) AS c FROM t",),
    ),
    Trap(
        "where NULLs are, outside of a window",
        ("vertica",),
        pattern(r"\bNULLS (FIRST|LAST)(?=\s*(,[^()]*)?\Z)"),
        ("SELECT a FROM t ORDER BY a DESC NULLS LAST", "SELECT a FROM t ORDER BY a NULLS FIRST, b"),
    ),
    Trap(
        "an aggregate in an order that does not say how far it reaches",
        ("redshift",),
        aggregate_without_frame,
        ("SELECT SUM(a) OVER (PARTITION BY b ORDER BY c) AS d FROM t",),
    ),
    Trap(
        "a frame of values instead of rows",
        ("redshift", "teradata"),
        pattern(r"\bRANGE\b"),
        ("SELECT COUNT(*) OVER (ORDER BY c RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS d FROM t",),
    ),
    Trap("a SELECT without a table", ("oracle",), reads_nothing, ("SELECT 1 AS a FROM DUAL UNION ALL SELECT 2 AS a",)),
    Trap(
        "a SELECT without a table behind UNION ALL",
        ("teradata",),
        lambda statement: (found for found in reads_nothing(statement) if found != "1 AS one"),
        ("SELECT 1 AS a UNION ALL SELECT 2 AS a",),
    ),
    Trap(
        "AS before the alias of a table",
        ("oracle",),
        pattern(r"\b(FROM|JOIN) \w+ AS\b|\) AS \w+\s+(JOIN|WHERE|GROUP|LEFT|INNER|CROSS)\b"),
        ("SELECT a FROM t AS u", "SELECT a FROM (SELECT a FROM t) AS u WHERE a > 0"),
    ),
    Trap(
        "a name with a leading underscore: ORA-00911", ("oracle",), pattern(r"(?<![\w\"])_\w"), ("SELECT _t.a FROM _t",)
    ),
    Trap("a semicolon, which only consoles take: ORA-00911", ("oracle",), pattern(";"), ("SELECT a FROM t;",)),
    Trap(
        "an empty line, which ends a statement in the console",
        ("oracle",),
        in_text(r"\n[ \t]*\n(?=\s*\S)"),
        ("SELECT a\n\nFROM t",),
    ),
    Trap(
        "the word for a recursion, which it lacks",
        ("oracle", *SQL_SERVER),
        pattern(r"\bRECURSIVE\b"),
        ("WITH RECURSIVE a AS (SELECT b FROM t) SELECT b FROM a",),
    ),
    Trap(
        "a column of the result in capitals",
        CAPITALS,
        unnamed_capitals,
        ('SELECT a AS "a", b FROM t', "SELECT SUM(a) AS b FROM t"),
    ),
    Trap(
        "a name in quotes in one place and without in another",
        CAPITALS,
        quoted_here_only,
        ('WITH a AS (SELECT c AS "b" FROM t), d AS (SELECT b FROM a) SELECT b AS "b" FROM d',),
    ),
)

TRAPS = (*TEXTS, *NUMBERS, *CLAUSES)
