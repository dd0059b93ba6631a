"""Run the statements of a plan and check their rows before they are returned."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..checks import InputInspector
from ..checks.rows import check_rows
from ..definitions.resolution import refuse
from ..engines import Engine
from ..errors import DataError, UsageError, nearest
from ..plan import Plan
from ..progress import doing, shown
from ..relation import Relation
from ..results.base import SaveResult
from ..results.tables import Table, is_finite, rename_columns, sum_column
from ..rows import Replace, Row
from ..sources import Rows as Source
from .request import Request

_FAULTS = ("n_faults", "n_unweighted", "n_judged_first", "n_groups_left_out", "n_groups_in_order")
_HIDDEN = (*_FAULTS, "largest_spread", "n_unpredicted", "apart")  # what only warnings read
_DOUBLES = (
    "largest_spread",
    "cap",
    *("value", "sum_of_weights", "x", "y", "baseline", "candidate", "standard_error", "ci_lower", "ci_upper"),
    *("statistic", "pvalue", "pvalue_adj", "confidence_level", "margin", "std_effect_size", "prob_superiority"),
    *("effect_low", "effect_high", "judged_baseline", "judged_candidate"),
    *("min_detectable_effect", "variance_reduction", "largest_cluster_share", "largest_weight_share"),
    "degrees_of_freedom",
    *("human_value", "predicted_value", "human_effect_size", "predicted_effect_size", "effective_n", "apart"),
    *("bias", "bias_ci_lower", "bias_ci_upper", "ppi_lambda", "baseline_ppi_lambda"),
    *("ranking", "mix", "entered_or_left", "contribution", "relevance"),
    *(f"{of}effect_size{end}" for of in ("", "rel_") for end in ("", "_ci_lower", "_ci_upper")),
)
_COUNTS = (
    *(*_FAULTS, "n_queries", "n_higher", "n_ties", "n_lower", "n_left_out", "n_units", "significant"),
    *("n_clusters", "n_queries_needed", "n_strata", "n_outside_strata"),
    *("n_human", "n_predicted", "n_unpredicted"),
    *("n_baseline", "n_candidate", "baseline_rank", "candidate_rank"),
)

_OF_WHAT = ("run", "run_id", "baseline_run", "metric")

Rows = tuple[list[str], Sequence[Row]]


@dataclass(frozen=True)
class Evaluation:
    """A plan over checked inputs, in the database that runs its statements.

    Attributes:
        request: what was asked for.
        database: where the statements run.
        plan: what they compute.
        inspector: finds out what is wrong with the inputs if a statement counts faults.
        warnings: what may make a number mean less than it seems.
        check: what was checked, as in ``Result.check``.
    """

    request: Request
    database: Engine
    plan: Plan
    inspector: InputInspector
    warnings: list[str]
    check: str

    @property
    def source(self) -> Source | None:
        """Return the source in place of all runs, if there is one."""
        return self.plan.sources.get(None)

    @property
    def run_name(self) -> str:
        """Return what people call the runs: the arms of a log."""
        return "arm" if self.source is not None and self.source.has_arms else "run_id"

    def with_checked_rows(self) -> Evaluation:
        """Check the rows now, for statements whose results have no column for faults."""
        if self.plan.check == "judged":
            check_rows(self.inspector, exact=True)
        return replace(self, plan=replace(self.plan, check="none"))

    def run(self, text: str) -> tuple[list[str], list[Row]]:
        """Run a statement and check its rows; the columns have the names that users see."""
        return self.accept(*self.run_raw(text))

    def run_raw(self, text: str) -> Rows:
        """Run a statement and return its rows as they come, with Python's numbers."""
        with shown(self.database.progress), doing("ranking and joining"):
            columns, rows = self.database.run(text)
        numbers = self._numbers
        types = {place: numbers[name] for place, name in enumerate(columns) if name in numbers}
        return columns, self.database.as_numbers(rows, types)

    def accept(self, columns: Sequence[str], rows: Sequence[Row]) -> tuple[list[str], list[Row]]:
        """Check the rows; return them without the columns for warnings, in the order of the runs."""
        places = {name: columns.index(name) for name in _HIDDEN if name in columns}
        if "n_faults" in places and any(row[places["n_faults"]] for row in rows):
            self._refuse_faults()
        width = len(columns) - len(places)
        for row in rows:
            if any(isinstance(value, float) and not math.isfinite(value) for value in row):
                self._refuse_without_relevant()
                raise DataError(
                    "A value is not a finite number; are scores, grades or parameters too large?"
                    f" {_where(columns[:width], row)}"
                )
        names = [self._labels.get(name, name) for name in columns[:width]]
        order = {name: number for number, name in enumerate(self.run_names)}
        if len(order) > 1:
            rows = sorted(rows, key=lambda row: order[row[0]])
        return names, [row[:width] for row in rows]

    def text_to_show(self, level: str) -> str:
        """Return the statement for users: it runs by itself, or names the tables that are gone by then."""
        text = self.plan.from_source.text(level)
        lost = [name for name in self.database.loaded_objects if name in text]
        return "".join(f"-- {name} is a Python object that was loaded for this call only\n" for name in lost) + text

    def table(self, level: str) -> Table:
        """Return the rows of a level, computed when they are first read, or now if the inputs will be gone by then."""
        order = [name for name in self.run_names if name is not None]
        plan = self.plan.without_temp_tables
        table = Table(lambda: plan.text(level), self.run, self._streamed, order)
        stays = plan.stored_values is None and all(relation.is_permanent for relation in plan.relations)
        if self.database.visiting and not stays:
            table.fetchall()
        return table

    def saver(self, levels: Mapping[str, str]) -> SaveResult:
        """Return the function that stores the result in the database, with the statement of each of its levels."""
        plain = replace(self.plan.without_temp_tables, check="none", tells_of_tails=False, counts_left_out=False)

        def save(kind: str, name: str, level: str, replacing: Replace) -> None:
            if level not in levels:
                raise UsageError(f"Unknown level {level!r} of this result. {nearest(str(level), levels)}")
            self._check_stays(kind)
            with shown(self.database.progress), doing(f"storing {name}"):
                self.database.create(kind, name, plain.text(levels[level]), replace=replacing)

        return save

    @property
    def run_names(self) -> list[str | None]:
        """Return the names of the runs, None for a single one; of one table, if all pairs of its runs are compared."""
        return [*self.plan.names_of_pairs] or [run.name for run in self.plan.runs]

    @property
    def _labels(self) -> dict[str, str]:
        """Return the headers that users see, the metrics as typed, by the names of columns in SQL."""
        return {metric.column: metric.label for metric in self.plan.metrics}

    @property
    def _numbers(self) -> dict[str, type]:
        columns = [metric.column for metric in self.plan.metrics]
        doubles = (*_DOUBLES, *columns, *(f"predicted_{column}" for column in columns))
        return dict.fromkeys(doubles, float) | dict.fromkeys(_COUNTS, int)

    def _streamed(self, text: str, size: int) -> Iterator[Any]:
        """Yield the rows as Arrow record batches, checked as in ``accept``."""
        with contextlib.closing(self.database.batches(text, size)) as batches:
            for batch in batches:
                if "n_faults" in batch.schema.names and sum_column(batch, "n_faults"):
                    batches.close()  # the connection is needed
                    self._refuse_faults()
                renamed = rename_columns(batch, self._labels, _HIDDEN, self._numbers)
                if not is_finite(renamed):
                    batches.close()
                    self._refuse_without_relevant()
                    raise DataError("A value is not a finite number; are grades or parameters too large?")
                yield renamed

    def _check_stays(self, kind: str) -> None:
        """Raise if a table or view in the database would read an input that is not there."""
        if self.plan.stored_values is not None:
            raise UsageError(f"A {kind} needs one statement, and partitions= runs several. Omit partitions=.")
        refuse_temporary(kind, self.database, self.plan.relations)
        for metric in self.plan.metrics if kind == "view" else ():
            refuse("view", metric.facts)

    def _refuse_faults(self) -> None:
        check_rows(self.inspector, exact=True)
        raise DataError("Some judged rows were duplicated or without a score, and then were not.")

    def _refuse_without_relevant(self) -> None:
        """Raise for queries without a relevant item if no_relevant=error, for which statements give NaN."""
        asking = [metric for metric in self.plan.metrics if metric.params.get("no_relevant") == "error"]
        if not asking:
            return
        columns, rows = self.database.run(replace(self.plan, check="none").text("per_query"))
        width = len(self.plan.query_labels) + (columns[0] == "run_id")
        for metric in asking:
            values = columns.index(metric.column)
            without_relevant = [row[:width] for row in rows if row[values] is not None and math.isnan(row[values])]
            if without_relevant:
                names = ", ".join(" ".join(map(str, row)) for row in without_relevant[:3])
                some = "1 query has" if len(without_relevant) == 1 else f"{len(without_relevant)} queries have"
                raise DataError(
                    f"{metric.label}: {some} no relevant item (no_relevant=error): {names}"
                    f"{' ...' if len(without_relevant) > 3 else ''}"
                )


def refuse_empty(rows: Sequence[Row], names: Sequence[str | None], reason: str) -> None:
    """Raise if a result has no rows, or none for a named run, whose name its rows begin with."""
    empty_runs = [name for name in names if name is not None and all(row[0] != name for row in rows)]
    if rows and empty_runs:
        raise DataError(f"{', '.join(empty_runs)}: {reason}")
    if not rows:
        raise DataError(reason[0].upper() + reason[1:])


def computed_table(text: str, columns: list[str], rows: list[Row]) -> Table:
    """Return the rows of a statement that has run as a table."""
    return Table(lambda: text, lambda _: (columns, rows))


def refuse_temporary(kind: str, database: Engine, relations: Sequence[Relation]) -> None:
    """Raise if a table or view of a database would read what is not in it for good."""
    if database.is_ours:
        raise UsageError(f"A {kind} is created in the database of the inputs. Pass it as connection=.")
    temporary = [relation.label for relation in relations if not relation.is_permanent]
    if temporary:
        raise UsageError(
            f"{', '.join(temporary)}: a {kind} in the database can read only its tables, not files, Python"
            " objects or temporary data. Load them as tables first."
        )


def _where(columns: Sequence[str], row: Row) -> str:
    """Describe the first number of a row that is not finite, with its run and metric."""
    place = next(i for i, value in enumerate(row) if isinstance(value, float) and not math.isfinite(value))
    keys = [f"{name} {value}" for name, value in zip(columns, row, strict=False) if name in _OF_WHAT]
    what = columns[place] if place < len(columns) else "a count"
    return f"({', '.join([*keys, f'{what} {row[place]}'])})"
