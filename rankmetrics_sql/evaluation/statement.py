"""A statement that is only written, for a warehouse that somebody else will ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any

from ..databases import Engine
from ..definitions.catalogue import options
from ..definitions.choices import Choices
from ..definitions.descriptions import plain
from ..definitions.refusals import refuse
from ..definitions.resolution import ResolvedMetric
from ..dialects import Dialect
from ..errors import UsageError, nearest, shortened
from ..inputs.reader import named_relation
from ..inputs.sources import Labelled, Rows, are_judged
from ..statements.query import COMPARISONS, CURVES, MOVEMENTS
from ..statements.relation import Relation
from ..version import __version__
from .composer import Inputs, Request, assumed_columns, compose, name_inputs, name_source, unfold


def header(metrics: Sequence[ResolvedMetric], choices: Choices, what: str, assumed: Sequence[str] = ()) -> str:
    """A comment that says what a statement computes, and what it was written by.

    Args:
        metrics: those that are computed.
        choices: of which those that are not the default, or that win over the profile, are named.
        what: the kind of statement and the dialect, in a few words.
        assumed: columns that nobody named or looked up.
    """
    base = {name: option.default for name, option in options().items()} | dict(
        choices.profile.options if choices.profile else {}
    )
    chosen = {name: value for name, value in choices.given.items() if value != base[name]}
    lines = {
        "rankmetrics_sql": f"{__version__}, {what}",
        "metrics": ", ".join(" ".join(metric.label.split()) for metric in metrics),
        "profile": choices.profile.name if choices.profile else "",
        "options": ", ".join(f"{name}={plain(value)}" for name, value in sorted(chosen.items())),
        "assumed columns": ", ".join(" ".join(name.split()) for name in assumed),
    }
    comments = [
        fill(f"{name} {text}", 120, initial_indent="-- ", subsequent_indent="--     ", break_on_hyphens=False)
        for name, text in lines.items()
        if text
    ]
    return "\n".join(comments) + "\n"


def write(
    request: Request,
    run: Any,
    qrels: str | None = None,
    query_list: str | None = None,
    items: str | None = None,
    values: str | None = None,
    *,
    dialect: Dialect,
    database: Engine | None = None,
) -> tuple[str, list[str]]:
    """The text that answers a request, and the columns that it assumes.

    Args:
        request: what is asked for.
        run: a table name or query, or several by name; or a source.
        qrels: the judgments.
        query_list: the queries to score.
        items: the items that there are.
        values: what is read instead, see ``Query``.
        dialect: whose SQL.
        database: where to look columns up, or None where there is no connection.

    Raises:
        UsageError: it cannot be written.
        DataError: a table or column is not there.
    """
    role = "labelled" if isinstance(run, Labelled) else "run"
    judged = are_judged(run, qrels)
    if isinstance(run, Labelled):
        request, run, qrels = unfold(request, run, qrels)
    source = run if isinstance(run, Rows) else None
    others = {"query_list": query_list, "items": items}
    if not judged and any(metric.metric.reads_judgments for metric in request.metrics):
        raise UsageError("qrels is missing: the table or query with the judgments.")
    if run is None:
        raise UsageError("run is missing: the table or query with the retrieved items.")
    runs = [(str(name), text) for name, text in run.items()] if isinstance(run, Mapping) else [(None, run)]
    if not runs:
        raise UsageError("run is empty: a mapping has a table or query for the name of each run.")
    if source is None:
        inputs = name_inputs(database, dialect, role, runs, qrels, others)
    else:
        request, inputs = name_source(database, dialect, request, source, qrels, others)
    for metric in request.metrics:
        refuse("statement", metric.facts)
    _check_runs(request, inputs)
    query = compose(request, inputs, dialect)
    if values is not None:
        stored = _stored(values, request.level, dialect)
        for metric in request.metrics:
            refuse("values", metric.facts)
        query = replace(query, stored_values=stored)
    return query.text(request.level), assumed_columns(request, query)


def _stored(values: Any, level: str, dialect: Dialect) -> Relation:
    """The table or query of values that were stored.

    Raises:
        UsageError: statements of the level read none.
    """
    if level in ("values", MOVEMENTS, *CURVES):
        raise UsageError(
            f"values= is for summary, sums, per_query, compare, compare_per_query and decompose, not for level={level}."
        )
    stand_in = None if dialect.canonical else "rankmetrics_input_values"
    return replace(named_relation(values, "values", dialect), stand_in=stand_in)


def _check_runs(request: Request, inputs: Inputs) -> None:
    """A comparison is of runs with names, one of which may be said to be the baseline."""
    if request.level in COMPARISONS and inputs.runs[0].name is None and "run_id" in request.columns:
        return  # a column tells them apart
    if request.level in COMPARISONS and len(inputs.runs) < 2:
        raise UsageError("compare needs at least two runs, by name.")
    names = [run.name for run in inputs.runs if run.name is not None]
    baseline = request.baseline
    if baseline is not None and (not isinstance(baseline, str) or baseline not in names):
        hint = nearest(baseline if isinstance(baseline, str) else "", names)
        raise UsageError(f"There is no run called {shortened(baseline)}. {hint}")
