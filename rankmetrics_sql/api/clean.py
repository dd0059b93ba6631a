"""List and drop the tables that evaluations left in a database because they were killed, or lost their connection."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..dialects import Dialect
from ..dialects.names import quote_name, quoted, table_name
from ..engines import Engine
from ..engines.creation import drop_table
from ..engines.stored_names import Leftover, read_name
from ..errors import DatabaseError, RankmetricsWarning, UsageError, advise
from ..results.tables import Table
from .keywords import public
from .place import opened

_COLUMNS = ("table", "created", "statement", "dropped")


@public()
def clean(*, connection: Any = None, schema: str | None = None, drop: bool = False, older_than: float = 1) -> Table:
    """Lists the tables that evaluations left in a database because they were killed, or drops them.

    An evaluation drops the tables that it stores (``materialize=``) when it ends. What remains has a name of the form
    ``rankmetrics_TIME_TOKEN``, and only tables of exactly that form are listed. Spark, Trino and MySQL replace a table
    by renaming. If that was interrupted, the old table is listed with the statement that gives it its name back, or
    the beginning of a very long name. It is never dropped.

    Args:
        connection: as in ``evaluate``; a URL is opened for writing if ``drop`` is True.
        schema: the only schema to look in. By default these are all that the database lists; BigQuery and Spark need
            one.
        drop: True drops the tables, but no old ones, and none that may belong to an evaluation that still runs.
        older_than: the days since a table was created after which it is dropped.

    Returns:
        A row for each table, with the columns ``table``, ``created`` (UTC), ``statement``, which drops it or renames
        it, and ``dropped``.

    Raises:
        UsageError: there is no connection, or the database needs a schema.
        DatabaseError: the database refused to list its tables.

    Examples:
        >>> import duckdb
        >>> import rankmetrics_sql as rm
        >>> connection = duckdb.connect()
        >>> _ = connection.execute("CREATE TABLE rankmetrics_20260301093000_1a2b3c4d_runs_1 AS SELECT 1 AS x")
        >>> rm.clean(connection=connection, drop=True).dicts()[0]["dropped"]
        True
    """
    if connection is None:
        raise UsageError("clean looks for tables in a database. Pass connection=.")
    newest = datetime.now(UTC) - timedelta(days=older_than)
    rows = []
    with opened(connection) as engine:
        for table in find_tables(engine, schema):
            is_dropped = drop and table.is_ours and table.leftover.created <= newest and _drop(engine, table)
            created = table.leftover.created.strftime("%Y-%m-%d %H:%M:%S")
            rows.append((table.name, created, table.statement, is_dropped))
        text = _listing(engine.dialect, schema)
    return Table(lambda: text, lambda _: (_COLUMNS, sorted(rows)))


@dataclass(frozen=True)
class _Table:
    """A table that is left in a database.

    Attributes:
        name: its name as SQL.
        schema: its schema as SQL.
        leftover: what its name says.
        dialect: of the database.
    """

    name: str
    schema: str
    leftover: Leftover
    dialect: Dialect

    @property
    def is_ours(self) -> bool:
        """Whether we stored it, so that nobody misses it."""
        return self.leftover.table is None

    @property
    def statement(self) -> str:
        """The statement that drops the table, or gives it its name back."""
        if self.leftover.table is None:
            return drop_table(self.name)
        target = f"{self.schema}.{_write_name(self.leftover.table, self.dialect)}"
        return f"ALTER TABLE {self.name} RENAME TO {target}{'...' if self.leftover.is_cut else ''}"


def _listing(dialect: Dialect, schema: str | None) -> str:
    """Return the statement that lists the tables of a database, or of a schema."""
    if "{schema}" in dialect.tables and schema is None:
        raise UsageError(f"{dialect} lists the tables of one schema. Pass {advise('argument', 'schema', 'NAME')}.")
    return dialect.tables.format(schema="" if schema is None else table_name(schema, dialect))


def find_tables(engine: Engine, schema: str | None = None) -> Iterator[_Table]:
    """Yield the tables that evaluations left in a database, or in a schema."""
    dialect = engine.dialect
    for row in engine.run(_listing(dialect, schema))[1]:
        place, name = str(row[0]), str(row[1])
        leftover = read_name(name)
        if leftover is not None and schema in (None, place):
            place = _write_name(place, dialect)
            yield _Table(f"{place}.{_write_name(name, dialect)}", place, leftover, dialect)


def _write_name(name: str, dialect: Dialect) -> str:
    """Return a name that the database lists as SQL, with quotes only where it would be another one without."""
    fold = dialect.folds
    is_plain = fold is None or (name.lower() if fold == "lower" else name.upper()) == name
    return quoted(name, dialect) if is_plain else quote_name(name, dialect)


def _drop(engine: Engine, table: _Table) -> bool:
    """Drop a table; warn if the database refuses it."""
    try:
        engine.change([table.statement])
    except DatabaseError as error:
        warnings.warn(f"{table.name} could not be dropped: {error}", RankmetricsWarning, stacklevel=4)
        return False
    return True
