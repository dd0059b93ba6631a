"""Drivers, which send statements to databases other than our DuckDB: one for each kind of connection.

``recognise`` wraps a user's connection, ``open_url`` opens one. A connection to DuckDB needs no driver:
``duckdb_connection`` returns it, without what wraps it.
"""

from ..rows import Answer, Estimate, Row
from .base import Driver
from .connections import ACCEPTED, duckdb_connection, open_url, recognise

__all__ = [
    "ACCEPTED",
    "Answer",
    "Driver",
    "Estimate",
    "Row",
    "duckdb_connection",
    "open_url",
    "recognise",
]
