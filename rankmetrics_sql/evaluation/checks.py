"""Looks at the input before a number is trusted: refuses what would make it wrong, warns of what makes it mean less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..databases import Engine
from ..dialects.names import quoted, unquoted
from ..errors import DataError
from ..inputs.reader import Source
from ..statements.query import Input, Query
from ..statements.templates import macros

_TEXT = ("VARCHAR", "CHAR", "ENUM", "JSON")
_INTEGERS = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
)
_NUMBERS = (*_INTEGERS, "FLOAT", "DOUBLE", "DECIMAL", "BOOLEAN")
_UNKNOWN = '"NULL"'  # the type of a column without a single value
_SHOWN = 3
_DYNAMIC_TYPES = ("sqlite",)  # dialects where each value has a type of its own, whatever the column's


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
        """The meaning of the column that no row may lack: what a run is ordered by, or the grade."""
        if self.role == "qrels":
            return "relevance"
        return "score" if self.input.columns.get("score") else "position"

    @property
    def query_columns(self) -> str:
        """The columns that name a query, qualified for the relation s."""
        return ", ".join(map(self.key, self.input.columns["query_id"]))

    def key(self, column: str) -> str:
        """A column of ids as it is compared."""
        return str(macros()["rm_key"](self.input.as_template(), column))

    def select(self, others: Sequence[str]) -> str:
        """A query that gives the columns with a meaning, numbers as doubles, and other columns of these names."""
        columns = self.input.columns
        numbers = set(self.numbers.values())
        known = [*columns["query_id"], *(columns[meaning] for meaning in columns if meaning != "query_id")]
        ids = {column for column in known if column not in numbers} if self.input.text_ids else set()
        types = dict.fromkeys(numbers, "DOUBLE") | dict.fromkeys(ids, "VARCHAR")
        names = dict.fromkeys([*filter(None, known), *map(quoted, others)])
        selected = (f"CAST(s.{name} AS {types[name]}) AS {name}" if name in types else f"s.{name}" for name in names)
        return f"SELECT {', '.join(selected)} FROM {self.input.relation} AS s"

    @property
    def keys(self) -> list[str]:
        """The columns that name rows."""
        columns = self.input.columns
        others = (columns.get(meaning) for meaning in ("item_id", "run_id", "subtopic"))
        return [unquoted(name) for name in (*columns["query_id"], *filter(None, others))]

    def types(self, meaning: str) -> list[str]:
        """The types of the columns of a meaning; ids read from files count as text."""
        columns = self.input.columns[meaning]
        known = self.source.types or {}
        names = [unquoted(name) for name in ([columns] if isinstance(columns, str) else columns)]
        return ["VARCHAR" if self.source.text_ids else known.get(name, "VARCHAR") for name in names]

    def refuse(self, message: str) -> DataError:
        """An error about this input."""
        return DataError(f"{self.source.label}: {message}")


class Checker:
    """Checks one evaluation's inputs in their database."""

    def __init__(
        self,
        engine: Engine,
        runs: Sequence[Checked],
        qrels: Checked | None,
        selected: Checked | None,
        query: Query,
    ) -> None:
        self._engine = engine
        self._runs = runs
        self._qrels = qrels
        self._selected = selected
        self._query = query
        self._n_judgments = self._n_judged_queries = 0
        inputs = [*self._all, *([selected] if selected else [])]
        self._keys = {name for checked in inputs for name in checked.keys} | {unquoted(g.column) for g in query.groups}

    @property
    def _all(self) -> list[Checked]:
        return [*self._runs, *([self._qrels] if self._qrels else [])]

    def before(self) -> list[str]:
        """What is checked whatever the option ``check`` says: types, and what a metric cannot work with.

        Returns:
            Warnings about the query list.

        Raises:
            DataError: ids of different types, numbers that are none, grades beyond the scale.
        """
        for checked in self._all:
            check_numbers(self._engine, checked)
        for run in self._runs:
            self._check_id_types(run)
            if self._query.options["position"] == "given":
                self._check_positions(run)
            if self._query.options["ties"] == "rank" or (run.value == "position" and self._query.check != "none"):
                self._check_ranks(run)
            if run.input.columns.get("n_relevant"):
                self._check_n_relevant(run)
            if run.role == "labelled" and self._qrels:
                self._check_labels(run, self._qrels)
        self._check_highest_grade()
        self._check_groups()
        return list(self._missing_selected())

    def full(self) -> list[str]:
        """Checks every row.

        Returns:
            Warnings about queries that only one side has.

        Raises:
            DataError: missing ids, missing or undefined scores, duplicate items, no common query.
        """
        self.rows()
        gaps = [warning for run in self._runs for warning in self._gaps(run)]
        return [*self.overlaps(), *gaps, *self._lone_subtopics()]

    def rows(self) -> None:
        """Checks the rows of every input."""
        for checked in self._all:
            sql = macros()["rm_check_counts"](checked.input.as_template(), checked.input.columns[checked.value])
            n_rows, n_lacking_ids, n_unusable, n_distinct = self._single(sql)
            if n_rows == 0:
                raise checked.refuse("there are no rows.")
            if checked is self._qrels:
                self._n_judgments = n_rows
            if n_unusable:
                self._refuse_values(checked, n_unusable)
            if n_lacking_ids and not checked.source.optional_ids:
                self._refuse_missing_ids(checked, n_lacking_ids)
            if n_distinct < n_rows:
                self._refuse_duplicates(checked)

    def overlaps(self) -> Iterator[str]:
        """A warning for queries that only a run, or only the judgments have.

        Raises:
            DataError: a run has no judged query at all.
        """
        for run in self._runs:
            yield from self._overlap(run, self._qrels) if self._qrels else self._unlabelled(run)

    def pairs(self, baseline: str) -> Iterator[str]:
        """A warning for a run that shares few queries with the one that it is compared with.

        Few are fewer than half of the queries that either of them has results for, of those that count.

        Args:
            baseline: the name of that run.

        Raises:
            DataError: it shares none, so that each difference would be one between different queries.
        """
        by_name = {str(run.input.name): run for run in self._runs}
        first = by_name.pop(baseline)
        for name, run in by_name.items():
            sql = macros()["rm_check_shared"](first.input.as_template(), run.input.as_template(), self._counting())
            both, ours, theirs = self._single(sql)
            if both == 0:
                raise DataError(
                    f"{baseline} and {name} have results for no common query that counts ({ours:,} and {theirs:,}), so"
                    f" there is nothing to pair. Queries of {baseline}: {self._ids(first)}; of {name}:"
                    f" {self._ids(run)}. Do the ids differ in spelling? Runs of different queries are scored each by"
                    " itself, by evaluate."
                )
            if 2 * both < max(ours, theirs):
                yield (
                    f"{baseline} and {name} have results for only {_count(both, 'common query')}, of {ours:,} and"
                    f" {theirs:,} that count; queries=judged_retrieved compares those."
                )

    def _counting(self) -> list[dict[str, Any]]:
        """The relations that say which queries count, each with the condition for its rows."""
        universe = self._query.options["queries"]
        among = [{"input": self._selected.input.as_template(), "condition": None}] if self._selected else []
        if universe == "retrieved" or self._qrels is None:
            return among
        relevance = f"s.{self._qrels.input.columns['relevance']}"
        condition = f"{relevance} IS NOT NULL" if self._query.options["impute"] is None else None
        if universe == "judged_relevant":
            rel = self._query.options["rel"]
            lowest = min(float(str(metric.params.get("rel", rel))) for metric in self._query.metrics)
            condition = f"CAST({relevance} AS DOUBLE) >= {macros()['rm_number'](lowest)}"
        return [*among, {"input": self._qrels.input.as_template(), "condition": condition}]

    def strangers(self) -> Iterator[str]:
        """A warning for a run without a single judged item, though its queries are judged."""
        qrels = self._qrels
        if qrels is None:
            return
        for run in self._runs:
            sql = macros()["rm_check_common"](run.input.as_template(), qrels.input.as_template())
            if self._single(sql)[0] == 0:
                sides = (f"{side.source.label}: {self._ids(side, 'item_id')}" for side in (run, qrels))
                yield f"No retrieved item is judged. Items of {'; of '.join(sides)}. Do the ids differ in spelling?"

    def _missing_selected(self) -> Iterator[str]:
        """Queries of the query list that are not judged, or not there."""
        if self._selected is None:
            return
        retrieved = self._query.options["queries"] == "retrieved"
        other = self._runs[0] if retrieved or self._qrels is None else self._qrels
        self._check_id_type(self._selected, other, "query_id")
        sql = macros()["rm_check_overlap"](self._selected.input.as_template(), other.input.as_template())
        both, missing, _ = self._single(sql)
        if both == 0:
            raise self._selected.refuse(
                f"none of its queries is in {other.source.label}. Queries here: {self._ids(self._selected)};"
                f" there: {self._ids(other)}."
            )
        if missing:
            yield f"{self._selected.source.label}: {_count(missing, 'query')} not in {other.source.label}."

    def _gaps(self, run: Checked) -> Iterator[str]:
        """Positions that do not count 1, 2, 3 ... are numbered anew, which a log of impressions may not mean."""
        if run.value != "position" or self._query.options["position"] == "given":
            return
        position = f"CAST(s.{run.input.columns['position']} AS DOUBLE)"
        keys = ", ".join(macros()["rm_list_columns"](run.input.as_template()))
        shared = f"COUNT(DISTINCT {position}) <> COUNT(*)"
        if count := self._count_groups(run, keys, shared):
            yield f"{run.source.label}: {_count(count, 'query')} with equal positions; the items' ids order them."
        if count := self._count_groups(run, keys, f"MAX({position}) <> COUNT(*) AND NOT {shared}"):
            yield (
                f"{run.source.label}: {_count(count, 'query')} with gaps in the positions, numbered 1, 2, 3 ... here;"
                " position=given keeps them."
            )

    def _lone_subtopics(self) -> Iterator[str]:
        """Where no query has two subtopics, the column is probably not that of subtopics."""
        if self._qrels is None or not self._qrels.input.columns.get("subtopic"):
            return
        column = self._qrels.input.columns["subtopic"]
        several = f"COUNT(DISTINCT {self._qrels.key(column)}) > 1"
        if not self._count_groups(self._qrels, self._qrels.query_columns, several):
            yield f"{self._qrels.source.label}: no query has more than one subtopic (column {unquoted(column)!r})."

    def judgments_per_query(self) -> float:
        """How many judgments a query has on average; roughly, where the full check has not counted them."""
        if self._qrels is not None and not self._n_judged_queries:
            columns = self._qrels.query_columns
            sql = f"SELECT COUNT(*), APPROX_COUNT_DISTINCT(HASH({columns})) FROM {self._qrels.input.relation} AS s"
            self._n_judgments, self._n_judged_queries = self._single(sql)
        return self._n_judgments / max(self._n_judged_queries, 1)

    def _overlap(self, run: Checked, qrels: Checked) -> Iterator[str]:
        graded = self._query.options["impute"] is None
        sql = macros()["rm_check_overlap"](run.input.as_template(), qrels.input.as_template(), graded)
        both, run_only, judged_only = self._single(sql)
        self._n_judged_queries = both + judged_only
        if both == 0:
            raise run.refuse(
                f"none of its queries is judged in {qrels.source.label}. Queries here: {self._ids(run)};"
                f" judged: {self._ids(qrels)}. Do the ids differ in type or spelling?"
                " A judgment whose grade is NULL is none."
            )
        if self._query.selected:
            return
        universe = self._query.options["queries"]
        if judged_only:
            counted = universe in ("judged", "judged_relevant")
            fate = f"each {'scores 0' if counted else f'is left out (queries={universe})'}"
            yield f"{run.source.label}: {_count(judged_only, 'judged query')} without results; {fate}."
        if run_only and universe != "retrieved":
            yield f"{run.source.label}: results for {_count(run_only, 'query')} without judgments are not counted."

    def _unlabelled(self, run: Checked) -> Iterator[str]:
        if self._query.options["queries"] == "retrieved":
            return
        relevance = run.input.columns["relevance"]
        count = self._count_groups(run, run.query_columns, f"COUNT(s.{relevance}) = 0")
        if count:
            yield (
                f"{run.source.label}: {_count(count, 'query')} without a single label not counted;"
                " queries=retrieved counts each as 0."
            )

    def _check_id_types(self, run: Checked) -> None:
        for meaning in ("query_id", "item_id"):
            if self._qrels:
                self._check_id_type(run, self._qrels, meaning)

    def _check_id_type(self, one: Checked, other: Checked, meaning: str) -> None:
        ours, theirs = one.types(meaning), other.types(meaning)
        if not all(map(_comparable, ours, theirs)):
            in_duckdb = self._engine.dialect == "duckdb"
            how = "as in SELECT * REPLACE (CAST(... AS VARCHAR) AS ...)" if in_duckdb else "in a query"
            raise DataError(
                f"{meaning} is {', '.join(ours)} in {one.source.label} and {', '.join(theirs)} in {other.source.label};"
                f" cast one of them, {how}. Ids in files are text."
            )

    def _check_ranks(self, run: Checked) -> None:
        """Without a rank a row stands nowhere, and where it stands moves all others."""
        column = run.input.columns["position"]
        rows = self._rows(run, column, macros()["rm_unusable"](column))
        if rows:
            raise run.refuse(f"every row needs a position: {_examples(rows)}.")

    def _check_labels(self, run: Checked, qrels: Checked) -> None:
        rows = self._some(macros()["rm_check_labels"](run.input.as_template(), qrels.input.as_template()))
        if rows:
            raise run.refuse(f"labels differ from {qrels.source.label} (query, item, label, grade): {_examples(rows)}.")

    def _check_highest_grade(self) -> None:
        limits = [metric.params["err_max"] for metric in self._query.metrics if "err_max" in metric.params]
        if not limits:
            return
        lowest = min(float(str(limit)) for limit in limits)
        for checked in self._all:
            column = checked.input.columns.get("relevance")
            if column is None:
                continue
            grade = f"CAST(s.{column} AS DOUBLE)"
            highest = self._single(f"SELECT MAX({grade}) FROM {checked.input.relation} AS s")[0]
            if highest is not None and highest > lowest:
                advice = f"set err_max={highest:g} or higher"
                raise checked.refuse(f"the highest grade is {highest:g}, beyond err_max = {lowest:g}; {advice}.")

    def _check_positions(self, run: Checked) -> None:
        column = run.input.columns["position"]
        number = f"CAST(s.{column} AS DOUBLE)"
        rows = self._rows(run, column, f"{number} IS NULL OR {number} < 1 OR {number} <> FLOOR({number})")
        if rows:
            raise run.refuse(f"a position must be a whole number of at least 1: {_examples(rows)}.")
        shared = self._some(macros()["rm_check_positions"](run.input.as_template()))
        if shared:
            message = "with position=given each position stands once in a query; more often"
            raise run.refuse(f"{message}: {_examples(shared)}.")

    def _check_n_relevant(self, run: Checked) -> None:
        rel = self._query.options["rel"]
        rows = self._some(macros()["rm_check_n_relevant"](run.input.as_template(), rel))
        if rows:
            *query, lowest, highest, present = rows[0]
            raise run.refuse(
                f"n_relevant of query {_shown(query)} is {lowest} to {highest}, with {present} relevant rows present;"
                " it must be one number for a query, at least its relevant rows and at most 100,000 beyond them."
            )

    def _check_groups(self) -> None:
        sides: dict[str, Sequence[Checked | None]] = {
            "run": self._runs,
            "qrels": [self._qrels],
            "selected": [self._selected],
        }
        for group in self._query.groups:
            for checked in filter(None, sides[group.relation]):
                rows = self._some(macros()["rm_check_groups"](checked.input.as_template(), group.column))
                if rows:
                    *query, lowest, highest = rows[0]
                    values = f"{lowest!r} and {highest!r}"
                    raise checked.refuse(f"query {_shown(query)} has two values in {unquoted(group.column)}: {values}.")

    def _refuse_missing_ids(self, checked: Checked, count: int) -> None:
        columns = checked.input.columns
        others = filter(None, [columns.get("run_id"), columns.get("subtopic")])
        ids = [*columns["query_id"], columns["item_id"], *others]
        condition = " OR ".join(f"s.{column} IS NULL" for column in ids)
        rows = self._rows(checked, checked.input.columns[checked.value], condition)
        raise checked.refuse(f"{_count(count, 'missing id')} of queries or items: {_examples(rows)}.")

    def _refuse_values(self, checked: Checked, count: int) -> None:
        """Judgments without a grade are no judgments, but NaN is no grade; a run's rows need a score or position."""
        column = checked.input.columns[checked.value]
        condition = macros()["rm_unusable"](column)
        if checked is self._qrels:
            condition = f"s.{column} IS NOT NULL AND ({condition})"
        rows = self._rows(checked, column, condition)
        if rows:
            found = "rows" if checked is self._qrels else _count(count, "row")
            raise checked.refuse(f"{found} with a NULL or NaN {checked.value}: {_examples(rows)}.")

    def _refuse_duplicates(self, checked: Checked) -> None:
        """Equal fingerprints of different ids are no duplicates, and neither are our own rows without an item."""
        rows = self._some(macros()["rm_check_duplicates"](checked.input.as_template()))
        if rows:
            known = bool(checked.input.columns.get("subtopic"))
            ids = "query, item, subtopic" if known else "query, item"
            unsaid = checked.role == "qrels" and not known
            hint = " Judged by subtopic? Name the column: columns={'subtopic': ...}." if unsaid else ""
            raise checked.refuse(f"duplicate item in a query ({ids}, rows): {_examples(rows)}.{hint}")

    def _ids(self, checked: Checked, meaning: str = "query_id") -> str:
        names = checked.query_columns if meaning == "query_id" else checked.key(checked.input.columns[meaning])
        sql = f"SELECT DISTINCT {names} FROM {checked.input.relation} AS s ORDER BY {names} LIMIT 2"
        return _examples(self._engine.fetch(sql, self._keys)[1])

    def _count_groups(self, run: Checked, keys: str, condition: str) -> int:
        groups = f"SELECT {keys} FROM {run.input.relation} AS s GROUP BY {keys} HAVING {condition}"
        return int(self._single(f"SELECT COUNT(*) FROM ({groups}) AS g")[0])

    def _single(self, sql: str) -> tuple[Any, ...]:
        return self._engine.single(sql, self._keys)

    def _rows(self, checked: Checked, column: str, condition: str) -> list[tuple[Any, ...]]:
        return self._some(macros()["rm_check_rows"](checked.input.as_template(), column, condition))

    def _some(self, sql: str) -> list[tuple[Any, ...]]:
        return self._engine.fetch(f"{sql}\nLIMIT {_SHOWN}", self._keys)[1]


def check_numbers(engine: Engine, checked: Checked) -> None:
    """Looks at the columns that must hold numbers.

    Args:
        engine: where the input is.
        checked: the input.

    Raises:
        DataError: one of them holds something else.
    """
    for meaning, column in checked.numbers.items():
        _check_number(engine, checked, meaning, column)


def _check_number(engine: Engine, checked: Checked, meaning: str, column: str) -> None:
    name = unquoted(column)
    type_ = (checked.source.types or {}).get(name, "DOUBLE")
    if type_.startswith((*_NUMBERS, _UNKNOWN)) and engine.is_number(type_):
        if engine.dialect in _DYNAMIC_TYPES:
            _refuse_rows(engine, checked, meaning, f"typeof(s.{column}) IN ('text', 'blob')")
        return
    if not type_.startswith(_TEXT) or not engine.tries_casts:
        advice = "" if engine.tries_casts else "; cast it in a query that stands for the table"
        own = checked.source.called.get(name, name)
        raise checked.refuse(f"{meaning} (column {own!r}) is {type_}, not a number{advice}.")
    # DuckDB reads 1_0 as 10
    number = f"CASE WHEN NOT contains(s.{column}, '_') THEN TRY_CAST(s.{column} AS DOUBLE) END"
    _refuse_rows(engine, checked, meaning, f"s.{column} IS NOT NULL AND {number} IS NULL")


def _refuse_rows(engine: Engine, checked: Checked, meaning: str, condition: str) -> None:
    """Shows rows whose value is no number, if there are such."""
    sql = macros()["rm_check_rows"](checked.input.as_template(), checked.numbers[meaning], condition)
    rows = engine.fetch(f"{sql}\nLIMIT {_SHOWN}")[1]
    if rows:
        raise checked.refuse(f"{meaning} is not a number: {_examples(rows)}.")


def _comparable(one: str, other: str) -> bool:
    """Whether values of two types are equal when they look equal."""
    return _family(one) == _family(other) or _UNKNOWN in (one, other)


def _family(type_: str) -> str:
    if type_ in _INTEGERS:
        return "integer"
    return "text" if type_.startswith(_TEXT) else type_


def _shown(row: Sequence[Any]) -> str:
    return repr(row[0]) if len(row) == 1 else "(" + ", ".join(map(repr, row)) + ")"


def _examples(rows: Sequence[Sequence[Any]]) -> str:
    return ", ".join(_shown(row) for row in rows)


def _count(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"
