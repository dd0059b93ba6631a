"""One metric as a function, before a dialect writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..definitions.resolution import ResolvedMetric
from ..statements.relation import Relation

RUNS, QRELS = "rankmetrics_table_runs", "rankmetrics_table_qrels"

# Stands for k while a statement is written.
CUTOFF = 61051

PARAMETERS = ("runs", "qrels", "k")


@dataclass(frozen=True)
class Function:
    """One metric as a function.

    Attributes:
        name: its name in the database, with the schema.
        metric: the metric and its choices.
        keys: the columns of its result beside ``value``, as the dialect writes them.
        column: the metric's column in the statement without a cutoff, or with a fixed one.
        whole: the statement without a cutoff, or with one that is fixed; None where there must be one.
        cut: the statement with CUTOFF for a cutoff; None where the metric has none, or a fixed one.
        run: the columns of the run.
        qrels: the columns of the judgments.
    """

    name: str
    metric: ResolvedMetric
    keys: Sequence[str]
    column: str
    whole: str | None
    cut: str | None
    run: Relation
    qrels: Relation

    @property
    def columns(self) -> str:
        """The columns of the result."""
        return ", ".join([*self.keys, "value"])

    def typed(self, text: str, number: str) -> str:
        """The columns of the result and their types."""
        return ", ".join([*(f"{key} {text}" for key in self.keys), f"value {number}"])


def in_place(text: str, runs: str, qrels: str, k: str) -> str:
    """A statement with the parameters in the places of tables and cutoff; a name that has the cutoff gets ``_k``."""
    for placeholder, value in {RUNS: runs, QRELS: qrels, f"_{CUTOFF}": "_k", str(CUTOFF): k}.items():
        text = text.replace(placeholder, value)
    return text


def columns_of(table: Relation) -> Mapping[str, str]:
    """Return the meaning of each column of a table, by its name."""
    names = {
        str(name): meaning for meaning, name in table.columns.items() if name is not None and meaning != "query_id"
    }
    return {**dict.fromkeys(table.columns["query_id"], "query_id"), **names}
