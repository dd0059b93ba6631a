"""Compare runs with a baseline, or all pairs of runs: by how much they differ, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Unpack

from ..definitions.known import known_options
from ..definitions.resolution import (
    Choices,
    ResolvedMetric,
    ask,
    check_option,
    refuse,
    resolve_metrics,
)
from ..definitions.verdicts import judge_pair
from ..errors import UsageError, nearest, shortened
from ..optional import of_stats
from ..pipeline.comparison import comparison
from ..pipeline.execute import Evaluation, computed_table
from ..pipeline.judges import check_judge
from ..results.all_pairs import AllPairs
from ..results.comparison import Comparison
from ..rows import Record
from .agreement import between_judges
from .keywords import (
    INPUTS,
    OF_COMPARED,
    Common,
    column_map,
    column_spec,
    make_request,
    options_of,
    prepared,
    public,
)
from .ranks import scipy_stats
from .runs import (
    Compared,
    choices_of_scores,
    metrics_of,
    metrics_second,
    refuse_of_summaries,
    reporting,
    resolve_runs,
    runs_of_pairs,
)
from .worst import losing_searches

if TYPE_CHECKING:
    from ..results.gates import Gate


@public(*OF_COMPARED, refuse=refuse_of_summaries)
def compare(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    covariate: str | None = None,
    strata: str | None = None,
    shares: Mapping[str, float] | None = None,
    limits: Mapping[str, float] | None = None,
    cap: Mapping[str, float | str] | None = None,
    judge: str | None = None,
    **common: Unpack[Common],
) -> Comparison:
    """Tests whether runs, or the arms of an experiment, differ from a baseline, and by how much.

    Runs are paired by query and tested with Student's t test. The arms of an experiment answered different queries:
    ``design="unpaired"`` tests them with Welch's t test. For a log with arms, call
    ``compare(source, metrics, baseline="control")``.

    Args:
        run: the baseline, as in ``evaluate``; or all runs, as ``{name: run}`` with the baseline first, or as a source
            such as a log with arms.
        candidates: ``{name: run}``, a list of files or tables, or one run; each may be a source such as ``lists()``.
            After all runs, pass the judgments or the metrics here. After runs that bring their judgments, the metrics.
        qrels: judgments. Metrics without judgments need none, as in ``evaluate``.
        metrics: metric strings.
        baseline: the name of the baseline; by default that of its file or table, or ``baseline``. For all runs in one
            argument, the run or arm to compare the others with.
        min_queries: leaves groups with fewer queries, counted as in the column ``n_queries``, out of the comparison and
            of its correction. A note counts them.
        weight: a column with the weight of each query, as in ``evaluate``. With ``test="t"`` the means are weighted
            over the queries with a value. The effect is Σ weight · difference / Σ weight, for arms the difference of
            both weighted means; each query is a cluster (CR2, Bell & McCaffrey 2002), and ``largest_weight_share`` is
            the share of the largest weight. ``n_units`` is (Σ weight)² / Σ weight², rounded down. A query whose weight
            is NULL or 0 has no weight, and a warning counts such queries; a negative weight is an error. Counts of
            queries, ``prob_superiority`` and sums ignore the weights, and sums have no standard error.
            ``std_effect_size`` is in weighted standard deviations.
        cluster: a column such as the user whose queries may be alike, looked up like ``by``. Standard errors are then
            clustered by its values (CR2, with the degrees of freedom of uneven clusters; for arms as in Welch's test).
            The columns ``n_clusters`` and ``largest_cluster_share`` are of all queries, or of those of an arm. A value
            in both arms is one cluster. A query whose column is NULL is a cluster of its own.
        covariate: for arms (``design="unpaired"``, ``test="t"``), a column with a number for each query from before the
            experiment, such as its value in an earlier period, looked up like ``by`` (CUPED; Deng et al. 2013). The
            effect of a mean, its standard error and all that follows use y - theta (x - mean of x), with
            theta = cov(y, x) / var(x) over the queries of both arms, as in tea-tasting. A ratio of sums is adjusted by
            its linear terms. With ``weight=`` both means are weighted, and the products in theta by the squares of the
            weights. ``baseline`` and ``candidate`` stay as measured, and ``std_effect_size`` is in their standard
            deviations. A column ``variance_reduction`` is added. A query whose covariate is NULL, such as a new one,
            has 0 (as in GrowthBook).
        strata: for arms (``design="unpaired"``, ``test="t"``), a column such as the market, looked up like ``by``,
            whose value was known before the arms differed. The effect is that of each value, averaged by its share of
            the queries of both arms (post-stratification; Miratrix, Sekhon & Yu 2013). Ratios of sums are adjusted by
            their linear terms. ``baseline`` and ``candidate`` stay as measured. Columns ``variance_reduction``,
            ``n_strata`` and ``n_outside_strata`` are added: a value with fewer than two queries in an arm has no
            variance there, so its queries are left out, and a warning counts them.
        shares: for arms, the planned traffic, such as ``{"control": 0.9, "new": 0.1}``; equal by default. ``notes``
            state the number of queries, or clusters, of each arm, and how probable it is by chance (chi-squared). Below
            .001, in total or corrected in a group, you get a warning, because the assignment was not random. Queries in
            several arms are not counted; an arm without a query counts 0. With ``cluster=`` its values are counted, and
            without it the users of a log that names them (``user=``), where some have several requests.
        limits: by how much each metric may get worse, ``{"ndcg@10": 0.01}``, at least 0. Only these metrics are then
            tested, on both sides, against that loss instead of against no difference. ``verdict`` is ``worse``, ``not
            worse`` or ``inconclusive``, and the p-values are corrected over these tests. Rank tests do not support
            limits.
        cap: for metrics without an upper bound, the amount that a query's value counts as at most: ``{"cg@1": 40}``, or
            ``{"cg@1": "99%"}`` for the smallest value with that share of the positive ones at or below it, over all
            runs or arms and groups together. Of a ratio of sums its numerator is capped. A column ``cap`` has the
            amount.
        judge: the column of the judgments with the judge. Each run is then compared under each judge: a row for each
            of them, all in one family of the correction. A note counts the judges with each verdict. Rows without a
            judge are left out. Judges share their queries, so ``heterogeneity`` is None.
        options: as in ``evaluate``, and those of comparisons: ``design``, ``test``, ``confidence_level``,
            ``alternative``, ``margin``, ``power``, ``sequential``, ``correction``, ``family``,
            ``interval_level``.

    Returns:
        A row for each candidate and metric.

    Raises:
        UsageError: an unknown metric, option or value.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> old = {f"q{n}": ["b", "a"] if n % 2 else ["c", "b", "a"] for n in range(12)}
        >>> new = {query: ["a", "b"] for query in old}
        >>> qrels = {query: ["a"] for query in old}
        >>> row = rm.compare(old, {"new": new}, qrels, "rr").summary.dicts()[0]
        >>> round(row["effect_size"], 4), row["n_queries"], row["verdict"]
        (0.5833, 12, 'better')
    """
    inputs, choices, resolved = _resolve(common, run, candidates, qrels, metrics, baseline)
    check_judge(judge, inputs.qrels, choices.options)
    request = make_request(
        common,
        resolved,
        choices,
        level="compare",
        baseline=inputs.baseline,
        limits=limits_of(limits, resolved),
        caps=caps_of(cap, resolved),
        spec=column_spec(common, covariate=covariate, strata=strata, judge=judge),
    )
    prepare = partial(prepared, request, inputs.runs, inputs.qrels, common.get("connection"))
    with prepare() as evaluation:
        result = comparison(evaluation, shares)
    of_page = {
        "baseline": inputs.baseline,
        "shares": shares,
        "agreement": between_judges(inputs.qrels, judge, common),
        "losing": losing_searches(inputs.runs, common),
    }
    return reporting(result, evaluation, prepare, common, inputs.runs, **of_page)


def compare_by_gates(
    run: Any,
    candidates: Any,
    qrels: Any,
    gates: Sequence[Gate],
    *,
    baseline: str | None = None,
    covariate: str | None = None,
    strata: str | None = None,
    cap: Mapping[str, float | str] | None = None,
    judge: str | None = None,
    **common: Unpack[Common],
) -> list[Record]:
    """Test each limit of conditions, all in one family.

    Args:
        run: as in ``compare``, like all that is not named here.
        candidates: as in ``compare``.
        qrels: as in ``compare``.
        gates: the conditions that need a test.
        baseline: as in ``compare``.
        covariate: as in ``compare``.
        strata: as in ``compare``.
        cap: as in ``compare``; caps of metrics that no condition tests have no effect.
        judge: as in ``compare``.

    Returns:
        A row for each candidate, group and test, whose metric is the test of a condition.
    """
    labels = [*dict.fromkeys(gate.metric for gate in gates)]
    inputs, choices, metrics_tested = _resolve(common, run, candidates, qrels, labels, baseline)
    resolved = {metric.label: metric for metric in metrics_tested}
    tests = {gate.test: gate for gate in gates}
    metrics = [_named(resolved[gate.metric], name, number) for number, (name, gate) in enumerate(tests.items())]
    limits = {name: float(gate.limit or 0) for name, gate in tests.items()}
    compared = {label.lower() for label in resolved}
    capped = caps_of(
        {name: one for name, one in (cap or {}).items() if name.lower() in compared} or None, metrics_tested
    )
    caps = {name: capped[gate.metric] for name, gate in tests.items() if gate.metric in capped}
    shares = [name for name, gate in tests.items() if gate.is_share]
    request = make_request(
        common,
        metrics,
        choices,
        level="compare",
        baseline=inputs.baseline,
        limits=limits,
        caps=caps,
        relative_limits=shares,
        spec=column_spec(common, covariate=covariate, strata=strata, judge=judge),
    )
    with prepared(request, inputs.runs, inputs.qrels, common.get("connection")) as evaluation:
        return [*comparison(evaluation).summary.dicts()]


def _resolve(
    keywords: Mapping[str, Any], run: Any, candidates: Any, qrels: Any, metrics: Any, baseline: str | None
) -> tuple[Compared, Choices, list[ResolvedMetric]]:
    """Return the inputs of a comparison, a value for every option, and the metrics."""
    inputs = resolve_runs("compare", run, candidates, qrels, metrics, baseline, column_map(keywords))
    choices = choices_of_scores(keywords, inputs.runs, inputs.qrels, **inputs.design)
    return inputs, choices, metrics_of(inputs.runs, inputs.metrics, choices, compared=True)


def _named(metric: ResolvedMetric, test: str, number: int) -> ResolvedMetric:
    """Return the metric under the name of one of its tests."""
    return metric if metric.label == test else replace(metric, label=test, column=f"{metric.column}_test_{number}")


def limits_of(limits: Mapping[str, float] | None, metrics: Sequence[ResolvedMetric]) -> dict[str, float] | None:
    """Check limits; return them by the labels of their metrics."""
    if limits is None:
        return None
    if not isinstance(limits, Mapping) or not limits:
        raise UsageError(
            f"limits: {shortened(limits)} names no metric. Pass a loss for each metric, such as {{'ndcg@10': 0.01}}."
        )
    labels = {metric.label.lower(): metric.label for metric in metrics}
    by_metric = {}
    for name, limit in limits.items():
        if str(name).lower() not in labels:
            raise UsageError(f"limits: {name!r} is not one of the metrics. {nearest(str(name), labels.values())}")
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if not is_number or not 0 <= limit < math.inf:
            raise UsageError(f"limits: the loss of {name} must be a number of at least 0, not {shortened(limit)}.")
        by_metric[labels[str(name).lower()]] = float(limit)
    return by_metric


def caps_of(caps: Mapping[str, float | str] | None, metrics: Sequence[ResolvedMetric]) -> dict[str, Any]:
    """Check caps; return each as an ``amount`` or a ``share`` of the positive values, by the label of its metric."""
    if caps is None:
        return {}
    caps_by_label: dict[str, Any] = ask("rm_caps_by_label", caps, [metric.as_template() for metric in metrics])
    return caps_by_label


@public(*OF_COMPARED, refuse=refuse_of_summaries)
def compare_all(
    runs: Any, qrels: Any = None, metrics: str | Iterable[str] = (), **common: Unpack[Common]
) -> Comparison:
    """Tests every pair of runs as ``compare`` does, and corrects the p-values over all pairs.

    Each pair is tested on its own, in one statement. ``tukey`` tests all pairs of a metric together. As in papers, the
    table has a row for each run, with the letters of the runs that it is significantly better than.

    Args:
        runs: two or more runs, as in ``evaluate``; or one table whose runs a column tells apart, named by
            ``columns={"run_id": "model"}``, or ``lists(..., run="model")``. Then runs are in alphabetical order.
        qrels: judgments.
        metrics: metric strings.
        min_queries: as in ``compare``.
        weight: as in ``compare``.
        cluster: as in ``compare``.
        options: as in ``compare``; tests have two sides, and runs are paired by query.

    Returns:
        A row per pair and metric, whose ``baseline_run`` is the run that comes first in ``runs``.

    Raises:
        UsageError: an unknown metric, option or value, or fewer than two runs.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> queries = [f"q{n}" for n in range(12)]
        >>> first = {query: ["b", "a"] if n % 2 else ["c", "b", "a"] for n, query in enumerate(queries)}
        >>> runs = {"a": first, "b": first, "c": {query: ["a"] for query in queries}}
        >>> found = rm.compare_all(runs, {query: ["a"] for query in queries}, "rr", check="none")
        >>> [(row["baseline_run"], row["run"], row["significant"]) for row in found.summary.dicts()]
        [('a', 'b', 0), ('a', 'c', 1), ('b', 'c', 1)]
    """
    runs_by_name, first = runs_of_pairs("compare_all", runs, common.get("columns"))
    qrels, metrics = metrics_second(runs_by_name, qrels, metrics)
    choices = choices_of_scores(common, runs_by_name, qrels)
    resolved = resolve_metrics(metrics, choices, compared=True)
    request = make_request(common, resolved, choices, level="compare", baseline=first, all_pairs=True)
    with prepared(request, runs_by_name, qrels, common.get("connection")) as evaluation:
        return comparison(evaluation)


Rows = Sequence[Mapping[str, Any]]

# Options of comparisons that mean the same of all pairs, and the tests that there are of these.
_OF_DRAWS = ("test", "resamples", "seed")
_TESTS = ("t", "randomisation")

# Of permutations, so many values are in memory at a time (64 MB).
_BLOCK = 8_000_000

# What the rounding of sums leaves of equal statistics.
_ROUNDING = 1e-12


@public("connection", "columns", *INPUTS)
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
    options, draws = draws_of(options_of(common))
    runs_by_name, first = runs_of_pairs("tukey", runs, common.get("columns"))
    qrels, metrics = metrics_second(runs_by_name, qrels, metrics)
    scipy_stats("tukey")
    choices = choices_of_scores({**options, "profile": common.get("profile")}, runs_by_name, qrels)
    resolved = resolve_metrics(metrics, choices, compared=True)
    request = make_request(common, resolved, choices, level="compare", baseline=first, is_of_pairs=True)
    for metric in request.metrics if draws is not None else ():
        refuse("comparison", metric.facts | {"test": "randomisation"})
    with prepared(request, runs_by_name, qrels, common.get("connection")) as evaluation:
        return all_pairs(evaluation, draws)


@dataclass(frozen=True)
class Draws:
    """How often to permute the values of each query, and the seed."""

    resamples: int
    seed: int


def draws_of(options: Mapping[str, Any]) -> tuple[dict[str, Any], Draws | None]:
    """Return the options without those about randomisation, and the draws that these describe."""
    chosen = {name: check_option(name, options.get(name), "tukey") for name in _OF_DRAWS}
    if chosen["test"] not in _TESTS:
        raise UsageError(
            f"test={chosen['test']} works only with compare(). For all pairs of runs at once there are"
            f" {' and '.join(_TESTS)}."
        )
    for name in options:
        option = known_options().get(name)
        if option is not None and option["scope"] == "comparison" and name not in (*_OF_DRAWS, "confidence_level"):
            raise UsageError(
                f"{name} works only with compare(). Tukey's test compares all pairs of runs at once. Omit {name}."
            )
    rest = {name: value for name, value in options.items() if name not in _OF_DRAWS}
    draws = Draws(int(str(chosen["resamples"])), int(str(chosen["seed"])))
    return rest, draws if chosen["test"] == "randomisation" else None


def all_pairs(evaluation: Evaluation, draws: Draws | None = None) -> AllPairs:
    """Run a comparison with each system but the last, and test all pairs of a metric together."""
    studentized_range = scipy_stats("tukey").studentized_range
    first = comparison(evaluation)
    rows, texts = first.summary.dicts(), [first.sql]
    plan = replace(evaluation.plan, check="none")
    names = [str(name) for name in evaluation.run_names]
    for place, baseline in enumerate(names[1:-1], start=1):
        of_baseline = replace(plan, baseline=baseline)
        columns, compared = evaluation.run(of_baseline.text("compare"))
        records = (dict(zip(columns, row, strict=True)) for row in compared)
        rows += [row for row in records if row["run"] in names[place + 1 :]]
        texts.append(replace(evaluation, plan=of_baseline).text_to_show("compare"))
    level = float(str(plan.options["confidence_level"]))
    labels = [metric.label for metric in plan.metrics]
    ordered = sorted(rows, key=lambda row: labels.index(row["metric"]))
    tested = [_tested(row, len(names), level, studentized_range) for row in ordered]
    test_options: dict[str, Any] = {"test": "t", "confidence_level": level}
    if draws is not None:
        permuted = _Permuted(evaluation, names, draws)
        texts.append(permuted.sql)
        by_metric = groupby(tested, key=lambda pair: pair["metric"])
        tested = [pair for _, of_metric in by_metric for pair in permuted.tested(list(of_metric), level)]
        test_options |= {"test": "randomisation", "resamples": draws.resamples}
    tested = [pair | {"verdict": judge_pair(pair, first.better, pair["verdict"])} for pair in tested]
    summary = computed_table(
        ";\n\n".join(texts), [*tested[0]] if tested else [], [tuple(pair.values()) for pair in tested]
    )
    return AllPairs(summary, texts, first.warnings, test_options, first.better, first.counts)


def _tested(row: Mapping[str, Any], n_runs: int, level: float, studentized_range: Any) -> dict[str, Any]:
    """Test a pair by its own spread: sqrt(2) times its t against the range of as many runs, with n - 1 degrees."""
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
    """Return the quantile of the studentised range; cached, because it takes half a second."""
    return float(scipy_stats("tukey").studentized_range.ppf(level, n_runs, degrees))


def _said(pvalue: float | None, level: float) -> dict[str, Any]:
    return {"pvalue_adj": pvalue, "significant": None if pvalue is None else int(pvalue <= 1 - level)}


class _Permuted:
    """The values of all systems on each query, permuted: what would be the same if the systems were alike.

    Attributes:
        sql: the text of the statement that the values are from.
    """

    def __init__(self, evaluation: Evaluation, names: Sequence[str], draws: Draws) -> None:
        self._numpy = of_stats("numpy", "test=randomisation")
        self._names, self._draws = names, draws
        plan = replace(evaluation.plan, check="none")
        self.sql = plan.text("per_query")
        columns, rows = evaluation.run(self.sql)
        self._by_name = dict(zip(columns, zip(*rows, strict=True), strict=True))
        keys = [*zip(*(self._by_name[name] for name in columns[1 : len(plan.query_labels) + 1]), strict=True)]
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
        observed = self._sizes(values[None], of_runs)[:, 0]
        largest = self._permute(values, of_runs)
        for pair, size in zip(pairs, observed, strict=True):
            n_beyond = int((largest >= size - _ROUNDING).sum())
            pvalue = (n_beyond + 1) / (self._draws.resamples + 1)
            yield {**pair, "test": "randomised_tukey", **_said(pvalue, level)}

    def _of_metric(self, label: str) -> Any:
        """Return the values of the queries that all systems have."""
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
