"""What several questions take in common: described once, and read the same way by each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..definitions.arguments import as_list, as_sets, check_zone
from ..definitions.choices import Choices, resolve_options
from ..errors import UsageError, shortened
from ..inputs.reads import Reads, with_whole_names
from .options import Options
from .place import opened

if TYPE_CHECKING:
    from ..pipeline.prepare import Evaluation
    from ..pipeline.request import Request

INPUTS = ("query_list", "items", "profile", "input_format")
GROUPS = ("by", "period", "timezone")


class Inputs(Options, total=False):
    """All of ``Common`` but the profile, for what has a use of its own for profiles."""

    connection: Any
    columns: Mapping[str, Any] | None
    by: str | Sequence[str]
    rollup: bool | Sequence[str | Sequence[str]]
    min_queries: int | None
    period: str | None
    timezone: str | None
    weight: str | None
    cluster: str | None
    query_list: Any
    items: Any
    input_format: str | None


class Common(Inputs, total=False):
    """The keywords that several questions take, beside the options. Each question says which of these it takes.

    Attributes:
        connection: where the tables are and the statements run: whatever ``connect`` takes, or what it gave.
        columns: names of columns, or SQL over the row in the dialect of its database: ``{"item_id": "doc_id",
            "qrels.item_id": "document", "relevance": "CASE WHEN stars >= 4 THEN 1 ELSE 0 END"}``; a list for a query
            that several name together, where the second is called ``query_id_2`` if it is SQL. ``{"run_id": "tag"}``
            tells the runs of a TREC file with several tags apart.
        by: columns to break the result down by: the query list's, else the judgments', else the run's; ``run.``,
            ``qrels.`` or ``query_list.`` before the name of one says which.
        rollup: whether the summary has rows of every set of those columns too, down to none; or a list of the sets that
            it has rows of: ``[["market"], []]``. Its column ``breakdown`` says which columns a row is of, ``total`` for
            none, because NULL is a group of its own.
        min_queries: leaves out of the summary the rows of groups with fewer queries; a warning says how many.
        period: ``day``, ``week`` or ``month`` to break down by the time too, a column that ``columns={"time": ...}``
            names as ``by`` does: a group ``period``, its first day; weeks begin on Monday. A time without a zone is
            UTC's.
        timezone: whose days they are, such as ``Europe/Berlin``; by default UTC's.
        weight: a column with a number for each query, such as its traffic or revenue, found as ``by`` finds columns:
            the summary's means, the geometric one too, are then Σ weight · value / Σ weight over the queries with a
            value; sums stay counts. The summary has a column ``sum_of_weights``. A query whose weight is NULL weighs
            nothing, which is warned of; a negative weight is refused.
        cluster: with ``interval="t"`` a column such as the user, found as ``by`` finds columns, whose queries may be
            alike: errors are then those of its values (CR2, with the degrees of freedom of uneven clusters), and the
            summary has the columns ``n_clusters`` and ``largest_cluster_share``, of the queries. A query whose column
            is NULL is a cluster by itself.
        query_list: the queries to score: a file, table or list; others are left out.
        items: the catalogue, for metrics beyond accuracy: a file, table or frame with a row per item, or per item and
            category: ``item_id`` and, as metrics need them, ``popularity`` and ``category``; or ``[item, ...]``,
            ``{item: popularity}``, ``{item: [category, ...]}``.
        profile: a named set of options; see ``profiles()``.
        input_format: ``trec``, ``csv``, ``tsv``, ``parquet``, ``jsonl`` or ``json`` for all files, not by their names.
    """

    profile: str | None


@dataclass(frozen=True)
class Keywords:
    """The keywords of one call, as every question reads them.

    Attributes:
        given: those that were given, by name: keys of ``Common``, and options.
    """

    given: Mapping[str, Any]

    @property
    def profile(self) -> str | None:
        """The profile asked for."""
        return self.given.get("profile")

    @property
    def options(self) -> dict[str, Any]:
        """The options that were given."""
        return {name: value for name, value in self.given.items() if name in Options.__annotations__}

    @property
    def columns(self) -> Mapping[str, Any]:
        """The columns by what they mean.

        Raises:
            UsageError: it is no such mapping.
        """
        columns = self.given.get("columns")
        if columns is not None and not isinstance(columns, Mapping):
            raise UsageError(
                f"columns takes a mapping such as {{'item_id': 'doc_id'}}, whose values are column names or"
                f" SQL, not {shortened(columns)}."
            )
        return with_whole_names(columns or {})

    def choices(self, defaults: Mapping[str, Any] | None = None) -> Choices:
        """A value for every option.

        Args:
            defaults: those of the inputs, which what was given wins over, but not the profile.
        """
        return resolve_options({**(defaults or {}), **self.options}, self.profile)

    def reads(self, **own: Any) -> Reads:
        """What is said of columns and groups.

        Args:
            own: what the question says itself, which wins over what was given.

        Raises:
            UsageError: a keyword is of no kind that it can be.
        """
        given = self.given
        check_zone(given.get("timezone"))
        named = {name: given.get(name) for name in ("period", "timezone", "weight", "cluster", "min_queries")}
        named["by"] = as_list("by", given.get("by", ()))
        named["rollup"] = as_sets("rollup", given.get("rollup", False))
        return Reads(**{"columns": self.columns, **named, **own})

    @contextlib.contextmanager
    def prepared(
        self, request: Request, run: Any, qrels: Any, reads: Reads | None = None, **others: Any
    ) -> Iterator[Evaluation]:
        """The inputs of a request, read and checked, as long as the place is open.

        Args:
            request: what is asked for.
            run: the run or runs, or a source.
            qrels: the judgments.
            reads: what is read of them; by default what was given says.
            others: inputs in place of those that were given: ``query_list``, ``items``.

        Raises:
            UsageError: the request and the inputs contradict each other.
            DataError: an input is missing, malformed or contradicts itself.
            DatabaseError: the database refused a statement.
        """
        from ..pipeline.prepare import prepare

        reads = self.reads() if reads is None else reads
        beside = {role: self.given.get(role) for role in ("query_list", "items")} | others
        with opened(self.given.get("connection")) as engine:
            yield prepare(engine, request, reads, run, qrels, beside, self.given.get("input_format"))
