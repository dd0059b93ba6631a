"""The question for functions inside a database."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Unpack

from ..errors import UsageError
from ..functions.installation import Installation
from ..templates import commented
from .common import Common, Keywords
from .place import dialect_of, opened
from .question import question


@question("connection", "columns", "profile")
def install(
    metrics: str | Iterable[str] = (),
    *,
    dialect: str | None = None,
    schema: str | None = None,
    remove: bool = False,
    comments: bool = True,
    **common: Unpack[Common],
) -> str:
    """Writes or creates SQL functions such as ``rankmetrics_ndcg('runs', 'qrels', 10)``.

    A function returns a row for each query. Its cutoff is a parameter unless the metric string fixes it. All other
    options are fixed here. The script's header says how the functions are called.

    Args:
        metrics: metric strings; by default every metric that can be a function there.
        dialect: whose SQL to write; not needed with a connection.
        connection: the database in which to create them, as in ``evaluate``; a URL is opened for writing. Without it
            nothing is created.
        schema: the schema of the functions.
        remove: True drops the functions.
        columns: names of columns, as in ``evaluate``. They are not looked up, so name all that differ from the default.
        comments: True explains each stage in a comment above it. The header is always written.
        options: options by name.

    Returns:
        The script. With a connection it has run, in one transaction if the database supports that.

    Raises:
        UsageError: something asked for is unknown, or cannot be a function.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import duckdb
        >>> import rankmetrics_sql as rm
        >>> connection = duckdb.connect()
        >>> _ = connection.execute("CREATE TABLE runs AS SELECT 'q1' AS query_id, 'a' AS item_id, 1.0 AS score")
        >>> _ = connection.execute("CREATE TABLE qrels AS SELECT 'q1' AS query_id, 'a' AS item_id, 1 AS relevance")
        >>> _ = rm.install("p", connection=connection)
        >>> connection.execute("SELECT value FROM rankmetrics_p('runs', 'qrels', k := 2)").fetchone()
        (0.5,)
    """
    asked = Keywords(common)
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    choices, connection = asked.choices(), common.get("connection")
    with opened(connection) if connection is not None else contextlib.nullcontext() as engine:
        written = dialect_of(dialect, engine)
        if written is None:
            raise UsageError("install needs a dialect or a database. Pass dialect=, such as postgres, or connection=.")
        with commented(comments):
            script = Installation(written, choices, asked.columns, schema).script(wanted, remove=remove)
        if engine is not None:
            engine.change(script.statements)
    return script.text
