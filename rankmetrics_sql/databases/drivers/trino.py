"""Trino by trino.dbapi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from .base import Through
from .dbapi import DbApi


class Trino(DbApi):
    """Every statement commits itself, unless a transaction was started."""

    connections: ClassVar[Mapping[str, str]] = {"trino": "trino"}
    names: ClassVar[Mapping[str, str]] = {"trino": "trino"}
    schemes: ClassVar[Mapping[str, Sequence[Through]]] = {"trino": [Through("", "trino", '"trino[sqlalchemy]"')]}

    def in_transaction(self) -> bool | None:
        """As the client has it."""
        return self.connection.transaction is not None

    def end(self, word: str) -> None:
        """The client refuses to end what was not started."""
        if self.in_transaction():
            super().end(word)
