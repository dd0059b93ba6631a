"""Every pair of systems at once: Tukey's test, from comparisons with each of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ..results.result import AllPairs
from .evaluation import Evaluation, comparison
from .orders import scipy_stats

Rows = Sequence[Mapping[str, Any]]


def tukey(prepared: Evaluation) -> AllPairs:
    """Runs a comparison with each system but the last, and tests all pairs of a metric together.

    Args:
        prepared: the comparison with the first of them.

    Raises:
        UsageError: SciPy is not installed.
        DataError: an input is malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    studentized_range = scipy_stats("tukey").studentized_range
    first = comparison(prepared)
    rows, texts = first.summary.dicts(), [first.sql]
    query = replace(prepared.query, check="none")
    names = [str(run.name) for run in query.runs]
    for place, baseline in enumerate(names[1:-1], start=1):
        text = replace(query, baseline=baseline).text("compare")
        columns, found = prepared.statements.rows(text)
        own = (dict(zip(columns, row, strict=True)) for row in found)
        rows += [row for row in own if row["run"] in names[place + 1 :]]
        texts.append(text)
    level = float(str(query.options["confidence_level"]))
    labels = [metric.label for metric in query.metrics]
    ordered = sorted(rows, key=lambda row: labels.index(row["metric"]))
    tested = [
        pair
        for _, of_metric in groupby(ordered, key=lambda row: row["metric"])
        for pair in _tested(list(of_metric), len(names), level, studentized_range)
    ]
    return AllPairs(tested, texts, first.warnings)


def _tested(rows: Rows, n_runs: int, level: float, studentized_range: Any) -> Iterator[dict[str, Any]]:
    """The pairs of a metric: the residual of queries by systems is half the mean variance of their differences."""
    numbers = {row["n_queries"] for row in rows}
    errors = [row["standard_error"] for row in rows]
    is_whole = len(rows) == n_runs * (n_runs - 1) // 2 and len(numbers) == 1 and None not in errors
    n = min(numbers)
    degrees = (n_runs - 1) * (n - 1)
    error = math.sqrt(math.fsum(error**2 for error in errors) / len(errors) / 2) if is_whole else None
    reach = float(studentized_range.ppf(level, n_runs, degrees)) if error is not None else math.nan
    for row in rows:
        statistic = abs(row["effect_size"]) / error if error else None
        pvalue = None if error is None else _pvalue(row["effect_size"], statistic, n_runs, degrees, studentized_range)
        yield {
            **{name: row[name] for name in ("run", "baseline_run", "metric", "baseline", "candidate", "effect_size")},
            "effect_size_ci_lower": None if error is None else row["effect_size"] - reach * error,
            "effect_size_ci_upper": None if error is None else row["effect_size"] + reach * error,
            "standard_error": error,
            "test": "tukey",
            "statistic": statistic,
            "pvalue_adj": pvalue,
            "significant": None if pvalue is None else int(pvalue <= 1 - level),
            "n_queries": row["n_queries"],
        }


def _pvalue(effect: float, statistic: float | None, n_runs: int, degrees: int, studentized_range: Any) -> float:
    """Without any spread a difference is certain, and no difference is none."""
    if statistic is None:
        return 0.0 if effect else 1.0
    return float(studentized_range.sf(statistic, n_runs, degrees))
