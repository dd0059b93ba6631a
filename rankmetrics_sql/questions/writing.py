"""The text of a request, with what its header says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..checks import Asker
from ..checks.rows import refuse_mixed_runs
from ..databases import Unconnected
from ..definitions.refusals import refuse
from ..errors import UsageError, nearest, shortened
from ..inputs.reader import Reader
from ..inputs.reading import Others
from ..inputs.reads import Reads
from ..pipeline.bind import bind
from ..pipeline.header import facts, repeated, to_comment
from ..pipeline.request import Request
from ..remedies import advise
from ..statements.query import COMPARISONS, CURVES, MOVEMENTS, Query
from ..statements.relation import Relation

VIEW = "view"


def write_statement(
    place: Unconnected,
    request: Request,
    reads: Reads,
    run: Any,
    qrels: str | None,
    others: Others,
    values: str | None = None,
    *,
    shape: str = "statement",
) -> tuple[str, dict[str, str], list[str]]:
    """Write the statement for a request, its header, and the statements that check its tables and columns.

    Args:
        place: whose SQL, and where to look columns up.
        request: what is asked for.
        reads: what is read of the tables.
        run: a table name or query, or several by name; or a source.
        qrels: the judgments.
        others: the queries to score, and the items that there are.
        values: what is read instead, see ``Query``.
        shape: what the text is for, a statement or a view.

    Raises:
        UsageError: it cannot be written.
        DataError: a table or column is not there; or rows of several runs are mixed, as a column says.
    """
    if run is None:
        raise UsageError("run= is missing. Pass the table or query with the retrieved items.")
    if isinstance(run, Mapping) and not run:
        raise UsageError("run= is an empty mapping. Pass a table or query for the name of each run.")
    for metric in request.metrics:
        refuse("statement", metric.facts)
    bound = bind(place, request, reads, run, qrels, others)
    query = bound.query
    _check_runs(request, bound.reads, query)
    mixed = [] if values is not None else _refuse_mixed_runs(place, query)
    if values is not None:
        stored = _stored(values, request.level, place)
        for metric in request.metrics:
            refuse("values", metric.facts)
        query = replace(query, stored_values=stored)
    checks = [] if values is not None else [repeated(query, relation) for relation in query.relations]
    checks += mixed
    text = query.text(request.level, of_view=shape == VIEW)
    return text, facts(request, bound.reads, query, bound.sources), list(dict.fromkeys(filter(None, checks)))


def _stored(values: Any, level: str, place: Unconnected) -> Relation:
    """The table or query of values that were stored.

    Raises:
        UsageError: statements of the level read none.
    """
    if level in ("values", MOVEMENTS, *CURVES):
        raise UsageError(
            "values= works with summary, sums, per_query, compare, compare_per_query and decompose, not with"
            f" level={level}."
        )
    stand_in = None if place.dialect.canonical else "rankmetrics_input_values"
    return replace(Reader(place).one(values, "values"), stand_in=stand_in)


def _refuse_mixed_runs(place: Unconnected, query: Query) -> list[str]:
    """Comments on columns that have two names of runs, where items do not say whether lists are mixed.

    Raises:
        DataError: an item stands twice in a list, as ``evaluate`` refuses it.
    """
    if place.lookup is None:
        return []
    found = (warning.partition(": ")[2] for warning in refuse_mixed_runs(Asker(place.lookup, query, {})))
    return [to_comment(f"Note that {what.partition('one run.')[0]}one run.") for what in found]


def _check_runs(request: Request, reads: Reads, query: Query) -> None:
    """Refuse a comparison without names of runs, and an unknown baseline."""
    if request.level in COMPARISONS and query.runs[0].name is None and "run_id" in reads.columns:
        if request.baseline is None:
            raise UsageError(
                f"A column tells the runs apart. Name the baseline: {advise('argument', 'baseline', 'NAME')}."
            )
        return
    if request.level in COMPARISONS and len(query.runs) < 2:
        raise UsageError("compare needs at least two runs. Pass them by name: run={'old': 'a', 'new': 'b'}.")
    names = [run.name for run in query.runs if run.name is not None]
    baseline = request.baseline
    if baseline is not None and request.level not in COMPARISONS:
        raise UsageError(
            f"baseline= works only with {', '.join(COMPARISONS)}, not with level={request.level}."
            f" Pass {advise('argument', 'level', 'compare')}."
        )
    if baseline is not None and (not isinstance(baseline, str) or baseline not in names):
        hint = nearest(baseline if isinstance(baseline, str) else "", names)
        raise UsageError(f"There is no run called {shortened(baseline)}. {hint}")
