"""Checks of the inputs: errors for what makes a number wrong, warnings for what makes it mean less.

Read ``inspector`` first: it alone runs statements (``sql/*.sql``). ``numbers``, ``values`` and ``queries`` are checked
always; ``rows``, ``ties`` and ``overlap`` with ``check=auto`` and ``full``, in a sample of large inputs (``sizes``).
``ids`` explains why ids do not match, ``orders`` which ties decide a value, ``ratios`` the sample ratio of arms.
"""

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

    Returns:
        Warnings about the query list, ranks that contradict scores, and logged rows that say little of another
        policy.
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
    """Check every row, and whether the inputs are about the same queries.

    Args:
        inspector: runs the checks.
        exact: whether duplicates, and items that tie, are looked for in every row of a large table too.

    Returns:
        Warnings about queries that only one side has, and about scores that tie or contradict a column of places.
    """
    messages = check_rows(inspector, exact=exact)
    gaps = [warning for run in inspector.plan.runs for warning in warn_of_gaps(inspector, run)]
    tied = warn_of_ties(inspector, exact=exact)
    several = [warning for run in inspector.plan.runs for warning in warn_of_several_runs(inspector, run)]
    against = [warning for run in inspector.plan.runs for warning in warn_of_places_against_scores(inspector, run)]
    more = [*against, *several, *warn_of_overlaps(inspector), *gaps, *tied, *warn_of_lone_subtopics(inspector)]
    return messages._replace(warnings=[*messages.warnings, *more])
