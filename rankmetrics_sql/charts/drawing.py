"""What all charts share: Altair, sizes, titles, colours, and descriptions for screen readers."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import UsageError, nearest, shortened
from ..optional import of_plots
from ..rows import Record

if TYPE_CHECKING:
    import altair

    Chart = altair.Chart


WIDTH, HEIGHT = 560, 300  # pixels
STEP = 22  # between the rows of a dot plot
LABEL_LIMIT = 260  # what of a long name is shown


def alt() -> Any:
    """Import Altair."""
    return of_plots("altair", "Altair")


def data(values: Sequence[Record]) -> Any:
    """Return rows embedded in the chart, to which Altair's limit of 5,000 does not apply."""
    return alt().InlineData(values=list(values))


def titled(chart: Any, title: str, notes: Iterable[str] = (), details: str = "") -> Any:
    """Return the chart with its title and notes, which are also its alternative text."""
    notes = [note for note in notes if note]
    subtitle = {"subtitle": notes, "subtitleColor": "#555"} if notes else {}
    description = " ".join(sentence.rstrip(".") + "." for sentence in (title, *notes, details) if sentence)
    return chart.properties(title=alt().TitleParams(title, anchor="start", **subtitle), description=description)


def nothing(title: str, why: str) -> Any:
    """Return an empty chart that says why."""
    chart = alt().Chart(data([{"why": why}])).mark_text(color="#555", fontSize=13)
    sized = chart.encode(text=alt().Text("why:N")).properties(width=WIDTH, height=60)
    return titled(sized, title, (), why)


def below_each_other(charts: Sequence[Any]) -> Any:
    """Return one chart as it is, several as a column with shared colours."""
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
    of_row = [name for name in groups if name in str(row["breakdown"]).split(", ")]
    return names_of(row, of_row) if of_row else "all"


def write_count(numbers: Iterable[int | None], what: str = "query", several: str = "queries") -> str:
    """Return the number of queries, or the least and the greatest."""
    counts = sorted({number for number in numbers if number is not None})
    if not counts:
        return f"no {several}"
    if len(counts) > 1:
        return f"{counts[0]:,} to {counts[-1]:,} {several}"
    return f"1 {what}" if counts == [1] else f"{counts[0]:,} {several}"


def less(records: Sequence[Record], sign: int) -> tuple[str, str]:
    """Return what the differences compare, and how many queries are better, worse and the same."""
    first = records[0]
    higher = sum(sign * row["difference"] > 0 for row in records)
    lower = sum(sign * row["difference"] < 0 for row in records)
    return (
        f"{first['run']} minus {first['baseline_run']} in {first['metric']}, {write_count([len(records)])}",
        f"Better on {higher:,}, worse on {lower:,}, the same on {len(records) - higher - lower:,}.",
    )


def distinct(values: Iterable[Any]) -> list[Any]:
    """Return the values without repetition, in their order."""
    return list(dict.fromkeys(values))


def is_number(value: Any) -> bool:
    """Return whether a value can be drawn: neither NULL, nor NaN, nor infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def groups_between(row: Record, ends: Sequence[str], last: str) -> list[str]:
    """Return the columns that name the group of a row: the ones before ``last`` that are not in the others."""
    names = list(row)
    return [name for name in names[: names.index(last)] if name not in ends]


def is_day(value: Any) -> bool:
    """Return whether a value of a group is a day or a time, as a date or as text."""
    if isinstance(value, datetime.date):
        return True
    try:
        return isinstance(value, str) and bool(datetime.date.fromisoformat(value[:10]))
    except ValueError:
        return False


def days_of(rows: Sequence[Record], groups: Sequence[str]) -> list[str]:
    """Return the groups that are days, which have an order of their own."""
    values = {name: [row[name] for row in rows if row[name] is not None] for name in groups}
    return [name for name, days in values.items() if days and all(map(is_day, days))]


# Okabe & Ito 2008, Color Universal Design; without the yellow, which is hard to see on white.
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BETTER, WORSE, SAME = "#0072B2", "#D55E00", "#999999"
OTHER = "#009E73"  # what is shown, and neither of the first two
GREY = "#777777"
_DASHES: Sequence[Sequence[int]] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

MOST_SERIES = len(SERIES) * len(_DASHES)

# viridis from its light end to its dark one, so that what is more relevant is darker; at equal distances.
_VIRIDIS = ("#fde725", "#a0da39", "#4ac16d", "#1fa187", "#277f8e", "#365c8d", "#46327e", "#440154")
NOT_RELEVANT = "#dddddd"


def by_series(names: Sequence[str], field: str = "series") -> Any:
    """Return the colour of each series, with a legend if there are several."""
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    return alt().Color(f"{field}:N", title=None, scale=_scale(names, colours), legend=_legend(names))


def dashed(names: Sequence[str], field: str = "series") -> Any:
    """Return the dash pattern of each series, because colours repeat if there are many."""
    dashes = [_DASHES[place // len(SERIES) % len(_DASHES)] for place in range(len(names))]
    return alt().StrokeDash(f"{field}:N", title=None, scale=_scale(names, dashes), legend=_legend(names))


def shaped(names: Sequence[str], field: str = "series") -> Any:
    """Return the shape of the points of each series, for readers who see no colours."""
    shapes = [_SHAPES[place % len(_SHAPES)] for place in range(len(names))]
    return alt().Shape(f"{field}:N", title=None, scale=_scale(names, shapes), legend=_legend(names))


def _scale(names: Sequence[str], values: Sequence[Any]) -> Any:
    return alt().Scale(domain=list(names), range=list(values))


def _legend(names: Sequence[str]) -> Any:
    return alt().Legend(symbolOpacity=1, labelLimit=200) if len(names) > 1 else None


def of_grades(grades: Sequence[float]) -> list[str]:
    """Return a colour for each grade, in rising order; those up to 0 are grey."""
    positive = sum(grade > 0 for grade in grades)
    last = len(_VIRIDIS) - 1
    # a single grade stands in the middle; the palest of several is not the first, which is hard to see on white
    places = [round(1 + (last - 1) * place / (positive - 1)) for place in range(positive)] if positive > 1 else [4]
    return [NOT_RELEVANT] * (len(grades) - positive) + [_VIRIDIS[place] for place in places[:positive]]


F = TypeVar("F", bound=Callable[..., Any])


def with_columns(*needed: str) -> Callable[[F], F]:
    """Wrap a chart function so that input without these columns raises."""

    def of(function: F) -> F:
        @functools.wraps(function)
        def checked(rows: Any, *args: Any, **kwargs: Any) -> Any:
            require_columns(f"charts.{function.__name__}", rows, needed)
            with _unvalidated():
                return function(rows, *args, **kwargs)

        return cast(F, checked)

    return of


def _unvalidated() -> Any:
    """While it lasts, Altair takes each part of a chart as it is: the whole is validated when it is shown or saved.

    To validate the parts too takes longer than everything else about a chart.
    """
    return of_plots("altair.utils.schemapi", "Altair").debug_mode(False)


def require_columns(chart: str, rows: Any, required: Sequence[str], name: str = "rows") -> None:
    """Raise unless the input consists of rows with these columns."""
    if not isinstance(rows, Sequence) or not all(isinstance(row, Mapping) for row in rows):
        raise UsageError(
            f"{chart}: {name} are a list of dictionaries, such as result.summary.dicts(); not {shortened(rows)}."
        )
    for number, row in enumerate(rows, start=1):
        for column in required:
            if column not in row:
                raise UsageError(f"{chart}: {name} need the column {column!r}; {_there(number, row, column)}")


def _there(number: int, row: Mapping[Any, Any], missing: str) -> str:
    """Return the names that a row has, and the one that the caller may have meant."""
    names = [str(name) for name in row]
    if not names:
        return f"row {number} has no columns."
    near = nearest(missing, names, ())
    return f"row {number} has {shortened(', '.join(names))[1:-1]}." + (f" {near}" if near else "")


def svg(chart: Any) -> str:
    """A chart as SVG, with its alternative text, which a picture has not by itself.

    Args:
        chart: one of this package's, or another of Altair's.

    Raises:
        UsageError: vl-convert is not installed.
    """
    picture: str = of_plots("vl_convert", "vl-convert-python").vegalite_to_svg(chart.to_json())
    description = escape(str(chart.to_dict().get("description", "")))
    return picture.replace("<svg ", f'<svg role="img" aria-label="{description}" ', 1)
