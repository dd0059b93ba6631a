"""DuckDB: our own in memory, a file, or a connection of the user's. Knows nothing of metrics.

The class is in ``engine``; a statement that is only written does without that module, and so without threads and locks.
DuckDB itself is imported with the first connection, so that help and version come at once.
"""

from ...rows import Row
from .text import collations, file_literal, unnest

__all__ = ["Row", "collations", "file_literal", "unnest"]
