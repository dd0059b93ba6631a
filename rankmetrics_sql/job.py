"""One evaluation in a database, from the inputs to the result."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .catalogue import resolve_metrics, resolve_options
from .checks import Checked, Checker
from .dialects import identifier, unquoted
from .engines.duckdb import DuckDB
from .errors import DataError, RankmetricsWarning, UsageError, nearest
from .inputs import Reader, Source, check_columns, map_columns
from .query import Group, Query, check_group_names
from .result import Comparison, Result, Table

# A run is counted rather than sorted where a query has this few judgments (tests/bench shows both).
_MOST_JUDGMENTS_TO_COUNT = 20

_OUTPUT_NAMES = {"run_id": "run", "metric_value": "value"}
_FAULTS = ("n_faults", "n_ties_cut")


class Job:
    """One evaluation in a database, from the inputs to the result."""

    def __init__(
        self,
        engine: DuckDB,
        metrics: str | Iterable[str],
        options: Mapping[str, Any],
        profile: str | None,
        columns: Mapping[str, Any] | None,
        input_format: str | None,
    ) -> None:
        self._engine = engine
        self._options = resolve_options(options, profile)
        self._metrics = resolve_metrics(metrics, self._options)
        self._columns = dict(columns or {})
        self._reader = Reader(engine, input_format)
        self._warnings: list[str] = []
        # The result's tables hold on to this job, so what was loaded lasts as long as they do.
        weakref.finalize(self, engine.forget, self._reader.left)

    def read(self, kind: str, run: Any, qrels: Any, query_list: Any, by: Sequence[str]) -> Job:
        """Reads and checks the inputs."""
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
        position = self._options["ties"] == "rank"
        mapped = [Checked(source, map_columns(source, kind, self._columns, position=position), kind) for source in runs]
        truth = Checked(judgments, map_columns(judgments, "qrels", self._columns), "qrels") if judgments else None
        self._build(mapped, truth, selected, by)
        return self

    def _build(self, runs: list[Checked], qrels: Checked | None, selected: Source | None, by: Sequence[str]) -> None:
        _check_options(self._options, runs)
        sides = {"run": runs[0].source, "qrels": qrels.source if qrels else None, "selected": selected}
        labels = runs[0].input.columns["query_id"]
        for checked in [*runs, *([qrels] if qrels else [])]:
            if len(checked.input.columns["query_id"]) != len(labels):
                raise UsageError("A query must be named by the same number of columns in the run and the qrels.")
        self.query = Query(
            runs=[checked.input for checked in runs],
            metrics=self._metrics,
            options=self._options,
            qrels=qrels.input if qrels else None,
            selected=map_columns(selected, "queries", self._columns) if selected else None,
            groups=[_group(column, sides) for column in by],
            query_labels=labels if len(labels) > 1 else ["query_id"],
            check=str(self._options["check"]),
        )
        check_group_names(self.query)
        self._checker = Checker(self._engine, runs, qrels, self.query)
        self._checker.before()
        if self.query.check == "full":
            self._warnings += self._checker.full()
        else:
            part = "only judged items are" if self.query.check == "judged" else "nothing is"
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
        columns, rows = self._without_faults(columns, rows)
        self._check_nothing_in_common(columns, rows)
        order = {name: number for number, name in enumerate(run.name for run in self.query.runs)}
        if columns[0] == "run" and len(order) > 1:
            rows.sort(key=lambda row: order[row[0]])
        per_query = Table(
            lambda: self.query.sql("per_query"), lambda statement: self._without_faults(*self._engine.fetch(statement))
        )
        names = {metric.label: metric.column for metric in self._metrics}
        return Result(Table(lambda: text, lambda _: (columns, rows)), per_query, text, self._warn(), names)

    def comparison(self, baseline: str) -> Comparison:
        """Runs the comparison."""
        text = replace(self.query, baseline=baseline, check="none").sql("compare")
        columns, rows = self._engine.fetch(text)
        table = Table(lambda: text, lambda _: ([_OUTPUT_NAMES.get(name, name) for name in columns], rows))
        order = {run.name: number for number, run in enumerate(self.query.runs)}
        rows.sort(key=lambda row: order[row[0]])
        return Comparison(table, text, self._warn())

    def _warn(self) -> list[str]:
        for message in self._warnings:
            warnings.warn(message, RankmetricsWarning, stacklevel=4)
        return self._warnings

    def _without_faults(
        self, columns: list[str], rows: Sequence[tuple[Any, ...]]
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Takes the columns that count faults off the result, and refuses or warns by what they say."""
        places = {name: columns.index(name) for name in _FAULTS if name in columns}
        if "n_faults" in places and any(row[places["n_faults"]] for row in rows):
            self._checker.rows()
            raise DataError(
                "Some judged rows were duplicated or without a score, and then were not: is the input changing?"
            )
        self._warn_of_ties(rows, places.get("n_ties_cut"))
        width = len(columns) - len(places)
        return [_OUTPUT_NAMES.get(name, name) for name in columns[:width]], [row[:width] for row in rows]

    def _warn_of_ties(self, rows: Sequence[tuple[Any, ...]], place: int | None) -> None:
        """Once, from the summary, whose rows repeat the count of their run and group for every metric."""
        if place is None or any("equal scores" in warning for warning in self._warnings):
            return
        cut = sum(row[place] or 0 for row in rows) // len(self._metrics)
        if cut:
            rule = self._options["ties"]
            self._warnings.append(
                f"{cut:,} {'query has' if cut == 1 else 'queries have'} items of equal scores on both sides of"
                f" a cutoff k; ties={rule} decides which of them count."
            )

    def _check_nothing_in_common(self, columns: list[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Where all is 0 and nothing was looked at before, the likeliest cause is that no query id matches."""
        place = columns.index("value")
        if self.query.check != "full" and not any(row[place] for row in rows):
            self._warnings += self._checker.overlaps()


def _check_options(chosen: Mapping[str, Any], runs: Sequence[Checked]) -> None:
    """Refuses options that contradict each other or the input."""
    has_score = all(run.input.columns.get("score") for run in runs)
    if any(bool(run.input.columns.get("score")) != has_score and runs[0].input.columns.get("score") for run in runs):
        raise UsageError(
            "Some runs have scores and some have positions only; give each a position with columns={'position': ...}."
        )
    if chosen["position"] == "given" and has_score:
        raise UsageError(
            "position=given needs a run with positions instead of scores; name them with columns={'position': ...}."
        )
    if chosen["position"] == "given" and chosen["strategy"] == "count":
        raise UsageError("strategy=count finds ranks; position=given has them. Give one of the two.")


def _group(column: str, sources: Mapping[str, Source | None]) -> Group:
    """The relation that has the column: the query list, else the judgments, else the run."""
    there: list[str] = []
    for relation in ("selected", "qrels", "run"):
        source = sources[relation]
        found = source.find(unquoted(column)) if source is not None else None
        if found is not None:
            return Group(identifier(unquoted(column)), identifier(found), relation)
        there += list(source.types or ()) if source is not None else []
    raise DataError(f"by: no column {column!r} in the run, the judgments or the query list. {nearest(column, there)}")
