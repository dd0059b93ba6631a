"""Runs that are told apart by a column, such as the arms of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import nearest
from ..statements.relation import Relation
from .ask import Asker
from .ratios import Ratio, ratios


def check_arms(asker: Asker, baseline: str) -> None:
    """Refuses a column of runs in which there is nothing to compare.

    Args:
        asker: asks about the inputs.
        baseline: the name of one of the runs.

    Raises:
        DataError: it is none of them, or the only one.
    """
    runs = asker.query.runs[0]
    if not runs.columns.get("run_id"):
        return
    names = sorted(str(name) for (name,) in asker.rows("arms", runs) if name is not None)
    if baseline not in names:
        raise runs.refuse(f"there is no run called {baseline!r} to compare with. {nearest(baseline, names)}")
    if len(names) == 1:
        raise runs.refuse(f"{baseline!r} is the only run, so there is no run to compare with it. Pass another run.")


def sample_ratios(asker: Asker, shares: Mapping[str, float] | None) -> list[Ratio]:
    """Count the queries, or clusters, of each arm, in total and by group, and test whether chance explains the counts.

    The test is that of the dbt test ``sample_ratio_is_even``. What is in several arms is of no single one, and is
    left out of the counts. An arm of the design without a query has 0 of them.

    Args:
        asker: asks about the inputs.
        shares: of each arm, or None for equal ones.

    Returns:
        The ratio in total, then that of each group, if there are groups.

    Raises:
        UsageError: shares lack an arm that has queries.
    """
    query = asker.query
    groups = {f"group_{number}": group for number, group in enumerate(query.groups, start=1)}
    keys = [*groups][-1:] if query.has_cluster else []
    names = [name for name in groups if name not in keys]

    def side(relation: Relation) -> dict[str, Any]:
        columns = {name: group.column for name, group in groups.items() if group.relation == relation.side}
        return {"input": relation, "columns": columns}

    others = [query.query_list] if query.query_list else []
    if query.qrels is not None and side(query.qrels)["columns"]:
        others.append(query.qrels)
    sides = [*map(side, query.runs)], [*map(side, others)], keys

    def asked(own: list[str]) -> list[Ratio]:
        rows = asker.rows("sample_ratio", *sides, own, shares)
        return ratios([row for row in rows if row[len(own)] is not None], [groups[name].label for name in own])

    found = asked([])
    for ratio in found:
        ratio.check_design()
    return found + (asked(names) if names else [])
