"""The kinds of chart that each result can plot, the default one, and the rows that each is drawn from."""

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
    """Wrap a method ``plot`` so that an unknown keyword raises and lists the valid ones."""
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
    """Return a chart of an evaluation."""
    from .. import charts

    labels = [check_choice("metric", metric, metrics)] if metric is not None else metrics

    def of_labels() -> list[Record]:
        return [row for row in summary.dicts() if row["metric"] in labels]

    def queries() -> Sequence[Record]:
        in_table = [label for label in labels if label in per_query.columns]
        if not in_table:
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
    return draw_kind(kinds, kind, natural)


def comparison_chart(
    summary: Sequence[Record],
    per_query: Table | None,
    better: Mapping[str, str],
    kind: str | None,
    metric: str | None,
    run: str | None,
) -> Any:
    """Return a chart of a comparison; charts of queries need ``per_query``."""
    from .. import charts

    kinds: dict[str, Callable[[], Any]] = {"effects": lambda: charts.effects(_select(summary, metric=metric, run=run))}
    if per_query is None:
        return draw_kind(kinds, kind, "effects")
    label, name = _first(summary, metric=metric, run=run)
    direction = better.get(label, "higher")
    kinds["differences"] = lambda: charts.differences(_queries_of(per_query, label, name), direction)
    kinds["histogram"] = lambda: charts.histogram(_queries_of(per_query, label, name), direction)
    kinds["against"] = lambda: charts.against(_queries_of(per_query, label, name), direction)
    return draw_kind(kinds, kind, "differences")


def decomposition_chart(summary: Sequence[Record], kind: str | None, metric: str | None, run: str | None) -> Any:
    """Return a chart of a decomposition."""
    from .. import charts

    label, name = _first(summary, metric=metric, run=run)
    kinds = {"contributions": lambda: charts.contributions(_select(summary, metric=label, run=name))}
    return draw_kind(kinds, kind, "contributions")


def movement_chart(summary: Table, kind: str | None, run: str | None, query: Any) -> Any:
    """Return a chart of movements."""
    from .. import charts

    column = summary.columns[2]

    def own() -> list[Record]:
        rows = summary.dicts()
        return _select(rows, run=check_choice("run", run, _distinct(rows, "run")))

    kinds = {
        "beads": lambda: charts.beads(_rows_of_query(own(), column, query), column),
        "judged_share": lambda: charts.judged_share(_judged_shares(own()), along="rank"),
    }
    _check_filter("query", query, kind, "beads")
    return draw_kind(kinds, kind, "beads")


def curve_chart(
    summary: Table | None, per_query: Table, metric: str, along: str, kind: str | None, *, is_judged: bool
) -> Any:
    """Return a chart of a curve; ``judged_share`` needs a metric that counts judged items."""
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
    return draw_kind(kinds, kind, "precision_recall" if "precision_recall" in kinds else "curve")


def all_pairs_chart(summary: Sequence[Record], kind: str | None, metric: str | None) -> Any:
    """Return a chart of all pairs."""
    from .. import charts

    def effects() -> Any:
        return charts.effects(_select(summary, metric=metric, run=None))

    return draw_kind({"effects": effects}, kind, "effects")


def sensitivity_chart(values: Sequence[Record], kind: str | None, metric: str | None) -> Any:
    """Return a chart of values with the ranges that unjudged items and ties leave."""
    from .. import charts

    return draw_kind({"ranges": lambda: charts.ranges(_select(values, metric=metric, run=None))}, kind, "ranges")


def agreement_chart(result: Any, kind: str | None, metric: str | None, judges: Sequence[str] | None) -> Any:
    """Return a chart of how two judges agree."""
    from .. import charts

    a, b = two = _two_judges(result.pairs, judges)
    pair = next(row for row in result.pairs if (row["judge_a"], row["judge_b"]) == two)
    of_pair = [row for row in result.grades if (row.get("judge_a", a), row.get("judge_b", b)) == two]
    taus = [row for row in result.agreement if (row.get("judge_a", a), row.get("judge_b", b)) == two]
    values = [
        {name: row.get(name) for name in ("metric", "run_id")}
        | {f"{side}{end}": row.get(f"{judge}{end}") for side, judge in (("a", a), ("b", b)) for end in _OF_SYSTEM}
        for row in result.values
    ]
    kinds = {
        "confusion": lambda: charts.confusion(of_pair, pair, two),
        "orders": lambda: charts.orders(_select(values, metric=metric, run=None), taus, two),
    }
    _check_filter("metric", metric, kind or "confusion", "orders")
    return draw_kind(kinds, kind, "confusion")


_OF_SYSTEM = ("", "_rank", "_n_queries")


def _two_judges(pairs: Sequence[Record], judges: Sequence[str] | None) -> tuple[str, str]:
    """Return two judges in the order of the result, by default the first two."""
    known = {(row["judge_a"], row["judge_b"]) for row in pairs}
    if judges is None:
        return pairs[0]["judge_a"], pairs[0]["judge_b"]
    two = [] if isinstance(judges, str) else [*map(str, judges)]
    for pair in (tuple(two), tuple(reversed(two))):
        if pair in known:
            return pair
    names = dict.fromkeys(name for row in pairs for name in (row["judge_a"], row["judge_b"]))
    raise UsageError(f"judges= names two of {', '.join(names)}, not {shortened(judges)}.")


def draw_kind(kinds: Kinds, kind: str | None, natural: str) -> Any:
    """Draw a kind of chart, by default the natural one."""
    name = natural if kind is None else kind
    if not isinstance(name, str) or name not in kinds:
        raise UsageError(f"This result has no chart {shortened(name)}. {nearest(str(name), kinds)}")
    return kinds[name]()


def _check_filter(name: str, value: Any, kind: str | None, only: str) -> None:
    """Raise if a filter is given that only another kind of chart uses."""
    if value is not None and kind not in (None, only):
        raise UsageError(f"plot: {name}= works only with plot({only!r}). {shortened(kind)} shows everything.")


def check_choice(what: str, choice: Any, valid: Sequence[Any]) -> Any:
    """Return the matching value, ignoring case, or the first value if none is given."""
    if choice is None and valid:
        return valid[0]
    by_text = {str(value).lower(): value for value in valid}
    match = by_text.get(str(choice).lower())
    if match is None:
        near = nearest(str(choice), map(str, valid), map(str, valid[:20]))
        raise UsageError(f"{what}={shortened(choice)} is not in this result. {near}")
    return match


def _distinct(rows: Iterable[Record], column: str) -> list[Any]:
    return list(dict.fromkeys(row[column] for row in rows))


def _first(rows: Sequence[Record], metric: str | None, run: str | None) -> tuple[Any, Any]:
    """Return the given metric and run, or the first ones."""
    label = check_choice("metric", metric, _distinct(rows, "metric"))
    return label, check_choice("run", run, _distinct(rows, "run"))


def _select(rows: Sequence[Record], *, run: str | None, metric: str | None = None) -> list[Record]:
    """Return the rows of a run and a metric, or of all if None."""
    choices = {"run": run, "metric": metric}
    selected = {
        name: check_choice(name, value, _distinct(rows, name)) for name, value in choices.items() if value is not None
    }
    return [row for row in rows if all(row[name] == value for name, value in selected.items())]


def _queries_of(table: Table, metric: str, run: str) -> list[Record]:
    """Return the queries of one run and metric; filtering before making dictionaries saves time."""
    columns = table.columns
    at_metric, at_run = columns.index("metric"), columns.index("run")
    rows = (row for row in table.fetchall() if row[at_metric] == metric and row[at_run] == run)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _rows_of_query(rows: Sequence[Record], column: str, query: Any) -> list[Record]:
    """Return the rows of a query, by default the one in which most items moved."""
    moved = Counter(dict.fromkeys(_distinct(rows, column), 0))
    moved.update(row[column] for row in rows if row["movement"] != "same")
    name = check_choice(column, query, [name for name, _ in moved.most_common()])
    return [row for row in rows if row[column] == name]


def _judged_shares(rows: Sequence[Record]) -> list[Record]:
    """Return the share of judged items of each run by rank."""
    n_shown: Counter[tuple[Any, int]] = Counter()
    judged: Counter[tuple[Any, int]] = Counter()
    for row in rows:
        for run, rank in ((row["baseline_run"], row["baseline_rank"]), (row["run"], row["candidate_rank"])):
            if rank is not None:
                n_shown[run, rank] += 1
                judged[run, rank] += row["relevance"] is not None
    return [
        {"run_id": run, "x": rank, "y": judged[run, rank] / number, "n_queries": number}
        for (run, rank), number in sorted(n_shown.items(), key=lambda item: item[0][1])
    ]


def has_time(table: Table) -> bool:
    """Return whether the column ``period`` holds days; a column of the user may have that name."""
    from ..charts.drawing import is_day

    if "period" not in table.columns:
        return False
    place = table.columns.index("period")
    return any(is_day(row[place]) for row in table.fetchall())
