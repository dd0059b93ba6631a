"""Several runs, of which some are sources: what they are called, and how each becomes a run beside the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..databases import Engine
from ..dialects.names import quoted
from ..errors import UsageError
from ..statements.relation import Relation
from .objects import maps_names
from .reader import Reader
from .sources import Rows, Source, check_agreement, rows_of
from .strings import run_name


def name_of(run: Any) -> str | None:
    """Return the name of an unnamed run: that of its file or table; of a source, that of its first table."""
    table = run.table if isinstance(run, Source) else run
    return run_name(table) if isinstance(table, str | Path) else None


def named_runs(runs: Any) -> dict[str, Any]:
    """Runs by name: as a mapping has them, or by the names of their files and tables.

    Raises:
        UsageError: two have the same name.
    """
    if isinstance(runs, Mapping) and (maps_names(runs) or not runs):
        if len({str(name) for name in runs}) < len(runs):
            raise UsageError(f"Two candidates have the same name: {', '.join(map(str, runs))}.")
        return {str(name): run for name, run in runs.items()}
    one = name_of(runs)
    if one is not None:
        return {one: runs}
    if isinstance(runs, list | tuple) and all(isinstance(run, str | Path | Source) for run in runs):
        names = [name_of(run) or f"candidate {number}" for number, run in enumerate(runs, start=1)]
        if len(set(names)) < len(names):
            raise UsageError(f"Two candidates have the same name: {', '.join(names)}; name them with {{name: run}}.")
        return dict(zip(names, runs, strict=True))
    return {"candidate": runs}


def refuse_labelled(runs: Mapping[str, Any]) -> None:
    """Refuse a source with its own judgments among several runs, because runs share their judgments.

    Raises:
        UsageError: there is one; or one that has several runs itself.
    """
    for name, run in runs.items():
        if isinstance(run, Source) and run.is_labelled:
            raise UsageError(
                f"{run.label}: its rows carry the judgments of their own queries, so {name!r} cannot be one of several"
                f" runs. Put all of them into one table, and name the column that tells them apart with {run.runs_by}."
            )
        if isinstance(run, Source) and run.runs is not None:
            raise UsageError(f"{run.label}: its column {run.runs} tells runs apart, so {name!r} is not one run.")


@dataclass(frozen=True)
class Part:
    """A source as one of several runs.

    Attributes:
        source: with its relations read.
        run: its run.
        qrels: its judgments, where it has any.
        columns: those that are handed on, as the user writes them.
    """

    source: Rows
    run: Relation
    qrels: Relation | None
    columns: Sequence[str] = ()


def part_of(name: str, source: Rows, place: Engine, columns: Sequence[str], input_format: str | None) -> Part:
    """A source as a run of a name; its columns mean what it says, whatever those of other runs mean.

    Args:
        name: that of the run.
        source: the description.
        place: where the evaluation runs.
        columns: those that are handed on.
        input_format: of all files, or None to go by their names.
    """
    known, rows = rows_of(source, place, columns, input_format)
    meanings = known.meanings((known.place or place).dialect)
    run = replace(rows["run"], name=name, meanings=meanings, label=f"run {name!r}")
    qrels = rows.get("qrels")
    judged = None if qrels is None else replace(qrels, meanings={"query_id": meanings["query_id"]})
    return Part(known, run, judged, columns)


def judgments_of(parts: Sequence[Part], by: Sequence[str]) -> Relation | None:
    """The judgments of all sources together: a query's are the same in each that has any.

    Args:
        parts: the sources.
        by: the columns that groups are made of, which sources hand on.

    Raises:
        UsageError: they are not all in one database.
        DataError: two sources name different relevant items for a query.
    """
    found = [part.qrels for part in parts if part.qrels is not None]
    if len({relation.sql for relation in found}) < 2:
        return found[0] if found else None
    place = found[0].database
    if place is None or any(relation.database is not place for relation in found):
        raise UsageError(f"{found[0].label}: sources that bring judgments have to be in one database.")
    number_of_keys = len(found[0].meanings["query_id"])
    keys = [f"query_id_{number}" for number in range(1, number_of_keys + 1)] if number_of_keys > 1 else ["query_id"]
    others = [name for name in by if all(name and relation.has(relation.bare(name)) for relation in found)]
    each = [_under(relation, keys, others, number) for number, relation in enumerate(found)]
    if place.is_connected:
        marked = " UNION ALL ".join(
            f"SELECT {number} AS of_run, t.* FROM ({text}) t" for number, text in enumerate(each)
        )
        check_agreement(f"({marked})", keys, "of_run", found[0], place)
    facts = {"stays": all(one.stays for one in found), "clean": all(one.clean for one in found)}
    made = Reader(place).derived(
        "\nUNION\n".join(each), "qrels", found[0].label, numbered=False, optional_ids=True, **facts
    )
    are_text, are_own = any(one.text_ids for one in found), all(one.own_types for one in found)
    return replace(made, meanings={"query_id": keys}, text_ids=are_text, own_types=are_own)


def _under(relation: Relation, keys: Sequence[str], others: Sequence[str], number: int) -> str:
    """The judgments of one source under names that all have."""
    own = relation.meanings["query_id"]
    named = [f"{quoted(name, relation.dialect)} AS {key}" for name, key in zip(own, keys, strict=True)]
    kept = ", ".join([*named, *(relation.column(name) for name in others), "item_id", "relevance"])
    return f"SELECT {kept} FROM {relation.sql} j{number}"
