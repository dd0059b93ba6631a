"""One evaluation in a database: its inputs are read, composed and checked, and then give a result."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..checks import Asker, check_always, check_fully, ratios, sizes
from ..checks.arms import check_arms, sample_ratios
from ..checks.overlap import warn_of_few_pairs, warn_of_few_scored_alike, warn_of_overlaps, warn_of_strangers
from ..checks.rows import check_rows, judges_irrelevant, tied_at_cutoff
from ..databases import Engine
from ..databases.answers import Row
from ..definitions.choices import Choices
from ..definitions.refusals import refuse
from ..definitions.resolution import ResolvedMetric, asked_as, trec_eval_name
from ..definitions.verdicts import BETTER, NOT_BETTER, NOT_WORSE, WORSE
from ..errors import DataError, RankmetricsWarning, UsageError, shortened
from ..inputs.sources import Rows, repeated_users
from ..results.comparison import Comparison
from ..results.curve import Curve
from ..results.decomposition import Decomposition
from ..results.movements import Movements
from ..results.tables import Table
from ..results.values import Result
from ..statements.query import MOVEMENTS, Query
from ..statements.relation import Relation
from ..statements.templates import macros
from .composer import Request, bind
from .partitions import in_parts
from .running import Statements, ready, refuse_empty

# Counting compares each judged item of a list with all of the list; sorting does not care how many are judged, but for
# how much of the list it is asked. Up to _FACTOR * n ** _POWER judged items in a list of n, counting is faster, or at
# most 1.15 times slower, and up to a share ** _CUT of that where only a share of the list is sorted (measured for lists
# of 10 to 10,000 items with 0.1 to 300 judged ones). Where so few as _HARDLY_ANY are asked for, nobody looks.
# Where a query has more than _MANY judgments, the average list may not be the one that takes the time. Where there are
# few rows in all, either takes less than a closer look would.
_FACTOR, _POWER, _CUT = 1.7, 0.3, 0.7
_HARDLY_ANY, _MANY = 0.6, 50

# To find the score of the k-th item of each list of n costs more than it saves to sort, where n is not this much more
# (measured for k = 10: lists of 5 and 10 items by a third, lists of 20 are 1.1 times faster, those of 40 1.5 times).
_WORTH_CUTTING = 1.5

# Under so many queries that changed p-values are rough; under so many of many, where changes are rare and large, too.
_HARDLY_TESTED, _SPARSE = 10, 50
_OF_MEANS = (BETTER, WORSE, NOT_BETTER, NOT_WORSE)

# Under so many clusters errors are rough, and above such a share of the queries one of them makes them so.
_FEW_CLUSTERS, _LARGE_CLUSTER = 20, 0.2

# Beyond this many queries a test of ranks is warned of.
_MANY_RANKS = 1_000

# Is told, once the inputs are read and checked, each line of what was chosen.
planner: ContextVar[Callable[[str], None] | None] = ContextVar("planner", default=None)

_PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True)
class Evaluation:
    """Inputs that have been read and checked, and the statements over them.

    Attributes:
        request: what is asked for.
        statements: what answers it.
        warnings: what may make a number mean less than it seems.
        check: what was checked, as ``Result.check`` says it.
        quality: counts the rows of a source that are used or not; None where there is no source.
        rows: the source, of which more may be asked, or None.
    """

    request: Request
    statements: Statements
    warnings: list[str]
    check: str
    quality: Table | None = None
    rows: Rows | None = None

    @property
    def query(self) -> Query:
        """What the statements answer."""
        return self.statements.query

    @property
    def asker(self) -> Asker:
        """Asks about the inputs."""
        return self.statements.asker


def prepare(
    database: Engine,
    request: Request,
    run: Any,
    qrels: Any,
    query_list: Any = None,
    items: Any = None,
    *,
    input_format: str | None = None,
) -> Evaluation:
    """Reads and checks the inputs of an evaluation.

    Args:
        database: where it runs.
        request: what is asked for.
        run: the run or runs, or a source.
        qrels: the judgments.
        query_list: the queries to score.
        items: the items that there are.
        input_format: of all files, or None to go by their names.

    Raises:
        UsageError: the request and the inputs contradict each other.
        DataError: an input is missing, malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    bound = bind(database, request, run, qrels, {"query_list": query_list, "items": items}, input_format)
    query, found = bound.query, list(bound.notes)
    if not database.dialect.has_nan and any(metric.params.get("no_relevant") == "error" for metric in request.metrics):
        raise UsageError(
            f"no_relevant=error: {database.dialect} has no NaN to mark such queries with. Take null or skip."
        )
    check = str(query.options["check"])
    query = replace(query, check=check)
    asker = Asker(database, query)
    found += check_always(asker, compares=request.level == "compare")
    if check in ("auto", "full"):
        rows = check_fully(asker, exact=check == "full")
        found += rows.warnings
        check = "share" if rows.is_share else "full"
    else:
        part = "only retrieved items with a judgment are" if check == "judged" else "nothing is"
        found.append(f"check={check}: {part} checked for duplicates and bad scores.")
    if check == "share":
        is_clean = all(relation.clean for relation in query.relations) and not query.has_weight
        query = replace(query, check="none" if is_clean else "judged")
    else:
        query = replace(query, check=check)
    query = replace(query, strategy=_strategy(query, asker))
    query = replace(query, ranks_all=_ranks_all(query, asker))
    tell = planner.get()
    if tell is not None:
        for line in _plan(query, check):
            tell(line)
    return Evaluation(bound.request, Statements(database, query, asker), found, check, bound.quality, bound.rows)


def _plan(query: Query, check: str) -> Iterator[str]:
    """What was chosen, for people."""
    counts = ((len(query.runs), "run"), (len(query.metrics), "metric"))
    asked = " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts)
    yield f"{asked} in one statement, strategy={query.strategy}; input checked: {check}"
    yield "; ".join(f"{relation.label}: {_place(relation)}" for relation in query.relations)


def _place(relation: Relation) -> str:
    """Where statements read a relation."""
    if relation.stays:
        return "your query" if relation.is_query else "your table"
    return "read directly" if relation.sql.startswith(("(", "read_")) else "loaded"


def _strategy(query: Query, asker: Asker) -> str:
    """The strategy asked for; else counting where lists of a table or file, not a query, have few judged items."""
    wanted = str(query.options["strategy"])
    if query.options["position"] == "given":
        return "window"
    if wanted != "auto":
        return wanted
    is_query = query.qrels is None or any(relation.is_query for relation in (*query.runs, query.qrels))
    if is_query or not asker.database.counts_judgments:
        return "window"
    n_items = sizes.items_per_list(asker)
    depth = query.sorted_depth
    share = 1.0 if depth is None else min(1.0, depth / n_items)
    few = _FACTOR * n_items**_POWER * share**_CUT
    n_judged = sizes.judgments_per_query(asker)
    if sizes.has_few_rows(asker):
        return "window" if n_judged > few else "count"
    if n_judged > few > _HARDLY_ANY:
        n_judged = sizes.judged_per_list(asker)
    if n_judged > few:
        return "window"
    return "window" if sizes.most_judgments(asker) > _MANY and n_judged * sizes.skew(asker) > few else "count"


def _ranks_all(query: Query, asker: Asker) -> bool:
    """Whether the lists of a large table are so short that cutting them costs more than it saves."""
    is_known = asker.database.counts_judgments and not query.runs[0].is_query and query.strategy == "window"
    if not is_known or not sizes.has_many_rows(asker):
        return False
    depth = query.sorted_depth
    return depth is not None and sizes.items_per_list(asker) < _WORTH_CUTTING * depth


def result(evaluation: Evaluation, partitions: int = 1) -> Result:
    """Runs the summary; the values per query run when they are asked for.

    Args:
        evaluation: what is asked for.
        partitions: in how many parts the values are computed.
    """
    if partitions > 1:
        evaluation = replace(evaluation, statements=in_parts(evaluation.statements, partitions))
    statements, metrics, query = evaluation.statements, evaluation.request.metrics, evaluation.query
    text = query.text("summary")
    columns, rows = statements.ran(text)
    found = [*evaluation.warnings, *_cut_ties(evaluation, columns, rows), *_unweighted(columns, rows)]
    found += _few_judged(evaluation, columns, rows)
    found += _left_out(evaluation, columns, rows)
    columns, rows = statements.accepted(columns, rows)
    found += _check_scored(evaluation, columns, rows, statements.runs)
    found += _zeros(evaluation, columns, rows)
    found += _rough_clusters(evaluation, columns, rows)
    return Result(
        ready(text, columns, rows),
        statements.table("per_query"),
        text if query.lasting is query else query.lasting.text("summary"),
        _warn(found),
        {metric.label: metric.column for metric in metrics},
        _counts(metrics),
        {metric.label: trec_eval_name(metric) for metric in metrics},
        statements.leaver({"summary": "summary", "per_query": "per_query"}),
        partial(asked_as, asked=metrics, choices=evaluation.request.choices),
        evaluation.check,
        evaluation.quality,
        _better(metrics),
    )


def curve(evaluation: Evaluation) -> Curve:
    """Runs the average of the curve; its values per query run when they are asked for."""
    statements, [first, *_] = evaluation.statements, evaluation.request.metrics
    if first.metric.shape == "curve":
        statements = replace(statements, query=replace(statements.query, check="none"))
        points = statements.table("points")
        refuse_empty(points.fetchall(), statements.runs, f"no query has a point of {first.label}.")
        return Curve(None, points, points.sql, _warn(evaluation.warnings), statements.leaver({"per_query": "points"}))
    text = evaluation.query.text("curve")
    columns, rows = statements.ran(text)
    found = [*evaluation.warnings, *_unweighted(columns, rows)]
    columns, rows = statements.accepted(columns, rows)
    found += _check_scored(evaluation, columns, rows, statements.runs)
    per_query = statements.table("curve_per_query")
    leave = statements.leaver({"summary": "curve", "per_query": "curve_per_query"})
    return Curve(ready(text, columns, rows), per_query, text, _warn(found), leave)


def _checked_before(evaluation: Evaluation) -> Statements:
    """Statements whose results have no room for faults, so that these are looked for before."""
    if evaluation.query.check == "judged":
        check_rows(evaluation.asker, exact=True)
    return replace(evaluation.statements, query=replace(evaluation.query, check="none"))


def comparison(evaluation: Evaluation, shares: Mapping[str, float] | None = None) -> Comparison:
    """Runs the comparison.

    Args:
        evaluation: what is asked for.
        shares: how many of the units each arm was meant to have, or None for equally many.

    Raises:
        UsageError: there are no arms, or others than those of shares.
        DataError: an input is malformed or contradicts itself.
        DatabaseError: the database refused a statement.
    """
    asker, baseline = evaluation.asker, str(evaluation.query.baseline)
    has_arms = evaluation.query.options["design"] == "unpaired"
    if shares is not None and not has_arms:
        raise UsageError("shares= is of arms, which have queries of their own: design=unpaired.")
    plain = replace(evaluation.statements, query=replace(evaluation.query, check="none"))
    statements = counting_faults(evaluation)
    in_one_table = evaluation.query.runs[0].name is None
    is_paired = evaluation.query.options["design"] == "paired" and not in_one_table
    found = [*evaluation.warnings, *_of_users(evaluation)]
    found += warn_of_few_pairs(asker, baseline) if is_paired else ()
    notes: list[str] = []
    if has_arms and (shares is not None or evaluation.query.options["check"] in ("auto", "full")):
        notes, mismatches = _sample_ratio(evaluation, shares)
        found += mismatches
    text = statements.query.text("compare")
    columns, rows = statements.ran(text)
    found += _unweighted(columns, rows)
    columns, rows = statements.accepted(columns, rows)
    if not rows:
        if evaluation.query.check == "judged":
            check_rows(asker, exact=True)
        _warn(found)
        check_arms(asker, baseline)
    _refuse_exchange(evaluation, columns, rows)
    candidates = [name for name in statements.runs if name != baseline]
    found += _check_scored(evaluation, columns, rows, candidates)
    found += [f"{label}: no query has a value in both runs." for label in _lacking(evaluation, columns, rows)]
    found += _too_few(evaluation, columns, rows)
    found += _few_units(evaluation, columns, rows)
    found += _rough_clusters(evaluation, columns, rows)
    found += _unadjusted(evaluation)
    found += _apart(evaluation, columns, rows)
    found += _sharp_ranks(evaluation, columns, rows)
    asked: dict[str, Any] = evaluation.query.options_of("comparison")
    request = evaluation.request
    columns_asked = {"weight": request.weight, "cluster": request.cluster, "covariate": request.covariate}
    asked |= {name: column for name, column in columns_asked.items() if column is not None}
    asked |= {"limits": evaluation.request.limits} if evaluation.request.limits is not None else {}
    asked |= {"all_pairs": [*statements.runs]} if evaluation.request.all_pairs else {}
    levels, per_query = {"summary": "compare"}, None
    if asked["design"] == "paired":
        levels, per_query = {**levels, "per_query": "compare_per_query"}, plain.table("compare_per_query")
    metrics = evaluation.request.metrics
    return Comparison(
        ready(text, columns, rows),
        text,
        _warn(found),
        statements.leaver(levels),
        asked,
        per_query,
        _better(metrics),
        _counts(metrics),
        notes=notes,
    )


def counting_faults(evaluation: Evaluation) -> Statements:
    """The statements of a comparison, which count the faults that nobody has looked for before."""
    query = evaluation.query
    is_weighed = query.has_weight and query.check != "none"  # whose lack is counted where faults are
    check = "judged" if is_weighed or query.check == "judged" else "none"
    return replace(evaluation.statements, query=replace(query, check=check))


def _of_users(evaluation: Evaluation) -> list[str]:
    """Warns of users with several requests, where a comparison of arms takes each of these to be alone."""
    options, rows = evaluation.query.options, evaluation.rows
    takes_alone = options["design"] == "unpaired" and evaluation.request.cluster is None
    return repeated_users(rows) if rows is not None and takes_alone and options["check"] in ("auto", "full") else []


def _sample_ratio(evaluation: Evaluation, shares: Mapping[str, float] | None) -> tuple[list[str], list[str]]:
    """What is said of the sample ratio of arms below the comparison, and what is warned of."""
    query, cluster = evaluation.query, evaluation.request.cluster
    found = sample_ratios(evaluation.asker, shares)
    if not found:
        return [], []
    order = dict.fromkeys([str(query.baseline), *(run.name for run in query.runs if run.name is not None)])
    return [ratios.said(found, [*order], cluster, shares)], [*ratios.warned(found, cluster)]


def _refuse_exchange(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Refuses to exchange clusters between arms that have some in common, which have no p-value because of that.

    Raises:
        DataError: they have.
    """
    options, cluster = evaluation.query.options, evaluation.request.cluster
    if cluster is None or (options["design"], options["test"]) != ("unpaired", "randomisation"):
        return
    if all(row[columns.index("pvalue")] is not None for row in rows):
        return
    n_shared = next((ratio.n_shared for ratio in sample_ratios(evaluation.asker, None)), 0)
    if n_shared:
        raise DataError(
            f"test=randomisation exchanges whole values of {cluster} between the arms, and {n_shared:,} of them"
            f" {'is' if n_shared == 1 else 'are'} in both. test=t and test=bootstrap count each of them once."
        )


def _better(metrics: Sequence[ResolvedMetric]) -> dict[str, str]:
    return {metric.label: metric.metric.better for metric in metrics}


def _counts(metrics: Sequence[ResolvedMetric]) -> frozenset[str]:
    """The labels of those whose values are counts: their headers say that they are added up."""
    return frozenset(metric.label for metric in metrics if metric.aggregate == metric.metric.aggregate == "sum")


def _sharp_ranks(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Tests of ranks find any difference, where there are many queries (Ihemelandu & Ekstrand 2023)."""
    test = evaluation.query.options["test"]
    n_queries = max((row[columns.index("n_queries")] for row in rows), default=0)
    if test not in ("wilcoxon", "sign") or n_queries <= _MANY_RANKS:
        return []
    what = "finds differences that do not matter; look at the effect and its interval"
    return [f"test={test} over {n_queries:,} queries {what}."]


def _units(evaluation: Evaluation) -> str:
    """What is counted as one each."""
    return "queries" if evaluation.request.cluster is None else f"values of {evaluation.request.cluster}"


def _rough_clusters(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Errors of few clusters, or of clusters of which one has much of the queries."""
    column, options = evaluation.request.cluster, evaluation.query.options
    if column is None or not rows:
        return
    numbers, shares = (
        [row[columns.index(name)] for row in rows if row[columns.index(name)] is not None]
        for name in ("n_clusters", "largest_cluster_share")
    )
    drawn = next((name for name in ("test", "interval") if options[name] == "bootstrap"), None)
    if few := [number for number in numbers if 1 < number < _FEW_CLUSTERS]:
        where = "" if len(rows) == 1 else f" in {len(few):,} of {len(rows):,} rows"
        advice = (
            f"{drawn}=t takes into account how few there are"
            if drawn is not None
            else f"only more values of {column} make it firmer, not more queries of the same ones"
        )
        yield (
            f"Only {min(few):,} values of {column}{where}, so the standard error is known roughly, and intervals and"
            f" p-values with it; {advice}."
        )
    if large := [share for share in shares if _LARGE_CLUSTER < share < 1]:
        where = "" if len(rows) == 1 else f" in {len(large):,} of {len(rows):,} rows"
        yield (
            f"One value of {column} has {max(large):.0%} of the queries{where}, so the result is largely its own, and"
            f" the standard error is known roughly; by={column} without cluster= shows which value it is."
        )


def _few_units(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """The metrics whose p-values rest on few queries, or on few that changed among many that did not."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    is_paired = evaluation.query.options["design"] == "paired"
    unit = _units(evaluation)
    what = f"{unit} differ from what is tested" if is_paired else f"{unit} in the smaller arm"
    for metric in evaluation.request.metrics:
        own = [row for row in named if row["metric"] == metric.label and row["pvalue"] is not None]
        few = [row["n_units"] for row in own if row["n_units"] < _HARDLY_TESTED]
        if few:
            where = "" if len(own) == 1 else f" in {len(few):,} of {len(own):,} rows"
            yield f"{metric.label}: fewer than {_HARDLY_TESTED} {what}{where}, so p-values and intervals are rough."
        sparse = [row for row in own if row["verdict"].startswith(_OF_MEANS) and _is_sparse(row, is_paired)]
        if sparse:
            first = sparse[0]
            where = "" if len(own) == 1 else f" in {len(sparse):,} of {len(own):,} rows, such as {first['run']}"
            changed, total = first["n_higher"] + first["n_lower"], first["n_queries"]
            yield (
                f"{metric.label}: only {changed:,} of {total:,} queries changed{where}. If one side is rare and large,"
                f" {evaluation.query.options['test']} rejects too often until some {_SPARSE} queries have changed."
            )


def _apart(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Of all pairs those that share no query, which have no row."""
    places = [columns.index(name) for name in ("baseline_run", "run")]
    there = {tuple(row[place] for place in places) for row in rows}
    runs = evaluation.statements.runs if evaluation.request.all_pairs else []
    for first, second in itertools.combinations(runs, 2):
        if (first, second) not in there:
            yield f"{first} and {second} have no query in common, so they are not compared."


def _unadjusted(evaluation: Evaluation) -> Iterator[str]:
    """The metrics whose effects a covariate does not adjust, which are no means of the values of queries."""
    if evaluation.request.covariate is not None:
        for metric in evaluation.request.metrics:
            if metric.aggregate != "mean":
                what = "a covariate adjusts means of queries, and this is none, so the effect is as measured"
                yield f"{metric.label}: {what}."


def _is_sparse(row: Mapping[str, Any], is_paired: bool) -> bool:
    """Whether few queries changed, and most did not."""
    if not is_paired or row["n_higher"] is None or row["n_units"] < _HARDLY_TESTED:
        return False
    changed = row["n_higher"] + row["n_lower"]
    return bool(changed < _SPARSE and 2 * changed < row["n_queries"])


def _too_few(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The metrics whose effects have no error: of too few queries, or because there is none of such an aggregate."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    is_paired = evaluation.query.options["design"] == "paired"
    known = {
        "mean": True,
        "sum": is_paired and not evaluation.query.has_weight,
        "geometric": evaluation.query.options["test"] == "t",  # which compares logarithms
    }
    unit = _units(evaluation)
    whose = "in both runs" if is_paired else "in each arm"
    found = []
    for metric in evaluation.request.metrics:
        of_metric = [row for row in named if row["metric"] == metric.label]
        own = [row["standard_error"] for row in of_metric]
        few = own.count(None)
        n_equal = sum(row["standard_error"] == 0 and row["pvalue"] is None for row in of_metric)
        if n_equal:
            where = "" if len(own) == 1 else f" in {n_equal:,} of {len(own):,} rows"
            what = "all differences are equal" if is_paired else "all values of each arm are equal"
            other = "sign" if is_paired else "mann_whitney"
            found.append(
                f"{metric.label}: {what}{where}, so that nothing says how far they spread: no interval and no p-value;"
                f" test={other} has a p-value."
            )
        if few and known.get(metric.aggregate, False):
            where = "" if len(own) == 1 else f" in {few:,} of {len(own):,} rows"
            found.append(f"{metric.label}: no interval and no p-value{where}, which take two {unit} {whose}.")
        elif few and few == len(own) and metric.aggregate != "parts":
            what = "differences" if is_paired else "arms"
            found.append(
                f"{metric.label}: no interval and no p-value, because there is none of {what} of {metric.aggregate}."
            )
    return found


def decomposition(evaluation: Evaluation) -> Decomposition:
    """Runs the decomposition."""
    asker, query, baseline = evaluation.asker, evaluation.query, str(evaluation.query.baseline)
    statements = _checked_before(evaluation)
    are_scored_alike = query.options["queries"] in ("judged", "judged_relevant") and query.runs[0].name is not None
    found = [*evaluation.warnings, *(warn_of_few_scored_alike(asker, baseline) if are_scored_alike else ())]
    text = statements.query.text("decompose")
    columns, rows = statements.rows(text)
    if not rows:
        check_arms(asker, baseline)
    found += _refuse_unscored(evaluation, rows, [name for name in statements.runs if name != baseline])
    found += [f"{label}: no query has a value in one of the runs." for label in _lacking(evaluation, columns, rows)]
    return Decomposition(ready(text, columns, rows), text, _warn(found), statements.leaver({"summary": "decompose"}))


def movements(evaluation: Evaluation) -> Movements:
    """Runs the statement of movements."""
    asker, baseline = evaluation.asker, str(evaluation.query.baseline)
    statements = _checked_before(evaluation)
    text = statements.query.text(MOVEMENTS)
    columns, rows = statements.rows(text)
    check_arms(asker, baseline)
    if not rows:
        raise DataError("No run has results for any of the queries to show.")
    leaver = statements.leaver({"summary": MOVEMENTS})
    return Movements(ready(text, columns, rows), text, _warn([*evaluation.warnings]), leaver)


def items_shown(k: int, choices: Choices) -> str:
    """What stands in place of a metric for movements: it makes a ranking as far as the first k, which are looked at.

    Raises:
        UsageError: there is no such k, or items have no ranks by these choices.
    """
    is_count = isinstance(k, int) and not isinstance(k, bool) and k >= 1
    if is_count and k >= 2**63:
        raise UsageError(f"movements: k={shortened(k)} is more than a list can have.")
    refuse("movements", {"k": k, "is_count": is_count, "ties": choices["ties"], "aggregate": choices["aggregate"]})
    return str(macros()["rm_movement_metric"](k))


def _warn(messages: list[str]) -> list[str]:
    """Warns where the user called us, however many functions of ours are between."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and (frame.f_globals.get("__package__") or "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(message, RankmetricsWarning, stacklevel=level)
    return messages


def _lacking(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The metrics that a comparison has no row for."""
    found = {row[columns.index("metric")] for row in rows}
    return [metric.label for metric in evaluation.request.metrics if metric.label not in found]


def _cut_ties(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Queries with equal scores on both sides of a cutoff."""
    found = _counted("n_ties_cut", columns, rows)
    return [f"{label}{tied_at_cutoff(evaluation.query, count)}" for label, count in found.items()]


def _unweighted(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Queries that have no weight."""
    found = _counted("n_unweighted", columns, rows)
    some = {label: "1 query has" if count == 1 else f"{count:,} queries have" for label, count in found.items()}
    return [f"{label}{who} no weight, so they count in no mean." for label, who in some.items()]


def _few_judged(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Where fewer than half of the items that come first have a judgment, so that the others count as not relevant."""
    query, asker = evaluation.query, evaluation.asker
    if any(metric.ranking["unjudged"] != "nonrelevant" for metric in query.metrics):
        return
    judged, scored = (_of_runs(name, columns, rows) for name in ("n_judged_first", "n_queries"))
    if len(query.runs) == 1:  # several in one table are looked at together
        judged, scored = ({"": sum(found.values())} if found else {} for found in (judged, scored))
    of_run = {f"{run.name}: " if len(query.runs) > 1 else "": run for run in query.runs}
    k = min([*query.cutoffs, *([int(str(query.options["depth"]))] if query.options["depth"] else [])], default=0)
    for label, n_judged in judged.items():
        if 2 * n_judged >= k * scored[label]:
            continue  # of all places, which are not fewer than those with an item
        n_places = sizes.filled_places(asker, of_run[label], k, scored[label])
        if 2 * n_judged < n_places and judges_irrelevant(asker):
            items = f"{k} items" if k > 1 else "item of each list"
            yield (
                f"{label}{int(100 * n_judged / n_places)} % of the top {items} are judged, and the others count as"
                " not relevant, so values may be too low. unjudged=bounds shows by how much."
            )


def _counted(name: str, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """From the summary, how many faults there are of each run that has some."""
    return {label: count for label, count in _of_runs(name, columns, rows).items() if count}


def _of_runs(name: str, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """From the summary, whose rows count the queries of their run, group and metric, how many there are of each run.

    Some rankings may see more, and each set of groups sees all of them.
    """
    if name not in columns:
        return {}
    by_run: dict[str, Counter[str]] = {}
    for row in rows:
        named = dict(zip(columns, row, strict=True))
        run = next((f"{named[key]}: " for key in ("run_id", "run") if key in named), "")
        metric = named["metric"] if "metric" in named else named["x"]
        by_run.setdefault(run, Counter())[f"{metric} {named.get('breakdown')}"] += named[name] or 0
    return {label: max(by_metric.values()) for label, by_metric in by_run.items()}


def _left_out(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """From the summary, each of whose rows says how many there are not."""
    if "n_groups_left_out" not in columns or not rows:
        return []
    n_rows, wanted = rows[0][columns.index("n_groups_left_out")], evaluation.query.min_queries
    some = "1 row of a group" if n_rows == 1 else f"{n_rows} rows of groups"
    return [f"min_queries={wanted}: {some} with fewer queries left out of the summary."] if n_rows else []


def _check_scored(
    evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row], names: Sequence[str | None]
) -> list[str]:
    """Refuses a result without a number, or without one for one of the runs; warns of what may be why."""
    place = columns.index("n_queries")
    return _refuse_unscored(evaluation, [row for row in rows if row[place]], names)


def _refuse_unscored(evaluation: Evaluation, scored: Sequence[Row], names: Sequence[str | None]) -> list[str]:
    """The same of rows that all have a query with a value."""
    query = evaluation.query
    found = [] if scored else _overlaps(evaluation)
    skipping = " Metrics skip some." if any(metric.skips for metric in query.metrics) else ""
    listed = " and the query list" if query.query_list else ""
    few = f" Or each group has fewer than min_queries={query.min_queries}." if query.min_queries else ""
    if query.options["position"] == "given":
        skipping += " Lists with two items at one position have no value; position=dense numbers the items."
    reason = f"no query is left to score by queries={query.options['queries']}{listed}.{skipping}{few}"
    refuse_empty(scored, names, reason)
    return found


def _zeros(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Where all values are 0, perhaps no id matches."""
    place = columns.index("value")
    if any(row[place] for row in rows):
        return []
    return [*_overlaps(evaluation), *warn_of_strangers(evaluation.asker)]


def _overlaps(evaluation: Evaluation) -> list[str]:
    """What the checks before the evaluation have said already, unless they were declined."""
    looked_at = evaluation.query.options["check"] in ("auto", "full")
    return [] if looked_at else list(warn_of_overlaps(evaluation.asker))
