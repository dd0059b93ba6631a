"""Snowflake by snowflake.connector."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from .base import Through
from .dbapi import DbApi

# The numbers of types in the descriptions of snowflake.connector's cursors.
_SNOWFLAKE = tuple(
    """NUMBER DOUBLE VARCHAR DATE TIMESTAMP VARIANT TIMESTAMP TIMESTAMP TIMESTAMP OBJECT ARRAY BINARY TIME BOOLEAN
    GEOGRAPHY GEOMETRY VECTOR MAP FILE""".split()  # noqa: SIM905 - a list of words reads better as words
)


class Snowflake(DbApi):
    """CREATE and DROP commit themselves, other statements where the session does so."""

    modules = ("snowflake.connector",)
    vendor = "snowflake"
    schemes = ("snowflake",)
    through = (Through("", "snowflake", "snowflake-sqlalchemy"),)

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
