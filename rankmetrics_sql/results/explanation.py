"""The results that explain a difference: by groups of queries, moved items, or choices of two profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import chart_kinds, html
from .base import SaveResult, Storable, SummaryHtml, TablesHtml
from .formats import render
from .numbers import format_difference, format_value
from .tables import Table, aligned_rows
from .text_tables import Screen


@dataclass(frozen=True)
class Decomposition(SummaryHtml, Storable):
    """Where the differences between runs and a baseline come from.

    Attributes:
        summary: a row per candidate, metric and group, the greatest contributions first. They add up to the difference
            of the means over all queries with a value.

            - ``run``, ``baseline_run``: the candidate and the baseline.
            - the groups: under the names of the columns of ``by=``.
            - ``metric``: the metric as typed.
            - ``baseline``, ``candidate``: the means of the group; None where the run has no value there.
            - ``n_baseline``, ``n_candidate``: the queries with a value.
            - ``ranking``: the part of the difference that comes from other values in the group.
            - ``mix``: the part that comes from another share of the queries.
            - ``entered_or_left``: the part of queries that only one of the runs has.
            - ``contribution``: the sum of the three.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a number mean less than it seems.
    """

    summary: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _save: SaveResult | None = field(default=None, repr=False, compare=False)

    @chart_kinds.check_arguments
    def plot(self, kind: str | None = None, *, metric: str | None = None, run: str | None = None) -> Any:
        """A chart of what each group contributes.

        Args:
            kind: ``contributions``.
            metric: the metric as it was asked for, by default the first.
            run: the candidate, by default the first.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, metric or run of this result, or Altair is not installed.
        """
        return chart_kinds.decomposition_chart(self.summary.dicts(), kind, metric, run)

    def __repr__(self) -> str:
        return repr(self.summary)


@dataclass(frozen=True)
class Movements(SummaryHtml, Storable):
    """Items that entered, left or moved between the lists of runs and those of a baseline.

    Attributes:
        summary: a row per candidate, query and item.

            - ``run``, ``baseline_run``: the candidate and the baseline.
            - the query: under the name of the user's column.
            - ``item_id``: the item.
            - ``baseline_rank``, ``candidate_rank``: None where the item is not within the first k.
            - ``movement``: ``entered``, ``left``, ``up``, ``down`` or ``same``.
            - ``relevance``: None where the item is not judged.
        sql: the text of the statement, exactly as it ran.
        warnings: what may make a row mean less than it seems.
    """

    summary: Table
    sql: str
    warnings: list[str] = field(default_factory=list)
    _save: SaveResult | None = field(default=None, repr=False, compare=False)

    @chart_kinds.check_arguments
    def plot(self, kind: str | None = None, *, run: str | None = None, query: Any = None) -> Any:
        """A chart of the movements.

        Args:
            kind: ``beads``, both rankings of one query, which is natural; ``judged_share`` by rank, of all queries.
            run: the candidate, by default the first.
            query: the query of the beads, by default the one in which most items moved.

        Returns:
            A chart of Altair, which notebooks show; ``chart.save("chart.svg")`` needs no browser and no network.

        Raises:
            UsageError: there is no such chart, run or query of this result, or Altair is not installed.
        """
        return chart_kinds.movement_chart(self.summary, kind, run, query)

    def __repr__(self) -> str:
        return repr(self.summary)


@dataclass(frozen=True)
class Explanation(TablesHtml):
    """Why two profiles give one metric two values.

    Attributes:
        metric: the metric as typed.
        profile: the name of the first profile.
        against: the name of the second.
        value: the metric's value with the first.
        against_value: its value with the second.
        choices: a row for each choice that differs.

            - ``choice``: its name.
            - the profiles: a column for each, with its value of the choice.
            - ``value``: of the metric with the second profile and only this choice of the first; None where that is a
              contradiction.
            - ``difference``: from the second profile's value.
        together: what the choices do together beyond the sum of what each does alone.
        queries: the queries by how far they move.

            - the query: under the name of the user's column.
            - the profiles: a column for each, with its value of the metric.
            - ``difference``: between them.
            - ``mostly``: the choice that alone moves the query most.
        sql: the statement behind the values, exactly as it ran.
        warnings: what may make a number mean less than it seems.
    """

    metric: str
    profile: str
    against: str
    value: float | None
    against_value: float | None
    choices: list[dict[str, Any]]
    together: float | None
    queries: list[dict[str, Any]]
    sql: str
    warnings: list[str] = field(default_factory=list)

    def _row_lists(self) -> list[Sequence[Mapping[str, Any]]]:
        values = {"metric": self.metric, self.profile: self.value, self.against: self.against_value}
        return [[values], self.choices, self.queries[: html.MOST_ROWS]]

    def __repr__(self) -> str:
        lines = [f"{self.metric}: {_cell(self.value)} by {self.profile}, {_cell(self.against_value)} by {self.against}"]
        return "\n".join([*lines, *([aligned_rows(self.choices)] if self.choices else [])])


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def explanation(result: Explanation, run: str, top: int, screen: Screen | None = None) -> str:
    """Return an explanation as text, with the ``top`` queries that move most."""
    here, base = result.profile, result.against
    apart = "" if None in (result.value, result.against_value) else f", {result.value - result.against_value:+.4f}"  # type: ignore[operator]
    lines = [
        f"{result.metric} of {run}: {format_value(result.value)} by {here}, "
        f"{format_value(result.against_value)} by {base}{apart}",
    ]
    if not result.choices:
        return "\n".join([*lines, "The two profiles make the same choices for this metric."])
    alone = [{**choice, "difference": format_difference(choice["difference"])} for choice in result.choices]
    rest = "" if result.together is None else f"Together beyond the sum of these: {result.together:+.4f}\n"
    lines += [f"\n{base} with one choice of {here} at a time:\n", render(alone, "table", None, screen=screen) + rest]
    moved = [query for query in result.queries if query["difference"]]
    if moved and top:
        queries = [{**query, "difference": format_difference(query["difference"])} for query in moved[:top]]
        lines += [
            f"The queries that move most, {len(queries)} of {len(moved)}:\n",
            render(queries, "table", None, screen=screen),
        ]
    return "\n".join(lines).rstrip()


def explanation_json(result: Explanation, top: int) -> str:
    """Return an explanation as a JSON object."""
    fields = {name: value for name, value in vars(result).items() if name not in ("sql", "warnings")}
    return json.dumps(fields | {"queries": result.queries[:top]}, ensure_ascii=False, indent=1, default=str)
