"""Shared by all charts: Altair, sizes, titles above a chart, and descriptions for screen readers."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..databases.answers import Record
from ..optional import of_plots

if TYPE_CHECKING:
    import altair

    Chart = altair.Chart

WIDTH, HEIGHT = 560, 300  # pixels
STEP = 22  # between the rows of a dot plot
LABEL_LIMIT = 260  # what of a long name is shown


def alt() -> Any:
    """Altair.

    Raises:
        UsageError: it is not installed.
    """
    return of_plots("altair", "Altair")


def data(values: Sequence[Record]) -> Any:
    """Rows within the chart itself, which Altair's limit of 5,000 is not about."""
    return alt().InlineData(values=list(values))


def titled(chart: Any, title: str, notes: Iterable[str] = (), details: str = "") -> Any:
    """The chart with its title, notes below it, and both as its alternative text.

    Args:
        chart: without a title.
        title: what is shown, and on how many queries.
        notes: what of the data is not shown, and the like.
        details: what the alternative text says beside them.
    """
    notes = [note for note in notes if note]
    shown = {"subtitle": notes, "subtitleColor": "#555"} if notes else {}
    said = " ".join(sentence.rstrip(".") + "." for sentence in (title, *notes, details) if sentence)
    return chart.properties(title=alt().TitleParams(title, anchor="start", **shown), description=said)


def nothing(title: str, why: str) -> Any:
    """A chart of nothing, which says why."""
    chart = alt().Chart(data([{"why": why}])).mark_text(color="#555", fontSize=13)
    sized = chart.encode(text=alt().Text("why:N")).properties(width=WIDTH, height=60)
    return titled(sized, title, (), why)


def below_each_other(charts: Sequence[Any]) -> Any:
    """One chart as it is; several in one, whose colours mean the same."""
    return charts[0] if len(charts) == 1 else alt().vconcat(*charts).resolve_scale(x="independent")


def name_of(value: Any) -> str:
    """Return the name of a key's value in a chart; NULL has a name of its own."""
    return "(NULL)" if value is None else str(value)


def names_of(row: Record, columns: Sequence[str]) -> str:
    """Return the name of a row from several columns."""
    return ", ".join(name_of(row[column]) for column in columns)


def segment_of(row: Record, groups: Sequence[str]) -> str:
    """Return the group of a row; a subtotal has only the columns that it groups by."""
    if "breakdown" not in groups:
        return names_of(row, groups)
    own = [name for name in groups if name in str(row["breakdown"]).split(", ")]
    return names_of(row, own) if own else "all"


def write_count(numbers: Iterable[int | None], what: str = "query", several: str = "queries") -> str:
    """How many there are: of queries one number, or the least and the greatest."""
    known = sorted({number for number in numbers if number is not None})
    if not known:
        return f"no {several}"
    if len(known) > 1:
        return f"{known[0]:,} to {known[-1]:,} {several}"
    return f"1 {what}" if known == [1] else f"{known[0]:,} {several}"


def less(known: Sequence[Record], sign: int) -> tuple[str, str]:
    """Return what the differences compare, and how many queries are better, worse and the same.

    Args:
        known: rows of ``Comparison.per_query`` of one candidate and one metric, with a difference.
        sign: -1 where lower values are better.
    """
    first = known[0]
    higher = sum(sign * row["difference"] > 0 for row in known)
    lower = sum(sign * row["difference"] < 0 for row in known)
    return (
        f"{first['run']} minus {first['baseline_run']} in {first['metric']}, {write_count([len(known)])}",
        f"Better on {higher:,}, worse on {lower:,}, the same on {len(known) - higher - lower:,}.",
    )


def distinct(values: Iterable[Any]) -> list[Any]:
    """The values without repetition, in their order."""
    return list(dict.fromkeys(values))


def is_number(value: Any) -> bool:
    """Whether a value can be drawn: neither NULL, nor NaN, nor without end."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def groups_between(row: Record, ends: Sequence[str], last: str) -> list[str]:
    """Return the columns that name the group of a row: the ones before ``last`` that are not in the others."""
    names = list(row)
    return [name for name in names[: names.index(last)] if name not in ends]


def is_day(value: Any) -> bool:
    """Whether a value of a group is a day or a time, as a date or as text."""
    if isinstance(value, datetime.date):
        return True
    try:
        return isinstance(value, str) and bool(datetime.date.fromisoformat(value[:10]))
    except ValueError:
        return False


def days_of(rows: Sequence[Record], groups: Sequence[str]) -> list[str]:
    """Return the groups that are days, which have an order of their own."""
    values = {name: [row[name] for row in rows if row[name] is not None] for name in groups}
    return [name for name, own in values.items() if own and all(map(is_day, own))]
