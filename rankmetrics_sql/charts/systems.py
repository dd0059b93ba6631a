"""Charts of runs: values with ranges, rankings by two sets of judgments, and how these agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..rows import Record
from .drawing import (
    LABEL_LIMIT,
    SERIES,
    STEP,
    WIDTH,
    alt,
    below_each_other,
    data,
    distinct,
    is_number,
    name_of,
    nothing,
    require_columns,
    titled,
    with_columns,
    write_count,
)

MOST_SYSTEMS = 40
_BY_UNJUDGED, _BY_TIES = "unjudged items: none to all relevant", "equal scores: worst to best order"
_INKS = {_BY_UNJUDGED: "#a6c8e0", _BY_TIES: SERIES[1]}
_BANDS = {_BY_UNJUDGED: 12, _BY_TIES: 5}  # pixels, so that the narrow one is seen before the wide one
_OF_BOTH = {"a": (SERIES[0], "circle"), "b": (SERIES[1], "square")}


@with_columns("metric", "run_id", "asked", "asked_rank", "low", "high", "worst", "best")
def ranges(rows: Sequence[Record]) -> Any:
    """Draw the values of systems, with their ranges over all grades of unjudged items and all orders of ties.

    Args:
        rows: the rows of ``Sensitivity.values``: ``metric``, ``run_id``, ``asked`` with its rank, ``low``, ``high``,
            ``worst``, ``best``, ``n_queries``.

    Returns:
        For each metric a point for each system within two bands: as unjudged items may be relevant or not, and as
        items with equal scores may be ordered.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    valued = [row for row in rows if is_number(row["asked"])]
    if not valued:
        return nothing("Values of systems", "There is no value to draw.")
    metrics = distinct(row["metric"] for row in valued)
    without_range = [
        f"{metric} has no range over {what}."
        for metric in metrics
        for what, ends in (("unjudged items", ("low", "high")), ("ties", ("worst", "best")))
        if not any(_is_range(row, ends) for row in valued if row["metric"] == metric)
    ]
    title = f"{', '.join(metrics)} with its range, {_of(valued, ('n_queries',))}"
    charts = [_ranges(_best(valued, metric, "asked_rank"), metric) for metric in metrics]
    return titled(
        below_each_other(charts), title, ["Points are the values with your options.", *without_range, _left_out(valued)]
    )


@with_columns("metric", "run_id", "a", "a_rank", "b", "b_rank")
def orders(rows: Sequence[Record], taus: Sequence[Record] = (), names: Sequence[str] = ("a", "b")) -> Any:
    """The values of systems by each of two sets of judgments.

    Args:
        rows: rows of ``Agreement.values``: ``metric``, ``run_id``, ``a`` and ``b`` with their ranks, ``a_n_queries``
            and ``b_n_queries``.
        taus: the rows of ``Agreement.agreement``: ``metric`` and ``tau``.
        names: what a and b are called.

    Returns:
        For each metric two points for each system, with a line between them; the best by the first is above.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.orders", taus, ["metric", "tau"], "taus")
    valued = [row for row in rows if is_number(row["a"]) or is_number(row["b"])]
    if not valued:
        return nothing("Systems by two sets of judgments", "There are no values of systems to draw.")
    metrics = distinct(row["metric"] for row in valued)
    of_order = [
        f"Kendall's tau of the order in {row['metric']} is {row['tau']:.3f}."
        if is_number(row["tau"])
        else f"Orders in {row['metric']} cannot be compared."
        for row in taus
        if row["metric"] in metrics
    ]
    title = f"{', '.join(metrics)} by the judgments {' and '.join(names)}, "
    title += _of(valued, ("a_n_queries", "b_n_queries"))
    charts = [_both(_best(valued, metric, "a_rank"), metric, names) for metric in metrics]
    return titled(below_each_other(charts), title, [*of_order, _left_out(valued)])


def _of(rows: Sequence[Record], columns: Sequence[str]) -> str:
    systems = write_count([len(distinct(row["run_id"] for row in rows))], "system", "systems")
    return f"{systems}, {write_count(row.get(column) for row in rows for column in columns)}"


def _left_out(rows: Sequence[Record]) -> str:
    number = len(distinct(row["run_id"] for row in rows))
    return f"The best {MOST_SYSTEMS} of {number:,} systems." if number > MOST_SYSTEMS else ""


def _best(rows: Sequence[Record], metric: str, rank: str) -> list[Record]:
    """Return the rows of a metric by rank; systems without a rank come last."""
    of_metric = [row for row in rows if row["metric"] == metric]
    return sorted(of_metric, key=lambda row: (row[rank] is None, row[rank] or 0))[:MOST_SYSTEMS]


def _is_range(row: Record, ends: Sequence[str]) -> bool:
    return all(is_number(row[end]) for end in ends)


def _systems(rows: Sequence[Record]) -> Any:
    order = distinct(name_of(row["run_id"]) for row in rows)
    axis = alt().Axis(labelLimit=LABEL_LIMIT, grid=True, gridDash=[1, 3], ticks=False, domain=False)
    return alt().Y("run:N", sort=order, title=None, axis=axis)


def _ranges(rows: Sequence[Record], metric: str) -> Any:
    a, y, scale = alt(), _systems(rows), alt().Scale(zero=False, padding=12)
    layers = []
    for kind, ends in ((_BY_UNJUDGED, ("low", "high")), (_BY_TIES, ("worst", "best"))):
        values = [
            {"run": name_of(row["run_id"]), "kind": kind}
            | {"from": min(row[end] for end in ends), "to": max(row[end] for end in ends)}
            for row in rows
            if _is_range(row, ends)
        ]
        ink = a.Color("kind:N", title=None, scale=a.Scale(domain=[*_INKS], range=[*_INKS.values()]), legend=_below())
        tip = ["run:N", "kind:N", a.Tooltip("from:Q", format=".4f"), a.Tooltip("to:Q", format=".4f")]
        band = a.Chart(data(values)).mark_bar(height=_BANDS[kind])
        layers.append(band.encode(y=y, x=a.X("from:Q", title=metric, scale=scale), x2="to:Q", color=ink, tooltip=tip))
    values_asked = [{"run": name_of(row["run_id"]), "value": row["asked"]} for row in rows]
    points = a.Chart(data(values_asked)).mark_point(filled=True, size=45, opacity=1, color="black")
    tip = ["run:N", a.Tooltip("value:Q", title="as asked", format=".4f")]
    layers.append(points.encode(y=y, x=a.X("value:Q", title=metric, scale=scale), tooltip=tip))
    return a.layer(*layers).properties(width=WIDTH, height=max(2, len(rows)) * STEP)


def _both(rows: Sequence[Record], metric: str, names: Sequence[str]) -> Any:
    a, y, scale = alt(), _systems(rows), alt().Scale(zero=False, padding=12)
    values = [
        {"run": name_of(row["run_id"]), "judgments": name, "value": row[side], "rank": row[f"{side}_rank"]}
        for row in rows
        for side, name in zip(_OF_BOTH, names, strict=True)
        if is_number(row[side])
    ]
    between = [
        {"run": name_of(row["run_id"]), "a": row["a"], "b": row["b"]} for row in rows if _is_range(row, ("a", "b"))
    ]
    rules = a.Chart(data(between)).mark_rule(color="#999", strokeWidth=2)
    x = a.X("value:Q", title=metric, scale=scale)
    points = a.Chart(data(values)).mark_point(filled=True, size=70, opacity=1)
    inks, shapes = zip(*_OF_BOTH.values(), strict=True)
    points = points.encode(
        y=y,
        x=x,
        color=a.Color("judgments:N", scale=a.Scale(domain=[*names], range=[*inks])),
        shape=a.Shape("judgments:N", scale=a.Scale(domain=[*names], range=[*shapes])),
        tooltip=["run:N", "judgments:N", a.Tooltip("value:Q", format=".4f"), "rank:Q"],
    )
    lines = rules.encode(y=y, x=a.X("a:Q", title=metric, scale=scale), x2="b:Q")
    return a.layer(lines, points).properties(width=WIDTH, height=max(2, len(rows)) * STEP)


def _below() -> Mapping[str, Any] | Any:
    """Return a legend below the chart, where long names do not widen it."""
    return alt().Legend(orient="bottom", direction="vertical", labelLimit=WIDTH)


MOST_GRADES = 20
_CELL = 44  # pixels
_OF_ALL = ("n_both", "n_only_a", "n_only_b", "observed", "kappa", "binary_kappa", "quadratic_kappa")
_SIDE = 440  # at most, in each direction


@with_columns("grade_a", "grade_b", "n_pairs")
def confusion(rows: Sequence[Record], judgments: Mapping[str, Any], names: Sequence[str] = ("a", "b")) -> Any:
    """Draw how many items have each grade in one set of judgments and each grade in the other.

    Args:
        rows: the rows of ``Agreement.grades``: ``grade_a``, ``grade_b``, ``n_pairs``.
        judgments: ``Agreement.judgments``, or a row of ``Agreement.pairs``.
        names: what a and b are called.

    Returns:
        A matrix, in whose diagonal both sets have the same grade, the darker the more items; of many grades those that
        are most frequent.

    Raises:
        UsageError: a column is missing, or Altair is not installed.
    """
    require_columns("charts.confusion", [judgments], _OF_ALL, "judgments")
    one, other = names
    if not any(row["n_pairs"] for row in rows):
        return nothing(f"Grades by the judgments {one} and {other}", "No item is judged in both.")
    numbers: Counter[float] = Counter()
    for row in rows:
        numbers[row["grade_a"]] += row["n_pairs"]
        numbers[row["grade_b"]] += row["n_pairs"]
    grades_drawn = sorted(grade for grade, _ in numbers.most_common(MOST_GRADES))
    rows_drawn = [row for row in rows if row["grade_a"] in grades_drawn and row["grade_b"] in grades_drawn]
    title = f"Grades by the judgments {one} and {other}, kappa {_said(judgments['kappa'])}, "
    title += write_count([judgments["n_both"]], "item", "items")
    kappas = (f"{_said(judgments[name])} {what}" for name, what in _KAPPAS.items())
    notes = [
        f"The same grade: {100 * judgments['observed']:.1f} %. Kappa {', '.join(kappas)}.",
        f"Only in {one}: {write_count([judgments['n_only_a']], 'item', 'items')}; only in {other}: "
        f"{write_count([judgments['n_only_b']], 'item', 'items')}.",
        f"The {MOST_GRADES} most frequent of {len(numbers):,} grades." if len(grades_drawn) < len(numbers) else "",
    ]
    pairs = "; ".join(f"{row['grade_a']:g} and {row['grade_b']:g}: {row['n_pairs']:,}" for row in rows_drawn[:50])
    return titled(
        _draw_grades(rows_drawn, grades_drawn, names), title, notes, f"Grade in {one} and in {other}: {pairs}"
    )


_KAPPAS = {"binary_kappa": "of being relevant", "quadratic_kappa": "with squared weights"}


def _said(value: Any) -> str:
    return f"{value:.3f}" if is_number(value) else "undefined"


def _draw_grades(rows: Sequence[Record], grades: Sequence[float], judges: Sequence[str]) -> Any:
    a = alt()
    names = [f"{grade:g}" for grade in grades]
    most = max((row["n_pairs"] for row in rows), default=1)
    values = [
        {"a": f"{row['grade_a']:g}", "b": f"{row['grade_b']:g}", "n": row["n_pairs"]}
        | {"text": f"{row['n_pairs']:,}", "is_dark": row["n_pairs"] > most / 2}
        for row in rows
    ]
    axis = {"labelAngle": 0, "grid": False}
    x = a.X("b:N", title=f"grade in {judges[1]}", scale=a.Scale(domain=names), axis=a.Axis(**axis, orient="top"))
    y = a.Y("a:N", title=f"grade in {judges[0]}", scale=a.Scale(domain=names), axis=a.Axis(**axis))
    base = a.Chart(data(values)).encode(x=x, y=y, tooltip=["a:N", "b:N", a.Tooltip("n:Q", title="items", format=",")])
    ink = a.Color("n:Q", title="items", scale=a.Scale(scheme="blues", domain=[0, most]), legend=None)
    size = min(_SIDE / len(names), _CELL * 1.6)
    text = base.mark_text(fontSize=min(12.0, size / 3)).encode(
        text="text:N", color=a.condition("datum.is_dark", a.value("white"), a.value("black"))
    )
    return a.layer(base.mark_rect(stroke="#ccc").encode(color=ink), text).properties(
        width=size * len(names), height=size * len(names) * 0.7
    )
