"""Trino by trino.dbapi."""

from __future__ import annotations

from .base import Through
from .dbapi import DbApi


class Trino(DbApi):
    """Every statement commits itself, unless a transaction was started."""

    modules = ("trino",)
    vendor = "trino"
    schemes = ("trino",)
    through = (Through("", "trino", '"trino[sqlalchemy]"'),)

    def in_transaction(self) -> bool | None:
        """As the client has it."""
        return self.connection.transaction is not None

    def end(self, word: str) -> None:
        """The client refuses to end what was not started."""
        if self.in_transaction():
            super().end(word)
