"""Rows for programs: CSV, JSON, and trec_eval's lines."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..databases.answers import Record
from .grids import on_one_line
from .numbers import (
    format_value,
)
from .records import header_of, keys_of


def as_json(records: Sequence[Record]) -> str:
    """One list of objects."""
    return json.dumps([finite(record) for record in records], ensure_ascii=False, indent=1, default=str) + "\n"


def as_jsonl(records: Sequence[Record]) -> str:
    """An object on each line."""
    return "".join(json.dumps(finite(record), ensure_ascii=False, default=str) + "\n" for record in records)


def finite(record: Record) -> Record:
    """JSON has no NaN and no infinity."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in record.items()
    }


def as_csv(records: Sequence[Record]) -> str:
    """The names of the columns, and a line for each row."""
    rows = (
        ["" if value is None else repr(value) if isinstance(value, float) else value for value in record.values()]
        for record in records
    )
    return "".join(map(_csv_line, [header_of(records), *rows]))


def _csv_line(values: Sequence[Any]) -> str:
    """One row; the writer quotes those characters only that end its own lines, so a carriage return has to be one."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(values)
    return text.getvalue().removesuffix("\r\n") + "\n"


def as_trec(records: Sequence[Record], counts: Collection[str], names: Mapping[str, str]) -> str:
    """trec_eval's three columns and its names; a line runid opens each run."""
    lines: list[str] = []
    run: Any = object()
    for record in records:
        if record.get("run_id", run) != run:
            run = record["run_id"]
            lines.append(f"{'runid':<22}\tall\t{on_one_line(str(run))}")
        value = format_value(record["value"], record["metric"] in counts)
        name = names.get(record["metric"], record["metric"])
        query = next((str(record[key]) for key in keys_of(record)), "all")
        lines.append(f"{on_one_line(name):<22}\t{on_one_line(query)}\t{value}")
    return "\n".join([*lines, ""])
