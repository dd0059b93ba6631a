"""Types of columns in DuckDB's words: what their numbers may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .definitions.catalogue import CARRIED
from .dialects import CANONICAL, Dialect
from .dialects.names import quoted, unquoted
from .errors import DataError, advise

if TYPE_CHECKING:
    from .engines.engine import Catalog


_DIGITS = 15  # two decimals of so many digits are never the same double

# Types whose values are told apart as they are, and not by the bytes of their text.
_NO_TEXT = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*|DATE|TIME.*|BOOLEAN"


def is_no_text(type_: str) -> bool:
    """Whether values of this type of DuckDB are told apart as they are, and not by the bytes of their text."""
    return re.fullmatch(_NO_TEXT, type_) is not None


def is_float(type_: str) -> bool:
    """Whether a column of this type of a database may hold NaN; a decimal without a length may in PostgreSQL."""
    return re.fullmatch(r"FLOAT|DOUBLE|REAL|DECIMAL", type_) is not None


def is_beyond_doubles(type_: str) -> bool:
    """Whether numbers of this type of DuckDB, whole or decimal, are not all told apart as doubles."""
    decimal = re.match(r"DECIMAL(?:\((\d+))?", type_)
    if decimal is not None:
        return decimal[1] is None or int(decimal[1]) > _DIGITS
    return type_ in ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")


def exact_columns(relation: Any) -> list[str]:
    """The columns of a relation that items are sorted by as they are, because doubles would make ties of them.

    Of a relation whose types are not known there is none: statements sort its items by the double, then by the column.
    """
    named = [unquoted(relation.columns[meaning]) for meaning in ("score", "position") if relation.columns.get(meaning)]
    if relation.database is not None and relation.database.dialect.dynamic_types:
        return named  # a check refuses text there, and numbers of any kind are compared by their values
    return [name for name in named if is_beyond_doubles((relation.types or {}).get(name, ""))]


# What columns may mean, under their default names.
MEANINGS = (
    *("query_id", "item_id", "score", "position", "relevance", "subtopic", "n_relevant", "run_id"),
    *CARRIED,
)

# What columns of a catalogue may mean beside these.
OF_ITEMS = ("popularity", "category")

# What one of a run, judgments and a list of queries can have: for periods, and numbers of queries.
TIME = "time"
WEIGHT = "weight"
COVARIATE = "covariate"
OF_QUERIES = (WEIGHT, COVARIATE)
PLACE = "rankmetrics_place"  # of a row in the input, for ties=input

# The meanings that each role must have, and those that it may have.
ROLES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "run": (("query_id", "item_id"), ("run_id", *OF_QUERIES)),
    "labelled": (("query_id", "item_id", "relevance"), ("run_id", "n_relevant", *CARRIED, *OF_QUERIES)),
    "qrels": (("query_id", "item_id", "relevance"), ("subtopic", *CARRIED, *OF_QUERIES)),
    "query_list": (("query_id",), OF_QUERIES),
    "items": (("item_id",), OF_ITEMS),
    "source": ((), ()),
}

# What SQL over the row is called in statements, by its meaning; of a query, there may be several.
EXPRESSION = "rankmetrics_{}"
_OF_QUERY = r"(?i)rankmetrics_(query_id(?:_\d+)?)"

NUMBERS = ("score", "position", "relevance", "n_relevant", *CARRIED, *OF_QUERIES, "popularity")


@dataclass(frozen=True)
class Relation:
    """One of the user's relations.

    Attributes:
        label: what to call it in messages: the file, the table, or what it is.
        sql: what can stand behind FROM, in the dialect of the database.
        role: ``run``, ``labelled``, ``qrels``, ``query_list`` or ``items``; ``values`` for those of queries.
        types: its columns and their types, or None where there is no connection to ask; those of expressions too.
        called: what columns are called where they come from, of those that DuckDB had to rename.
        name: the run's name, where it has one.
        text_ids: whether its ids are text whatever their type, as in files.
        own_types: whether its ids have types of their own, as in Parquet files, and are text beside text only.
        assumes_grades: whether it has no grades, so that each row is a relevant item.
        is_query: whether it is a query of the user's, which should run once.
        optional_ids: whether rows without an item are ours: of a query that is judged, or whose list is empty.
        subtopic: the column with the subtopic that each judgment is about, where that needs no telling.
        tags: gives the tags of a run file, where runs of different tags are not told apart.
        database: where it is, or None where there is no connection.
        dialect: whose quotes stand around the names of its columns.
        stays: whether it is the user's table or query, which is there when the evaluation is over.
        collated: the columns in which texts of different bytes can be equal.
        columns: what means what: columns as statements write them; ``query_id`` is a list, what is absent is None.
        expressions: SQL over the row, in its dialect, by the name that it has as a column; as the user writes it.
        written: the SQL of those that statements write otherwise, because columns of a file are text.
        stand_in: what stands for ``sql`` until a statement is translated.
        lasting: what can stand behind FROM when the evaluation is over, of rows that are stored for it only.
        clean: whether it has no row that the checks of rows refuse, by what made it.
        numbered: whether its positions are places in lists, so that a gap between them says nothing.
        n_ordered: as ``ReadFile.n_ordered``.
        n_against: as ``ReadFile.n_against``.
        size: as ``ReadFile.size``.
        whole: what can stand behind FROM for all of it, where it is the rows of some queries.
        only_grade: the grade of each item whose grade is not 0, where it is known that there is no other.
        own_places: whether it is known that no two items of a list share a position.
        same_in_query: columns that are known to have one value in each of its queries, as they are written.
        is_ours: whether a statement of ours makes its rows, so that its columns have names of ours.
        meanings: the names of its columns by what they mean, where it says so itself, whatever others are called.
    """

    label: str
    sql: str
    role: str
    types: Mapping[str, str] | None = None
    called: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None
    text_ids: bool = False
    own_types: bool = False
    assumes_grades: bool = False
    is_query: bool = False
    optional_ids: bool = False
    subtopic: str | None = None
    tags: Callable[[], list[str]] | None = None
    database: Catalog | None = None
    dialect: Dialect = CANONICAL
    stays: bool = False
    collated: Sequence[str] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    stand_in: str | None = None
    whole: str | None = None
    lasting: str | None = None
    clean: bool = False
    numbered: bool = False
    n_ordered: int = 0
    n_against: int = 0
    size: tuple[int, int] | None = None
    only_grade: float | None = None
    own_places: bool = False
    same_in_query: Sequence[str] = ()
    is_ours: bool = False
    meanings: Mapping[str, Any] = field(default_factory=dict)

    # Its columns, before they mean anything

    @property
    def side(self) -> str:
        """The name of the input in the names of columns: ``qrels.item_id``."""
        return "run" if self.role == "labelled" else self.role

    def key(self, meaning: str) -> str:
        """Return the key that names its column in ``columns=``; beside a source, the key has its side in front."""
        return meaning if self.side == "run" else f"{self.side}.{meaning}"

    @property
    def there(self) -> list[str]:
        """The names of its columns at their origin; two may be equal."""
        return [self.called.get(name, name) for name in self.types or ()]

    @property
    def is_known(self) -> bool:
        """Whether its columns were looked up, rather than being taken to be there."""
        return self.types is not None

    def bare(self, column: str) -> str:
        """The name that the user means, without its quotes."""
        return unquoted(column, self.dialect)

    def has(self, column: str) -> bool:
        """Whether it has columns of that name in any case."""
        return not self.is_known or column.lower() in map(str.lower, self.there)

    def find(self, column: str, *, named: bool = True) -> str | None:
        """Return the name of a column in statements, or None if there is no such column.

        Args:
            column: what it is called, in any case.
            named: whether the user said so, rather than that it is the default: then its case counts.

        Raises:
            DataError: two columns have that name.
        """
        if not self.is_known:
            return column
        there = self.there
        places = [place for place, name in enumerate(there) if name.lower() == column.lower()]
        exactly = [place for place in places if there[place] == column]
        if named and len(exactly) == 1:
            places = exactly
        if len(places) > 1:
            raise self._ambiguous(column, [there[place] for place in places])
        return list(self.types or ())[places[0]] if places else None

    def _ambiguous(self, column: str, there: Sequence[str]) -> DataError:
        """Says which columns could be meant."""
        different = list(dict.fromkeys(there))
        names = " and ".join(map(repr, different))
        if len(different) < len(there):
            return self.refuse(f"{len(there)} columns are called {names}. Rename all but one.")
        key, last = self.key(column.lower()), different[-1]
        return self.refuse(f"columns {names} differ only in case. Name one: {advise('columns', key, last)}.")

    def shown(self, name: str) -> str:
        """Return what the user calls a column: its own name, or the SQL that computes it."""
        return self.expressions.get(name) or self.called.get(name, name)

    def refuse(self, message: str) -> DataError:
        """An error about it."""
        return DataError(f"{self.label}: {message}")

    # What they mean

    @property
    def with_expressions(self) -> str:
        """Return the relation for FROM in the database's dialect, with a column for each expression."""
        if not self.expressions:
            return self.sql
        computed = ", ".join(f"{self._sql_of(name)} AS {name}" for name in self.expressions)
        return f"(SELECT s.*, {computed} FROM {self.sql} s)"

    @property
    def stand_ins(self) -> dict[str, str]:
        """Return the relation and expressions that replace plain names when a statement is translated."""
        if self.stand_in is None:
            return {}
        return {self.stand_in: self.sql} | {self._place_of(name): self._sql_of(name) for name in self.expressions}

    def _place_of(self, expression: str) -> str:
        """Return the stand-in of an expression in canonical text."""
        return f"{self.stand_in}_{expression.lower()}" if self.stand_in else self._sql_of(expression)

    def _sql_of(self, expression: str) -> str:
        return self.written.get(expression, self.expressions[expression])

    @property
    def query_labels(self) -> list[str]:
        """The names of the query's columns in results: the user's, or ``query_id`` for SQL."""
        names = [unquoted(name) for name in self.columns["query_id"]]
        found = [re.fullmatch(_OF_QUERY, name) for name in names]
        return [
            match[1].lower() if match else name for match, name in zip(found, self.columns["query_id"], strict=True)
        ]

    def as_template(self) -> dict[str, Any]:
        """The mapping that the templates expect, with None for what is absent."""
        meanings = (*MEANINGS, *OF_ITEMS) if self.role == "items" else MEANINGS
        return {
            "name": self.name,
            "relation": self.stand_in or self.sql,
            "whole": self.whole,
            "expressions": [{"name": name.lower(), "sql": self._place_of(name)} for name in self.expressions],
            "columns": {meaning: self.columns.get(meaning) for meaning in (*meanings, *OF_QUERIES)},
            "text_ids": self.text_ids,
            "is_query": self.is_query,
            "optional_ids": self.optional_ids and self.side == "run",
            "clean": self.clean,
            "only_grade": self.only_grade,
            "collated": [self.column(name) for name in self.collated],
            "exact": [self.column(name) for name in exact_columns(self)] if self.is_known or self.is_ours else None,
            "floats": [self.column(name) for name, type_ in (self.types or {}).items() if is_float(type_)],
        }

    def column(self, name: str) -> str:
        """A column as statements write it, by its own name, or, where it is not known, by what the user writes."""
        return quoted(name) if self.database is None else self.database.column(name)

    @property
    def numbers(self) -> dict[str, str]:
        """The columns that must hold numbers, by meaning."""
        return {meaning: self.columns[meaning] for meaning in NUMBERS if self.columns.get(meaning)}

    @property
    def value(self) -> str:
        """The meaning of the column that no row may lack: what a run is ordered by, or the grade."""
        if self.role == "qrels":
            return "relevance"
        return "score" if self.columns.get("score") else "position"

    @property
    def keys(self) -> list[str]:
        """The columns that name rows."""
        others = (self.columns.get(meaning) for meaning in ("item_id", "run_id", "subtopic"))
        return [unquoted(name) for name in (*self.columns["query_id"], *filter(None, others))]

    @property
    def is_text(self) -> bool:
        """Whether it is a file whose columns are text, whatever they hold."""
        return self.text_ids and not self.own_types

    def types_of(self, meaning: str) -> list[str]:
        """The types of the columns of a meaning; ids read from files count as text."""
        names = map(unquoted, self._columns_of(meaning))
        return ["VARCHAR" if self.text_ids else (self.types or {}).get(name, "VARCHAR") for name in names]

    def texts_of(self, meaning: str) -> list[str]:
        """The columns of a meaning as the user has them: names, or the SQL that computes them."""
        return [self.expressions.get(unquoted(name), name) for name in self._columns_of(meaning)]

    def _columns_of(self, meaning: str) -> list[str]:
        columns = self.columns[meaning]
        return [columns] if isinstance(columns, str) else list(columns)

    def select(self, others: Sequence[str]) -> str:
        """A query of the columns with a meaning, numbers as doubles, and of others by their names."""
        numbers = set(self.numbers.values())
        known = [
            *self.columns["query_id"],
            *(self.columns[meaning] for meaning in self.columns if meaning != "query_id"),
        ]
        ids = {column for column in known if column not in numbers} if self.text_ids else set()
        numbers -= {quoted(name) for name in exact_columns(self)} | {*exact_columns(self)}
        types = dict.fromkeys(numbers, "DOUBLE") | dict.fromkeys(ids, "VARCHAR")
        names = dict.fromkeys([*filter(None, known), *map(quoted, others)])
        selected = (f"CAST(s.{name} AS {types[name]}) AS {name}" if name in types else f"s.{name}" for name in names)
        return f"SELECT {', '.join(selected)} FROM {self.with_expressions} AS s"
