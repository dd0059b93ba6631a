"""Gathers the contents of a page from public results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import charts
from ..charts.differences import MOST_BARS
from ..definitions.catalogue import options as known_options
from ..definitions.verdicts import interval_level
from ..errors import DatabaseError, RankmetricsError
from ..pipeline.header import facts_of_sources
from ..results.comparison import Comparison
from ..results.heterogeneity import said as differing_said
from ..results.movements import Movements
from ..results.plots import has_time
from ..results.records import groups_of
from ..results.values import Result
from ..results.verdicts import describe_test, facts_of, reasons_of
from . import tables, words
from .asking import Asked
from .contents import Page
from .queries import Changes, Worst, changes, worst

_MOST_METRICS = 4  # that are drawn
_ADDRESS = re.compile(r"\b[\w+]+://[^\s,;]+")
_LISTS, _DEPTH = 5, 10  # queries whose lists are drawn, and how many ranks of them


def gather(asked: Asked) -> Page:
    """Asks for all that is on the page.

    Args:
        asked: the evaluation or comparison.

    Raises:
        RankmetricsError: as of the evaluation and the comparison.
    """
    overall = asked.values()
    records = overall.summary.dicts()
    names = list(dict.fromkeys(str(row["run_id"]) for row in records if "run_id" in row))
    page = Page(_title(names, asked.baseline), check=overall.check)
    first = asked.baseline or (names[0] if names else None)
    comparison = _comparison(asked, names, first, page)
    level = _level(asked)
    if comparison is None:
        page.verdict += words.of_values(records, overall.counts, level)
    else:
        _compared(page, comparison)
        page.verdict += words.describe_missing(records, comparison.summary.dicts())
    title = f"Values{asked.of_values}"
    page.grids.append(tables.values(records, overall.counts, level, title=title))
    _draw_overall(page, title, records, comparison)
    if asked.has_groups:
        _segments(page, asked, first if comparison is not None else None, level)
    _queries(page, asked, overall, comparison, first)
    _background(page, asked, overall)
    return page


def _title(names: Sequence[str], baseline: str | None) -> str:
    if len(names) < 2:
        return "Ranking metrics" + (f" of {tables.shown(names[0])}" if names else "")
    first = baseline or names[0]
    others = [name for name in names if name != first]
    said = tables.shown(others[0]) if len(others) == 1 else f"{len(others)} runs"
    return f"{said} against {tables.shown(first)}"


def _level(asked: Asked) -> str:
    return f"{100 * float(str(asked.choices.options['confidence_level'])):g} % interval"


def _level_of(options: Mapping[str, Any]) -> str:
    """Return the title of the intervals of a comparison."""
    return f"{100 * interval_level(options):g} % interval"


def _comparison(asked: Asked, names: Sequence[str], first: str | None, page: Page) -> Comparison | None:
    if first is None or len(names) < 2:
        return None
    if not asked.has_runs:
        why = "Runs are not compared: they are in one table; name its column of runs as labelled() does."
        page.verdict.append(words.Sentence("note", why))
        return None
    return asked.differences(first)


def _compared(page: Page, comparison: Comparison) -> None:
    records = comparison.summary.dicts()
    page.verdict = words.verdict(records, comparison.options, comparison.better, comparison.counts)
    page.tested = describe_test(records, comparison.options)
    facts = facts_of(records, comparison.options, comparison.counts, comparison.notes)
    said = reasons_of(records) if len(records) <= words.MOST_SENTENCES else []  # in the sentences
    page.facts = [fact for fact in facts if fact not in said]
    level = _level_of(comparison.options)
    page.grids.append(tables.differences(records, (), comparison.better, comparison.counts, level))
    page.warnings += comparison.warnings
    page.statements.append(("The differences", comparison.sql))


def _draw_overall(page: Page, title: str, records: Sequence[Mapping[str, Any]], comparison: Comparison | None) -> None:
    if comparison is not None:
        rows = _first_metrics(comparison.summary.dicts())
        page.figures.append(page.figure("Differences", charts.effects(_named(rows))))
    chosen = _first_metrics(records)
    page.figures.append(page.figure(title, charts.segments(_named(chosen))))
    number = len({record["metric"] for record in records})
    if number > _MOST_METRICS:
        page.notes.append(f"Charts show the first {_MOST_METRICS} of {number} metrics; the tables have all of them.")


def _first_metrics(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    kept = list(dict.fromkeys(record["metric"] for record in records))[:_MOST_METRICS]
    return [record for record in records if record["metric"] in kept]


def _named(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with names as the page shows them, so that a long one does not fill a chart."""
    return [
        {name: tables.shown(value) if isinstance(value, str) else value for name, value in record.items()}
        for record in records
    ]


def _segments(page: Page, asked: Asked, first: str | None, level: str) -> None:
    """The groups of --by."""
    result = asked.values(in_segments=True)
    records = result.summary.dicts()
    if first is not None:
        comparison = asked.differences(first, in_segments=True)
        rows = comparison.summary.dicts()
        shown = rows, groups_of(rows), comparison.better, comparison.counts, _level_of(comparison.options)
        page.segments.append(tables.differences(*shown, name="segment-differences"))
        differing = _differing(comparison)
        page.segment_verdict = [words.Sentence("note", text) for text in differing]
        page.segment_verdict += words.of_segments(rows, groups_of(rows), comparison.counts)
        notes = [note for note in comparison.notes if note not in differing]
        facts = facts_of(rows, comparison.options, comparison.counts, notes)
        said = f"Differences in segments: {describe_test(rows, comparison.options)}."
        page.notes.append(" ".join([said, *facts]))
        page.warnings += comparison.warnings
        page.statements.append(("The differences in segments", comparison.sql))
        drawn_rows = charts.effects(_named(_first_metrics(rows)))
        page.segment_figures.append(page.figure("Differences in segments", drawn_rows))
    title = f"Values{asked.of_values}"
    page.segments.append(tables.values(records, result.counts, level, name="segment-values", title=title))
    drawn = charts.over_time if has_time(result.summary) else charts.segments
    page.segment_figures.append(
        page.figure(f"Values in segments{asked.of_values}", drawn(_named(_first_metrics(records))))
    )
    page.warnings += result.warnings
    page.statements.append(("The values in segments", result.sql))


def _differing(comparison: Comparison) -> list[str]:
    """The sentences on whether the effect differs between the segments."""
    if comparison.heterogeneity is None:
        return []
    return differing_said(comparison.heterogeneity.dicts(), comparison.summary.dicts(), comparison.options)


def _queries(page: Page, asked: Asked, overall: Result, comparison: Comparison | None, first: str | None) -> None:
    if comparison is None:
        lowest = worst(overall, _LISTS)
        page.changes, metrics = lowest.grid, [*overall.metrics][:_MOST_METRICS]
        values = charts.distribution(_named(lowest.rows), metrics)
        page.query_figures.append(page.figure("Values of queries", values))
        _rankings(page, asked, first, lowest)
        return
    found = changes(comparison, _LISTS)
    if found is None:
        page.without_lists = "Queries are not compared: the runs answered queries of their own."
        return
    page.changes, page.is_changed = found.grid, True
    for (run, metric), rows in found.drawn.items():
        better, what = comparison.better.get(metric, "higher"), f"{tables.shown(metric)} of {tables.shown(run)}"
        if len(rows) > MOST_BARS:
            counted = charts.histogram(rows, better)
            page.query_figures.append(page.figure(f"{what}: how many queries changed how much", counted))
        if not found.is_cut:
            page.query_figures.append(page.figure(f"{what}, by query", charts.differences(rows, better)))
    if comparison.per_query is not None:
        page.statements.append(("The differences by query", asked.text_of_changes(str(first))))
    _lists(page, asked, str(first), found)


def _lists(page: Page, asked: Asked, first: str, found: Changes) -> None:
    """The rankings of the queries that changed most, where there are any."""
    if not found.most_changed:
        return
    candidate = next(iter(found.drawn))[0]
    moved = _moved(page, found.most_changed, partial(asked.lists, first, candidate))
    if moved is None:
        return
    rows = [row for row in moved.summary.dicts() if row["run"] == candidate]
    _draw_lists(page, rows, found.most_changed, found.keys, charts.beads)


def _rankings(page: Page, asked: Asked, name: str | None, found: Worst) -> None:
    """The rankings of the queries that are worst, of the first run."""
    moved = _moved(page, found.names, partial(asked.lists_of_one, name))
    if moved is not None:
        rows = [{**row, "run_id": row["run"], "rank": row["candidate_rank"]} for row in moved.summary.dicts()]
        _draw_lists(page, rows, found.names, found.keys, charts.ranking)


def _moved(
    page: Page, names: Sequence[tuple[Any, ...]], ask: Callable[[list[Any], int], Movements]
) -> Movements | None:
    """The lists of queries; None where there are no queries, or no lists, which the report then says."""
    if not names:
        return None
    try:
        moved = ask([key[0] if len(key) == 1 else key for key in names], _DEPTH)
    except RankmetricsError as error:
        page.without_lists = f"Lists are not shown: {_without_address(error)}"
        return None
    page.statements.append(("The lists", moved.sql))
    return moved


def _without_address(error: RankmetricsError) -> str:
    """What went wrong, without what says where the database is and who asks it: pages are mailed."""
    if isinstance(error, DatabaseError):
        return "the database refused the statement."
    return _ADDRESS.sub("the database", str(error))


def _draw_lists(
    page: Page,
    rows: Sequence[Mapping[str, Any]],
    names: Sequence[tuple[Any, ...]],
    keys: Sequence[str],
    draw: Callable[[list[dict[str, Any]], str], Any],
) -> None:
    for key in names:
        own = [row for row in rows if tuple(row[name] for name in keys) == tuple(key)]
        if own:
            title = f"Query {', '.join(map(tables.shown, key))}"
            page.lists.append(page.figure(title, draw(_named(own), keys[0])))


def _background(page: Page, asked: Asked, overall: Result) -> None:
    page.warnings = list(dict.fromkeys([*overall.warnings, *page.warnings]))
    if overall.data_quality is not None:
        page.quality = tables.quality(overall.data_quality.dicts())
    page.judged = words.describe_judged(*overall.judged_first()) if overall.judged_first is not None else []
    page.statements.insert(0, ("The values", overall.sql))
    page.rules = facts_of_sources(asked.evaluation.sources)
    for name, value in asked.options.items():
        option = known_options()[name]
        page.choices.append((name, _said(value), value == option.default, option.help))


def _said(value: Any) -> str:
    return "none" if value is None else str(value)
