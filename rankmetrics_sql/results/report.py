"""Writes results for people and programs: terminal tables, CSV, JSON, Markdown, LaTeX and trec_eval's lines."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import stat
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import DataError, UsageError, nearest
from .result import Explanation

Record = dict[str, Any]
FORMATS = ("table", "csv", "json", "jsonl", "markdown", "latex", "trec")
FOR_PEOPLE = ("table", "markdown", "latex")


_SUFFIXES = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex"}


def format_of(path: Path | None) -> str:
    """The format that a file's ending names; a table where there is no file or no ending.

    Raises:
        UsageError: the ending names something else.
    """
    suffix = "" if path is None else path.suffix.lower()
    if suffix in ("", ".txt", ".out", ".log"):
        return "table"
    if suffix not in _SUFFIXES:
        raise UsageError(f"--output {path}: no format ends in {suffix!r}; say --format. {nearest(suffix, _SUFFIXES)}")
    return _SUFFIXES[suffix]


def render(
    records: Sequence[Record],
    form: str,
    pivot: str | None = "metric",
    counts: Collection[str] = (),
    names: Mapping[str, str] | None = None,
) -> str:
    """The records in a format.

    Args:
        records: rows with the same keys in the same order.
        form: one of FORMATS.
        pivot: for tables that people read, the key whose values become columns of ``value``; None keeps the rows.
        counts: metrics whose values are counts, which people read without decimals.
        names: what trec_eval calls the metrics, for its format.
    """
    if form in FOR_PEOPLE:
        return _LAYOUTS[form](*_as_text(*_shaped(records, pivot), counts))
    return _trec(records, counts, names or {}) if form == "trec" else _WRITERS[form](records)


def verdicts(records: Sequence[Record], options: Mapping[str, Any]) -> list[Record]:
    """What people read of a comparison: both values, the effect with its interval, and whether it is significant.

    Args:
        records: the rows of ``Comparison.summary``.
        options: those of the comparison.
    """
    names = list(records[0]) if records else []
    kept = ["run", *names[names.index("baseline_run") + 1 : names.index("effect_size")]] if names else []
    level = f"{100 * float(options['confidence_level']):g}% interval"
    return [
        {
            **{name: record[name] for name in kept},
            "effect_size": _signed(record["effect_size"]),
            level: _interval(record["effect_size_ci_lower"], record["effect_size_ci_upper"]),
            "relative": _share(record["rel_effect_size"]),
            "pvalue_adj": _pvalue(record["pvalue_adj"]) + ("*" if record["significant"] else ""),
        }
        for record in records
    ]


def bounded(records: Sequence[Record], level: float) -> list[Record]:
    """What people read of a summary with intervals, a row for each value.

    Args:
        records: the rows of ``Result.summary``.
        level: the confidence level of the intervals.
    """
    title = f"{100 * level:g}% interval"
    shown = []
    for record in records:
        row = dict(record)
        ends = _interval(row.pop("ci_lower"), row.pop("ci_upper"))
        del row["standard_error"]
        place = [*row].index("value") + 1
        shown.append(dict([*row.items()][:place]) | {title: ends} | dict([*row.items()][place:]))
    return shown


def _interval(lower: float | None, upper: float | None) -> str:
    return f"[{_cell(lower)}, {_cell(upper)}]"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f}%"


def _pvalue(value: float | None) -> str:
    return "<0.0001" if value is not None and value < 0.0001 else _cell(value)


def tested(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    """One line about what was tested, and how."""
    test = "paired t test" if options["design"] == "paired" else "Welch's t test"
    corrections = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
    numbers = sorted({record["n_queries"] for record in records})
    n_queries = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
    n_left_out = max(record["n_left_out"] for record in records)
    family = {"all": f"all {len(records)}", "metric": "each metric", "group": "each group"}[str(options["family"])]
    corrected = corrections.get(str(options["correction"]))
    return ", ".join(
        [
            f"{test}, {str(options['alternative']).replace('_', '-')}",
            f"p corrected over {family} ({corrected})" if corrected else "p not corrected",
            f"{n_queries} queries" + (f" ({n_left_out:,} left out)" if n_left_out else ""),
            f"* below {1 - float(options['confidence_level']):.4g}",
        ]
    )


def explanation(found: Explanation, run: str, top: int) -> str:
    """What an explanation says, for people: the values, what each choice does, the queries that move most."""
    here, there = found.profile, found.against
    apart = "" if None in (found.value, found.against_value) else f", {found.value - found.against_value:+.4f}"  # type: ignore[operator]
    lines = [
        f"{found.metric} of {run}: {_cell(found.value)} by {here}, {_cell(found.against_value)} by {there}{apart}",
    ]
    if not found.choices:
        return "\n".join([*lines, "The two profiles make the same choices for this metric."])
    alone = [{**choice, "difference": _signed(choice["difference"])} for choice in found.choices]
    rest = "" if found.together is None else f"Together beyond the sum of these: {found.together:+.4f}\n"
    lines += [f"\n{there} with one choice of {here} at a time:\n", render(alone, "table", None) + rest]
    moved = [query for query in found.queries if query["difference"]]
    if moved and top:
        queries = [{**query, "difference": _signed(query["difference"])} for query in moved[:top]]
        lines += [f"The queries that move most, {len(queries)} of {len(moved)}:\n", render(queries, "table", None)]
    return "\n".join(lines).rstrip()


def explanation_json(found: Explanation, top: int) -> str:
    """The same for programs, as one object."""
    shown = {name: value for name, value in vars(found).items() if name not in ("sql", "warnings")}
    return json.dumps(shown | {"queries": found.queries[:top]}, ensure_ascii=False, indent=1, default=str)


def tables(found: Mapping[str, Sequence[Record]], form: str) -> str:
    """Several tables in a format.

    Args:
        found: the rows of each by its name; tables without rows are left out where people read them.
        form: ``table``, ``markdown`` or ``latex``, one below the other; ``json``, one object; ``jsonl``, the name of
            the table in each row; ``csv``, the first table.
    """
    if form in FOR_PEOPLE:
        return "\n".join(render(records, form, None) for records in found.values() if records)
    if form == "json":
        shown = {name: [_finite(record) for record in records] for name, records in found.items()}
        return json.dumps(shown, ensure_ascii=False, indent=1, default=str) + "\n"
    if form == "jsonl":
        return _jsonl([{"table": name, **record} for name, records in found.items() for record in records])
    return render(next(iter(found.values())), form, None)


def placed(records: Sequence[Record]) -> list[Record]:
    """What people read of values with ranks: each rank in brackets behind its value.

    Args:
        records: rows with a column ``NAME_rank`` beside columns ``NAME``.
    """
    shown = []
    for record in records:
        ranks = {name: record.get(f"{name}_rank") for name in record}
        kept = {name: value for name, value in record.items() if not name.endswith("_rank")}
        shown.append({name: _placed(value, ranks[name]) for name, value in kept.items()})
    return shown


def _placed(value: Any, rank: int | None) -> Any:
    return value if rank is None else f"{_cell(value)} ({rank})"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.4f}"


def write(text: str, path: Path) -> None:
    """Writes a file whole or not at all, with the mode of the file that it replaces.

    Raises:
        DataError: the folder cannot be written.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        _write_through(text, path)
        return
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        Path(name).replace(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    finally:
        Path(name).unlink(missing_ok=True)


def _write_through(text: str, path: Path) -> None:
    """Devices and pipes take what they are given; there is nothing to replace."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _json(records: Sequence[Record]) -> str:
    return json.dumps([_finite(record) for record in records], ensure_ascii=False, indent=1, default=str) + "\n"


def _jsonl(records: Sequence[Record]) -> str:
    return "".join(json.dumps(_finite(record), ensure_ascii=False, default=str) + "\n" for record in records)


def _finite(record: Record) -> Record:
    """JSON has no NaN and no infinity."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in record.items()
    }


def _csv(records: Sequence[Record]) -> str:
    rows = (
        ["" if value is None else repr(value) if isinstance(value, float) else value for value in record.values()]
        for record in records
    )
    return "".join(map(_csv_line, [_header(records), *rows]))


def _csv_line(values: Sequence[Any]) -> str:
    """One row; the writer quotes those characters only that end its own lines, so a carriage return has to be one."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(values)
    return text.getvalue().removesuffix("\r\n") + "\n"


def keys_of(record: Record) -> list[str]:
    """What says which query of a run, or which group of queries, a value is of."""
    return [name for name in record if name not in _NO_KEYS]


_NO_KEYS = ("run_id", "metric", "value", "n_queries", "sum_of_weights", "standard_error", "ci_lower", "ci_upper")


def _trec(records: Sequence[Record], counts: Collection[str], names: Mapping[str, str]) -> str:
    """trec_eval's three columns and its names; a line runid opens each run."""
    lines: list[str] = []
    run: Any = object()
    for record in records:
        if record.get("run_id", run) != run:
            run = record["run_id"]
            lines.append(f"{'runid':<22}\tall\t{_one_line(str(run))}")
        value = _cell(record["value"], record["metric"] in counts)
        name = names.get(record["metric"], record["metric"])
        query = next((str(record[key]) for key in keys_of(record)), "all")
        lines.append(f"{_one_line(name):<22}\t{_one_line(query)}\t{value}")
    return "\n".join([*lines, ""])


_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


def _one_line(text: str) -> str:
    """The text with line breaks, tabs and the like written as Python does, where a line must stay one."""
    return _BREAKS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


# What would be markup; an underscore within a word is none.
_MARKDOWN = re.compile(r"[\\`*\[\]<>&~|]|(?<![^\W_])_|_(?![^\W_])")


def _in_markdown(text: str) -> str:
    """The text in a cell; what no cell can hold, such as a line break, by its number, if that may have one."""
    numbered = "\t\n\r\u2028\u2029"
    shown = _BREAKS.sub(lambda found: found[0] if found[0] in numbered else _one_line(found[0]), text)
    escaped = _MARKDOWN.sub(r"\\\g<0>", shown)
    return re.sub(rf"[{numbered}]|^ | $", lambda found: f"&#{ord(found[0])};", escaped)


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    lines = [list(map(_in_markdown, header)), ["---:" if right else "---" for right in numeric]]
    lines += [list(map(_in_markdown, row)) for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


# A bracket or star at the beginning of a row would belong to the line break before.
_LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {mark: f"{{{mark}}}" for mark in "[*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


def _latex(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    alignment = "".join("r" if right else "l" for right in numeric)
    lines = [" & ".join(_one_line(value).translate(_LATEX) for value in row) + r" \\" for row in [header, *rows]]
    begin = rf"\begin{{tabular}}{{{alignment}}}"
    return "\n".join([begin, r"\hline", lines[0], r"\hline", *lines[1:], r"\hline", r"\end{tabular}", ""])


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = [[Text(_one_line(value)) for value in row] for row in [header, *rows]]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, right in zip(lines[0], numeric, strict=True):
        table.add_column(name, justify="right" if right else "left", no_wrap=True, overflow="ignore")
    for row in lines[1:]:
        table.add_row(*row)
    text = io.StringIO()
    width = sum(max(cell.cell_len for cell in column) + 3 for column in zip(*lines, strict=True))
    Console(file=text, width=max(80, width)).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip()) + "\n"


def _as_text(
    header: Sequence[str], rows: Sequence[Sequence[Any]], counts: Collection[str]
) -> tuple[list[str], list[list[str]], list[bool]]:
    """Header, cells as people read them, and which columns are numbers."""
    numeric = [any(isinstance(row[place], int | float) for row in rows) for place in range(len(header))]
    cells = [[_cell(value, name in counts) for name, value in zip(header, row, strict=True)] for row in rows]
    return list(header), cells, numeric


def _shaped(records: Sequence[Record], pivot: str | None) -> tuple[list[str], list[list[Any]]]:
    """Header and rows, with a column per metric where records hold one value each."""
    if pivot is None or not records:
        return _header(records), [list(record.values()) for record in records]
    metrics = list(dict.fromkeys(record[pivot] for record in records))
    keys = [key for key in records[0] if key not in (pivot, "value", "n_queries")]
    by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    queries: dict[tuple[Any, ...], int] = {}
    for record in records:
        key = tuple(record[name] for name in keys)
        by_key.setdefault(key, {})[record[pivot]] = record["value"]
        queries[key] = max(queries.get(key, 0), record.get("n_queries", 0))
    counted = "n_queries" in records[0]
    rows = [[*key, *map(line.get, metrics), *([queries[key]] if counted else [])] for key, line in by_key.items()]
    return [*keys, *metrics, *(["n_queries"] if counted else [])], rows


def _header(records: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(records[0]) if records else []


def _cell(value: Any, count: bool = False) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if count else f"{value:.4f}"
    return str(value)


_LAYOUTS: Mapping[str, Callable[[Sequence[str], Sequence[Sequence[str]], Sequence[bool]], str]] = {
    "table": _table,
    "markdown": _markdown,
    "latex": _latex,
}
_WRITERS: Mapping[str, Callable[[Sequence[Record]], str]] = {"csv": _csv, "json": _json, "jsonl": _jsonl}
