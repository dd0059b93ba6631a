"""SQL over a row in place of a column: which text is such SQL, and which columns it reads. Calls sqlglot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..errors import UsageError, shortened
from .dialect import Dialect
from .names import is_quoted
from .translation import sqlglot_dialect, unreadable

_LEGAL = r"[A-Za-z_][A-Za-z0-9_$]*"
_WORDS = r"[\w\s.$-]+"


class Expression(NamedTuple):
    """SQL over a row.

    Attributes:
        sql: the text, as the user wrote it.
        reads: the columns that it reads, without quotes; of a field of a column, the column.
        is_path: whether it is no more than a dotted name: a field of a column, or a column with a dot in its name.
    """

    sql: str
    reads: tuple[str, ...]
    is_path: bool = False


def expression_of(text: str, dialect: Dialect) -> Expression | None:
    """Return the expression that a text computes from a row; None if it is the name of a column.

    Args:
        text: what the user wrote.
        dialect: whose SQL it is.

    Raises:
        UsageError: it is neither, or SQL that is not a value of a single row; the message is the end of a sentence.
    """
    import sqlglot
    from sqlglot import exp

    text = text.strip()
    if is_quoted(text, dialect) or re.fullmatch(_LEGAL, text):
        return None
    words = set(text.lower().split())
    may_be_name = re.fullmatch(_WORDS, text) is not None and not words & {"as", "case"}
    sqlglot_name = sqlglot_dialect(dialect)
    try:
        tokens = sqlglot.tokenize(text, read=sqlglot_name)
        statements = sqlglot.parse(f"SELECT\n{text}\n", read=sqlglot_name)
    except unreadable():
        if may_be_name:
            return None
        raise UsageError(f"Cannot parse {shortened(text)}. Quote the name of a column.") from None
    if any(token.token_type == sqlglot.TokenType.SEMICOLON for token in tokens) or len(statements) != 1:
        raise UsageError(f"{shortened(text)} has a semicolon.")
    if any(token.comments or token.token_type == sqlglot.TokenType.HINT for token in tokens):
        raise UsageError(f"{shortened(text)} has a comment.")
    [select] = statements
    values = select.expressions if isinstance(select, exp.Select) else []
    has_clauses = isinstance(select, exp.Select) and any(
        clause for name, clause in select.args.items() if name != "expressions"
    )
    if len(values) != 1 or has_clauses or tokens[-1].token_type == sqlglot.TokenType.COMMA:
        raise UsageError(f"{shortened(text)} is more than one value.")
    [value] = values
    if isinstance(value, exp.Alias | exp.Aliases):
        if may_be_name:
            return None
        raise UsageError(f"{shortened(text)} has an alias.")
    _refuse_beyond_the_row(value, text)
    if isinstance(value, exp.Column) and len(value.parts) == 1:
        return None
    reads = tuple(dict.fromkeys(column.parts[0].name for column in value.find_all(exp.Column)))
    return Expression(text, reads, isinstance(value, exp.Column | exp.Dot) and "(" not in text)


def with_columns(text: str, sql_by_column: Mapping[str, str], dialect: Dialect) -> str:
    """Replace columns of an expression by other SQL; the rest stays as the user wrote it.

    Columns have their names of ``Expression.reads``.
    """
    import sqlglot
    from sqlglot import exp

    before = "SELECT\n"
    tree = sqlglot.parse_one(f"{before}{text}\n", read=sqlglot_dialect(dialect))
    replacements = {}
    for column in tree.find_all(exp.Column):
        name = column.parts[0]
        if name.name in sql_by_column and len(column.parts) == 1:
            start, end = name.meta["start"] - len(before), name.meta["end"] + 1 - len(before)
            replacements[start] = end, sql_by_column[name.name]
    for start, (end, sql) in sorted(replacements.items(), reverse=True):
        text = text[:start] + sql + text[end:]
    return text


def _refuse_beyond_the_row(value: object, text: str) -> None:
    """Raise UsageError if an expression reads more than the columns of one row, or gives several rows."""
    from sqlglot import exp

    if not isinstance(value, exp.Expr):
        raise UsageError(f"{shortened(text)} is no value.")
    kinds = {
        "a subquery": exp.Query,
        "a window function": exp.Window,
        "an aggregate function": exp.AggFunc,
        "a star": exp.Star,
        "a parameter": (exp.Placeholder, exp.Parameter),
        "another statement": (exp.Command, exp.DML, exp.DDL),
    }
    for name, kind in kinds.items():
        if value.find(*(kind if isinstance(kind, tuple) else (kind,))) is not None:
            raise UsageError(f"{shortened(text)} has {name}.")
    if any(not isinstance(node.parent, exp.In) for node in value.find_all(exp.UDTF, exp.Explode)):
        raise UsageError(f"{shortened(text)} makes several rows of one.")
