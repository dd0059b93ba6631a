"""Checks of what the inputs state about each query: groups, weight and covariate must agree in all its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..dialects.names import unquoted
from ..errors import DataError, nearest
from ..inputs.expressions import PERIOD
from ..relation import COVARIATE, WEIGHT, Relation
from .inspector import InputInspector, double, is_nan, row_text, row_texts
from .ratios import Ratio, ratios

# What a number of a query is, in words and as a condition.
_WANTED: Mapping[str, tuple[str, str]] = {
    WEIGHT: ("a number of at least 0", "{0} >= 0 AND {0} <= 1.7976931348623157e308"),
    COVARIATE: ("a number between -1e100 and 1e100", "ABS({0}) <= 1e100"),
}


def check_queries(inspector: InputInspector) -> None:
    """Refuse a query with two groups, weights or covariates, and weights and covariates that are not valid numbers."""
    together = inspector.compares and inspector.plan.options["design"] == "paired"
    sides = _sides(inspector)
    for group in inspector.plan.groups:
        _check_one_value(inspector, sides[group.relation], group.column, together=together)
    for meaning in _WANTED:
        for relations in sides.values():
            columns_of = [(checked, checked.columns[meaning]) for checked in relations if checked.columns.get(meaning)]
            for checked, column in columns_of:
                _check_number(inspector, checked, meaning, column)
            if columns_of:
                _check_one_value(inspector, relations, columns_of[0][1], together=together)


def _sides(inspector: InputInspector) -> dict[str, Sequence[Relation]]:
    """Return the relations that may say something of a query."""
    one_of_each = {"qrels": inspector.plan.qrels, "query_list": inspector.plan.query_list}
    return {"run": inspector.plan.runs} | {
        side: [relation] if relation else [] for side, relation in one_of_each.items()
    }


def _check_number(inspector: InputInspector, checked: Relation, meaning: str, column: str) -> None:
    expected, condition = _WANTED[meaning]
    number = double(column)
    unusable = f"NOT {is_nan(number)} AND NOT ({condition.format(number)})"  # NaN is NULL, a number that is not known
    if rows := inspector.rows_where(checked, column, f"s.{column} IS NOT NULL AND {unusable}"):
        name = checked.shown(unquoted(column))
        raise checked.error(f"a {meaning} (column {name!r}) is {expected}: {row_texts(rows)}.")


def _check_one_value(inspector: InputInspector, relations: Sequence[Relation], column: str, *, together: bool) -> None:
    """Refuse rows of one query that differ, within a relation or between relations."""
    for side in [relations] if together else [[relation] for relation in relations]:
        if len(side) == 1 and column in side[0].facts.constant_columns:
            continue
        if rows := inspector.some("groups", side, column, together):
            *query, lowest, highest = rows[0]
            labels = " and ".join(relation.label for relation in side)
            if unquoted(column) == PERIOD:
                how = _how_to_take_the_first(inspector, side[0])
                raise DataError(f"{labels}: query {row_text(query)} is in two periods, {lowest} and {highest}. {how}")
            raise DataError(
                f"{labels}: query {row_text(query)} has two values in {unquoted(column)}: {lowest!r} and {highest!r}."
            )


def _how_to_take_the_first(inspector: InputInspector, relation: Relation) -> str:
    """Return what to write in a SELECT so that a query of a log has its first time alone."""
    source = inspector.sources.get(relation.name)
    if source is None or source.time is None:
        return "A query has one time."
    keys = ", ".join(relation.texts_of("query_id"))
    first = f"MIN({source.time}) OVER (PARTITION BY {keys}) AS {source.time}"
    return f"To take its first time, pass a SELECT of the table with {first}."


def clusters_in_groups(inspector: InputInspector) -> int:
    """Return the number of clusters with queries in several groups; only inputs with these columns are read."""
    plan = inspector.plan
    groups = {f"group_{number}": group for number, group in enumerate(plan.groups, start=1)}
    *names, key = groups

    def side(relation: Relation) -> dict[str, Any]:
        columns = {name: group.column for name, group in groups.items() if group.relation == relation.side}
        return {"input": relation, "columns": columns}

    runs = [one for one in map(side, plan.runs) if one["columns"]]
    beside_runs = [one for one in map(side, filter(None, (plan.query_list, plan.qrels))) if one["columns"]]
    first, rest = (runs, beside_runs) if runs else (beside_runs[:1], beside_runs[1:])
    return int(inspector.row("clusters_in_groups", first, rest, [key], names)[0])


def check_arms(inspector: InputInspector, baseline: str) -> None:
    """Refuse a column of runs in which there is nothing to compare.

    Args:
        inspector: runs the checks.
        baseline: the name of one of the runs.
    """
    runs = inspector.plan.runs[0]
    if not runs.columns.get("run_id"):
        return
    names = sorted(str(name) for (name,) in inspector.rows("arms", runs) if name is not None)
    if baseline not in names:
        raise runs.error(f"there is no run called {baseline!r} to compare with. {nearest(baseline, names)}")
    if len(names) == 1:
        raise runs.error(f"{baseline!r} is the only run, so there is no run to compare with it. Pass another run.")


def sample_ratios(inspector: InputInspector, shares: Mapping[str, float] | None) -> list[Ratio]:
    """Count the queries, or clusters, of each arm, in total and by group, and test whether chance explains the counts.

    The test is that of the dbt test ``sample_ratio_is_even``. Units in several arms belong to none of them, and are
    left out of the counts. An arm of the design without a query has 0 of them.

    Args:
        inspector: runs the checks.
        shares: of each arm, or None for equal ones.

    Returns:
        The ratio in total, then the ratio of each group.
    """
    plan = inspector.plan
    groups = {f"group_{number}": group for number, group in enumerate(plan.groups, start=1)}
    keys = [*groups][-1:] if plan.has_cluster else []
    names = [*groups][: len(plan.shown_groups)]
    groups = {name: groups[name] for name in [*names, *keys]}

    def side(relation: Relation) -> dict[str, Any]:
        columns = {name: group.column for name, group in groups.items() if group.relation == relation.side}
        return {"input": relation, "columns": columns}

    query_lists = [plan.query_list] if plan.query_list else []
    if plan.qrels is not None and side(plan.qrels)["columns"]:
        query_lists.append(plan.qrels)
    sides = [*map(side, plan.runs)], [*map(side, query_lists)], keys

    def asked(own: list[str]) -> list[Ratio]:
        rows = inspector.rows("sample_ratio", *sides, own, shares)
        return ratios([row for row in rows if row[len(own)] is not None], [groups[name].label for name in own])

    all_ratios = asked([])
    for ratio in all_ratios:
        ratio.check_design()
    return all_ratios + (asked(names) if names else [])
