"""Replace the rows of a table by a query's, and keep the table, with its grants, indexes and comment."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..dialects import Dialect
from ..dialects.dialect import Refill
from ..dialects.names import quote_name
from ..errors import UsageError, advise
from .creation import Creation, Rows, about, replacing

Columns = Mapping[str, str]  # types by names

_WHOLE = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?")
_ATTACHED = ("grants", "indexes", "comment")  # where the catalogue does not say


class Access(NamedTuple):
    """What a replacement needs of a database.

    Attributes:
        dialect: the dialect of its statements.
        describe: returns the columns of a relation, which is SQL.
        fetch: returns the rows of a query.
        execute: runs a statement.
    """

    dialect: Dialect
    describe: Callable[[str], Columns]
    fetch: Callable[[str], Rows]
    execute: Callable[[str], object]


def can_refill(target: str, database: Access, *, transactions: bool) -> bool:
    """Whether the rows of a table can be replaced without the table.

    Args:
        target: the table's name, as SQL.
        database: where it is.
        transactions: whether the connection can run several statements as one transaction.
    """
    way = database.dialect.refill
    if way is None or (len(way.statements) > 1 and not transactions):
        return False
    condition = about(way.condition, target, database.dialect)
    return condition is None or bool(database.fetch(condition)[0][0])


def refill(name: str, target: str, query: str, database: Access) -> Creation:
    """Return the statements that replace the rows of a table by a query's.

    Args:
        name: the table's name as the user wrote it.
        target: its name as SQL.
        query: the query.
        database: where it is, for which ``can_refill`` is true.

    Raises:
        UsageError: the columns differ, or it is a view.
    """
    dialect, way = database.dialect, database.dialect.refill or Refill()
    table, result = database.describe(target), database.describe(f"({query})")
    different = _differences(table, result, dialect)
    if different:
        with replacing(name, "table"):
            database.execute(f"DELETE FROM {target} WHERE 1 = 0")  # refused for a view
        query = about(way.attached, target, dialect) or ""
        attached = [str(text) for (text,) in database.fetch(query)] if query else None
        raise _other_columns(name, different, attached)
    names = {_folded(column, dialect): column for column in table}
    columns = ", ".join(quote_name(names[_folded(column, dialect)], dialect) for column in result)
    return Creation([text.format(name=target, columns=columns, query=query) for text in way.statements], only_rows=True)


def _differences(table: Columns, result: Columns, dialect: Dialect) -> list[str]:
    """Return how the columns of a table differ from those of a result, in words. Their order does not matter."""
    there = {_folded(name, dialect): (name, type_) for name, type_ in table.items()}
    new = {_folded(name, dialect): (name, type_) for name, type_ in result.items()}
    lacking = [name for key, (name, _) in new.items() if key not in there]
    unknown = [name for key, (name, _) in there.items() if key not in new]
    texts = [f"it lacks {_listed(lacking)}"] if lacking else []
    texts += [f"the result lacks {_listed(unknown)}"] if unknown else []
    for key, (name, type_) in there.items():
        wanted = new.get(key, ("", ""))[1]
        if len({_kind(type_), _kind(wanted)} - {""}) > 1:
            texts.append(f"{name} is {type_} there and {wanted} in the result")
    return texts


def _other_columns(name: str, different: list[str], attached: list[str] | None) -> UsageError:
    """Return the error of a table whose columns differ; it names what would be lost with the table, where known."""
    lost = _ATTACHED if attached is None else sorted(attached)
    without = f" without its {_listed(lost)}" if lost else ""
    return UsageError(
        f"{name} has other columns than the result: {'; '.join(different)}. To create it anew{without}, pass"
        f" {advise('argument', 'replace', 'recreate')}."
    )


def _listed(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _folded(name: str, dialect: Dialect) -> str:
    """Return the name by which the database finds a column: some tell ``a`` from ``A``."""
    return name if dialect.folds else name.lower()


def _kind(type_: str) -> str:
    """Return what types have in common between which no value is lost; "" if that is not known."""
    word = re.sub(r"\(.*\)", "", type_).strip().upper()
    if '"' in word:
        return ""
    return "BIGINT" if _WHOLE.fullmatch(word) else word
