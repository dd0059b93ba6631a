"""A statement that is only written, for a warehouse that somebody else will ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any

from .catalogue import options
from .choices import Choices, ResolvedMetric
from .dialects import WINDOWED_RECURSION, transpile
from .errors import UsageError, nearest
from .inputs import SIDES, check_columns, map_columns, split_side, text_source
from .names import in_canonical_text
from .query import CURVES, Group, Input, Query, check_comparable, check_inputs, check_names, check_subtopics
from .reference import plain
from .spec import shortened


def header(metrics: Sequence[ResolvedMetric], choices: Choices, what: str) -> str:
    """A comment that says what a statement computes, and what it was written by.

    Args:
        metrics: those that are computed.
        choices: of which those that are not the default, or that win over the profile, are named.
        what: the kind of statement and the dialect, in a few words.
    """
    from . import __version__

    base = {name: option.default for name, option in options().items()} | dict(
        choices.profile.options if choices.profile else {}
    )
    chosen = {name: value for name, value in choices.given.items() if value != base[name]}
    lines = {
        "rankmetrics_sql": f"{__version__}, {what}",
        "metrics": ", ".join(" ".join(metric.label.split()) for metric in metrics),
        "profile": choices.profile.name if choices.profile else "",
        "options": ", ".join(f"{name}={plain(value)}" for name, value in sorted(chosen.items())),
    }
    comments = [
        fill(f"{name} {text}", 120, initial_indent="-- ", subsequent_indent="--     ", break_on_hyphens=False)
        for name, text in lines.items()
        if text
    ]
    return "\n".join(comments) + "\n"


class Statement:
    """A statement that is only written."""

    def __init__(
        self,
        metrics: Sequence[ResolvedMetric],
        choices: Choices,
        dialect: str,
        columns: Mapping[str, Any],
    ) -> None:
        self._options = choices.options
        self._metrics = metrics
        self._ties = {metric.ranking["ties"] for metric in self._metrics}
        self._subtopics = any("subtopics" in metric.needs for metric in metrics)
        self._dialect = dialect
        self._columns = columns
        self._relations: dict[str, str] = {}

    def write(
        self,
        run: Any,
        qrels: str | None,
        kind: str,
        query_list: str | None,
        by: Sequence[str],
        level: str,
        baseline: str | None,
    ) -> str:
        """The statement."""
        if qrels is None and kind == "run":
            raise UsageError("qrels is missing: the table or query with the judgments.")
        if run is None:
            raise UsageError("run is missing: the table or query with the retrieved items.")
        check_columns(self._columns, {})
        self._check_executable()
        names = list(map(str, run)) if isinstance(run, Mapping) else [None]
        texts = list(run.values()) if isinstance(run, Mapping) else [run]
        if not texts:
            raise UsageError("run is empty: a mapping has a table or query for the name of each run.")
        runs = [
            self._input(text, kind, f"run_{number}", name)
            for number, (text, name) in enumerate(zip(texts, names, strict=True), start=1)
        ]
        judgments = self._input(qrels, "qrels", "qrels") if qrels is not None else None
        check_inputs(self._options, self._metrics, runs)
        check_subtopics(self._metrics, runs, judgments)
        if level == "compare":
            check_comparable(self._metrics)
            if len(runs) < 2:
                raise UsageError("compare needs at least two runs, by name.")
        if baseline is not None and (not isinstance(baseline, str) or baseline not in names):
            hint = nearest(baseline if isinstance(baseline, str) else "", [name for name in names if name is not None])
            raise UsageError(f"There is no run called {shortened(baseline)}. {hint}")
        query = Query(
            runs=runs,
            metrics=self._metrics,
            options=self._options,
            qrels=judgments,
            selected=self._input(query_list, "queries", "queries") if query_list is not None else None,
            groups=[self._group(column, kind) for column in by],
            baseline=baseline if baseline is not None else names[0],
            strategy="count" if self._options["strategy"] == "count" else "window",
            recurses=self._dialect in WINDOWED_RECURSION,
        )
        check_names(query, level if level in ("compare",) else "curve" if level in CURVES else "evaluation")
        text = query.sql(level)
        return text if self._dialect == "duckdb" else transpile(text, self._dialect, self._relations)

    def _check_executable(self) -> None:
        """What needs more than the text of one statement."""
        for metric in self._metrics:
            if metric.params.get("no_relevant") == "error":
                raise UsageError("no_relevant=error needs an evaluation; a statement cannot refuse. Take null or skip.")
        if "input" in self._ties:
            raise UsageError("ties=input: a table has no order. Take ties=rank and name the column that has it.")

    def _input(self, text: Any, kind: str, placeholder: str, name: str | None = None) -> Input:
        source = text_source(text, kind, self._dialect, name)
        mapped = map_columns(
            source, kind, self._columns, self._dialect, position="rank" in self._ties, subtopics=self._subtopics
        )
        if self._dialect == "duckdb":
            return mapped
        self._relations[f"rankmetrics_input_{placeholder}"] = source.relation
        return replace(mapped, relation=f"rankmetrics_input_{placeholder}")

    def _group(self, column: str, kind: str) -> Group:
        side, name = split_side(column, self._dialect)
        side = side or ("run" if kind == "labelled" else "qrels")
        if side not in SIDES:
            raise UsageError(
                f"by: {column!r}: only {', '.join(f'{known}.' for known in SIDES)} may stand before a column."
            )
        column = in_canonical_text(name, self._dialect)
        return Group(column, column, SIDES[side])
