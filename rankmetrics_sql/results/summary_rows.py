"""The rows of summaries: their key columns, the best rows, and rows for people with intervals or ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..rows import Record
from .numbers import best_of, format_interval, format_value


def keys_of(record: Record) -> list[str]:
    """Return the columns that identify the query or the group of queries of a value."""
    return [name for name in record if name not in _NO_KEYS]


_NO_KEYS = (
    *("run_id", "metric", "value", "n_queries", "n_left_out", "sum_of_weights"),
    *("standard_error", "ci_lower", "ci_upper"),
    *("n_clusters", "largest_cluster_share", "largest_weight_share"),
)


def groups_of(records: Sequence[Record]) -> list[str]:
    """Return the columns that name the group of queries in a row of a comparison or summary."""
    names = list(records[0]) if records else []
    last_of_run = "baseline_run" if "baseline_run" in names else "run_id"
    return names[names.index(last_of_run) + 1 : names.index("metric")] if names else []


def best_records(records: Sequence[Record], better: Mapping[str, str], counts: Collection[str] = ()) -> set[int]:
    """Return the places of the best values of each metric among the runs, within each group."""
    rivals: dict[tuple[Any, ...], list[int]] = {}
    for place, record in enumerate(records):
        rivals.setdefault((record["metric"], *map(record.get, keys_of(record))), []).append(place)
    best_places: set[int] = set()
    for (metric, *_), places in rivals.items():
        best = best_of([records[place]["value"] for place in places], better.get(metric, "higher"), metric in counts)
        best_places |= {places[number] for number in best}
    return best_places


def with_intervals(records: Sequence[Record], level: float) -> list[dict[str, Any]]:
    """Return the rows with an interval column in place of its ends."""
    title = f"{100 * level:g}% interval"
    rows = []
    for record in records:
        row = dict(record)
        ends = format_interval(row.pop("ci_lower"), row.pop("ci_upper"))
        del row["standard_error"]
        place = [*row].index("value") + 1
        rows.append(dict([*row.items()][:place]) | {title: ends} | dict([*row.items()][place:]))
    return rows


def with_ranks(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the rows with each rank of ``NAME_rank`` in brackets behind the value of ``NAME``."""
    rows = []
    for record in records:
        ranks = {name: record.get(f"{name}_rank") for name in record}
        values = {name: value for name, value in record.items() if not name.endswith("_rank")}
        rows.append({name: _with_rank(value, ranks[name]) for name, value in values.items()})
    return rows


def _with_rank(value: Any, rank: int | None) -> Any:
    return value if rank is None else f"{format_value(value)} ({rank})"


def with_ends(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the rows with each interval of ``NAME_ci_lower`` and ``NAME_ci_upper`` in brackets behind ``NAME``.

    The interval of a column ``value`` has no name before it.
    """
    rows = []
    for record in records:
        values = {name: value for name, value in record.items() if not name.endswith(("ci_lower", "ci_upper"))}
        rows.append({name: _with_ends(record, name, value) for name, value in values.items()})
    return rows


def _with_ends(record: Record, name: str, value: Any) -> Any:
    prefix = "" if name == "value" else f"{name}_"
    lower, upper = record.get(f"{prefix}ci_lower"), record.get(f"{prefix}ci_upper")
    return value if lower is None else f"{format_value(value)} [{format_value(lower)}, {format_value(upper)}]"


def header_of(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the columns."""
    return list(records[0]) if records else []
