"""Tables in all formats: text, Markdown, LaTeX, CSV, JSON, and trec_eval's."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..rows import Record
from .files import FOR_PEOPLE
from .numbers import format_value
from .summary_rows import header_of, keys_of
from .text_tables import BREAKS, Block, Cell, Grid, Screen, draw_table, on_one_line, text_width

# Characters that would be markup; an underscore within a word is not.
_MARKDOWN = r"[\\`*\[\]<>&~|]|(?<![^\W_])_|_(?![^\W_])"
# GitHub and GitLab notify the user whom @name mentions, also where a backslash precedes it.
_MENTION = r"(?<![A-Za-z0-9_])@(?=\\?[A-Za-z0-9_])"


def _in_markdown(text: str) -> str:
    """Return the text of a cell, escaped; line breaks and tabs become character references.

    A mention gets a space of no width, which keeps it from notifying anybody.
    """
    numbered = "\t\n\r\u2028\u2029"
    safe = re.sub(BREAKS, lambda match: match[0] if match[0] in numbered else on_one_line(match[0]), text)
    escaped = re.sub(_MENTION, "@&#8203;", re.sub(_MARKDOWN, r"\\\g<0>", safe))
    return re.sub(rf"[{numbered}]|^ | $", lambda match: f"&#{ord(match[0])};", escaped)


def markdown(grid: Grid) -> str:
    """Return a Markdown table."""
    lines = [list(map(_in_markdown, grid.header)), ["---:" if right else "---" for right in grid.numeric]]
    for block in grid.blocks:
        if block.title:
            lines.append([f"*{_in_markdown(block.title)}*", *[""] * (len(grid.header) - 1)])
        lines += [list(map(_markdown_cell, row)) for row in block.rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return table + (f"\n{_in_markdown(grid.caption)}\n" if grid.caption else "")


def _markdown_cell(cell: Cell) -> str:
    text = _in_markdown(cell.text)
    above = f"<sup>{_in_markdown(cell.above)}</sup>" if cell.above else ""
    return (f"**{text}**" if cell.is_best else text) + (r"\*" if cell.is_marked else "") + above


# A bracket or star at the beginning of a row would belong to the line break before.
_LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {mark: f"{{{mark}}}" for mark in "[*"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {"\N{MINUS SIGN}": "$-$", "\N{INFINITY}": r"$\infty$"}
)


def _in_latex(text: str) -> str:
    return on_one_line(text).translate(_LATEX)


def latex(grid: Grid) -> str:
    """Return a tabular, in a float if the grid has a caption."""
    lines = [rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in grid.numeric)}}}", r"\toprule"]
    lines += [_latex_row(map(_in_latex, grid.header)), r"\midrule"]
    for number, block in enumerate(grid.blocks):
        lines += [r"\midrule"] if number else []
        if block.title:
            lines.append(_latex_row([rf"\multicolumn{{{len(grid.header)}}}{{l}}{{{_in_latex(block.title)}}}"]))
        lines += [_latex_row(map(_latex_cell, row)) for row in block.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if grid.caption:
        caption = rf"\caption{{{_in_latex(grid.caption)}}}"
        lines = [r"\begin{table}", r"\centering", caption, *lines, r"\end{table}"]
    return "\n".join([r"% \usepackage{booktabs}", *lines, ""])


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    """Return a cell; its mark takes no width, so that digits stay aligned."""
    text = _in_latex(cell.text)
    above = rf"\textsuperscript{{{_in_latex(cell.above)}}}" if cell.above else ""
    styled = rf"\textbf{{{text}}}" if cell.is_best else rf"{{\footnotesize {text}}}" if cell.is_small else text
    return styled + (r"\rlap{$^{*}$}" if cell.is_marked else "") + above


def as_json(records: Sequence[Record]) -> str:
    """Return one list of objects."""
    return json.dumps([finite(record) for record in records], ensure_ascii=False, indent=1, default=str) + "\n"


def as_jsonl(records: Sequence[Record]) -> str:
    """Return an object per line."""
    return "".join(json.dumps(finite(record), ensure_ascii=False, default=str) + "\n" for record in records)


def finite(record: Record) -> Record:
    """Return the record with None for NaN and infinity, which JSON lacks."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in record.items()
    }


def as_csv(records: Sequence[Record]) -> str:
    """Return a header and a line for each row."""
    rows = (
        ["" if value is None else repr(value) if isinstance(value, float) else value for value in record.values()]
        for record in records
    )
    return "".join(map(_csv_line, [header_of(records), *rows]))


def _csv_line(values: Sequence[Any]) -> str:
    r"""Return one row; with a line terminator of "\r\n" the csv module quotes carriage returns, too."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(values)
    return text.getvalue().removesuffix("\r\n") + "\n"


def as_trec(records: Sequence[Record], counts: Collection[str], names: Mapping[str, str]) -> str:
    """Return trec_eval's three columns with its names; a line runid begins each run."""
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


def render(
    records: Sequence[Record],
    form: str,
    pivot: str | None = "metric",
    counts: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    best: Collection[int] = (),
    screen: Screen | None = None,
) -> str:
    """Return records in a format of ``files.FORMATS``; ``pivot`` is the key whose values become columns."""
    if form in FOR_PEOPLE:
        return lay_out(_shaped(records, pivot, counts, best, has_headings=screen is not None), form, screen)
    return as_trec(records, counts, names or {}) if form == "trec" else _WRITERS[form](records)


def tables(records_by_table: Mapping[str, Sequence[Record]], form: str, screen: Screen | None = None) -> str:
    """Return several tables in a format: one below the other, one object, or rows with the table's name."""
    if form in FOR_PEOPLE:
        return "\n".join(render(records, form, None, screen=screen) for records in records_by_table.values() if records)
    if form == "json":
        finite_records = {name: [finite(record) for record in records] for name, records in records_by_table.items()}
        return json.dumps(finite_records, ensure_ascii=False, indent=1, default=str) + "\n"
    if form == "jsonl":
        return as_jsonl([{"table": name, **record} for name, records in records_by_table.items() for record in records])
    return render(next(iter(records_by_table.values())), form, None)


def lay_out(grid: Grid, form: str, screen: Screen | None = None) -> str:
    """Return a table as ``table``, ``markdown`` or ``latex``."""
    return draw_table(grid, screen) if form == "table" else _LAYOUTS[form](grid)


def cell_of(value: Any, is_count: bool = False, *, is_best: bool = False, is_marked: bool = False) -> Cell:
    """Return a formatted value as a cell."""
    return Cell(format_value(value, is_count), isinstance(value, int | float), is_best, is_marked)


def beside(texts: Sequence[str], numbers: Sequence[str]) -> list[str]:
    """Return each text with its number behind it, aligned in two columns."""
    names = list(map(on_one_line, texts))
    name_width, number_width = max(map(text_width, names), default=0), max(map(len, numbers), default=0)
    return [
        name + " " * (name_width - text_width(name)) + " " + number.rjust(number_width)
        for name, number in zip(names, numbers, strict=True)
    ]


def _shaped(
    records: Sequence[Record], pivot: str | None, counts: Collection[str], best: Collection[int], *, has_headings: bool
) -> Grid:
    """Return a row for each record, or a column per metric where records hold one value each."""
    if pivot is not None and records:
        grid = _pivoted(records, pivot, counts, best)
        return _under_headings(grid) if has_headings else grid
    rows = [
        [cell_of(value, name in counts, is_best=name == "value" and place in best) for name, value in record.items()]
        for place, record in enumerate(records)
    ]
    return Grid(header_of(records), [Block("", rows)])


def _under_headings(grid: Grid) -> Grid:
    """Group runs under headings of their groups of queries, where there are several of both."""
    keys = {tuple(cell.text for cell in row[1 : grid.n_keys]) for row in grid.blocks[0].rows}
    runs = {row[0].text for row in grid.blocks[0].rows}
    several = grid.header[0] == "run_id" and len(runs) > 1 and len(keys) > 1
    return grid.grouped_by(range(1, grid.n_keys)) if several else grid


def _pivoted(records: Sequence[Record], pivot: str, counts: Collection[str], best: Collection[int]) -> Grid:
    metrics = list(dict.fromkeys(record[pivot] for record in records))
    keys = [key for key in records[0] if key not in (pivot, "value", *_NUMBERS)]
    by_key: dict[tuple[Any, ...], dict[str, tuple[Record, Cell]]] = {}
    for place, record in enumerate(records):
        key, metric = tuple(record[name] for name in keys), record[pivot]
        cell = cell_of(record["value"], metric in counts, is_best=place in best)
        by_key.setdefault(key, {})[metric] = record, cell
    lines = list(by_key.values())
    numbers = [column for name in _NUMBERS if name in records[0] for column in _numbers(lines, name, metrics)]
    rows = [
        [
            *map(cell_of, key),
            *(line[metric][1] if metric in line else cell_of(None) for metric in metrics),
            *(cell_of(column[place]) for _, column in numbers),
        ]
        for place, (key, line) in enumerate(by_key.items())
    ]
    header = [*keys, *metrics, *(name for name, _ in numbers)]
    return Grid(header, [Block("", rows)], n_keys=len(keys), can_transpose=True)


def _numbers(
    lines: Sequence[Mapping[str, tuple[Record, Cell]]], name: str, metrics: Sequence[str]
) -> Iterator[tuple[str, list[int | None]]]:
    """Yield the columns of query counts: one for all metrics that agree in every line."""
    alike: dict[tuple[int | None, ...], list[str]] = {}
    for metric in metrics:
        column = tuple(line[metric][0][name] if metric in line else None for line in lines)
        alike.setdefault(column, []).append(metric)
    for column, agreeing in alike.items():
        if name == "n_queries" or any(column):
            yield name if len(alike) == 1 else f"{name} ({', '.join(agreeing)})", [*column]


_NUMBERS = ("n_queries", "n_left_out")  # nobody needs to read that none is left out

_LAYOUTS: Mapping[str, Callable[[Grid], str]] = {"markdown": markdown, "latex": latex}

_WRITERS: Mapping[str, Callable[[Sequence[Record]], str]] = {"csv": as_csv, "json": as_json, "jsonl": as_jsonl}
