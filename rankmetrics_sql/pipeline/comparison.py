"""The differences of runs from a baseline, or of all pairs, with what is warned of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..checks import ratios
from ..checks.arms import check_arms, sample_ratios
from ..checks.ask import Asker
from ..checks.overlap import warn_of_few_pairs
from ..checks.ratios import Ratio, Unit
from ..checks.rows import check_rows
from ..databases.answers import Row
from ..definitions.refusals import refuse
from ..dialects.names import unquoted
from ..errors import DataError
from ..inputs.sources import Users, repeated_users
from ..results.comparison import Comparison
from ..statements.query import Group
from .between import between_groups
from .bind import place
from .findings import (
    better_of,
    check_scored,
    counts_of,
    groups_without_rows,
    look_for_strangers,
    metrics_without_rows,
    unweighted,
    warn,
)
from .prepare import Evaluation
from .running import Statements, ready
from .tails import heavy_tails, telling_of_tails
from .tested import refuse_exchange, warnings_of_tests


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
    query, asker, baseline = evaluation.query, evaluation.asker, str(evaluation.query.baseline)
    has_arms = query.options["design"] == "unpaired"
    if shares is not None:
        refuse("shares", query.options)
    is_paired = query.options["design"] == "paired" and query.runs[0].name is not None
    users = _of_users(evaluation)
    found = [*evaluation.warnings, *([users.warning] if users else [])]
    found += warn_of_few_pairs(asker, baseline) if is_paired else ()
    counted = has_arms and (shares is not None or query.options["check"] in ("auto", "full"))
    of_arms = sample_ratios(_by_user(asker, users) if users else asker, shares) if counted else []
    unit = Unit(users.name, is_clustered=False) if users else Unit(evaluation.reads.cluster)
    found += ratios.warned(of_arms, unit) if of_arms else ()
    statements = counting_faults(evaluation)
    text = statements.query.text("compare")
    columns, rows = statements.ran(text)
    found += unweighted(columns, rows)
    tails = [*heavy_tails(evaluation, columns, rows)]
    columns, rows = statements.accepted(columns, rows)
    if not rows:
        if query.check == "judged":
            check_rows(asker, exact=True)
        warn(found)
        check_arms(asker, baseline)
        _refuse_lone_arms(evaluation)
    refuse_exchange(evaluation, columns, rows)
    found += check_scored(evaluation, columns, rows, [name for name in statements.runs if name != baseline])
    found += groups_without_rows(query, [ratio.where for ratio in of_arms[1:]], columns, rows)
    found += metrics_without_rows(evaluation, columns, rows)
    mismatches, unjudged = look_for_strangers(evaluation, _values(columns, rows))
    found += mismatches
    found += [*warnings_of_tests(evaluation, columns, rows), *tails]
    levels, per_query = {"summary": "compare"}, None
    if query.options["design"] == "paired":
        plain = replace(evaluation.statements, query=replace(query, check="none"))
        levels, per_query = {**levels, "per_query": "compare_per_query"}, plain.table("compare_per_query")
    metrics = evaluation.request.metrics
    heterogeneity, differing = between_groups(evaluation, text, columns, rows)
    return Comparison(
        ready(text, columns, rows),
        statements.shown("compare"),
        warn(found),
        statements.leaver(levels),
        _asked(evaluation),
        per_query,
        better_of(metrics),
        counts_of(metrics),
        notes=_sample_ratio(evaluation, of_arms, unit, shares) + differing,
        unjudged=unjudged,
        heterogeneity=heterogeneity,
    )


def counting_faults(evaluation: Evaluation) -> Statements:
    """The statements, which count faults where rows are not checked yet, and a lack of weights where anything is."""
    query = telling_of_tails(evaluation.query)
    is_counted = query.check == "judged" or query.has_weight
    return replace(evaluation.statements, query=query if is_counted else replace(query, check="none"))


def _refuse_lone_arms(evaluation: Evaluation) -> None:
    """Refuses a breakdown of which no group has two arms.

    Raises:
        DataError: a comparison of arms without a row is by groups.
    """
    query = evaluation.query
    if query.options["design"] == "unpaired" and query.groups:
        names = ", ".join(unquoted(group.label) for group in query.groups)
        raise DataError(
            f"No group of {names} has queries of {query.baseline!r} and of another arm, so there is nothing to compare."
            " Omit this breakdown, or pass a column whose values all arms have."
        )


def _values(columns: Sequence[str], rows: Sequence[Row]) -> list[tuple[str | None, str, float | None]]:
    """The values of both sides, each with the name of its run and its metric."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    sides = (("baseline_run", "baseline"), ("run", "candidate"))
    return [(str(row[run]), row["metric"], row[value]) for row in named for run, value in sides]


def _of_users(evaluation: Evaluation) -> Users | None:
    """The users with several requests, where a comparison of arms takes each of these to be alone."""
    options, source = evaluation.query.options, evaluation.source
    takes_alone = options["design"] == "unpaired" and evaluation.reads.cluster is None
    if source is None or not takes_alone or options["check"] not in ("auto", "full"):
        return None
    return repeated_users(source)


def _by_user(asker: Asker, users: Users) -> Asker:
    """Asks of users what it would ask of requests: those are what an experiment assigns to its arms."""
    query, relation = asker.query, place(asker.database, users.relation, number=2)
    side = "query_list" if query.query_list is None else "qrels"
    group = Group(users.name, users.column, side)
    of_users: dict[str, Any] = {
        side: replace(relation, role=side),
        "groups": [*query.groups, group],
        "has_cluster": True,
    }
    return asker.about(replace(query, **of_users))


def _asked(evaluation: Evaluation) -> dict[str, Any]:
    """Return the request of the comparison, as its result shows it."""
    request = evaluation.request
    reads = evaluation.reads
    own: dict[str, Any] = {"weight": reads.weight, "cluster": reads.cluster, "covariate": reads.covariate}
    own["limits"] = request.limits
    own["all_pairs"] = [*evaluation.statements.runs] if request.all_pairs else None
    given = {name: value for name, value in own.items() if value is not None}
    return evaluation.query.options_of("comparison") | given


def _sample_ratio(
    evaluation: Evaluation, found: Sequence[Ratio], unit: Unit, shares: Mapping[str, float] | None
) -> list[str]:
    """Return the line on the sample ratio of arms below the comparison."""
    query = evaluation.query
    order = dict.fromkeys([str(query.baseline), *(run.name for run in query.runs if run.name is not None)])
    return [ratios.said(found, [*order], unit, shares)] if found else []
