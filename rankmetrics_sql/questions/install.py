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
    """Functions such as ``rankmetrics_ndcg('runs', 'qrels', 10)`` inside a database, for those who have SQL only.

    A function gives a row per query; its cutoff is a parameter unless the metric string fixes it. All other choices are
    fixed here. The script's header says how the functions are called.

    Args:
        metrics: metric strings; by default every metric that can be a function there.
        dialect: whose SQL to write; not needed with a connection.
        connection: where to create them, as in ``evaluate``, a URL then being opened for writing; by default nothing is
            created.
        schema: where in the database they are to be.
        remove: whether to remove them instead.
        columns: names of columns, as in ``evaluate``; nothing is looked up, so name all that are not the default.
        comments: whether a line above each stage says what it is; the header stands whatever is said.
        options: choices by name.

    Returns:
        The script, which has run if there is a connection, and all of it where CREATE is transactional.

    Raises:
        UsageError: something asked for is unknown, or cannot be a function.
        DatabaseError: the database refused a statement.
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
