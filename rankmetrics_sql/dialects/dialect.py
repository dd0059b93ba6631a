"""The record of an SQL dialect, with what is special about it. A dialect states only what differs from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

# Changes a tree of sqlglot's in place, and takes what it needs to know from the record.
Rule = Callable[[Any, "Dialect"], None]

Answer = tuple[list[str], list[tuple[Any, ...]]]  # the names of a result's columns, and its rows
Numbers = tuple[float | None, float | None]  # how many rows and bytes a statement would read, where known


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


class Swap(NamedTuple):
    """How to rename a table that was built under another name, so that nobody sees half of it.

    Attributes:
        first: the statements where nothing has the name, with ``{new}`` and ``{name}``.
        instead: those where a table has it, with ``{old}`` too.
        undo: what to run when one of these fails, before the new table goes.
    """

    first: tuple[str, ...]
    instead: tuple[str, ...]
    undo: tuple[str, ...] = ()

    @classmethod
    def swap_by_renaming(cls) -> Swap:
        """One table at a time: the old one goes last, or comes back."""
        take, give = "ALTER TABLE {name} RENAME TO {old}", "ALTER TABLE {new} RENAME TO {name}"
        return cls((give,), (take, give, "DROP TABLE IF EXISTS {old}"), ("ALTER TABLE {old} RENAME TO {name}",))


class Refill(NamedTuple):
    """How to replace the rows of a table and nothing else of it, so that nobody sees half of them.

    The queries have ``{name}``, the table's name as a text, or ``{table}`` and ``{schema}``, its parts as texts.

    Attributes:
        statements: one that does it, or several of a transaction, with ``{name}``, ``{columns}`` and ``{query}``. The
            first makes others who replace the rows wait.
        attached: a query of what would be lost with the table, a text a row, where the catalogue knows it.
        condition: a query whether the table takes part in transactions, where not all do.
    """

    statements: tuple[str, ...] = ("DELETE FROM {name}", "INSERT INTO {name} ({columns})\n{query}")
    attached: str | None = None
    condition: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Dialect:
    """A dialect of SQL. It prints as its name."""

    name: str
    """As people give it, and as sqlglot calls it where ``sqlglot`` says nothing else."""

    executed: bool = False
    """Whether the tests run its text in the engine or a relative; else an independent grammar reads it."""

    canonical: bool = False
    """Whether it is the one in which all text is written first, so that nothing is translated."""

    # What others call it

    also_called: tuple[str, ...] = ()
    """What people call it, too."""

    vendors: tuple[str, ...] = ()
    """What SQLAlchemy, ibis and ADBC call databases that speak it, in lower case."""

    reached_as: str | None = None
    """The dialect as which a connection may introduce itself, because a driver of that is used."""

    sqlglot: str | None = None
    """Sqlglot's name of it, where that is another."""

    parent: str | None = None
    """The adapter of dbt whose macros its own adapter takes where it has none."""

    # Names

    quotes: Literal['""', "``", "[]"] = '""'
    """What stands around a name that needs it."""

    names_in_double_quotes: bool = True
    """Whether double quotes stand around names, not around text."""

    backslashes: bool = False
    """Whether a backslash in the quotes of a name is not itself."""

    backslashes_in_text: bool = False
    """Whether a backslash in a text is not itself."""

    dollars: bool = True
    """Whether a name without quotes may have a $ in it."""

    parts: str | None = None
    """A pattern of what a part of a table's name may be too, without quotes: a temporary table, one behind a link, or
    nothing, where a schema may be left out between two dots."""

    whole_paths: bool = False
    """Whether quotes may stand around a whole dotted name, of which the first part may have dashes."""

    stages: bool = False
    """Whether a name with @ is a stage with files."""

    reserved: frozenset[str] = frozenset()
    """Words that are no name without quotes, beside those that are none anywhere."""

    folds: Literal["lower", "upper"] | None = None
    """What an unquoted name becomes; None where it stays as it is, or its case does not matter."""

    repeated: str | None = None
    """A pattern of what is put behind the second of two columns of one name; others refuse them."""

    # Numbers

    float32: bool = True
    """Whether there are floats of 32 bits."""

    nan: Literal["function", "equal", "none"] = "function"
    """How to detect NaN: by a function, because it equals itself, or not at all because no double can be NaN."""

    nan_as_null: bool = True
    """Whether scores that are NaN are ordered as NULL is; not where no manual says how to detect NaN."""

    values: bool = False
    """Whether rows can stand behind FROM as VALUES, with names for their columns."""

    power_function: bool = True
    """Whether there is POWER; else there is an operator, which sqlglot writes."""

    double_type: str | None = None
    float32_type: str | None = None
    text_type: str | None = None
    """What these types are called, where sqlglot writes another."""

    strict_booleans: bool = False
    """Whether a boolean cannot be cast to a number."""

    dynamic_types: bool = False
    """Whether each value has a type of its own, whatever the column's."""

    # Text

    byte_collation: str | None = None
    """The collation in which text is ordered by its bytes, where the default may be a language's order."""

    column_collation: str | None = None
    """A condition on a column that says whether texts of different bytes may be equal in it, or not comparable with
    those of another column; None where text is compared by its bytes anyhow, or always made to be."""

    # Statements

    rules: tuple[Rule, ...] = ()
    """What is changed in a tree beside what is changed for all (``rules``), in this order."""

    nothing: str | None = None
    """What a SELECT without a table reads, where it must read something."""

    windowed_recursion: bool = False
    """Whether the recursive part of a CTE may have window functions. Elsewhere they are refused (Snowflake, BigQuery,
    Redshift, MySQL, SQLite), see one row at a time (SQL Server), or the steps are few or none (Trino, Athena, Spark,
    Databricks, ClickHouse, Fabric): the templates then write a stage for every step, of which there must not be
    many."""

    selects_kth: bool = False
    """Whether an aggregate finds the k-th greatest of a group, and sooner than a filter of ROW_NUMBER."""

    stores_ctes: bool = False
    """Whether a CTE that is read twice runs once. Elsewhere a query of the user's would run twice, and with random
    scores it would give others the second time."""

    cte_hints: bool = False
    """Whether a CTE may be marked ``NOT MATERIALIZED``. A CTE that is read twice is otherwise stored whole, and a
    filter on the keys of a view does not reach the user's table."""

    logarithms_of_whole: bool = False
    """Whether LN of a whole number is a double, so that LN(2) needs no cast."""

    sums_greatest: bool = False
    """Whether an aggregate gives the k greatest of a group, to be added up by their places."""

    counts_bits: bool = False
    """Whether aggregates bring bits together, which are then counted: different numbers without a DISTINCT."""

    nested_with: bool = True
    """Whether WITH may stand inside another statement."""

    notes: tuple[str, ...] = ()
    """Lines for the header of a statement: what whoever runs it has to know of the engine."""

    ordered_views: bool = True
    """Whether a view or table may be made of a query with ORDER BY."""

    end: str = ";"
    """What ends a statement on paper, for consoles and drivers; Oracle's drivers refuse a semicolon."""

    empty_lines: bool = True
    """Whether its console takes an empty line for one, and not for the end of a statement."""

    unnesting: str | None = None
    """A query that makes a row of every element of ``{column}``, a column of lists of item ids in ``{table}``."""

    # What is left in a database

    create_table_as: bool = True
    """Whether a table is made of a query by CREATE TABLE AS."""

    table_storage: str = ""
    temporary_storage: str = ""
    """What stands behind the name and columns of a table, or of a temporary one."""

    temporary_tables: bool = False
    """Whether there are temporary tables that a statement may read as often as it likes."""

    transactional_ddl: bool = False
    """Whether all statements of a creation can be one transaction."""

    or_replace_table: bool = False
    """Whether CREATE OR REPLACE TABLE replaces a table at once."""

    swap: Swap | None = None
    """How a table is replaced where neither is so; None where there is no safe way."""

    refill: Refill | None = None
    """How the rows of a table are replaced, where they can be without the table."""

    replace_view: str = "CREATE OR REPLACE VIEW"
    """What replaces a view where statements are no transaction."""

    tables: str = (
        "SELECT table_schema, table_name FROM information_schema.tables WHERE LOWER(table_name) LIKE '%rankmetrics%'"
    )
    """A query of the schemas and names of all tables that may be ours, or of those in ``{schema}``."""

    is_view: str | None = None
    """A query whether ``{name}``, or ``{table}`` in ``{schema}``, is a view, asked where the database would replace a
    table by a view, or change the rows behind a view, without a word."""

    current_schema: str = "NULL"
    """The schema of a name without one, in a query."""

    views: str | None = None
    """A query of the names and queries of all views."""

    describes_views: bool = False
    """Whether DESCRIBE TABLE EXTENDED gives the query of one view instead."""

    # Connections

    read_only: str | None = None
    """The statement that makes a connection refuse to write."""

    session_settings: tuple[str, ...] = ()
    """The statements that a session which we open begins with; a version that lacks one of them does without it.

    They may name the ``{application}``, where drivers have no argument for that."""

    savepoints: bool = False
    """Whether a connection needs savepoints, and has them, to undo what failed in a transaction and nothing else."""

    held_cursors: bool = False
    """Whether a cursor of the server's may outlive the transaction that made it."""

    copies_rows: bool = False
    """Whether ``COPY ... FROM STDIN`` takes rows from the client."""

    explain: str | None = None
    """What asks for the plan of the statement behind it, which is not run."""

    read_plan: Callable[[Answer], Numbers] | None = None
    """What reads in the answer how many rows and bytes the statement would read; see ``plans``."""

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<dialect {self.name}>"

    def unnested(self, table: str, column: str) -> str | None:
        """A query that makes a row of every element of a column of item ids; None where no way is known."""
        return None if self.unnesting is None else self.unnesting.format(table=table, column=column)

    @property
    def has_nan(self) -> bool:
        """Whether a double can be NaN."""
        return self.nan != "none"
