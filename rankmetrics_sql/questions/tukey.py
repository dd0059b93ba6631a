"""The question which of several systems differ, all pairs at once.

Tukey's test, from comparisons with each of them, or by permuting their values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any, Unpack

from ..definitions.choices import check_option, resolve_options
from ..definitions.known import known_options
from ..definitions.refusals import refuse
from ..definitions.resolution import resolve_metrics
from ..definitions.verdicts import judge_pair
from ..errors import UsageError
from ..optional import of_stats
from ..pipeline.comparison import comparison
from ..pipeline.orders import need_scipy, scipy_stats
from ..pipeline.prepare import Evaluation
from ..pipeline.request import Request
from ..pipeline.running import ready
from ..results.all_pairs import AllPairs
from .common import INPUTS, Common, Keywords
from .question import question
from .runs import metrics_second, runs_of_pairs

Rows = Sequence[Mapping[str, Any]]

# Options of comparisons that mean the same of all pairs, and the tests that there are of these.
_OF_DRAWS = ("test", "resamples", "seed")
_TESTS = ("t", "randomisation")

# Of permutations, so many values are in memory at a time (64 MB).
_BLOCK = 8_000_000

# What the rounding of sums leaves of equal statistics.
_ROUNDING = 1e-12


@question("connection", "columns", *INPUTS)
def tukey(runs: Any, qrels: Any = None, metrics: str | Iterable[str] = (), **common: Unpack[Common]) -> AllPairs:
    """Compares every pair of runs with Tukey's test (honestly significant difference), all pairs of a metric at once.

    Runs are paired by query (Tukey 1953; Carterette 2012, TOIS). Each pair has its own spread: sqrt(2) times its t is
    compared with the studentised range of as many runs. One spread of all pairs would claim too much where one run
    differs more than others. The test needs SciPy, and one statement for each run but one. With
    ``test="randomisation"`` the values of each query are permuted over the runs (Carterette 2012), and the t of each
    pair is compared with the largest one of all pairs. That assumes no distribution, and p-values are at least
    1 / (``resamples`` + 1).

    Args:
        runs: two or more runs, as in ``evaluate``.
        qrels: judgments.
        metrics: metric strings.
        options: as in ``evaluate``, and ``confidence_level``; ``test="randomisation"``, with ``resamples``
            permutations from ``seed``.

    Returns:
        A row per metric and pair.

    Raises:
        UsageError: an unknown metric, option or value, fewer than two runs, or SciPy is not installed.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> queries = [f"q{n}" for n in range(12)]
        >>> first = {query: ["b", "a"] if n % 2 else ["c", "b", "a"] for n, query in enumerate(queries)}
        >>> runs = {"a": first, "b": first, "c": {query: ["a"] for query in queries}}
        >>> found = rm.tukey(runs, {query: ["a"] for query in queries}, "rr")
        >>> [(row["baseline_run"], row["run"], row["significant"]) for row in found.summary.dicts()]
        [('a', 'b', 0), ('a', 'c', 1), ('b', 'c', 1)]
    """
    asked = Keywords(common)
    given, draws = draws_of(asked.options)
    named, first = runs_of_pairs("tukey", runs, asked.given.get("columns"))
    qrels, metrics = metrics_second(named, qrels, metrics)
    need_scipy("tukey")
    choices = resolve_options(given, asked.profile)
    resolved = resolve_metrics(metrics, choices, compared=True)
    request = Request(resolved, choices, "compare", first, is_of_pairs=True)
    for metric in request.metrics if draws is not None else ():
        refuse("comparison", metric.facts | {"test": "randomisation"})
    with asked.prepared(request, named, qrels) as prepared:
        return all_pairs(prepared, draws)


@dataclass(frozen=True)
class Draws:
    """How often to permute the values of each query, and the seed."""

    resamples: int
    seed: int


def draws_of(given: Mapping[str, Any]) -> tuple[dict[str, Any], Draws | None]:
    """Return the options without the ones about randomisation, and the draws that these ask for.

    Args:
        given: the options.

    Raises:
        UsageError: they are of ``compare``, or no such values.
    """
    own = {name: check_option(name, given.get(name), "tukey") for name in _OF_DRAWS}
    if own["test"] not in _TESTS:
        raise UsageError(
            f"test={own['test']} works only with compare(). For all pairs of runs at once there are"
            f" {' and '.join(_TESTS)}."
        )
    for name in given:
        option = known_options().get(name)
        if option is not None and option["scope"] == "comparison" and name not in (*_OF_DRAWS, "confidence_level"):
            raise UsageError(
                f"{name} works only with compare(). Tukey's test compares all pairs of runs at once. Omit {name}."
            )
    rest = {name: value for name, value in given.items() if name not in _OF_DRAWS}
    draws = Draws(int(str(own["resamples"])), int(str(own["seed"])))
    return rest, draws if own["test"] == "randomisation" else None


def all_pairs(prepared: Evaluation, draws: Draws | None = None) -> AllPairs:
    """Runs a comparison with each system but the last, and tests all pairs of a metric together.

    Args:
        prepared: the comparison with the first of them.
        draws: where p-values come from permutations, how they are drawn.

    Raises:
        UsageError: SciPy is not installed.
        DataError: an input is malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    studentized_range = scipy_stats("tukey").studentized_range
    first = comparison(prepared)
    rows, texts = first.summary.dicts(), [first.sql]
    query = replace(prepared.query, check="none")
    names = [str(name) for name in prepared.statements.runs]
    for place, baseline in enumerate(names[1:-1], start=1):
        of_baseline = replace(query, baseline=baseline)
        columns, found = prepared.statements.rows(of_baseline.text("compare"))
        own = (dict(zip(columns, row, strict=True)) for row in found)
        rows += [row for row in own if row["run"] in names[place + 1 :]]
        texts.append(prepared.statements.shown("compare", of_baseline))
    level = float(str(query.options["confidence_level"]))
    labels = [metric.label for metric in query.metrics]
    ordered = sorted(rows, key=lambda row: labels.index(row["metric"]))
    tested = [_tested(row, len(names), level, studentized_range) for row in ordered]
    asked: dict[str, Any] = {"test": "t", "confidence_level": level}
    if draws is not None:
        permuted = _Permuted(prepared, names, draws)
        texts.append(permuted.sql)
        by_metric = groupby(tested, key=lambda pair: pair["metric"])
        tested = [pair for _, of_metric in by_metric for pair in permuted.tested(list(of_metric), level)]
        asked |= {"test": "randomisation", "resamples": draws.resamples}
    tested = [pair | {"verdict": judge_pair(pair, first.better, pair["verdict"])} for pair in tested]
    summary = ready(";\n\n".join(texts), [*tested[0]] if tested else [], [tuple(pair.values()) for pair in tested])
    return AllPairs(summary, texts, first.warnings, asked, first.better, first.counts)


def _tested(row: Mapping[str, Any], n_runs: int, level: float, studentized_range: Any) -> dict[str, Any]:
    """A pair by its own spread: sqrt(2) times its t against the range of as many runs, with its n - 1 degrees."""
    effect, error, degrees = row["effect_size"], row["standard_error"], row["n_queries"] - 1
    statistic = math.sqrt(2) * abs(effect) / error if error else None
    pvalue = None if statistic is None else float(studentized_range.sf(statistic, n_runs, degrees))
    if error == 0 and effect == 0:
        pvalue = 1.0
    # A pair without any spread has an interval only where both runs are alike: 0 to 0.
    reach = None if pvalue is None else error * _point_of_range(level, n_runs, degrees) / math.sqrt(2)
    return {
        **{name: row[name] for name in ("run", "baseline_run", "metric", "baseline", "candidate", "effect_size")},
        "effect_size_ci_lower": None if reach is None else effect - reach,
        "effect_size_ci_upper": None if reach is None else effect + reach,
        "standard_error": error,
        "test": "tukey",
        "statistic": statistic,
        **_said(pvalue, level),
        "verdict": row["verdict"],
        "reason": row["reason"],
        "n_queries": row["n_queries"],
        "confidence_level": level,
        "alternative": "two_sided",
        "correction": "tukey",
    }


@lru_cache(maxsize=256)
def _point_of_range(level: float, n_runs: int, degrees: int) -> float:
    """The quantile of the studentised range, which takes half a second and is the same for most pairs of a call."""
    return float(scipy_stats("tukey").studentized_range.ppf(level, n_runs, degrees))


def _said(pvalue: float | None, level: float) -> dict[str, Any]:
    return {"pvalue_adj": pvalue, "significant": None if pvalue is None else int(pvalue <= 1 - level)}


class _Permuted:
    """The values of all systems on each query, permuted: what would be the same if the systems were alike.

    Attributes:
        sql: the text of the statement that the values are from.
    """

    def __init__(self, prepared: Evaluation, names: Sequence[str], draws: Draws) -> None:
        self._numpy = of_stats("numpy", "test=randomisation")
        self._names, self._draws = names, draws
        query = replace(prepared.query, check="none")
        self.sql = query.text("per_query")
        columns, rows = prepared.statements.rows(self.sql)
        self._by_name = dict(zip(columns, zip(*rows, strict=True), strict=True))
        keys = [*zip(*(self._by_name[name] for name in columns[1 : len(query.query_labels) + 1]), strict=True)]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        self._places = [places[key] for key in keys]
        self._runs = [names.index(str(name)) for name in self._by_name["run_id"]]

    def tested(self, pairs: Rows, level: float) -> Iterator[dict[str, Any]]:
        """Test the pairs of a metric by permutation; they have no p-value if they differ in their queries."""
        values = self._of_metric(pairs[0]["metric"])
        n_runs = len(self._names)
        is_whole = len(pairs) == n_runs * (n_runs - 1) // 2 and {pair["n_queries"] for pair in pairs} == {len(values)}
        if not is_whole or pairs[0]["standard_error"] is None:
            yield from ({**pair, "test": "randomised_tukey", **_said(None, level)} for pair in pairs)
            return
        of_runs = [tuple(self._names.index(pair[run]) for run in ("baseline_run", "run")) for pair in pairs]
        seen = self._sizes(values[None], of_runs)[:, 0]
        largest = self._permute(values, of_runs)
        for pair, size in zip(pairs, seen, strict=True):
            n_beyond = int((largest >= size - _ROUNDING).sum())
            pvalue = (n_beyond + 1) / (self._draws.resamples + 1)
            yield {**pair, "test": "randomised_tukey", **_said(pvalue, level)}

    def _of_metric(self, label: str) -> Any:
        """The values of the queries that all systems have."""
        numpy = self._numpy
        values = numpy.full((max(self._places) + 1, len(self._names)), numpy.nan)
        values[self._places, self._runs] = numpy.array(self._by_name[label], dtype=float)
        return values[~numpy.isnan(values).any(axis=1)]

    def _permute(self, values: Any, of_runs: Sequence[tuple[int, ...]]) -> Any:
        """Return the largest size of all pairs in each permutation."""
        numpy, n_left = self._numpy, self._draws.resamples
        generator = numpy.random.default_rng(self._draws.seed)
        at_once = max(1, _BLOCK // values.size)
        largest = []
        while n_left:
            n = min(at_once, n_left)
            permuted = generator.permuted(numpy.broadcast_to(values, (n, *values.shape)), axis=2)
            largest.append(self._sizes(permuted, of_runs).max(axis=0))
            n_left -= n
        return numpy.concatenate(largest)

    def _sizes(self, tables: Any, of_runs: Sequence[tuple[int, ...]]) -> Any:
        """Return what grows with the t of each pair in each table: |sum of d| / sqrt(n * sum of d * d), 0 to 1."""
        numpy, n = self._numpy, tables.shape[1]
        systems = numpy.ascontiguousarray(tables.transpose(2, 0, 1))
        nothing = n * (_ROUNDING * abs(tables).max()) ** 2  # what rounding leaves of equal values
        sizes = numpy.zeros((len(of_runs), len(tables)))
        for place, (one, other) in enumerate(of_runs):
            away = systems[other] - systems[one]
            squares = numpy.einsum("ij,ij->i", away, away)
            numpy.divide(abs(away.sum(axis=1)), numpy.sqrt(n * squares), out=sizes[place], where=squares > nothing)
        return sizes
