"""Which charts a result has, which is its natural one, and the rows that each is drawn from."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from ..errors import UsageError, nearest, shortened
from ..rows import Record
from .tables import Table

Kinds = Mapping[str, Callable[[], Any]]
F = TypeVar("F", bound=Callable[..., Any])


def check_arguments(plot: F) -> F:
    """A method ``plot`` that refuses what it does not choose by: results have metrics, runs or queries, or none."""
    names = [name for name in inspect.signature(plot).parameters if name != "self"]

    @functools.wraps(plot)
    def checked(self: Any, *args: Any, **given: Any) -> Any:
        unknown = next((name for name in given if name not in names), None)
        if unknown is not None:
            valid = " and ".join(", ".join(f"{name}=" for name in names).rsplit(", ", 1))
            raise UsageError(f"plot: a {type(self).__name__} cannot be filtered by {unknown}=. Valid: {valid}.")
        return plot(self, *args, **given)

    return cast(F, checked)


def evaluation_chart(
    summary: Table, per_query: Table, metrics: Sequence[str], kind: str | None, metric: str | None
) -> Any:
    """A chart of an evaluation."""
    from .. import charts

    labels = [check_choice("metric", metric, metrics)] if metric is not None else metrics

    def of_labels() -> list[Record]:
        return [row for row in summary.dicts() if row["metric"] in labels]

    def queries() -> Sequence[Record]:
        known = [label for label in labels if label in per_query.columns]
        if not known:
            raise UsageError(f"{', '.join(labels)}: one value of all queries together, so no query has its own.")
        return per_query.dicts()

    kinds: dict[str, Callable[[], Any]] = {
        "segments": lambda: charts.segments(of_labels()),
        "distribution": lambda: charts.distribution(queries(), labels),
    }
    natural = "segments"
    if has_time(summary):
        kinds["over_time"] = lambda: charts.over_time(of_labels())
        natural = "over_time"
    return drawn(kinds, kind, natural)


def comparison_chart(
    summary: Sequence[Record],
    per_query: Table | None,
    better: Mapping[str, str],
    kind: str | None,
    metric: str | None,
    run: str | None,
) -> Any:
    """A chart of a comparison; per query, too, of pairs with one baseline."""
    from .. import charts

    kinds: dict[str, Callable[[], Any]] = {"effects": lambda: charts.effects(_only(summary, metric=metric, run=run))}
    if per_query is None:
        return drawn(kinds, kind, "effects")
    label, name = _first(summary, metric=metric, run=run)
    direction = better.get(label, "higher")
    kinds["differences"] = lambda: charts.differences(_of(per_query, label, name), direction)
    kinds["histogram"] = lambda: charts.histogram(_of(per_query, label, name), direction)
    kinds["against"] = lambda: charts.against(_of(per_query, label, name), direction)
    return drawn(kinds, kind, "differences")


def decomposition_chart(summary: Sequence[Record], kind: str | None, metric: str | None, run: str | None) -> Any:
    """A chart of a decomposition."""
    from .. import charts

    label, name = _first(summary, metric=metric, run=run)
    kinds = {"contributions": lambda: charts.contributions(_only(summary, metric=label, run=name))}
    return drawn(kinds, kind, "contributions")


def movement_chart(summary: Table, kind: str | None, run: str | None, query: Any) -> Any:
    """A chart of movements."""
    from .. import charts

    column = summary.columns[2]

    def own() -> list[Record]:
        rows = summary.dicts()
        return _only(rows, run=check_choice("run", run, _distinct(rows, "run")))

    kinds = {
        "beads": lambda: charts.beads(_of_query(own(), column, query), column),
        "judged_share": lambda: charts.judged_share(_judged(own()), along="rank"),
    }
    _of_that_kind("query", query, kind, "beads")
    return drawn(kinds, kind, "beads")


def curve_chart(
    summary: Table | None, per_query: Table, metric: str, along: str, kind: str | None, *, is_judged: bool
) -> Any:
    """A chart of a curve.

    Raises:
        UsageError: there is no such chart of it; a share of judged items is one of a metric that counts these.
    """
    from .. import charts

    if kind == "judged_share" and not is_judged:
        raise UsageError(
            f"This result is a curve of {metric}, which is no judged share. Pass the metric judged:"
            ' rm.curve(run, qrels, "judged").'
        )

    kinds: dict[str, Callable[[], Any]] = {}
    if summary is not None:
        kinds["curve"] = lambda: charts.curve(summary.dicts(), metric or "metric", along or "k")
    if summary is None or along == "recall":
        kinds["precision_recall"] = lambda: charts.precision_recall(
            per_query.dicts(), None if summary is None else summary.dicts()
        )
    elif is_judged:
        kinds["judged_share"] = lambda: charts.judged_share(summary.dicts())
    return drawn(kinds, kind, "precision_recall" if "precision_recall" in kinds else "curve")


def of_pairs(summary: Sequence[Record], kind: str | None, metric: str | None) -> Any:
    """A chart of all pairs."""
    from .. import charts

    def effects() -> Any:
        return charts.effects(_only(summary, metric=metric, run=None))

    return drawn({"effects": effects}, kind, "effects")


def sensitivity_chart(values: Sequence[Record], kind: str | None, metric: str | None) -> Any:
    """A chart of the values of systems under what is not known."""
    from .. import charts

    return drawn({"ranges": lambda: charts.ranges(_only(values, metric=metric, run=None))}, kind, "ranges")


def agreement_chart(
    grades: Sequence[Record],
    judgments: Record,
    values: Sequence[Record],
    agreement: Sequence[Record],
    kind: str | None,
    metric: str | None,
) -> Any:
    """A chart of how judgments agree."""
    from .. import charts

    kinds = {
        "confusion": lambda: charts.confusion(grades, judgments),
        "orders": lambda: charts.orders(_only(values, metric=metric, run=None), agreement),
    }
    _of_that_kind("metric", metric, kind or "confusion", "orders")
    return drawn(kinds, kind, "confusion")


def drawn(kinds: Kinds, kind: str | None, natural: str) -> Any:
    """The chart that is asked for, or the natural one.

    Raises:
        UsageError: this result has no such chart.
    """
    name = natural if kind is None else kind
    if not isinstance(name, str) or name not in kinds:
        raise UsageError(f"This result has no chart {shortened(name)}. {nearest(str(name), kinds)}")
    return kinds[name]()


def _of_that_kind(name: str, value: Any, kind: str | None, only: str) -> None:
    """Refuses to choose what a chart of another kind does not show by itself.

    Raises:
        UsageError: something is chosen, and the chart is another.
    """
    if value is not None and kind not in (None, only):
        raise UsageError(f"plot: {name}= works only with plot({only!r}). {shortened(kind)} shows everything.")


def check_choice(what: str, given: Any, valid: Sequence[Any]) -> Any:
    """One of the values: the first where none is given.

    Raises:
        UsageError: it is none of them.
    """
    if given is None and valid:
        return valid[0]
    by_text = {str(value).lower(): value for value in valid}
    found = by_text.get(str(given).lower())
    if found is None:
        near = nearest(str(given), map(str, valid), map(str, valid[:20]))
        raise UsageError(f"{what}={shortened(given)} is not in this result. {near}")
    return found


def _distinct(rows: Iterable[Record], column: str) -> list[Any]:
    return list(dict.fromkeys(row[column] for row in rows))


def _first(rows: Sequence[Record], metric: str | None, run: str | None) -> tuple[Any, Any]:
    """The metric and the run that are asked for, or the first."""
    label = check_choice("metric", metric, _distinct(rows, "metric"))
    return label, check_choice("run", run, _distinct(rows, "run"))


def _only(rows: Sequence[Record], *, run: str | None, metric: str | None = None) -> list[Record]:
    """The rows of a run and a metric, of all where none is given."""
    given = {"run": run, "metric": metric}
    wanted = {
        name: check_choice(name, value, _distinct(rows, name)) for name, value in given.items() if value is not None
    }
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def _of(table: Table, metric: str, run: str) -> list[Record]:
    """The queries of one run and metric; of others no dictionaries are made."""
    columns = table.columns
    at_metric, at_run = columns.index("metric"), columns.index("run")
    rows = (row for row in table.fetchall() if row[at_metric] == metric and row[at_run] == run)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _of_query(rows: Sequence[Record], column: str, query: Any) -> list[Record]:
    """The rows of a query, by default of the one in which most items moved."""
    moved = Counter(dict.fromkeys(_distinct(rows, column), 0))
    moved.update(row[column] for row in rows if row["movement"] != "same")
    name = check_choice(column, query, [name for name, _ in moved.most_common()])
    return [row for row in rows if row[column] == name]


def _judged(rows: Sequence[Record]) -> list[Record]:
    """For both runs and each rank, the share of the queries' items that somebody judged."""
    shown: Counter[tuple[Any, int]] = Counter()
    judged: Counter[tuple[Any, int]] = Counter()
    for row in rows:
        for run, rank in ((row["baseline_run"], row["baseline_rank"]), (row["run"], row["candidate_rank"])):
            if rank is not None:
                shown[run, rank] += 1
                judged[run, rank] += row["relevance"] is not None
    return [
        {"run_id": run, "x": rank, "y": judged[run, rank] / number, "n_queries": number}
        for (run, rank), number in sorted(shown.items(), key=lambda item: item[0][1])
    ]


def has_time(table: Table) -> bool:
    """Whether the rows have a column of days because of periods; a column of the user's may have that name."""
    from ..charts.drawing import is_day

    if "period" not in table.columns:
        return False
    place = table.columns.index("period")
    return any(is_day(row[place]) for row in table.fetchall())
