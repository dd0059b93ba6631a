"""MySQL and MariaDB by pymysql, mysqlclient and mysql.connector."""

from __future__ import annotations

import contextlib
import copy
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import DatabaseError
from .dbapi import DbApi
from .values import UNKNOWN

_MYSQL_TYPES = {
    **dict.fromkeys((0, 246), "DECIMAL"),
    **dict.fromkeys((1, 2, 3, 8, 9, 13), "BIGINT"),
    **dict.fromkeys((4, 5), "DOUBLE"),
    **dict.fromkeys((15, 247, 248, 249, 250, 251, 252, 253, 254), "VARCHAR"),
    **dict.fromkeys((7, 12, 17, 18), "TIMESTAMP"),
    **dict.fromkeys((10, 14), "DATE"),
    6: UNKNOWN,
    11: "TIME",
    16: "BIT",
    245: "JSON",
    255: "GEOMETRY",
}
_IN_TRANSACTION = 1  # bit of the status that a server sends with each answer
_COMMITTING = ("create", "drop", "alter", "rename", "truncate")


class MySQL(DbApi):
    """Cancelling needs a second connection: SQLAlchemy's engine or our own URL gives it, and pymysql's connection."""

    def in_transaction(self) -> bool | None:
        """Return the state in the server's last answer, which mysqlclient does not show."""
        status = getattr(self.connection, "server_status", None)
        return bool(status & _IN_TRANSACTION) if isinstance(status, int) else super().in_transaction()

    def cursor(self) -> Any:
        """Return a cursor whose rows are tuples, whatever the connection's default is."""
        return self._cursor("Cursor")

    def streaming_cursor(self) -> Any:
        """Return a cursor that does not fetch all rows at once."""
        return self._cursor("SSCursor")

    def _cursor(self, name: str) -> Any:
        module = type(self.connection).__module__.split(".")[0]
        cursors = sys.modules.get(f"{module}.cursors") if module in ("pymysql", "MySQLdb") else None
        return self.connection.cursor(getattr(cursors, name)) if cursors else self.connection.cursor()

    def type_words(self, description: Sequence[Sequence[Any]]) -> list[str]:
        """Name the types by their numbers in MySQL's protocol."""
        return [_MYSQL_TYPES.get(int(column[1]), UNKNOWN) for column in description]

    def execute(self, sql: str) -> None:
        words = sql.lower().split(maxsplit=2)[:2]
        if words[0] in _COMMITTING and "temporary" not in words and (self.in_transaction() or self._in_transaction()):
            raise DatabaseError(
                f"{words[0].upper()} would commit the open transaction of this connection. Commit it or roll"
                " it back first",
                sql,
            )
        super().execute(sql)

    def begin(self) -> None:
        """Begin where every statement would commit itself."""
        self._command("START TRANSACTION")

    def stop(self) -> None:
        """Send KILL QUERY over a second connection."""
        with contextlib.closing(self._second()) as second, contextlib.closing(second.cursor()) as cursor:
            cursor.execute(f"KILL QUERY {self._connection_id()}")

    def _connection_id(self) -> int:
        if hasattr(self.connection, "thread_id"):
            return int(self.connection.thread_id())
        return int(self.connection.connection_id)

    def _second(self) -> Any:
        if self._open_second:
            return self._open_second()
        second = copy.copy(self.connection)  # with all its settings, whatever they are in this version of pymysql
        second._sock = second._rfile = None
        second.connect()
        return second
