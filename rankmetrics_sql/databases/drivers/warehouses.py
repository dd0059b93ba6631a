"""DB-API connections of the warehouses: Trino, Snowflake, Databricks and Redshift."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .dbapi import DbApi, Postgres
from .values import empty_batch


class Trino(DbApi):
    """trino.dbapi; every statement commits itself, unless a transaction was started."""

    def in_transaction(self) -> bool | None:
        """As the client has it."""
        return self.connection.transaction is not None

    def end(self, word: str) -> None:
        """The client refuses to end what was not started."""
        if self.in_transaction():
            super().end(word)


# The numbers of types in the descriptions of snowflake.connector's cursors.
_SNOWFLAKE = tuple(
    """NUMBER DOUBLE VARCHAR DATE TIMESTAMP VARIANT TIMESTAMP TIMESTAMP TIMESTAMP OBJECT ARRAY BINARY TIME BOOLEAN
    GEOGRAPHY GEOMETRY VECTOR MAP FILE""".split()  # noqa: SIM905 - a list of words reads better as words
)


class Snowflake(DbApi):
    """snowflake.connector; CREATE and DROP commit themselves, other statements where the session does so."""

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """A number without a scale is whole."""
        return [_snowflake_type(int(column[1]), column[5]) for column in description]

    def stop(self) -> None:
        """By the query's id, or by the session where that is not known yet."""
        query = getattr(self._running, "sfqid", None)
        with contextlib.closing(self.connection.cursor()) as cursor:
            if query:
                cursor.execute(f"SELECT SYSTEM$CANCEL_QUERY('{query}')")
            else:
                cursor.execute(f"SELECT SYSTEM$CANCEL_ALL_QUERIES({self.connection.session_id})")

    def marker(self, number: int) -> str:
        """The module's ``paramstyle`` is for everybody; ``numeric`` counts."""
        return f":{number}" if self._module_attribute("paramstyle") == "numeric" else super().marker(number)


def _snowflake_type(number: int, scale: int | None) -> str:
    word = _SNOWFLAKE[number] if number < len(_SNOWFLAKE) else "UNKNOWN"
    if word == "NUMBER":
        return "DECIMAL" if scale else "BIGINT"
    return word


class Databricks(DbApi):
    """databricks.sql; there are no transactions."""

    def in_transaction(self) -> bool | None:
        """Never."""
        return False

    def end(self, word: str) -> None:
        """Every statement commits itself."""

    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """See ``Driver.batches``; the warehouse sends Arrow."""
        with contextlib.ExitStack() as stack:
            cursor = self._translated(lambda: stack.enter_context(self._ran(self.cursor, sql)), sql)
            table = self._translated(lambda: cursor.fetchmany_arrow(size), sql)
            yield from table.to_batches() or [empty_batch(table.schema)]
            while table.num_rows:
                table = self._translated(lambda: cursor.fetchmany_arrow(size), sql)
                yield from table.to_batches()


class Redshift(Postgres):
    """redshift_connector, which has no way to cancel; a second connection of ours can."""

    def cursor(self) -> Any:
        """With ``?`` for parameters, because the default would read every ``%`` as one."""
        cursor = super().cursor()
        cursor.paramstyle = "qmark"
        return cursor

    def marker(self, number: int) -> str:  # noqa: ARG002 - all are alike
        """As the cursor has it."""
        return "?"

    def stop(self) -> None:
        """CANCEL, over a second connection."""
        if self._another is None:
            return
        with contextlib.closing(self._another()) as second, contextlib.closing(second.cursor()) as cursor:
            cursor.execute(f"CANCEL {self.process}")

    @property
    def process(self) -> int:
        """The server's number for this connection: in what it sends at the start, with a key."""
        return int.from_bytes(self.connection._backend_key_data[:4], "big")
