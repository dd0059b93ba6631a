"""The tables of a page: cells as text, and the numbers that they are sorted by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..definitions.verdicts import format_verdict
from ..results.numbers import (
    UNKNOWN,
    drop_sign_of_zero,
    format_difference,
    format_interval,
    format_pvalue,
    format_share,
    format_value,
)
from ..results.text_tables import on_one_line
from ..rows import Record

SortedCell = tuple[str, float | None]

MOST_ROWS = 5_000
_LONGEST = 120  # characters of a text that are shown
_FIRST = 20  # rows that the page has without a program


@dataclass(frozen=True)
class Column:
    """A column: its title, and whether it holds numbers or intervals."""

    title: str
    is_number: bool = False
    is_interval: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table.

    Attributes:
        name: what it is called within the page.
        caption: what it shows.
        columns: from left to right; the first names the row.
        rows: the cells of each row, in the order in which they are shown.
        note: what is left out of it.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[SortedCell]]
    note: str = ""

    @property
    def first(self) -> Sequence[Sequence[SortedCell]]:
        """Return the rows that are shown without JavaScript."""
        return self.rows[:_FIRST]

    @property
    def is_long(self) -> bool:
        """Return whether there are more rows."""
        return len(self.rows) > _FIRST


def shown(value: Any) -> str:
    """Return a name on one line, cut if it is long."""
    text = "(NULL)" if value is None else on_one_line(str(value)) or "(empty)"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def grid(
    name: str, caption: str, columns: Sequence[Column], rows: Iterable[Sequence[SortedCell]], most: int
) -> PageTable:
    """Return a table of at most so many rows, which says what it leaves out."""
    shown_rows = list(rows)
    note = f"The first {most:,} of {len(shown_rows):,} rows." if len(shown_rows) > most else ""
    return PageTable(name, caption, columns, shown_rows[:most], note)


def values(
    records: Sequence[Record],
    counts: Collection[str],
    level: str,
    *,
    name: str = "values",
    title: str = "Values",
    most: int = MOST_ROWS,
) -> PageTable:
    """Return the values of runs, a row for each run, group and metric."""
    names = list(records[0])
    groups = [name for name in names[: names.index("metric")] if name != "run_id"]
    has_runs = "run_id" in names
    columns = [
        *([Column("run")] if has_runs else []),
        *map(Column, groups),
        *(Column("metric"), Column("value", True), Column(level, is_interval=True), Column("queries", True)),
    ]
    rows = (
        [
            *([_text(record["run_id"])] if has_runs else []),
            *(_text(record[group]) for group in groups),
            _text(record["metric"]),
            _number(format_value(record["value"], record["metric"] in counts), record["value"]),
            _interval(record, "ci", record["metric"] in counts),
            _number(f"{record['n_queries']:,}", record["n_queries"]),
        ]
        for record in records
    )
    return grid(name, title, columns, rows, most)


def differences(
    records: Sequence[Record],
    groups: Sequence[str],
    better: Mapping[str, str],
    counts: Collection[str],
    level: str,
    *,
    name: str = "differences",
    most: int = MOST_ROWS,
) -> PageTable:
    """Return the differences from the baseline; a single candidate is named once, above them."""
    runs = {record["run"] for record in records}
    has_runs = len(runs) > 1
    columns = [
        *([Column("run")] if has_runs else []),
        *map(Column, groups),
        *(Column("metric"), Column("verdict")),  # which a phone shows, too
        *(Column("baseline", True), Column("candidate", True), Column("difference", True)),
        *(Column(level, is_interval=True), Column("relative", True), Column("corrected p", True)),
        Column("queries", True),
    ]
    rows = (
        [
            *([_text(record["run"])] if has_runs else []),
            *_difference(record, groups, better, record["metric"] in counts),
        ]
        for record in records
    )
    caption = "Differences" + "".join(f" of {shown(run)}" for run in runs if not has_runs) + " from the baseline"
    return grid(name, caption, columns, rows, most)


def _difference(record: Record, groups: Sequence[str], better: Mapping[str, str], is_count: bool) -> list[SortedCell]:
    return [
        *(_text(record[group]) for group in groups),
        _text(record["metric"]),
        _text(format_verdict(record, better)),
        *(_number(format_value(record[side], is_count), record[side]) for side in ("baseline", "candidate")),
        _number(format_difference(record["effect_size"], is_count), record["effect_size"]),
        _interval(record, "effect_size_ci", is_count),
        _number(format_share(record["rel_effect_size"]), record["rel_effect_size"]),
        _number(format_pvalue(record["pvalue_adj"]), record["pvalue_adj"]),
        _number(f"{record['n_queries']:,}", record["n_queries"]),
    ]


def items(name: str, caption: str, rows: Sequence[Record], lanes: Mapping[str, str]) -> PageTable:
    """Return the items of the lists of a query with their grades, rank by rank.

    Args:
        name: of the table within the page.
        caption: what it shows.
        rows: one of each item, with its ranks and its ``relevance``.
        lanes: the names of the columns with ranks, and the runs that these are of.
    """
    of_runs = [f" in {shown(run)}" if run else "" for run in lanes.values()]
    columns = [Column("rank", True), *(Column(f"{what}{run}") for run in of_runs for what in ("item", "grade"))]
    at = {lane: {row[lane]: row for row in rows if row[lane] is not None} for lane in lanes}
    cells = [
        [
            _number(f"{rank}", rank),
            *(cell for lane in lanes for cell in _item(at[lane].get(rank))),
        ]
        for rank in sorted({rank for found in at.values() for rank in found})
    ]
    return grid(name, caption, columns, cells, MOST_ROWS)


def _item(row: Record | None) -> tuple[SortedCell, SortedCell]:
    if row is None:
        return ("", None), ("", None)
    return _text(row["item_id"]), ("not judged" if row["relevance"] is None else f"{row['relevance']:g}", None)


def losing(records: Sequence[Record], text: str, level: str) -> PageTable:
    """Tabulate the searches that lose clicks."""
    has_users = bool(records) and "users" in records[0]
    columns = [
        *(Column(shown(text)), Column("lost clicks", True), Column(level, is_interval=True)),
        *(Column("expected clicks", True), Column("clicks", True), Column("requests", True)),
        *([Column("users", True)] if has_users else []),
    ]
    rows = (
        [
            _text(record[text]),
            _number(format_clicks(record["lost_clicks"]), record["lost_clicks"]),
            (format_interval(record["lost_lower"], record["lost_upper"], format_clicks), record["lost_lower"]),
            _number(format_clicks(record["expected_clicks"]), record["expected_clicks"]),
            *(_number(f"{record[name]:,}", record[name]) for name in ("clicks", "requests")),
            *([_number(f"{record['users']:,}", record["users"])] if has_users else []),
        ]
        for record in records
    )
    return grid("losing", "Searches that lose clicks", columns, rows, MOST_ROWS)


def quality(records: Sequence[Record]) -> PageTable:
    """Tabulate how many rows of a source were used, or why not."""
    columns = [Column("input"), Column("reason"), Column("rows", True)]
    rows = (
        [_text(row["input"]), _text(row["reason"]), _number(f"{row['n_rows']:,}", row["n_rows"])] for row in records
    )
    return grid("quality", "Rows that were used or set aside", columns, rows, MOST_ROWS)


def pairs_of_judges(records: Sequence[Record], level: str) -> PageTable:
    """Tabulate how far each two judges agree."""
    columns = [
        *(Column("judge"), Column("other judge"), Column("items of both", True), Column("same grade", True)),
        *(Column("kappa", True), Column(level, is_interval=True)),
        *(Column("quadratic kappa", True), Column(level, is_interval=True)),
    ]
    rows = (
        [
            *(_text(record[name]) for name in ("judge_a", "judge_b")),
            _number(f"{record['n_both']:,}", record["n_both"]),
            _number(UNKNOWN if record["observed"] is None else f"{record['observed']:.1%}", record["observed"]),
            *_measure(record, "kappa"),
            *_measure(record, "quadratic_kappa"),
        ]
        for record in records
    )
    return grid("pairs-of-judges", "Agreement of each two judges", columns, rows, MOST_ROWS)


_MEASURES = {
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
    "ac1": "Gwet's AC1",
    "ac2": "Gwet's AC2, quadratic",
    "fleiss_kappa": "Fleiss' kappa",
}


def all_judges(records: Sequence[Record], level: str) -> PageTable:
    """Tabulate the measures of all judges together, without those that are not defined."""
    columns = [
        *(Column("measure"), Column("value", True), Column(level, is_interval=True)),
        *(Column("items", True), Column("queries", True)),
    ]
    rows = (
        [
            (_MEASURES[record["measure"]], None),
            _number(format_value(record["value"]), record["value"]),
            _interval(record, "ci", False),
            *(_number(format_value(record[name], True), record[name]) for name in ("n_items", "n_queries")),
        ]
        for record in records
        if record["value"] is not None
    )
    return grid("all-judges", "Agreement of all judges", columns, rows, MOST_ROWS)


def _measure(record: Record, name: str) -> list[SortedCell]:
    """Return a measure and its interval."""
    return [_number(format_value(record[name]), record[name]), _interval(record, f"{name}_ci", False)]


def format_clicks(value: float | None) -> str:
    """Return a number of clicks that need not be whole."""
    return UNKNOWN if value is None else drop_sign_of_zero(f"{value:,.1f}")


def _text(value: Any) -> SortedCell:
    return shown(value), None


def _number(text: str, value: float | None) -> SortedCell:
    return text, None if value is None else float(value)


def _interval(record: Record, name: str, is_count: bool) -> SortedCell:
    lower, upper = record.get(f"{name}_lower"), record.get(f"{name}_upper")
    alternative = record.get("alternative", "two_sided")
    return format_interval(lower, upper, lambda value: format_value(value, is_count), alternative=alternative), lower
