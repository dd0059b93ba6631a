"""Explain a difference: by groups of queries, by items that moved, and by the choices of two profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ..checks.overlap import warn_of_few_scored_alike
from ..checks.queries import check_arms
from ..definitions.known import Value
from ..definitions.resolution import Choices, ResolvedMetric, refuse, resolve, resolve_metrics, resolve_options
from ..errors import UsageError
from ..pipeline.execute import Evaluation, computed_table
from ..pipeline.findings import metrics_without_rows, refuse_unscored, warn
from ..pipeline.movements import list_movements, metric_of_movements
from ..pipeline.scores import score
from ..plan import MOVEMENTS
from ..results.evaluation import Result
from ..results.explanation import Decomposition, Explanation, Movements
from .keywords import (
    GROUPS,
    INPUTS,
    Common,
    CommonBesideProfile,
    choices_of,
    column_map,
    make_request,
    options_of,
    prepared,
    public,
)
from .runs import choices_of_scores, defaults_of, metrics_second, refuse_of_summaries, resolve_runs


@public("connection", "columns", *GROUPS, *INPUTS, refuse=refuse_of_summaries)
def decompose(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    metrics: str | Iterable[str] = (),
    *,
    baseline: str | None = None,
    **common: Unpack[Common],
) -> Decomposition:
    """Shows which segments of queries a difference between two means comes from.

    A mean over all queries is the mean of the segments, weighted by their shares of the queries with a value. So the
    difference of two means is a sum over the segments of two terms. The ranking term is the change of the mean times
    the mean of both shares. The mix term is the change of the share times the mean of both means. If the runs answer
    the same queries, the mix does not change, and each segment contributes its share of the effect that ``compare``
    finds. A segment of only one run has a term of its own: its share times its mean, with the sign of its effect on the
    difference. Source: E. M. Kitagawa, Components of a Difference Between Two Rates, 1955.

    To compare two periods, pass them as two runs, each scored on its own queries: ``decompose("SELECT * FROM shown
    WHERE month = '2026-09'", {"october": "SELECT * FROM shown WHERE month = '2026-10'"}, qrels, "ndcg@10", by="market",
    queries="judged_retrieved")``. Or a column of one labelled table tells them apart: ``decompose(labelled("shown",
    columns={"run_id": "month"}), "ndcg@10", by="market", baseline="2026-09")``.

    Args:
        run: the baseline, as in ``compare``; or a source that has all runs.
        candidates: as in ``compare``.
        qrels: judgments.
        metrics: metric strings, of metrics that are means over queries.
        by: the columns of the segments, as in ``evaluate``; these or ``period`` are required.
        baseline: what to call the baseline, as in ``compare``; of a source, the run that the others are compared with.
        options: as in ``evaluate``. By default each run is scored on every judged query, and has 0 where it retrieved
            nothing; with ``queries="judged_retrieved"`` on those that it has results for.

    Returns:
        A row per candidate, metric and group, the greatest contributions first; a group in which neither run has a
        value has none.

    Raises:
        UsageError: an unknown metric, option or value, no groups, or a metric that is no mean.
        DataError: an input is missing, malformed or contradicts itself; or the runs share no query that both are scored
            on.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> rows = [("q1", "a", 1, "de"), ("q2", "a", 1, "fr")]
        >>> values = ", ".join(map(str, rows))
        >>> qrels = f"SELECT * FROM (VALUES {values}) t (query_id, item_id, relevance, market)"
        >>> old, new = {"q1": ["b", "a"], "q2": ["a"]}, {"q1": ["a"], "q2": ["a"]}
        >>> found = rm.decompose(old, {"new": new}, qrels, "rr", by="market")
        >>> [(row["market"], row["contribution"]) for row in found.summary.dicts()]
        [('de', 0.25), ('fr', 0.0)]
    """
    inputs = resolve_runs("decompose", run, candidates, qrels, metrics, baseline, column_map(common))
    choices = choices_of_scores(common, inputs.runs, inputs.qrels, **inputs.design)
    resolved = resolve_metrics(inputs.metrics, choices)
    request = make_request(common, resolved, choices, level="decompose", baseline=inputs.baseline)
    with prepared(request, inputs.runs, inputs.qrels, common.get("connection")) as evaluation:
        return decomposition(evaluation)


def decomposition(evaluation: Evaluation) -> Decomposition:
    """Run a decomposition."""
    inspector, query, baseline = evaluation.inspector, evaluation.plan, str(evaluation.plan.baseline)
    checked = evaluation.with_checked_rows()
    are_scored_alike = query.options["queries"] in ("judged", "judged_relevant") and query.runs[0].name is not None
    notes = [*evaluation.warnings, *(warn_of_few_scored_alike(inspector, baseline) if are_scored_alike else ())]
    text = checked.plan.text("decompose")
    columns, rows = checked.run(text)
    if not rows:
        check_arms(inspector, baseline)
    notes += refuse_unscored(evaluation, rows, [name for name in checked.run_names if name != baseline])
    notes += metrics_without_rows(evaluation, columns, rows)
    save = checked.saver({"summary": "decompose"})
    return Decomposition(computed_table(text, columns, rows), checked.text_to_show("decompose"), warn(notes), save)


@public("connection", "columns", "query_list", "profile", "input_format", refuse=refuse_of_summaries)
def movements(
    run: Any,
    candidates: Any = None,
    qrels: Any = None,
    *,
    k: int = 10,
    query: Any = None,
    baseline: str | None = None,
    **common: Unpack[Common],
) -> Movements:
    """Lists the items that entered, left or moved in the top k of each query.

    Args:
        run: the baseline, as in ``compare``; or a source whose runs answered the same queries, such as
            ``lists(table, run="model")`` or ``labelled(table, columns={"run_id": ...})``.
        candidates: as in ``compare``.
        qrels: judgments, for the column ``relevance``. They do not filter queries or items.
        k: the cutoff, at least 1.
        query: a query, or a list of them, to show; by default all queries with results in a run.
        baseline: what to call the baseline, as in ``compare``; for one table, the run to compare the others with.
        query_list: the queries to show as a table, file or SELECT, in place of ``query``.
        options: as in ``evaluate``; options about the order, such as ``ties``, decide the ranks.

    Returns:
        A row per candidate, query and item that is within the first k of either list: the candidate's list in its
        order, then what left it.

    Raises:
        UsageError: an unknown option or value, or an order that gives no item one rank (``ties="expected"``).
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> found = rm.movements({"q1": ["a", "b", "c"]}, {"new": {"q1": ["b", "d", "a"]}}, k=2)
        >>> [(row["item_id"], row["movement"]) for row in found.summary.dicts()]
        [('b', 'up'), ('d', 'entered'), ('a', 'left')]
    """
    query_list = common.get("query_list")
    if query is not None and query_list is not None:
        raise UsageError(
            "query and query_list exclude each other, because both select the queries to show. Pass one of them."
        )
    if isinstance(query, list | tuple) and not query:
        raise UsageError("query is an empty list. Name a query, or omit query= for all.")
    queries_shown = query_list if query is None else query if isinstance(query, list | tuple) else [query]
    inputs = resolve_runs(MOVEMENTS, run, candidates, qrels, None, baseline, column_map(common))
    choices = choices_of(common, defaults_of(inputs.runs, common.get("profile"), judged=False) | inputs.design)
    metrics = resolve_metrics(metric_of_movements(k, choices), choices)
    request = make_request(
        common, metrics, choices, level=MOVEMENTS, baseline=inputs.baseline, query_list=queries_shown
    )
    with prepared(request, inputs.runs, inputs.qrels, common.get("connection")) as evaluation:
        return _moved(evaluation)


def _moved(evaluation: Evaluation) -> Movements:
    """Return the movements, with their warnings."""
    checked = evaluation.with_checked_rows()
    check_arms(evaluation.inspector, str(evaluation.plan.baseline))
    moves, save = list_movements(checked), checked.saver({"summary": MOVEMENTS})
    return replace(moves, warnings=warn([*evaluation.warnings]), _save=save)


_HERE, _THERE = "value_here", "value_there"


@public("connection", "columns", "query_list", "items", "input_format")
def explain(
    run: Any,
    qrels: Any = None,
    metric: str = "",
    *,
    profile: str,
    against: str = "trec_eval",
    **common: Unpack[CommonBesideProfile],
) -> Explanation:
    """Explains why two profiles give a metric different values: which options differ, and the effect of each alone.

    Args:
        run: one run, as in ``evaluate``.
        qrels: judgments.
        metric: one metric string that names the same metric in both profiles.
        profile: the profile to explain.
        against: the profile to compare with.
        options: options that both sides share.

    Raises:
        UsageError: an unknown metric, option, profile or value, or two different metrics.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.

    Examples:
        >>> import rankmetrics_sql as rm
        >>> run, qrels = {"q1": {"a": 1.0, "b": 1.0}}, {"q1": {"a": 1, "b": 0}}
        >>> found = rm.explain(run, qrels, "ndcg@2", profile="scikit-learn", check="none")
        >>> round(found.value, 4), round(found.against_value, 4)
        (0.8155, 0.6309)
    """
    qrels, metric = metrics_second(run, qrels, metric, "metric")
    difference = ProfileDifference(metric, profile, against, options_of(common))
    request = make_request(common, difference.metrics, difference.choices)
    with prepared(request, run, qrels, common.get("connection")) as evaluation:
        runs = evaluation.plan.runs
        if len(runs) > 1 or runs[0].columns.get("run_id"):
            raise UsageError("explain takes one run. Pass a single run, not several.")
        return difference.explanation(score(evaluation))


class ProfileDifference:
    """One metric under two profiles, and what to compute to tell them apart."""

    def __init__(self, text: str, profile: str, against: str, options: Mapping[str, Any]) -> None:
        here, there = (resolve(text, resolve_options(options, name)) for name in (profile, against))
        if here.name != there.name:
            raise UsageError(
                f"Metric {text!r} is {here.name} in profile {profile} and {there.name} in {against};"
                " name ours, so that one metric is compared."
            )
        for metric in (here, there):
            refuse("explanation", metric.facts)
        self._text, self._profile, self._against = text, profile, against
        self._here, self._there = _named(here, _HERE), _named(there, _THERE)
        self.choices: Choices = resolve_options(options)
        self.differing = _differences(here, there)
        self._alone = {name: _with_choice(self._there, here, name) for name in self.differing}

    @property
    def metrics(self) -> Sequence[ResolvedMetric]:
        """Return the metrics of the evaluation to explain."""
        return [self._here, self._there, *(metric for metric in self._alone.values() if metric is not None)]

    def explanation(self, result: Result) -> Explanation:
        """Return the explanation that follows from the result of an evaluation of these metrics."""
        values = {row["metric"]: row["value"] for row in result.summary.dicts()}
        here, there = values[_HERE], values[_THERE]
        choices = [self._choice(name, *shown, values, there) for name, shown in self.differing.items()]
        alone = [choice["difference"] for choice in choices]
        together = None if None in (here, there, *alone) else here - there - sum(alone)
        queries = [self._query(row) for row in result.per_query.dicts()]
        queries.sort(key=lambda row: -abs(row["difference"] or 0))
        return Explanation(
            self._text,
            self._profile,
            self._against,
            here,
            there,
            choices,
            together,
            queries,
            result.sql,
            result.warnings,
        )

    def _choice(self, name: str, here: Value, there: Value, values: Mapping[str, Any], base: Any) -> dict[str, Any]:
        value = values.get(_label(name))
        shown = {self._profile: _shown(here), self._against: _shown(there)}
        return {"choice": name, **shown, "value": value, "difference": _difference(value, base)}

    def _query(self, row: Mapping[str, Any]) -> dict[str, Any]:
        known = {_HERE, _THERE, *map(_label, self.differing)}
        keys = {name: value for name, value in row.items() if name not in known}
        moves = {name: abs(_difference(row.get(_label(name)), row[_THERE]) or 0) for name in self.differing}
        mostly = max(moves, key=lambda name: moves[name]) if any(moves.values()) else None
        values = {self._profile: row[_HERE], self._against: row[_THERE]}
        return {**keys, **values, "difference": _difference(row[_HERE], row[_THERE]), "mostly": mostly}


def _named(metric: ResolvedMetric, label: str) -> ResolvedMetric:
    return replace(metric, label=label, column=label)


def _label(choice: str) -> str:
    return f"with_{choice}"


def _differences(here: ResolvedMetric, there: ResolvedMetric) -> dict[str, tuple[Any, Any]]:
    """Return the choices in which two metrics differ, each with both values."""
    sides = [{**metric.params, **metric.ranking, **_aggregates(metric)} for metric in (here, there)]
    names = {**sides[0], **sides[1]}
    pairs = {name: (sides[0].get(name, "declared"), sides[1].get(name, "declared")) for name in names}
    return {name: (one, other) for name, (one, other) in pairs.items() if one != other}


def _aggregates(metric: ResolvedMetric) -> dict[str, Any]:
    """Return the aggregate if it does not follow from the metric's other choices."""
    declared = metric.choosing({}, {}, "declared").aggregate
    return {} if metric.aggregate == declared else {"aggregate": metric.aggregate}


def _with_choice(there: ResolvedMetric, here: ResolvedMetric, name: str) -> ResolvedMetric | None:
    """Return the second metric with one choice of the first; None if that contradicts its other choices."""
    params, ranking = ({name: had[name]} if name in had else {} for had in (here.params, here.ranking))
    asked = here.aggregate if name == "aggregate" else _aggregates(there).get("aggregate", "declared")
    try:
        return _named(there.choosing(params, ranking, str(asked)), _label(name))
    except UsageError:
        return None


def _difference(value: float | None, base: float | None) -> float | None:
    return None if value is None or base is None else value - base


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
