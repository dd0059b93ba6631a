"""The dialects by how their text is tested, and how it is read again."""

from __future__ import annotations

import sqlglot

from rankmetrics_sql.dialects import all_dialects, check_dialect
from rankmetrics_sql.dialects.translation import sqlglot_dialect

EXECUTED = tuple(dialect.name for dialect in all_dialects() if dialect.executed)
RENDERED = tuple(dialect.name for dialect in all_dialects() if not dialect.executed)
WINDOWED_RECURSION = tuple(dialect.name for dialect in all_dialects() if dialect.windowed_recursion)


def tree_of(statement: str, dialect: str) -> sqlglot.Expr:
    """A statement as sqlglot reads it, without what it writes for Teradata and cannot read."""
    text = statement.replace(" CHARACTER SET UNICODE CASESPECIFIC", "")
    return sqlglot.parse_one(text, read=sqlglot_dialect(check_dialect(dialect)))
