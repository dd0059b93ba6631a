"""Compute how many queries or users a test needs, from earlier values."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

from ..definitions.resolution import check_option
from ..errors import UsageError, shortened
from ..inputs.objects import maps_names
from ..results.power import PowerAnalysis
from ..results.tables import Table
from ..rows import Record
from .compare import compare
from .evaluate import evaluate
from .keywords import INPUTS, Common, public

_OF_TESTS = ("power", "confidence_level", "alternative", "design")
_COLUMNS = [
    *("run", "baseline_run", "metric", "value", "deviation", "effect", "n", "unit", "n_queries", "n_all_arms"),
    *("power", "confidence_level", "alternative", "n_tests", "n_past", "reason"),
]


class _Past(NamedTuple):
    """The known figures of a metric: of a run, or of the differences of two."""

    run: str | None
    baseline: str | None
    record: Record
    value: float | None


class _Asked(NamedTuple):
    effect: float | Mapping[str, float] | None
    n: int | None
    power: float
    level: float
    alternative: str
    n_tests: int
    shares: Mapping[str, float] | None


@public("connection", "columns", "cluster", *INPUTS)
def sample_size(
    run: Any,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    effect: float | Mapping[str, float] | None = None,
    n: int | None = None,
    n_tests: int = 1,
    shares: Mapping[str, float] | None = None,
    **common: Unpack[Common],
) -> Table:
    """Plans a test before it runs: how many queries or users find an effect, or what effect so many find.

    One run or one log plans an experiment with arms, whose values spread as these do. Two runs plan a comparison of
    pairs, whose differences spread as theirs do. Power is that of the noncentral t where SciPy is installed; else the
    points of Student's t are added up, as in ``n_queries_needed``.

    Args:
        run: one run or source, as in ``evaluate``; or ``{name: run}`` with two runs.
        qrels: judgments; or the metrics, behind a source.
        metrics: metric strings.
        effect: the least difference of means that matters, or one for each metric: ``{"ndcg@10": 0.01}``.
        n: instead, how many units there will be: queries or clusters, of arms in the smallest one.
        n_tests: how many tests the p-values will be corrected for, such as metrics times candidates. The level is
            divided by it.
        shares: of arms, the planned traffic, the baseline first, such as ``{"control": 0.9, "new": 0.1}``; two equal
            arms by default. Of several candidates the smallest decides.
        cluster: a column such as the user, whose values are counted instead of queries, as ``compare`` will.
        options: as in ``evaluate``, and ``power`` (0.8), ``confidence_level``, ``alternative``; ``design="unpaired"``
            plans arms, which is the default of one run.

    Returns:
        A row for each run and metric: ``value``, the mean (of two runs the difference), ``deviation``, the standard
        deviation of one unit, ``effect``, ``n``, the units (of the smallest arm), ``unit``, ``n_queries``, which so
        many units have on average, and ``n_all_arms``, the units of all arms. ``n_past`` units were there. ``reason``
        explains a number that is None.

    Raises:
        UsageError: an unknown metric, option or value; both or none of ``effect`` and ``n``; pairs of one run.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> run = {f"q{n}": ["a", "b"] if n % 2 else ["b", "a"] for n in range(100)}
        >>> found = rm.sample_size(run, {query: ["a"] for query in run}, "rr", effect=0.05)
        >>> [(row["n"], row["unit"], row["n_all_arms"]) for row in found.dicts()]
        [(398, 'queries', 796)]
    """
    target = _checked(effect, n, n_tests, shares, common)
    design = common.get("design")
    is_named = isinstance(run, Mapping) and maps_names(run)
    is_paired = design == "paired" or (design is None and is_named)
    options: dict[str, Any] = {name: value for name, value in common.items() if name not in _OF_TESTS}
    if is_paired:
        past, sql = _pairs(run, qrels, metrics, options, is_named=is_named)
    else:
        past, sql = _values(run, qrels, metrics, options)
    if is_paired and shares is not None:
        raise UsageError("shares are of arms, and two runs plan pairs. Omit shares, or pass design='unpaired'.")
    _check_effects(target, past)
    rows = [_row(one, target, common.get("cluster"), is_paired=is_paired) for one in past]
    return Table(lambda: sql, lambda _: (_COLUMNS, [tuple(row[name] for name in _COLUMNS) for row in rows]))


def _checked(
    effect: float | Mapping[str, float] | None,
    n: int | None,
    n_tests: int,
    shares: Mapping[str, float] | None,
    common: Mapping[str, Any],
) -> _Asked:
    """What is asked for."""
    if (effect is None) == (n is None):
        raise UsageError(
            "sample_size takes either effect=, the least difference that matters, or n=, the units that there will be."
        )
    for name, number, least in (("n", n, 2), ("n_tests", n_tests, 1)):
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < least):
            raise UsageError(f"{name} takes a whole number of at least {least}, not {shortened(number)}.")
    for value in effect.values() if isinstance(effect, Mapping) else [effect] if effect is not None else []:
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
            raise UsageError(f"effect takes a number above 0, such as 0.01, not {shortened(value)}.")
    power, level, alternative = (
        check_option(name, common.get(name, default), "sample_size")
        for name, default in (("power", 0.8), ("confidence_level", None), ("alternative", None))
    )
    if alternative == "equivalence":
        raise UsageError("sample_size plans tests against no difference. Omit alternative=equivalence.")
    return _Asked(effect, n, float(str(power)), float(str(level)), str(alternative), n_tests, shares)


def _pairs(run: Any, qrels: Any, metrics: Any, options: dict[str, Any], *, is_named: bool) -> tuple[list[_Past], str]:
    """Return the differences of two runs."""
    if not is_named or len(run) != 2:
        number = (
            "one run has no spread of differences" if not is_named or len(run) < 2 else f"there are {len(run)} runs"
        )
        raise UsageError(
            f"A plan for pairs takes two runs, {{'old': run, 'new': run}}, but {number}. Pass two, or"
            " design='unpaired' to plan the arms of an experiment."
        )
    comparison = compare(run, qrels, metrics, **options)
    rows = [_Past(row["run"], row["baseline_run"], row, row["effect_size"]) for row in comparison.summary.dicts()]
    return rows, comparison.sql


def _values(run: Any, qrels: Any, metrics: Any, options: dict[str, Any]) -> tuple[list[_Past], str]:
    """Return the values of one run, or of each arm of a log."""
    evaluation = evaluate(run, qrels, metrics, **{"interval": "t", **options})
    records = evaluation.summary.dicts() if evaluation.summary is not None else []
    return [_Past(row.get("run_id"), None, row, row["value"]) for row in records], evaluation.sql


def _check_effects(target: _Asked, past: Sequence[_Past]) -> None:
    """Raise if effects do not name exactly the metrics."""
    if isinstance(target.effect, Mapping):
        metrics = dict.fromkeys(one.record["metric"] for one in past)
        wrong = [*(name for name in target.effect if name not in metrics)]
        wrong += [name for name in metrics if name not in target.effect]
        if wrong:
            raise UsageError(f"effect takes a number for each metric, {', '.join(metrics)}. Look at {wrong[0]!r}.")


def _row(past: _Past, target: _Asked, cluster: str | None, *, is_paired: bool) -> dict[str, Any]:
    """Plan the number of queries for one metric."""
    record = past.record
    n_queries, error = int(record["n_queries"]), record["standard_error"]
    n_past = n_queries if cluster is None else int(record["n_clusters"])
    deviation = error * math.sqrt(n_past) if error else None
    first, smallest, total = _arms(target.shares)
    plan = deviation and PowerAnalysis(
        deviation=deviation,
        power=target.power,
        alpha=(1 - target.level) / target.n_tests,
        sides=2 if target.alternative == "two_sided" else 1,
        ratio=None if is_paired else max(first, smallest) / min(first, smallest),
        noncentral=_noncentral(),
    )
    effect = target.effect[record["metric"]] if isinstance(target.effect, Mapping) else target.effect
    n = target.n
    if plan:
        effect, n = (effect, plan.units_for(effect)) if effect is not None else (plan.effect_of(n or 0), n)
    per_unit = n_queries / n_past if n_past else None
    return {
        "run": past.run,
        "baseline_run": past.baseline,
        "metric": record["metric"],
        "value": past.value,
        "deviation": deviation,
        "effect": effect,
        "n": n,
        "unit": "queries" if cluster is None else cluster,
        "n_queries": None if n is None or per_unit is None else math.ceil(n * per_unit - 1e-9),
        "n_all_arms": None if n is None or is_paired else math.ceil(n * total / min(first, smallest) - 1e-9),
        "power": target.power,
        "confidence_level": target.level,
        "alternative": target.alternative,
        "n_tests": target.n_tests,
        "n_past": n_past,
        "reason": None if plan else _reason(error),
    }


def _arms(shares: Mapping[str, float] | None) -> tuple[float, float, float]:
    """Return the shares of the baseline and of the smallest other arm, and the total."""
    first, *rest = [float(share) for share in (shares or {"baseline": 1, "other": 1}).values()]
    return first, min(rest), first + sum(rest)


def _reason(error: float | None) -> str:
    """Return why no number can be planned."""
    return "all are equal, so there is no spread" if error == 0 else "it has no standard error"


def _noncentral() -> tuple[Any, Any] | None:
    """Return SciPy's distributions, if it is installed."""
    try:
        stats = importlib.import_module("scipy.stats")
    except ImportError:
        return None
    return stats.nct, stats.t
