"""The tables of a comparison: a verdict in each row, or for papers runs by metrics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..definitions.verdicts import direction, format_verdict, is_shown
from ..rows import Record
from .comparison_text import capitalised, describe_test, facts_of, level_title
from .formats import beside, cell_of, lay_out
from .numbers import (
    UNKNOWN,
    best_of,
    format_difference,
    format_interval,
    format_pvalue,
    format_share,
    format_value,
    number_of_queries,
)
from .summary_rows import groups_of
from .text_tables import Block, Cell, Grid, Screen, paragraph

_WIDTH = 120  # of a table in the terminal, beyond which the intervals of relative changes are left out


def comparison(
    records: Sequence[Record],
    options: Mapping[str, Any],
    form: str = "table",
    better: Mapping[str, str] | None = None,
    counts: Collection[str] = (),
    most: int | None = None,
    screen: Screen | None = None,
    notes: Sequence[str] = (),
    intervals: bool = True,
) -> str:
    """Return a comparison as text; ``latex`` has a row per run, other formats a row per verdict."""
    if not records:
        return "".join(f"{paragraph(text, screen)}\n" for text in ("Nothing was compared.", *notes))
    facts = facts_of(records, options, counts, notes)
    if form == "markdown":
        return lay_out(verdicts(records, options, better, counts, notes=notes), form)
    if form == "latex":
        return lay_out(_systems(records, options, better or {}, counts, facts, intervals=intervals), form)
    first_records = records[:most]
    rest = f"{len(records) - len(first_records)} more rows are not shown; " if len(first_records) < len(records) else ""
    columns, n_keys = _verdicts(first_records, options, better or {}, counts), 1 + len(groups_of(first_records))
    if max(map(len, lay_out(_grid(columns, n_keys), form).splitlines())) > (screen.width if screen else _WIDTH):
        columns = [column for column in columns if column[0] != _OF_RELATIVE]
    table = lay_out(_grid(columns, n_keys), form, screen)
    below = [rest + describe_test(records, options), " ".join(facts)]
    return table + "".join(f"{paragraph(text, screen)}\n" for text in below if text)


def verdicts(
    records: Sequence[Record],
    options: Mapping[str, Any],
    better: Mapping[str, str] | None = None,
    counts: Collection[str] = (),
    said: str | None = None,
    notes: Sequence[str] = (),
) -> Grid:
    """Return a row for each verdict; the caption defaults to how it was tested and what effect it finds."""
    columns, n_keys = _verdicts(records, options, better or {}, counts), 1 + len(groups_of(records))
    below = (
        sentences(describe_test(records, options), facts_of(records, options, counts, notes)) if said is None else said
    )
    return replace(_grid(columns, n_keys), caption=below)


def sentences(first: str, more: Sequence[str]) -> str:
    """Return a line with sentences behind it, and a full stop between them."""
    return " ".join([f"{first}." if more else first, *more])


_OF_RELATIVE = "its interval"

_TitledCells = tuple[str, list[Cell]]


def _grid(columns: Iterable[_TitledCells], n_keys: int) -> Grid:
    names, cells = zip(*columns, strict=True)
    return Grid(names, [Block("", [*zip(*cells, strict=True)])], n_keys=n_keys, can_transpose=True)


def _verdicts(
    records: Sequence[Record], options: Mapping[str, Any], better: Mapping[str, str], counts: Collection[str]
) -> list[_TitledCells]:
    """Return the columns of the table of verdicts, each with its title."""
    level = level_title(options)
    shares, relative = (
        list(map(_share_interval, records)),
        options["correction"] != "tukey",
    )  # of which none is the baseline
    return [
        *((name, _texts(format_value(record[name]) for record in records)) for name in groups_of(records)),
        ("metric", _texts(record["metric"] for record in records)),
        ("baseline", _named_values(records, "baseline_run", "baseline", counts, better)),
        ("candidate", _named_values(records, "run", "candidate", counts, better)),
        (
            "difference",
            _numbers(format_difference(record.get("effect_size"), record["metric"] in counts) for record in records),
        ),
        (level, _numbers(_effect_interval(record, counts) for record in records)),
        *_of_unjudged(records, counts),
        ("verdict", _texts(format_verdict(record, better) for record in records)),
        *(
            [("relative", _numbers(format_share(record.get("rel_effect_size")) for record in records))]
            if relative
            else []
        ),
        *([(_OF_RELATIVE, _numbers(shares))] if set(shares) - {UNKNOWN} else []),
        *_of_power(records, counts),
        (
            "corrected p" if str(options["correction"]) != "none" else "p",
            [
                Cell(format_pvalue(record.get("pvalue_adj")), True, is_marked=is_shown(record["verdict"]))
                for record in records
            ],
        ),
    ]


def _of_unjudged(records: Sequence[Record], counts: Collection[str]) -> list[_TitledCells]:
    """Return the range of each difference that unjudged items leave, if it was asked for."""
    if "effect_low" not in records[0]:
        return []
    cells = []
    for record in records:
        write = partial(format_difference, is_count=record["metric"] in counts)
        low, high = record["effect_low"], record["effect_high"]
        cells.append(UNKNOWN if low is None else f"{write(low)} to {write(high)}")
    return [("if all were judged", _numbers(cells))]


def _of_power(records: Sequence[Record], counts: Collection[str]) -> list[_TitledCells]:
    """Return the smallest effect that could be found, if a power was asked for."""
    if "min_detectable_effect" not in records[0]:
        return []
    least = (format_value(record["min_detectable_effect"], record["metric"] in counts) for record in records)
    sizes = (format_value(record["n_queries_needed"], True) for record in records)
    return [("detectable", _numbers(least)), ("queries needed", _numbers(sizes))]


def _effect_interval(record: Record, counts: Collection[str]) -> str:
    write = partial(format_value, is_count=record["metric"] in counts)
    return format_interval(*_ends(record, "effect_size"), write, alternative=record["alternative"])


def _share_interval(record: Record) -> str:
    """Return the interval of a relative effect; an open one begins at -100%."""
    return format_interval(
        *_ends(record, "rel_effect_size"), format_share, least="-100%", alternative=record["alternative"]
    )


def _ends(record: Record, effect: str) -> tuple[float | None, float | None]:
    return record.get(f"{effect}_ci_lower"), record.get(f"{effect}_ci_upper")


def _texts(texts: Iterable[str]) -> list[Cell]:
    return [Cell(text) for text in texts]


def _numbers(texts: Iterable[str]) -> list[Cell]:
    return [Cell(text, is_number=True) for text in texts]


def _named_values(
    records: Sequence[Record], name: str, value: str, counts: Collection[str], better: Mapping[str, str]
) -> list[Cell]:
    """Return runs with their values; the better one of both is bold."""
    values = [format_value(record[value], record["metric"] in counts) for record in records]
    texts = beside([str(record[name]) for record in records], values)
    wins = {"baseline": "worse", "candidate": "better"}[value]
    return [Cell(text, is_best=direction(record, better) == wins) for text, record in zip(texts, records, strict=True)]


def _systems(
    records: Sequence[Record],
    options: Mapping[str, Any],
    better: Mapping[str, str],
    counts: Collection[str],
    facts: Sequence[str],
    *,
    intervals: bool,
) -> Grid:
    """Return a row per run and a column per metric, in blocks over the same queries."""
    has_intervals = intervals and any(_print_interval(record, counts) != UNKNOWN for record in records)
    metrics = list(dict.fromkeys(record["metric"] for record in records))
    blocks = _split(records, groups_of(records))
    titles = [title_of(key, block) if len(blocks) > 1 or key else "" for key, block in blocks]
    rows = [_rows(block, metrics, better, counts, intervals=has_intervals) for _, block in blocks]
    lowest = [metric for metric in metrics if better.get(metric) == "lower"]
    best = "best values in bold" + (f" (the lowest of {', '.join(lowest)})" if lowest else "")
    how = " ".join([f"{capitalised(describe_test(records, options))}.", *facts])
    below = (
        f" Below a value is the {level_title(options)} of its difference from the baseline." if has_intervals else ""
    )
    caption = f"Baseline {records[0]['baseline_run']}, {best}.{below} {how}"
    return Grid(["run", *metrics], [*map(Block, titles, rows)], caption)


_Key = tuple[tuple[str, Any], ...]


def _split(records: Sequence[Record], groups: Sequence[str]) -> list[tuple[_Key, list[Record]]]:
    """Return the records of each group, and of each candidate if baselines differ between candidates."""
    baselines: dict[tuple[Any, ...], set[str]] = {}
    for record in records:
        key = (record["metric"], *map(record.get, groups))
        baselines.setdefault(key, set()).add(format_value(record["baseline"]))
    names = groups if all(len(runs) == 1 for runs in baselines.values()) else [*groups, "run"]
    blocks: dict[_Key, list[Record]] = {}
    for record in records:
        blocks.setdefault(tuple((name, record[name]) for name in names), []).append(record)
    return [*blocks.items()]


def title_of(key: _Key, records: Sequence[Record]) -> str:
    """Return the title of a block: its groups, and how many queries it is over."""
    return ", ".join([*(f"{name}: {format_value(value)}" for name, value in key), number_of_queries(records)])


def _rows(
    records: Sequence[Record],
    metrics: Sequence[str],
    better: Mapping[str, str],
    counts: Collection[str],
    *,
    intervals: bool,
) -> list[list[Cell]]:
    """Return a row for the baseline and each candidate, with their intervals below if asked for."""
    candidates = list(dict.fromkeys(record["run"] for record in records))
    rows = [[Cell(str(name))] for name in (records[0]["baseline_run"], *candidates)]
    for metric in metrics:
        of_run = {record["run"]: record for record in records if record["metric"] == metric}
        values = [next((record["baseline"] for record in of_run.values()), None)]
        values += [of_run[name]["candidate"] if name in of_run else None for name in candidates]
        marks = [False, *(is_shown(of_run.get(name, {}).get("verdict")) for name in candidates)]
        best = best_of(values, better.get(metric, "higher"), metric in counts)
        for place, (row, value, mark) in enumerate(zip(rows, values, marks, strict=True)):
            row.append(cell_of(value, metric in counts, is_best=place in best, is_marked=mark))
    return [rows[0], *_with_intervals(rows[1:], candidates, records, metrics, counts)] if intervals else rows


def _with_intervals(
    rows: Sequence[list[Cell]],
    candidates: Sequence[str],
    records: Sequence[Record],
    metrics: Sequence[str],
    counts: Collection[str],
) -> Iterator[list[Cell]]:
    """Yield the rows of candidates, each with a row of its intervals below."""
    intervals = {(record["run"], record["metric"]): _print_interval(record, counts) for record in records}
    for row, name in zip(rows, candidates, strict=True):
        yield row
        texts = [intervals.get((name, metric), UNKNOWN) for metric in metrics]
        if {*texts} - {UNKNOWN}:
            yield [Cell(""), *(Cell(text, is_number=True, is_small=True) for text in texts)]


def _print_interval(record: Record, counts: Collection[str]) -> str:
    """Return the interval of a difference with typographic signs."""
    text = _effect_interval(record, counts)
    return text if text == UNKNOWN else text.replace("-", "\N{MINUS SIGN}").replace("inf", "\N{INFINITY}")
