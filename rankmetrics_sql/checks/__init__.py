"""Looks at the inputs before a number is trusted: refuses what makes it wrong, warns of what makes it mean less."""

from __future__ import annotations

from .ask import Asker
from .numbers import check_numbers
from .overlap import warn_of_lone_subtopics, warn_of_missing_selected, warn_of_overlaps
from .queries import check_queries
from .rows import CheckedRows, check_rows, warn_of_gaps, warn_of_several_runs
from .ties import warn_of_ties
from .values import (
    check_chances,
    check_grades,
    check_items,
    check_run,
    warn_of_few_effective,
    warn_of_places_against_scores,
    warn_of_ranks_against_scores,
)

__all__ = ["Asker", "check_always", "check_fully"]


def check_always(asker: Asker) -> list[str]:
    """Check what the option ``check`` cannot switch off: types, and what a metric cannot work with.

    Args:
        asker: asks about the inputs.

    Returns:
        Warnings about the query list, ranks that contradict scores, and logged rows that say little of another
        policy.

    Raises:
        DataError: ids of different types, numbers that are none, grades beyond the scale, chances that are none.
    """
    plan = asker.plan
    for relation in plan.relations:
        check_numbers(asker, relation)
    for run in plan.runs:
        check_run(asker, run)
    check_grades(asker)
    check_queries(asker)
    if plan.items is not None:
        check_items(asker, plan.items)
    for relation in plan.relations:
        check_chances(asker, relation)
    against = (warning for run in plan.runs for warning in warn_of_ranks_against_scores(run))
    return [*against, *warn_of_missing_selected(asker), *warn_of_few_effective(asker)]


def check_fully(asker: Asker, *, exact: bool) -> CheckedRows:
    """Checks every row, and whether the inputs are about the same queries.

    Args:
        asker: asks about the inputs.
        exact: whether duplicates, and items that tie, are looked for in every row of a large table too.

    Returns:
        Warnings about queries that only one side has, and about scores that tie or contradict a column of places.

    Raises:
        DataError: missing ids, missing or undefined scores, duplicate items, no common query.
    """
    found = check_rows(asker, exact=exact)
    gaps = [warning for run in asker.plan.runs for warning in warn_of_gaps(asker, run)]
    tied = warn_of_ties(asker, exact=exact)
    several = [warning for run in asker.plan.runs for warning in warn_of_several_runs(asker, run)]
    against = [warning for run in asker.plan.runs for warning in warn_of_places_against_scores(asker, run)]
    others = [*against, *several, *warn_of_overlaps(asker), *gaps, *tied, *warn_of_lone_subtopics(asker)]
    return found._replace(warnings=[*found.warnings, *others])
