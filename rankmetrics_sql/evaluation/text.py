"""A statement that is only written, for a warehouse that somebody else will ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any

from ..databases import Engine
from ..definitions.catalogue import options
from ..definitions.choices import Choices, ResolvedMetric
from ..definitions.descriptions import plain
from ..dialects import WINDOWED_RECURSION, transpile
from ..dialects.names import in_canonical_text, unquoted
from ..errors import UsageError, nearest, shortened
from ..inputs.reader import SIDES, Source, assumed, check_columns, group_of, map_columns, split_side, text_source
from ..statements.query import CURVES, Group, Input, Query, check_comparable, check_inputs, check_names, check_subtopics
from ..version import __version__


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


class Statement:
    """A statement that is only written.

    Attributes:
        assumed: the columns that nobody named or looked up, once it is written.
    """

    def __init__(
        self,
        metrics: Sequence[ResolvedMetric],
        choices: Choices,
        dialect: str,
        columns: Mapping[str, Any],
        engine: Engine | None = None,
    ) -> None:
        """Prepares to write.

        Args:
            metrics: those that it computes.
            choices: the options.
            dialect: whose SQL.
            columns: the user's names.
            engine: where to look columns up, or None where there is no connection.
        """
        self.assumed: list[str] = []
        self._engine = engine
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
        names = list(map(str, run)) if isinstance(run, Mapping) else [None]
        texts = list(run.values()) if isinstance(run, Mapping) else [run]
        if not texts:
            raise UsageError("run is empty: a mapping has a table or query for the name of each run.")
        sources = {
            "run": [self._source(text, kind, name) for text, name in zip(texts, names, strict=True)],
            "qrels": [self._source(qrels, "qrels")] if qrels is not None else [],
            "queries": [self._source(query_list, "queries")] if query_list is not None else [],
        }
        check_columns(self._columns, {role: found[0] for role, found in sources.items() if found})
        self._check_executable()
        runs = [self._input(source, kind, f"run_{number}") for number, source in enumerate(sources["run"], start=1)]
        judgments = next((self._input(source, "qrels", "qrels") for source in sources["qrels"]), None)
        selected = next((self._input(source, "queries", "queries") for source in sources["queries"]), None)
        groups = [self._group(column, sources) for column in by]
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
            selected=selected,
            groups=groups,
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

    def _source(self, text: Any, kind: str, name: str | None = None) -> Source:
        return text_source(text, kind, self._dialect, name, self._engine)

    def _input(self, source: Source, kind: str, placeholder: str) -> Input:
        mapped = map_columns(
            source, kind, self._columns, self._dialect, position="rank" in self._ties, subtopics=self._subtopics
        )
        if self._engine is None:
            self._assume(assumed(mapped, kind, self._columns))
        if self._dialect == "duckdb":
            return mapped
        self._relations[f"rankmetrics_input_{placeholder}"] = source.relation
        return replace(mapped, relation=f"rankmetrics_input_{placeholder}")

    def _group(self, column: str, sources: Mapping[str, Sequence[Source]]) -> Group:
        sides = {SIDES[role]: found for role, found in sources.items()}
        if self._engine is not None:
            return group_of(column, sides, self._dialect, self._engine.column)
        found = group_of(column, sides, self._dialect, lambda name: in_canonical_text(name, self._dialect))
        if not split_side(column, self._dialect)[0]:
            side = next(role for role, relation in SIDES.items() if relation == found.relation)
            self._assume([f"{side}.{unquoted(found.column)}"])
        return found

    def _assume(self, columns: Sequence[str]) -> None:
        self.assumed += [name for name in columns if name not in self.assumed]
