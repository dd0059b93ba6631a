"""DuckDB: our own in memory, a file, or a connection of the user's. Knows nothing of metrics.

DuckDB itself is imported with the first connection, so that help and version come at once.
"""

from ..answers import Row
from .engine import DuckDB
from .text import collations, file_literal, unnest

__all__ = ["DuckDB", "Row", "collations", "file_literal", "unnest"]
