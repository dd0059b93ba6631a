"""Rows of several runs in one table, of which nobody said that they are several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..dialects.names import unquoted
from ..remedies import advise
from ..statements.relation import Relation
from .ask import Asker

_SHOWN_TAGS = 3
_NAMES = ("run_id", "run", "model", "retriever", "system")
# Where items stand twice, columns of these names may say why, too.
_MORE_NAMES = (*_NAMES, "arm", "variant", "ranker", "engine", "strategy", "method", "algorithm", "experiment", "config")


def hint_of_runs(asker: Asker, run: Relation) -> str:
    """What to do about rows of several runs, where a column without a meaning may say which.

    Args:
        asker: asks about the inputs.
        run: a run that has an item twice.
    """
    tags = run.tags() if run.tags is not None else []
    if len(tags) > 1:
        shown = f"{', '.join(map(repr, tags[:_SHOWN_TAGS]))}{' ...' if len(tags) > _SHOWN_TAGS else ''}"
        return (
            f" The file has {len(tags):,} tags ({shown}). To score each tag as a run, pass"
            f" {advise('columns', 'run_id', 'tag')}."
        )
    for name, one, other in _columns_of_runs(asker, run, _MORE_NAMES):
        said = f" Column {name} says {one!r} and {other!r}. Do the rows belong to several runs?"
        if run.name is not None:  # so a column cannot name it
            return f"{said} Select those of one: SELECT * FROM ... WHERE {name} = {_literal(one)}."
        return f"{said} Name the column of the run: {advise('columns', 'run_id', name)}."
    return ""


def may_be_several(asker: Asker, run: Relation) -> bool:
    """Whether a column without a meaning may say which run a row is of: it is called so, and has two values."""
    return any(True for _ in _columns_of_runs(asker, run, _MORE_NAMES))


def warn_of_several_runs(asker: Asker, run: Relation) -> Iterator[str]:
    """Lists of several runs that have no item in common are scored as one list."""
    for name, one, other in _columns_of_runs(asker, run, _NAMES):
        how = f"SELECT * FROM ... WHERE {name} = {_literal(one)} selects those of one run."
        if run.name is None:
            how = f"{advise('columns', 'run_id', name)} scores each as a run."
        yield f"{run.label}: column {name} says {one!r} and {other!r}, but all rows count as one run. {how}"
        return


def _columns_of_runs(asker: Asker, run: Relation, names: Sequence[str]) -> Iterator[tuple[str, object, object]]:
    """The columns without a meaning that may name runs, with two of their values."""
    if run.columns.get("run_id") or run.is_ours or not run.is_known:
        return
    used = {name.lower() for name in run.keys} | {unquoted(group.column).lower() for group in asker.query.groups}
    for name in run.there:
        if name.lower() in names and name.lower() not in used:
            column = run.column(name)
            values = asker.two_values(run, column)
            if values is not None:
                yield name, *values


def _literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
