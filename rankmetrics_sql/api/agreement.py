"""Measure how far judges agree, item by item, and whether they rank systems alike."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Unpack

from ..checks import InputInspector
from ..checks.ids import check_id_types
from ..checks.numbers import check_numbers
from ..checks.rows import check_rows
from ..definitions.resolution import Choices, ResolvedMetric, refuse, resolve_metrics
from ..engines import Engine
from ..errors import DataError, UsageError, shortened
from ..inputs.binding import check_columns, name_meanings
from ..inputs.columns import MetricRequirements
from ..inputs.objects import maps_names
from ..inputs.reader import Reader
from ..inputs.references import Consensus, OfJudge
from ..pipeline.planning import check_query_columns, place
from ..pipeline.scores import score
from ..plan import Plan
from ..relation import Relation
from ..results.evaluation import Result
from ..results.sensitivity import Agreement
from .keywords import Common, choices_of, column_map, make_request, prepared, public
from .measures_of_agreement import (
    NOTHING,
    Cells,
    Distance,
    Measure,
    alpha,
    fleiss,
    gwet,
    kappa,
    linear,
    nominal,
    observed,
    quadratic,
)
from .place import opened
from .ranks import ranked, scipy_stats, tau

# A measure of a row by its prefix, and how far apart grades are for it.
_KAPPAS: Mapping[str, Distance] = {"kappa": nominal, "linear_kappa": linear, "quadratic_kappa": quadratic}
_PARTS = ("pair", "both", "two", "share")
_MOST_GRADES = 200
_NO_SPREAD = 1e-12  # from so few or so like queries nothing follows for others
_MOST_SLOPES = 5000  # rows of numbers in a statement
_TWO = ("a", "b")


@public("connection", "columns", "profile", "input_format")
def agreement(
    qrels_a: Any,
    qrels_b: Any = None,
    runs: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    judge: str | None = None,
    grades: Sequence[float] | None = None,
    **common: Unpack[Common],
) -> Agreement:
    """Measures how far judges agree, and whether they rank runs alike.

    The judges are two sets of judgments, a mapping of several by name, or a table with a column of judges. The database
    counts grades side by side: Cohen's kappa of each two judges (Cohen 1960, 1968), Krippendorff's alpha (Krippendorff
    2019), Gwet's AC1 and AC2 (Gwet 2014) and Fleiss' kappa (Fleiss 1971) of all follow from these counts. Items may
    lack judges. Intervals take queries as clusters, because the items of a query are alike. If you pass runs, each is
    scored by each judge, and Kendall's tau-b compares the rankings, which needs SciPy.

    Args:
        qrels_a: judgments, as in ``evaluate``; or alone ``{judge: judgments}``, or a table with ``judge=``.
        qrels_b: the judgments to compare with.
        runs: runs to rank by each judge.
        metrics: the metrics that rank the runs.
        judge: the column of ``qrels_a`` with the judge of each row.
        grades: all grades of the scale, such as ``[0, 1, 2, 3]``; by default those that occur. AC1 and AC2 depend on
            them. Other grades are an error.
        columns: names of columns, the same for all judges.
        options: options by name; ``rel`` is the lowest grade that counts as relevant, and ``confidence_level`` that of
            the intervals.

    Raises:
        UsageError: an unknown metric, option or value, one judge only, runs without metrics, metrics without runs, or
            SciPy is not installed.
        DataError: an input is missing, malformed or contradicts itself, no two judges have an item in common, or a
            grade is not one of ``grades``.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> first = {"q1": {"a": 1, "b": 0, "c": 1, "d": 0}}
        >>> second = {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}}
        >>> judgments = rm.agreement(first, second).judgments
        >>> judgments["n_both"], judgments["observed"], judgments["kappa"]
        (4, 0.75, 0.5)
        >>> third = {"q1": {"a": 1, "b": 0, "d": 1}}
        >>> rm.agreement({"gpt": first, "claude": second, "people": third}).judges[2]["n_items"]
        3
    """
    choices, metric_list = choices_of(common), metrics if isinstance(metrics, str) else list(metrics)
    if runs is not None:
        scipy_stats("the order of runs")
    elif metric_list:
        raise UsageError("metrics= needs runs=. Pass the runs to rank.")
    if grades is not None and not _are_numbers(grades):
        raise UsageError(f"grades= is a list of numbers, such as [0, 1, 2, 3], not {shortened(grades)}.")
    resolved = resolve_metrics(metric_list, choices) if runs is not None else []
    columns, input_format = column_map(common), common.get("input_format")
    with opened(common.get("connection")) as engine:
        reader = Reader(engine, input_format)
        judged = _judges(reader, qrels_a, qrels_b, judge)
        counts = _count(engine, reader, judged, columns, choices, scale=grades, alone=runs is None)
    request, results = make_request(common, resolved, choices), []
    for qrels in judged.values() if runs is not None else ():
        with prepared(request, _reread(runs), qrels, common.get("connection")) as evaluation:
            results.append(score(evaluation))
    return _agreed(counts, choices, resolved, results)


def between_judges(qrels: Any, judge: str | None, keywords: Mapping[str, Any]) -> Callable[[], Agreement] | None:
    """Return the function that measures how far the judges of a report agree; None of judgments without judges.

    Args:
        qrels: the judgments, or the consensus of their judges.
        judge: the column of the judge, if there is no consensus.
        keywords: those of the evaluation or comparison.
    """
    if isinstance(qrels, Consensus):
        return partial(_measured, qrels.qrels, qrels.judge, qrels.columns, keywords)
    return None if judge is None else partial(_measured, qrels, judge, column_map(keywords), keywords)


def _measured(qrels: Any, judge: str, columns: Mapping[str, Any], keywords: Mapping[str, Any]) -> Agreement:
    """Measure the agreement; the columns may be those of runs, too."""
    choices = choices_of(keywords)
    with opened(keywords.get("connection")) as engine:
        reader = Reader(engine, keywords.get("input_format"))
        judged = _judges(reader, qrels, None, judge.removeprefix("qrels."))
        counts = _count(engine, reader, judged, columns, choices, scale=None, alone=False)
    return _agreed(counts, choices, [], [])


def _are_numbers(values: Any) -> bool:
    """Return whether it is a list of numbers that doubles can hold."""
    return isinstance(values, list | tuple) and all(
        isinstance(value, int | float) and abs(value) <= sys.float_info.max for value in values
    )


def _reread(value: Any) -> Any:
    """Return an input that can be read twice; an Arrow reader gives its rows only once."""
    return value.read_all() if hasattr(value, "read_all") else value


def _judges(reader: Reader, qrels_a: Any, qrels_b: Any, judge: str | None) -> dict[str, Any]:
    """Return the judgments of each judge by name."""
    if judge is not None and qrels_b is not None:
        raise UsageError("agreement: judge= names the column of one table, and there are two. Pass one of them.")
    if judge is not None:
        judged = {str(name): OfJudge(qrels_a, judge, name) for name in reader.judges(qrels_a, judge)}
    elif qrels_b is not None:
        return {"a": _reread(qrels_a), "b": _reread(qrels_b)}
    elif isinstance(qrels_a, Mapping) and maps_names(qrels_a):
        judged = {str(name): _reread(qrels) for name, qrels in qrels_a.items()}
    else:
        raise UsageError(
            "agreement needs two sets of judgments, several by name, {'gpt': ..., 'people': ...}, or judge= with the"
            " column of the judge."
        )
    if len(judged) < 2:
        raise UsageError(f"agreement needs two judges or more, but there is only {', '.join(judged) or 'none'}.")
    return judged


@dataclass(frozen=True)
class _Counts:
    """The counts of a database of what judges say.

    Attributes:
        names: of the judges.
        cells: the counts by part, the numbers of two judges from 1 on (0 for none), and two grades.
        scale: all grades.
        errors: the standard error and half the interval of each measure, by the names of its row and its own.
        sql: the statements, as they ran.
        warnings: what may make a number mean less than it seems.
    """

    names: Sequence[str]
    cells: Mapping[tuple[str, int, int], Cells]
    scale: Sequence[float]
    errors: Mapping[tuple[int, int, str], tuple[float, float, float]]
    sql: Sequence[str]
    warnings: Sequence[str]

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the numbers of each two judges."""
        return combinations(range(1, len(self.names) + 1), 2)


def _count(
    database: Engine,
    reader: Reader,
    judged: Mapping[str, Any],
    columns: Mapping[str, Any],
    choices: Choices,
    *,
    scale: Sequence[float] | None,
    alone: bool,
) -> _Counts:
    """Count grades of judges side by side; ``alone`` without runs that columns could be about."""
    refuse("agreement", choices.options)
    are_two = tuple(judged) == _TWO
    labels = {name: f"qrels {name}" if are_two else f"judge {name!r}" for name in judged}
    read = [reader.one(value, "qrels", labels[name]) for name, value in judged.items()]
    if alone:
        check_columns(columns, read)
    placed = [_placed(database, relation, columns, number) for number, relation in enumerate(read, start=1)]
    check_query_columns(placed)
    plan = Plan(runs=placed[:-1], metrics=[], options=choices.options, qrels=placed[-1], dialect=database.dialect)
    inspector = InputInspector(database, plan)
    _check(inspector)
    text = inspector.text("agreement", placed)
    types = {1: int, 2: int, 3: float, 4: float, 5: float}
    cells: dict[tuple[str, int, int], dict[tuple[float, float], float]] = {}
    for part, a, b, x, y, n in database.as_numbers(database.run(text)[1], types):
        cells.setdefault((str(part).strip(), a, b), {})[x, y] = n
    if not any(part == "pair" for part, *_ in cells):
        raise DataError(
            f"No item is judged {'in both' if are_two else 'by two of'} {' and '.join(one.label for one in placed)}."
            f" Queries and items there: {'; '.join(_ids(inspector, one) for one in placed)}. Check the spelling of the"
            " ids. A NULL grade does not count as a judgment."
        )
    names = list(judged)
    counts = _Counts(names, cells, _scale(names, cells, scale), {}, [text], [])
    return _with_errors(counts, inspector, placed, float(str(choices["confidence_level"])))


def _scale(
    names: Sequence[str], cells: Mapping[tuple[str, int, int], Cells], grades: Sequence[float] | None
) -> list[float]:
    """Return all grades in order, and check that judges give no others."""
    given = {(x, names[a - 1]) for (part, a, _), counts in cells.items() if part == "judge" for x, _ in counts}
    if grades is None:
        known = sorted({grade for grade, _ in given})
        if len(known) > _MOST_GRADES:
            raise DataError(
                f"There are {len(known):,} different grades, and agreement takes at most {_MOST_GRADES}. Round them:"
                " columns={'relevance': 'ROUND(relevance)'}."
            )
        return known
    scale = sorted(set(map(float, grades)))
    for grade, name in sorted(given):
        if grade not in scale:
            names_of_grades = ", ".join(f"{one:g}" for one in scale)
            raise DataError(f"Judge {name!r} gives the grade {grade:g}, but grades= has only {names_of_grades}.")
    return scale


def _with_errors(counts: _Counts, inspector: InputInspector, placed: Sequence[Relation], level: float) -> _Counts:
    """Ask the database for the errors of the measures, by what each query adds to them."""
    measured = list(_measures(counts))
    slopes = [
        (number, _PARTS.index(part), a, b, x, y, slope)
        for number, (a, b, _, measure) in enumerate(measured)
        for part, by_cell in measure.slopes.items()
        for (x, y), slope in by_cell.items()
    ]
    if len(slopes) > _MOST_SLOPES:
        text = f"{len(counts.scale)} different grades are too many for intervals. Round them:"
        return replace(counts, warnings=[f"{text} columns={{'relevance': 'ROUND(relevance)'}}."])
    if not slopes:
        return counts
    text = inspector.text("errors_of_agreement", placed, slopes, _PARTS, level)
    rows = inspector.database.as_numbers(inspector.database.run(text)[1], {0: int, 1: float, 2: float, 3: float})
    errors = {measured[int(number)][:3]: (degrees + 1, error, half) for number, degrees, error, half in rows}
    return replace(counts, errors=errors, sql=[*counts.sql, text])


def _measures(counts: _Counts) -> Iterator[tuple[int, int, str, Measure]]:
    """Yield each measure that has an interval, with its judges, 0 for all, and its name."""
    for a, b in counts.pairs:
        if cells := counts.cells.get(("pair", a, b)):
            for name, distance in _KAPPAS.items():
                yield a, b, name, kappa(cells, distance)
    both, two = counts.cells[("both", 0, 0)], counts.cells[("two", 0, 0)]
    shares = {x: n for (x, _), n in counts.cells[("share", 0, 0)].items()}
    for level in ("nominal", "ordinal", "interval"):
        yield 0, 0, f"alpha_{level}", alpha(both, level)
    yield 0, 0, "ac1", gwet(two, shares, counts.scale)
    yield 0, 0, "ac2", gwet(two, shares, counts.scale, quadratic)
    is_even = len(counts.cells[("judges", 0, 0)]) == 1
    yield 0, 0, "fleiss_kappa", fleiss(two, shares) if is_even else NOTHING


def _placed(database: Engine, relation: Relation, columns: Mapping[str, Any], number: int) -> Relation:
    """Return the judgments where the database can read them."""
    return place(database, name_meanings(relation, columns, MetricRequirements()), number)


def _check(inspector: InputInspector) -> None:
    """Check judgments as an evaluation does."""
    check, relations = str(inspector.plan.options["check"]), inspector.plan.relations
    for other in relations[1:]:
        check_id_types(inspector, relations[0], other)
    for relation in relations:
        alone = InputInspector(inspector.database, replace(inspector.plan, runs=[], qrels=relation))
        check_numbers(alone, relation)
        if check != "none":
            check_rows(alone, exact=check != "auto")


def _ids(inspector: InputInspector, relation: Relation) -> str:
    """Return some queries and items, for a message."""
    return f"{inspector.ids(relation)} with {inspector.ids(relation, 'item_id')}"


def _agreed(
    counts: _Counts, choices: Choices, metrics: Sequence[ResolvedMetric], results: Sequence[Result]
) -> Agreement:
    """Return the measures of agreement that the counts give.

    Args:
        counts: the counts.
        choices: the options.
        metrics: those that systems were scored by.
        results: of the systems by each judge; none where there are no systems.
    """
    rel, measures = float(str(choices["rel"])), {row[:3]: row[3] for row in _measures(counts)}
    pairs = [_pair(counts, measures, a, b, rel) for a, b in counts.pairs]
    are_two = tuple(counts.names) == _TWO
    grades = [
        ({} if are_two else _named(counts, a, b)) | {"grade_a": x, "grade_b": y, "n_pairs": int(n)}
        for a, b in counts.pairs
        for (x, y), n in sorted(counts.cells.get(("pair", a, b), {}).items())
    ]
    overall = [
        {"measure": name, "value": measure.value} | _interval(counts, 0, 0, name, measure) | _reach(counts, name)
        for (a, _, name), measure in measures.items()
        if a == 0
    ]
    by_judge = dict(zip(counts.names, results, strict=False))
    tables = [_table(metric, by_judge) for metric in metrics]
    taus = [row for metric, table in zip(metrics, tables, strict=True) for row in _orders(metric, table, counts.names)]
    values = [row for table in tables for row in table]
    warnings = list(dict.fromkeys([*counts.warnings, *(text for result in results for text in result.warnings)]))
    return Agreement(
        judgments={name: pairs[0][name] for name in _OF_TWO} if are_two else {},
        grades=grades,
        values=values,
        agreement=taus,
        sql=[*counts.sql, *(result.sql for result in results)],
        warnings=warnings,
        pairs=pairs,
        overall=overall,
        judges=[_judge(counts, number) for number in range(1, len(counts.names) + 1)],
    )


_OF_TWO = (
    *("n_both", "n_only_a", "n_only_b", "observed", "kappa", "binary_observed", "binary_kappa"),
    "quadratic_kappa",
)


def _named(counts: _Counts, a: int, b: int) -> dict[str, Any]:
    return {"judge_a": counts.names[a - 1], "judge_b": counts.names[b - 1]}


def _interval(counts: _Counts, a: int, b: int, name: str, measure: Measure, prefix: str = "") -> dict[str, Any]:
    """Return the ends of the interval of a measure; None of one query, or of queries that all add the same."""
    _, _, half = counts.errors.get((a, b, name), (0, 0, None))
    lower, upper = None, None
    if half is not None and half > _NO_SPREAD and measure.value is not None:
        lower, upper = measure.value - half, min(1.0, measure.value + half)
    return {f"{prefix}ci_lower": lower, f"{prefix}ci_upper": upper}


def _reach(counts: _Counts, name: str) -> dict[str, Any]:
    """Return how many items and queries a measure of all judges is of: the items with two judges or more."""
    n_items = sum(n for (m, _), n in counts.cells[("judges", 0, 0)].items() if m > 1)
    n_queries, _, _ = counts.errors.get((0, 0, name), (None, 0, 0))
    return {"n_items": int(n_items), "n_queries": None if n_queries is None else int(n_queries)}


def _pair(
    counts: _Counts, measures: Mapping[tuple[int, int, str], Measure], a: int, b: int, rel: float
) -> dict[str, Any]:
    """Return the row of two judges."""
    cells = counts.cells.get(("pair", a, b), {})
    n_both = int(sum(cells.values()))
    n_a, n_b = (int(sum(counts.cells.get(("judge", one, 0), {}).values())) for one in (a, b))
    binary: Counter[tuple[float, float]] = Counter()
    for (x, y), n in cells.items():
        binary[float(x >= rel), float(y >= rel)] += n  # type: ignore[assignment]
    row = _named(counts, a, b) | {
        "n_both": n_both,
        "n_only_a": n_a - n_both,
        "n_only_b": n_b - n_both,
        "observed": observed(cells) if cells else None,
    }
    for name in _KAPPAS:
        measure = measures.get((a, b, name), NOTHING)
        row |= {name: measure.value} | _interval(counts, a, b, name, measure, f"{name}_")
    return row | {
        "binary_observed": observed(binary) if cells else None,
        "binary_kappa": kappa(binary).value if cells else None,
    }


def _judge(counts: _Counts, number: int) -> dict[str, Any]:
    """Return the row of one judge: how many items, which grades, and how often the others agree."""
    grades = {x: n for (x, _), n in counts.cells.get(("judge", number, 0), {}).items()}
    total = sum(grades.values())
    with_others: Counter[tuple[float, float]] = Counter()
    for a, b in counts.pairs:
        if number in (a, b):
            with_others.update(counts.cells.get(("pair", a, b), {}))
    return {
        "judge": counts.names[number - 1],
        "n_items": int(total),
        "mean_grade": sum(x * n for x, n in grades.items()) / total if total else None,
        **{f"share_of_{x:g}": grades.get(x, 0) / total if total else None for x in counts.scale},
        "observed_with_others": observed(with_others) if with_others else None,
    }


def _table(metric: ResolvedMetric, results: Mapping[str, Result]) -> list[dict[str, Any]]:
    """Return a row for each system: its value, rank and number of queries by each judge."""
    sides = {
        name: {str(row.get("run_id", "run")): row for row in result.summary.dicts() if row["metric"] == metric.label}
        for name, result in results.items()
    }
    values = {side: {run: row["value"] for run, row in rows_by_run.items()} for side, rows_by_run in sides.items()}
    return [
        row
        | {
            f"{side}_n_queries": rows_by_run[row["run_id"]]["n_queries"]
            for side, rows_by_run in sides.items()
            if row["run_id"] in rows_by_run
        }
        for row in ranked(metric.label, metric.better, values)
    ]


def _orders(
    metric: ResolvedMetric, table: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Compare the orders of the systems by each two judges."""
    for a, b in combinations(names, 2):
        one, other = ([row[f"{side}_rank"] for row in table] for side in (a, b))
        n_runs = sum(None not in pair for pair in zip(one, other, strict=True))
        judges = {} if (a, b) == _TWO else {"judge_a": a, "judge_b": b}
        yield {"metric": metric.label, **judges, "tau": tau(one, other), "n_runs": n_runs}
