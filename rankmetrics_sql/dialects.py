"""SQL of and for other dialects. The one module that knows sqlglot, which it imports only when needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .errors import UsageError, nearest
from .spec import shortened

if TYPE_CHECKING:
    from sqlglot import exp

EXECUTED = ("duckdb",)

# sqlglot knows more names; these are the warehouses that the package means to serve.
RENDERED = (
    "athena", "bigquery", "clickhouse", "databricks", "fabric", "mysql", "oracle", "postgres",
    "redshift", "snowflake", "spark", "sqlite", "trino", "tsql",
)  # fmt: skip

# Where the recursive part of a CTE may have window functions. Elsewhere they are refused (Snowflake, BigQuery,
# Redshift, MySQL, SQLite), see one row at a time (SQL Server), or the steps are few or none (Trino, Athena, Spark,
# Databricks, ClickHouse, Fabric): the templates then write a stage for every step, of which there must not be many.
WINDOWED_RECURSION = ("duckdb", "postgres")

# How text is compared by bytes where the default is a language's order.
_BYTE_COLLATIONS = {"postgres": '"C"', "sqlite": "BINARY", "tsql": "Latin1_General_100_BIN2_UTF8"}

_QUERY_START = re.compile(r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(?:select|with)(?=[\s(*\"'/-])", re.IGNORECASE | re.DOTALL)
_LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_QUOTED = re.compile(r'"(?:[^"]|"")+"')
_BACKTICKED = re.compile(r"`(?:[^`]|``)+`")
_BRACKETED = re.compile(r"\[[^\[\]]+\]")
# Their REAL has 64 bits.
_WITHOUT_FLOAT32 = ("bigquery", "snowflake", "sqlite")
_BACKTICKS = ("bigquery", "clickhouse", "databricks", "mysql", "spark")
_BRACKETS = ("fabric", "tsql")

# Words that no dialect takes for the name of a table unless they are quoted.
_RESERVED = frozenset(
    """
    all and any as asc between both by case cast check collate column constraint create cross default desc distinct drop
    else end except exists false fetch for foreign from full group having in inner insert intersect into is join leading
    left like limit natural not null offset on or order outer primary references right select set some table then to
    true union unique update user using values when where window with
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


def check_dialect(name: str) -> str:
    """The dialect's name in lower case.

    Raises:
        UsageError: it is none of those that are executed or rendered.
    """
    known = [*EXECUTED, *RENDERED]
    if name.lower() not in known:
        raise UsageError(f"Unknown dialect {name!r}. {nearest(name, known)}")
    return name.lower()


def looks_like_query(text: str) -> bool:
    """Whether the text begins as a SELECT or WITH statement does."""
    return _QUERY_START.match(text) is not None


def relation(text: str, dialect: str = "duckdb") -> str:
    """SQL that can stand behind FROM: a bracketed query, or a table name quoted where it must be.

    Args:
        text: one SELECT or WITH statement, or a dotted table name.
        dialect: the dialect that it is written in.

    Raises:
        UsageError: the query cannot be parsed, is not one statement, or changes something.
    """
    return subquery(text, dialect) if looks_like_query(text) else table_name(text, dialect)


def subquery(text: str, dialect: str) -> str:
    """The one query of the text in brackets; the closing one on a line of its own, behind any comment."""
    import sqlglot
    from sqlglot import exp

    try:
        parsed = sqlglot.parse(text, read=dialect)
    except sqlglot.errors.SqlglotError as error:
        raise UsageError(f"Cannot parse the query {shortened(' '.join(text.split()))}: {_plain(error)}") from None
    statements = [
        statement for statement in parsed if statement is not None and not isinstance(statement, exp.Semicolon)
    ]
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise UsageError(
            f"Expected one SELECT or WITH statement or a table name, not {shortened(' '.join(text.split()))}."
        )
    changes = statements[0].find(exp.DML, exp.DDL, exp.Command, exp.Drop, exp.Alter, exp.Into)
    if changes is not None and not isinstance(changes, exp.Query):
        raise UsageError(
            f"The query {shortened(' '.join(text.split()))} would change something: {changes.key.upper()}."
        )
    if len(parsed) > 1:  # a comment behind the semicolon
        return f"(\n{statements[0].sql(dialect=dialect)}\n)"
    return f"(\n{text.strip().rstrip(';').rstrip()}\n)"


def table_name(text: str, dialect: str = "duckdb") -> str:
    """A dotted name with every part as it is where it is legal or quoted, else quoted."""
    return ".".join(_table_part(part, dialect) for part in split_name(text, dialect))


def _table_part(part: str, dialect: str) -> str:
    return quoted(part, dialect) if part.lower() in _RESERVED else identifier(part, dialect)


def split_name(text: str, dialect: str = "duckdb") -> list[str]:
    """The parts of a dotted name, dots inside quotes aside.

    Raises:
        UsageError: there is nothing in the name.
    """
    text = text.strip()
    if not text:
        raise UsageError("A table name cannot be empty.")
    parts = re.findall(rf"{_quoted(dialect).pattern}|[^.]+", text)
    return parts if ".".join(parts) == text else [text]


def identifier(name: str, dialect: str = "duckdb") -> str:
    """A name as the user writes it: quoted unless it is legal as it is or already quoted."""
    return name if _quoted(dialect).fullmatch(name) else quoted(name, dialect)


def quoted(name: str, dialect: str = "duckdb") -> str:
    """A column or table of that very name, quoted unless it is legal as it is."""
    if _LEGAL.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    if dialect in _BACKTICKS:
        return "`" + name.replace("`", "``") + "`"
    return '"' + name.replace('"', '""') + '"'


def unquoted(name: str, dialect: str = "duckdb") -> str:
    """The name that an identifier stands for."""
    return name[1:-1].replace('""', '"') if _quoted(dialect).fullmatch(name) else name


def _quoted(dialect: str) -> re.Pattern[str]:
    """A quoted identifier of the dialect; double quotes are one everywhere but in some of those with backticks."""
    patterns = [_QUOTED.pattern]
    patterns += [_BACKTICKED.pattern] if dialect in _BACKTICKS else []
    patterns += [_BRACKETED.pattern] if dialect in _BRACKETS else []
    return re.compile("|".join(patterns))


def transpile(sql: str, dialect: str, relations: dict[str, str]) -> str:
    """The canonical DuckDB text in another dialect.

    Args:
        sql: the statement, with a plain name in place of each relation of the user's.
        dialect: the dialect to write.
        relations: what to put for each of those names, in the target dialect.

    Raises:
        UsageError: the dialect cannot express the statement.
    """
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, read="duckdb")
    for table in list(tree.find_all(exp.Table)):
        if table.name in relations:
            source = sqlglot.parse_one(f"SELECT * FROM {relations[table.name]}", read=dialect)
            table.replace(source.args["from_"].this)
    if dialect in _WITHOUT_FLOAT32 and any(cast.is_type("float") for cast in tree.find_all(exp.Cast)):
        raise UsageError(f"score_type=float32: {dialect} has no 32-bit floats.")
    tree = tree.transform(_portable, dialect)
    try:
        return tree.sql(dialect=dialect, pretty=True, unsupported_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.UnsupportedError as error:
        raise UsageError(f"{dialect} cannot express this: {_plain(error)}") from None


def _portable(node: exp.Expression, dialect: str) -> exp.Expression:
    """What sqlglot does not know: LOG2 of a double, ordering text by its bytes, hints for DuckDB's optimizer."""
    from sqlglot import exp

    if isinstance(node, exp.CTE):
        node.set("materialized", None)
    if isinstance(node, exp.Log) and node.expression is not None:
        two = exp.cast(exp.Literal.number(2), "double")
        return exp.paren(exp.Div(this=exp.Ln(this=node.expression), expression=exp.Ln(this=two)))
    if isinstance(node, exp.Ordered) and isinstance(node.this, exp.Cast) and node.this.is_type("varchar", "text"):
        node.set("this", _by_bytes(node.this, dialect))
    if isinstance(node, exp.GT | exp.LT) and isinstance(node.this, exp.Cast) and node.this.is_type("varchar", "text"):
        node.set("this", _by_bytes(node.this, dialect))
        node.set("expression", _by_bytes(node.expression, dialect))
    return node


def _by_bytes(key: exp.Expression, dialect: str) -> exp.Expression:
    from sqlglot import exp

    if dialect == "mysql":
        return exp.cast(key, "binary")
    if dialect in _BYTE_COLLATIONS:
        return exp.Collate(this=key, expression=exp.Var(this=_BYTE_COLLATIONS[dialect]))
    return key


def _plain(error: Exception) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()[0]
