"""Measure how far two sets of judgments agree, item by item, and whether they rank systems alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Unpack

from ..checks import InputInspector
from ..checks.ids import check_id_types
from ..checks.numbers import check_numbers
from ..checks.rows import check_rows
from ..definitions.resolution import Choices, ResolvedMetric, refuse, resolve_metrics
from ..engines import Engine
from ..errors import DataError, UsageError
from ..inputs.binding import check_columns, name_meanings
from ..inputs.columns import MetricRequirements
from ..inputs.reader import Reader
from ..pipeline.planning import check_query_columns, place
from ..pipeline.scores import score
from ..plan import Plan
from ..relation import Relation
from ..results.evaluation import Result
from ..results.sensitivity import Agreement
from .keywords import Common, choices_of, column_map, make_request, prepared, public
from .place import opened
from .ranks import ranked, scipy_stats, tau

# A grade in the one, a grade in the other, and how many items have them.
Cell = tuple[float, float, int]


@public("connection", "columns", "profile", "input_format")
def agreement(
    qrels_a: Any, qrels_b: Any, runs: Any = None, metrics: str | Iterable[str] = (), **common: Unpack[Common]
) -> Agreement:
    """Measures how far two sets of judgments agree, and whether they rank runs alike.

    The database counts the pairs of grades of the items that both sets judge. From these counts follow the observed
    agreement, Cohen's kappa (Cohen 1960, Educational and Psychological Measurement) and the quadratically weighted one
    (Cohen 1968, Psychological Bulletin). If you pass runs, each is scored with both sets, and Kendall's tau-b compares
    the rankings, which needs SciPy.

    Args:
        qrels_a: judgments, as in ``evaluate``.
        qrels_b: the judgments to compare with.
        runs: runs to rank with both sets.
        metrics: the metrics that rank the runs.
        columns: names of columns, the same for both sets.
        options: options by name; ``rel`` is the lowest grade that counts as relevant.

    Raises:
        UsageError: an unknown metric, option or value, runs without metrics, metrics without runs, or SciPy is not
            installed.
        DataError: an input is missing, malformed or contradicts itself, or no item is judged in both.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> first = {"q1": {"a": 1, "b": 0, "c": 1, "d": 0}}
        >>> second = {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}}
        >>> judgments = rm.agreement(first, second).judgments
        >>> judgments["n_both"], judgments["observed"], judgments["kappa"]
        (4, 0.75, 0.5)
    """
    choices, metric_list = choices_of(common), metrics if isinstance(metrics, str) else list(metrics)
    if runs is not None:
        scipy_stats("the order of runs")
    elif metric_list:
        raise UsageError("metrics= needs runs=. Pass the runs to rank.")
    resolved = resolve_metrics(metric_list, choices) if runs is not None else []
    both = [_reread(qrels_a), _reread(qrels_b)]
    with opened(common.get("connection")) as engine:
        both_counts = count_grades(
            engine, both, column_map(common), choices, common.get("input_format"), alone=runs is None
        )
    request, results = make_request(common, resolved, choices), []
    for qrels in both if runs is not None else ():
        with prepared(request, _reread(runs), qrels, common.get("connection")) as evaluation:
            results.append(score(evaluation))
    return agreed(both_counts, choices, resolved, results)


def _reread(value: Any) -> Any:
    """Return an input that can be read twice; an Arrow reader gives its rows only once."""
    return value.read_all() if hasattr(value, "read_all") else value


@dataclass(frozen=True)
class GradeCounts:
    """The counts of a database for two sets of judgments.

    Attributes:
        both: how many items that both judge have each pair of grades.
        n_only_a: how many items the first judges alone.
        n_only_b: how many the second.
        sql: the statement, as it ran.
    """

    both: Sequence[Cell]
    n_only_a: int
    n_only_b: int
    sql: str


def count_grades(
    database: Engine,
    qrels: Sequence[Any],
    columns: Mapping[str, Any],
    choices: Choices,
    input_format: str | None,
    *,
    alone: bool,
) -> GradeCounts:
    """Count the pairs of grades of two sets of judgments; ``alone`` without runs that columns could be about."""
    refuse("agreement", choices.options)
    reader = Reader(database, input_format)
    read = [reader.one(value, "qrels", f"qrels {side}") for side, value in zip("ab", qrels, strict=True)]
    if alone:
        check_columns(columns, read)
    one, other = (_placed(database, relation, columns, number) for number, relation in enumerate(read, start=1))
    check_query_columns([one, other])
    plan = Plan(runs=[one], metrics=[], options=choices.options, qrels=other, dialect=database.dialect)
    inspector = InputInspector(database, plan)
    _check(inspector)
    text = inspector.text("agreement", one, other)
    rows = database.as_numbers(database.run(text)[1], {0: float, 1: float, 2: int})
    both = [(a, b, n) for a, b, n in rows if a is not None and b is not None]
    if not both:
        raise DataError(
            f"No item is judged in both {one.label} and {other.label}. Queries and items there:"
            f" {_ids(inspector, one)}; {_ids(inspector, other)}. Check the spelling of the ids. A NULL grade does not"
            " count as a judgment."
        )
    only_a = sum(n for a, b, n in rows if b is None and a is not None)
    only_b = sum(n for a, b, n in rows if a is None and b is not None)
    return GradeCounts(sorted(both), only_a, only_b, text)


def _placed(database: Engine, relation: Relation, columns: Mapping[str, Any], number: int) -> Relation:
    """Return the judgments where the database can read them."""
    return place(database, name_meanings(relation, columns, MetricRequirements()), number)


def _check(inspector: InputInspector) -> None:
    """Check judgments as an evaluation does."""
    check, [one, other] = str(inspector.plan.options["check"]), inspector.plan.relations
    check_id_types(inspector, one, other)
    for relation in (one, other):
        alone = InputInspector(inspector.database, replace(inspector.plan, runs=[], qrels=relation))
        check_numbers(alone, relation)
        if check != "none":
            check_rows(alone, exact=check != "auto")


def _ids(inspector: InputInspector, relation: Relation) -> str:
    """Return some queries and items, for a message."""
    return f"{inspector.ids(relation)} with {inspector.ids(relation, 'item_id')}"


def agreed(
    counts: GradeCounts, choices: Choices, metrics: Sequence[ResolvedMetric], results: Sequence[Result]
) -> Agreement:
    """Return the measures of agreement that the counts give.

    Args:
        counts: the counts.
        choices: the options.
        metrics: those that systems were scored by.
        results: of the systems by the first judgments and by the second; none where there are no systems.
    """
    rel = float(str(choices["rel"]))
    binary = [(float(a >= rel), float(b >= rel), n) for a, b, n in counts.both]
    judgments = {
        "n_both": sum(n for *_, n in counts.both),
        "n_only_a": counts.n_only_a,
        "n_only_b": counts.n_only_b,
        "observed": observed(counts.both),
        "kappa": kappa(counts.both),
        "binary_observed": observed(binary),
        "binary_kappa": kappa(binary),
        "quadratic_kappa": quadratic_kappa(counts.both),
    }
    grades = [{"grade_a": a, "grade_b": b, "n_pairs": n} for a, b, n in counts.both]
    tables = [_table(metric, results) for metric in metrics]
    taus = [_order(metric, table) for metric, table in zip(metrics, tables, strict=True)]
    values = [row for table in tables for row in table]
    warnings = list(dict.fromkeys(text for result in results for text in result.warnings))
    return Agreement(judgments, grades, values, taus, [counts.sql, *(result.sql for result in results)], warnings)


def observed(cells: Sequence[Cell]) -> float:
    """Return the share of items with the same grade in both."""
    return sum(n for a, b, n in cells if a == b) / sum(n for *_, n in cells)


def kappa(cells: Sequence[Cell]) -> float | None:
    """Return Cohen's kappa (Cohen 1960), the agreement beyond chance; None if chance alone would always agree."""
    total = sum(n for *_, n in cells)
    firsts, seconds = _margins(cells)
    by_chance = sum(n * seconds[grade] for grade, n in firsts.items())
    beyond = total * total - by_chance
    return (total * sum(n for a, b, n in cells if a == b) - by_chance) / beyond if beyond else None


def quadratic_kappa(cells: Sequence[Cell]) -> float | None:
    """Return kappa with disagreement weighted by the square of the distance of grades (Cohen 1968)."""
    total = sum(n for *_, n in cells)
    middle = fmean([a for a, _, _ in cells] + [b for _, b, _ in cells])  # so that squares of large grades stay exact
    (sum_a, squares_a), (sum_b, squares_b) = (_moments(margin, middle) for margin in _margins(cells))
    by_chance = total * (squares_a + squares_b) - 2 * sum_a * sum_b
    if len({grade for a, b, _ in cells for grade in (a, b)}) == 1:
        return None
    return 1 - total * sum(n * (a - b) ** 2 for a, b, n in cells) / by_chance


def _margins(cells: Sequence[Cell]) -> tuple[Counter[float], Counter[float]]:
    """Count the items of each grade in one set and in the other."""
    firsts: Counter[float] = Counter()
    seconds: Counter[float] = Counter()
    for a, b, n in cells:
        firsts[a] += n
        seconds[b] += n
    return firsts, seconds


def _moments(margin: Mapping[float, int], middle: float) -> tuple[float, float]:
    """Return the sums of the distances of grades from a middle, and of their squares."""
    return (
        sum(n * (grade - middle) for grade, n in margin.items()),
        sum(n * (grade - middle) ** 2 for grade, n in margin.items()),
    )


def _table(metric: ResolvedMetric, results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return a row for each system: its value, rank and number of queries by both judgments."""
    by_run = [
        {str(row.get("run_id", "run")): row for row in result.summary.dicts() if row["metric"] == metric.label}
        for result in results
    ]
    sides = dict(zip("ab", by_run, strict=True))
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


def _order(metric: ResolvedMetric, table: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Compare the orders of the systems by both sets of judgments."""
    one, other = ([row[f"{side}_rank"] for row in table] for side in "ab")
    n_runs = sum(None not in pair for pair in zip(one, other, strict=True))
    return {"metric": metric.label, "tau": tau(one, other), "n_runs": n_runs}
