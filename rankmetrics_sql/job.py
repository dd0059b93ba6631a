"""One evaluation in a database, from the inputs to the result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .checks import Checked, Checker
from .choices import Choices, ResolvedMetric
from .dialects import quoted, unquoted
from .engines.duckdb import DuckDB
from .errors import DataError, RankmetricsWarning, UsageError, nearest
from .inputs import Reader, Source, check_columns, map_columns, names_subtopics
from .query import Group, Query, check_comparable, check_inputs, check_names, check_subtopics
from .result import Comparison, Curve, Result, Row, Table

# A run is counted rather than sorted where a query has this few judgments (tests/bench shows both).
_MOST_JUDGMENTS_TO_COUNT = 20

_OUTPUT_NAMES = {"run_id": "run", "metric_value": "value"}
_FAULTS = ("n_faults", "n_ties_cut")


class Job:
    """One evaluation in a database, from the inputs to the result."""

    def __init__(
        self,
        engine: DuckDB,
        metrics: Sequence[ResolvedMetric],
        choices: Choices,
        columns: Mapping[str, Any] | None,
        input_format: str | None,
    ) -> None:
        self._engine = engine
        self._options = choices.options
        self._metrics = metrics
        self._columns = columns if columns is not None else {}
        self._ties = {metric.ranking["ties"] for metric in self._metrics}
        self._subtopics = any("subtopics" in metric.needs for metric in self._metrics)
        self._reader = Reader(
            engine,
            input_format,
            keep_order="input" in self._ties,
            subtopics=self._subtopics or names_subtopics(columns),
        )
        self._warnings: list[str] = []

    def read(
        self, kind: str, run: Any, qrels: Any, query_list: Any, by: Sequence[str], level: str = "evaluation"
    ) -> Job:
        """Reads and checks the inputs, for a result of a level that check_names knows."""
        if kind == "run" and qrels is None:
            raise UsageError("No qrels given. A table that carries its labels is scored by labelled().")
        runs = self._reader.runs(run, kind)
        judgments = self._reader.one(qrels, "qrels") if qrels is not None else None
        selected = self._reader.one(query_list, "queries") if query_list is not None else None
        if kind == "labelled" and len(runs) > 1:
            raise UsageError(
                "labelled() scores one table; several systems in it are told apart by columns={'run_id': ...}."
            )
        sources = {"run": runs[0], "qrels": judgments, "queries": selected}
        check_columns(self._columns, {role: source for role, source in sources.items() if source is not None})
        self._build(
            [self._checked(source, kind) for source in runs],
            self._checked(judgments, "qrels") if judgments else None,
            self._checked(selected, "queries") if selected else None,
            by,
            level,
        )
        return self

    def _checked(self, source: Source, role: str) -> Checked:
        position = bool({"rank", "input"} & self._ties) and role in ("run", "labelled")
        mapped = map_columns(source, role, self._columns, position=position, subtopics=self._subtopics)
        return Checked(source, mapped, role)

    def _build(
        self, runs: list[Checked], qrels: Checked | None, selected: Checked | None, by: Sequence[str], level: str
    ) -> None:
        check_inputs(self._options, self._metrics, [run.input for run in runs])
        check_subtopics(self._metrics, [run.input for run in runs], qrels.input if qrels else None)
        sides = {
            "run": [run.source for run in runs],
            "qrels": [qrels.source] if qrels else [],
            "selected": [selected.source] if selected else [],
        }
        labels = runs[0].input.columns["query_id"]
        for checked in (*runs, qrels, selected):
            if checked is not None and len(checked.input.columns["query_id"]) != len(labels):
                raise UsageError(
                    f"{checked.source.label}: a query is named by {len(labels)} columns elsewhere, not here."
                )
        self.query = Query(
            runs=[checked.input for checked in runs],
            metrics=self._metrics,
            options=self._options,
            qrels=qrels.input if qrels else None,
            selected=selected.input if selected else None,
            groups=[_group(column, sides) for column in by],
            check=str(self._options["check"]),
        )
        check_names(self.query, level)
        self._checker = Checker(self._engine, runs, qrels, selected, self.query)
        self._warnings += self._checker.before()
        if self.query.check == "full":
            self._warnings += self._checker.full()
        else:
            part = "only retrieved items with a judgment are" if self.query.check == "judged" else "nothing is"
            self._warnings.append(f"check={self.query.check}: {part} checked for duplicates and bad scores.")
        self.query = replace(self.query, strategy=self._strategy(runs, qrels))

    def _strategy(self, runs: list[Checked], qrels: Checked | None) -> str:
        """The strategy asked for; else counting where a table or file, not a query, has few judgments a query."""
        wanted = str(self._options["strategy"])
        if self._options["position"] == "given":
            return "window"
        if wanted != "auto" or qrels is None or any(run.input.is_query for run in runs) or qrels.input.is_query:
            return "window" if wanted == "auto" else wanted
        return "count" if self._checker.judgments_per_query() <= _MOST_JUDGMENTS_TO_COUNT else "window"

    def result(self) -> Result:
        """Runs the summary; the values per query run when they are asked for."""
        text = self.query.sql("summary")
        columns, rows = self._engine.fetch(text)
        self._warn_of_ties(columns, rows)
        columns, rows = self._accepted(columns, rows)
        self._check_something_scored(columns, rows)
        per_query = self._per_query()
        if self._engine.visiting:  # what it reads will not stay in the user's session
            per_query.fetchall()
        names = {metric.label: metric.column for metric in self._metrics}
        counts = frozenset(metric.label for metric in self._metrics if metric.aggregate == "sum")
        return Result(Table(lambda: text, lambda _: (columns, rows)), per_query, text, self._warn(), names, counts)

    def curve(self) -> Curve:
        """Runs the average of the curve; its values per query run when they are asked for."""
        if self._metrics[0].metric.shape == "curve":
            self.query = replace(self.query, check="none")
            points = Table(lambda: self.query.sql("points"), self._fetched)
            points.fetchall()
            return Curve(None, points, points.sql, self._warn())
        text = self.query.sql("curve")
        columns, rows = self._fetched(text)
        per_query = Table(lambda: self.query.sql("curve_per_query"), self._fetched)
        if self._engine.visiting:
            per_query.fetchall()
        return Curve(Table(lambda: text, lambda _: (columns, rows)), per_query, text, self._warn())

    def _fetched(self, statement: str) -> tuple[list[str], list[Row]]:
        return self._accepted(*self._engine.fetch(statement))

    def _per_query(self) -> Table:
        return Table(lambda: self.query.sql("per_query"), self._fetched)

    def _refuse_without_relevant(self) -> None:
        """Names the queries that no_relevant=error is about: the statement gives them no number.

        Raises:
            DataError: there is one.
        """
        columns, rows = self._engine.fetch(replace(self.query, check="none").sql("per_query"))
        width = len(self.query.query_labels) + (columns[0] == "run_id")
        for metric in (metric for metric in self._metrics if metric.params.get("no_relevant") == "error"):
            values = columns.index(metric.column)
            lacking = [row[:width] for row in rows if row[values] is not None and math.isnan(row[values])]
            if lacking:
                names = ", ".join(" ".join(map(str, row)) for row in lacking[:3])
                some = "1 query has" if len(lacking) == 1 else f"{len(lacking)} queries have"
                raise DataError(
                    f"{metric.label}: {some} no relevant item (no_relevant=error): {names}"
                    f"{' ...' if len(lacking) > 3 else ''}"
                )

    def comparison(self, baseline: str) -> Comparison:
        """Runs the comparison; its statement has no room for faults, so they are looked for before."""
        check_comparable(self._metrics)
        if self.query.check == "judged":
            self._checker.rows()
        text = replace(self.query, baseline=baseline, check="none").sql("compare")
        columns, rows = self._accepted(*self._engine.fetch(text))
        return Comparison(Table(lambda: text, lambda _: (columns, rows)), text, self._warn())

    def _warn(self) -> list[str]:
        for message in self._warnings:
            warnings.warn(message, RankmetricsWarning, stacklevel=4)
        return self._warnings

    def _accepted(self, columns: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
        """The result without the columns that count faults, in the order of the runs.

        Raises:
            DataError: a judged row is at fault, or a value is beyond what a double can hold.
        """
        places = {name: columns.index(name) for name in _FAULTS if name in columns}
        if "n_faults" in places and any(row[places["n_faults"]] for row in rows):
            self._checker.rows()
            raise DataError("Some judged rows were duplicated or without a score, and then were not.")
        width = len(columns) - len(places)
        for row in rows:
            if any(isinstance(value, float) and not math.isfinite(value) for value in row):
                self._refuse_without_relevant()
                raise DataError(f"A value is not a finite number; are grades or parameters too large? {row[:width]}")
        names = [_OUTPUT_NAMES.get(name, name) for name in columns[:width]]
        order = {run.name: number for number, run in enumerate(self.query.runs)}
        if len(order) > 1:
            rows = sorted(rows, key=lambda row: order[row[0]])
        return names, [row[:width] for row in rows]

    def _warn_of_ties(self, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """From the summary, whose rows repeat the count of their run and group for every metric."""
        if "n_ties_cut" not in columns:
            return
        place = columns.index("n_ties_cut")
        cutoffs = sorted({int(str(metric.params["k"])) for metric in self._metrics if metric.params.get("k")})
        by_run: dict[str, int] = {}
        for row in rows:
            label = f"{row[0]}: " if columns[0] == "run_id" else ""
            by_run[label] = by_run.get(label, 0) + (row[place] or 0)
        for label, repeated in by_run.items():
            n_cut = repeated // len(self._metrics)
            who = "1 query has" if n_cut == 1 else f"{n_cut} queries have"
            where = f"a cutoff ({', '.join(map(str, cutoffs))})"
            if n_cut:
                self._warnings.append(
                    f"{label}{who} items of equal scores on both sides of {where};"
                    f" ties={'/'.join(sorted(map(str, self._ties)))} decides which count."
                )

    def _check_something_scored(self, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Where no query is left there is no number; where all are 0, perhaps no id matches."""
        queries, values = columns.index("n_queries"), columns.index("value")
        if any(row[queries] and row[values] for row in rows):
            return
        if self.query.check != "full":
            self._warnings += self._checker.overlaps()
        if not any(row[queries] for row in rows):
            skipping = " Metrics skip some." if any(metric.skips for metric in self._metrics) else ""
            raise DataError(
                f"No query is left to score by queries={self._options['queries']} and the query list.{skipping}"
            )
        self._warnings += self._checker.strangers()


def _group(column: str, sources: Mapping[str, Sequence[Source]]) -> Group:
    """The relation that has the column: the query list, else the judgments, else the runs, all of them."""
    for relation in ("selected", "qrels", "run"):
        found = [source.find(unquoted(column)) for source in sources[relation]]
        if found and found[0] is not None and None not in found:
            return Group(quoted(unquoted(column)), quoted(found[0]), relation)
    there = [name for side in sources.values() for source in side for name in source.types or ()]
    raise DataError(f"by: no column {column!r} in the query list, the judgments or all runs. {nearest(column, there)}")
