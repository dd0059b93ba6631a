"""Redshift by redshift_connector."""

from __future__ import annotations

import contextlib
from typing import Any

from .base import Through
from .postgres import Postgres


class Redshift(Postgres):
    """A connection that has no way to cancel; a second one to the same server can."""

    modules = ("redshift_connector",)
    vendor = "redshift"
    schemes = ("redshift",)
    through = (
        Through("redshift_connector", "redshift_connector", "sqlalchemy-redshift redshift_connector"),
        Through("psycopg2", "psycopg2", "sqlalchemy-redshift psycopg2-binary"),
    )

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
