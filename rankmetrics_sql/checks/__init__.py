"""Looks at the inputs before a number is trusted: refuses what makes it wrong, warns of what makes it mean less."""

from __future__ import annotations

from .inspector import InputInspector
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

__all__ = ["InputInspector", "check_always", "check_fully"]


def check_always(inspector: InputInspector) -> list[str]:
    """Check what the option ``check`` cannot switch off: types, and what a metric cannot work with.

    Args:
        inspector: runs the checks.

    Returns:
        Warnings about the query list, ranks that contradict scores, and logged rows that say little of another
        policy.

    Raises:
        DataError: ids of different types, numbers that are none, grades beyond the scale, chances that are none.
    """
    plan = inspector.plan
    for relation in plan.relations:
        check_numbers(inspector, relation)
    for run in plan.runs:
        check_run(inspector, run)
    check_grades(inspector)
    check_queries(inspector)
    if plan.items is not None:
        check_items(inspector, plan.items)
    for relation in plan.relations:
        check_chances(inspector, relation)
    against = (warning for run in plan.runs for warning in warn_of_ranks_against_scores(run))
    return [*against, *warn_of_missing_selected(inspector), *warn_of_few_effective(inspector)]


def check_fully(inspector: InputInspector, *, exact: bool) -> CheckedRows:
    """Checks every row, and whether the inputs are about the same queries.

    Args:
        inspector: runs the checks.
        exact: whether duplicates, and items that tie, are looked for in every row of a large table too.

    Returns:
        Warnings about queries that only one side has, and about scores that tie or contradict a column of places.

    Raises:
        DataError: missing ids, missing or undefined scores, duplicate items, no common query.
    """
    found = check_rows(inspector, exact=exact)
    gaps = [warning for run in inspector.plan.runs for warning in warn_of_gaps(inspector, run)]
    tied = warn_of_ties(inspector, exact=exact)
    several = [warning for run in inspector.plan.runs for warning in warn_of_several_runs(inspector, run)]
    against = [warning for run in inspector.plan.runs for warning in warn_of_places_against_scores(inspector, run)]
    others = [*against, *several, *warn_of_overlaps(inspector), *gaps, *tied, *warn_of_lone_subtopics(inspector)]
    return found._replace(warnings=[*found.warnings, *others])
