"""The columns to read from inputs: named by the caller as columns or groups, or needed by metrics."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import UsageError
from ..relation import COVARIATE, TIME, WEIGHT

# What metrics need of a catalogue, by the column that it comes from.
_OF_ITEMS = {"popularity": {"popularity", "popularity_place"}, "category": {"categories", "n_categories"}}

# Which of the user's relations a column to group by, and any other column, can be said to be of.
SIDES = ("run", "qrels", "query_list")
_BEFORE = re.compile(rf"^({'|'.join(SIDES)})\.")

# What else the meaning of a column may be called in a column map.
SHORT = {"query": "query_id", "item": "item_id", "run": "run_id"}


class MetricRequirements(NamedTuple):
    """The inputs that metrics need besides a run and judgments.

    Attributes:
        columns: the shared columns that they read.
        ties: how they treat equal scores.
        history: whether the judgments are a history whose rows all count, so that no grade is read.
        carried: the columns of judgments beside the grade, such as ``propensity`` or ``amount_purchase``.
        actions: those of them that are numbers of actions of a type, as ``rm_action_columns`` lists them.
        relevant_alone: whether items of grade 0 make no difference to them, where a log need not hand those on.
    """

    columns: Collection[str] = ()
    ties: Collection[Any] = ()
    carried: Sequence[str] = ()
    actions: Sequence[Mapping[str, Any]] = ()
    relevant_alone: bool = False
    history: bool = False

    @property
    def of_items(self) -> list[str]:
        """Return the columns of the catalogue that metrics read."""
        return [meaning for meaning, needed_columns in _OF_ITEMS.items() if not needed_columns.isdisjoint(self.columns)]

    @property
    def has_positions(self) -> bool:
        """Check whether ties are broken by a position beside the score."""
        return not {"rank", "input"}.isdisjoint(self.ties)


@dataclass(frozen=True)
class ColumnSpec:
    """The columns and groups that the caller names.

    Attributes:
        columns: the user's names of columns, or SQL over the row, by meaning.
        by: columns to break the result down by.
        period: what to group by the time by: ``day``, ``week`` or ``month``.
        timezone: whose days they are, or None for UTC.
        weight: the column with the weights of queries.
        covariate: the column with a number of each query that effects are adjusted by.
        cluster: the column that says which queries belong together.
        strata: the column that says in which stratum each query is; there is no cluster beside it.
        rollup: whether there are totals of every set of groups, or the sets of their columns that there are totals of.
        min_queries: how many queries a group must have to be in the summary.
        judge: the column of the judgments with the judge, which is the last of ``by``.
    """

    columns: Mapping[str, Any] = field(default_factory=dict)
    by: Sequence[str] = ()
    period: str | None = None
    timezone: str | None = None
    weight: str | None = None
    covariate: str | None = None
    cluster: str | None = None
    strata: str | None = None
    rollup: bool | Sequence[Sequence[str]] = False
    min_queries: int | None = None
    judge: str | None = None

    @property
    def numbers(self) -> dict[str, str]:
        """Return the columns with numbers of queries, by meaning."""
        columns = {WEIGHT: self.weight, COVARIATE: self.covariate}
        return {meaning: column for meaning, column in columns.items() if column is not None}

    @property
    def units(self) -> dict[str, str]:
        """Return the columns that say which queries belong together, by argument. They are the last groups."""
        columns = {"cluster": self.cluster, "strata": self.strata}
        return {argument: column for argument, column in columns.items() if column is not None}

    @property
    def of_queries(self) -> dict[str, str]:
        """Return the columns with one value for each query, other than groups, by argument."""
        return {**self.numbers, **self.units}

    @property
    def texts(self) -> list[str]:
        """Return all names, fields and SQL that the caller gives for columns, without the inputs before them."""
        names = [name for one in self.columns.values() for name in (one if isinstance(one, list | tuple) else [one])]
        texts = [*names, *self.by, *self.of_queries.values()]
        return [_BEFORE.sub("", name) for name in texts if isinstance(name, str)]

    @property
    def times(self) -> list[tuple[str, str]]:
        """Return the named time columns, or SQL over the row, each with its relation, "" where no relation is named."""
        times = {key: column for key, column in self.columns.items() if key.rpartition(".")[2] == TIME}
        columns = [
            (key, name) for key, column in times.items() for name in ([column] if isinstance(column, str) else column)
        ]
        return [(key.removesuffix(TIME).rstrip("."), name) for key, name in columns]

    @property
    def labels(self) -> list[str]:
        """Return the caller's names of the groups in order, the cluster or stratum last."""
        return [*self.by, *(["period"] if self.period else []), *self.units.values()]

    def names(self, meaning: str) -> bool:
        """Check whether the caller names a column of a meaning."""
        return any(str(key).rpartition(".")[2] == meaning for key in self.columns)


class GroupOrder(NamedTuple):
    """How the groups of a summary are ordered, and how many of them it keeps.

    Attributes:
        metric: the label of the metric whose values order them; None for the number of queries.
        descending: whether the highest value comes first.
        limit: how many groups to keep, of each set of groups; None for all.
    """

    metric: str | None
    descending: bool
    limit: int | None


@dataclass(frozen=True)
class Group:
    """A column to break the summary down by.

    Attributes:
        label: the column's name in the result, quoted.
        column: its name in the relation, quoted.
        relation: ``run``, ``qrels`` or ``query_list``.
        field: what computes the column, where it is a field of another, as ``source.seg``.
    """

    label: str
    column: str
    relation: str
    field: str | None = None


def expand_names(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column map with meanings written out: ``query`` is short for ``query_id``, and so are item and run."""
    expanded: dict[str, Any] = {}
    for key, value in columns.items():
        side, dot, meaning = str(key).rpartition(".")
        whole = f"{side}{dot}{SHORT.get(meaning, meaning)}"
        if whole in expanded:
            raise UsageError(f"columns names {whole} twice.")
        expanded[whole] = value
    return expanded
