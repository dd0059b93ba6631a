"""Compare runs with a baseline: effects, tests, their differences between groups, and warnings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..checks import ratios
from ..checks.inspector import InputInspector
from ..checks.overlap import warn_of_few_pairs
from ..checks.queries import check_arms, clusters_in_groups, sample_ratios
from ..checks.ratios import Ratio, Unit
from ..checks.rows import check_rows
from ..definitions.resolution import refuse
from ..definitions.verdicts import BETTER, NO_DIFFERENCE, WORSE
from ..dialects.names import unquoted
from ..errors import DataError
from ..inputs.columns import Group
from ..results.comparison import Comparison
from ..results.heterogeneity import COLUMNS, describe_groups, rows_between
from ..results.tables import Table
from ..rows import Row
from ..sources import Users, repeated_users
from ..templates import macros
from .execute import Evaluation, computed_table
from .findings import (
    better_of,
    check_scored,
    counts_of,
    groups_left_out,
    groups_without_rows,
    heavy_tails,
    metrics_without_rows,
    rough_clusters,
    telling_of_tails,
    units_of,
    unweighted,
    warn,
    warn_of_runs_without_overlap,
)
from .judges import describe_judges
from .planning import place
from .predictions import check_predictions


def between_groups(
    evaluation: Evaluation, text: str, columns: Sequence[str], rows: Sequence[Row]
) -> tuple[Table | None, list[str]]:
    """Test whether effects differ between groups; return a row for each metric and run, and sentences about them."""
    plan = evaluation.plan
    if not plan.shown_groups or not rows or plan.judge is not None:  # judges share their queries
        return None, []
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    options = plan.options_of("comparison")
    if plan.has_cluster:
        options["cluster"] = unquoted(plan.groups[-1].label)
    sums = [metric.label for metric in evaluation.request.metrics if metric.aggregate == "sum"]
    n_shared = clusters_in_groups(evaluation.inspector) if plan.has_cluster else 0
    compared = rows_between(records, options, sums, n_shared)
    table = computed_table(text, [*COLUMNS], [tuple(row[name] for name in COLUMNS) for row in compared])
    return table, describe_groups(compared, records, options)


# Under so many queries that changed p-values are rough; under so many of many, where changes are rare and large, too.
_HARDLY_TESTED, _SPARSE = 10, 50
_OF_MEANS = (BETTER, WORSE)  # claims within a margin have a rule of their own for that

# Beyond this many queries a test of ranks is warned of.
_MANY_RANKS = 1_000


def warnings_of_tests(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Yield the warnings about a comparison that has run."""
    yield from _too_few(evaluation, columns, rows)
    yield from _few_units(evaluation, columns, rows)
    yield from rough_clusters(evaluation, columns, rows)
    yield from _unadjusted(evaluation)
    yield from _outside_strata(evaluation, columns, rows)
    yield from _apart(evaluation, columns, rows)
    yield from _sharp_ranks(evaluation, columns, rows)


def refuse_exchange(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Raise if test=randomisation would exchange clusters that are in several arms, so that there is no p-value."""
    options, cluster = evaluation.plan.options, evaluation.plan.spec.cluster
    if cluster is None or (options["design"], options["test"]) != ("unpaired", "randomisation"):
        return
    if all(row[columns.index("pvalue")] is not None for row in rows):
        return
    n_shared = next((ratio.n_shared for ratio in sample_ratios(evaluation.inspector, None)), 0)
    if n_shared:
        raise DataError(
            f"test=randomisation exchanges whole values of {cluster} between the arms, but {n_shared:,} of"
            f" them {'is' if n_shared == 1 else 'are'} in both. Take test=t or test=bootstrap, which count"
            " each of them once."
        )


def _too_few(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Warn of metrics whose effects have no error: too few queries, or no test for such an aggregate."""
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    is_paired = evaluation.plan.options["design"] == "paired"
    queries = {
        "mean": True,
        "sum": is_paired and not evaluation.plan.has_weight,
        "geometric": evaluation.plan.options["test"] == "t",  # which compares logarithms
    }
    unit = units_of(evaluation)
    whose = "in both runs" if is_paired else "in each arm"
    warnings = []
    for metric in evaluation.request.metrics:
        of_metric = [row for row in records if row["metric"] == metric.label]
        errors = [row["standard_error"] for row in of_metric]
        few = errors.count(None)
        n_equal = sum(row["standard_error"] == 0 and row["pvalue"] is None for row in of_metric)
        if n_equal:
            where = "" if len(errors) == 1 else f" in {n_equal:,} of {len(errors):,} rows"
            what = "all differences are equal" if is_paired else "all values of each arm are equal"
            other = "sign" if is_paired else "mann_whitney"
            warnings.append(
                f"{metric.label}: {what}{where}, so there is no variance: no interval and no p-value."
                f" test={other} has a p-value."
            )
        if few and queries.get(metric.aggregate, False):
            where = "" if len(errors) == 1 else f" in {few:,} of {len(errors):,} rows"
            warnings.append(f"{metric.label}: no interval and no p-value{where}, because both need two {unit} {whose}.")
        elif few and few == len(errors) and metric.aggregate != "parts":
            what = "differences" if is_paired else "arms"
            warnings.append(
                f"{metric.label}: no interval and no p-value, because no test compares {what} with"
                f" aggregate={metric.aggregate}."
            )
    return warnings


def _few_units(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warn of metrics whose p-values rest on few queries, or on few changes among many queries."""
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    is_paired = evaluation.plan.options["design"] == "paired"
    unit = units_of(evaluation)
    what = f"{unit} with a difference" if is_paired else f"{unit} in the smaller arm"
    what += ", counted by their weights" if evaluation.plan.has_weight else ""
    for metric in evaluation.request.metrics:
        tested = [row for row in records if row["metric"] == metric.label and row["pvalue"] is not None]
        few = [row for row in tested if row["n_units"] < _HARDLY_TESTED and row["verdict"] != NO_DIFFERENCE]
        if few:
            where = "" if len(tested) == 1 else f" in {len(few):,} of {len(tested):,} rows"
            yield f"{metric.label}: fewer than {_HARDLY_TESTED} {what}{where}, so p-values and intervals are rough."
        fragile = [row for row in tested if row["verdict"] in _OF_MEANS and _HARDLY_TESTED <= row["n_units"] < _SPARSE]
        if fragile and evaluation.plan.options["test"] == "bootstrap":
            where = "" if len(tested) == 1 else f" in {len(fragile):,} of {len(tested):,} rows"
            yield (
                f"{metric.label}: fewer than {_SPARSE} {what}{where}, where test=bootstrap rejects too often"
                " (7.5 % of 30 queries that are alike). test=t keeps its level."
            )
        sparse = [row for row in tested if row["verdict"].startswith(_OF_MEANS) and _is_sparse(row, is_paired)]
        if sparse:
            first = sparse[0]
            where = "" if len(tested) == 1 else f" in {len(sparse):,} of {len(tested):,} rows, such as {first['run']}"
            changed, total = int(first["n_higher"] + first["n_lower"]), int(first["n_queries"])
            yield (
                f"{metric.label}: only {changed:,} of {total:,} queries changed{where}. If changes in one"
                f" direction are rare and large, {evaluation.plan.options['test']} rejects too often until"
                f" about {_SPARSE} queries have changed."
            )


def _is_sparse(row: Mapping[str, Any], is_paired: bool) -> bool:
    """Check whether few queries changed, and most did not."""
    if not is_paired or row["n_higher"] is None or row["n_units"] < _HARDLY_TESTED:
        return False
    changed = row["n_higher"] + row["n_lower"]
    return bool(changed < _SPARSE and 2 * changed < row["n_queries"])


def _unadjusted(evaluation: Evaluation) -> Iterator[str]:
    """Warn of metrics that are neither means over queries nor ratios of sums, which a covariate does not adjust."""
    if evaluation.plan.spec.covariate is not None:
        for metric in evaluation.request.metrics:
            if metric.aggregate != "mean" and not macros()["rm_is_linear"](metric.as_template()):
                what = "a covariate adjusts only means and ratios of sums, so this effect is not adjusted"
                yield f"{metric.label}: {what}."


def _outside_strata(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warn of queries that no effect counts, because an arm has fewer than two queries of their stratum."""
    strata = evaluation.plan.spec.strata
    if strata is None:
        return
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    worst = max(records, key=lambda record: record["n_outside_strata"], default={"n_outside_strata": 0})
    if n_outside := worst["n_outside_strata"]:
        yield (
            f"{n_outside:,} of {worst['n_queries'] + n_outside:,} queries {'is' if n_outside == 1 else 'are'} left"
            f" out, because {worst['run']} or the baseline has fewer than two queries with their {strata}."
            " Merge small strata."
        )


def _apart(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """Warn of pairs of runs that share no query, which have no row."""
    places = [columns.index(name) for name in ("baseline_run", "run")]
    keys = {tuple(row[place] for place in places) for row in rows}
    runs = evaluation.run_names if evaluation.request.all_pairs else []
    for first, second in itertools.combinations(runs, 2):
        if (first, second) not in keys:
            yield f"{first} and {second} have no query in common, so they are not compared."


def _sharp_ranks(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Warn of tests of ranks over many queries, which find any difference (Ihemelandu & Ekstrand 2023)."""
    test = evaluation.plan.options["test"]
    n_queries = max((row[columns.index("n_queries")] for row in rows), default=0)
    if test not in ("wilcoxon", "sign") or n_queries <= _MANY_RANKS:
        return []
    what = "finds differences too small to matter. Look at the effect and its interval"
    return [f"test={test} over {n_queries:,} queries {what}."]


def comparison(evaluation: Evaluation, shares: Mapping[str, float] | None = None) -> Comparison:
    """Run a comparison; ``shares`` are the intended shares of the units in each arm, equal ones by default."""
    plan, inspector, baseline = evaluation.plan, evaluation.inspector, str(evaluation.plan.baseline)
    has_arms = plan.options["design"] == "unpaired"
    if shares is not None:
        refuse("shares", plan.options)
    is_paired = plan.options["design"] == "paired" and plan.runs[0].name is not None
    users = _of_users(evaluation)
    warnings = [*evaluation.warnings, *([users.warning] if users else [])]
    warnings += warn_of_few_pairs(inspector, baseline) if is_paired else ()
    checks_shares = has_arms and (shares is not None or plan.options["check"] in ("auto", "full"))
    of_arms = sample_ratios(_by_user(inspector, users) if users else inspector, shares) if checks_shares else []
    unit = Unit(users.name, is_clustered=False) if users else Unit(evaluation.plan.spec.cluster)
    warnings += ratios.ratio_warnings(of_arms, unit) if of_arms else ()
    counting = counting_faults(evaluation)
    text = counting.plan.text("compare")
    columns, rows = counting.run_raw(text)
    warnings += unweighted(columns, rows)
    tails = [*heavy_tails(evaluation, columns, rows)]
    small = groups_left_out(evaluation, columns, rows)
    warnings += check_predictions(evaluation, columns, rows)
    columns, rows = counting.accept(columns, rows)
    if not rows:
        if plan.check == "judged":
            check_rows(inspector, exact=True)
        warn(warnings)
        check_arms(inspector, baseline)
        _refuse_lone_arms(evaluation)
    refuse_exchange(evaluation, columns, rows)
    warnings += check_scored(evaluation, columns, rows, [name for name in counting.run_names if name != baseline])
    if plan.min_queries is None:
        warnings += groups_without_rows(plan, [ratio.where for ratio in of_arms[1:]], columns, rows)
    warnings += metrics_without_rows(evaluation, columns, rows)
    mismatches, unjudged = warn_of_runs_without_overlap(evaluation, _values(columns, rows))
    warnings += mismatches
    warnings += [*warnings_of_tests(evaluation, columns, rows), *tails]
    levels, per_query = {"summary": "compare"}, None
    if plan.options["design"] == "paired":
        plain = replace(evaluation, plan=replace(plan, check="none"))
        levels, per_query = {**levels, "per_query": "compare_per_query"}, plain.table("compare_per_query")
    metrics = evaluation.request.metrics
    heterogeneity, differing = between_groups(evaluation, text, columns, rows)
    of_judges = _of_judges(evaluation, columns, rows)
    warnings += _count_each_judge(evaluation, warnings)
    return Comparison(
        computed_table(text, columns, rows),
        counting.text_to_show("compare"),
        warn(warnings),
        counting.saver(levels),
        _asked(evaluation),
        per_query,
        better_of(metrics),
        counts_of(metrics),
        notes=of_judges + _sample_ratio(evaluation, of_arms, unit, shares) + small + differing,
        unjudged=unjudged,
        heterogeneity=heterogeneity,
    )


def _of_judges(evaluation: Evaluation, columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Return the sentences on how many judges have each verdict."""
    plan = evaluation.plan
    if plan.judge is None:
        return []
    names = [unquoted(group.label) for group in plan.shown_groups]
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    return describe_judges(records, unquoted(plan.judge), names)


def _count_each_judge(evaluation: Evaluation, warnings: Sequence[str]) -> list[str]:
    """Return what warnings that count queries mean by one."""
    if evaluation.plan.judge is None or not any("quer" in warning for warning in warnings):
        return []
    return ["Warnings count a query once for each judge."]


def counting_faults(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation that counts faults if rows are not checked yet, and missing weights."""
    plan = replace(telling_of_tails(evaluation.plan), counts_left_out=True)
    is_counted = plan.check == "judged" or plan.has_weight
    return replace(evaluation, plan=plan if is_counted else replace(plan, check="none"))


def _refuse_lone_arms(evaluation: Evaluation) -> None:
    """Raise if a comparison of arms has no row because no group has two arms."""
    plan = evaluation.plan
    if plan.options["design"] == "unpaired" and plan.groups and plan.min_queries is None:
        names = ", ".join(unquoted(group.label) for group in plan.groups)
        raise DataError(
            f"No group of {names} has queries of {plan.baseline!r} and of another arm, so there is nothing to compare."
            " Omit this breakdown, or pass a column whose values all arms have."
        )


def _values(columns: Sequence[str], rows: Sequence[Row]) -> list[tuple[str | None, str, float | None]]:
    """Return the values of both sides, each with the name of its run and its metric."""
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    sides = (("baseline_run", "baseline"), ("run", "candidate"))
    return [(str(row[run]), row["metric"], row[value]) for row in records for run, value in sides]


def _of_users(evaluation: Evaluation) -> Users | None:
    """Return the users with several requests if a comparison of arms takes requests to be independent."""
    options, source = evaluation.plan.options, evaluation.source
    takes_alone = options["design"] == "unpaired" and evaluation.plan.spec.cluster is None
    if source is None or not takes_alone or options["check"] not in ("auto", "full"):
        return None
    return repeated_users(source)


def _by_user(inspector: InputInspector, users: Users) -> InputInspector:
    """Return an inspector that counts users instead of requests, because an experiment assigns users to its arms."""
    plan, relation = inspector.plan, place(inspector.database, users.relation, number=2)
    side = "query_list" if plan.query_list is None else "qrels"
    group = Group(users.name, users.column, side)
    of_users: dict[str, Any] = {
        side: replace(relation, role=side),
        "groups": [*plan.shown_groups, group],
        "has_cluster": True,
        "has_strata": False,
    }
    return inspector.with_plan(replace(plan, **of_users))


def _asked(evaluation: Evaluation) -> dict[str, Any]:
    """Return the request of the comparison, as its result shows it."""
    request = evaluation.request
    spec = evaluation.plan.spec
    columns: dict[str, Any] = dict(spec.of_queries)
    columns["limits"] = request.limits
    columns["all_pairs"] = [*evaluation.run_names] if request.all_pairs else None
    named_columns = {name: value for name, value in columns.items() if value is not None}
    return evaluation.plan.options_of("comparison") | named_columns


def _sample_ratio(
    evaluation: Evaluation, all_ratios: Sequence[Ratio], unit: Unit, shares: Mapping[str, float] | None
) -> list[str]:
    """Return the line on the sample ratio of arms below the comparison."""
    plan = evaluation.plan
    order = dict.fromkeys([str(plan.baseline), *(run.name for run in plan.runs if run.name is not None)])
    return [ratios.ratio_line(all_ratios, [*order], unit, shares)] if all_ratios else []
