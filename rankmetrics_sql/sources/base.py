"""Describe a source, from which nothing is read until it is needed, and the statement that makes its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..dialects import Dialect
from ..dialects.names import quoted, unquoted
from ..engines import Catalog
from ..errors import UsageError, advise
from ..inputs.expressions import column_or_expression, has_column
from ..inputs.ids import retype_ids
from ..inputs.reader import Reader, extract_json_fields
from ..relation import Relation
from ..templates import macros
from .columns import IDS, TYPED, bare, check_list, column_texts, typed
from .passthrough import RowLayout, Statement, add_fields, add_time_column, context_columns, keep_rows, name_in_rows

COUNTED = ("types", "amounts", "seconds")  # settings that follow from metrics, see ``Rows.counting``


class Source:
    """A lazy description: nothing is read until an evaluation reads it.

    Attributes:
        label: what to call it in messages.
    """

    label: str

    @property
    def has_judgments(self) -> bool:
        """Return whether its rows say what is relevant."""
        return True

    @property
    def is_labelled(self) -> bool:
        """Return whether its rows contain their judgments."""
        return True

    @property
    def runs(self) -> Any:
        """Return the column that tells several systems or arms apart, if there is one."""
        return None

    @property
    def runs_by(self) -> str | None:
        """Return the argument that names that column."""
        return None

    @property
    def has_arms(self) -> bool:
        """Return whether what that column tells apart are arms."""
        return self.runs_by == "arm="

    @property
    def design(self) -> dict[str, Any]:
        """Return the design of a comparison of its runs, where that is not the default: by query."""
        return {}

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that have another default here."""
        return {}

    @property
    def table(self) -> Any:
        """Return the first of its tables, which has its name."""
        return None


def sources_of(run: Any) -> list[Source]:
    """Return the sources that were passed: one in place of all runs, or one for each of some runs."""
    runs = run.values() if isinstance(run, Mapping) else run if isinstance(run, list | tuple) else [run]
    return [one for one in runs if isinstance(one, Source)]


def are_judged(run: Any, qrels: Any) -> bool:
    """Return whether something says what is relevant: judgments, or a source that stands in place of a run."""
    return qrels is not None or any(source.has_judgments for source in sources_of(run))


@dataclass(frozen=True)
class Labelled(Source):
    """A table that contains its labels, as ``labelled()`` takes it.

    Attributes:
        data: the table.
        qrels: judgments for the ideal ranking.
        columns: the user's names of columns, by meaning.
        empty_lists: whether a row without an item stands for a list that is empty.
    """

    data: Any
    qrels: Any = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    empty_lists: bool = False
    label: str = "labelled"

    @property
    def runs(self) -> Any:
        """See ``Source``."""
        return self.columns.get("run_id")

    @property
    def runs_by(self) -> str | None:
        """See ``Source``."""
        return "columns={'run_id': ...}"

    @property
    def table(self) -> Any:
        """See ``Source``."""
        return self.data


@dataclass(frozen=True)
class Rows(Source):
    """Rows of a run, judgments or a labelled table that a statement of the package makes of logs, lists or ratings.

    Attributes:
        label: its name in messages.
        parts: the statement behind each role: ``labelled``, or ``run`` and ``qrels``.
        quality: the statement that counts the rows that are used or left out, by reason.
        relations: the tables, files, SQL texts or data frames that the user passed, by argument.
        columns: the relation and the column, or SQL over its row, by meaning, as templates call it in ``columns``.
        settings: all other arguments.
        query: the meaning of the columns that name a query, or the names that the rows have for them.
        order: what orders the items of its rows: ``position`` or ``score``.
        log: the macro that describes a log, from which its statements are made; None for lists and ratings.
        sides: the relations with the impressions and the actions.
        ids: the columns and fields with ids that no argument names, by relation.
        facts: the statement that gives the lowest position by application, if it is unknown, and the number of
            events by type; None for lists and ratings.
        of_lists: the meanings of columns of lists.
        time: the column of the first relation with the time, where it has one.
        time_of_events: the same column of the events, where metrics alone may ask for it.
        conflicts: the statement that finds requests for which the table of requests contradicts the log.
        values_by: the argument that names the values of actions; None where the schema has them.
        currencies: the statement that finds the lowest and highest currency of values, where a column names it.
        clean: the rows need no checks (``KnownFacts.clean``).
        arm: the column with the run of a row, if there are several.
        wanted: what asks for a column of a log, and the argument of statements that takes it, where it is given.
        given: returns settings that follow from the relations once they are read.
        holds: the content of files (see ``Reader.one``), by argument.
        read: the relations once they have been read.
        moment: SQL over the row that computes the time, in which case ``time`` is the name of its column.
        where: SQL over a row of the first relation; impressions for which it is not true are not read.
        of_actions: SQL that is true of the rows of the first relation that are no impressions, if it has any.
        known: the columns of the user, the time and the search text that a schema has, where no argument names them.
        text_column: the column with the search text, where an argument names it.
    """

    label: str
    parts: Mapping[str, Statement]
    quality: Statement
    relations: Mapping[str, Any]
    columns: Mapping[str, tuple[str, Any]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    query: str | Sequence[str] = "query"
    order: str = "position"
    log: Statement | None = None
    sides: Sequence[str] = ()
    ids: Mapping[str, Sequence[str]] = field(default_factory=dict)
    facts: Statement | None = None
    conflicts: Statement | None = None
    values_by: str | None = None
    currencies: Statement | None = None
    of_lists: Sequence[str] = ()
    clean: bool = True
    time: str | None = None
    time_of_events: str | None = None
    arm: str | None = None
    wanted: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    given: Callable[[Mapping[str, Relation]], Mapping[str, Any]] | None = None
    holds: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[str, Relation] = field(default_factory=dict)
    moment: str | None = None
    where: str | None = None
    of_actions: str | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    text_column: str | None = None

    @property
    def is_labelled(self) -> bool:
        """See ``Source``."""
        return "labelled" in self.parts

    @property
    def runs(self) -> Any:
        """See ``Source``."""
        return self.arm

    @property
    def design(self) -> dict[str, Any]:
        """Arms of a log have requests of their own; lists of several runs answer the same queries."""
        return {"design": "unpaired"} if self.log is not None else {}

    @property
    def runs_by(self) -> str | None:
        """See ``Source``."""
        return "arm=" if self.log is not None else "run=" if self.has_lists else None

    @property
    def table(self) -> Any:
        """See ``Source``."""
        return next(iter(self.relations.values()))

    @property
    def named(self) -> dict[str, dict[str, Any]]:
        """Return the arguments that the user passed, ``columns`` and ``rules`` by their names."""
        columns = {
            f"{place}.{bare(meaning)}": column
            for meaning, (place, column) in self.columns.items()
            if column is not None
        }
        if self.arm is not None:
            is_of_queries = self.wanted.get(self.arm, ("", ""))[1] == "queries_context"
            place = "queries" if is_of_queries else next(iter(self.relations))
            columns[f"{place}.{str(self.runs_by).strip('=')}"] = self.arm
        settings = {name: value for name, value in self.settings.items() if name not in COUNTED}
        rules = {name: value for name, value in settings.items() if value is not None and value is not True}
        return {"columns": columns, "rules": rules | ({} if self.where is None else {"where": self.where})}

    @property
    def options(self) -> dict[str, Any]:
        """See ``Source``; positions in a log are what a person saw, gaps and all."""
        return {"position": "given"} if self.facts is not None else {}

    @property
    def has_lists(self) -> bool:
        """Return whether each row of its table is a list, which may be empty."""
        return "empty_lists" in self.settings

    @property
    def has_judgments(self) -> bool:
        """Return whether its rows say what is relevant."""
        return not {"labelled", "qrels"}.isdisjoint(self.parts)

    @property
    def has_relevant_rows(self) -> bool:
        """Return whether it is a log, whose rows without an action can be left out for some metrics."""
        return self.log is not None and "labelled" in self.parts

    @property
    def relevant_parts(self) -> dict[str, Statement]:
        """Return the statement behind the rows of a log that metrics of relevant items read."""
        if self.log is None:
            return {}
        arguments = self.parts["labelled"].arguments
        return {"labelled": Statement(self.log.macro, arguments, "rm_select_rows_that_count")}

    @property
    def aliases(self) -> Mapping[str, str]:
        """Return what a schema calls the types click and purchase."""
        aliases: Mapping[str, str] = macros()["rm_aliases_of_types"](self.label)
        return aliases

    @property
    def is_permanent(self) -> bool:
        """Return whether its relations still exist when the evaluation is over."""
        return all(relation.is_permanent for relation in self.read.values())

    @property
    def place(self) -> Catalog | None:
        """Return the database of its relations, once they have been looked at."""
        return next(iter(self.read.values())).database if self.read else None

    def counting(self, numbers: Sequence[Mapping[str, Any]]) -> Rows:
        """Return the source with the numbers of actions that metrics read, as ``rm_action_columns`` lists them.

        Raises:
            UsageError: the source has no actions, or no column for a number.
        """
        numbers_by_need = {number["need"]: number for number in numbers}
        values, seconds = numbers_by_need.get("action_values"), numbers_by_need.get("action_seconds")
        columns, settings = dict(self.columns), dict(self.settings)
        if self.log is None and numbers:
            raise UsageError(
                f"Metric '{numbers[0]['label']}' counts actions of a log, and {self.label}() has none. Score a log, or"
                f" with labelled() a table with the column {numbers[0]['name']}."
            )
        if values is not None and self.values_by and not self._has_values:
            what, given = ("a table", "TABLE") if self.values_by == "ordered" else ("a column of the events", "NAME")
            raise UsageError(
                f"Metric '{values['label']}' adds up values of actions, which {what} has. Name it:"
                f" {advise('rule', self.values_by, given)}."
            )
        if seconds is not None and columns.get("events.time", ("", "of the schema"))[1] is None:
            if self.time_of_events is None or columns["time"][0] == "queries":
                raise UsageError(
                    f"Metric '{seconds['label']}' needs the time of impressions and actions. Name the column of both:"
                    f" {advise('rule', 'time', 'NAME')}."
                )
            columns["events.time"] = ("events", self.time_of_events)
        if numbers:
            types = dict.fromkeys(number["type"] for number in numbers)
            settings |= {"types": [*types], "amounts": values is not None, "seconds": seconds is not None}
        return replace(self, columns=columns, settings=settings)

    @property
    def _has_values(self) -> bool:
        """Return whether the argument that names the values of actions was passed."""
        return self.values_by in self.relations or self.columns.get(str(self.values_by), ("", None))[1] is not None

    def looked_up(self, engine: Catalog, input_format: str | None = None) -> Rows:
        """Return the source with its relations read into a database."""
        reader = Reader(engine, input_format)
        read = {name: reader.one(value, "source", name, self.holds.get(name)) for name, value in self.relations.items()}
        if len({id(relation.database) for relation in read.values()}) > 1:
            raise UsageError(f"{self.label}: {' and '.join(read)} must be in one database.")
        texts = [*column_texts(self.columns), *self.wanted, self.moment, self.where]
        read = {name: extract_json_fields(relation, texts) for name, relation in read.items()}
        read = keep_rows(read, self.where, self.of_actions)
        read = add_time_column(read, self.time, self.moment, queries=self.knows_requests)
        read, fields = add_fields(read, self.settings.get("fields"))
        settings = {**self.settings, "fields": fields} if "fields" in self.settings else self.settings
        described = replace(self, read=read, settings=settings)
        return described if described.keeps_types else described.ids_to_text()

    @property
    def keeps_types(self) -> bool:
        """Return whether the ids of its files keep their types: columns of Parquet files."""
        files = [relation.own_types for relation in self.read.values() if relation.text_ids]
        return bool(files) and not self.ids and all(files)

    def ids_to_text(self) -> Rows:
        """Return the source with text for the ids of its files."""
        return replace(self, read={name: self._ids_to_text(name, relation) for name, relation in self.read.items()})

    def _ids_to_text(self, name: str, relation: Relation) -> Relation:
        """Return the relation with text for its ids, where it is a file: ids of all files can be equal."""
        if not relation.text_ids:
            return relation
        relation = replace(relation, own_types=False)
        columns = [column for meaning, column in self.columns.items() if bare(meaning) in IDS and column[0] == name]
        names = [
            text
            for _, in_relation in columns
            for text in ([in_relation] if isinstance(in_relation, str) else in_relation or ())
        ]
        in_relation = [relation.find(relation.bare(text)) for text in names]
        ids = {text.lower() for text in (*filter(None, in_relation), *self.ids.get(name, ()))}
        types = {column: retype_ids(column, type_, ids) for column, type_ in (relation.types or {}).items()}
        other = {column: type_ for column, type_ in types.items() if type_ != (relation.types or {})[column]}
        if not other:
            return relation
        casts = ", ".join(f"CAST({quoted(column)} AS {type_}) AS {quoted(column)}" for column, type_ in other.items())
        return replace(relation, sql=f"(SELECT * REPLACE ({casts}) FROM {relation.sql})", types=types)

    def text(self, statement: Statement, dialect: Dialect, context: Mapping[str, Sequence[Any]] | None = None) -> str:
        """Return a statement over what was read, in the dialect of its database.

        Args:
            statement: one of the source's.
            dialect: whose SQL.
            context: more columns to hand on, by the argument that they are. ``{"arm": column}`` and
                ``{"group": column}`` are the columns of which a request of a log has one value.
        """
        settings = self.arguments(statement)  # a setting that is None is passed: within=None means no limit
        arguments = {name: value for name, value in settings.items() if value is not None or name in self.settings}
        arguments |= {name: list(columns) for name, columns in (context or {}).items() if columns}
        if "empty_lists" in arguments:
            arguments["empty_lists"] = self.keeps_empty_lists(context or {})
        dialect_macros = macros(dialect.name)
        statement_text = dialect_macros[statement.macro](**arguments)
        return str(statement_text if statement.select is None else dialect_macros[statement.select](statement_text))

    def arguments(self, statement: Statement) -> dict[str, Any]:
        """Return the arguments of the template by name: relations and columns in SQL, settings, and derived values."""
        columns = {name: self.column(name) for name in self.columns if not self.only_requests_have(name)}
        named = {name: columns[name] for name in statement.arguments if columns.get(name) is not None}
        computed = self.given(self.read) if self.given is not None else {}
        tables = {name: relation.sql for name, relation in self.read.items()}
        aliased = {name: f"{sql} u" if sql.startswith("(") else sql for name, sql in tables.items()}
        arguments = aliased | dict(self.settings) | dict(computed)
        others = {name: arguments.get(name) for name in statement.arguments if name not in self.columns}
        return others | ({"columns": named} if named else {})

    def only_requests_have(self, meaning: str) -> bool:
        """Return whether only the table of all requests has a time or user, by which no action is matched."""
        place, column = self.columns[meaning]
        if place == "queries":
            return not meaning.startswith("queries.")
        return (
            (
                (meaning == "time" and not self.settings.get("seconds"))
                or (meaning == "user" and self.settings.get("attribution") == "request")
            )
            and self.knows_requests
            and isinstance(column, str)
            and not has_column(self.read[place], column)
            and has_column(self.read["queries"], column)
        )

    @property
    def knows_requests(self) -> bool:
        """Return whether the log comes with a table of all requests, some of which may show nothing."""
        return self.conflicts is not None

    @property
    def search_text(self) -> str | None:
        """Return the column with the search text: the one that was named, or a schema's own if its tables have it."""
        own = self.known.get("text")
        has_own = own is not None and any(has_column(side, own) for side in self.sides_of_requests.values())
        return own if self.text_column is None and has_own else self.text_column

    @property
    def sides_of_requests(self) -> dict[str, Relation]:
        """Return the relations that have columns of requests, by the argument that takes them."""
        sides = {"context": next(iter(self.read.values()))}
        return sides | ({"queries_context": self.read["queries"]} if self.knows_requests else {})

    def context(self, by: Sequence[str], dialect: Dialect) -> dict[str, list[str]]:
        """Return the columns that an evaluation reads beside the columns of the rows, as statements write them.

        They are of the first relation; of a log with a table of all requests, of each of the two that has them.

        Args:
            by: the columns that the evaluation names, and the columns of arms.
            dialect: whose SQL.

        Returns:
            By the argument of the statements: ``context``, and ``queries_context``.
        """
        columns = {bare(meaning): name for meaning, (_, name) in self.columns.items() if isinstance(name, str)}
        layout = RowLayout(self.label, self.order, self.written_keys, self.log, columns)
        return context_columns(by, self.sides_of_requests, self.wanted, layout, dialect)

    def name_in_rows(self, column: str, dialect: Dialect) -> str:
        """Return the name that its rows have for a column that is handed on; a field of a column has its own."""
        return name_in_rows(column, [*self.read.values()], self.written_keys, dialect)

    @property
    def written_keys(self) -> list[str]:
        """Return the columns that name a query, as statements write them."""
        keys = self.column(self.query) if isinstance(self.query, str) else self.query
        return [keys] if isinstance(keys, str) else list(keys)

    def leaves_rows_without_items(self, role: str, context: Mapping[str, Sequence[str]]) -> bool:
        """Return whether rows without an item stand for judged queries, or requests that show nothing."""
        return role == "qrels" or self.knows_requests or self.keeps_empty_lists(context)

    def keeps_empty_lists(self, context: Mapping[str, Sequence[Any]]) -> bool:
        """Return whether empty lists have a row: without judgments, or where columns are handed on."""
        return self.has_lists and bool(self.settings["empty_lists"] or context.get("context"))

    def meanings(self, dialect: Dialect) -> dict[str, Any]:
        """Return the columns of its rows by what they mean."""
        labels = macros()["rm_query_labels"](self.written_keys)
        names_by_meaning: dict[str, Any] = {
            "query_id": [unquoted(label, dialect) for label in labels],
            self.order: self.order,
        }
        names_by_meaning |= {"run_id": self.name_in_rows(self.arm, dialect)} if self.arm else {}
        return names_by_meaning | ({"time": self.time} if self.time else {})

    def column(self, key: str) -> Any:
        """Return the column of a key of ``columns`` as statements write it; a query may have several."""
        place, column = self.columns[key]
        if column is None:
            return None
        relation = self.read[place]
        names = [column] if isinstance(column, str) else column
        kind = bare(key)
        is_fixed = key == "queries.request" or (place == "queries" and column in self.known.values())
        meaning = "queries" if is_fixed else kind  # of a column that no argument names
        texts = [column_or_expression(relation, meaning, name, relation.dialect) for name in names]
        if relation.text_ids and not relation.own_types and kind in IDS:  # columns are text already
            type_ = "VARCHAR[]" if key in self.of_lists else "VARCHAR"
            texts = [text if macros()["rm_is_name"](text) else f"CAST({text} AS {type_})" for text in texts]
        if key in self.of_lists:
            check_list(relation, meaning, texts[0])
        if kind in TYPED:
            timed = any(self.settings.get(rule) is not None for rule in ("within", "half_life", "seconds", "collapse"))
            texts = [typed(relation, meaning, text, TYPED[kind], timed=timed) for text in texts]
        return texts[0] if isinstance(column, str) else texts
