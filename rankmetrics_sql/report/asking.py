"""Asks for everything on a page in one evaluation: inputs are read and checked once, and values computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..checks.queries import check_queries
from ..definitions.choices import Choices, resolve_options
from ..definitions.known import known_options
from ..definitions.resolution import resolve_metrics
from ..dialects import in_dialect
from ..dialects.names import literal
from ..errors import UsageError
from ..inputs.binding import name_meanings
from ..inputs.reader import Reader
from ..inputs.reads import Needs
from ..inputs.sources import Labelled, Source
from ..pipeline.bind import place
from ..pipeline.comparison import comparison, counting_faults
from ..pipeline.movements import listed, metric_of_movements
from ..pipeline.partitions import stored_values
from ..pipeline.prepare import Evaluation
from ..pipeline.request import Request
from ..pipeline.scores import score
from ..results.comparison import Comparison
from ..results.movements import Movements
from ..results.values import Result
from ..statements.query import MOVEMENTS, OF_COMPARISONS, Query
from ..statements.relation import OF_QUERIES, Relation

THE_RUN = "the run"  # where it has no name
_ITSELF = " itself"  # the name of a run beside its own

# What says which rows a list has and in what order, whatever is made of them.
_OF_LISTS = ("ties", "score_type", "position", "duplicates", "duplicate_judgments")


@dataclass(frozen=True)
class Asked:
    """An evaluation or a comparison, of which more is asked.

    Attributes:
        evaluation: with its groups; its inputs have been read and checked.
        choices: the options that the user gave.
        source: what stands in place of runs, or None.
        baseline: what the baseline is called; None for the first run.
        shares: of arms, how the units were to be shared out.
        partitions: in how many parts the values are computed.
    """

    evaluation: Evaluation
    choices: Choices
    source: Source | None = None
    baseline: str | None = None
    shares: Mapping[str, float] | None = None
    partitions: int = 1

    @property
    def has_groups(self) -> bool:
        """Whether there are segments."""
        return len(self._query.groups) > self._query.has_cluster

    @property
    def of_values(self) -> str:
        """What is said behind the title of the values of runs, where differences are capped."""
        return ", not capped" if self._query.caps else ""

    @property
    def has_runs(self) -> bool:
        """Whether runs can be compared: they were given one by one, or by a source."""
        return self.source is not None or self._query.runs[0].name is not None

    @property
    def options(self) -> dict[str, Any]:
        """Return the options in effect, with the ones that the inputs imply."""
        of_query = {name: self._query.options[name] for name in self.choices.options if name in self._query.options}
        is_new = self._request.level != "compare" and self.source is not None
        return dict(self.choices.options) | of_query | (self.source.design if is_new and self.source else {})

    @property
    def _query(self) -> Query:
        return self.evaluation.query

    @property
    def _request(self) -> Request:
        return self.evaluation.request

    @cached_property
    def _stored(self) -> Relation | None:
        """The values of the queries, where they can be stored: then the inputs are read once for all results."""
        return stored_values(self.evaluation.statements, self.partitions)

    def values(self, *, in_segments: bool = False) -> Result:
        """The values of the runs, with their intervals."""
        defaults = {name: known_options()[name]["default"] for name in OF_COMPARISONS}
        interval = self._query.options["interval"]
        options = {**defaults, "interval": "t" if interval in (None, "none") else interval}
        asked = self._asked("summary", in_segments, options)
        return replace(score(asked), sql=_whole(asked, asked.query, "summary"))

    def differences(self, baseline: str, *, in_segments: bool = False) -> Comparison:
        """The differences from the baseline."""
        asked = self._compared(baseline, in_segments)
        found = comparison(asked, self.shares)
        return replace(found, sql=_whole(asked, counting_faults(asked).query, "compare"))

    def text_of_changes(self, baseline: str) -> str:
        """The statement behind the differences by query."""
        asked = self._compared(baseline, in_segments=False)
        return _whole(asked, replace(asked.query, check="none"), "compare_per_query")

    def _compared(self, baseline: str, in_segments: bool) -> Evaluation:
        options: dict[str, Any] = {"interval": known_options()["interval"]["default"]}
        is_new = self._request.level != "compare"
        if is_new and self.source is not None:
            options |= self.source.design
        asked = self._asked("compare", in_segments, options, baseline)
        if is_new and not in_segments:
            asked.query.refuse("compare")
            check_queries(asked.asker.about(replace(self._query, options=asked.query.options), level="compare"))
        return replace(asked, sources={}) if in_segments else asked

    def _asked(
        self, level: str, in_segments: bool, options: Mapping[str, Any], baseline: str | None = None
    ) -> Evaluation:
        """The same of another result, over all queries or in segments."""
        query, stored = self._query, self._stored
        of_all = query.groups[-1:] if query.has_cluster else ()
        if not in_segments and stored is not None and of_all:
            stored = _with_first_group(stored, len(query.groups))
        query = replace(
            query,
            options={**query.options, **options},
            groups=query.groups if in_segments else of_all,
            rollup=False,
            min_queries=None,
            baseline=baseline or query.baseline,
            limits=query.limits if level == "compare" else None,
            caps=query.caps if level.startswith("compare") else {},
            stored_values=stored,
        )
        request = self._request._replace(level=level, baseline=query.baseline)
        asker = self.evaluation.asker.about(replace(query, stored_values=None))
        statements = replace(self.evaluation.statements, query=query, asker=asker)
        return replace(self.evaluation, request=request, statements=statements)

    def lists(self, baseline: str, candidate: str, names: Sequence[Any], k: int) -> Movements:
        """The lists of some queries.

        Args:
            baseline: the name of a run.
            candidate: that of another.
            names: those of the queries.
            k: how many items of each.

        Raises:
            RankmetricsError: there are no such lists.
        """
        runs = [run for run in self._query.runs if run.name in (baseline, candidate, None)]
        return self._movements(runs, self._query.qrels, baseline, names, k)

    def lists_of_one(self, name: str | None, names: Sequence[Any], k: int) -> Movements:
        """The lists of some queries of one run, which is held against itself: both ranks are the same.

        Args:
            name: of the run, where runs have names.
            names: those of the queries.
            k: how many items of each.

        Raises:
            RankmetricsError: it cannot be read as a run of its own.
        """
        run = next((run for run in self._query.runs if run.name == name), None)
        is_labelled = isinstance(self.source, Labelled) and self.source.runs is None
        if run is None or (self.source is not None and not is_labelled):
            raise UsageError("they come from a log, or from one table with several runs.")
        qrels = self._query.qrels
        if is_labelled:
            run, qrels = _apart(run)
        both = [replace(run, name=_ITSELF), replace(run, name=name or THE_RUN)]
        return self._movements(both, qrels, _ITSELF, names, k)

    def _movements(
        self, runs: Sequence[Relation], qrels: Relation | None, baseline: str, names: Sequence[Any], k: int
    ) -> Movements:
        """Return the movements of these queries, from one more statement."""
        chosen, database = self._request.choices, self.evaluation.asker.database
        own = {name: chosen.options[name] for name in _OF_LISTS}
        choices = resolve_options({"queries": "retrieved", **own}, chosen.profile)
        metrics = resolve_metrics(metric_of_movements(k, choices), choices)
        query_list = self._list_of(names)
        query = Query(
            runs=[*map(_without_numbers, runs)],
            metrics=metrics,
            options=choices.options,
            qrels=_without_numbers(qrels) if qrels is not None else None,
            query_list=place(database, query_list),
            baseline=baseline,
            strategy=self._query.strategy,
            dialect=self._query.dialect,
        )
        query.refuse(MOVEMENTS)
        return listed(replace(self.evaluation.statements, query=query))

    def _list_of(self, names: Sequence[Any]) -> Relation:
        """Some queries as a list: where nothing may be loaded, or names have several parts, as text of a statement."""
        database = self.evaluation.asker.database
        reader = Reader(database)
        if database.takes_files and not any(isinstance(key, tuple) for key in names):
            return name_meanings(reader.one(names, "query_list"), self.evaluation.reads.columns, Needs())
        rows = [key if isinstance(key, tuple) else (key,) for key in names]
        keys = [f"rankmetrics_key_{number}" for number, _ in enumerate(rows[0], start=1)]
        selects = (
            ", ".join(f"{_literal(value)} AS {key}" for value, key in zip(row, keys, strict=True)) for row in rows
        )
        text = " UNION ALL ".join(f"SELECT {select}" for select in selects)
        text = in_dialect(text, database.dialect, {}, quotes_results=False)
        return replace(reader.one(text, "query_list"), columns={"query_id": keys})


def _literal(value: Any) -> str:
    """The name of a query in SQL: a whole number as it is, all else as text."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else literal(str(value))


def _whole(asked: Evaluation, query: Query, level: str) -> str:
    """The statement over the inputs, which gives the same as that over stored values."""
    return asked.statements.shown(level, replace(query, stored_values=None))


def _with_first_group(stored: Relation, number: int) -> Relation:
    """The values without groups, but for the last one, which is then the first."""
    if number == 1:
        return stored
    columns = [name for name in stored.types or () if not name.startswith("group_")]
    kept = ", ".join(f"s.{name}" for name in columns)
    return replace(stored, sql=f"(SELECT {kept}, s.group_{number} AS group_1 FROM {stored.sql} s)")


def _without_numbers(relation: Relation) -> Relation:
    """The relation without weights and the like, of which lists have none."""
    columns = {meaning: names for meaning, names in relation.columns.items() if meaning not in OF_QUERIES}
    return replace(relation, columns=columns)


def _apart(labelled: Relation) -> tuple[Relation, Relation]:
    """A labelled table as a run and as its judgments."""
    judged = ("query_id", "item_id", "relevance")
    own = {meaning: names for meaning, names in labelled.columns.items() if meaning not in ("relevance", "n_relevant")}
    judgments = {meaning: labelled.columns[meaning] for meaning in judged}
    return replace(labelled, role="run", columns=own), replace(labelled, role="qrels", columns=judgments)
