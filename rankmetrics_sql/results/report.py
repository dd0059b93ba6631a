"""What is said of results, and the files that it is written to; ``layouts`` has the formats."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..definitions.verdicts import ABOVE, BELOW, FELL, ROSE, direction, interval_level, is_shown
from ..errors import DataError, UsageError, nearest
from .grids import Block, Cell, Grid
from .layouts import Record, as_text, beside, best_of, cell_of, lay_out, number_of_queries, render, without_sign
from .power import finds
from .screens import Screen, paragraph

if TYPE_CHECKING:
    from .result import Explanation

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


# What people read for a value of the column `test` (with the design where that makes it another one) or of an option.
_TESTS = {
    "t": "paired t test",
    "t unpaired": "Welch's t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "mann_whitney": "Mann-Whitney U test",
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap test",
    "sequential": "sequential test",
}
_ALTERNATIVES = {
    "two_sided": "two-sided",
    "greater": "one-sided (candidate greater)",
    "less": "one-sided (candidate less)",
    "equivalence": "two one-sided tests (equivalence)",
}
_CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
_FAMILIES = {"all": "over {}", "metric": "within each metric", "group": "within each group"}
_SETTINGS = {
    "margin": "margin {}",
    "weight": "weighted by {}",
    "cluster": "clusters by {}",
    "covariate": "effects adjusted by {}",
    "power": "power {}",
}

_DRAWN = ("randomisation", "bootstrap")

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
    """What people read of a comparison, how it was tested, and what size of effect it finds.

    Args:
        records: the rows of ``Comparison.summary``.
        options: those of the comparison.
        form: ``table`` and ``markdown`` have a verdict in each row; ``latex`` has systems by metrics, as papers do.
        better: for each metric ``higher``, which is assumed, or ``lower``.
        counts: metrics whose values are counts, which people read without decimals.
        most: how many verdicts are shown, by default all.
        screen: the terminal that a table is for.
        notes: other sentences below it.
        intervals: whether ``latex`` has the interval of each difference; the others always do.
    """
    if not records:
        return "".join(f"{paragraph(text, screen)}\n" for text in ("Nothing was compared.", *notes))
    facts = facts_of(records, options, counts, notes)
    if form == "markdown":
        return lay_out(verdicts(records, options, better, counts, notes=notes), form)
    if form == "latex":
        return lay_out(_systems(records, options, better or {}, counts, facts, intervals=intervals), form)
    shown = records[:most]
    rest = f"{len(records) - len(shown)} more rows are not shown; " if len(shown) < len(records) else ""
    columns, n_keys = _verdicts(shown, options, better or {}, counts), 1 + len(groups_of(shown))
    if max(map(len, lay_out(_grid(columns, n_keys), form).splitlines())) > (screen.width if screen else _WIDTH):
        columns = [column for column in columns if column[0] != _OF_RELATIVE]
    table = lay_out(_grid(columns, n_keys), form, screen)
    below = [rest + tested(records, options), " ".join(facts)]
    return table + "".join(f"{paragraph(text, screen)}\n" for text in below if text)


def facts_of(
    records: Sequence[Record], options: Mapping[str, Any], counts: Collection[str] = (), notes: Sequence[str] = ()
) -> list[str]:
    """Sentences that stand below a comparison: what size of effect it finds, and its notes.

    Args:
        records: the rows of ``Comparison.summary``.
        options: those of the comparison.
        counts: metrics whose values are counts.
        notes: those of the comparison.
    """
    return [*filter(None, [finds(records, options, counts)]), *notes]


def verdicts(
    records: Sequence[Record],
    options: Mapping[str, Any],
    better: Mapping[str, str] | None = None,
    counts: Collection[str] = (),
    said: str | None = None,
    notes: Sequence[str] = (),
) -> Grid:
    """The table that ``comparison`` lays out; there is at least one record.

    Args:
        records: the rows of ``Comparison.summary``.
        options: those of the comparison.
        better: for each metric ``higher``, which is assumed, or ``lower``.
        counts: metrics whose values are counts.
        said: how it was tested, for below; by default what ``tested`` says, and what size of effect it finds.
        notes: other sentences below it.
    """
    columns, n_keys = _verdicts(records, options, better or {}, counts), 1 + len(groups_of(records))
    below = _sentences(tested(records, options), facts_of(records, options, counts, notes)) if said is None else said
    return replace(_grid(columns, n_keys), caption=below)


def _sentences(first: str, others: Sequence[str]) -> str:
    """A line that ends in no full stop by itself, with sentences behind it."""
    return " ".join([f"{first}." if others else first, *others])


_OF_RELATIVE = "its interval"
_Column = tuple[str, list[Cell]]


def _grid(columns: Iterable[_Column], n_keys: int) -> Grid:
    names, cells = zip(*columns, strict=True)
    return Grid(names, [Block("", [*zip(*cells, strict=True)])], n_keys=n_keys, turns=True)


def _verdicts(
    records: Sequence[Record], options: Mapping[str, Any], better: Mapping[str, str], counts: Collection[str]
) -> list[_Column]:
    """Both values, the difference with its interval, and what is significant, for each candidate, metric and group."""
    level = _level(options)
    shares, relative = (
        list(map(_share_interval, records)),
        options["correction"] != "tukey",
    )  # of which none is the baseline
    return [
        *((name, _texts(as_text(record[name]) for record in records)) for name in groups_of(records)),
        ("metric", _texts(record["metric"] for record in records)),
        ("baseline", _named_values(records, "baseline_run", "baseline", counts, better)),
        ("candidate", _named_values(records, "run", "candidate", counts, better)),
        ("difference", _numbers(signed(record.get("effect_size"), record["metric"] in counts) for record in records)),
        (level, _numbers(_effect_interval(record, counts) for record in records)),
        ("verdict", _texts(of_verdict(record, better) for record in records)),
        *([("relative", _numbers(of_share(record.get("rel_effect_size")) for record in records))] if relative else []),
        *([(_OF_RELATIVE, _numbers(shares))] if set(shares) - {_UNKNOWN} else []),
        *_of_power(records, counts),
        (
            "corrected p" if str(options["correction"]) != "none" else "p",
            [
                Cell(of_pvalue(record.get("pvalue_adj")), True, is_marked=is_shown(record["verdict"]))
                for record in records
            ],
        ),
    ]


def _level(options: Mapping[str, Any]) -> str:
    """What intervals are called."""
    return f"{'corrected ' if _is_levelled(options) else ''}{100 * interval_level(options):g}% interval"


def of_verdict(record: Mapping[str, Any], better: Mapping[str, str]) -> str:
    """The verdict as people read it: what a test of ranks says has its numbers, for it is not about the mean."""
    verdict = record["verdict"]
    if verdict in (ROSE, FELL):
        number = record["n_higher" if verdict == ROSE else "n_lower"]
        return f"{number:,} of {record['n_queries']:,} {verdict.rpartition(' ')[2]}"
    return f"{verdict} ({likelier_above(record, better):.2f})" if verdict in (ABOVE, BELOW) else str(verdict)


def likelier_above(record: Mapping[str, Any], better: Mapping[str, str]) -> float:
    """How probable a value of the candidate above one of the baseline is, half of what is equal counted."""
    probability = float(record["prob_superiority"])
    return 1 - probability if better.get(record["metric"]) == "lower" else probability


def _of_power(records: Sequence[Record], counts: Collection[str]) -> list[_Column]:
    """What could be found, where a power was asked for."""
    if "min_detectable_effect" not in records[0]:
        return []
    least = (as_text(record["min_detectable_effect"], record["metric"] in counts) for record in records)
    needed = (as_text(record["n_queries_needed"], True) for record in records)
    return [("detectable", _numbers(least)), ("queries needed", _numbers(needed))]


def _effect_interval(record: Record, counts: Collection[str]) -> str:
    write = partial(as_text, is_count=record["metric"] in counts)
    return of_interval(*_ends(record, "effect_size"), write, alternative=record["alternative"])


def _share_interval(record: Record) -> str:
    """An open one begins where the candidate would be nothing."""
    return of_interval(*_ends(record, "rel_effect_size"), of_share, least="-100%", alternative=record["alternative"])


def _ends(record: Record, effect: str) -> tuple[float | None, float | None]:
    return record.get(f"{effect}_ci_lower"), record.get(f"{effect}_ci_upper")


def _texts(texts: Iterable[str]) -> list[Cell]:
    return [Cell(text) for text in texts]


def _numbers(texts: Iterable[str]) -> list[Cell]:
    return [Cell(text, is_number=True) for text in texts]


def _named_values(
    records: Sequence[Record], name: str, value: str, counts: Collection[str], better: Mapping[str, str]
) -> list[Cell]:
    """The better one of both is the best."""
    values = [as_text(record[value], record["metric"] in counts) for record in records]
    texts = beside([str(record[name]) for record in records], values)
    wins = {"baseline": "worse", "candidate": "better"}[value]
    return [Cell(text, is_best=direction(record, better) == wins) for text, record in zip(texts, records, strict=True)]


def groups_of(records: Sequence[Record]) -> list[str]:
    """The columns that say which group of queries a row of a comparison, or of a summary with its runs, is of."""
    names = list(records[0]) if records else []
    last_of_run = "baseline_run" if "baseline_run" in names else "run_id"
    return names[names.index(last_of_run) + 1 : names.index("metric")] if names else []


def _systems(
    records: Sequence[Record],
    options: Mapping[str, Any],
    better: Mapping[str, str],
    counts: Collection[str],
    facts: Sequence[str],
    *,
    intervals: bool,
) -> Grid:
    """The value of each metric for the baseline and the candidates below it, in blocks over the same queries.

    Intervals are those of the differences from the baseline; one stands below the value of its candidate.
    """
    has_intervals = intervals and any(_print_interval(record, counts) != _UNKNOWN for record in records)
    metrics = list(dict.fromkeys(record["metric"] for record in records))
    blocks = _split(records, groups_of(records))
    titles = [title_of(key, own) if len(blocks) > 1 or key else "" for key, own in blocks]
    rows = [_rows(own, metrics, better, counts, intervals=has_intervals) for _, own in blocks]
    lowest = [metric for metric in metrics if better.get(metric) == "lower"]
    best = "best values in bold" + (f" (the lowest of {', '.join(lowest)})" if lowest else "")
    how = " ".join([f"{capitalised(tested(records, options))}.", *facts])
    below = f" Below a value is the {_level(options)} of its difference from the baseline." if has_intervals else ""
    caption = f"Baseline {records[0]['baseline_run']}, {best}.{below} {how}"
    return Grid(["run", *metrics], [*map(Block, titles, rows)], caption)


_Key = tuple[tuple[str, Any], ...]


def _split(records: Sequence[Record], groups: Sequence[str]) -> list[tuple[_Key, list[Record]]]:
    """The records of each group; of each candidate, too, where the baseline has a value of its own beside it.

    That is so where candidates have other queries in common with the baseline.
    """
    baselines: dict[tuple[Any, ...], set[str]] = {}
    for record in records:
        own = (record["metric"], *map(record.get, groups))
        baselines.setdefault(own, set()).add(as_text(record["baseline"]))
    names = groups if all(len(found) == 1 for found in baselines.values()) else [*groups, "run"]
    blocks: dict[_Key, list[Record]] = {}
    for record in records:
        blocks.setdefault(tuple((name, record[name]) for name in names), []).append(record)
    return [*blocks.items()]


def title_of(key: _Key, records: Sequence[Record]) -> str:
    """The title of a block: its groups, and how many queries it is over."""
    return ", ".join([*(f"{name}: {as_text(value)}" for name, value in key), number_of_queries(records)])


def _rows(
    records: Sequence[Record],
    metrics: Sequence[str],
    better: Mapping[str, str],
    counts: Collection[str],
    *,
    intervals: bool,
) -> list[list[Cell]]:
    """A row for the baseline and one for each candidate, with the best value of each metric; below it the intervals."""
    candidates = list(dict.fromkeys(record["run"] for record in records))
    rows = [[Cell(str(name))] for name in (records[0]["baseline_run"], *candidates)]
    for metric in metrics:
        own = {record["run"]: record for record in records if record["metric"] == metric}
        values = [next((record["baseline"] for record in own.values()), None)]
        values += [own[name]["candidate"] if name in own else None for name in candidates]
        marks = [False, *(is_shown(own.get(name, {}).get("verdict")) for name in candidates)]
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
    """The rows of candidates, each with its intervals below it if there are any."""
    found = {(record["run"], record["metric"]): _print_interval(record, counts) for record in records}
    for row, name in zip(rows, candidates, strict=True):
        yield row
        texts = [found.get((name, metric), _UNKNOWN) for metric in metrics]
        if {*texts} - {_UNKNOWN}:
            yield [Cell(""), *(Cell(text, is_number=True, is_small=True) for text in texts)]


def _print_interval(record: Record, counts: Collection[str]) -> str:
    """The interval of a difference with the signs that print has."""
    text = _effect_interval(record, counts)
    return text if text == _UNKNOWN else text.replace("-", "\N{MINUS SIGN}").replace("inf", "\N{INFINITY}")


def capitalised(text: str) -> str:
    """A text that begins a sentence."""
    return text[:1].upper() + text[1:]


def tested(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    """One line about what was tested, and how.

    Args:
        records: the rows of ``Comparison.summary``.
        options: those of the comparison.
    """
    return ", ".join(
        [
            _tests(records, options),
            _ALTERNATIVES.get(str(options["alternative"]), str(options["alternative"])),
            *(said.format(options[name]) for name, said in _SETTINGS.items() if options.get(name)),
            *([f"{options['resamples']:,} draws"] if _draws(records, options) else []),
            *_limits(options.get("limits") or {}),
            *(["BCa intervals"] if options.get("bootstrap_interval") == "bca" else []),
            *(["linear relative intervals"] if options.get("relative_interval") == "linear" else []),
            _corrected(records, options),
            *([] if _is_alone(records) else [_number(records), _mark(options)]),
        ]
    )


def _number(records: Sequence[Record]) -> str:
    left_out = max((record.get("n_left_out") or 0 for record in records), default=0)
    return number_of_queries(records) + (f" ({left_out:,} left out)" if left_out else "")


def _is_alone(records: Sequence[Record]) -> bool:
    """Whether there is one query, of which nothing can be tested."""
    return all(record["n_queries"] == 1 and record.get("pvalue") is None for record in records)


def _limits(limits: Mapping[str, float]) -> list[str]:
    """What the metrics are tested against, where losses are allowed."""
    if len(set(limits.values())) > 1:
        return ["against losses of " + ", ".join(f"{limit:g} ({metric})" for metric, limit in limits.items())]
    return [f"against a loss of {limit:g}" for limit in set(limits.values())]


def _mark(options: Mapping[str, Any]) -> str:
    """What an asterisk says."""
    level = f"p at most {1 - float(options['confidence_level']):.4g}"
    if not options.get("margin"):
        return f"* {level}"
    if options["alternative"] == "equivalence":
        return f"* within {options['margin']:g}, {level}"
    side = "higher" if options["alternative"] == "less" else "lower"
    return f"* not {side} by more than {options['margin']:g}, {level}"


def _tests(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    """The tests that gave p-values; a test without a name here has that of its column."""
    known = [record for record in records if record.get("pvalue") is not None] or records
    found = dict.fromkeys(str(record.get("test", "t")) for record in known)
    tests = " and ".join(_TESTS.get(f"{test} {options['design']}", _TESTS.get(test, test)) for test in found)
    methods = _methods(records)
    return f"{tests} ({'exact' if methods == {'exact'} else 'partly exact'})" if "exact" in methods else tests


def _methods(records: Sequence[Record]) -> set[str]:
    """How p-values were found, where a test has several ways."""
    return {record["method"] for record in records if record.get("pvalue") is not None and "method" in record}


def _draws(records: Sequence[Record], options: Mapping[str, Any]) -> bool:
    """Whether a p-value is of draws."""
    return options.get("test") in _DRAWN and _methods(records) != {"exact"}


def _corrected(records: Sequence[Record], options: Mapping[str, Any]) -> str:
    correction, family = str(options["correction"]), str(options["family"])
    if correction == "none":
        return "p not corrected"
    number = sum(record.get("pvalue") is not None for record in records)
    if not number:
        return "no test: one query" if _is_alone(records) else "no p-value"
    where = _FAMILIES.get(family, family).format("1 test" if number == 1 else f"all {number:,} tests")
    what = "p and intervals" if _is_levelled(options) else "p"
    return f"{what} corrected {where} ({_CORRECTIONS.get(correction, correction)})"


def _is_levelled(options: Mapping[str, Any]) -> bool:
    """Whether intervals are at the level of the correction."""
    return options.get("interval_level") == "corrected"


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
        ends = of_interval(row.pop("ci_lower"), row.pop("ci_upper"))
        del row["standard_error"]
        place = [*row].index("value") + 1
        shown.append(dict([*row.items()][:place]) | {title: ends} | dict([*row.items()][place:]))
    return shown


_UNKNOWN = as_text(None)


def of_interval(
    lower: float | None,
    upper: float | None,
    write: Callable[[float | None], str] = as_text,
    least: str = "-inf",
    alternative: str = "two_sided",
) -> str:
    """An interval as people read it.

    Args:
        lower: its lower end, None where it is open or unknown.
        upper: its upper end, likewise.
        write: writes an end.
        least: what an open interval begins with.
        alternative: that of the test: ``greater`` leaves the upper end open, and ``less`` the lower one. Another end
            that is missing is unknown.
    """
    if lower is None and upper is None:
        return _UNKNOWN
    missing = {"less": f"({least}", "greater": "inf)"}.get(alternative)
    begin = f"[{write(lower)}" if lower is not None else missing if alternative == "less" else f"[{_UNKNOWN}"
    end = f"{write(upper)}]" if upper is not None else missing if alternative == "greater" else f"{_UNKNOWN}]"
    return f"{begin}, {end}"


def of_share(value: float | None) -> str:
    """A relative change as people read it."""
    return _UNKNOWN if value is None else f"{without_sign(f'{100 * value:+.1f}')}%"


def of_pvalue(value: float | None) -> str:
    """A p-value as people read it."""
    return "<0.0001" if value is not None and value < 0.0001 else as_text(value)


def explanation(found: Explanation, run: str, top: int, screen: Screen | None = None) -> str:
    """What an explanation says, for people: the values, what each choice does, the queries that move most.

    Args:
        found: it.
        run: the name of the run.
        top: how many queries are shown.
        screen: the terminal that tables are for.
    """
    here, there = found.profile, found.against
    apart = "" if None in (found.value, found.against_value) else f", {found.value - found.against_value:+.4f}"  # type: ignore[operator]
    lines = [
        f"{found.metric} of {run}: {as_text(found.value)} by {here}, {as_text(found.against_value)} by {there}{apart}",
    ]
    if not found.choices:
        return "\n".join([*lines, "The two profiles make the same choices for this metric."])
    alone = [{**choice, "difference": signed(choice["difference"])} for choice in found.choices]
    rest = "" if found.together is None else f"Together beyond the sum of these: {found.together:+.4f}\n"
    lines += [f"\n{there} with one choice of {here} at a time:\n", render(alone, "table", None, screen=screen) + rest]
    moved = [query for query in found.queries if query["difference"]]
    if moved and top:
        queries = [{**query, "difference": signed(query["difference"])} for query in moved[:top]]
        lines += [
            f"The queries that move most, {len(queries)} of {len(moved)}:\n",
            render(queries, "table", None, screen=screen),
        ]
    return "\n".join(lines).rstrip()


def explanation_json(found: Explanation, top: int) -> str:
    """The same for programs, as one object."""
    shown = {name: value for name, value in vars(found).items() if name not in ("sql", "warnings")}
    return json.dumps(shown | {"queries": found.queries[:top]}, ensure_ascii=False, indent=1, default=str)


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
    return value if rank is None else f"{as_text(value)} ({rank})"


def signed(value: float | None, is_count: bool = False) -> str:
    """A difference as people read it."""
    return _UNKNOWN if value is None else without_sign(f"{value:+.0f}" if is_count else f"{value:+.4f}")


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
