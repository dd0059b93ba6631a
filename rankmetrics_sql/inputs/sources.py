"""What stands in place of a run and judgments: a description of rows in tables that are kept for other purposes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

from ..databases import Engine
from ..dialects import Dialect
from ..dialects.lists import is_list
from ..dialects.names import quoted, unquoted
from ..errors import UsageError, shortened
from ..statements.relation import Relation
from ..statements.templates import macros
from .ids import as_text, cast_in_query, comparable, different, family
from .meanings import column_or_expression
from .reader import Reader


@dataclass(frozen=True)
class Statement:
    """A macro of the templates, and those arguments of the source that are its own.

    Attributes:
        macro: its name.
        arguments: those of the source that it takes.
        select: the macro that makes the statement of what it returns, where that is a log.
    """

    macro: str
    arguments: Sequence[str]
    select: str | None = None


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
    def runs(self) -> Any:
        """The column that tells several systems or arms apart, if there is one."""
        return None


def are_judged(run: Any, qrels: Any) -> bool:
    """Whether something says what is relevant: judgments, or the source that stands in place of a run."""
    return qrels is not None or (isinstance(run, Source) and run.has_judgments)


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


@dataclass(frozen=True)
class Rows(Source):
    """Rows that a select of ours makes of tables that are kept for other purposes.

    Attributes:
        label: as of every source.
        parts: the statement behind each role: ``labelled``, or ``run`` and ``qrels``.
        quality: the statement that counts the rows that are used, and those that are not and why.
        relations: what the user named, by the argument that it is: a table, a file, SQL text, a data frame.
        columns: columns, or SQL over the row, by the argument that they are, with the relation they are of.
        settings: all other arguments.
        query: the argument with the columns that name a query, or the names that the rows have for them.
        order: what orders the items of its rows: ``position`` or ``score``.
        log: the macro that describes it as a log, of those sources that are one; its statements are made of that.
        sides: the relations with what was shown and what was done, where these are two.
        ids: the columns and fields with ids that no argument names, by relation.
        facts: the statement that gives the lowest position by application, where that is looked for, and the number of
            events by type; None of what is no log.
        of_lists: the arguments that are columns of lists.
        time: the column of the first relation with the time, where it has one.
        conflicts: the statement that finds requests of which the table of requests says something else than the log.
        clean: whether its statements leave no row that an evaluation would refuse.
        arm: the column that says to which run a row belongs, if there are several.
        given: settings that follow from the relations, where they have been looked at.
        holds: what a file holds there, as ``Reader.one`` has it, by the argument that it is.
        read: the relations as statements read them, once they have been looked at.
    """

    label: str
    parts: Mapping[str, Statement]
    quality: Statement
    relations: Mapping[str, Any]
    columns: Mapping[str, tuple[str, Any]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    query: str | Sequence[str] = "query_column"
    order: str = "position"
    log: Statement | None = None
    sides: Sequence[str] = ()
    ids: Mapping[str, Sequence[str]] = field(default_factory=dict)
    facts: Statement | None = None
    conflicts: Statement | None = None
    of_lists: Sequence[str] = ()
    clean: bool = True
    time: str | None = None
    arm: str | None = None
    given: Callable[[Mapping[str, Relation]], Mapping[str, Any]] | None = None
    holds: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[str, Relation] = field(default_factory=dict)

    @property
    def runs(self) -> Any:
        """As of every source."""
        return self.arm

    @property
    def options(self) -> dict[str, Any]:
        """The options that have another default here: positions in a log are what a person saw, gaps and all."""
        return {"position": "given"} if self.facts is not None else {}

    @property
    def has_judgments(self) -> bool:
        """Whether its rows say what is relevant."""
        return not {"labelled", "qrels"}.isdisjoint(self.parts)

    @property
    def stays(self) -> bool:
        """Whether what it reads is there when the evaluation is over."""
        return all(relation.stays for relation in self.read.values())

    @property
    def place(self) -> Engine | None:
        """The database of its relations, once they have been looked at."""
        return next(iter(self.read.values())).database if self.read else None

    def looked_up(self, engine: Engine, input_format: str | None = None) -> Rows:
        """The source with its relations read into a database.

        Raises:
            UsageError: they are not all in one database.
            DataError: something is not there.
        """
        reader = Reader(engine, input_format)
        read = {name: reader.one(value, "source", name, self.holds.get(name)) for name, value in self.relations.items()}
        if len({id(relation.database) for relation in read.values()}) > 1:
            raise UsageError(f"{self.label}: {' and '.join(read)} have to be in one database.")
        return replace(self, read={name: self._with_text_ids(name, relation) for name, relation in read.items()})

    def _with_text_ids(self, name: str, relation: Relation) -> Relation:
        """The relation with text for its ids, where it is a file: those of all files can be equal."""
        if not relation.text_ids:
            return relation
        given = [column for argument, column in self.columns.items() if argument in _IDS and column[0] == name]
        names = [text for _, found in given for text in ([found] if isinstance(found, str) else found or ())]
        found = [relation.find(relation.bare(text)) for text in names]
        ids = {text.lower() for text in (*filter(None, found), *self.ids.get(name, ()))}
        types = {column: as_text(column, type_, ids) for column, type_ in (relation.types or {}).items()}
        other = {column: type_ for column, type_ in types.items() if type_ != (relation.types or {})[column]}
        if not other:
            return relation
        casts = ", ".join(f"CAST({quoted(column)} AS {type_}) AS {quoted(column)}" for column, type_ in other.items())
        return replace(relation, sql=f"(SELECT * REPLACE ({casts}) FROM {relation.sql})", types=types)

    def text(self, statement: Statement, dialect: Dialect, context: Mapping[str, Sequence[str]] | None = None) -> str:
        """A statement over what was read, in the dialect of its database.

        Args:
            statement: one of the source's.
            dialect: whose SQL.
            context: more columns to hand on, by the argument that they are.
        """
        given = self._arguments(statement)  # a setting that is None is said: within=None is no limit
        arguments = {name: value for name, value in given.items() if value is not None or name in self.settings}
        arguments |= {name: list(columns) for name, columns in (context or {}).items() if columns}
        known = macros(dialect.name)
        made = known[statement.macro](**arguments)
        return str(made if statement.select is None else known[statement.select](made))

    def _arguments(self, statement: Statement) -> dict[str, Any]:
        written = {name: self._column(name) for name in self.columns if not self._only_requests_have(name)}
        found = self.given(self.read) if self.given is not None else {}
        tables = {name: relation.sql for name, relation in self.read.items()}
        aliased = {name: f"{sql} u" if sql.startswith("(") else sql for name, sql in tables.items()}
        given = aliased | written | dict(self.settings) | dict(found)
        return {name: given.get(name) for name in statement.arguments}

    def check_ids(self) -> None:
        """Refuses a log whose parts name requests, items or users by ids that could not be equal.

        Raises:
            DataError: they have different types.
        """
        if self.log is None or self.place is None or len(self.sides) + self.knows_requests < 2:
            return
        if not self.place.knows_columns:
            return
        place, known = self.place, macros(self.place.dialect.name)
        log = known[self.log.macro](**self._arguments(self.log), context=[])
        sides = {
            relation: place.describe(place.query(known["rm_select_ids"](log, side)))
            for relation, side in zip(self.sides, ("shown", "done"), strict=False)
        }
        if self.knows_requests:
            given = self._column("query_column")
            keys = [given] if isinstance(given, str) else given
            columns = ", ".join(f"{key} AS {name}" for key, name in zip(keys, log["names"], strict=True))
            sides["queries"] = place.describe(place.query(f"SELECT {columns} FROM {self.read['queries'].sql} u"))
        names = [*log["names"], "user_id", "item_id"]
        for name, (one, other) in product(names, combinations(sides, 2)):
            ours, theirs = (_in_any_case(sides[side]).get(unquoted(name).lower()) for side in (one, other))
            if ours is not None and theirs is not None and not comparable(ours, theirs):
                labels = (self.read[one].label, self.read[other].label)
                texts = [side for side, type_ in ((one, ours), (other, theirs)) if family(type_) == "text"]
                how = self._cast({one, other} - set(texts), name, names.index(name))
                raise different(unquoted(name), ([ours], [theirs]), labels, f"cast one of them, {how}")

    def _cast(self, sides: Collection[str], name: str, place: int) -> str:
        """How a source makes text of the ids of some relations, in the words of a message."""
        meaning = {"user_id": "user", "item_id": "item"}.get(name, "request")
        dialect = next(iter(self.read.values())).dialect
        if f"{meaning}_column" not in self.columns:
            return cast_in_query(dialect)

        def text(argument: str) -> Any:
            given, type_ = self.columns[argument][1], macros(dialect.name)["rm_text_type"]()
            if isinstance(given, str):
                return f"CAST({given} AS {type_})"
            return [f"CAST({key} AS {type_})" if number == place else key for number, key in enumerate(given)]

        own, usual = f"event_{meaning}_column", f"{meaning}_column"
        both = own not in self.columns or self.columns[own][1] == self.columns[usual][1]
        hows = [f"{meaning}={text(usual)!r}"] if both or set(sides) - {"events"} else []
        hows += [f"event_columns={{{meaning!r}: {text(own)!r}}}"] if not both and "events" in sides else []
        return f"as in {' and '.join(hows)}"

    def notes(self) -> list[str]:
        """What was found out about a log on the way: where positions begin, if not at 1; grades of what nobody did."""
        if self.facts is None or self.place is None or not self.place.is_connected:
            return []
        _, rows = self.place.run(self.text(self.facts, self.place.dialect))
        zero = [str(name) for fact, name, number in rows if (fact, number) == ("base", 0)]
        types = [str(name) for fact, name, _ in rows if fact == "type" and name is not None]
        where = "" if zero in ([], [""]) else f" in {', '.join(name or 'rows without an application' for name in zero)}"
        found = [f"{self.label}: positions begin at 0{where} (position_base=auto)."] if zero else []
        lacking = [repr(name) for name in self.settings.get("grades", ()) if name not in types]
        if lacking:
            there = (
                f"there are {', '.join(types[:_SHOWN])}{' ...' if len(types) > _SHOWN else ''}" if types else "none is"
            )
            found.append(f"{self.label}: no event is of type {' or '.join(lacking)}, which has a grade; {there}.")
        return found

    def repeated_users(self) -> list[str]:
        """A warning that users have several requests, where columns of one relation name both."""
        columns = [self.columns.get(name, ("", None)) for name in ("user_column", "request_column")]
        if columns[0][0] != columns[1][0] or self.place is None or None in (column for _, column in columns):
            return []
        user, request = self._column("user_column"), self._column("request_column")
        if not macros()["rm_is_column"](user):
            return []  # what has no name cannot be named as the cluster
        keys = [request] if isinstance(request, str) else request
        columns_of = ", ".join(f"{key} AS key_{number}" for number, key in enumerate(keys))
        known = " AND ".join(f"{column} IS NOT NULL" for column in (user, *keys))
        asked = f"SELECT DISTINCT {user} AS who, {columns_of} FROM {self.read[columns[0][0]].sql} u WHERE {known}"
        of_each = f"SELECT COUNT(*) AS n_requests FROM ({asked}) d GROUP BY who"
        counts = f"SELECT COUNT(CASE WHEN n_requests > 1 THEN 1 END), COUNT(*) FROM ({of_each}) t"
        _, [(n_repeated, n_users)] = self.place.run(counts)
        if not n_repeated:
            return []
        name = unquoted(user, self.place.dialect)
        return [
            f"{self.label}: {n_repeated:,} of {n_users:,} users ({name}) have several requests, which are alike and"
            f" here count as if they were not; cluster={name} gives errors of users."
        ]

    def _only_requests_have(self, argument: str) -> bool:
        """Whether a time stands in the table of all requests alone, which is enough to group by it."""
        place, given = self.columns[argument]
        return (
            argument == "time_column"
            and self.knows_requests
            and isinstance(given, str)
            and not self.read[place].has(self.read[place].bare(given))
            and self.read["queries"].has(self.read["queries"].bare(given))
        )

    @property
    def knows_requests(self) -> bool:
        """Whether a table of all requests stands beside the log, so that some of them show nothing."""
        return self.conflicts is not None

    def context(self, by: Sequence[str], dialect: Dialect) -> dict[str, list[str]]:
        """The columns that an evaluation reads beside those of the rows, as statements write them.

        They are of the first relation; of a log with a table of all requests, of each of the two that has them.

        Args:
            by: the columns that the evaluation names.
            dialect: whose SQL.

        Returns:
            By the argument of the statements: ``context``, and ``queries_context``.

        Raises:
            UsageError: one is SQL over the row, which has no name in the rows, or has a name that the rows need.
            DataError: no relation has it.
        """
        wanted = list(dict.fromkeys([*([self.arm] if self.arm else []), *(name for name in by if name)]))
        sides = {"context": next(iter(self.read.values()))}
        if self.knows_requests:
            sides["queries_context"] = self.read["queries"]
        keys = self._column(self.query) if isinstance(self.query, str) else self.query
        there = [keys] if isinstance(keys, str) else list(keys)
        found: dict[str, list[str]] = {argument: [] for argument in sides}
        for name in wanted:
            having = [argument for argument, relation in sides.items() if relation.has(relation.bare(name))]
            for argument in having or ["context"]:
                written = column_or_expression(sides[argument], "by", name, dialect)
                self._check_handed_on(name, written, dialect)
                if written not in there:
                    found[argument].append(written)
        return found

    def _check_handed_on(self, name: str, written: str, dialect: Dialect) -> None:
        if not macros()["rm_is_column"](written):
            raise UsageError(f"{self.label}: {name!r} breaks results down, so it must be a column.")
        if unquoted(written, dialect).lower() in ("item_id", "relevance", self.order):
            raise UsageError(f"{self.label}: its rows have a {name!r} of their own; rename the column in a query.")

    def twice_named(self) -> str:
        """The statement that finds queries of several rows, where each is to have one with its list."""
        given = self._column(str(self.query))
        keys = [given] if isinstance(given, str) else list(given)
        names = [f"key_{number}" for number in range(len(keys))]
        known = " AND ".join(f"{name} IS NOT NULL" for name in names)
        columns = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
        relation = next(iter(self.read.values()))
        return (
            f"SELECT {', '.join(names)} FROM (SELECT {columns} FROM {relation.sql} u) d"
            f" WHERE {known} GROUP BY {', '.join(names)} HAVING COUNT(*) > 1 ORDER BY {', '.join(names)}"
        )

    def leaves_rows_without_items(self, role: str, context: Mapping[str, Sequence[str]]) -> bool:
        """Whether there are rows of ours without an item: of judged queries, and of those that show nothing."""
        return role == "qrels" or self.knows_requests or ("empty_lists" in self.settings and bool(context["context"]))

    def meanings(self, dialect: Dialect) -> dict[str, Any]:
        """The columns of its rows by what they mean."""
        keys = self._column(self.query) if isinstance(self.query, str) else self.query
        labels = macros()["rm_query_labels"]([keys] if isinstance(keys, str) else keys)
        found: dict[str, Any] = {"query_id": [unquoted(label, dialect) for label in labels], self.order: self.order}
        return found | ({"run_id": self.arm} if self.arm else {}) | ({"time": self.time} if self.time else {})

    def _column(self, argument: str) -> Any:
        """A column as statements write it; a query may have several."""
        place, given = self.columns[argument]
        if given is None:
            return None
        relation = self.read[place]
        names = [given] if isinstance(given, str) else given
        meaning = argument.removesuffix("_column").removeprefix("event_")
        found = [column_or_expression(relation, meaning, name, relation.dialect) for name in names]
        if relation.text_ids and argument in _IDS:  # columns are text already
            type_ = "VARCHAR[]" if argument in self.of_lists else "VARCHAR"
            found = [text if macros()["rm_is_column"](text) else f"CAST({text} AS {type_})" for text in found]
        if argument in self.of_lists:
            _check_list(relation, meaning, found[0])
        if argument in _TYPED:
            found = [typed(relation, meaning, text, _TYPED[argument]) for text in found]
        return found[0] if isinstance(given, str) else found


def rows_of(
    source: Rows, engine: Engine, by: Sequence[str], input_format: str | None = None
) -> tuple[Rows, dict[str, Relation]]:
    """The rows of a source by their role, where an evaluation can read them.

    Args:
        source: the description.
        engine: where the evaluation runs.
        by: the columns to break the result down by.
        input_format: of all files, or None to go by their names.
    """
    known = source.looked_up(engine, input_format)
    _check_times(known)
    known.check_ids()
    place = known.place or engine
    dialect = place.dialect
    context = known.context(by, dialect)
    found = {}
    for role, statement in source.parts.items():
        text = known.text(statement, dialect, context)
        label = source.label if len(source.parts) == 1 else f"{source.label} ({role})"
        facts = {"stays": known.stays, "clean": source.clean, "numbered": bool(source.of_lists)}
        facts["optional_ids"] = known.leaves_rows_without_items(role, context)
        found[role] = Reader(place).derived(text, role, label, **facts)
    if place.is_connected:
        _check_requests(known, found["labelled" if "labelled" in found else "run"], context, place)
    return known, found


def _check_requests(source: Rows, rows: Relation, context: Mapping[str, Sequence[str]], place: Engine) -> None:
    """What is handed on of a request is one thing: an arm, and what its table and its impressions both say of it.

    Raises:
        DataError: there are requests of two arms or of none, requests that have two values, or none where it is
            asked for and nothing else tells.
    """
    keys = ", ".join(source.meanings(place.dialect)["query_id"])

    def refuse(sql: str, problem: str) -> None:
        _, found = place.run(sql)
        if found:
            examples = "; ".join(" ".join(map(str, row)) for row in found[:3])
            raise rows.refuse(f"{len(found):,} {'request' if len(found) == 1 else 'requests'} {problem}: {examples}.")

    if source.of_lists:
        _, found = place.run(source.twice_named())
        if found:
            examples = "; ".join(" ".join(map(str, row)) for row in found[:3])
            rows_of_one = "1 query has" if len(found) == 1 else f"{len(found):,} queries have"
            raise rows.refuse(f"{rows_of_one} several rows, each with a list: {examples}.")
    of_queries = context.get("queries_context", [])
    both = [name for name in context["context"] if name in of_queries]
    if source.conflicts is not None and both:
        refuse(
            source.text(source.conflicts, place.dialect, context),
            f"of which queries= says something else than the impressions do ({', '.join(both)}), the request and both",
        )
    arms = [name for columns in source.context([], place.dialect).values() for name in columns]
    for arm in arms[:1]:  # none where the arm is a part of what names a request
        having = f"FROM {rows.sql} u GROUP BY {keys} HAVING"
        refuse(f"SELECT {keys} {having} MIN({arm}) <> MAX({arm})", f"with impressions of two arms ({source.arm})")
        refuse(f"SELECT {keys} {having} COUNT({arm}) = 0", f"without an arm ({source.arm})")
    if source.knows_requests:
        for name in dict.fromkeys([*context["context"], *of_queries]):
            refuse(
                f"SELECT {keys} FROM {rows.sql} u WHERE item_id IS NULL AND {name} IS NULL",
                f"without an impression, of which queries= does not say {unquoted(name, place.dialect)}",
            )


def lists(
    data: Any,
    query: str | Sequence[str] = "query_id",
    items: str = "items",
    relevant: str | None = None,
) -> Rows:
    """Lists of items in a column of arrays, with the relevant items in another.

    Of an item that a list names twice the first place counts; what is NULL is no item. An empty list of relevant items
    is that of a judged query, a list that is NULL says nothing of its query.

    Args:
        data: one row per query: a table, file, SQL text or data frame.
        query: what names a query: a column, SQL over the row, or a list of columns.
        items: the column with the list of what was recommended or retrieved, best first.
        relevant: the column with the list of relevant items; without one, give judgments as ``qrels``.
    """
    columns = {"items_column": items, "query_column": query, "relevant_column": relevant}
    parts = {"run": Statement("from_lists", ("relation", "items_column", "query_column", "empty_lists"))}
    if relevant is not None:
        parts["qrels"] = Statement("judgments_from_lists", ("relation", "relevant_column", "query_column"))
    return Rows(
        "lists",
        parts,
        Statement("quality_of_lists", ("relation", *columns)),
        {"relation": data},
        {name: ("relation", column) for name, column in columns.items()},
        {"empty_lists": True},
        of_lists=("items_column", "relevant_column"),
    )


def _check_list(relation: Relation, meaning: str, column: str) -> None:
    """A column of one item is none of lists; JSON and expressions are the database's to judge.

    Raises:
        DataError: it is none.
    """
    name = unquoted(column, relation.dialect)
    type_ = (relation.types or {}).get(name)
    if type_ is not None and relation.dialect.canonical and not is_list(type_):
        raise relation.refuse(f"{meaning} (column {relation.shown(name)!r}) is {type_}, no list.")


def _in_any_case(types: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): type_ for name, type_ in types.items()}


_IDS = (
    *("request_column", "query_column", "item_column", "user_column", "items_column", "relevant_column"),
    *("event_request_column", "event_item_column", "event_user_column"),
)
_TIMES = ("time_column", "event_time_column")
# What arguments that are no ids are, where text would be compared as text.
_TYPED = {
    **dict.fromkeys(
        ("position_column", "rating_column", "predicted_column", "dwell_column", "propensity_column"), "DOUBLE"
    ),
    **dict.fromkeys(_TIMES, "TIMESTAMP"),
}
_KINDS = {"DOUBLE": "a number", "TIMESTAMP": "a time"}
_SHOWN = 10  # types of events that a message names


def typed(relation: Relation, meaning: str, column: str, wanted: str) -> str:
    """A column as a number or a time: text files have nothing but text, and SQLite no other times.

    Raises:
        DataError: it is text in a table.
    """
    name = unquoted(column, relation.dialect)
    if not (relation.types or {}).get(name, "").startswith("VARCHAR"):
        return column
    if relation.text_ids:
        return f"CAST({column} AS {wanted})"
    if wanted == "TIMESTAMP" and not relation.dialect.canonical:
        return column
    own = relation.shown(name)
    raise relation.refuse(
        f"{meaning} (column {own!r}) is VARCHAR, not {_KINDS[wanted]}; CAST({own} AS {wanted}) is one."
    )


def _check_times(source: Rows) -> None:
    """Between a moment with a time zone and one without lie as many hours as the session's zone says.

    Raises:
        DataError: the two inputs have such moments.
    """
    named = [source.columns[argument] for argument in _TIMES if argument in source.columns]
    if len(named) < len(_TIMES) or not all(isinstance(name, str) for _, name in named):
        return  # no rule compares them
    zoned = []
    for place, name in named:
        relation = source.read[place]
        column = unquoted(column_or_expression(relation, "time", name, relation.dialect), relation.dialect)
        type_ = (relation.types or {}).get(column, "").upper()
        is_zoned = "WITH TIME ZONE" in type_ or type_.startswith(("TIMESTAMPTZ", "TIMESTAMP_TZ", "TIMESTAMP_LTZ"))
        zoned.append(is_zoned if type_.startswith("TIMESTAMP") else None)
    if set(zoned) == {True, False}:
        with_zone, without = [relation for _, relation in sorted(zip(zoned, named, strict=True), reverse=True)]
        raise source.read[without[0]].refuse(
            f"time (column {without[1]!r}) has no time zone, but column {with_zone[1]!r} of"
            f" {source.read[with_zone[0]].label} has one. Say whose time it is, as in timezone('UTC', {without[1]})."
        )


def ratings(
    data: Any,
    user: str | Sequence[str] = "user_id",
    item: str = "item_id",
    rating: str = "rating",
    predicted: str = "predicted",
    threshold: float | None = None,
) -> Rows:
    """Ratings, and what a model predicted for them, which orders the items of a user.

    A rated item without a prediction is one that the model did not find. Errors (``mae``, ``rmse``, ``rating_bias``)
    are of the ratings themselves, so not with a threshold.

    Args:
        data: one row per user and item: a table, file, SQL text or data frame.
        user: what names a user, the query of the metrics.
        item: what names an item.
        rating: the rating, which is the grade; NULL where there is none, so that the item is not judged.
        predicted: the model's score; an item without one is not ranked. ``COALESCE(predicted, 0)`` gives it one.
        threshold: the least rating that is relevant, with grade 1; others then have grade 0.

    Raises:
        UsageError: the threshold is no number.
    """
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
        raise UsageError(f"threshold is a number, not {shortened(threshold)}.")
    columns = {"user_column": user, "item_column": item, "rating_column": rating, "predicted_column": predicted}
    arguments = ("relation", *columns, "threshold")
    of_judgments = tuple(name for name in arguments if name != "predicted_column")
    return Rows(
        "ratings",
        {"run": Statement("from_ratings", arguments), "qrels": Statement("judgments_from_ratings", of_judgments)},
        Statement("quality_of_ratings", arguments),
        {"relation": data},
        {name: ("relation", column) for name, column in columns.items()},
        {"threshold": threshold},
        query="user_column",
        order="score",
        clean=False,
    )


_OF_IMPRESSIONS = ("request", "item", "position", "time", "user", "application")
_RULES = ("grades", "grade", "attribution", "within", "position_base", "requests", "half_life", "min_dwell")


def events(
    impressions: Any,
    events: Any,
    *,
    request: str | Sequence[str] = "request_id",
    item: str = "item_id",
    position: str = "position",
    type: str = "event_type",  # noqa: A002 - what logs call it
    time: str | None = None,
    user: str | None = None,
    application: str | None = None,
    arm: str | None = None,
    event_columns: Mapping[str, Any] | None = None,
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    attribution: str = "request",
    within: float | str | None = None,
    position_base: int | str = "auto",
    requests: str = "all",
    queries: Any = None,
    half_life: float | str | None = None,
    dwell: str | None = None,
    min_dwell: float | str | None = None,
    propensity: str | Mapping[int, float] | None = None,
) -> Rows:
    """A log of what was shown, and of what people did with it.

    Every item shown has the grade of the actions that are credited to it, 0 where there are none. Of an item that was
    shown twice in a request the lowest position counts, and the same action twice counts once. What is not used is
    counted, by its reason, in ``result.data_quality``.

    Args:
        impressions: one row per item shown: a table, file, SQL text or data frame.
        events: one row per action.
        request: what names a request, the query of the metrics: a column, SQL over the row, or a list of columns.
        item: what names an item.
        position: where the item stood. It is kept, gaps and all (``position="given"`` is the default of a log), unless
            an evaluation asks for ``position="dense"`` or for a profile, whose tool numbers the items.
        type: the column of the events that says what kind of action one is.
        time: when it was shown, and done; ``within`` and ``attribution="user"`` need it.
        user: who saw it, and did it; ``attribution="user"`` needs it, and a comparison of arms without ``cluster=``
            warns where somebody has several requests.
        application: the applications count their positions each from a base of its own.
        arm: the column of the impressions that says which system answered, where several are scored.
        event_columns: columns that have another name in the events: ``{"item": "product", "time": "clicked_at"}``.
        grades: grades by type of action; actions of other types do not count. By default a click is 1.
        grade: ``highest`` of an item's actions, or their ``sum``.
        attribution: ``request``: an action is about the impression of its own request. ``user``: about the last
            impression of that item to its user before it.
        within: how long after the impression an action may come: seconds, or text such as ``"30 minutes"``.
        position_base: 0 or 1, or ``auto``: 0 where an application has a position 0.
        requests: ``all`` with an impression; those that were ``clicked``, with a credited action; or ``logged``: all,
            and those of ``queries`` without an impression, which get 0.
        queries: the table of all requests.
        half_life: how long after the impression an action is worth half its grade: t later it is worth
            2^(-t / half_life) of it. As ``within``; both set actions before the impression aside.
        dwell: the column of the events that says how many seconds the visitor stayed; where it is NULL, nobody knows.
        min_dwell: how long the visitor has to have stayed, where that is known, so that the action counts.
        propensity: how likely it was that the item was looked at, for metrics weighted by it: a column of the
            impressions, SQL over the row, or a propensity for each position, as ``propensities()`` estimates them.

    Raises:
        UsageError: a rule is unknown, or lacks the column that it needs.
    """
    columns = dict(zip(_OF_IMPRESSIONS, (request, item, position, time, user, application), strict=True))
    own = _event_columns(event_columns)
    named = {f"{name}_column": ("impressions", column) for name, column in columns.items()}
    by_user = attribution == "user"
    needed = {
        "request": not by_user,
        "item": True,
        "time": by_user or (within, half_life) != (None, None),
        "user": by_user,
    }
    named |= {
        f"event_{name}_column": ("events", own.get(name, columns[name]) if needed[name] else None) for name in needed
    }
    named["type_column"] = ("events", own.get("type", type))
    named["dwell_column"] = ("events", dwell)
    rules = (_grades(grades, "click"), grade, attribution, _seconds("within", within), position_base, requests)
    later = (_seconds("half_life", half_life), _seconds("min_dwell", min_dwell))
    settings = dict(zip(_RULES, (*rules, *later), strict=True))
    arguments = ("impressions", "events", *named, *_RULES)
    _check_rules({name: value for name, (_, value) in named.items()} | settings)
    if (requests == "logged") != (queries is not None):
        raise UsageError("requests=logged and queries=, the table of all requests, go together.")
    _check_logged(requests, propensity)
    relations = {"impressions": impressions, "events": events}
    if isinstance(propensity, Mapping):
        settings["propensity_column"] = _by_position(propensity)
    else:
        named["propensity_column"] = ("impressions", propensity)
    if queries is not None:
        relations["queries"] = queries
        named["query_column"] = ("queries", request)
    of_rows = (*arguments, "propensity_column", *(["queries", "query_column"] if queries is not None else []))
    return Rows(
        "events",
        {"labelled": Statement("from_events", of_rows)},
        Statement("quality_of_events", arguments),
        relations,
        named,
        settings,
        query="request_column",
        log=Statement("rm_log", arguments),
        sides=("impressions", "events"),
        facts=Statement("rm_log", arguments, "rm_select_facts"),
        conflicts=Statement("rm_log", of_rows, "rm_select_conflicts") if queries is not None else None,
        time=time,
        arm=arm,
    )


def _rules_of_schemas(within: Any, position_base: Any, requests: Any, half_life: Any) -> dict[str, Any]:
    """The rules that all named schemas have."""
    times = {"within": _seconds("within", within), "half_life": _seconds("half_life", half_life)}
    return {**times, "position_base": position_base, "requests": requests}


def _check_logged(requests: str, propensity: Any) -> None:
    if requests == "logged" and propensity is not None:
        raise UsageError(
            "requests=logged: a request without an impression has no propensity; leave one of the two out."
        )


def _by_position(propensity: Mapping[int, float] | None) -> Any:
    """Propensities by position, looked at before anything is read."""
    if propensity is None:
        return None
    return macros()["rm_checked_propensities"](macros()["rm_by_position"](propensity))


def ubi(
    queries: Any,
    events: Any = None,
    *,
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    within: float | str | None = None,
    position_base: int | str = "auto",
    requests: str = "all",
    impressions: str = "events",
    mapping: str | None = None,
    half_life: float | str | None = None,
    propensity: Mapping[int, float] | None = None,
) -> Rows:
    """User Behavior Insights: the tables ``ubi_queries`` and ``ubi_events`` of OpenSearch, Solr and Elasticsearch.

    Args:
        queries: the table of queries, or a file of documents, one JSON object a line, as OpenSearch exports them; lines
            that say what its bulk interface is to do are left out.
        events: the table of events; those called ``impression`` say what was shown. May be the same file, or left out,
            where one file holds both kinds of documents.
        grades: grades by name of action, by default 1 for a click.
        grade: as in ``events()``, like the three that follow.
        within: how long after the impression an action may come.
        position_base: the lowest position; ``auto`` by application.
        requests: ``all``, ``clicked`` or ``logged``, all that ``queries`` has.
        impressions: ``hits`` takes the queries' lists of hits for what was shown, where nothing records impressions.
        mapping: how ``event_attributes`` is kept: ``struct``, ``json``, or ``flat`` for columns whose names have dots;
            by default as the table has it, and ``struct`` where no connection says so.
        half_life: as in ``events()``.
        propensity: how likely people look at each position, as ``propensities()`` estimates it.

    Raises:
        UsageError: a rule is unknown.
    """
    settings: dict[str, Any] = {"grades": _grades(grades, "click"), "grade": grade}
    settings |= _rules_of_schemas(within, position_base, requests, half_life)
    _check_rules({"attribution": "request", "time_column": "timestamp", "user_column": None} | settings)
    _check_logged(requests, propensity)
    arguments = ("queries", "events", *settings, "impressions", "mapping", "has_application")
    settings |= {"impressions": impressions, "propensity": _by_position(propensity)}
    is_one = events is None or (isinstance(events, str | Path) and str(events) == str(queries))
    of_rows = (*arguments, "propensity")
    relations = {"events": queries if is_one else events, "queries": queries}
    return Rows(
        "ubi",
        {"labelled": Statement("from_ubi", of_rows)},
        Statement("quality_of_ubi", arguments),
        dict(reversed(relations.items())) if impressions == "hits" else relations,
        {"query_column": ("events", "query_id")},
        settings,
        time="timestamp",
        log=Statement("rm_ubi_log", of_rows),
        sides=("queries", "events") if impressions == "hits" else ("events",),
        ids={
            "queries": ("query_id", "query_response_hit_ids"),
            "events": ("query_id", "object_id", "event_attributes.object.object_id"),
        },
        facts=Statement("rm_ubi_log", arguments, "rm_select_facts"),
        conflicts=Statement("rm_ubi_log", of_rows, "rm_select_conflicts") if requests == "logged" else None,
        given=lambda read: {
            "mapping": mapping or _ubi_mapping(read["events"], is_one),
            "has_application": None if read["events"].has("application") else False,
        },
        holds={"events": "ubi_events" if is_one else "documents", "queries": "ubi_queries" if is_one else "documents"},
    )


def snowplow(
    interactions: Any,
    *,
    user: str = "domain_userid",
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    within: float | str | None = "30 minutes",
    position_base: int | str = "auto",
    requests: str = "all",
    half_life: float | str | None = None,
    propensity: Mapping[int, float] | None = None,
) -> Rows:
    """Snowplow's ``snowplow_ecommerce_product_interactions``: lists that were viewed, and what followed.

    A view of a list is a request, and an action is about the last view of its product by that visitor before it.

    Args:
        interactions: the table, one row per product of an event.
        user: who saw it and acted.
        grades: grades by ``ecommerce_action_type``; by default a ``list_click`` is 1.
        grade: as in ``events()``, like the three that follow.
        within: how long after the view an action may come.
        position_base: the lowest position; ``auto`` by application.
        requests: ``all`` or ``clicked``.
        half_life: as in ``events()``.
        propensity: how likely people look at each position, as ``propensities()`` estimates it.

    Raises:
        UsageError: a rule is unknown.
    """
    settings: dict[str, Any] = {"grades": _grades(grades, "list_click"), "grade": grade}
    settings |= _rules_of_schemas(within, position_base, requests, half_life)
    return _of_users("snowplow", {"interactions": interactions}, "event_id", user, settings, propensity)


def segment(
    viewed: Any,
    clicked: Any,
    *,
    user: str = "anonymous_id",
    within: float | str | None = "30 minutes",
    position_base: int | str = "auto",
    requests: str = "all",
    mapping: str | None = None,
    half_life: float | str | None = None,
    propensity: Mapping[int, float] | None = None,
) -> Rows:
    """Segment's ``product_list_viewed`` and ``product_clicked``, which RudderStack and PostHog have too.

    A view is a request; a click, which names no list, is about the last view of its product by that visitor before it.

    Args:
        viewed: the table of views, with the list ``products``.
        clicked: the table of clicks.
        user: who saw it and clicked.
        within: how long after the view a click may come.
        position_base: the lowest position.
        requests: ``all`` or ``clicked``.
        mapping: how ``products`` is kept: ``struct``, or ``json`` for a type or text; by default as the table has it,
            and ``struct`` where no connection says so.
        half_life: as in ``events()``.
        propensity: how likely people look at each position, as ``propensities()`` estimates it.

    Raises:
        UsageError: a rule is unknown.
    """
    settings = _rules_of_schemas(within, position_base, requests, half_life)
    relations = {"viewed": viewed, "clicked": clicked}
    given = partial(_of_list, "viewed", "products", mapping)
    return _of_users("segment", relations, "view_id", user, settings, propensity, given)


def ga4(
    events: Any,
    *,
    grades: Mapping[str, float] | None = None,
    grade: str = "highest",
    within: float | str | None = "30 minutes",
    position_base: int | str = "auto",
    requests: str = "all",
    mapping: str | None = None,
    half_life: float | str | None = None,
    propensity: Mapping[int, float] | None = None,
) -> Rows:
    """Google Analytics 4's export: lists that were viewed, and what followed.

    A ``view_item_list`` event is a request, named by visitor, moment and list; an action is about the last view of its
    item in that list by that visitor before it.

    Args:
        events: the export, one row per event with the list ``items``.
        grades: grades by name of event; by default a ``select_item`` is 1.
        grade: as in ``events()``, like the three that follow.
        within: how long after the view an action may come.
        position_base: the lowest position.
        requests: ``all`` or ``clicked``.
        mapping: how ``items`` is kept, as in ``segment()``.
        half_life: as in ``events()``.
        propensity: how likely people look at each position, as ``propensities()`` estimates it.

    Raises:
        UsageError: a rule is unknown.
    """
    settings: dict[str, Any] = {"grades": _grades(grades, "select_item"), "grade": grade}
    settings |= _rules_of_schemas(within, position_base, requests, half_life)
    keys = ["visitor", "moment", "list_id"]
    given = partial(_of_list, "events", "items", mapping)
    return _of_users("ga4", {"events": events}, keys, None, settings, propensity, given)


# What schemas call the ids of requests and items.
_IDS_OF = {
    "snowplow": ("event_id", "product_id"),
    "segment": ("id", "product_id"),
    "ga4": ("user_pseudo_id", "item_id", "item_list_id"),
}


def _of_users(
    label: str,
    relations: Mapping[str, Any],
    keys: str | Sequence[str],
    user: str | None,
    settings: Mapping[str, Any],
    propensity: Mapping[int, float] | None,
    given: Callable[[Mapping[str, Relation]], Mapping[str, Any]] | None = None,
) -> Rows:
    """A log whose actions name no request: its statements find the last view of the item by the same user."""
    rules: dict[str, Any] = {
        "grades": {"click": 1},
        "grade": "highest",
        "attribution": "user",
        "time_column": "",
        "user_column": "",
    }
    _check_rules(rules | dict(settings))
    columns = {} if user is None else {"user_column": (next(iter(relations)), user)}
    arguments = (*relations, *settings, *columns, *(["mapping"] if given else []))
    ids = (*_IDS_OF[label], *([] if user is None else [user.lower()]))
    return Rows(
        label,
        {"labelled": Statement(f"from_{label}", (*arguments, "propensity"))},
        Statement(f"quality_of_{label}", arguments),
        relations,
        columns,
        {**settings, "propensity": _by_position(propensity)},
        query=[keys] if isinstance(keys, str) else keys,
        log=Statement(f"rm_{label}_log", arguments),
        sides=list(relations),
        ids=dict.fromkeys(relations, ids),
        facts=Statement(f"rm_{label}_log", arguments, "rm_select_facts"),
        given=given,
    )


def _of_list(name: str, column: str, given: str | None, read: Mapping[str, Relation]) -> Mapping[str, str]:
    """How a list of structures is kept.

    Args:
        name: the relation with the column.
        column: the one of lists.
        given: what the user says.
        read: the relations.

    Raises:
        UsageError: it is said, but nothing that a list can be.
    """
    if given not in (None, "struct", "json"):
        raise UsageError(f"mapping is struct or json, not {shortened(given)}.")
    types = {known.lower(): type_.upper() for known, type_ in (read[name].types or {}).items()}
    type_ = types.get(column, "STRUCT")
    return {"mapping": given or ("struct" if any(name in type_ for name in _LISTS) else "json")}


_STRUCTURES = ("STRUCT", "ROW", "TUPLE")
_LISTS = (*_STRUCTURES, "ARRAY", "VARIANT", "SUPER")  # in the names of types; other types are JSON


def _ubi_mapping(events: Relation, is_one: bool) -> str:
    """How a table keeps what an event is about; a structure whose fields are not known is read as JSON.

    Raises:
        UsageError: it is all there is, and no file, which can hold both kinds of documents.
    """
    if is_one and not events.text_ids:
        raise UsageError(f"ubi: {events.label} has to be two tables, of queries and events; only a file can hold both.")
    types = {name.lower(): type_ for name, type_ in (events.types or {}).items()}
    if "event_attributes" not in types:
        return "flat" if any(name.startswith("event_attributes.") for name in types) else "struct"
    type_ = types["event_attributes"].upper()
    is_plain = type_.startswith(_STRUCTURES) and "MAP(" not in type_ and "JSON" not in type_
    return "struct" if is_plain else "json"


def _check_rules(given: Mapping[str, Any]) -> None:
    """What the templates refuse, before anything is read."""
    columns = {name: given.get(f"{name}_column") for name in ("time", "user", "dwell")}
    macros()["rm_checked_log"]({"min_dwell": None, "queries": None, **given, **columns})


def _grades(given: Any, usual: str) -> Any:
    """The grades by type of action, which the templates look at; by default 1 for the usual one."""
    return {usual: 1} if given is None else dict(given) if isinstance(given, Mapping) else given


def _event_columns(given: Mapping[str, Any] | None) -> Mapping[str, Any]:
    known = ("request", "item", "time", "user", "type")
    for name in given or {}:
        if name not in known:
            raise UsageError(f"event_columns: {shortened(name)} is none of {', '.join(known)}.")
    return given or {}


_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


def _seconds(name: str, within: Any) -> float | None:
    """A time in seconds: a number, or a number and a unit."""
    if within is None or (isinstance(within, int | float) and not isinstance(within, bool)):
        return within
    if isinstance(within, str):
        number, _, unit = within.strip().partition(" ")
        unit = unit.strip().lower().removesuffix("s")
        if unit in _UNITS:
            try:
                return float(number) * _UNITS[unit]
            except ValueError:
                pass
    raise UsageError(
        f"{name} is a number of seconds, or text such as '30 minutes' ({', '.join(_UNITS)}); not {shortened(within)}."
    )
