"""Write the comments at the top of a statement: what it computes, its tables, and what was not checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from textwrap import fill
from typing import Any

from ..definitions.descriptions import plain
from ..definitions.known import known_options
from ..definitions.resolution import Choices, ResolvedMetric
from ..dialects import Dialect
from ..dialects.names import quoted, unquoted
from ..inputs.binding import assumed
from ..inputs.columns import SIDES, ColumnSpec
from ..inputs.groups import split_side
from ..plan import Plan
from ..relation import JUDGE, Relation
from ..sources import Rows, sources_of
from ..version import __version__
from .request import Request

# What drivers, consoles and templates read in comments too: a parameter, the end of a statement, a text that begins.
_READ_IN_COMMENTS = r"[^\w .,()=<>/@*+\-\"'`]|/\*|\*/"

# A name or a text in quotes that ends where every reader takes it to end; of others the quotes are left out.
_QUOTED = r"""("[^"'`]*"|'[^"'`]*'|`[^"'`]*`)|["'`]"""

_LONGEST = 70  # characters of what a table is called

# What evaluate asks before, and a text cannot.
UNCHECKED = "The tables are not checked. Of an item that stands twice the best rank and the highest grade count."


def to_comment(text: str) -> str:
    """Return a text that is safe in a comment: one line, quotes in pairs, no characters that clients interpret."""
    plain_text = re.sub(r"(?<=\d):(?=[-.\d])", "=", " ".join(text.split()))
    bare = plain_text.translate(str.maketrans("{}[]", "()()"))
    return re.sub(_QUOTED, lambda found: found[1] or "", re.sub(_READ_IN_COMMENTS, "_", bare))


def header(metrics: Sequence[ResolvedMetric], choices: Choices, what: str, facts: Mapping[str, str]) -> str:
    """Return the comment that says what a statement computes, and what it was written by.

    Args:
        metrics: the metrics of the statement.
        choices: the options; those that differ from the default or the profile are named.
        what: the kind of statement, the dialect and what writes it, in a few words.
        facts: further lines, by what they are about: tables, columns.
    """
    base = {name: option["default"] for name, option in known_options().items()} | dict(choices.of_profile)
    chosen = {name: value for name, value in choices.given.items() if value != base[name]}
    lines = {
        "rankmetrics_sql": f"{__version__}, {what}",
        "metrics": ", ".join(metric.label for metric in metrics),
        "profile": choices.profile or "",
        "options": ", ".join(f"{name}={plain(value)}" for name, value in sorted(chosen.items())),
        **facts,
    }
    return "".join(comment(f"{name} {to_comment(text)}") for name, text in lines.items() if text)


@lru_cache(256)
def comment(line: str) -> str:
    """Return a line as a comment, or as several if it is long."""
    filled = fill(line, 120, initial_indent="-- ", subsequent_indent="--     ", break_on_hyphens=False)
    return f"{filled}\n"


def notes_on(dialect: Dialect) -> str:
    """Return what whoever runs a statement has to know of the engine, as comments."""
    return "".join(map(comment, dialect.notes))


def unchecked(run: Any, qrels: Any, checks: Sequence[str]) -> str:
    """Return the comment that the rows are not checked, and the statements that would check them."""
    sources, n_runs = sources_of(run), len(run) if isinstance(run, Mapping | list | tuple) else 1
    if qrels is None and len(sources) == n_runs and all(isinstance(one, Rows) and one.clean for one in sources):
        return ""
    return comment(UNCHECKED) + "".join(map(comment, checks))


def facts_of_sources(sources: Mapping[str | None, Rows]) -> dict[str, str]:
    """Return the tables, columns and rules of sources, behind the names of their runs if there are several."""
    found: dict[str, list[str]] = {"source": [], "tables": [], "columns": [], "rules": []}
    for name, source in sources.items():
        before = "" if name is None else f"{name}."
        found["source"].append(f"{before[:-1]}={source.label}" if before else source.label)
        found["tables"] += [f"{before}{role}={_cut(_table(relation))}" for role, relation in source.read.items()]
        for kind, named in source.named.items():
            found[kind] += [f"{before}{key}={_written(value)}" for key, value in named.items()]
    return {kind: ", ".join(texts) for kind, texts in found.items()}


def _written(value: Any) -> str:
    """Return a column, several, or a rule, as text."""
    if isinstance(value, Mapping):
        return f"({', '.join(f'{key}={_written(inner)}' for key, inner in value.items())})"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_written, value))})"
    return f"{value:.12g}" if isinstance(value, int | float) else str(value)


def facts(request: Request, plan: Plan) -> dict[str, str]:
    """Return the tables, columns and rules of a statement, and the columns that were neither named nor looked up."""
    sources = plan.sources
    of_sources = facts_of_sources(sources)
    missing = _assumed_columns(plan.spec, plan)
    read = {
        _called(plan, relation): relation
        for relation in (*plan.relations, *([plan.stored_values] if plan.stored_values else []))
        if not relation.is_ours or not sources
    }
    named = [
        f"{relation.side}.{meaning}={relation.shown(unquoted(name))}"
        for relation in plan.relations
        for meaning, columns in relation.columns.items()
        for name in ([columns] if isinstance(columns, str) else columns or ())
        if name != JUDGE
        if f"{relation.side}.{unquoted(name)}" not in missing and not (relation.is_ours and sources)
    ]
    return {
        "source": of_sources["source"],
        "limits": ", ".join(f"{metric}={limit:.12g}" for metric, limit in (request.limits or {}).items()),
        "cap": ", ".join(f"{metric}={_cap(cap)}" for metric, cap in request.caps.items()),
        "tables": ", ".join(
            filter(
                None, [of_sources["tables"], *(f"{name}={_cut(_table(relation))}" for name, relation in read.items())]
            )
        ),
        "columns": ", ".join(filter(None, [of_sources["columns"], *dict.fromkeys(named)])),
        "judge": plan.spec.judge or "",
        "rules": of_sources["rules"],
        "assumed columns": ", ".join([*missing, *_assumed_in_logs(sources)]),
    }


def _called(plan: Plan, relation: Relation) -> str:
    """Return what an input is called: the name of a run, or the argument that it was passed as."""
    if relation.side == "run":
        return relation.name or relation.side
    return "predicted_qrels" if plan.human_qrels is not None and relation is plan.qrels else relation.side


def repeated(plan: Plan, relation: Relation) -> str:
    """Return the statement that finds duplicate items of lists, or judgments; "" if a comment cannot hold it."""
    if relation.facts.clean or relation.role not in ("run", "labelled", "qrels") or relation.expressions:
        return ""
    if plan.options["duplicate_judgments" if relation.side == "qrels" else "duplicates"] != "error":
        return ""
    keys = ", ".join(quoted(name, plan.dialect) for name in relation.keys)
    rows = relation.sql
    if rows.startswith("("):
        rows = f"{' '.join(rows.split())} t"
    line = f"SELECT {keys}, COUNT(*) AS n_rows FROM {rows} GROUP BY {keys} HAVING COUNT(*) > 1"
    return line if to_comment(line) == line else ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _table(relation: Relation) -> str:
    if JUDGE in relation.columns.get("query_id", ()):  # a query of ours over the user's table
        return relation.label
    return "a query" if relation.is_query or relation.sql.startswith("(") else relation.sql


def _assumed_columns(spec: ColumnSpec, plan: Plan) -> list[str]:
    """Return the columns that were neither named nor looked up, each behind its input."""
    unknown = [relation for relation in plan.relations if not relation.is_known and not relation.is_ours]
    said = [f"{side}.{meaning}" for meaning, column in spec.numbers.items() for side in SIDES if _is_said(column, plan)]
    found = [name for relation in unknown for name in assumed(relation, {**spec.columns, **dict.fromkeys(said, "")})]
    if unknown:
        named = [*zip(spec.by, plan.groups, strict=False)]
        named += [(column, plan.groups[-1]) for column in spec.units.values()]
        found += [f"{group.relation}.{unquoted(group.column)}" for column, group in named if not _is_said(column, plan)]
    return [name for name in dict.fromkeys(found) if not name.endswith(f".{JUDGE}")]


def _assumed_in_logs(sources: Mapping[str | None, Rows]) -> Iterator[str]:
    """Yield the columns that a statement reads from tables of a log without having looked them up."""
    for source in sources.values():
        first = next(iter(source.read))
        for name, (argument, side) in source.wanted.items():
            named = {first} if argument in ("arm", "time") else set()  # which the header has already
            both = [first, *(["queries"] if source.knows_requests else [])]
            for place in both if not side else ():
                if place not in named and not source.read[place].is_known:
                    yield f"{place}.{name}"


def _is_said(column: str, plan: Plan) -> bool:
    """Check whether the name of a column includes its relation."""
    return bool(split_side(column, plan.dialect)[0])


def _cap(cap: Mapping[str, float | None]) -> str:
    """Return a cap as users type it."""
    return f"{100 * cap['share']:.12g}%" if cap["share"] is not None else f"{cap['amount']:.12g}"
