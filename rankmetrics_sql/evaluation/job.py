"""One evaluation in a database, from the inputs to the result."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..databases import Engine
from ..definitions.choices import Choices, ResolvedMetric, asked_as, trec_eval_name
from ..dialects.names import unquoted
from ..errors import DataError, RankmetricsWarning, UsageError, nearest
from ..inputs.reader import SIDES, Reader, Source, check_columns, group_of, map_columns, names_subtopics
from ..results import arrow
from ..results.result import Comparison, Curve, Leave, Result, Row, Table
from ..statements.query import Group, Query, check_comparable, check_inputs, check_names, check_subtopics
from .checks import Checked, Checker, check_numbers

# A run is counted rather than sorted where a query has this few judgments (tests/bench shows both).
_MOST_JUDGMENTS_TO_COUNT = 20

_OUTPUT_NAMES = {"run_id": "run", "metric_value": "value"}
_FAULTS = ("n_faults", "n_ties_cut")
_DOUBLES = ("metric_value", "baseline", "candidate", "difference", "standard_error", "x", "y")
_COUNTS = (*_FAULTS, "n_queries", "n_higher", "n_ties", "n_lower")


class Job:
    """One evaluation in a database, from the inputs to the result."""

    def __init__(
        self,
        engine: Engine,
        metrics: Sequence[ResolvedMetric],
        choices: Choices,
        columns: Mapping[str, Any] | None,
        input_format: str | None,
    ) -> None:
        self._engine = engine
        self._choices = choices
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
        self._sources: list[Source] = []
        doubles = (*_DOUBLES, *(metric.column for metric in metrics))
        self._numbers: dict[str, type] = dict.fromkeys(doubles, float) | dict.fromkeys(_COUNTS, int)

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
        self._sources = [source for source in (*runs, judgments, selected) if source is not None]
        sources = {"run": runs[0], "qrels": judgments, "queries": selected}
        check_columns(self._columns, {role: source for role, source in sources.items() if source is not None})
        sides = {
            "run": runs,
            "qrels": [judgments] if judgments else [],
            "selected": [selected] if selected else [],
        }
        groups = [group_of(column, sides, self._engine.dialect, self._engine.column) for column in by]
        self._build(
            [self._checked(source, kind, groups) for source in runs],
            self._checked(judgments, "qrels", groups) if judgments else None,
            self._checked(selected, "queries", groups) if selected else None,
            groups,
            level,
        )
        return self

    def _checked(self, source: Source, role: str, groups: Sequence[Group]) -> Checked:
        checked = self._mapped(source, role)
        if source.engine is self._engine:
            return checked
        side = SIDES["run" if role == "labelled" else role]
        columns = [unquoted(group.column) for group in groups if group.relation == side]
        return self._mapped(self._taken(checked, columns), role)

    def _mapped(self, source: Source, role: str) -> Checked:
        position = bool({"rank", "input"} & self._ties) and role in ("run", "labelled")
        mapped = map_columns(source, role, self._columns, position=position, subtopics=self._subtopics)
        return Checked(source, mapped, role)

    def _taken(self, checked: Checked, others: Sequence[str]) -> Source:
        """The source where statements can read it: what evaluations need of it, with numbers as doubles."""
        source, local = checked.source, self._engine.local(checked.source.label)
        check_numbers(local, checked)
        select = checked.select(others)
        types = local.describe(f"({select})")
        name = self._engine.take(checked.role, local, select)
        return replace(source, relation=name, types=types, text_ids=False, engine=self._engine)

    def _build(
        self,
        runs: list[Checked],
        qrels: Checked | None,
        selected: Checked | None,
        groups: Sequence[Group],
        level: str,
    ) -> None:
        check_inputs(self._options, self._metrics, [run.input for run in runs])
        if not self._engine.has_nan and any(metric.params.get("no_relevant") == "error" for metric in self._metrics):
            raise UsageError(
                f"no_relevant=error: {self._engine.dialect} has no NaN to mark such queries with. Take null or skip."
            )
        check_subtopics(self._metrics, [run.input for run in runs], qrels.input if qrels else None)
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
            groups=groups,
            check=str(self._options["check"]),
            recurses=self._engine.recurses,
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
        if wanted == "auto" and not self._engine.counts_judgments:
            return "window"
        if wanted != "auto" or qrels is None or any(run.input.is_query for run in runs) or qrels.input.is_query:
            return "window" if wanted == "auto" else wanted
        return "count" if self._checker.judgments_per_query() <= _MOST_JUDGMENTS_TO_COUNT else "window"

    def result(self) -> Result:
        """Runs the summary; the values per query run when they are asked for."""
        text = self._text("summary")
        columns, rows = self._ran(text)
        self._warn_of_ties(columns, rows)
        columns, rows = self._accepted(columns, rows)
        self._check_scored(columns, rows, self._runs)
        self._warn_of_zeros(columns, rows)
        per_query = self._table("per_query")
        names = {metric.label: metric.column for metric in self._metrics}
        counts = frozenset(metric.label for metric in self._metrics if metric.aggregate == "sum")
        leave = self._leaver({"summary": "summary", "per_query": "per_query"})
        theirs = {metric.label: trec_eval_name(metric) for metric in self._metrics}
        asked = partial(asked_as, asked=self._metrics, choices=self._choices)
        return Result(_ready(text, columns, rows), per_query, text, self._warn(), names, counts, theirs, leave, asked)

    def curve(self) -> Curve:
        """Runs the average of the curve; its values per query run when they are asked for."""
        if self._metrics[0].metric.shape == "curve":
            self.query = replace(self.query, check="none")
            points = self._table("points")
            _refuse_empty(points.fetchall(), self._runs, f"no query has a point of {self._metrics[0].label}.")
            return Curve(None, points, points.sql, self._warn(), self._leaver({"per_query": "points"}))
        text = self._text("curve")
        columns, rows = self._fetched(text)
        self._check_scored(columns, rows, self._runs)
        per_query = self._table("curve_per_query")
        leave = self._leaver({"summary": "curve", "per_query": "curve_per_query"})
        return Curve(_ready(text, columns, rows), per_query, text, self._warn(), leave)

    @property
    def _runs(self) -> list[str | None]:
        """The names of the runs; a single one has none."""
        return [run.name for run in self.query.runs]

    def _text(self, level: str) -> str:
        """The statement as it runs."""
        return self._engine.text(self.query.sql(level))

    def _fetched(self, statement: str) -> tuple[list[str], list[Row]]:
        return self._accepted(*self._ran(statement))

    def _ran(self, statement: str) -> tuple[list[str], Sequence[Row]]:
        columns, rows = self._engine.run(statement)
        types = {place: self._numbers[name] for place, name in enumerate(columns) if name in self._numbers}
        return columns, self._engine.as_numbers(rows, types)

    def _table(self, level: str) -> Table:
        """The rows of a statement that runs when it is asked for, unless what it reads will not stay until then."""
        order = [run.name for run in self.query.runs if run.name is not None]
        table = Table(lambda: self._text(level), self._fetched, self._streamed, order)
        if self._engine.visiting:
            table.fetchall()
        return table

    def _streamed(self, statement: str, size: int) -> Iterator[Any]:
        """The rows as Arrow record batches that pass the checks of ``_accepted``."""
        with contextlib.closing(self._engine.batches(statement, size)) as batches:
            for batch in batches:
                if "n_faults" in batch.schema.names and arrow.count(batch, "n_faults"):
                    batches.close()  # the connection is needed
                    self._refuse_faults()
                found = arrow.renamed(batch, _OUTPUT_NAMES, _FAULTS, self._numbers)
                if not arrow.is_finite(found):
                    batches.close()
                    self._refuse_without_relevant()
                    raise DataError("A value is not a finite number; are grades or parameters too large?")
                yield found

    def _leaver(self, levels: Mapping[str, str], query: Query | None = None) -> Leave:
        """What leaves the result of a level in the database."""
        plain = replace(query if query is not None else self.query, check="none")

        def leave(kind: str, name: str, level: str, replacing: bool) -> None:
            if level not in levels:
                raise UsageError(f"Unknown level {level!r} of this result. {nearest(str(level), levels)}")
            self._check_stays(kind)
            text = self._engine.text(plain.sql(levels[level]))
            self._engine.create(kind, name, text, replace=replacing)

        return leave

    def _check_stays(self, kind: str) -> None:
        """Refuses to leave a statement that reads what is not in the database.

        Raises:
            UsageError: there is such an input, or no database.
        """
        if self._engine.own:
            raise UsageError(f"A {kind} is left in the database of the inputs; give it with connection= or database=.")
        others = [source.label for source in self._sources if not source.stays]
        if others:
            raise UsageError(
                f"{', '.join(others)}: a {kind} in the database can read its tables only, no files, objects or what was"
                " stored for the evaluation."
            )
        if kind == "view" and any(metric.params.get("no_relevant") == "error" for metric in self._metrics):
            raise UsageError("no_relevant=error needs an evaluation; a view cannot refuse. Take null or skip.")

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
        self._warnings += self._checker.pairs(baseline)
        query = replace(self.query, baseline=baseline, check="none")
        text = self._engine.text(query.sql("compare"))
        columns, rows = self._fetched(text)
        self._check_scored(columns, rows, [name for name in self._runs if name != baseline])
        self._warn_of_missing(rows)
        leave = self._leaver({"summary": "compare"}, query)
        return Comparison(_ready(text, columns, rows), text, self._warn(), leave)

    def _warn_of_missing(self, rows: Sequence[Row]) -> None:
        """A comparison has no row for a metric without a pair of values."""
        labels = {label for row in rows for label in row[1:] if isinstance(label, str)}
        for metric in self._metrics:
            if metric.label not in labels:
                self._warnings.append(f"{metric.label}: no query has a value in both runs.")

    def _warn(self) -> list[str]:
        for message in self._warnings:
            warnings.warn(message, RankmetricsWarning, stacklevel=4)
        return self._warnings

    def _refuse_faults(self) -> None:
        self._checker.rows()
        raise DataError("Some judged rows were duplicated or without a score, and then were not.")

    def _accepted(self, columns: Sequence[str], rows: Sequence[Row]) -> tuple[list[str], list[Row]]:
        """The result without the columns that count faults, in the order of the runs.

        Raises:
            DataError: a judged row is at fault, or a value is beyond what a double can hold.
        """
        places = {name: columns.index(name) for name in _FAULTS if name in columns}
        if "n_faults" in places and any(row[places["n_faults"]] for row in rows):
            self._refuse_faults()
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

    def _check_scored(self, columns: Sequence[str], rows: Sequence[Row], names: Sequence[str | None]) -> None:
        """Refuses a result without a number, or without one for one of the runs."""
        place = columns.index("n_queries")
        scored = [row for row in rows if row[place]]
        if self.query.check != "full" and not scored:
            self._warnings += self._checker.overlaps()
        skipping = " Metrics skip some." if any(metric.skips for metric in self._metrics) else ""
        listed = " and the query list" if self.query.selected else ""
        _refuse_empty(
            scored, names, f"no query is left to score by queries={self._options['queries']}{listed}.{skipping}"
        )

    def _warn_of_zeros(self, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Where all values are 0, perhaps no id matches."""
        place = columns.index("value")
        if not any(row[place] for row in rows):
            if self.query.check != "full":
                self._warnings += self._checker.overlaps()
            self._warnings += self._checker.strangers()


def _refuse_empty(rows: Sequence[Row], names: Sequence[str | None], reason: str) -> None:
    """Refuses a result without rows, or without one for a run that has a name, which its rows begin with.

    Raises:
        DataError: it is such a result.
    """
    lacking = [name for name in names if name is not None and all(row[0] != name for row in rows)]
    if rows and lacking:
        raise DataError(f"{', '.join(lacking)}: {reason}")
    if not rows:
        raise DataError(reason[0].upper() + reason[1:])


def _ready(text: str, columns: list[str], rows: list[Row]) -> Table:
    """The rows of a statement that has run."""
    return Table(lambda: text, lambda _: (columns, rows))
