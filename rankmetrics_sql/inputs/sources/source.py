"""The description of a source, from which nothing is read until it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class Source:
    """A lazy description: nothing is read until an evaluation reads it.

    Attributes:
        label: what to call it in messages.
    """

    label: str

    @property
    def has_judgments(self) -> bool:
        """Whether its rows say what is relevant."""
        return True

    @property
    def is_labelled(self) -> bool:
        """Whether its rows carry their judgments, which are those of its own queries."""
        return True

    @property
    def runs(self) -> Any:
        """The column that tells several systems or arms apart, if there is one."""
        return None

    @property
    def runs_by(self) -> str | None:
        """The argument that names that column."""
        return None

    @property
    def design(self) -> dict[str, Any]:
        """The design of a comparison of its runs, where that is not the default: by query."""
        return {}

    @property
    def table(self) -> Any:
        """The first of its tables, which has its name."""
        return None


def sources_of(run: Any) -> list[Source]:
    """Return the sources that were passed: one in place of all runs, or one for each of some runs."""
    given = run.values() if isinstance(run, Mapping) else run if isinstance(run, list | tuple) else [run]
    return [one for one in given if isinstance(one, Source)]


def are_judged(run: Any, qrels: Any) -> bool:
    """Whether something says what is relevant: judgments, or a source that stands in place of a run."""
    return qrels is not None or any(source.has_judgments for source in sources_of(run))


@dataclass(frozen=True)
class Labelled(Source):
    """A table that carries its labels.

    Attributes:
        data: the table, as ``labelled()`` takes it.
        qrels: judgments for the ideal ranking.
        columns: the user's names of columns, by meaning.
    """

    data: Any
    qrels: Any = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    label: str = "labelled"

    @property
    def runs(self) -> Any:
        """As of every source."""
        return self.columns.get("run_id")

    @property
    def runs_by(self) -> str | None:
        """As of every source."""
        return "columns={'run_id': ...}"

    @property
    def table(self) -> Any:
        """As of every source."""
        return self.data
