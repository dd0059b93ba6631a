"""The dialects: a record of each, which states what is special, and is found by its name.

``dialect.py`` says what each field means. Where a manual is named, no engine was at hand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import UsageError, nearest, shortened
from . import plans
from .dialect import Dialect, Refill, Swap, words
from .reserved import RESERVED
from .rules.numbers import guard_underflow, nan_is_unequal
from .rules.statements import frames_left_out, frames_of_rows, kth_of_array, named_columns, no_nulls_outside_windows
from .rules.text import (  # fmt: skip
    byte_keys,
    fingerprints_of_bytes,
    hashes_of_texts,
    keys_collated,
    order_by_nlssort,
    order_collated,
    order_of_bytes,
    text_keys,
    text_keys_collated,
    typed_texts,
    wide_keys_collated,
)

# DuckDB's, in which all text is written first.
DUCKDB = Dialect(
    name="duckdb",
    executed=True,
    canonical=True,
    vendors=("duckdb",),
    reserved=RESERVED["duckdb"],
    windowed_recursion=True,
    selects_kth=True,
    sums_greatest=True,
    counts_bits=True,
    stores_ctes=True,
    unnesting="SELECT query_id, UNNEST({column}) AS item_id, GENERATE_SUBSCRIPTS({column}, 1) AS position FROM {table}",
    temporary_tables=True,
    or_replace_table=True,
    refill=Refill(
        attached=(
            "SELECT 'index ' || index_name FROM duckdb_indexes()"
            " WHERE LOWER(table_name) = LOWER({table}) AND LOWER(schema_name) = LOWER({schema})"
            " UNION ALL SELECT 'comment' FROM duckdb_tables() WHERE comment IS NOT NULL"
            " AND LOWER(table_name) = LOWER({table}) AND LOWER(schema_name) = LOWER({schema})"
        )
    ),
    current_schema="current_schema()",
    views=(
        "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"
        " UNION ALL SELECT function_name, macro_definition FROM duckdb_functions() WHERE function_type = 'table_macro'"
    ),
)

# PostgreSQL's. It drops nothing that a view then lacks, but does not say so as clearly as we do.
POSTGRES_VIEWS = "SELECT viewname, definition FROM pg_views"
_POSTGRES_ATTACHED = """
    SELECT 'index ' || i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indrelid = to_regclass({name})
    UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = to_regclass({name})
    UNION ALL SELECT DISTINCT 'grants to ' || COALESCE(r.rolname, 'PUBLIC')
    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = to_regclass({name}) AND a.grantee <> c.relowner
    UNION ALL SELECT 'comment' WHERE obj_description(to_regclass({name}), 'pg_class') IS NOT NULL
    UNION ALL SELECT DISTINCT 'view ' || v.relname
    FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = to_regclass({name}) AND v.oid <> d.refobjid
"""
POSTGRES = Dialect(
    name="postgres",
    values=True,
    executed=True,
    also_called=("postgresql",),
    vendors=("postgres", "postgresql"),
    reserved=RESERVED["postgres"],
    folds="lower",
    nan="equal",
    strict_booleans=True,
    byte_collation='"C"',
    # A collation that is not the database's (by which only equal bytes are equal; two others cannot be compared with
    # each other at all), or a type with a mind of its own, as citext.
    column_collation="COALESCE({0}, 'a') = 'A' OR pg_collation_for({0}) <> '\"default\"'",
    rules=(order_collated, guard_underflow, frames_left_out, hashes_of_texts),
    windowed_recursion=True,
    cte_hints=True,
    logarithms_of_whole=True,
    unnesting=(
        "SELECT t.query_id, u.item_id, u.position FROM {table} AS t"
        " CROSS JOIN UNNEST(t.{column}) WITH ORDINALITY AS u (item_id, position)"
    ),
    temporary_tables=True,
    transactional_ddl=True,
    refill=Refill(("LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE", *Refill().statements), _POSTGRES_ATTACHED),
    is_view="SELECT COUNT(*) FROM pg_class WHERE oid = to_regclass({name}) AND relkind IN ('v', 'm')",
    views=f"{POSTGRES_VIEWS} UNION ALL SELECT matviewname, definition FROM pg_matviews",
    notes=(
        "SET jit = off;",
        "Run this line first: PostgreSQL compiles a statement of many stages for longer than it then runs.",
    ),
    read_only="SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    # Many stages look expensive: where tables have no statistics, compiling them takes 30 times as long as the answer.
    session_settings=(
        "SET jit = off",  # our statements are long, and mostly run once
        "SET client_connection_check_interval = '10s'",  # else a statement runs on after its client is gone
    ),
    savepoints=True,
    held_cursors=True,
    copies_rows=True,
    explain="EXPLAIN (FORMAT JSON)",
    read_plan=plans.postgres,
)

# Redshift's, which was PostgreSQL's once. Of the manual; most of its text runs in PostgreSQL.
REDSHIFT = replace(
    POSTGRES,
    notes=(),
    name="redshift",
    values=False,
    executed=False,
    also_called=(),
    vendors=("redshift",),
    reached_as="postgres",
    parent="postgres",
    reserved=POSTGRES.reserved | RESERVED["redshift"],
    text_type="VARCHAR(65535)",
    byte_collation=None,
    column_collation=None,
    rules=(guard_underflow, frames_of_rows, typed_texts),
    windowed_recursion=False,
    cte_hints=False,
    logarithms_of_whole=False,
    unnesting="SELECT t.query_id, u AS item_id, place + 1 AS position FROM {table} AS t, t.{column} AS u AT place",
    refill=Refill(("LOCK {name}", *Refill().statements)),
    is_view=None,
    views=POSTGRES_VIEWS,
    read_only=None,
    session_settings=(),
    savepoints=False,
    held_cursors=False,
    copies_rows=False,
    explain="EXPLAIN",
    read_plan=None,
)

MATERIALIZE = Dialect(name="materialize", nan_as_null=False)

# DataFusion's, which reads PostgreSQL's.
DATAFUSION = Dialect(
    name="datafusion",
    values=True,
    executed=True,
    sqlglot="postgres",
    nan="equal",
    unnesting=(
        "SELECT query_id, UNNEST({column}) AS item_id,"
        " UNNEST(RANGE(1, CAST(ARRAY_LENGTH({column}) AS BIGINT) + 1)) AS position FROM {table}"
    ),
)

# Vertica's, of its manuals 9.2 to 23.4, by the names of pages; sqlglot writes PostgreSQL's, which is next to it.
VERTICA = Dialect(
    name="vertica",
    values=False,
    sqlglot="postgres",
    # The system table KEYWORDS, of which those are left out that are names in spite of it.
    reserved=RESERVED["vertica"],
    float32=False,  # DOUBLE PRECISION (FLOAT): REAL is a synonym, all have 64 bits
    text_type="VARCHAR(65000)",  # Character Data Types: 80 bytes without a length, and there is no TEXT
    # About Locale: text is compared and ordered by its bytes, unless a locale is set.
    rules=(no_nulls_outside_windows, nan_is_unequal),
    # WITH Clause Recursion: the steps are eight, unless the database is set to more.
)

# SQLite's. It drops nothing that a view then lacks, but does not say so as clearly as we do.
SQLITE = Dialect(
    name="sqlite",
    executed=True,
    vendors=("sqlite",),
    reserved=RESERVED["sqlite"],
    repeated=r":\d+$",
    float32=False,
    nan="none",
    dynamic_types=True,
    byte_collation="BINARY",
    rules=(keys_collated, order_collated),
    temporary_tables=True,
    transactional_ddl=True,
    refill=Refill(
        attached="SELECT type || ' ' || name FROM sqlite_master"
        " WHERE type IN ('index', 'trigger') AND LOWER(tbl_name) = LOWER({table})"
    ),
    tables="SELECT 'main', name FROM sqlite_master WHERE type = 'table' AND name LIKE '%rankmetrics%'",
    views=(
        "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
        " UNION ALL SELECT name, sql FROM sqlite_temp_master WHERE type = 'view'"
    ),
    savepoints=True,
)

_IS_VIEW = (
    "SELECT COUNT(*) FROM information_schema.tables WHERE table_type LIKE '%VIEW'"
    " AND table_schema = {schema} AND table_name = {table}"
)

# MySQL's and MariaDB's. A statement may read a temporary table once only.
MYSQL = Dialect(
    name="mysql",
    executed=True,
    also_called=("mariadb",),
    vendors=("mysql", "mariadb"),
    quotes="``",
    names_in_double_quotes=False,
    backslashes_in_text=True,
    reserved=RESERVED["mysql"],
    nan="none",
    rules=(byte_keys, order_of_bytes, fingerprints_of_bytes),
    swap=Swap(
        ("RENAME TABLE {new} TO {name}",),
        ("RENAME TABLE {name} TO {old}, {new} TO {name}", "DROP TABLE IF EXISTS {old}"),
    ),
    refill=Refill(  # grants are to a name, and stay
        attached=(
            "SELECT DISTINCT CONCAT('index ', index_name) FROM information_schema.statistics"
            " WHERE table_schema = {schema} AND table_name = {table}"
            " UNION ALL SELECT CONCAT('trigger ', trigger_name) FROM information_schema.triggers"
            " WHERE event_object_schema = {schema} AND event_object_table = {table}"
            " UNION ALL SELECT 'comment' FROM information_schema.tables"
            " WHERE table_schema = {schema} AND table_name = {table} AND table_comment <> ''"
        ),
        condition=(
            "SELECT COUNT(*) FROM information_schema.tables t JOIN information_schema.engines e ON e.engine = t.engine"
            " WHERE t.table_schema = {schema} AND t.table_name = {table} AND e.transactions = 'YES'"
        ),
    ),
    is_view=_IS_VIEW,
    current_schema="DATABASE()",
    savepoints=True,
    views="SELECT table_name, view_definition FROM information_schema.views",
    read_only="SET SESSION TRANSACTION READ ONLY",
    explain="EXPLAIN",
    read_plan=plans.mysql,
)

CLICKHOUSE = Dialect(
    name="clickhouse",
    executed=True,
    vendors=("clickhouse", "clickhousedb"),
    quotes="``",
    backslashes=True,
    backslashes_in_text=True,
    dollars=False,
    rules=(named_columns, kth_of_array),
    selects_kth=True,
    unnesting=(
        "SELECT query_id, item_id, position FROM {table} ARRAY JOIN {column} AS item_id,"
        " arrayEnumerate({column}) AS position"
    ),
    table_storage=" ENGINE = MergeTree ORDER BY tuple()",
    temporary_storage=" ENGINE = Memory",
    temporary_tables=True,
    swap=Swap(("RENAME TABLE {new} TO {name}",), ("EXCHANGE TABLES {new} AND {name}", "DROP TABLE IF EXISTS {new}")),
    is_view=_IS_VIEW,
    current_schema="DATABASE()",
    tables="SELECT database, name FROM system.tables WHERE name LIKE '%rankmetrics%'",
    views="SELECT name, as_select FROM system.tables WHERE engine LIKE '%View'",
    explain="EXPLAIN ESTIMATE",
    read_plan=plans.clickhouse,
)

SPARK = Dialect(
    name="spark",
    values=True,
    executed=True,
    vendors=("pyspark",),
    quotes="``",
    names_in_double_quotes=False,
    dollars=False,
    reserved=words("qualify"),
    unnesting=(
        "SELECT query_id, item_id, place + 1 AS position FROM {table}"
        " LATERAL VIEW POSEXPLODE({column}) u AS place, item_id"
    ),
    swap=Swap.swap_by_renaming(),
    tables="SHOW TABLES IN {schema}",
    describes_views=True,
    explain="EXPLAIN COST",
    read_plan=plans.spark,
)

# Databricks's, which is Spark's.
DATABRICKS = replace(
    SPARK,
    name="databricks",
    vendors=("databricks",),
    reached_as="spark",
    parent="spark",
    tables=Dialect.tables,
    or_replace_table=True,
    swap=None,
)

HIVE = Dialect(
    name="hive",
    quotes="``",
    names_in_double_quotes=False,
    dollars=False,
    nan_as_null=False,
    unnesting=(
        "SELECT query_id, item_id, place + 1 AS position FROM {table}"
        " LATERAL VIEW POSEXPLODE({column}) u AS place, item_id"
    ),
)

TRINO = Dialect(
    name="trino",
    values=True,
    executed=True,
    vendors=("trino",),
    dollars=False,
    reserved=RESERVED["trino"],
    unnesting=(
        "SELECT t.query_id, u.item_id, u.position FROM {table} AS t"
        " CROSS JOIN UNNEST(t.{column}) WITH ORDINALITY AS u (item_id, position)"
    ),
    swap=Swap.swap_by_renaming(),
    views="SELECT table_name, view_definition FROM information_schema.views",
    explain="EXPLAIN (TYPE IO, FORMAT JSON)",
    read_plan=plans.trino,
)

# Athena's, which is Trino's; there is no renaming of tables.
ATHENA = replace(
    TRINO,
    name="athena",
    executed=False,
    vendors=("athena", "awsathena"),
    reached_as="trino",
    sqlglot="trino",
    swap=None,
)

# Presto's, of which Trino's was made; its EXPLAIN is not known to be alike.
PRESTO = replace(TRINO, name="presto", executed=False, vendors=(), explain=None, read_plan=None)

BIGQUERY = Dialect(
    name="bigquery",
    executed=True,
    vendors=("bigquery",),
    quotes="``",
    names_in_double_quotes=False,
    backslashes=True,
    dollars=False,
    whole_paths=True,
    float32=False,
    strict_booleans=True,
    unnesting=(
        "SELECT query_id, item_id, place + 1 AS position FROM {table}, UNNEST({column}) AS item_id WITH OFFSET AS place"
    ),
    # A DATETIME is taken to be of the session's zone, which is UTC unless that is set.
    or_replace_table=True,
    refill=Refill(  # one job: a transaction that fails is rolled back, as is one of two that meet
        (
            "BEGIN TRANSACTION;\nDELETE FROM {name} WHERE TRUE;\nINSERT INTO {name} ({columns})\n{query};\n"
            "COMMIT TRANSACTION",
        )
    ),
    tables="SELECT table_schema, table_name FROM {schema}.INFORMATION_SCHEMA.TABLES",
)

# Snowflake's, of its manual.
SNOWFLAKE = Dialect(
    name="snowflake",
    values=True,
    vendors=("snowflake",),
    parts="",
    stages=True,
    reserved=RESERVED["snowflake"],
    folds="upper",
    float32=False,
    nan="equal",
    strict_booleans=True,
    unnesting=(
        "SELECT t.query_id, u.value AS item_id, u.index + 1 AS position FROM {table} AS t,"
        " LATERAL FLATTEN(input => t.{column}) AS u"
    ),
    temporary_tables=True,
    or_replace_table=True,
    refill=Refill(("INSERT OVERWRITE INTO {name} ({columns})\n{query}",)),
    views="SELECT table_name, view_definition FROM information_schema.views",
    explain="EXPLAIN USING TEXT",
)

# SQL Server's, of its manual.
SQL_SERVER = Dialect(
    name="tsql",
    values=True,
    also_called=("mssql", "sqlserver"),
    vendors=("mssql",),
    quotes="[]",
    parts=r"|#{1,2}\w+",
    reserved=RESERVED["tsql"],
    nan="none",
    float32_type="REAL",  # FLOAT has 64 bits
    text_type="VARCHAR(8000)",  # one without a length is cut at 30
    byte_collation="Latin1_General_100_BIN2_UTF8",
    rules=(text_keys_collated, order_collated, wide_keys_collated),
    nested_with=False,
    notes=("Keys are compared as text: ids and groups are text, dates or whole numbers.",),
    ordered_views=False,
    create_table_as=False,
    replace_view="CREATE OR ALTER VIEW",
)

# Microsoft Fabric's, which is SQL Server's with text that has the order of its bytes. Of its manual.
FABRIC = replace(
    SQL_SERVER,
    notes=(),
    name="fabric",
    values=False,
    also_called=(),
    vendors=(),
    reached_as="tsql",
    byte_collation=None,
    rules=(),
    nested_with=True,
    create_table_as=True,
)

# Oracle's, of its manual.
ORACLE = Dialect(
    name="oracle",
    vendors=("oracle",),
    parts=r"[A-Za-z][\w$#]*(?:@\w+)?",
    reserved=RESERVED["oracle"],
    folds="upper",
    nan="none",
    double_type="BINARY_DOUBLE",  # DOUBLE PRECISION is a decimal number
    float32_type="BINARY_FLOAT",  # FLOAT has 64 bits
    text_type="VARCHAR2(4000)",  # a CLOB cannot be compared
    rules=(order_by_nlssort,),
    nothing="DUAL",
    end="",
    empty_lines=False,
    session_settings=("BEGIN DBMS_APPLICATION_INFO.SET_MODULE('{application}', NULL); END;",),
    tables="SELECT owner, table_name FROM all_tables WHERE LOWER(table_name) LIKE '%rankmetrics%'",
)

# Teradata's, of its manual.
TERADATA = Dialect(
    name="teradata",
    reserved=words("value"),
    float32=False,
    nan="none",
    power_function=False,
    text_type="VARCHAR(4000) CHARACTER SET UNICODE CASESPECIFIC",  # as this type, text is compared by its bytes
    rules=(text_keys, frames_of_rows),
    nothing="(SELECT 1 AS one) AS nothing",  # wanted behind UNION ALL
)

# Exasol's, of its manual.
EXASOL = Dialect(
    name="exasol",
    # The reserved ones of the system table EXA_SQL_KEYWORDS, by sqlglot. It quotes them too, but in small letters, and
    # a column that is named without quotes has capitals.
    reserved=RESERVED["exasol"],
    folds="upper",
    float32=False,
    nan_as_null=False,  # Numeric data types: it is NULL
    text_type="VARCHAR(4000)",  # there is none without a length
)

DORIS = Dialect(
    name="doris",
    reserved=words("value"),  # of ours; sqlglot quotes all that are
    quotes="``",
    names_in_double_quotes=False,
    nan_as_null=False,
)

STARROCKS = Dialect(name="starrocks", quotes="``", names_in_double_quotes=False, nan_as_null=False)

KNOWN = {
    dialect.name: dialect
    for dialect in (
        DUCKDB, POSTGRES, REDSHIFT, MATERIALIZE, DATAFUSION, VERTICA, SQLITE, MYSQL, CLICKHOUSE, SPARK,
        DATABRICKS, HIVE, TRINO, ATHENA, PRESTO, BIGQUERY, SNOWFLAKE, SQL_SERVER, FABRIC, ORACLE, TERADATA,
        EXASOL, DORIS, STARROCKS,
    )
}  # fmt: skip


CANONICAL = DUCKDB  # in which all text is written first


def check_dialect(dialect: Any) -> Dialect:
    """A dialect by its name, or by what people call it too, in any case."""
    if isinstance(dialect, Dialect):
        return dialect
    if not isinstance(dialect, str):
        raise UsageError(f"dialect takes the name of a dialect, not {shortened(dialect)}. {nearest('', _names())}")
    name = dialect.lower()
    found = KNOWN.get(name) or next((one for one in all_dialects() if name in one.also_called), None)
    if found is None:
        raise UsageError(f"Unknown dialect {shortened(dialect)}. {nearest(dialect, _names())}")
    return found


def find_by_vendor(name: str) -> Dialect | None:
    """Return the dialect of a database by the name that SQLAlchemy, ibis or ADBC give it."""
    return next((one for one in all_dialects() if name.lower() in one.vendors), None)


def reached_as(dialect: Dialect) -> tuple[Dialect, ...]:
    """The dialects whose connections may introduce themselves as this one's."""
    return tuple(one for one in all_dialects() if one.reached_as == dialect.name)


def parents(adapter: str) -> tuple[str, ...]:
    """The adapter of dbt whose macros an adapter takes where it has none, if there is one."""
    parent = KNOWN[adapter].parent if adapter in KNOWN else None
    return () if parent is None else (parent,)


def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, the executed ones first."""
    return tuple(sorted(KNOWN.values(), key=lambda dialect: (not dialect.executed, dialect.name)))


def _names() -> list[str]:
    return [dialect.name for dialect in all_dialects()]
