"""Checks of tables of lists: one list for each query of a run, and the same judgments in all runs."""

from __future__ import annotations

from collections.abc import Sequence

from ...databases import Engine
from ...databases.answers import Row
from ...dialects.names import identifier
from ...remedies import advise
from ...statements.relation import Relation
from ..expressions import column_or_expression
from .base import Rows

_RUN = "of_run"
_NAMES_OF_RUNS = ("run_id", "run", "model", "retriever", "system", "variant", "arm")


def check_lists(source: Rows, rows: Relation, place: Engine) -> None:
    """Refuses lists of which nobody can say whose they are, or what is relevant.

    Args:
        source: the tables of lists, which have been read.
        rows: the rows that are made of them.
        place: the database of both.

    Raises:
        DataError: a query has two lists in a run, a list has no run, or runs have other relevant items for a query.
    """
    _, found = place.run(_twice_named(source))
    if found:
        raise rows.refuse(
            f"{_of_queries(found, 'has', 'have')} several rows, each with a list: {examples(found)}.{_by_run(source)}"
        )
    if source.arm is None:
        return
    dialect = place.dialect
    keys = ", ".join(source.meanings(dialect)["query_id"])
    run = identifier(source.name_in_rows(source.arm, dialect), dialect)
    _, found = place.run(f"SELECT DISTINCT {keys} FROM {rows.sql} u WHERE {run} IS NULL ORDER BY {keys}")
    if found:
        whose = _of_queries(found, "has a list", "have a list")
        raise rows.refuse(f"{whose} of no run: {source.arm} is NULL: {examples(found)}.")
    if "qrels" in source.parts:
        judgments = source.text(source.parts["qrels"], dialect, source.context([source.arm], dialect))
        check_agreement(f"({judgments})", source.meanings(dialect)["query_id"], run, rows, place)


def _by_run(source: Rows) -> str:
    """Return the advice for rows of several models, from the name of a column."""
    relation = next(iter(source.read.values()))
    if source.arm is not None:
        return ""
    name = next((name for name in relation.there if name.lower() in _NAMES_OF_RUNS), "NAME")
    return f" If they are lists of several models, name the column: {advise('rule', 'run', name)}."


def check_agreement(judgments: str, keys: Sequence[str], run: str, rows: Relation, place: Engine) -> None:
    """Refuses runs that do not have the same relevant items for a query, as far as they name any.

    Args:
        judgments: what can stand behind FROM: a row for each run, query and relevant item.
        keys: the columns that name a query there.
        run: the column that names the run.
        rows: what an error is about.
        place: where to look.

    Raises:
        DataError: there is such a query.
    """
    names = ", ".join(keys)
    same = " AND ".join(f"x.{key} = y.{key}" for key in keys)
    ours = ", ".join(f"x.{key}" for key in keys)
    _, found = place.run(
        f"SELECT DISTINCT {ours} FROM"
        f" (SELECT {names}, item_id, COUNT(*) AS n_here FROM {judgments} j GROUP BY {names}, item_id) x"
        f" INNER JOIN (SELECT {names}, COUNT(DISTINCT {run}) AS n_runs FROM {judgments} j GROUP BY {names}) y"
        f" ON {same} WHERE x.n_here <> y.n_runs ORDER BY {ours}"
    )
    if found:
        whose = _of_queries(found, "has", "have")
        raise rows.refuse(
            f"{whose} other relevant items in one run than in another: {examples(found)}. Give the judgments once, as"
            " qrels, and leave relevant= out."
        )


def examples(found: Sequence[Row]) -> str:
    """Some of the rows, for a message."""
    return "; ".join(" ".join(map(str, row)) for row in found[:3])


def _of_queries(found: Sequence[Row], one: str, several: str) -> str:
    return f"1 query {one}" if len(found) == 1 else f"{len(found):,} queries {several}"


def _twice_named(source: Rows) -> str:
    """The statement that finds queries of several rows, where each is to have one with its list in a run."""
    given = source.column(str(source.query))
    keys = [given] if isinstance(given, str) else list(given)
    names = [f"key_{number}" for number in range(len(keys))]
    known = " AND ".join(f"{name} IS NOT NULL" for name in names)
    relation = next(iter(source.read.values()))
    written = [*zip(keys, names, strict=True)]
    dialect = relation.dialect
    run = [] if source.arm is None else [(column_or_expression(relation, "run", source.arm, dialect), _RUN)]
    columns = ", ".join(f"{key} AS {name}" for key, name in (*written, *run))
    grouped = ", ".join([*names, *(name for _, name in run)])
    return (
        f"SELECT {', '.join(names)} FROM (SELECT {columns} FROM {relation.sql} u) d"
        f" WHERE {known} GROUP BY {grouped} HAVING COUNT(*) > 1 ORDER BY {', '.join(names)}"
    )
