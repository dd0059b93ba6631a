"""Looks at the input before a number is trusted: refuses what would make it wrong, warns of what would make it mean less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .dialects import unquoted
from .engines.duckdb import DuckDB
from .errors import DataError
from .inputs import Source
from .query import Input, Query, macros

_TEXT = ("VARCHAR", "CHAR", "ENUM", "JSON")
_INTEGERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
)
_NUMBERS = (*_INTEGERS, "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN")
_UNKNOWN = '"NULL"'  # the type of a column without a single value
_SHOWN = 3


@dataclass(frozen=True)
class Checked:
    """An input with its source and role: what a message needs."""

    source: Source
    input: Input
    role: str

    @property
    def numbers(self) -> dict[str, str]:
        """The columns that must hold numbers, by meaning."""
        meanings = ("score", "position", "relevance", "n_relevant")
        return {meaning: self.input.columns[meaning] for meaning in meanings if self.input.columns.get(meaning)}

    @property
    def value(self) -> str:
        """The column that no row may lack: what a run is ordered by, or the grade."""
        columns = self.input.columns
        return str(columns["relevance"] if self.role == "qrels" else columns.get("score") or columns["position"])


class Checker:
    """Checks one evaluation's inputs in their database."""

    def __init__(self, engine: DuckDB, runs: Sequence[Checked], qrels: Checked | None, query: Query) -> None:
        self._engine = engine
        self._runs = runs
        self._qrels = qrels
        self._query = query
        self._n_judgments = self._n_judged_queries = 0

    @property
    def _all(self) -> list[Checked]:
        return [*self._runs, *([self._qrels] if self._qrels else [])]

    def before(self) -> None:
        """What is checked whatever the option ``check`` says: types, and what a metric cannot work with.

        Raises:
            DataError: ids of different types, numbers that are none, grades beyond the scale.
        """
        for checked in self._all:
            for meaning, column in checked.numbers.items():
                self._check_number(checked, meaning, column)
        self._check_id_types()
        self._check_highest_grade()
        for checked in self._runs:
            if self._query.options["position"] == "given":
                self._check_positions(checked)
            if checked.input.columns.get("n_relevant"):
                self._check_n_relevant(checked)
        self._check_groups()

    def full(self) -> list[str]:
        """Checks every row.

        Returns:
            Warnings about queries that only one side has.

        Raises:
            DataError: missing ids, missing or undefined scores, duplicate items, no common query.
        """
        for checked in self._all:
            self.rows(checked)
        return list(self.overlaps())

    def rows(self, checked: Checked) -> None:
        """Checks the rows of one input."""
        counts = self._engine.single(macros()["rm_check_counts"](checked.input.as_template(), checked.value))
        n_rows, n_lacking_ids, n_unusable, n_distinct = counts
        if checked.role == "qrels":
            self._n_judgments = n_rows
        if n_rows == 0:
            raise DataError(f"{checked.source.label}: there are no rows.")
        if n_lacking_ids and not checked.source.optional_ids:
            self._refuse_missing_ids(checked, n_lacking_ids)
        if n_unusable and not (checked.role == "qrels" and self._only_nulls(checked)):
            self._refuse_values(checked, n_unusable)
        if n_distinct < n_rows and not checked.source.optional_ids:
            self.refuse_duplicates(checked)

    def overlaps(self) -> Iterator[str]:
        """A warning for queries that only the run, or only the judgments have.

        Raises:
            DataError: a run has no judged query at all.
        """
        if self._qrels is None:
            yield from self._unlabelled()
            return
        for checked in self._runs:
            sql = macros()["rm_check_overlap"](checked.input.as_template(), self._qrels.input.as_template())
            both, run_only, judged_only = self._engine.single(sql)
            self._n_judged_queries = both + judged_only
            if both == 0:
                raise DataError(self._no_overlap(checked))
            universe = self._query.options["queries"]
            if judged_only and not self._query.selected:
                fate = (
                    "score 0"
                    if universe == "judged"
                    else f"are left out (queries={universe})"
                    if universe != "judged_relevant"
                    else "score 0"
                )
                yield f"{checked.source.label}: {_count(judged_only, 'judged query', 'judged queries')} without results; {'they ' + fate if judged_only > 1 else 'it ' + fate.replace('score', 'scores').replace('are', 'is')}."
            if run_only and universe != "retrieved" and not self._query.selected:
                yield f"{checked.source.label}: results for {_count(run_only, 'query', 'queries')} without judgments are not counted."

    def judgments_per_query(self) -> float:
        """How many judgments a query has on average; roughly, where the full check has not counted them."""
        assert self._qrels is not None
        if not self._n_judged_queries:
            columns = [*self._qrels.input.columns["query_id"]]
            self._n_judgments, self._n_judged_queries = self._engine.estimate(self._qrels.input.relation, columns)
        return self._n_judgments / max(self._n_judged_queries, 1)

    def refuse_faults(self) -> None:
        """Says which judged rows are at fault, once the result has counted some."""
        for checked in self._all:
            self.rows(checked)

    def _check_number(self, checked: Checked, meaning: str, column: str) -> None:
        name = unquoted(column)
        type_ = (checked.source.types or {}).get(name, "DOUBLE")
        if type_.startswith((*_NUMBERS, _UNKNOWN)):
            return
        if not type_.startswith(_TEXT):
            raise DataError(f"{checked.source.label}: {meaning} (column {name!r}) is {type_}, not a number.")
        condition = f"s.{column} IS NOT NULL AND TRY_CAST(s.{column} AS DOUBLE) IS NULL"
        rows = self._rows(checked, column, condition)
        if rows:
            raise DataError(f"{checked.source.label}: {meaning} is not a number: {_examples(rows)}.")

    def _check_id_types(self) -> None:
        if self._qrels is None:
            return
        for checked in self._runs:
            for meaning in ("query_id", "item_id"):
                ours, theirs = _type(checked, meaning), _type(self._qrels, meaning)
                pairs = zip(_family(ours), _family(theirs), strict=True)
                if any(one != other and _UNKNOWN not in (one, other) for one, other in pairs):
                    raise DataError(
                        f"{meaning} is {', '.join(ours)} in {checked.source.label} and {', '.join(theirs)} in {self._qrels.source.label}; cast one of them."
                    )

    def _check_highest_grade(self) -> None:
        limits = [metric.params["err_max"] for metric in self._query.metrics if "err_max" in metric.params]
        if not limits:
            return
        lowest = min(float(str(limit)) for limit in limits)
        for checked in [self._qrels] if self._qrels else self._runs:
            column = checked.input.columns["relevance"]
            highest = self._engine.single(f"SELECT MAX(CAST(s.{column} AS DOUBLE)) FROM {checked.input.relation} AS s")[
                0
            ]
            if highest is not None and highest > lowest:
                raise DataError(
                    f"{checked.source.label}: the highest grade is {highest:g}, beyond err_max = {lowest:g}; set err_max={highest:g} or higher."
                )

    def _check_positions(self, checked: Checked) -> None:
        column = checked.input.columns["position"]
        number = f"CAST(s.{column} AS DOUBLE)"
        rows = self._rows(checked, column, f"{number} IS NULL OR {number} < 1 OR {number} <> FLOOR({number})")
        if rows:
            raise DataError(
                f"{checked.source.label}: a position must be a whole number of at least 1: {_examples(rows)}."
            )
        shared = self._some(macros()["rm_check_positions"](checked.input.as_template()))
        if shared:
            raise DataError(
                f"{checked.source.label}: with position=given each position stands once in a query; more often: {_examples(shared)}."
            )

    def _check_n_relevant(self, checked: Checked) -> None:
        rows = self._some(macros()["rm_check_n_relevant"](checked.input.as_template(), self._query.options["rel"]))
        if rows:
            *query, lowest, highest, present = rows[0]
            shown = ", ".join(map(repr, query))
            raise DataError(
                f"{checked.source.label}: n_relevant of query {shown} is {lowest} to {highest}, with {present} relevant rows present;"
                " it must be one number for all rows of a query, at least the relevant rows and at most 100,000 beyond them."
            )

    def _check_groups(self) -> None:
        by_relation = {"run": self._runs, "qrels": [self._qrels] if self._qrels else []}
        for group in self._query.groups:
            for checked in by_relation.get(group.relation, []):
                rows = self._some(macros()["rm_check_groups"](checked.input.as_template(), group.column))
                if rows:
                    *query, lowest, highest = rows[0]
                    raise DataError(
                        f"{checked.source.label}: query {', '.join(map(repr, query))} has two values in {unquoted(group.column)}: {lowest!r} and {highest!r}."
                    )

    def _refuse_missing_ids(self, checked: Checked, count: int) -> None:
        ids = [*checked.input.columns["query_id"], checked.input.columns["item_id"]]
        condition = " OR ".join(f"s.{column} IS NULL" for column in ids)
        rows = self._rows(checked, checked.value, condition)
        raise DataError(
            f"{checked.source.label}: {_count(count, 'missing id', 'missing ids')} of queries or items: {_examples(rows)}."
        )

    def _only_nulls(self, checked: Checked) -> bool:
        """Judgments without a grade are no judgments, but NaN is no grade."""
        return not self._rows(checked, checked.value, f"ISNAN(CAST(s.{checked.value} AS DOUBLE))")

    def _refuse_values(self, checked: Checked, count: int) -> None:
        what = "grade" if checked.role == "qrels" else "score" if checked.input.columns.get("score") else "position"
        rows = self._rows(checked, checked.value, macros()["rm_unusable"](checked.value))
        raise DataError(
            f"{checked.source.label}: {_count(count, 'row', 'rows')} with a NULL or NaN {what}: {_examples(rows)}."
        )

    def refuse_duplicates(self, checked: Checked) -> None:
        """Raises where an item stands twice; equal fingerprints of different ids are no duplicates."""
        rows = self._some(macros()["rm_check_duplicates"](checked.input.as_template()))
        if rows:
            raise DataError(
                f"{checked.source.label}: duplicate item in a query (query, item, rows): {_examples(rows)}."
            )

    def _unlabelled(self) -> Iterator[str]:
        if self._query.options["queries"] == "retrieved":
            return
        for checked in self._runs:
            keys = ", ".join(f"s.{column}" for column in checked.input.columns["query_id"])
            relevance = checked.input.columns["relevance"]
            inner = f"SELECT {keys} FROM {checked.input.relation} AS s GROUP BY {keys} HAVING COUNT(s.{relevance}) = 0"
            count = self._engine.single(f"SELECT COUNT(*) FROM ({inner})")[0]
            if count:
                yield f"{checked.source.label}: {_count(count, 'query', 'queries')} without a single label not counted; queries=retrieved counts them as 0."

    def _no_overlap(self, checked: Checked) -> str:
        assert self._qrels is not None
        ours, theirs = (self._ids(side) for side in (checked, self._qrels))
        return (
            f"{checked.source.label}: none of its queries is judged in {self._qrels.source.label}."
            f" Queries here: {ours}; judged: {theirs}. Do the ids differ in type or spelling?"
        )

    def _ids(self, checked: Checked) -> str:
        columns = ", ".join(f"s.{column}" for column in checked.input.columns["query_id"])
        rows = self._engine.fetch(
            f"SELECT DISTINCT {columns} FROM {checked.input.relation} AS s ORDER BY {columns} LIMIT 2"
        )[1]
        return ", ".join(_shown(row) for row in rows)

    def _rows(self, checked: Checked, column: str, condition: str) -> list[tuple[Any, ...]]:
        return self._some(macros()["rm_check_rows"](checked.input.as_template(), column, condition))

    def _some(self, sql: str) -> list[tuple[Any, ...]]:
        return self._engine.fetch(f"{sql}\nLIMIT {_SHOWN}")[1]


def _type(checked: Checked, meaning: str) -> list[str]:
    names = checked.input.columns[meaning]
    types = checked.source.types or {}
    if checked.source.text_ids:
        return ["VARCHAR"] * (len(names) if isinstance(names, list) else 1)
    return [types.get(unquoted(name), "VARCHAR") for name in (names if isinstance(names, list) else [names])]


def _family(types: Sequence[str]) -> list[str]:
    """Types that compare as what they are: all integers alike, all texts alike."""
    families = []
    for type_ in types:
        families.append("integer" if type_ in _INTEGERS else "text" if type_.startswith(_TEXT) else type_)
    return families


def _shown(row: Sequence[Any]) -> str:
    return repr(row[0]) if len(row) == 1 else "(" + ", ".join(map(repr, row)) + ")"


def _examples(rows: Sequence[Sequence[Any]]) -> str:
    return ", ".join(_shown(row) for row in rows)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
