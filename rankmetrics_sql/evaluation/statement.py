"""A statement that is only written, for a warehouse that somebody else will ask."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any

from ..databases import Engine, Unconnected
from ..definitions.catalogue import options
from ..definitions.choices import Choices
from ..definitions.descriptions import plain
from ..definitions.refusals import refuse
from ..definitions.resolution import ResolvedMetric
from ..dialects import Dialect
from ..dialects.names import quoted, unquoted
from ..errors import UsageError, nearest, shortened
from ..inputs.reader import Reader
from ..inputs.sources import Rows
from ..statements.query import COMPARISONS, CURVES, MOVEMENTS, Query
from ..statements.relation import Relation
from ..version import __version__
from .composer import Request, assumed_columns, bind

# What drivers, consoles and templates read in comments too: a parameter, the end of a statement, a text that begins.
_READ_IN_COMMENTS = re.compile(r"[^\w .,()=<>/@*+\-\"'`]|/\*|\*/")

# A name or a text in quotes that ends where every reader takes it to end; of others the quotes are left out.
_QUOTED = re.compile(r"""("[^"'`]*"|'[^"'`]*'|`[^"'`]*`)|["'`]""")


_LONGEST = 70  # characters of what a table is called

VIEW = "view"
_SHAPES = ("statement", VIEW)


# What evaluate asks before, and a text cannot.
UNCHECKED = (
    "The tables are not checked. A repeated item counts once, at its best rank, and a repeated judgment each time."
)


def check_shape(shape: str) -> None:
    """Refuses a text to be of a shape that there is not.

    Raises:
        UsageError: so it is.
    """
    if shape not in _SHAPES:
        raise UsageError(f"Unknown shape {shape!r}. {nearest(str(shape), _SHAPES)}")


def in_comment(text: str) -> str:
    """Somebody's text as it can stand in a comment: on one line, quotes in pairs, without what is read there too."""
    plain_text = re.sub(r"(?<=\d):(?=[-.\d])", "=", " ".join(text.split()))
    bare = plain_text.translate(str.maketrans("{}[]", "()()"))
    return _QUOTED.sub(lambda found: found[1] or "", _READ_IN_COMMENTS.sub("_", bare))


def header(metrics: Sequence[ResolvedMetric], choices: Choices, what: str, facts: Mapping[str, str]) -> str:
    """A comment that says what a statement computes, and what it was written by.

    Args:
        metrics: those that are computed.
        choices: of which those that are not the default, or that win over the profile, are named.
        what: the kind of statement, the dialect and what writes it, in a few words.
        facts: what else there is to say, by what it is about: tables, columns.
    """
    base = {name: option.default for name, option in options().items()} | dict(
        choices.profile.options if choices.profile else {}
    )
    chosen = {name: value for name, value in choices.given.items() if value != base[name]}
    lines = {
        "rankmetrics_sql": f"{__version__}, {what}",
        "metrics": ", ".join(metric.label for metric in metrics),
        "profile": choices.profile.name if choices.profile else "",
        "options": ", ".join(f"{name}={plain(value)}" for name, value in sorted(chosen.items())),
        **facts,
    }
    return "".join(comment(f"{name} {in_comment(text)}") for name, text in lines.items() if text)


def comment(line: str) -> str:
    """One line as a comment, or as several where it is long."""
    filled = fill(line, 120, initial_indent="-- ", subsequent_indent="--     ", break_on_hyphens=False)
    return f"{filled}\n"


def unchecked(run: Any, qrels: Any, checks: Sequence[str]) -> str:
    """A comment that nobody has looked at the rows that a statement reads, where they are not made by one of ours.

    Args:
        run: what the statement reads.
        qrels: likewise.
        checks: the statements that find what a check would refuse.
    """
    if isinstance(run, Rows) and run.clean and qrels is None:
        return ""
    return comment(UNCHECKED) + "".join(map(comment, checks))


def _facts(request: Request, query: Query) -> dict[str, str]:
    """The tables and columns of a statement, and which of those nobody named or looked up."""
    missing = assumed_columns(request, query)
    read = {
        (relation.name or relation.side if relation.side == "run" else relation.side): relation
        for relation in (*query.relations, *([query.stored_values] if query.stored_values else []))
    }
    named = [
        f"{relation.side}.{meaning}={relation.shown(unquoted(name))}"
        for relation in query.relations
        for meaning, columns in relation.columns.items()
        for name in ([columns] if isinstance(columns, str) else columns or ())
        if f"{relation.side}.{unquoted(name)}" not in missing
    ]
    return {
        "limits": ", ".join(f"{metric}={limit:.12g}" for metric, limit in (request.limits or {}).items()),
        "tables": ", ".join(f"{name}={_cut(_table(relation))}" for name, relation in read.items()),
        "columns": ", ".join(dict.fromkeys(named)),
        "assumed columns": ", ".join(missing),
        "check": _count_of_nan(query),
    }


def _repeated(query: Query, relation: Relation) -> str:
    """The statement that finds what stands twice in a table: the items of its lists, or judgments.

    There is none of a query, of expressions, and of names that a comment cannot hold.
    """
    if relation.is_query or relation.clean or relation.role not in ("run", "labelled", "qrels") or relation.expressions:
        return ""
    if query.options["duplicate_judgments" if relation.side == "qrels" else "duplicates"] != "error":
        return ""
    keys = ", ".join(quoted(name, query.dialect) for name in relation.keys)
    line = f"SELECT {keys}, COUNT(*) AS n_rows FROM {relation.sql} GROUP BY {keys} HAVING COUNT(*) > 1"
    return line if in_comment(line) == line else ""


def _count_of_nan(query: Query) -> str:
    """What counts the scores that are NaN, where these are ordered as the engine does, above all others."""
    dialect = query.dialect
    if dialect.nan != "equal" or dialect.nan_as_null or query.stored_values is not None:
        return ""
    counts = []
    for run in query.runs:
        score = run.columns.get("score")
        if score:
            is_query = run.is_query or run.sql.startswith("(")
            own = f"CAST({run.shown(unquoted(score))} AS {dialect.double_type or 'DOUBLE PRECISION'}) = 'NaN'"
            counts.append(
                f"COUNT(*) of the run where {own}" if is_query else f"SELECT COUNT(*) FROM {run.sql} WHERE {own}"
            )
    return f"{' and '.join(counts)} must be 0, as NaN ranks first" if counts else ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _table(relation: Relation) -> str:
    return "a query" if relation.is_query or relation.sql.startswith("(") else relation.sql


def write(
    request: Request,
    run: Any,
    qrels: str | None = None,
    query_list: str | None = None,
    items: str | None = None,
    values: str | None = None,
    *,
    shape: str = "statement",
    dialect: Dialect,
    database: Engine | None = None,
) -> tuple[str, dict[str, str], list[str]]:
    """The text that answers a request, what a header says of its tables and columns, and statements that check them.

    Args:
        request: what is asked for.
        run: a table name or query, or several by name; or a source.
        qrels: the judgments.
        query_list: the queries to score.
        items: the items that there are.
        values: what is read instead, see ``Query``.
        shape: what the text is for, a statement or a view.
        dialect: whose SQL.
        database: where to look columns up, or None where there is no connection.

    Raises:
        UsageError: it cannot be written.
        DataError: a table or column is not there.
    """
    if run is None:
        raise UsageError("run is missing: the table or query with the retrieved items.")
    if isinstance(run, Mapping) and not run:
        raise UsageError("run is empty: a mapping has a table or query for the name of each run.")
    for metric in request.metrics:
        refuse("statement", metric.facts)
    place = Unconnected(dialect, database)
    bound = bind(place, request, run, qrels, {"query_list": query_list, "items": items})
    request, query = bound.request, bound.query
    _check_runs(request, query)
    if values is not None:
        stored = _stored(values, request.level, dialect)
        for metric in request.metrics:
            refuse("values", metric.facts)
        query = replace(query, stored_values=stored)
    checks = [] if values is not None else [_repeated(query, relation) for relation in query.relations]
    text = query.text(request.level, of_view=shape == VIEW)
    return text, _facts(request, query), list(dict.fromkeys(filter(None, checks)))


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
    return replace(Reader(Unconnected(dialect)).one(values, "values"), stand_in=stand_in)


def _check_runs(request: Request, query: Query) -> None:
    """A comparison is of runs with names, one of which may be said to be the baseline."""
    if request.level in COMPARISONS and query.runs[0].name is None and "run_id" in request.columns:
        return  # a column tells them apart
    if request.level in COMPARISONS and len(query.runs) < 2:
        raise UsageError("compare needs at least two runs, by name.")
    names = [run.name for run in query.runs if run.name is not None]
    baseline = request.baseline
    if baseline is not None and request.level not in COMPARISONS:
        raise UsageError(f"baseline= is for {', '.join(COMPARISONS)}, not for level={request.level}.")
    if baseline is not None and (not isinstance(baseline, str) or baseline not in names):
        hint = nearest(baseline if isinstance(baseline, str) else "", names)
        raise UsageError(f"There is no run called {shortened(baseline)}. {hint}")
