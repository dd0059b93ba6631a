"""The dialects by how their text is tested."""

from __future__ import annotations

from rankmetrics_sql.dialects import all_dialects

EXECUTED = tuple(dialect.name for dialect in all_dialects() if dialect.executed)
RENDERED = tuple(dialect.name for dialect in all_dialects() if not dialect.executed)
WINDOWED_RECURSION = tuple(dialect.name for dialect in all_dialects() if dialect.windowed_recursion)
