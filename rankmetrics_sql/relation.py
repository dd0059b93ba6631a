"""Relations: the user's tables, files and objects as statements read them, with the meaning of each column."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .definitions.catalogue import ACTIONS, CARRIED
from .dialects import CANONICAL, Dialect
from .dialects.names import quoted, unquoted
from .errors import DataError, advise

if TYPE_CHECKING:
    from .engines.engine import Catalog


_DIGITS = 15  # two decimals of so many digits are never the same double

# Types whose values are compared as they are, rather than as text.
_NO_TEXT = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*|DATE|TIME.*|BOOLEAN"


def is_no_text(type_: str) -> bool:
    """Return whether values of this type of DuckDB are compared as they are, rather than as text."""
    return re.fullmatch(_NO_TEXT, type_) is not None


def is_float(type_: str) -> bool:
    """Return whether a column of this type may hold NaN; a decimal without a length may in PostgreSQL."""
    return re.fullmatch(r"FLOAT|DOUBLE|REAL|DECIMAL", type_) is not None


def is_beyond_doubles(type_: str) -> bool:
    """Return whether two different numbers of this type of DuckDB, whole or decimal, can be the same double."""
    decimal = re.match(r"DECIMAL(?:\((\d+))?", type_)
    if decimal is not None:
        return decimal[1] is None or int(decimal[1]) > _DIGITS
    return type_ in ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")


def exact_columns(relation: Any) -> list[str]:
    """Return the columns that items are sorted by without a cast, because casts to doubles would make ties.

    If the types are not known, there are no such columns: statements sort items by the double, then by the column.
    """
    names = [unquoted(relation.columns[meaning]) for meaning in ("score", "position") if relation.columns.get(meaning)]
    if relation.database is not None and relation.database.dialect.dynamic_types:
        return names  # a check refuses text there, and numbers of any kind are compared by their values
    return [name for name in names if is_beyond_doubles((relation.types or {}).get(name, ""))]


# The meanings of columns, which are also their default names.
MEANINGS = (
    *("query_id", "item_id", "score", "position", "relevance", "subtopic", "n_relevant", "run_id"),
    *CARRIED,
)

# Further meanings in a catalogue of items.
OF_ITEMS = ("popularity", "category")

# Meanings in tables with the texts of queries or items, for people who judge.
OF_TEXTS = ("query_text", "item_text")

# A run, judgments or a list of queries can have these: a time for periods, and numbers of queries.
TIME = "time"
WEIGHT = "weight"
COVARIATE = "covariate"
OF_QUERIES = (WEIGHT, COVARIATE)
PLACE = "rankmetrics_place"  # the number of a row in the input, for ties=input

# The meanings that each role must have, and the ones that it may have.
ROLES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "run": (("query_id", "item_id"), ("run_id", *OF_QUERIES)),
    "labelled": (("query_id", "item_id", "relevance"), ("run_id", "n_relevant", *CARRIED, *OF_QUERIES)),
    "qrels": (("query_id", "item_id", "relevance"), ("subtopic", *CARRIED, *OF_QUERIES)),
    "query_list": (("query_id",), OF_QUERIES),
    "items": (("item_id",), OF_ITEMS),
    "source": ((), ()),
    "texts": ((), ("query_id", "item_id", *OF_TEXTS)),
}


def is_of_actions(meaning: str) -> bool:
    """Return whether a meaning is a number of the actions of a type, such as ``amount_purchase``."""
    return meaning.startswith(tuple(column.partition("{")[0] for column in ACTIONS.values()))


# The name of SQL over the row in statements, by its meaning; a query may have several.
EXPRESSION = "rankmetrics_{}"
JUDGE = EXPRESSION.format("judge")  # in all inputs; a run may have a column of its own under the user's name
_OF_QUERY = r"(?i)rankmetrics_(query_id(?:_\d+)?)"

NUMBERS = ("score", "position", "relevance", "n_relevant", *CARRIED, *OF_QUERIES, "popularity")


@dataclass(frozen=True)
class KnownFacts:
    """What is known of the rows of a relation from the way they were made or read, so that no statement looks for it.

    Attributes:
        clean: no row is one that the checks refuse, because a statement of the package made them.
        positions_are_ranks: positions count the items of a list, so that a gap between them means nothing.
        distinct_positions: no two items of a list share a position.
        constant_columns: columns with one value in each query, as statements write them.
        only_grade: the one grade above 0 that items have; None if there may be several.
        size: the number of rows, and roughly the number of queries.
        n_ordered: in how many queries of a TREC run both the ranks and the scores differ.
        n_reversed: in how many of these the first item by rank has the lowest score, and the last the highest.
        are_estimates: grades are estimates of a model, such as rates, and not steps of a scale.
        arms: the arms of the log that the grades were made of.
        notes: warnings about where the grades are from.
    """

    clean: bool = False
    positions_are_ranks: bool = False
    distinct_positions: bool = False
    constant_columns: Sequence[str] = ()
    only_grade: float | None = None
    size: tuple[int, int] | None = None
    n_ordered: int = 0
    n_reversed: int = 0
    are_estimates: bool = False
    arms: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Relation:
    """A table, query, file or Python object of the user's, as statements read it.

    ``Reader`` fills in where the rows are and which columns there are. ``bind_relation`` adds which column means what
    (``columns``, ``expressions``). Templates get it as the mapping ``as_template()``.

    Attributes:
        label: its name in messages: the file, the table, or what it is.
        sql: the relation behind FROM, in the dialect of the database.
        role: ``run``, ``labelled``, ``qrels``, ``query_list``, ``items``, ``texts``, ``source``, or ``values`` (of
            queries).
        types: the type of each column, also of expressions; None without a connection to ask.
        original_names: the names in the source of columns that DuckDB had to rename.
        name: the name of the run, if it has one.
        database: where it is; None for values that the package has made.
        text_ids: ids are compared as text, as ids of files are.
        own_types: the columns of a file have types, as in Parquet; its ids are text only beside text.
        assumes_grades: there is no column of grades, so each row is a relevant item.
        is_query: ``sql`` is the user's query, which should run once.
        is_ours: a statement of the package makes the rows, so the columns have the package's names.
        is_permanent: the table or query still exists after the evaluation.
        optional_ids: rows without an item are markers of the package: of a judged query, or an empty list.
        subtopic: the column of subtopics in inputs where the user need not name it.
        read_tags: returns the tags of a TREC run whose rows all count as one run.
        collated: columns in which texts of different bytes can be equal.
        columns: the column of each meaning, as statements write it; a list for ``query_id``, None if absent.
        expressions: SQL over the row that the user passed, by the name of its column.
        typed_expressions: the SQL that statements have instead, with the texts of a file as values.
        declared_columns: the columns by meaning that a source declares, which ``columns=`` does not change.
        facts: what is known of the rows.
        stand_in: the name in place of ``sql`` until a statement is translated.
        permanent_sql: ``sql`` without the temporary table of the evaluation.
        unpartitioned_sql: ``sql`` of all rows, if ``sql`` has the rows of some queries.
    """

    label: str
    sql: str
    role: str
    types: Mapping[str, str] | None = None
    original_names: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None
    database: Catalog | None = None
    text_ids: bool = False
    own_types: bool = False
    assumes_grades: bool = False
    is_query: bool = False
    is_ours: bool = False
    is_permanent: bool = False
    optional_ids: bool = False
    subtopic: str | None = None
    read_tags: Callable[[], list[str]] | None = None
    collated: Sequence[str] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    typed_expressions: Mapping[str, str] = field(default_factory=dict)
    declared_columns: Mapping[str, Any] = field(default_factory=dict)
    facts: KnownFacts = KnownFacts()
    stand_in: str | None = None
    permanent_sql: str | None = None
    unpartitioned_sql: str | None = None

    # Columns by name

    @property
    def dialect(self) -> Dialect:
        """Return the dialect of its database, whose quotes stand around names."""
        return CANONICAL if self.database is None else self.database.dialect

    @property
    def side(self) -> str:
        """Return the input's name in the names of columns: ``qrels`` in ``qrels.item_id``."""
        return "run" if self.role == "labelled" else self.role

    def key(self, meaning: str) -> str:
        """Return the key of ``columns=`` for a column: the meaning, with the side in front unless it is a run."""
        return meaning if self.side == "run" else f"{self.side}.{meaning}"

    @property
    def source_columns(self) -> list[str]:
        """Return the columns' names in the file, frame or table; two may be equal."""
        return [self.original_names.get(name, name) for name in self.types or ()]

    @property
    def is_known(self) -> bool:
        """Return whether its columns were looked up; otherwise any column is assumed to exist."""
        return self.types is not None

    def bare(self, column: str) -> str:
        """Return a column's name without quotes."""
        return unquoted(column, self.dialect)

    def has(self, column: str) -> bool:
        """Return whether it has a column of that name in any case."""
        return not self.is_known or column.lower() in map(str.lower, self.source_columns)

    def find(self, column: str, *, named: bool = True) -> str | None:
        """Return a column's name in statements, or None; upper and lower case count only if the user named it."""
        if not self.is_known:
            return column
        names = self.source_columns
        places = [place for place, name in enumerate(names) if name.lower() == column.lower()]
        exact = [place for place in places if names[place] == column]
        if named and len(exact) == 1:
            places = exact
        if len(places) > 1:
            raise self._ambiguous(column, [names[place] for place in places])
        return list(self.types or ())[places[0]] if places else None

    def _ambiguous(self, column: str, names: Sequence[str]) -> DataError:
        different = list(dict.fromkeys(names))
        spellings = " and ".join(map(repr, different))
        if len(different) < len(names):
            return self.error(f"{len(names)} columns are called {spellings}. Rename all but one.")
        key, last = self.key(column.lower()), different[-1]
        return self.error(f"columns {spellings} differ only in case. Name one: {advise('columns', key, last)}.")

    def shown(self, name: str) -> str:
        """Return what the user calls a column: its own name, or the SQL that computes it."""
        return self.expressions.get(name) or self.original_names.get(name, name)

    def error(self, message: str) -> DataError:
        """Return an error about it."""
        return DataError(f"{self.label}: {message}")

    # Columns by meaning

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
        return self.typed_expressions.get(expression, self.expressions[expression])

    @property
    def query_labels(self) -> list[str]:
        """Return the names of the query's columns in results: the user's, or ``query_id`` for SQL."""
        names = [unquoted(name) for name in self.columns["query_id"]]
        matches = [re.fullmatch(_OF_QUERY, name) for name in names]
        return [
            match[1].lower() if match else name for match, name in zip(matches, self.columns["query_id"], strict=True)
        ]

    def as_template(self) -> dict[str, Any]:
        """Return the mapping that templates read, with None for what is absent."""
        meanings = (*MEANINGS, *{"items": OF_ITEMS, "texts": OF_TEXTS}.get(self.role, ()), *self._of_actions)
        return {
            "name": self.name,
            "relation": self.stand_in or self.sql,
            "whole": self.unpartitioned_sql,
            "expressions": [{"name": name.lower(), "sql": self._place_of(name)} for name in self.expressions],
            "columns": {meaning: self.columns.get(meaning) for meaning in (*meanings, *OF_QUERIES)},
            "text_ids": self.text_ids,
            "is_query": self.is_query,
            "optional_ids": self.optional_ids and self.side == "run",
            "clean": self.facts.clean,
            "only_grade": self.facts.only_grade,
            "collated": [self.column(name) for name in self.collated],
            "exact": [self.column(name) for name in exact_columns(self)] if self.is_known or self.is_ours else None,
            "floats": [self.column(name) for name, type_ in (self.types or {}).items() if is_float(type_)],
        }

    def column(self, name: str) -> str:
        """Return a column as statements write it."""
        return quoted(name) if self.database is None else self.database.column(name)

    @property
    def numbers(self) -> dict[str, str]:
        """Return the columns that must hold numbers, by meaning."""
        return {
            meaning: self.columns[meaning] for meaning in (*NUMBERS, *self._of_actions) if self.columns.get(meaning)
        }

    @property
    def _of_actions(self) -> list[str]:
        """Return the meanings of the columns with numbers of the actions of a type, such as ``amount_purchase``."""
        return [meaning for meaning in self.columns if is_of_actions(meaning)]

    @property
    def value(self) -> str:
        """Return the meaning of the column that every row needs: a run's score or position, a judgment's grade."""
        if self.role == "qrels":
            return "relevance"
        return "score" if self.columns.get("score") else "position"

    @property
    def keys(self) -> list[str]:
        """Return the columns that identify a row."""
        ids = (self.columns.get(meaning) for meaning in ("item_id", "run_id", "subtopic"))
        return [unquoted(name) for name in (*self.columns["query_id"], *filter(None, ids))]

    @property
    def is_text(self) -> bool:
        """Return whether it is a file in which all columns are text."""
        return self.text_ids and not self.own_types

    def types_of(self, meaning: str) -> list[str]:
        """Return the types of the columns of a meaning; ids of files are text."""
        names = map(unquoted, self._columns_of(meaning))
        return ["VARCHAR" if self.text_ids else (self.types or {}).get(name, "VARCHAR") for name in names]

    def texts_of(self, meaning: str) -> list[str]:
        """Return the columns of a meaning as the user wrote them: names, or SQL."""
        return [self.expressions.get(unquoted(name), name) for name in self._columns_of(meaning)]

    def _columns_of(self, meaning: str) -> list[str]:
        columns = self.columns[meaning]
        return [columns] if isinstance(columns, str) else list(columns)

    def select(self, extra_columns: Sequence[str]) -> str:
        """Return a query of the columns with a meaning, numbers as doubles, and of extra columns."""
        numbers = set(self.numbers.values())
        columns = [
            *self.columns["query_id"],
            *(self.columns[meaning] for meaning in self.columns if meaning != "query_id"),
        ]
        ids = {column for column in columns if column not in numbers} if self.text_ids else set()
        numbers -= {quoted(name) for name in exact_columns(self)} | {*exact_columns(self)}
        types = dict.fromkeys(numbers, "DOUBLE") | dict.fromkeys(ids, "VARCHAR")
        names = dict.fromkeys([*filter(None, columns), *map(quoted, extra_columns)])
        selected = (f"CAST(s.{name} AS {types[name]}) AS {name}" if name in types else f"s.{name}" for name in names)
        return f"SELECT {', '.join(selected)} FROM {self.with_expressions} AS s"
